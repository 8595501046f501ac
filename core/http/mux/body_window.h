/*
 * body_window.h -- bytes of a request's body that have come and that nobody
 * has taken: as many as the client was given a window for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_BODY_WINDOW_H
#define LUN_HTTP_BODY_WINDOW_H

#include "base/str.h"

/* All zero: none. */
typedef struct {
    char     *bytes;                   /* malloc'ed */
    size_t    len;
    size_t    room;
    size_t    held;                    /* bytes of the last take */
    char     *taken;                   /* where a sink's are */
    int64_t   came;                    /* in all */
} lun_body_window;

void lun_body_window_fini(lun_body_window *w);

/* More of them.  ERROR: there is no memory for them. */
lun_rc lun_body_window_add(lun_body_window *w, const char *data, size_t len);

/*
 * All of them, valid until the next take or add; `detach`: until the next
 * take, for whoever looks at them while more comes.
 */
lun_str lun_body_window_take(lun_body_window *w, bool detach);

#endif
