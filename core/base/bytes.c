/*
 * bytes.c -- see bytes.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/bytes.h"

#include "base/check.h"
#include "base/pool.h"


enum {
    FIRST_ROOM = 1024,
    SMALL      = 4096              /* what is kept of memory nobody uses now */
};


/* What was used up in front is room, before there is more memory. */
char *
lun_bytes_room(lun_bytes *b, size_t len)
{
    size_t  have = lun_bytes_left(b);

    if (len > b->size - b->len && b->pos != 0) {
        memmove(b->data, b->data + b->pos, have);
        b->pos = 0;
        b->len = have;
    }

    if (len > b->size - b->len) {
        b->size = lun_max(lun_max(2 * b->size, have + len),
                          (size_t) FIRST_ROOM);
        b->data = lun_realloc(b->data, b->size);
    }

    return b->data + b->len;
}


void
lun_bytes_add(lun_bytes *b, const void *data, size_t len)
{
    if (len != 0) {
        memcpy(lun_bytes_room(b, len), data, len);
        b->len += len;
    }
}


void
lun_bytes_drop(lun_bytes *b)
{
    lun_free(b->data);
    *b = (lun_bytes) { 0 };
}


void
lun_bytes_trim(lun_bytes *b)
{
    LUN_CHECK(lun_bytes_left(b) == 0);

    if (b->size > SMALL) {
        lun_bytes_drop(b);
    }
}
