/*
 * gzip.c -- deflate in gzip's frame: compressor.h's questions.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/compress/gzip.c"

#include "compressor.h"


enum { WINDOW = 15, MEMORY = 8 };


static size_t
expand(size_t size, bool *end)
{
    int         rc;
    zng_stream  z = { .next_in = (uint8_t *) squeezed,
                      .avail_in = (uint32_t) size,
                      .next_out = (uint8_t *) again,
                      .avail_out = sizeof(again) };

    LUN_CHECK(zng_inflateInit2(&z, WINDOW + GZIP_FRAME) == Z_OK);
    rc = zng_inflate(&z, Z_SYNC_FLUSH);
    LUN_CHECK(zng_inflateEnd(&z) == Z_OK);

    *end = rc == Z_STREAM_END;
    return z.total_out;
}


/* What one leaves in the middle of its work is not the next one's. */
static void
uses_them_again(const lun_gzip_conf *conf)
{
    size_t          i;
    bool            end;
    gzip_state      s = { .deflater = NULL };
    char            text[] = "a text, a text, a text", left[64];
    lun_gzip_conf   other = *conf;
    deflater       *first;
    lun_compress_io io = { .in = left, .in_left = sizeof(left),
                           .out = squeezed, .out_left = sizeof(squeezed) };

    memset(left, 'x', sizeof(left));
    LUN_CHECK(start_gzip(&s.head, &conf->c, -1) == LUN_OK);
    LUN_CHECK(step_gzip(&s.head, &io, LUN_COMPRESS_MORE, &end) == LUN_OK);
    first = s.deflater;
    end_gzip(&s.head);

    LUN_CHECK(start_gzip(&s.head, &conf->c, -1) == LUN_OK);
    ok(s.deflater == first, "the next one gets it");
    io = (lun_compress_io) { .in = text, .in_left = sizeof(text),
                             .out = squeezed,
                             .out_left = sizeof(squeezed) };
    LUN_CHECK(step_gzip(&s.head, &io, LUN_COMPRESS_END, &end) == LUN_OK);
    i = expand(sizeof(squeezed) - io.out_left, &end);
    ok(i == sizeof(text) && memcmp(again, text, i) == 0 && end,
       "and finds nothing of the one before");

    end_gzip(&s.head);
    other.c.level = 2;
    LUN_CHECK(start_gzip(&s.head, &other.c, -1) == LUN_OK);
    ok(s.deflater != first, "of other settings it is another");
    end_gzip(&s.head);

    for (i = 0; i < 2 * SPARES; i++) {
        other.c.level = 1 + (int64_t) i % 9;
        LUN_CHECK(start_gzip(&s.head, &other.c, -1) == LUN_OK);
        end_gzip(&s.head);
    }

    ok(spare_count == SPARES, "no more wait than may");
}


int
main(void)
{
    lun_gzip_conf  conf = { .c = { .level = 1, .window = WINDOW },
                            .hash = MEMORY };

    uses_them_again(&conf);

    /* What is made of a block and not said yet is 64 KB at most. */
    return test_codec(&codec, &conf.c, 1 << 16);
}
