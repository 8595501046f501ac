/*
 * radix.c -- a binary tree over the bits of keys, a level for each.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/radix.h"


struct lun_radix_node {
    lun_radix_node  *next[2];
    const void      *value;
};


static unsigned
bit_of(const uint8_t *key, unsigned n)
{
    return key[n / 8] >> (7 - n % 8) & 1;
}


void
lun_radix_init(lun_radix *t, lun_pool *pool)
{
    t->pool = pool;
    t->root = lun_pool_new(pool, lun_radix_node);
}


const void **
lun_radix_slot(lun_radix *t, const uint8_t *key, unsigned bits)
{
    unsigned          n;
    lun_radix_node  **at, *node = t->root;

    for (n = 0; n < bits; n++) {
        at = &node->next[bit_of(key, n)];

        if (*at == NULL) {
            *at = lun_pool_new(t->pool, lun_radix_node);
        }

        node = *at;
    }

    return &node->value;
}


const void *
lun_radix_find(const lun_radix *t, const uint8_t *key, unsigned bits)
{
    unsigned               n = 0;
    const void            *value = NULL;
    const lun_radix_node  *node = t->root;

    while (node != NULL) {
        value = node->value != NULL ? node->value : value;
        node = n < bits ? node->next[bit_of(key, n)] : NULL;
        n++;
    }

    return value;
}
