/*
 * ffi_deflate.c -- messages of WebSocket, compressed (RFC 7692), for
 * lua/lunette/message_deflate.lua.
 *
 * Each message is by itself: between two of them there is no state, and no
 * memory.  What a message becomes is limited by who asks for it, whatever it
 * was compressed from.  Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <zlib-ng.h>

#include "modules/lua/lua.h"

/* LEVEL, MEMORY: a message is short, and made anew for each client. */
enum { WINDOW = 15, LEVEL = 4, MEMORY = 7, ROOM_FIRST = 4096 };

/* What a message ends with, and is sent without: section 7.2.1. */
static const unsigned char  tail[] = { 0, 0, 0xff, 0xff };

/* message_deflate.lua has the same. */
typedef enum { INFLATED, INFLATE_TOO_LONG, INFLATE_BAD } inflate_verdict;

/* A message that is being received. */
typedef struct {
    zng_stream  z;
    char       *room;              /* malloc'ed */
    size_t      size;
} lun_inflater;

LUN_EXPORT lun_inflater *lun_ffi_inflater_new(void);
LUN_EXPORT void lun_ffi_inflater_free(lun_inflater *in);
LUN_EXPORT int lun_ffi_inflate(lun_inflater *in, const char *data, size_t len,
    int last, size_t most, lun_str *out);
LUN_EXPORT size_t lun_ffi_deflate_room(size_t len);
LUN_EXPORT ptrdiff_t lun_ffi_deflate(const char *data, size_t len, int window,
    char *out, size_t room);


/* NULL: there is no memory. */
lun_inflater *
lun_ffi_inflater_new(void)
{
    lun_inflater  *in = lun_calloc(sizeof(lun_inflater));

    if (zng_inflateInit2(&in->z, -WINDOW) != Z_OK) {
        lun_free(in);
        return NULL;
    }

    return in;
}


void
lun_ffi_inflater_free(lun_inflater *in)
{
    (void) zng_inflateEnd(&in->z);
    lun_free(in->room);
    lun_free(in);
}


/* Room for a byte more than may come: that one says that it is too much. */
static void
grow(lun_inflater *in, size_t most)
{
    in->size = lun_min(in->size != 0 ? in->size * 2 : ROOM_FIRST, most + 1);
    in->room = lun_realloc(in->room, in->size);
}


static inflate_verdict
inflate_piece(lun_inflater *in, const void *data, size_t len, size_t most,
    size_t *made)
{
    int  rc;

    in->z.next_in = data;
    in->z.avail_in = (uint32_t) len;

    for ( ;; ) {
        if (*made == in->size) {
            grow(in, most);
        }

        in->z.next_out = (unsigned char *) in->room + *made;
        in->z.avail_out = (uint32_t) (in->size - *made);
        rc = zng_inflate(&in->z, Z_SYNC_FLUSH);
        *made = in->size - in->z.avail_out;

        if (*made > most) {
            return INFLATE_TOO_LONG;
        }

        /* A block that says it is the last one may be followed by others. */
        if (rc == Z_STREAM_END && zng_inflateReset(&in->z) != Z_OK) {
            return INFLATE_BAD;
        }

        if (rc != Z_OK && rc != Z_STREAM_END
            && (rc != Z_BUF_ERROR || (in->z.avail_in != 0
                                      && in->z.avail_out != 0)))
        {
            return INFLATE_BAD;
        }

        if (in->z.avail_in == 0 && in->z.avail_out != 0) {
            return INFLATED;
        }
    }
}


/*
 * A frame's payload; `last`: the message ends with it.  *out is a view that the
 * next call ends, of `most` bytes at most (less than 2^31).
 */
int
lun_ffi_inflate(lun_inflater *in, const char *data, size_t len, int last,
    size_t most, lun_str *out)
{
    size_t           made = 0;
    inflate_verdict  rc = inflate_piece(in, data, len, most, &made);

    if (rc == INFLATED && last) {
        rc = inflate_piece(in, tail, sizeof(tail), most, &made);
    }

    *out = lun_str_of(in->room, made);
    return rc;
}


size_t
lun_ffi_deflate_room(size_t len)
{
    return len + len / 1000 + 64;
}


/* How many bytes it has become; -1: it is no shorter, or there's no memory. */
ptrdiff_t
lun_ffi_deflate(const char *data, size_t len, int window, char *out,
    size_t room)
{
    int         rc;
    size_t      made;
    zng_stream  z = { .next_in = (const unsigned char *) data,
                      .avail_in = (uint32_t) len,
                      .next_out = (unsigned char *) out,
                      .avail_out = (uint32_t) room };

    if (zng_deflateInit2(&z, LEVEL, Z_DEFLATED, -window, MEMORY,
                         Z_DEFAULT_STRATEGY) != Z_OK)
    {
        return -1;
    }

    rc = zng_deflate(&z, Z_SYNC_FLUSH);
    made = room - z.avail_out;
    rc = rc == Z_OK && z.avail_in == 0 && z.avail_out != 0 ? Z_OK : Z_BUF_ERROR;
    (void) zng_deflateEnd(&z);

    if (rc != Z_OK || made < sizeof(tail) || made - sizeof(tail) >= len
        || memcmp(out + made - sizeof(tail), tail, sizeof(tail)) != 0)
    {
        return -1;
    }

    return (ptrdiff_t) (made - sizeof(tail));
}
