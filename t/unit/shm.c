/*
 * shm.c -- segments: zeroed, apart, reused.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/shm.h"

#include "panic_help.h"
#include "tap.h"


enum { SEGMENTS = 8, GAP = 65536 };


static bool
is_zero(const lun_shm *shm)
{
    size_t                i;
    const unsigned char  *p = shm->addr;

    for (i = 0; i < shm->size; i++) {
        if (p[i]) {
            return false;
        }
    }

    return true;
}


static uintptr_t
start_of(const lun_shm *shm)
{
    return (uintptr_t) shm->addr;
}


static bool
apart(const lun_shm *a, const lun_shm *b)
{
    return start_of(a) + a->size + GAP <= start_of(b)
           || start_of(b) + b->size + GAP <= start_of(a);
}


int
main(void)
{
    int        i, j, close = 0;
    void      *was;
    size_t     page = lun_shm_page();
    lun_shm    shm[SEGMENTS], big;

    ok(page >= 4096 && (page & (page - 1)) == 0, "a page");
    is_int(lun_shm_init(), 0, "the range");

    for (i = 0; i < SEGMENTS; i++) {
        is_int(lun_shm_new((size_t) i * 50000 + 1, &shm[i]), 0,
               "segment %d", i);
        ok(shm[i].size > (size_t) i * 50000 && shm[i].size % page == 0,
           "of whole pages");
        ok(is_zero(&shm[i]), "zeroed");
        ok(start_of(&shm[i]) % GAP == 0, "at a round address");
        memset(shm[i].addr, 0xff, shm[i].size);
    }

    for (i = 0; i < SEGMENTS; i++) {
        for (j = 0; j < i; j++) {
            close += !apart(&shm[i], &shm[j]);
        }
    }

    is_int(close, 0, "there is a gap between any two");

    was = shm[3].addr;
    lun_shm_free(&shm[3]);
    ok(shm[3].addr == NULL, "a freed one is forgotten");
    lun_shm_free(&shm[3]);

    is_int(lun_shm_new(100000, &shm[3]), 0, "a new one of that size");
    ok(is_zero(&shm[3]), "is zeroed again");

    for (close = 0, i = 0; i < SEGMENTS; i++) {
        close += i != 3 && !apart(&shm[i], &shm[3]);
    }

    is_int(close, 0, "and apart from the others");
    ok(shm[3].addr == was, "in the old place");

    is_int(lun_shm_new((size_t) 1 << 30, &big), 0, "a large one");
    ((char *) big.addr)[big.size - 1] = 1;
    lun_shm_free(&big);

    ok(lun_shm_new((size_t) 1 << 40, &big) != 0, "one that is too large");

    for (i = 0; i < SEGMENTS; i++) {
        lun_shm_free(&shm[i]);
    }

    big = (lun_shm) { .addr = was, .size = page };
    ok(panics(lun_shm_free(&big)), "what has gone can't go again");

    is_int(lun_shm_new(1, &shm[0]), 0, "when all are free");
    lun_shm_free(&shm[0]);

    return done_testing();
}
