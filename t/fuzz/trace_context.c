/*
 * trace_context.c -- any bytes as traceparent and tracestate: what is taken is
 * written as the same trace, and a state that is passed on ends no line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "format/trace_context.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_parent(lun_str text)
{
    char              again[LUN_TRACE_PARENT];
    lun_trace_parent  p, q;

    if (lun_trace_parent_read(text, &p) != LUN_OK) {
        return;
    }

    LUN_CHECK(lun_trace_parent_write(again, &p) == again + sizeof(again));
    LUN_CHECK(memcmp(again + 3, text.data + 3, 49) == 0);
    LUN_CHECK(lun_trace_parent_read(lun_str_of(again, sizeof(again)), &q)
              == LUN_OK);
    LUN_CHECK(memcmp(p.trace, q.trace, sizeof(p.trace)) == 0
              && memcmp(p.span, q.span, sizeof(p.span)) == 0
              && p.sampled == q.sampled);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t   i;
    lun_str  text = lun_str_of((const char *) data, size);

    check_parent(text);

    if (lun_trace_state_is_good(text)) {
        LUN_CHECK(lun_str_chr(text, '=') != NULL);

        for (i = 0; i < size; i++) {
            LUN_CHECK(data[i] == '\t' || (data[i] >= ' ' && data[i] < 127));
        }
    }

    return 0;
}
