/*
 * zstd.c -- zstd: compressor.h's questions.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/compress/zstd.c"

#include "compressor.h"


static size_t
expand(size_t size, bool *end)
{
    size_t          rc;
    ZSTD_DCtx      *d = ZSTD_createDCtx();
    ZSTD_inBuffer   in = { .src = squeezed, .size = size };
    ZSTD_outBuffer  out = { .dst = again, .size = sizeof(again) };

    rc = ZSTD_decompressStream(d, &out, &in);
    LUN_CHECK(!ZSTD_isError(rc));
    (void) ZSTD_freeDCtx(d);

    *end = rc == 0;
    return out.pos;
}


int
main(void)
{
    zstd_conf  conf = { .c = { .level = 19 } };

    /* A block is 128 KB at most. */
    return test_codec(&codec, &conf.c, 1 << 17);
}
