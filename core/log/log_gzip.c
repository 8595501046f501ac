/*
 * log_gzip.c -- a piece of a log as a gzip member of its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "log/log_gzip.h"

#include <zlib.h>

#include "base/pool.h"


enum {
    GZIP_WRAP = 16,                /* zlib's way to ask for gzip's header */
    MEMORY    = 8                  /* zlib's default */
};


lun_str
lun_log_gzip(const char *data, size_t len, int level)
{
    int       rc;
    char     *out = NULL;
    size_t    room;
    z_stream  z = { .next_in = (Bytef *) (uintptr_t) data,
                    .avail_in = (uInt) len };

    if (deflateInit2(&z, level, Z_DEFLATED, MAX_WBITS + GZIP_WRAP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    {
        return LUN_STR_NULL;
    }

    room = deflateBound(&z, (uLong) len);
    out = lun_malloc(room);
    z.next_out = (Bytef *) out;
    z.avail_out = (uInt) room;

    rc = deflate(&z, Z_FINISH);
    (void) deflateEnd(&z);

    if (rc != Z_STREAM_END) {
        lun_free(out);
        return LUN_STR_NULL;
    }

    return lun_str_of(out, room - z.avail_out);
}
