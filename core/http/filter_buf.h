/*
 * filter_buf.h -- what a body filter says in words of its own.
 *
 * A filter that changes bytes writes them here, in bufs that are filled again
 * when they have been sent.  When so many of them wait to be sent as it may
 * have, what comes for it waits as well: its maker sees bufs that are not used
 * up and output that is blocked, as if they stood before the client itself.
 * When output has been taken, lun_http_pump() runs the filters once more.  So
 * an answer of any length needs as much memory as the filter was given.
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
    int64_t            most;       /* bufs that may wait to be sent */
    int64_t            busy;       /* that are not sent, or are being filled */
    lun_filter_room   *first;      /* those, in the order of filling */
    lun_filter_room  **last;
    lun_filter_room   *spares;     /* that have been sent */
    lun_buf           *buf;        /* the one that is being filled, or NULL */
    lun_chain          out;
    lun_chain          in;         /* what came and is not used up */
    char              *piece;      /* of a file */
    lun_str            read;       /* of that: what is not used up */
    bool               whole;      /* of the whole answer: behind postpone */
    bool               silent;     /* set by a filter that holds the header
                                      back, until it has gone out */
    bool               holds;      /* counted in the request */
} lun_filter_buf;

/*
 * Uses up text: all of it, or as much as has room (lun_filter_buf_is_full()),
 * and leaves the rest.  ERROR: logged, the answer is lost.
 */
typedef lun_rc lun_filter_take_fn(void *state, lun_str *text);

/*
 * All bytes of b were taken: what the filter has to say at b's flags, and then
 * lun_filter_buf_close(), whatever room there is.
 */
typedef lun_rc lun_filter_close_fn(void *state, lun_buf *b);

/* How a filter's body filter works: for lun_filter_buf_run(). */
typedef struct {
    lun_http_module      *module;
    size_t                step;    /* bytes taken at a time; 0: any number */
    bool                  full_only;   /* a buf goes on when it is full */
    lun_filter_take_fn   *take;
    lun_filter_close_fn  *close;
} lun_filter;

void lun_filter_buf_init(lun_filter_buf *s, lun_request *r, size_t size,
    int64_t most);

/*
 * What a body filter does with a list, or NULL (go on with what is held): all
 * that there is room for.  AGAIN: some of it waits until output is taken.
 */
lun_rc lun_filter_buf_run(lun_filter_buf *s, const lun_filter *f, void *state,
    lun_buf *in);

/* The same in parts, for a filter that is different: a list comes, ... */
void lun_filter_buf_add(lun_filter_buf *s, lun_buf *in);
/* ... and what was left of all that came is held. */
void lun_filter_buf_hold(lun_filter_buf *s);

/* So many bufs wait to be sent as may: take no more than what ends it. */
bool lun_filter_buf_is_full(lun_filter_buf *s);

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
 * What the first buf that came still holds, from its file in pieces: empty,
 * if there is no more.  ERROR: logged.  Then that n bytes of it were used.
 */
lun_rc lun_filter_buf_text(lun_filter_buf *s, lun_str *text);
void lun_filter_buf_used(lun_filter_buf *s, size_t n);

#endif
