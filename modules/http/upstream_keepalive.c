/*
 * upstream_keepalive.c -- idle connections to the servers of a block.
 *
 *     keepalive 32;  keepalive_requests 1000;  keepalive_timeout 60s;
 *
 * A block has a pool of its own in each worker, 32 connections unless it says
 * otherwise; the one that was idle for longest makes room.  "local" keeps
 * those of different locations apart, whose settings for TLS may differ.
 *
 * It is whatever method the block has that chooses the server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "session/upstream/balance.h"
#include "net/conn_pool.h"
#include "os/clock.h"


typedef struct {
    size_t    count;               /* 0: none is kept */
    bool      local;
} keep_limit;

typedef struct {
    keep_limit  limit;
    int64_t     requests;
    lun_msec    time;
    lun_msec    timeout;
} keep_conf;

/* A request's: what it has wrapped. */
typedef struct {
    lun_balance_verdict  (*get)(lun_session *s, lun_balance *b);
    void                 (*put)(lun_session *s, lun_balance *b,
                             unsigned outcome);
    const keep_conf       *conf;
    lun_str                pool;
    lun_str                label;
    uint64_t               reused;
} keepalive_state;

extern lun_http_module  lun_http_upstream_keepalive;


/* A server's address, and in front of it who shares connections to it, how. */
static lun_str
label_of(lun_session *s, const lun_balance *b, const keepalive_state *l)
{
    lun_str      key = b->conn_key != NULL ? b->conn_key(s) : LUN_STR("");
    size_t       size = sizeof(void *) + key.len + 1 + b->name.len;
    char        *p, *text = lun_pool_text(s->pool, size);
    const void  *who = l->conf->limit.local ? b->place : NULL;

    p = lun_copy_str(lun_copy(text, &who, sizeof(who)), key);
    *p++ = '\n';
    (void) lun_copy_str(p, b->name);

    return lun_str_of(text, size);
}


/* Of those in use, and then of those that are idle. */
static void
find_conn(lun_session *s, lun_balance *b, keepalive_state *l)
{
    lun_conn_pool  *pool = lun_conn_pool_get(s->conn->loop, l->pool, 0, -1);

    if (pool == NULL) {
        return;
    }

    if (b->joins) {
        b->conn = lun_conn_pool_join(pool, l->label);
        b->others = b->conn != NULL;
    }

    if (b->conn == NULL) {
        b->conn = lun_conn_pool_take_as(pool, l->label, &l->reused);
    }

    b->cached = b->conn != NULL;
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    keepalive_state     *l = b->keepalive_state;
    lun_balance_verdict  verdict = l->get(s, b);

    if (verdict != LUN_BALANCE_OK || b->pooled) {
        return verdict;
    }

    l->reused = 0;
    l->label = label_of(s, b, l);
    find_conn(s, b, l);

    if (b->cached) {
        lun_debug(s->log, "get keepalive peer: using connection %p",
                  (void *) b->conn);
    }

    return LUN_BALANCE_OK;
}


static bool
may_stay(const lun_session *s, const keepalive_state *l, const lun_conn *c)
{
    return l->conf->timeout != 0
           && c->requests < (uint64_t) l->conf->requests
           && lun_clock.mono - c->start_time <= l->conf->time
           && !s->engine->gen->exiting;
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    lun_conn_pool    *pool;
    keepalive_state  *l = b->keepalive_state;

    if (b->conn != NULL && b->keep && !b->pooled
        && !(outcome & LUN_BALANCE_FAILED) && may_stay(s, l, b->conn))
    {
        lun_debug(s->log, "free keepalive peer: saving connection %p",
                  (void *) b->conn);

        pool = lun_conn_pool_get(b->conn->loop, l->pool, l->conf->limit.count,
                                 -1);
        lun_conn_pool_count_in(pool, b->upstream->idle_at);
        lun_conn_pool_keep_as(pool, b->conn, l->label, l->reused,
                              l->conf->timeout);
        b->conn = NULL;
    }

    l->put(s, b, outcome);
}


/* It has one request, and may have others before that is over. */
static void
offer(lun_session *s, lun_balance *b, lun_conn_share *share)
{
    keepalive_state  *l = b->keepalive_state;
    lun_conn         *c = share->conn;

    if (!b->pooled && may_stay(s, l, c)) {
        lun_conn_pool_offer(lun_conn_pool_get(c->loop, l->pool,
                                              l->conf->limit.count, -1),
                            share, l->label, (uint64_t) l->conf->requests,
                            c->start_time + l->conf->time);
    }
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    keepalive_state  *l;
    const keep_conf  *conf = u->conf->confs[lun_http_upstream_keepalive.index];

    if (conf->limit.count == 0) {
        return LUN_OK;
    }

    l = lun_pool_new(s->pool, keepalive_state);
    l->conf = conf;
    l->get = b->get;
    l->put = b->put;
    l->pool = *(const lun_str *) u->keepalive_data;

    b->keepalive_state = l;
    b->get = get;
    b->put = put;
    b->offer = offer;

    return LUN_OK;
}


static lun_rc
on_quit(lun_generation *gen, void *data)
{
    lun_conn_pool_close_idle(gen->loop);
    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    size_t            i;
    lun_str          *pool;
    lun_upstream     *u;
    const lun_array  *all = lun_upstream_all(cf->engine);

    static const lun_balancer  keepalive = { .name = "keepalive",
        .begin = begin };

    for (i = 0; i < all->count; i++) {
        u = *(lun_upstream **) lun_array_at(all, i);

        if (u->block) {
            pool = lun_pool_new(cf->pool, lun_str);
            *pool = lun_pool_fmt(cf->pool, "upstream %u:%.*s", cf->gen->number,
                                 LUN_S(u->name));
            u->keepalive = &keepalive;
            u->keepalive_data = pool;
        }
    }

    if (all->count != 0) {
        lun_gen_add_hook(cf->gen, &cf->gen->on_quit, on_quit, NULL);
    }

    return LUN_OK;
}


static lun_rc
set_keepalive(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t    n;
    keep_conf  *keep = conf;

    if (lun_str_to_u64(cf->args[1], &n) != LUN_OK || n > INT32_MAX) {
        return lun_conf_fail(cf, "invalid value \"%.*s\" in \"%.*s\" "
                             "directive", LUN_S(cf->args[1]),
                             LUN_S(cf->args[0]));
    }

    if (cf->argc == 3 && !lun_str_eq(cf->args[2], LUN_STR("local"))) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    keep->limit.count = (size_t) n;
    keep->limit.local = cf->argc == 3;

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "keepalive", .where = LUN_UPSTREAM, .args = 1, .args_max = 2,
      .set = set_keepalive, LUN_FIELD(keep_conf, limit),
      .fallback = "32 local",
      .values = "connections [local]",
      .help = "how many idle connections to the servers are kept" },
    { .name = "keepalive_requests", .where = LUN_UPSTREAM, .args = 1,
      .set = lun_set_num, LUN_FIELD(keep_conf, requests),
      .fallback = "1000",
      .help = "requests after which a connection is closed" },
    { .name = "keepalive_time", .where = LUN_UPSTREAM, .args = 1,
      .set = lun_set_msec, LUN_FIELD(keep_conf, time), .fallback = "1h",
      .help = "how long a connection is used at most" },
    { .name = "keepalive_timeout", .where = LUN_UPSTREAM, .args = 1,
      .set = lun_set_msec, LUN_FIELD(keep_conf, timeout),
      .fallback = "60s",
      .help = "how long an idle connection is kept" },
    { 0 }
};

/* Always: blocks that say nothing keep connections, too. */
lun_http_module  lun_http_upstream_keepalive = {
    .name = "upstream_keepalive",
    .directives = directives,
    .conf_size = sizeof(keep_conf),
    .always = true,
    .init = init,
};
