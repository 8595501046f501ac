/*
 * buf.c -- making bufs, and moving them between chains.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/buf.h"


lun_buf *
lun_chain_shift(lun_chain *c)
{
    lun_buf  *b = c->head;

    if (b == NULL) {
        return NULL;
    }

    c->head = b->next;
    if (c->head == NULL) {
        c->tail = &c->head;
    }

    b->next = NULL;
    return b;
}


int64_t
lun_buf_total(const lun_buf *b)
{
    int64_t  total = 0;

    for ( /* void */ ; b != NULL; b = b->next) {
        total += lun_buf_size(b);
    }

    return total;
}


lun_buf *
lun_buf_new(lun_pool *pool)
{
    return lun_pool_new(pool, lun_buf);
}


lun_buf *
lun_buf_new_room(lun_pool *pool, size_t room)
{
    lun_buf  *b = lun_buf_new(pool);

    b->start = lun_pool_text(pool, room);
    b->end = b->start + room;
    b->pos = b->start;
    b->last = b->start;
    b->temporary = 1;

    return b;
}


lun_buf *
lun_buf_new_str(lun_pool *pool, lun_str s)
{
    lun_buf  *b = lun_buf_new(pool);

    /* The bytes are not ours to change: `temporary` stays off. */
    b->start = (char *) (uintptr_t) s.data;
    b->end = s.data != NULL ? b->start + s.len : NULL;
    b->pos = b->start;
    b->last = b->end;

    return b;
}


lun_buf *
lun_buf_new_file(lun_pool *pool, intptr_t file, int64_t pos, int64_t last)
{
    lun_buf  *b = lun_buf_new(pool);

    b->file = file;
    b->file_pos = pos;
    b->file_last = last;
    b->in_file = 1;

    return b;
}
