/*
 * heap.c -- order under random insertions, removals and changes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/heap.c"

#include "tap.h"


enum { NODES = 500 };

static uint64_t  seed = 1;


static uint64_t
any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return seed >> 33;
}


static int
broken(const lun_heap *h)
{
    size_t  i;
    int     bad = 0;

    for (i = 0; i < h->count; i++) {
        bad += h->nodes[i]->at != i + 1;
        bad += i > 0 && h->nodes[(i - 1) / WAYS]->key > h->nodes[i]->key;
    }

    return bad;
}


int
main(void)
{
    int              i, bad = 0;
    uint64_t         last = 0;
    lun_heap         h = { 0 };
    lun_heap_node   *n;
    static lun_heap_node  nodes[NODES];

    ok(lun_heap_min(&h) == NULL, "empty");

    for (i = 0; i < 20000; i++) {
        n = &nodes[any() % NODES];

        if (n->at == 0) {
            n->key = any() % 1000;
            lun_heap_insert(&h, n);

        } else if (any() % 2) {
            lun_heap_remove(&h, n);
            bad += n->at != 0;

        } else {
            n->key = any() % 1000;
            lun_heap_update(&h, n);
        }

        bad += i % 16 == 0 ? broken(&h) : 0;
    }
    is_int(bad, 0, "the order holds through 20000 changes");
    ok(h.count > 50, "and there is something in it");

    while ((n = lun_heap_min(&h)) != NULL) {
        bad += n->key < last;
        last = n->key;
        lun_heap_remove(&h, n);
    }
    is_int(bad, 0, "they leave in order");

    lun_heap_insert(&h, &nodes[0]);
    lun_heap_fini(&h);
    is_int(nodes[0].at, 0, "fini lets the nodes go");

    return done_testing();
}
