/*
 * upstream_hash.c -- hash key [consistent]: requests of one key go to one
 * server as long as it is usable.
 *
 * Both ways are those of Perl's clients for memcached, as in nginx: a server
 * and its clients agree on who has a key.  With "consistent" each server has
 * 160 points (for each of its weight) on a ring of 2^32, and a key belongs to
 * the first point behind it: when a server goes, only its keys move.  Of
 * servers that weigh more than 10,000 together weights are shares of that:
 * a million would be 160 million points, sorted anew with each change.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include <stdlib.h>

#include "base/digest.h"
#include "session/upstream/round_robin.h"


enum {
    SERVER_POINTS = 160,
    MOST_WEIGHT = 10000            /* of all on a ring */
};

typedef struct {
    uint32_t  hash;
    uint32_t  peer;                /* the first of its server's */
} point;

typedef struct {
    lun_script  *key;
} hash_method;

/* "consistent": of a group. */
typedef struct {
    point   *points;               /* sorted */
    size_t   count;
} ring;

typedef struct {
    lun_rr       rr;
    lun_str      key;
    uint64_t     hash;             /* consistent: a point's number */
    unsigned     rehash;           /* how often the key was hashed */
} turn;


/* --- by the remainder --- */

/* The key again, behind a number: another server, maybe. */
static uint64_t
rehash(lun_rr *rr)
{
    turn      *t = lun_container_of(rr, turn, rr);
    char       number[20];
    uint32_t   crc = 0;

    if (t->rehash > 0) {
        crc = lun_crc32(lun_str_of(number,
            (size_t) (lun_fmt_u64(number, t->rehash) - number)));
    }

    t->hash += lun_crc32_more(crc, t->key) >> 16 & 0x7fff;
    t->rehash++;

    return t->hash;
}


static lun_balance_verdict
get_plain(lun_session *s, lun_balance *b)
{
    turn    *t = b->data;
    size_t   none = t->rr.group->count;

    return lun_rr_get_at(s, b, t->key.len == 0 ? none
                               : lun_rr_guess(&t->rr, rehash, none));
}


static void
restart_plain(lun_rr *rr)
{
    turn  *t = lun_container_of(rr, turn, rr);

    t->hash = 0;
    t->rehash = 0;
}


static lun_rc
begin_plain(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn  *t = lun_pool_new(s->pool, turn);

    t->key = lun_script_run(s, ((const hash_method *) u->data)->key);

    lun_rr_begin(s, u->peers, &t->rr, b);
    t->rr.restart = restart_plain;
    b->get = get_plain;

    return LUN_OK;
}


/* --- consistent --- */

/* A server's name is a host, and maybe a port behind the last colon. */
static uint32_t
hash_name(lun_str name)
{
    size_t    at = name.len;
    lun_str   host = name, port = LUN_STR("");

    if (!lun_str_caseafter(name, LUN_STR("unix:"), &host)) {
        while (at > 0 && lun_is_digit(name.data[at - 1])) {
            at--;
        }

        if (at > 0 && name.data[at - 1] == ':') {
            host.len = at - 1;
            port = lun_str_of(name.data + at, name.len - at);
        }
    }

    return lun_crc32_more(lun_crc32_more(lun_crc32(host), lun_str_of("", 1)),
                          port);
}


/* What it weighs on the ring. */
static int64_t
weight_of(const lun_upstream_group *g, const lun_upstream_server *p)
{
    return g->total_weight <= MOST_WEIGHT ? p->weight
           : lun_max(p->weight * MOST_WEIGHT / g->total_weight, 1);
}


static void
add_points(ring *h, const lun_upstream_server *p, uint32_t index,
    int64_t weight)
{
    int64_t   n;
    uint32_t  base = hash_name(p->server->name), hash = 0;
    char      last[4];

    for (n = 0; n < weight * SERVER_POINTS; n++) {
        last[0] = (char) (hash & 0xff);
        last[1] = (char) (hash >> 8 & 0xff);
        last[2] = (char) (hash >> 16 & 0xff);
        last[3] = (char) (hash >> 24);

        hash = lun_crc32_more(base, lun_str_of(last, sizeof(last)));
        h->points[h->count++] = (point) { .hash = hash, .peer = index };
    }
}


static int
compare(const void *a, const void *b)
{
    const point  *x = a, *y = b;

    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }

    return x->peer < y->peer ? -1 : x->peer > y->peer;
}


static const char *
prepare_consistent(lun_pool *pool, const lun_upstream *u,
    lun_upstream_group *g)
{
    size_t   i, kept = 0;
    int64_t  total = 0;
    ring    *h = lun_pool_new(pool, ring);

    for (i = 0; i < g->count; i++) {
        total += weight_of(g, &g->peers[i]);
    }

    h->points = lun_pool_alloc(pool, sizeof(point)
                               * (size_t) total * SERVER_POINTS);

    for (i = 0; i < g->count; i++) {

        /* The addresses of a server are one to the ring. */
        if (i == 0 || g->peers[i].server != g->peers[i - 1].server) {
            add_points(h, &g->peers[i], (uint32_t) i,
                       weight_of(g, &g->peers[i]));
        }
    }

    qsort(h->points, h->count, sizeof(point), compare);

    for (i = 0; i < h->count; i++) {
        if (kept == 0 || h->points[i].hash != h->points[kept - 1].hash) {
            h->points[kept++] = h->points[i];
        }
    }

    h->count = kept;
    g->data = h;

    return NULL;
}


/* The first point that is not before the hash; their count: the first. */
static size_t
find_point(const ring *h, uint32_t hash)
{
    size_t  low = 0, high = h->count, middle;

    while (low < high) {
        middle = low + (high - low) / 2;

        if (h->points[middle].hash < hash) {
            low = middle + 1;

        } else {
            high = middle;
        }
    }

    return low;
}


static bool
same_server(const lun_upstream_server *peer, const void *server)
{
    return lun_str_eq(peer->server->name,
                      ((const lun_upstream_server_conf *) server)->name);
}


static lun_balance_verdict
get_consistent(lun_session *s, lun_balance *b)
{
    size_t                     i;
    turn                      *t = b->data;
    const lun_upstream_group  *g = t->rr.group;
    const ring                *h = g->data;

    while (!g->single && h->count != 0 && t->key.len != 0
           && t->rr.guesses <= LUN_RR_GUESSES)
    {
        i = h->points[t->hash % h->count].peer;
        i = lun_rr_turn(&t->rr, same_server, g->peers[i].server);

        if (i != g->count) {
            lun_rr_choose(&t->rr, i, b);
            return LUN_BALANCE_OK;
        }

        t->hash++;
        t->rr.guesses++;
    }

    return lun_rr_get(s, b);
}


/* The servers may be others than before, and so may be their points. */
static void
restart_consistent(lun_rr *rr)
{
    turn  *t = lun_container_of(rr, turn, rr);

    t->hash = find_point(rr->group->data, lun_crc32(t->key));
}


static lun_rc
begin_consistent(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn  *t;

    (void) begin_plain(s, u, b);

    t = b->data;
    t->rr.restart = restart_consistent;
    restart_consistent(&t->rr);
    b->get = get_consistent;

    return LUN_OK;
}


/* --- the directive --- */

static const lun_balancer  plain = {
    .name = "hash",
    .begin = begin_plain,
};

static const lun_balancer  consistent = {
    .name = "consistent hash",
    .prepare = prepare_consistent,
    .begin = begin_consistent,
};


static lun_rc
set_hash(lun_conf *cf, const lun_directive *d, void *conf)
{
    hash_method  *h = lun_pool_new(cf->pool, hash_method);

    h->key = lun_script_new(cf, cf->args[1]);

    if (h->key == NULL) {
        return LUN_ERROR;
    }

    if (cf->argc == 3 && !lun_str_eq(cf->args[2], LUN_STR("consistent"))) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    lun_upstream_set_method(cf, cf->argc == 3 ? &consistent : &plain);
    lun_upstream_current(cf)->data = h;

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "hash", .where = LUN_ANY_UPSTREAM, .args = 1, .args_max = 2,
      .repeats = true, .set = set_hash,
      .values = "key [consistent]",
      .help = "the server depends on this value" },
    { 0 }
};

lun_module  lun_common_upstream_hash = {
    .name = "upstream_hash",
    .directives = directives,
};
