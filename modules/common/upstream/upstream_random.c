/*
 * upstream_random.c -- random: any server, by their weights; random two: of
 * two such, the one with fewer requests in hand, or that answers sooner.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "modules/common/upstream/upstream_time.h"
#include "os/random.h"


typedef struct {
    lun_rr                rr;
    const lun_time_conf  *by_time; /* NULL: by requests in hand */
} turn;


/* Good enough for choosing; its seed is the system's. */
static uint64_t
next_random(lun_rr *rr)
{
    uint64_t         x;
    static uint64_t  state;

    if (state == 0) {
        lun_random_bytes(&state, sizeof(state));
    }

    x = state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);

    return x ^ x >> 31;
}


static lun_balance_verdict
get_one(lun_session *s, lun_balance *b)
{
    lun_rr  *rr = b->data;

    return lun_rr_get_at(s, b, lun_rr_guess(rr, next_random,
                                            rr->group->count));
}


static bool
is_better(const turn *t, const lun_upstream_server *a,
    const lun_upstream_server *b)
{
    return t->by_time != NULL ? lun_time_compare(a, b, t->by_time) < 0
           : a->state->conns * b->weight < b->state->conns * a->weight;
}


static lun_balance_verdict
get_two(lun_session *s, lun_balance *b)
{
    turn                 *t = b->data;
    lun_rr               *rr = &t->rr;
    size_t                none = rr->group->count, i, other;
    lun_upstream_server  *peers = rr->group->peers;

    i = none < 2 ? none : lun_rr_guess(rr, next_random, none);
    other = i == none ? none : lun_rr_guess(rr, next_random, i);

    if (other != none && is_better(t, &peers[i], &peers[other])) {
        other = i;
    }

    return lun_rr_get_at(s, b, other);
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    const turn  *t = b->data;

    lun_time_put(s, b, t->by_time, outcome);
}


static turn *
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn  *t = lun_pool_new(s->pool, turn);

    lun_rr_begin(s, u->peers, &t->rr, b);
    return t;
}


static lun_rc
begin_one(lun_session *s, lun_upstream *u, lun_balance *b)
{
    (void) begin(s, u, b);
    b->get = get_one;

    return LUN_OK;
}


static lun_rc
begin_two(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn  *t = begin(s, u, b);

    b->get = get_two;
    t->by_time = u->data;

    if (t->by_time != NULL) {
        b->put = put;
    }

    return LUN_OK;
}


static const lun_balancer  random_one = {
    .name = "random",
    .begin = begin_one,
};

static const lun_balancer  random_two = {
    .name = "random two",
    .begin = begin_two,
};


/* "least_time=last_byte"; NULL: it is something else. */
static const lun_time_conf *
read_time(lun_conf *cf)
{
    lun_str         word = cf->args[2];
    lun_time_conf  *t = lun_pool_new(cf->pool, lun_time_conf);

    if (!lun_str_after(word, LUN_STR("least_time="), &word)) {
        return NULL;
    }

    t->inflight = cf->argc == 4;

    return lun_time_read(cf, word, &t->kind) ? t : NULL;
}


/* 0: all are good. */
static size_t
find_bad_word(const lun_conf *cf, const lun_time_conf *by_time)
{
    if (cf->argc > 1 && !lun_str_eq(cf->args[1], LUN_STR("two"))) {
        return 1;
    }

    if (cf->argc > 2 && by_time == NULL
        && !lun_str_eq(cf->args[2], LUN_STR("least_conn")))
    {
        return 2;
    }

    return cf->argc > 3 && (by_time == NULL
           || !lun_str_eq(cf->args[3], LUN_STR("inflight"))) ? 3 : 0;
}


static lun_rc
set_random(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t                bad;
    const lun_time_conf  *by_time = cf->argc > 2 ? read_time(cf) : NULL;

    bad = find_bad_word(cf, by_time);

    if (bad != 0) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[bad]));
    }

    lun_upstream_set_method(cf, cf->argc > 1 ? &random_two : &random_one);
    lun_upstream_current(cf)->data = (void *) by_time;

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "random", .where = LUN_ANY_UPSTREAM, .args_max = 3,
      .repeats = true, .set = set_random,
      .values = "[two [method]]",
      .help = "a server by chance, or the better one of two" },
    { 0 }
};

lun_module  lun_common_upstream_random = {
    .name = "upstream_random",
    .directives = directives,
};
