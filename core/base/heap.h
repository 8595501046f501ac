/*
 * heap.h -- an intrusive 4-ary min-heap, keyed by 64-bit numbers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HEAP_H
#define LUN_HEAP_H

#include "base/base.h"

typedef struct {
    uint64_t   key;
    size_t     at;                 /* 0: in no heap; else index + 1 */
} lun_heap_node;

/* Zeroed, it is empty. */
typedef struct {
    lun_heap_node  **nodes;
    size_t           count;
    size_t           room;
} lun_heap;

/* Takes all out, and leaves it zeroed. */
void lun_heap_fini(lun_heap *h);

/* node->key is set by the caller, and fixed while it is in. */
void lun_heap_insert(lun_heap *h, lun_heap_node *node);
void lun_heap_remove(lun_heap *h, lun_heap_node *node);

/* node->key has been changed by the caller: restore the order. */
void lun_heap_update(lun_heap *h, lun_heap_node *node);

static inline lun_heap_node *
lun_heap_min(const lun_heap *h)
{
    return h->count ? h->nodes[0] : NULL;
}

#endif
