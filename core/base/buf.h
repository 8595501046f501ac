/*
 * buf.h -- slices of memory or file, linked into chains: the unit of output.
 *
 * A buf is in one chain at a time (the link is in it).  It describes bytes;
 * who owns the bytes is said by `owner`-less convention: they live at least as
 * long as the request pool the buf came from, unless `temporary` says that
 * they may be changed in place.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_BUF_H
#define LUN_BUF_H

#include "base/pool.h"

typedef struct lun_buf  lun_buf;
struct lun_buf {
    lun_buf    *next;

    char       *pos;               /* unread bytes: pos .. last */
    char       *last;
    char       *start;             /* room: start .. end */
    char       *end;

    intptr_t    file;              /* handle, when in_file */
    int64_t     file_pos;
    int64_t     file_last;

    void       *tag;               /* whose buf: for reuse */

    unsigned    in_file:1;         /* bytes are file_pos .. file_last */
    unsigned    temporary:1;       /* bytes may be changed in place */
    unsigned    flush:1;           /* send what there is up to here */
    unsigned    eof:1;             /* the last of the whole response */
    unsigned    eof_part:1;        /* the last of a subrequest's response */
    unsigned    recycled:1;        /* its maker waits for it to be used up */
};

typedef struct {
    lun_buf    *head;
    lun_buf   **tail;              /* where the next link goes */
} lun_chain;

static inline void
lun_chain_init(lun_chain *c)
{
    c->head = NULL;
    c->tail = &c->head;
}

static inline void
lun_chain_push(lun_chain *c, lun_buf *b)
{
    b->next = NULL;
    *c->tail = b;
    c->tail = &b->next;
}


/* Takes the first off; NULL when empty. */
lun_buf *lun_chain_shift(lun_chain *c);

/* Bytes that the buf still stands for. */
static inline int64_t
lun_buf_size(const lun_buf *b)
{
    return b->in_file ? b->file_last - b->file_pos : b->last - b->pos;
}

/* Nothing but flags. */
static inline bool
lun_buf_special(const lun_buf *b)
{
    return lun_buf_size(b) == 0 && (b->flush || b->eof || b->eof_part);
}

/* Sum over a list. */
int64_t lun_buf_total(const lun_buf *b);

/* Zeroed, then: empty with room; over given bytes; over a file's part. */
lun_buf *lun_buf_new(lun_pool *pool);
lun_buf *lun_buf_new_room(lun_pool *pool, size_t room);
lun_buf *lun_buf_new_str(lun_pool *pool, lun_str s);
lun_buf *lun_buf_new_file(lun_pool *pool, intptr_t file, int64_t pos,
    int64_t last);

#endif
