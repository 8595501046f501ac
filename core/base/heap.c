/*
 * heap.c -- a 4-ary min-heap: half the height of a binary one, and the four
 * children of a node lie in one or two cache lines.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/heap.h"

#include "base/check.h"
#include "base/pool.h"


enum { WAYS = 4, FIRST_ROOM = 64 };


void
lun_heap_fini(lun_heap *h)
{
    size_t  i;

    for (i = 0; i < h->count; i++) {
        h->nodes[i]->at = 0;
    }

    lun_free(h->nodes);
    *h = (lun_heap) { 0 };
}


static void
place(lun_heap *h, size_t i, lun_heap_node *node)
{
    h->nodes[i] = node;
    node->at = i + 1;
}


static void
sift_up(lun_heap *h, size_t i, lun_heap_node *node)
{
    size_t  parent;

    while (i > 0) {
        parent = (i - 1) / WAYS;

        if (h->nodes[parent]->key <= node->key) {
            break;
        }

        place(h, i, h->nodes[parent]);
        i = parent;
    }

    place(h, i, node);
}


/*
 * The hole wanders down instead of swapping at each level: the node is written
 * once, where it belongs.
 */
static void
sift_down(lun_heap *h, size_t i, lun_heap_node *node)
{
    size_t  child, end, least;

    for ( ;; ) {
        child = i * WAYS + 1;

        if (child >= h->count) {
            break;
        }

        end = lun_min(child + WAYS, h->count);

        for (least = child++; child < end; child++) {
            if (h->nodes[child]->key < h->nodes[least]->key) {
                least = child;
            }
        }

        if (node->key <= h->nodes[least]->key) {
            break;
        }

        place(h, i, h->nodes[least]);
        i = least;
    }

    place(h, i, node);
}


static void
sift(lun_heap *h, size_t i, lun_heap_node *node)
{
    if (i > 0 && node->key < h->nodes[(i - 1) / WAYS]->key) {
        sift_up(h, i, node);

    } else {
        sift_down(h, i, node);
    }
}


void
lun_heap_insert(lun_heap *h, lun_heap_node *node)
{
    LUN_CHECK(node->at == 0);

    if (h->count == h->room) {
        h->room = lun_max(h->room * 2, (size_t) FIRST_ROOM);
        h->nodes = lun_realloc(h->nodes, h->room * sizeof(lun_heap_node *));
    }

    sift_up(h, h->count++, node);
}


static size_t
index_of(const lun_heap *h, const lun_heap_node *node)
{
    LUN_CHECK(node->at != 0 && node->at <= h->count
              && h->nodes[node->at - 1] == node);

    return node->at - 1;
}


void
lun_heap_remove(lun_heap *h, lun_heap_node *node)
{
    size_t          i;
    lun_heap_node  *last;

    i = index_of(h, node);
    last = h->nodes[--h->count];
    node->at = 0;

    if (last != node) {
        sift(h, i, last);
    }
}


void
lun_heap_update(lun_heap *h, lun_heap_node *node)
{
    sift(h, index_of(h, node), node);
}
