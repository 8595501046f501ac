/*
 * upstream_sticky.c -- sticky cookie | route | learn: a client's requests go to
 * the server that had the first of them, as long as that is usable.
 *
 * A server is known by its id (lun_upstream_server_id()).  Around whatever
 * method the block has: a request that comes with an id goes to that server,
 * also to one that drains; others, and those whose server is not usable, go
 * where the method says.  Backups count when nobody else is left.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/sticky/sticky_priv.h"


/* A request's. */
typedef struct {
    const lun_sticky      *sticky;
    lun_balance_verdict  (*get)(lun_session *s, lun_balance *b);
    void                 (*put)(lun_session *s, lun_balance *b,
                             unsigned outcome);
    lun_str                id;     /* of its server; empty: none */
    lun_str                session;        /* learn: what was looked up */
    uint64_t               learnt; /* learn: the id's hash; 0: none */
} state;


lun_str
lun_sticky_first(lun_session *s, const lun_array *scripts)
{
    size_t   i;
    lun_str  text = LUN_STR("");

    for (i = 0; i < scripts->count && text.len == 0; i++) {
        text = lun_script_run(s, *(lun_script **) lun_array_at(scripts, i));
    }

    return text;
}


/* --- choosing ------------------------------------------------------------ */

static bool
is_meant(const state *st, lun_upstream_server *p)
{
    lun_str  id = lun_upstream_server_id(p);

    return st->learnt != 0 ? lun_str_hash(id) == st->learnt
                           : lun_str_eq(id, st->id);
}


/* Nobody of the group is left: those behind it are next, whatever is said. */
static bool
is_exhausted(const lun_rr *rr)
{
    size_t  i;

    for (i = 0; i < rr->group->count; i++) {
        if (lun_rr_usable(rr, i)) {
            return false;
        }
    }

    return true;
}


static bool
choose_meant(const state *st, lun_balance *b)
{
    size_t   i;
    lun_rr  *rr = b->data;

    do {
        for (i = 0; i < rr->group->count; i++) {
            if (is_meant(st, &rr->group->peers[i])
                && lun_rr_usable_again(rr, i))
            {
                lun_rr_choose(rr, i, b);
                return true;
            }
        }
    } while (is_exhausted(rr) && rr->group->next != NULL
             && lun_rr_next_group(rr, b));

    return false;
}


/* One that drains is not among those that any request may try. */
static void
add_try(lun_balance *b)
{
    int64_t  most = b->user != NULL ? b->user->most_tries(b) : 0;

    if (((const lun_rr *) b->data)->peer->drain
        && (most == 0 || (int64_t) b->tries < most))
    {
        b->tries++;
    }
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    bool                       found;
    state                     *st = b->sticky_state;
    const lun_upstream_group  *g = ((const lun_rr *) b->data)->group;

    if (st->id.len == 0 && st->learnt == 0) {
        return st->get(s, b);
    }

    lun_upstream_server_lock(g);
    found = choose_meant(st, b);
    lun_upstream_server_unlock(g);

    if (!found) {
        return st->get(s, b);
    }

    add_try(b);
    return LUN_BALANCE_OK;
}


/* --- what became of it --------------------------------------------------- */

static void
learn(lun_session *s, const state *st, uint64_t id)
{
    lun_str  session = lun_sticky_first(s, &st->sticky->learn.create);

    if (session.len != 0) {
        lun_sticky_learn_it(st->sticky, session, id);

    } else if (st->session.len != 0) {
        lun_sticky_prolong(st->sticky, st->session, id);
    }
}


static lun_str
id_at_hand(const lun_balance *b)
{
    return lun_upstream_server_id(((const lun_rr *) b->data)->peer);
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    state  *st = b->sticky_state;

    if (st->sticky->mode == LUN_STICKY_LEARN && outcome == LUN_BALANCE_DONE) {
        learn(s, st, lun_str_hash(id_at_hand(b)));
    }

    st->put(s, b, outcome);
}


static void
answered(lun_session *s, lun_balance *b)
{
    state             *st = b->sticky_state;
    const lun_sticky  *sticky = st->sticky;

    if (sticky->mode == LUN_STICKY_COOKIE) {
        lun_sticky_set_cookie(lun_request_of(s), &sticky->cookie,
                              id_at_hand(b));

    } else if (sticky->mode == LUN_STICKY_LEARN && sticky->learn.header) {
        learn(s, st, lun_str_hash(id_at_hand(b)));
    }
}


/*
 * Whom this client belongs to is found out once; the method is asked only if
 * that server is not to be had.
 */
static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    state             *st = lun_pool_new(s->pool, state);
    const lun_sticky  *sticky = u->sticky_data;

    st->sticky = sticky;
    st->get = b->get;
    st->put = b->put;

    switch (sticky->mode) {

    case LUN_STICKY_COOKIE:
        st->id = lun_sticky_cookie_id(s, &sticky->cookie);
        break;

    case LUN_STICKY_ROUTE:
        st->id = lun_sticky_first(s, &sticky->routes);
        break;

    case LUN_STICKY_LEARN:
        st->session = lun_sticky_first(s, &sticky->learn.lookup);
        st->learnt = lun_sticky_find(sticky, st->session);
        break;
    }

    b->sticky_state = st;
    b->get = get;
    b->put = put;
    b->answered = answered;

    return LUN_OK;
}


/* --- the directive ------------------------------------------------------- */

static const lun_balancer  sticky_balancer = {
    .name = "sticky",
    .begin = begin,
};


static lun_rc
read_routes(lun_conf *cf, lun_array *routes)
{
    size_t       i;
    lun_script  *script;

    for (i = 2; i < cf->argc; i++) {
        if (!lun_script_has_variables(cf->args[i])) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        script = lun_script_new(cf, cf->args[i]);

        if (script == NULL) {
            return LUN_ERROR;
        }

        *(lun_script **) lun_array_push(routes) = script;
    }

    return LUN_OK;
}


static lun_rc
set_sticky(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rc         rc;
    lun_sticky    *st = lun_pool_new(cf->pool, lun_sticky);
    lun_upstream  *u = lun_upstream_current(cf);

    st->upstream = u;

    if (lun_str_eq(cf->args[1], LUN_STR("cookie"))) {
        st->mode = LUN_STICKY_COOKIE;
        rc = lun_sticky_read_cookie(cf, &st->cookie);

    } else if (lun_str_eq(cf->args[1], LUN_STR("route"))) {
        st->mode = LUN_STICKY_ROUTE;
        lun_array_init(&st->routes, cf->pool, sizeof(lun_script *), 2);
        rc = read_routes(cf, &st->routes);

    } else if (lun_str_eq(cf->args[1], LUN_STR("learn"))) {
        st->mode = LUN_STICKY_LEARN;
        rc = lun_sticky_read_learn(cf, &st->learn);

    } else {
        rc = lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                           LUN_S(cf->args[1]));
    }

    u->sticky = &sticky_balancer;
    u->sticky_data = st;

    return rc;
}


static const lun_directive  directives[] = {
    { .name = "sticky", .where = LUN_UPSTREAM, .args = 2,
      .args_max = LUN_ARGS_ANY, .set = set_sticky,
      .values = "cookie | route | learn [parameters]",
      .help = "a client's requests go to the same server" },
    { 0 }
};

lun_http_module  lun_http_upstream_sticky = {
    .name = "upstream_sticky",
    .directives = directives,
};
