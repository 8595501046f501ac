/*
 * h2_memory.c -- pieces that come back are given out again, of the right size.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h2/h2_memory.c"

#include "tap.h"


#define MEMORY  (&lun_h2_memory)


static void *
get(size_t size)
{
    return MEMORY->malloc(size, NULL);
}


static void
put(void *room)
{
    MEMORY->free(room, NULL);
}


/* Every byte of it may be written. */
static void
gives_sizes(void)
{
    char    *p;
    size_t   size, bad = 0;

    for (size = 0; size < 2 * CLASSES * STEP; size++) {
        p = get(size);
        bad += p == NULL || (uintptr_t) p % 16 != 0;
        memset(p, 0xff, size);
        put(p);

        p = MEMORY->calloc(1, size, NULL);
        bad += p == NULL || (size != 0 && (p[0] != 0 || p[size - 1] != 0));
        put(p);
    }

    is_int((int64_t) bad, 0, "all sizes, aligned, zeroed if so asked for");
    put(NULL);
    ok(MEMORY->calloc(SIZE_MAX / 2, 3, NULL) == NULL
       && get(SIZE_MAX) == NULL, "no more than there is");
}


static void
resizes(void)
{
    char    *p = MEMORY->realloc(NULL, 5, NULL);
    size_t   size, bad = 0;

    memcpy(p, "12345", 5);

    for (size = 6; size < 4 * CLASSES * STEP; size += 7) {
        p = MEMORY->realloc(p, size, NULL);
        p[size - 1] = 'x';
        bad += memcmp(p, "12345", 5) != 0;
    }

    is_int((int64_t) bad, 0, "what grows keeps its bytes");
    p = MEMORY->realloc(p, 5, NULL);
    ok(memcmp(p, "12345", 5) == 0, "and what shrinks");
    ok(MEMORY->realloc(p, SIZE_MAX, NULL) == NULL
       && memcmp(p, "12345", 5) == 0, "or cannot grow");
    put(p);
}


static void
keeps_some(void)
{
    size_t   i;
    void    *pieces[2 * SPARES];

    for (i = 0; i < 2 * SPARES; i++) {
        pieces[i] = get(100);
    }

    for (i = 0; i < 2 * SPARES; i++) {
        put(pieces[i]);
    }

    ok(spares[class_of(100)].count <= SPARES, "no more wait than may");
}


int
main(void)
{
    gives_sizes();
    resizes();
    keeps_some();
    return done_testing();
}
