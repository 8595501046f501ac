/*
 * store_pending.c -- what has been added here to counters, and the log does not
 * say yet.
 *
 * The number of a counter is what the log makes of it, and what this machine
 * has added since: so all machines have the same when they have read the same.
 * Where a number comes as a whole, after a gap, this is added to it; where one
 * is told as a whole, it is left out, since it will be told by itself.
 *
 * The sums are kept by a hash of key and stamp, and brought up to date from the
 * feed whenever one is asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_sync_priv.h"

#include "base/pool.h"


typedef struct {
    uint64_t  hash;                /* 0: it is free */
    double    sum;
} slot;

enum { LEAST = 64 };


static uint64_t
hash_of(const lun_shdict_change *c)
{
    uint64_t  hash = lun_str_hash(c->key) ^ (c->stamp
                                             * UINT64_C(0x9e3779b97f4a7c15));

    return hash != 0 ? hash : 1;
}


/* Its slot, or the free one where it would be. */
static slot *
find_slot(const lun_pending *t, uint64_t hash)
{
    size_t  i = (size_t) hash & (t->size - 1);
    slot   *slots = t->slots;

    while (slots[i].hash != 0 && slots[i].hash != hash) {
        i = (i + 1) & (t->size - 1);
    }

    return &slots[i];
}


static void
grow(lun_pending *t)
{
    size_t        i;
    lun_pending   before = *t;
    const slot   *old = before.slots;

    t->size = lun_max(2 * before.size, (size_t) LEAST);
    t->slots = lun_calloc(t->size * sizeof(slot));

    for (i = 0; i < before.size; i++) {
        if (old[i].hash != 0) {
            *find_slot(t, old[i].hash) = old[i];
        }
    }

    lun_free(before.slots);
}


static void
add_one(void *data, const lun_shdict_change *c)
{
    slot         *s;
    uint64_t      hash;
    lun_pending  *t = data;

    if (c->op != LUN_CHANGE_ADD) {
        return;
    }

    if (2 * (t->used + 1) > t->size) {
        grow(t);
    }

    hash = hash_of(c);
    s = find_slot(t, hash);
    t->used += s->hash == 0;
    s->hash = hash;
    s->sum += c->delta;
}


double
lun_speaker_pending(lun_speaker_part *p, uint64_t from,
    const lun_shdict_change *c)
{
    lun_pending  *t = &p->pending;

    if (t->from != from || t->to < from) {
        lun_speaker_pending_free(p);
        t->from = t->to = from;
    }

    lun_shdict_feed_read(p->d, &t->to, SIZE_MAX, add_one, t);
    return t->used != 0 ? find_slot(t, hash_of(c))->sum : 0;
}


void
lun_speaker_pending_free(lun_speaker_part *p)
{
    lun_free(p->pending.slots);
    p->pending = (lun_pending) { .size = 0 };
}
