/*
 * h2_memory.c -- what nghttp2 has allocated and freed.
 *
 * A request makes it allocate a dozen small pieces, which are back before the
 * next but one comes.  They wait here, by size, for whoever wants one: a fifth
 * of what malloc() and free() take.  A piece knows its class, as nobody tells
 * its size when it is freed.  All connections share them: a worker has one
 * thread.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"

#include <stdlib.h>


enum {
    STEP    = 32,                  /* bytes from one class to the next */
    CLASSES = 32,                  /* larger ones are malloc()'s: class 0 */
    SPARES  = 128                  /* of a class: two megabytes of all */
};

/* In front of a piece. */
typedef union piece  piece;
union piece {
    piece   *next;                 /* while it waits */
    size_t   class;                /* while it is used */
    char     align[16];
};

static struct {
    piece   *first;
    size_t   count;
} spares[CLASSES];


/* None waits in class 0. */
static inline size_t
class_of(size_t size)
{
#ifdef LUN_POOL_DEBUG
    return 0;                      /* ASan sees a use after the end */
#endif

    return size <= (CLASSES - 1) * STEP ? (size + STEP - 1) / STEP : 0;
}


static void *
take(size_t size, void *data)
{
    piece   *p;
    size_t   class = class_of(size);

    if (LUN_LIKELY(spares[class].first != NULL)) {
        p = spares[class].first;
        spares[class].first = p->next;
        spares[class].count--;
        p->class = class;
        return p + 1;
    }

    size = class != 0 ? class * STEP : size;
    p = size <= SIZE_MAX - sizeof(*p) ? malloc(sizeof(*p) + size) : NULL;

    if (p == NULL) {
        return NULL;
    }

    p->class = class;
    return p + 1;
}


static void
give(void *room, void *data)
{
    piece   *p;
    size_t   class;

    if (room == NULL) {
        return;
    }

    p = (piece *) room - 1;
    class = p->class;
    LUN_CHECK(class < CLASSES);

    if (LUN_LIKELY(class != 0 && spares[class].count < SPARES)) {
        p->next = spares[class].first;
        spares[class].first = p;
        spares[class].count++;
        return;
    }

    free(p);
}


static void *
take_zeroed(size_t n, size_t size, void *data)
{
    void  *room;

    if (size != 0 && n > SIZE_MAX / size) {
        return NULL;
    }

    room = take(n * size, data);
    return room != NULL ? memset(room, 0, n * size) : NULL;
}


static void *
resize(void *room, size_t size, void *data)
{
    void    *larger;
    piece   *p;

    if (room == NULL) {
        return take(size, data);
    }

    p = (piece *) room - 1;

    /* Of no class: malloc() knows how large it is. */
    if (p->class == 0) {
        p = size <= SIZE_MAX - sizeof(*p) ? realloc(p, sizeof(*p) + size)
                                          : NULL;
        return p != NULL ? p + 1 : NULL;
    }

    if (size <= p->class * STEP) {
        return room;
    }

    larger = take(size, data);

    if (larger != NULL) {
        memcpy(larger, room, p->class * STEP);
        give(room, data);
    }

    return larger;
}


nghttp2_mem  lun_h2_memory = {
    .malloc  = take,
    .free    = give,
    .calloc  = take_zeroed,
    .realloc = resize,
};
