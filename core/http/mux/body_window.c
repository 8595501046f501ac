/*
 * body_window.c -- bytes of a body that have come and that nobody has taken.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/body_window.h"

#include "base/check.h"

#include <stdlib.h>


enum { FIRST_ROOM = 4096 };


void
lun_body_window_fini(lun_body_window *w)
{
    free(w->bytes);
    free(w->taken);
    *w = (lun_body_window) { .came = w->came };
}


lun_rc
lun_body_window_add(lun_body_window *w, const char *data, size_t len)
{
    char    *room;
    size_t   size = lun_max(w->room, (size_t) FIRST_ROOM);

    LUN_CHECK(w->len <= w->room);

    while (size - w->len < len) {
        size *= 2;
    }

    if (size != w->room) {
        room = realloc(w->bytes, size);

        if (room == NULL) {
            return LUN_ERROR;
        }

        w->bytes = room;
        w->room = size;
    }

    memcpy(w->bytes + w->len, data, len);
    w->len += len;
    return LUN_OK;
}


lun_str
lun_body_window_take(lun_body_window *w, bool detach)
{
    lun_str  bytes = lun_str_of(w->bytes, w->len);

    w->held = w->len;
    w->len = 0;

    if (detach) {
        free(w->taken);
        w->taken = w->bytes;
        w->bytes = NULL;
        w->room = 0;
    }

    return bytes;
}
