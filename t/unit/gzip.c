/*
 * gzip.c -- how much a compressor says at a time, and that what was said is
 * what was taken.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/gzip/gzip.c"

#include "base/check.h"
#include "tap.h"


enum { BYTES = 100000, BUF = 256, MOST = 4, WINDOW = 15, MEMORY = 8 };

static char  plain[BYTES];
static char  squeezed[2 * BYTES];
static char  again[BYTES + 1];


/* What is hard to compress: each byte from 64. */
static void
fill_plain(void)
{
    size_t    i;
    uint32_t  n = 1;

    for (i = 0; i < BYTES; i++) {
        n = n * 1103515245 + 12345;
        plain[i] = (char) (n >> 16 & 63);
    }
}


/* What was said, taken: behind the `have` bytes that were. */
static size_t
take_said(gzip_state *s, size_t have)
{
    lun_buf  *b = lun_filter_buf_take(&s->out), *next;

    for ( ; b != NULL; b = next) {
        next = b->next;

        if (b->last != b->pos) {       /* a flush has no bytes, and no place */
            memcpy(squeezed + have, b->pos, (size_t) (b->last - b->pos));
        }

        have += (size_t) (b->last - b->pos);
        b->pos = b->last;
        b->next = NULL;
    }

    return have;
}


/* The bytes that come of them. */
static size_t
expand(size_t size)
{
    int       rc;
    z_stream  z = { .next_in = (Bytef *) squeezed, .avail_in = (uInt) size,
                    .next_out = (Bytef *) again, .avail_out = sizeof(again) };

    LUN_CHECK(inflateInit2(&z, WINDOW + GZIP_FRAME) == Z_OK);
    rc = inflate(&z, Z_FINISH);
    LUN_CHECK(inflateEnd(&z) == Z_OK);

    is_int(rc, Z_STREAM_END, "it has an end");
    return z.total_out;
}


static void
says_no_more_than_there_is_room_for(gzip_state *s)
{
    size_t   have = 0, rounds = 0;
    int64_t  most = 0;
    lun_str  text = lun_str_of(plain, BYTES);
    lun_buf  end = { .eof = 1 };

    while (text.len != 0) {
        LUN_CHECK(rounds++ < BYTES);
        is_int(take(s, &text), LUN_OK, "takes some");
        most = lun_max(most, s->out.busy);
        have = take_said(s, have);
    }

    ok(most <= MOST + 1, "never more bufs than it has: %d", (int) most);
    ok(rounds >= BYTES / 2 / (BUF * (MOST + 1)), "so it took %u rounds",
       (unsigned) rounds);

    is_int(close_buf(s, &end), LUN_OK, "its end");
    have = take_said(s, have);
    is_int((int64_t) expand(have), BYTES, "all of it is said");
    ok(memcmp(again, plain, BYTES) == 0, "as it was");
    is_int(s->given, (int64_t) have, "and counted");
}


int
main(void)
{
    void           *states[1] = { NULL };
    lun_pool       *pool = lun_pool_new_sized(4096);
    lun_request     r = { .pool = pool, .states = states };
    lun_gzip_conf   conf = { .level = 1, .window = WINDOW, .hash = MEMORY,
                             .buffers = { .num = MOST, .size = BUF } };

    fill_plain();
    lun_http_gzip.index = 0;
    LUN_CHECK(start(&r, &conf) == LUN_OK);
    says_no_more_than_there_is_room_for(states[0]);

    lun_pool_free(pool);
    return done_testing();
}
