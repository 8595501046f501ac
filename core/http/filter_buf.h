/*
 * filter_buf.h -- what a body filter says in words of its own.
 *
 * A filter that changes bytes writes them here, in bufs that are filled again
 * when they have been sent: an answer of any length needs a few of them, as
 * long as the client keeps up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_FILTER_BUF_H
#define LUN_HTTP_FILTER_BUF_H

#include "http/request.h"

typedef struct lun_filter_room  lun_filter_room;

typedef struct {
    lun_request       *r;
    size_t             size;       /* of a buf */
    lun_filter_room   *first;      /* all that were made: the next one to be */
    lun_filter_room  **last;       /* sent is the first */
    lun_buf           *buf;        /* the one that is being filled, or NULL */
    lun_chain          out;
} lun_filter_buf;

void lun_filter_buf_init(lun_filter_buf *s, lun_request *r, size_t size);

void lun_filter_buf_put(lun_filter_buf *s, const char *data, size_t len);

/* Room to write to: at least a byte of it, and that so much was written. */
char *lun_filter_buf_room(lun_filter_buf *s, size_t *size);
void lun_filter_buf_wrote(lun_filter_buf *s, size_t len);

/* The buf b has been used up: its flags follow what was said. */
void lun_filter_buf_close(lun_filter_buf *s, lun_buf *b);

/*
 * For the next filter: all that was said so far, or only what fills a buf or
 * was closed; NULL: nothing.
 */
lun_buf *lun_filter_buf_take(lun_filter_buf *s);
lun_buf *lun_filter_buf_take_full(lun_filter_buf *s);

/*
 * What a buf holds, from its file in pieces: *text is the first or (again)
 * the next one, and gone from the buf.  Empty: there is no more.  ERROR:
 * logged.  *piece is NULL before the first of the request.
 */
lun_rc lun_filter_buf_read(lun_request *r, lun_buf *b, char **piece,
    lun_str *text);

#endif
