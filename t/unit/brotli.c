/*
 * brotli.c -- brotli: compressor.h's questions.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/compress/brotli.c"

#include <brotli/decode.h>

#include "compressor.h"


static size_t
expand(size_t size, bool *end)
{
    size_t               room = sizeof(again);
    uint8_t             *out = (uint8_t *) again;
    const uint8_t       *in = (const uint8_t *) squeezed;
    BrotliDecoderState  *d = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    BrotliDecoderResult  rc;

    rc = BrotliDecoderDecompressStream(d, &size, &in, &room, &out, NULL);
    LUN_CHECK(rc != BROTLI_DECODER_RESULT_ERROR);
    BrotliDecoderDestroyInstance(d);

    *end = rc == BROTLI_DECODER_RESULT_SUCCESS;
    return sizeof(again) - room;
}


int
main(void)
{
    brotli_conf  conf = { .c = { .level = 5, .window = 19 } };

    /* A block is 64 KB and more. */
    return test_codec(&codec, &conf.c, 1 << 19);
}
