/*
 * buffers.c -- buffers that go from one connection to the next.
 *
 * Kept in a list per size, as long as the list has no more than KEEP bytes.
 * Only powers of two are kept: others are what an odd setting asks for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/buffers.h"

#include "base/check.h"
#include "base/pool.h"


enum {
    MIN_CLASS = 12,                /* 4 KB */
    CLASSES   = 5,                 /* up to 64 KB */
    KEEP      = 1024 * 1024        /* bytes of a class */
};

typedef struct spare  spare;
struct spare {
    spare  *next;
};

struct lun_buffers {
    lun_loop_part  part;
    struct {
        spare     *head;
        size_t     count;
    } classes[CLASSES];
};


/* CLASSES: none. */
static unsigned
class_of(size_t size)
{
    unsigned  class = 0;

    while (class < CLASSES && ((size_t) 1 << (MIN_CLASS + class)) != size) {
        class++;
    }

    return class;
}


static void
free_all(lun_loop *loop, lun_loop_part *part)
{
    spare                *s;
    unsigned              class;
    struct lun_buffers   *all = loop->buffers;

    for (class = 0; class < CLASSES; class++) {
        while ((s = all->classes[class].head) != NULL) {
            all->classes[class].head = s->next;
            lun_free(s);
        }
    }

    lun_free(all);
    loop->buffers = NULL;
}


static struct lun_buffers *
buffers_of(lun_loop *loop)
{
    struct lun_buffers  *all = loop->buffers;

    if (all == NULL) {
        all = loop->buffers = lun_calloc(sizeof(struct lun_buffers));
        all->part.end = free_all;
        lun_loop_add_part(loop, &all->part);
    }

    return all;
}


char *
lun_buffer_take(lun_loop *loop, size_t size)
{
    spare               *s;
    unsigned             class = class_of(size);
    struct lun_buffers  *all = loop->buffers;

    if (all == NULL || class == CLASSES || all->classes[class].head == NULL) {
        return lun_malloc(size);
    }

    s = all->classes[class].head;
    all->classes[class].head = s->next;
    all->classes[class].count--;
    return (char *) s;
}


void
lun_buffer_give(lun_loop *loop, char *buffer, size_t size)
{
    spare               *s = (spare *) (void *) buffer;
    unsigned             class = class_of(size);
    struct lun_buffers  *all = buffers_of(loop);

    LUN_CHECK(buffer != NULL);

#ifdef LUN_POOL_DEBUG
    class = CLASSES;               /* so that ASan sees a use after the end */
#endif

    if (class == CLASSES || (all->classes[class].count + 1) * size > KEEP) {
        lun_free(buffer);
        return;
    }

    s->next = all->classes[class].head;
    all->classes[class].head = s;
    all->classes[class].count++;
}
