/*
 * round_robin.c -- smooth weighted round robin, and servers that fail.
 *
 * Each turn every usable server gains its weight, the one that has gained most
 * is chosen and pays what all of them gained: a 5:1:1 comes out as a a b a c a
 * a.  A failure costs a server a part of its weight, which comes back by one
 * with each turn; after max_fails within fail_timeout nobody goes there for as
 * long, and then a single request puts it to the test.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/round_robin.h"

#include "base/check.h"
#include "os/clock.h"
#include "session/upstream/upstream_health.h"
#include "session/upstream/upstream_metrics.h"


enum { BITS = 64, SLOWLY = 256 };


/* --- from the configuration --- */

static void
add_peer(lun_upstream_group *g, const lun_upstream_server_conf *s, size_t i)
{
    lun_upstream_server  *p = &g->peers[g->count++];

    *p = (lun_upstream_server) {
        .addr = &s->addrs[i],
        .name = s->addr_names[i],
        .server = s,
        .weight = s->weight,
        .max_conns = s->max_conns,
        .max_fails = s->max_fails,
        .fail_timeout = s->fail_timeout,
        .down = s->down,
        .drain = s->drain,
        .state = p->state,
        .own = p->state,
    };

    p->state->effective = p->weight;

    g->total_weight += p->weight;
    g->weighted |= p->weight != 1;
    g->slow |= s->slow_start != 0;
    g->tries += !p->down && !p->drain;
}


static lun_upstream_group *
new_group(lun_pool *pool, lun_str name, size_t count)
{
    size_t               i;
    lun_upstream_state  *states = lun_pool_new_n(pool, lun_upstream_state,
                                                 count);
    lun_upstream_group  *g = lun_pool_new(pool, lun_upstream_group);

    g->name = name;
    g->peers = lun_pool_new_n(pool, lun_upstream_server, count);

    for (i = 0; i < count; i++) {
        g->peers[i].state = &states[i];
    }

    return g;
}


static lun_upstream_group *
group_of(lun_pool *pool, const lun_upstream *u,
    const lun_upstream_server_conf *s, size_t count, bool backup)
{
    size_t               i, k, n = 0;
    lun_upstream_group  *g;

    for (i = 0; i < count; i++) {
        n += s[i].backup == backup ? s[i].count : 0;
    }

    g = new_group(pool, u->name, n);

    for (i = 0; i < count; i++) {
        for (k = 0; s[i].backup == backup && k < s[i].count; k++) {
            add_peer(g, &s[i], k);
        }
    }

    return g;
}


lun_upstream_group *
lun_upstream_groups_of(lun_pool *pool, const lun_upstream *u,
    const lun_upstream_server_conf *s, size_t n)
{
    lun_upstream_group  *g = group_of(pool, u, s, n, false);

    g->next = group_of(pool, u, s, n, true);
    g->checks = g->next->checks = u->checks;

    if (g->next->count == 0) {
        g->next = NULL;
    }

    g->single = g->count == 1 && g->next == NULL;
    return g;
}


static bool
is_looked_up(const lun_upstream *u)
{
    size_t                           i;
    const lun_upstream_server_conf  *s = u->servers.items;

    for (i = 0; i < u->servers.count; i++) {
        if (s[i].resolve) {
            return true;
        }
    }

    return false;
}


lun_rc
lun_upstream_groups_new(lun_conf *cf, lun_upstream *u)
{
    const char  *why;

    u->peers = lun_upstream_groups_of(cf->pool, u, u->servers.items,
                                      u->servers.count);

    if (u->peers->count == 0 && u->state.len == 0 && !is_looked_up(u)) {
        return lun_conf_fail_bare(cf, "no servers in upstream \"%.*s\" in "
                                  "%.*s:%u", LUN_S(u->name), LUN_S(u->file),
                                  u->line);
    }

    why = u->method->prepare != NULL
          ? u->method->prepare(cf->pool, u, u->peers) : NULL;

    return why == NULL ? LUN_OK
           : lun_conf_fail_bare(cf, "servers of upstream \"%.*s\" in %.*s:%u "
                                "%s", LUN_S(u->name), LUN_S(u->file), u->line,
                                why);
}


lun_str
lun_upstream_server_id(lun_upstream_server *p)
{
    unsigned char  digest[LUN_MD5_SIZE];

    if (p->server->route.len != 0) {
        return p->server->route;
    }

    if (p->id.len == 0) {
        lun_md5(p->name, digest);
        (void) lun_hex(p->id_room, digest, sizeof(digest));
        p->id = lun_str_of(p->id_room, sizeof(p->id_room));
    }

    return p->id;
}


lun_upstream_group *
lun_upstream_peers(lun_upstream *u)
{
    if (u->refresh != NULL) {
        u->refresh(u, NULL);
    }

    return u->peers;
}


/* --- choosing --- */

/* Seconds that go on whatever is done to the clock, in all workers alike. */
static int64_t
now(void)
{
    return (int64_t) (lun_clock.mono / 1000);
}


static bool
failed_lately(const lun_upstream_server *p)
{
    const lun_upstream_state  *s = p->state;

    return p->max_fails != 0 && s->fails >= p->max_fails
           && now() - s->checked <= p->fail_timeout;
}


static bool
is_busy(const lun_upstream_server *p)
{
    return p->max_conns != 0 && p->state->conns >= p->max_conns;
}


bool
lun_rr_usable_again(const lun_rr *rr, size_t i)
{
    const lun_upstream_server  *p = &rr->group->peers[i];

    LUN_CHECK(i < rr->group->count);

    return (rr->tried[i / BITS] >> i % BITS & 1) == 0 && !p->down
           && !failed_lately(p) && !is_busy(p)
           && lun_upstream_is_well(rr->group, p->state);
}


bool
lun_rr_usable(const lun_rr *rr, size_t i)
{
    return !rr->group->peers[i].drain && lun_rr_usable_again(rr, i);
}


/*
 * What it gains in a turn.  In a group where some come back slowly all gain
 * SLOWLY times as much, so that a part of a weight of 1 is a number.
 */
static int64_t
gain_of(const lun_upstream_group *g, const lun_upstream_server *p)
{
    int64_t                    since;
    lun_msec                   slow = p->server->slow_start;
    const lun_upstream_state  *s = p->state;

    if (!g->slow) {
        return s->effective;
    }

    since = (int64_t) lun_clock.mono - s->back;

    if (slow == 0 || s->back == 0 || since < 0 || (lun_msec) since >= slow) {
        return s->effective * SLOWLY;
    }

    return s->effective * lun_max(SLOWLY * since / (int64_t) slow, 1);
}


size_t
lun_rr_turn(lun_rr *rr, lun_rr_wanted_fn *wanted, const void *data)
{
    size_t                i, best = rr->group->count;
    int64_t               gain, total = 0;
    lun_upstream_server  *peers = rr->group->peers;
    lun_upstream_state   *s;

    for (i = 0; i < rr->group->count; i++) {

        if (!lun_rr_usable(rr, i)
            || (wanted != NULL && !wanted(&peers[i], data)))
        {
            continue;
        }

        s = peers[i].state;
        gain = gain_of(rr->group, &peers[i]);
        s->current += gain;
        total += gain;

        /* More than its weight: that of a configuration before a reload. */
        s->effective = lun_min(s->effective + 1, peers[i].weight);

        if (best == rr->group->count
            || s->current > peers[best].state->current)
        {
            best = i;
        }
    }

    if (best != rr->group->count) {
        peers[best].state->current -= total;
    }

    return best;
}


/* The server that a number falls to, usable or not. */
static size_t
by_weight(const lun_rr *rr, uint64_t n)
{
    size_t                      i;
    const lun_upstream_server  *peers = rr->group->peers;

    LUN_CHECK(rr->group->total_weight > 0);

    n %= (uint64_t) rr->group->total_weight;

    for (i = 0; n >= (uint64_t) peers[i].weight; i++) {
        n -= (uint64_t) peers[i].weight;
    }

    return i;
}


void
lun_rr_choose(lun_rr *rr, size_t i, lun_balance *b)
{
    lun_upstream_server  *p = &rr->group->peers[i];
    lun_upstream_state   *s = p->state;

    LUN_CHECK(i < rr->group->count);

    /* It may be on trial again: others do not follow until that is known. */
    if (now() - s->checked > p->fail_timeout) {
        s->checked = now();
    }

    rr->begun = lun_clock.mono;
    rr->hold = lun_upstream_state_take(s, rr->group->holds, rr->begun);
    rr->tried[i / BITS] |= UINT64_C(1) << i % BITS;
    rr->peer = p;

    b->addr = p->addr;
    b->name = p->name;
    b->counts_at = p->counts_at;
    s->selected = lun_clock.sec * 1000 + lun_clock.msec;
    lun_upstream_count_choice(p->counts_at);
}


size_t
lun_rr_guess(lun_rr *rr, lun_rr_number_fn *next, size_t but)
{
    size_t  i;

    while (!rr->group->single && rr->group->count != 0
           && rr->guesses <= LUN_RR_GUESSES)
    {
        i = by_weight(rr, next(rr));

        if (i != but && lun_rr_usable(rr, i)) {
            return i;
        }

        rr->guesses++;
    }

    return rr->group->count;
}


/* The only server there is has no one to give way to, however it fails. */
static size_t
only_one(const lun_rr *rr)
{
    const lun_upstream_server  *p = rr->group->peers;

    return p->down || p->drain || is_busy(p)
           || !lun_upstream_is_well(rr->group, p->state) ? 1 : 0;
}


bool
lun_rr_next_group(lun_rr *rr, lun_balance *b)
{
    if (rr->group->next == NULL) {
        b->name = rr->group->name;
        return false;
    }

    rr->group = rr->group->next;
    memset(rr->tried, 0, (rr->group->count + BITS - 1) / BITS * BITS / 8);

    return true;
}


lun_balance_verdict
lun_rr_get(lun_session *s, lun_balance *b)
{
    size_t   i;
    lun_rr  *rr = b->data;

    lun_session_check(s);

    do {
        i = rr->group->single ? only_one(rr) : lun_rr_turn(rr, NULL, NULL);

        if (i != rr->group->count) {
            lun_rr_choose(rr, i, b);
            return LUN_BALANCE_OK;
        }
    } while (lun_rr_next_group(rr, b));

    return LUN_BALANCE_NONE;
}


lun_balance_verdict
lun_rr_get_at(lun_session *s, lun_balance *b, size_t i)
{
    lun_rr  *rr = b->data;

    LUN_CHECK(i <= rr->group->count);

    lun_session_check(s);

    if (i == rr->group->count) {
        return lun_rr_get(s, b);
    }

    lun_rr_choose(rr, i, b);
    return LUN_BALANCE_OK;
}


static void
count_failure(lun_session *s, lun_upstream_server *p)
{
    lun_upstream_state  *state = p->state;

    state->fails++;
    state->accessed = now();
    state->checked = now();

    if (p->max_fails == 0) {
        return;
    }

    state->effective = lun_max(state->effective - p->weight / p->max_fails, 0);

    if (state->fails >= p->max_fails) {
        if (state->down_since == 0) {
            state->down_since = lun_clock.sec * 1000 + lun_clock.msec;
            lun_metric_add(p->counts_at + LUN_UPSTREAM_UNAVAILABLE, 1);
        }

        lun_log(LUN_LOG_WARN, s->log, 0,
                "upstream server temporarily disabled");
    }
}


/* A server that has failed before was put to the test again: it works. */
static void
pass_test(const lun_upstream_server *p)
{
    lun_upstream_state  *state = p->state;

    if (state->accessed >= state->checked) {
        return;
    }

    if (p->max_fails != 0 && state->fails >= p->max_fails) {
        state->back = (int64_t) lun_clock.mono;
    }

    if (state->down_since != 0) {
        lun_metric_add(p->counts_at + LUN_UPSTREAM_DOWNTIME,
                       (uint64_t) lun_max(lun_clock.sec * 1000
                                          + lun_clock.msec
                                          - state->down_since, 0));
        state->down_since = 0;
    }

    state->fails = 0;
}


/* Others may be sent there while this session goes on, for hours maybe. */
static void
note_connected(lun_session *s, lun_balance *b)
{
    lun_rr  *rr = b->data;

    lun_session_check(s);
    lun_upstream_server_lock(rr->group);
    pass_test(rr->peer);
    lun_upstream_server_unlock(rr->group);
}


void
lun_rr_put(lun_session *s, lun_balance *b, unsigned outcome)
{
    lun_rr              *rr = b->data;
    lun_upstream_state  *state = rr->peer->state;

    lun_session_check(s);
    lun_upstream_state_give(state, rr->hold, rr->begun);
    lun_upstream_count_end(rr->peer->counts_at,
                           (outcome & LUN_BALANCE_FAILED) != 0);

    if (rr->group->single) {
        state->fails = 0;
        b->tries = 0;
        return;
    }

    if (outcome & LUN_BALANCE_FAILED) {
        count_failure(s, rr->peer);

    } else {
        pass_test(rr->peer);
    }

    b->tries -= b->tries > 0;
}


/* --- for a request --- */

/* The servers that are tried together, at most. */
static size_t
largest_of(const lun_upstream_group *group)
{
    return group->next == NULL ? group->count
           : lun_max(group->count, group->next->count);
}


static void
make_room(lun_session *s, lun_rr *rr, size_t n)
{
    rr->room = (lun_max(n, (size_t) 1) + BITS - 1) / BITS * BITS;
    rr->tried = n <= BITS ? &rr->first_tried
                : lun_pool_new_n(s->pool, uint64_t, rr->room / BITS);
}


void
lun_rr_begin(lun_session *s, lun_upstream_group *group, lun_rr *rr,
    lun_balance *b)
{
    lun_session_check(s);
    b->tries = group->tries;

    if (group->next != NULL) {
        b->tries += group->next->tries;
    }

    rr->group = group;
    make_room(s, rr, largest_of(group));

    b->data = rr;
    b->get = lun_rr_get;
    b->put = lun_rr_put;
    b->connected = note_connected;
}


void
lun_rr_restart(lun_session *s, lun_rr *rr, lun_upstream_group *group)
{
    size_t  n = largest_of(group);

    lun_session_check(s);

    if (n > rr->room) {
        make_room(s, rr, n);

    } else {
        memset(rr->tried, 0, rr->room / 8);
    }

    rr->group = group;
    rr->guesses = 0;

    if (rr->restart != NULL) {
        rr->restart(rr);
    }
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    lun_rr_begin(s, u->peers, lun_pool_new(s->pool, lun_rr), b);
    return LUN_OK;
}


void
lun_upstream_server_defaults(lun_upstream_server_conf *s)
{
    s->weight = 1;
    s->max_fails = 1;
    s->fail_timeout = 10;
}


void
lun_upstream_server_addrs(lun_pool *pool, lun_upstream_server_conf *s,
    const lun_addr *addrs, size_t n)
{
    size_t  i;
    char    room[LUN_ADDR_TEXT];

    if (s->weight == 0) {
        lun_upstream_server_defaults(s);
    }

    s->count = n;
    s->addrs = lun_pool_new_n(pool, lun_addr, n);
    s->addr_names = lun_pool_new_n(pool, lun_str, n);

    for (i = 0; i < n; i++) {
        s->addrs[i] = addrs[i];
        s->addr_names[i] = lun_pool_str(pool,
            lun_addr_format(&addrs[i], true, room, sizeof(room)));
    }
}


lun_rc
lun_balance_addrs(lun_session *s, lun_str name, const lun_addr *addrs,
    size_t n, lun_balance *b)
{
    size_t                     i;
    lun_upstream_server_conf  *server = lun_pool_new(s->pool,
                                                lun_upstream_server_conf);
    lun_upstream_group        *g = new_group(s->pool, name, n);

    LUN_CHECK(n != 0 && addrs != NULL);

    lun_session_check(s);
    server->name = name;
    lun_upstream_server_addrs(s->pool, server, addrs, n);

    for (i = 0; i < n; i++) {
        add_peer(g, server, i);
    }

    g->single = n == 1;
    lun_rr_begin(s, g, lun_pool_new(s->pool, lun_rr), b);

    return LUN_OK;
}


const lun_balancer  lun_round_robin = {
    .name = "round robin",
    .takes = LUN_SERVER_BACKUP | LUN_SERVER_SLOW_START,
    .begin = begin,
};
