/*
 * h3_queue.c -- see h3_queue.h.
 *
 * Pages have two sizes: one for a header with a small body, and one for bodies.
 * Some of each are kept for the next who needs one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_queue.h"

#include "base/check.h"
#include "base/pool.h"


enum {
    SMALL  = 2048,                 /* with its head */
    LARGE  = 16384 + 512,
    SPARES = 64                    /* of each size */
};

struct lun_h3_page {
    lun_h3_page  *next;
    size_t        room;
    size_t        len;
    char          bytes[];
};

enum {
    SMALL_ROOM = SMALL - sizeof(lun_h3_page),
    LARGE_ROOM = LARGE - sizeof(lun_h3_page)
};

typedef struct {
    lun_h3_page  *first;
    unsigned      count;
} spare_list;

static spare_list  small_spares, large_spares;


/* --- pages --------------------------------------------------------------- */

static spare_list *
spares_of(size_t room)
{
    return room == SMALL_ROOM ? &small_spares
           : room == LARGE_ROOM ? &large_spares : NULL;
}


static lun_h3_page *
new_page(size_t size)
{
    size_t        room = size <= SMALL_ROOM ? (size_t) SMALL_ROOM
                         : lun_max(size, (size_t) LARGE_ROOM);
    lun_h3_page  *page;
    spare_list   *spares = spares_of(room);

    if (spares != NULL && spares->first != NULL) {
        page = spares->first;
        spares->first = page->next;
        spares->count--;

    } else {
        page = lun_malloc(sizeof(*page) + room);
        page->room = room;
    }

    page->next = NULL;
    page->len = 0;
    return page;
}


static void
free_page(lun_h3_page *page)
{
    spare_list  *spares = spares_of(page->room);

    if (spares != NULL && spares->count < SPARES) {
        page->next = spares->first;
        spares->first = page;
        spares->count++;

    } else {
        lun_free(page);
    }
}


/* --- what is added ------------------------------------------------------- */

size_t
lun_h3_queue_left(const lun_h3_queue *q)
{
    return q->last != NULL ? q->last->room - q->last->len : 0;
}


/*
 * Bytes that are being sent never move: a full page is followed by another, and
 * stays until all of it was acknowledged.
 */
char *
lun_h3_queue_room(lun_h3_queue *q, size_t size)
{
    lun_h3_page  *page = q->last;

    if (lun_h3_queue_left(q) < size) {
        page = new_page(size);

        if (q->last != NULL) {
            q->last->next = page;

        } else {
            q->first = page;
            q->first_at = 0;
        }

        q->last = page;

        if (q->next == NULL || q->next_at == q->next->len) {
            q->next = page;
            q->next_at = 0;
        }
    }

    return page->bytes + page->len;
}


void
lun_h3_queue_add(lun_h3_queue *q, size_t size)
{
    LUN_CHECK(size <= lun_h3_queue_left(q));

    q->last->len += size;
    q->unsent += size;
}


/* --- what goes ----------------------------------------------------------- */

size_t
lun_h3_queue_slices(const lun_h3_queue *q, lun_slice *slices, size_t most)
{
    size_t        n = 0, at = q->next_at;
    lun_h3_page  *page;

    for (page = q->next; page != NULL && n < most; page = page->next) {
        if (page->len > at) {
            slices[n].data = page->bytes + at;
            slices[n].len = page->len - at;
            n++;
        }

        at = 0;
    }

    return n;
}


void
lun_h3_queue_sent(lun_h3_queue *q, size_t size)
{
    size_t  n;

    LUN_CHECK(size <= q->unsent);

    q->unsent -= size;
    q->unacked += size;

    while (size != 0) {
        n = lun_min(size, q->next->len - q->next_at);
        q->next_at += n;
        size -= n;

        if (q->next_at == q->next->len && q->next->next != NULL) {
            q->next = q->next->next;
            q->next_at = 0;
        }
    }
}


/* The last page stays: more may follow in it. */
void
lun_h3_queue_acked(lun_h3_queue *q, size_t size)
{
    size_t        n;
    lun_h3_page  *page;

    LUN_CHECK(size <= q->unacked);

    q->unacked -= size;

    while (size != 0) {
        page = q->first;
        n = lun_min(size, page->len - q->first_at);
        q->first_at += n;
        size -= n;

        if (q->first_at == page->len && page != q->last) {
            LUN_CHECK(q->next != page);
            q->first = page->next;
            q->first_at = 0;
            free_page(page);
        }
    }

    if (q->unacked == 0 && q->unsent == 0) {
        lun_h3_queue_fini(q);
    }
}


void
lun_h3_queue_fini(lun_h3_queue *q)
{
    lun_h3_page  *page, *next;

    for (page = q->first; page != NULL; page = next) {
        next = page->next;
        free_page(page);
    }

    *q = (lun_h3_queue) { .first = NULL };
}
