/*
 * upstream_zone.c -- zone name size: all workers know the same of a server:
 * its failures, the requests that it has in hand, and whose turn it is.
 *
 * A zone is a table of server states with one lock, which is held while a
 * server is chosen or given back.  A server finds its state by its name and
 * its upstream's, so that a reload changes nothing for those that stay.  A
 * state that no configuration has claimed for a while is another's to take.
 *
 * Whoever is killed under the lock leaves numbers behind that are each right
 * or one off: whoever finds its word takes it, and goes on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "session/upstream/round_robin.h"
#include "os/lock.h"


enum { MIN_SIZE = 32 * 1024 };

typedef struct {
    uint64_t            key;       /* 0: nobody's */
    uint64_t            stamp;     /* the last generation that claimed it */
    lun_upstream_state  state;
} slot;

typedef struct {
    lun_lock  lock;
    uint64_t  room;                /* slots */
    slot      slots[];             /* by key, open addressing */
} table;

typedef struct {
    lun_upstream  *upstream;
    lun_zone      *zone;
} sharing;

typedef struct {
    lun_array  all;                /* of sharing */
} sharings;

extern lun_module  lun_common_upstream_zone;


/* --- the zone --- */

static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    table  *t = zone->shm.addr;

    (void) log;

    t->room = (zone->size - sizeof(table)) / sizeof(slot);
    return LUN_OK;
}


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    table  *t = zone->shm.addr;

    (void) log;
    (void) lun_lock_seize(&t->lock, pid);
}


static const lun_zone_kind  kind = {
    .name = "upstream",
    .min_size = MIN_SIZE,
    .init = init_zone,
    .mend = mend_zone,
};


/* Its workers may still be there for the generation before this one. */
static bool
is_stale(const slot *s, uint64_t generation)
{
    return s->stamp + 1 < generation;
}


/*
 * The slot of that key; one that is free, or that nobody claims any more, is
 * made its own.  NULL: there is no room.
 */
static slot *
claim(table *t, uint64_t key, uint64_t generation)
{
    slot      *s, *spare = NULL;
    uint64_t   i;

    for (i = 0; i < t->room; i++) {
        s = &t->slots[(key + i) % t->room];

        if (s->key == key) {
            s->stamp = generation;
            return s;
        }

        if (spare == NULL && (s->key == 0 || is_stale(s, generation))) {
            spare = s;
        }

        if (s->key == 0) {
            break;
        }
    }

    if (spare != NULL) {
        memset(&spare->state, 0, sizeof(lun_upstream_state));
        spare->state.effective = -1;
        spare->stamp = generation;
        spare->key = key;
    }

    return spare;
}


/* --- its users --- */

/* A server that is there twice has two states. */
static uint64_t
key_of(lun_pool *pool, lun_hash *seen, const lun_upstream *u,
    const lun_upstream_server *peer)
{
    lun_str    text;
    uint64_t   hash;
    uintptr_t  n;

    text = lun_pool_fmt(pool, "%.*s %.*s %.*s", LUN_S(u->name),
                        LUN_S(peer->server->name), LUN_S(peer->name));
    n = (uintptr_t) lun_hash_get(seen, text) + 1;
    lun_hash_set(seen, text, (void *) n);

    hash = lun_str_hash(text) + n - 1;
    return hash != 0 ? hash : 1;
}


static bool
share_group(lun_pool *temp, table *t, lun_hash *seen, const sharing *sh,
    lun_upstream_group *g, uint64_t generation)
{
    size_t  i;
    slot   *s;

    for (i = 0; i < g->count; i++) {
        s = claim(t, key_of(temp, seen, sh->upstream, &g->peers[i]),
                  generation);

        if (s == NULL) {
            return false;
        }

        if (s->state.effective < 0) {
            s->state.effective = g->peers[i].weight;
        }

        g->peers[i].state = &s->state;
    }

    g->lock = &t->lock;
    return true;
}


static bool
share(const sharing *sh, uint64_t generation)
{
    bool                 ok = true;
    table               *t = sh->zone->shm.addr;
    lun_hash             seen;
    lun_pool            *temp = lun_pool_new_sized(4096);
    lun_upstream_group  *g;

    lun_hash_init(&seen, temp, 0, false);
    (void) lun_lock_take(&t->lock);

    for (g = sh->upstream->peers; ok && g != NULL; g = g->next) {
        ok = share_group(temp, t, &seen, sh, g, generation);
    }

    lun_lock_free(&t->lock);
    lun_pool_free(temp);

    return ok;
}


/* In the master; its workers find the same states. */
static lun_rc
on_init(lun_generation *gen, void *data)
{
    size_t          i;
    sharings       *s = data;
    const sharing  *sh;

    for (i = 0; i < s->all.count && !gen->testing; i++) {
        sh = lun_array_at(&s->all, i);

        if (!share(sh, gen->number)) {
            lun_log(LUN_LOG_EMERG, lun_log_default(), 0, "no room for the "
                    "servers of upstream \"%.*s\" in zone \"%.*s\"",
                    LUN_S(sh->upstream->name), LUN_S(sh->zone->name));
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static sharings *
sharings_of(lun_conf *cf)
{
    sharings  *s = lun_module_data(cf->engine, &lun_common_upstream_zone);

    if (s == NULL) {
        s = lun_pool_new(cf->pool, sharings);
        lun_array_init(&s->all, cf->pool, sizeof(sharing), 4);
        lun_module_set_data(cf->engine, &lun_common_upstream_zone, s);
        lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, s);
    }

    return s;
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    sharing     *sh = lun_array_push(&sharings_of(cf)->all);
    uint64_t     size = 0;
    const char  *why;

    (void) d;
    (void) conf;

    if (cf->args[1].len == 0) {
        return lun_conf_fail(cf, "invalid zone name \"\"");
    }

    if (cf->argc == 3 && (lun_str_to_size(cf->args[2], &size) != LUN_OK
                          || size > INT64_MAX))
    {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    if (cf->argc == 3 && size < MIN_SIZE) {
        return lun_conf_fail(cf, "zone \"%.*s\" is too small",
                             LUN_S(cf->args[1]));
    }

    sh->upstream = lun_upstream_current(cf);
    sh->zone = lun_zone_want(cf->gen->zones, cf->args[1], (size_t) size,
                             &kind, &why);

    return sh->zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


static const lun_directive  directives[] = {
    { .name = "zone", .where = LUN_ANY_UPSTREAM, .args = 1, .args_max = 2,
      .set = set_zone,
      .help = "memory that the workers share about the servers" },
    { 0 }
};

lun_module  lun_common_upstream_zone = {
    .name = "upstream_zone",
    .directives = directives,
};
