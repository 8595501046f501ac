/*
 * compressor.h -- what each codec of compress.c is asked: how much it says at
 * a time, and that what was said is what was taken.
 *
 * A test includes the codec's .c, this, and has expand().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_COMPRESSOR_H
#define LUN_COMPRESSOR_H

#include "base/check.h"
#include "tap.h"


enum { PLAIN = 400000, BUF = 256, MOST = 4 };

static char  plain[PLAIN];
static char  squeezed[2 * PLAIN];
static char  again[PLAIN + 1];

/* The bytes that come of so many squeezed ones, in `again`. */
static size_t expand(size_t size, bool *end);


/* What is hard to compress: each byte from 64. */
static void
fill_plain(void)
{
    size_t    i;
    uint32_t  n = 1;

    for (i = 0; i < PLAIN; i++) {
        n = n * 1103515245 + 12345;
        plain[i] = (char) (n >> 16 & 63);
    }
}


/* What was said, taken: behind the `have` bytes that were. */
static size_t
take_said(lun_compressor *s, size_t have)
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


static lun_compressor *
start_one(lun_request *r, const lun_codec *which, lun_compress_conf *conf,
    int64_t length)
{
    lun_compressor  *s = lun_pool_zalloc(r->pool, which->size);

    conf->buffers.num = MOST;
    conf->buffers.size = BUF;
    s->codec = which;
    s->open = true;
    lun_filter_buf_init(&s->out, r, BUF, MOST);
    LUN_CHECK(which->start(s, conf, length) == LUN_OK);

    return s;
}


/* A codec may keep as much as `kept` bytes before it says any. */
static void
says_no_more_than_there_is_room_for(lun_compressor *s, int64_t kept)
{
    bool     end;
    size_t   have = 0, rounds = 0;
    int64_t  most = 0;
    lun_str  text = lun_str_of(plain, PLAIN);
    lun_buf  last = { .eof = 1 };

    while (text.len != 0) {
        LUN_CHECK(rounds++ < PLAIN);
        LUN_CHECK(lun_compress_take(s, &text) == LUN_OK);
        most = lun_max(most, s->out.busy);
        have = take_said(s, have);
    }

    ok(most <= MOST + 1 + kept / BUF, "no more bufs than it may: %d",
       (int) most);

    is_int(lun_compress_close(s, &last), LUN_OK, "its end");
    ok(!s->open, "ends the codec");
    have = take_said(s, have);
    is_int((int64_t) expand(have, &end), PLAIN, "all of it is said");
    ok(end, "with an end");
    ok(memcmp(again, plain, PLAIN) == 0, "as it was");
    is_int(s->taken, PLAIN, "what was taken is counted");
    is_int(s->given, (int64_t) have, "and what was given");
}


/* Bytes of a page that come in small parts, each to be seen at once. */
static void
says_all_at_a_flush(lun_compressor *s)
{
    bool     end;
    size_t   have = 0, n = 0;
    lun_str  text;
    lun_buf  flush = { .flush = 1 }, last = { .eof = 1 };

    while (n < 5000) {
        text = lun_str_of(plain + n, 1 + n / 3);
        n += text.len;
        LUN_CHECK(lun_compress_take(s, &text) == LUN_OK && text.len == 0);
        LUN_CHECK(lun_compress_close(s, &flush) == LUN_OK);
        have = take_said(s, have);
        is_int((int64_t) expand(have, &end), (int64_t) n, "%zu bytes", n);
        ok(!end && memcmp(again, plain, n) == 0, "are seen");
    }

    LUN_CHECK(lun_compress_close(s, &flush) == LUN_OK);
    LUN_CHECK(lun_compress_close(s, &last) == LUN_OK);
    have = take_said(s, have);
    ok(expand(have, &end) == n && end, "and the end");
}


/* The codec's settings, of any of its lengths. */
static int
test_codec(const lun_codec *which, lun_compress_conf *conf, int64_t kept)
{
    lun_pool     *pool = lun_pool_new_sized(4096);
    lun_request   r = { .pool = pool };

    fill_plain();
    says_no_more_than_there_is_room_for(start_one(&r, which, conf, -1), kept);
    says_no_more_than_there_is_room_for(start_one(&r, which, conf, PLAIN),
                                        kept);
    /* Who said how long it is may have been wrong. */
    says_no_more_than_there_is_room_for(start_one(&r, which, conf, 10), kept);
    says_all_at_a_flush(start_one(&r, which, conf, -1));

    lun_pool_free(pool);
    return done_testing();
}


#endif
