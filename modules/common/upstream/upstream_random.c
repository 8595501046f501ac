/*
 * upstream_random.c -- random: any server, by their weights; random two: of
 * two such, the one with fewer requests in hand.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"
#include "session/upstream/round_robin.h"
#include "os/random.h"


/* Good enough for choosing; its seed is the system's. */
static uint64_t
next_random(lun_rr *rr)
{
    uint64_t         x;
    static uint64_t  state;

    (void) rr;

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


static lun_balance_verdict
get_two(lun_session *s, lun_balance *b)
{
    lun_rr               *rr = b->data;
    size_t                none = rr->group->count, i, other;
    lun_upstream_server  *peers = rr->group->peers;

    i = none < 2 ? none : lun_rr_guess(rr, next_random, none);
    other = i == none ? none : lun_rr_guess(rr, next_random, i);

    if (other != none && peers[other].state->conns * peers[i].weight
                         > peers[i].state->conns * peers[other].weight)
    {
        other = i;
    }

    return lun_rr_get_at(s, b, other);
}


static void
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    lun_rr_begin(s, u->peers, lun_pool_new(s->pool, lun_rr), b);
}


static lun_rc
begin_one(lun_session *s, lun_upstream *u, lun_balance *b)
{
    begin(s, u, b);
    b->get = get_one;

    return LUN_OK;
}


static lun_rc
begin_two(lun_session *s, lun_upstream *u, lun_balance *b)
{
    begin(s, u, b);
    b->get = get_two;

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


static lun_rc
set_random(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t          i;
    static lun_str  words[] = { LUN_STR_INIT("two"),
                                LUN_STR_INIT("least_conn") };

    (void) d;
    (void) conf;

    for (i = 1; i < cf->argc; i++) {
        if (!lun_str_eq(cf->args[i], words[i - 1])) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }
    }

    lun_upstream_set_method(cf, cf->argc > 1 ? &random_two : &random_one);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "random", .where = LUN_ANY_UPSTREAM, .args_max = 2,
      .repeats = true, .set = set_random,
      .help = "a server by chance, or the better one of two" },
    { 0 }
};

lun_module  lun_common_upstream_random = {
    .name = "upstream_random",
    .directives = directives,
};
