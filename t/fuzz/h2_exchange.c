/*
 * h2_exchange.c -- any bytes as what a server of HTTP/2 says to one question,
 * cut anywhere.
 *
 * What comes is within its limits, what is to be sent does not grow without
 * end, and an answer ends once.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "client/h2_exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 2000, BODY = 3000, QUESTION = 100000 };

static char  question[QUESTION];


static void
check_answer(const lun_http_answer *a)
{
    LUN_CHECK(a->header_size <= HEADER || !a->whole_header);
    LUN_CHECK(!a->whole_header || (a->status >= 200 && a->status <= 999));
    LUN_CHECK(a->fields.count + a->trailers.count <= 2 * HEADER);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t                    n, step, told = 0;
    lun_str                   piece;
    lun_pool                 *pool = lun_pool_new_sized(1024);
    const char               *pos = (const char *) data + 1,
                             *end = (const char *) data + size, *part;
    lun_h2_exchange           h;
    lun_http_answer           a = { .pool = pool, .header_most = HEADER,
                                    .body_most = BODY };
    lun_http_answer_verdict   v = LUN_HTTP_ANSWER_MORE;

    if (size == 0) {
        lun_pool_free(pool);
        return 0;
    }

    step = (size_t) data[0] + 1;
    lun_h2_exchange_init(&h, LUN_STR("\x82"), lun_str_of(question, QUESTION),
                         &a);

    while (v == LUN_HTTP_ANSWER_MORE && pos < end) {
        part = pos + lun_min(step, (size_t) (end - pos));

        do {
            piece = LUN_STR_NULL;
            v = lun_h2_exchange_next(&h, &pos, part, part == end, &piece);
            check_answer(&a);

            if (v == LUN_HTTP_ANSWER_PIECE) {
                LUN_CHECK(piece.len != 0 && a.whole_header);
                told += piece.len;
            }
        } while (v == LUN_HTTP_ANSWER_PIECE || v == LUN_HTTP_ANSWER_HEAD);
    }

    LUN_CHECK(told <= BODY);
    n = h.out_len;
    LUN_CHECK(n <= 2 * QUESTION + 64 * size);
    lun_h2_exchange_fini(&h);
    lun_pool_free(pool);
    return 0;
}
