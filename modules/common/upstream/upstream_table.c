/*
 * upstream_table.c -- what all workers know of upstreams, in a zone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_table.h"

#include "os/lock.h"
#include "session/upstream/upstream_health.h"


/* A quarter of the zone is for names, a third of the rest for holds. */
enum { NAMES_PART = 4, HOLDS_PART = 3 };


/* --- the zone ------------------------------------------------------------ */

static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    size_t               names, holds;
    size_t               room = zone->size - sizeof(lun_upstream_table);
    lun_upstream_table  *t = zone->shm.addr;

    names = room / NAMES_PART / sizeof(lun_upstream_name);
    room -= names * sizeof(lun_upstream_name);
    holds = room / HOLDS_PART / sizeof(lun_upstream_hold);
    room -= holds * sizeof(lun_upstream_hold);

    t->room = room / sizeof(lun_upstream_slot);
    t->name_room = names;
    t->names = (lun_upstream_name *) (void *) &t->slots[t->room];
    t->holds.room = holds;
    t->holds.rows = (lun_upstream_hold *) (void *) &t->names[names];

    return LUN_OK;
}


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_upstream_table  *t = zone->shm.addr;

    (void) lun_lock_seize(&t->lock, pid);
    (void) lun_lock_take(&t->lock);
    lun_upstream_holds_return(&t->holds, pid);
    lun_lock_free(&t->lock);
}


static void
tell_room(const lun_zone *zone, uint64_t *used, uint64_t *all)
{
    uint64_t             i, n = 0;
    lun_upstream_table  *t = zone->shm.addr;

    (void) lun_lock_take(&t->lock);

    for (i = 0; i < t->room; i++) {
        n += t->slots[i].key != 0;
    }

    lun_lock_free(&t->lock);
    *all = t->room * sizeof(lun_upstream_slot);
    *used = n * sizeof(lun_upstream_slot);
}


const lun_zone_kind  lun_upstream_zone_kind = {
    .name = "upstream",
    .min_size = LUN_UPSTREAM_ZONE,
    .init = init_zone,
    .mend = mend_zone,
    .room = tell_room,
};


/* Its workers may still be there for the generation before this one. */
static bool
is_stale(uint64_t stamp, uint64_t generation)
{
    return stamp + 1 < generation;
}


/* --- states -------------------------------------------------------------- */

static bool
is_spare(const lun_upstream_slot *s, uint64_t generation)
{
    return s->key == 0 || is_stale(s->stamp, generation)
           || (s->lost && s->state.conns == 0);
}


/*
 * The slot of that key; one that is free, or that nobody claims any more, is
 * made its own.  *again: this generation has claimed it before.  NULL: there is
 * no room.
 */
static lun_upstream_slot *
claim(lun_upstream_table *t, uint64_t key, uint64_t generation, bool *again)
{
    uint64_t            i;
    lun_upstream_slot  *s, *spare = NULL;

    for (i = 0; i < t->room; i++) {
        s = &t->slots[(key + i) % t->room];

        if (s->key == key) {
            *again = s->stamp >= generation;
            s->stamp = lun_max(s->stamp, generation);
            s->lost = 0;
            return s;
        }

        if (spare == NULL && is_spare(s, generation)) {
            spare = s;
        }

        if (s->key == 0) {
            break;
        }
    }

    if (spare != NULL) {
        lun_upstream_holds_forget(&t->holds, &spare->state);
        memset(&spare->state, 0, sizeof(lun_upstream_state));
        spare->state.effective = -1;
        spare->lost = 0;
        spare->stamp = generation;
        spare->key = key;
        *again = false;
    }

    return spare;
}


/* A server that is there twice has two states. */
static uint64_t
key_of(lun_pool *pool, lun_hash *seen, lun_str owner,
    const lun_upstream_server *peer)
{
    lun_str    text;
    uint64_t   hash;
    uintptr_t  n;

    text = lun_pool_fmt(pool, "%.*s %.*s %.*s", LUN_S(owner),
                        LUN_S(peer->server->name), LUN_S(peer->name));
    n = (uintptr_t) lun_hash_get(seen, text) + 1;
    lun_hash_set(seen, text, (void *) n);

    hash = lun_str_hash(text) + n - 1;
    return hash != 0 ? hash : 1;
}


/*
 * A server that was there before keeps its state over the reload: fails,
 * weights, health.  One that finds no room has a state of this worker's own.
 */
static bool
claim_group(lun_upstream_table *t, lun_pool *temp, lun_hash *seen,
    lun_str owner, lun_upstream_group *g, uint64_t generation)
{
    bool                ok = true, again = false;
    size_t              i;
    lun_upstream_slot  *s;

    for (i = 0; i < g->count; i++) {
        s = claim(t, key_of(temp, seen, owner, &g->peers[i]), generation,
                  &again);

        if (s == NULL) {
            ok = false;
            continue;
        }

        if (!again) {
            lun_upstream_begin_checks(g, &s->state, s->state.effective < 0);
        }

        if (s->state.effective < 0) {
            s->state.effective = g->peers[i].weight;
        }

        g->peers[i].state = &s->state;
    }

    g->lock = &t->lock;
    g->holds = &t->holds;
    return ok;
}


bool
lun_upstream_table_claim(lun_upstream_table *t, lun_str owner,
    lun_upstream_group *groups, uint64_t generation)
{
    bool                 ok = true;
    lun_hash             seen;
    lun_pool            *temp = lun_pool_new_sized(4096);
    lun_upstream_group  *g;

    lun_hash_init(&seen, temp, 0, false);

    for (g = groups; g != NULL; g = g->next) {
        ok &= claim_group(t, temp, &seen, owner, g, generation);
    }

    lun_pool_free(temp);
    return ok;
}


static bool
has_state(const lun_upstream_group *g, const lun_upstream_state *state)
{
    size_t  i;

    for ( ; g != NULL; g = g->next) {
        for (i = 0; i < g->count; i++) {
            if (g->peers[i].state == state) {
                return true;
            }
        }
    }

    return false;
}


void
lun_upstream_table_release(lun_upstream_group *before,
    lun_upstream_group *now)
{
    size_t               i;
    lun_upstream_state  *state;

    for ( ; before != NULL; before = before->next) {
        for (i = 0; i < before->count; i++) {
            state = before->peers[i].state;

            /* One that found no room is none of the zone's. */
            if (state != before->peers[i].own && !has_state(now, state)) {
                lun_container_of(state, lun_upstream_slot, state)->lost = 1;
            }
        }
    }
}


/* --- names --------------------------------------------------------------- */

/* The place of a name that no generation has asked for lately is used again. */
lun_upstream_name *
lun_upstream_table_name(lun_upstream_table *t, uint64_t key,
    uint64_t generation)
{
    uint64_t            i;
    lun_upstream_name  *name, *spare = NULL;

    for (i = 0; i < t->name_room; i++) {
        name = &t->names[i];

        if (name->key == key) {
            name->stamp = lun_max(name->stamp, generation);
            return name;
        }

        if (spare == NULL
            && (name->key == 0 || is_stale(name->stamp, generation)))
        {
            spare = name;
        }
    }

    if (spare != NULL) {
        spare->count = 0;
        spare->version++;
        spare->stamp = generation;
        spare->key = key;
    }

    return spare;
}


/* Where it is in the list, unless that one is taken; n: nowhere. */
static size_t
find_untaken(const lun_upstream_found *list, size_t n, const bool *taken,
    const lun_upstream_found *a)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (!taken[i] && memcmp(&list[i], a, sizeof(*a)) == 0) {
            return i;
        }
    }

    return n;
}


bool
lun_upstream_table_write(lun_upstream_name *name,
    const lun_upstream_found *list, size_t n)
{
    bool                taken[LUN_UPSTREAM_ADDRS] = { false };
    size_t              i, k, count = 0;
    lun_upstream_found  next[LUN_UPSTREAM_ADDRS];

    for (i = 0; i < name->count; i++) {
        k = find_untaken(list, n, taken, &name->addrs[i]);

        if (k != n) {
            taken[k] = true;
            next[count++] = name->addrs[i];
        }
    }

    if (count == n && name->count == n) {
        return false;
    }

    for (i = 0; i < n; i++) {
        if (!taken[i]) {
            next[count++] = list[i];
        }
    }

    /* Whoever is killed here leaves none, not half of one. */
    name->count = 0;
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(name->addrs, next, count * sizeof(lun_upstream_found));
    atomic_signal_fence(memory_order_seq_cst);
    name->count = count;
    name->version++;

    return true;
}
