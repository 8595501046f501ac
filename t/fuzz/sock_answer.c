/*
 * sock_answer.c -- any bytes as the reply of a Redis server and as a frame of
 * WebSocket: in one piece and byte by byte they are told as the same, and no
 * more of them is than there are.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "modules/lua/sock/answer.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static lun_answer_verdict
ask(uint8_t how, lun_answer_run *run, lun_str in, lun_answer *a)
{
    bool                masked = false;
    size_t              most = (size_t) (how >> 2) * 100;
    lun_answer_verdict  v;

    if (how & 1) {
        return lun_answer_redis(run, in, a);
    }

    v = lun_answer_frame(in, most, how & 2, &masked, a);
    LUN_CHECK(v != LUN_ANSWER_WHOLE || a->len <= most);
    LUN_CHECK(v != LUN_ANSWER_WHOLE || masked || !(how & 2));
    LUN_CHECK(v != LUN_ANSWER_WHOLE || a->head >= (masked ? 6 : 2));

    if (v == LUN_ANSWER_OTHER) {
        *a = (lun_answer) { .all = 2 };
    }

    return v;
}


/* With so many bytes of it there, which no byte stands behind. */
static lun_answer_verdict
ask_of(uint8_t how, lun_answer_run *run, const uint8_t *data, size_t size,
    lun_answer *a)
{
    char                *copy = malloc(size);
    lun_answer_verdict   v;

    memcpy(copy, data, size);
    v = ask(how, run, lun_str_of(copy, size), a);
    free(copy);

    if (v != LUN_ANSWER_MORE) {
        LUN_CHECK(a->head + a->len <= a->all && a->all <= size);
    }

    return v;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t               n;
    lun_answer           whole = { 0 }, part = { 0 };
    lun_answer_run       run = { 0 };
    lun_answer_verdict   one, other = LUN_ANSWER_MORE;

    if (size < 2) {
        return 0;
    }

    one = ask_of(data[0], &run, data + 1, size - 1, &whole);
    run = (lun_answer_run) { 0 };

    for (n = 1; n < size && other == LUN_ANSWER_MORE; n++) {
        other = ask_of(data[0], &run, data + 1, n, &part);
    }

    LUN_CHECK(one == other);
    LUN_CHECK(one == LUN_ANSWER_MORE
              || (whole.head == part.head && whole.len == part.len
                  && whole.all == part.all));
    return 0;
}
