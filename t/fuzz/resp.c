/*
 * resp.c -- any bytes as replies of a Redis server: in one piece, and with a
 * byte more each time, they are the same values.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/resp.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    uint64_t          sum;
    size_t            used;
    lun_resp_verdict  rc;
} outcome;


static outcome
read_all(const uint8_t *data, size_t size, bool by_byte)
{
    char            *copy;
    size_t           have = by_byte ? 0 : size;
    outcome          o = { 0 };
    const char      *pos;
    lun_resp         r = { .text_most = 1000 };
    lun_resp_value   v;

    for ( ;; ) {
        copy = malloc(have - o.used + 1);
        memcpy(copy, data + o.used, have - o.used);
        copy = realloc(copy, lun_max(have - o.used, (size_t) 1));
        pos = copy;
        o.rc = lun_resp_next(&r, &pos, copy + (have - o.used), &v);

        if (o.rc == LUN_RESP_VALUE) {
            o.used += (size_t) (pos - copy);
            o.sum = o.sum * 31 + v.kind + 7 * v.depth
                    + (v.text.len != 0 ? lun_str_hash(v.text) : 0)
                    + (uint64_t) v.number;
            LUN_CHECK(v.last == (r.depth == 0));
        }

        free(copy);

        if (o.rc == LUN_RESP_BAD || (o.rc == LUN_RESP_MORE && have == size)) {
            return o;
        }

        if (o.rc == LUN_RESP_MORE) {
            LUN_CHECK(r.needs == 0 || r.needs > have - o.used);
            have++;
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome  whole, pieces;

    if (size > 4000) {
        return 0;
    }

    whole = read_all(data, size, false);
    pieces = read_all(data, size, true);
    LUN_CHECK(whole.sum == pieces.sum && whole.used == pieces.used);
    LUN_CHECK(whole.rc == pieces.rc);
    return 0;
}
