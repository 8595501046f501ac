/*
 * h3_queue.h -- bytes of a stream, from when they are made until the client
 * has acknowledged them: QUIC sends from here, once or more often.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_QUEUE_H
#define LUN_HTTP_H3_QUEUE_H

#include "os/port.h"

typedef struct lun_h3_page  lun_h3_page;

/* All zero: empty. */
typedef struct {
    lun_h3_page  *first;
    lun_h3_page  *last;
    lun_h3_page  *next;            /* of which bytes are sent next ... */
    size_t        next_at;         /* ... and from where */
    size_t        first_at;        /* so much of the first is acknowledged */
    size_t        unsent;
    size_t        unacked;         /* sent, and not acknowledged */
} lun_h3_queue;

/*
 * Room for `size` bytes in one piece behind those that are there, valid until
 * the next call; so much of it was used.
 */
char *lun_h3_queue_room(lun_h3_queue *q, size_t size);
void lun_h3_queue_add(lun_h3_queue *q, size_t size);

/* What a piece of room that costs no new page may have. */
size_t lun_h3_queue_left(const lun_h3_queue *q);

/* The bytes to be sent next; says how many slices there are. */
size_t lun_h3_queue_slices(const lun_h3_queue *q, lun_slice *slices,
    size_t most);

/* So many of them were sent; so many of those were acknowledged. */
void lun_h3_queue_sent(lun_h3_queue *q, size_t size);
void lun_h3_queue_acked(lun_h3_queue *q, size_t size);

void lun_h3_queue_fini(lun_h3_queue *q);

#endif
