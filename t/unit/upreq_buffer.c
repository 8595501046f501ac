/*
 * upreq_buffer.c -- how much room there is for what is to come.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/upstream/upreq_buffer.c"

#include "tap.h"


enum { NUM = 8, EACH = 4096, HEAD = 1024 };

static lun_pool  *pool;


static size_t
room(int64_t length, int64_t arrived, bool framed, bool tunnels)
{
    buffer            b = { .ring = NULL };
    lun_request       r = { .pool = pool };
    lun_upreq_conf    conf = { .buffers = { NUM, EACH }, .buffer_size = HEAD };
    lun_upstream_try  try = { .response_length = arrived };
    lun_upreq         x = { .r = &r, .conf = &conf, .try = &try,
                            .buffered = 1 };

    x.tunnel = tunnels ? (void *) &b : NULL;
    x.answer.length = length;
    x.answer.framed = framed;
    make_ring(&x, &b);

    return b.ring_size;
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);

    is_int(room(-1, 0, false, false), NUM * EACH, "nobody knows how much");
    is_int(room(1000000, 0, false, false), NUM * EACH, "more than there is");
    is_int(room(1000, 0, false, false), 1000 + BEYOND, "no more than is said");
    is_int(room(1000, 900, false, false), 100 + BEYOND, "and is to come");
    is_int(room(10, 900, false, false), BEYOND, "more has come than was said");
    is_int(room(1000, 0, true, false), NUM * EACH, "frames take room as well");
    is_int(room(0, 0, false, true), NUM * EACH, "a length says nothing of a "
           "tunnel");

    lun_pool_free(pool);
    return done_testing();
}
