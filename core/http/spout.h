/*
 * spout.h -- what a body filter says in words of its own.
 *
 * A filter that changes bytes writes them here, in bufs that are filled again
 * when they have been sent: an answer of any length needs a few of them, as
 * long as the client keeps up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_SPOUT_H
#define LUN_HTTP_SPOUT_H

#include "http/request.h"

typedef struct {
    lun_request  *r;
    size_t        size;            /* of a buf */
    lun_array     bufs;            /* of lun_buf *: all that were made */
    lun_buf      *buf;             /* the one that is being filled, or NULL */
    lun_chain     out;
} lun_spout;

void lun_spout_init(lun_spout *s, lun_request *r, size_t size);

void lun_spout_put(lun_spout *s, const char *data, size_t len);

/* Room to write to: at least a byte of it, and that so much was written. */
char *lun_spout_room(lun_spout *s, size_t *size);
void lun_spout_wrote(lun_spout *s, size_t len);

/* The buf b has been used up: its flags follow what was said. */
void lun_spout_close(lun_spout *s, lun_buf *b);

/*
 * For the next filter: all that was said so far, or only what fills a buf or
 * was closed; NULL: nothing.
 */
lun_buf *lun_spout_take(lun_spout *s);
lun_buf *lun_spout_take_full(lun_spout *s);

/*
 * What a buf holds, from its file in pieces: *text is the first or (again)
 * the next one, and gone from the buf.  Empty: there is no more.  ERROR:
 * logged.  *piece is NULL before the first of the request.
 */
lun_rc lun_spout_read(lun_request *r, lun_buf *b, char **piece, lun_str *text);

#endif
