/*
 * h2_out.c -- how long a frame is: what TLS encrypts at once is not cut.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h2/h2_out.c"

#include "tap.h"


/* The next frame's length, with that much in the buffer and in the body. */
static size_t
next_length(size_t out_len, size_t body, size_t size)
{
    lun_h2       h2 = { .out_len = out_len };
    lun_buf      first = { .in_file = 1, .file_last = 10 };
    lun_buf      rest = { .in_file = 1, .file_last = (int64_t) body - 10 };
    lun_request  r = { .output.head = &first };

    first.next = &rest;
    return fill_record(&h2, &r, size);
}


static void
frames_fill_records(void)
{
    size_t    len, out = 60;               /* a header is there already */
    unsigned  i, whole = 0;

    for (i = 0; i < 4; i++) {
        len = next_length(out, 1 << 20, 16384);
        out += LUN_FRAME_HEAD + len;
        whole += out % LUN_TLS_RECORD == 0;
    }

    is_int(whole, 4, "four frames of a long body are four records");
    is_int((int64_t) out, 4 * LUN_TLS_RECORD, "and no more");

    is_int((int64_t) next_length(0, 1 << 20, 8192), 8192,
           "a frame that leaves room in its record is as long as it may be");
    is_int((int64_t) next_length(15000, 1 << 20, 8192), 1384 - LUN_FRAME_HEAD,
           "the next one ends with the record");
    is_int((int64_t) next_length(16000, 1 << 20, 8192), 8192,
           "but not after a few bytes");
    is_int((int64_t) next_length(15000, 2000, 8192), 8192,
           "nor for a short body");
}


int
main(void)
{
    frames_fill_records();
    return done_testing();
}
