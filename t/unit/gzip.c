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


int
main(void)
{
    lun_gzip_conf  conf = { .c = { .level = 1, .window = WINDOW },
                            .hash = MEMORY };

    /* What is made of a block and not said yet is 64 KB at most. */
    return test_codec(&codec, &conf.c, 1 << 16);
}
