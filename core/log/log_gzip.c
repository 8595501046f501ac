/*
 * log_gzip.c -- a piece of a log as a gzip member of its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "log/log_gzip.h"

#include <zlib-ng.h>

#include "base/pool.h"


enum {
    GZIP_WRAP = 16,                /* zlib's way to ask for gzip's header */
    MEMORY    = 8                  /* zlib's default */
};


/*
 * A whole member of gzip for each buffer: members may follow each other (RFC
 * 1952, 2.2), so a log that ends anywhere between two writes can be read.
 */
lun_str
lun_log_gzip(const char *data, size_t len, int level)
{
    int         rc;
    char       *out = NULL;
    size_t      room;
    zng_stream  z = { .next_in = (const uint8_t *) data,
                      .avail_in = (uint32_t) len };

    if (zng_deflateInit2(&z, level, Z_DEFLATED, MAX_WBITS + GZIP_WRAP,
                         MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    {
        return LUN_STR_NULL;
    }

    room = zng_deflateBound(&z, len);
    out = lun_malloc(room);
    z.next_out = (uint8_t *) out;
    z.avail_out = (uint32_t) room;

    rc = zng_deflate(&z, Z_FINISH);
    (void) zng_deflateEnd(&z);

    if (rc != Z_STREAM_END) {
        lun_free(out);
        return LUN_STR_NULL;
    }

    return lun_str_of(out, room - z.avail_out);
}
