/*
 * upstream_least_time.c -- least_time header | last_byte [inflight]: the server
 * that answers soonest and has the fewest requests in hand, for its weight.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "modules/common/upstream/upstream_best.h"
#include "modules/common/upstream/upstream_time.h"


typedef struct {
    lun_rr                rr;
    const lun_time_conf  *conf;
} turn;


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    const turn  *t = b->data;

    return lun_best_get(s, b, lun_time_compare, t->conf);
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    const turn  *t = b->data;

    lun_time_put(s, b, t->conf, outcome);
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn  *t = lun_pool_new(s->pool, turn);

    t->conf = u->data;
    lun_rr_begin(s, u->peers, &t->rr, b);
    b->get = get;
    b->put = put;

    return LUN_OK;
}


static const lun_balancer  least_time = {
    .name = "least_time",
    .takes = LUN_SERVER_BACKUP | LUN_SERVER_SLOW_START,
    .begin = begin,
};


static lun_rc
set_least_time(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t          bad = 0;
    lun_time_conf  *t = lun_pool_new(cf->pool, lun_time_conf);

    t->inflight = cf->argc == 3;

    if (!lun_time_read(cf, cf->args[1], &t->kind)) {
        bad = 1;

    } else if (t->inflight && !lun_str_eq(cf->args[2], LUN_STR("inflight"))) {
        bad = 2;
    }

    if (bad != 0) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[bad]));
    }

    lun_upstream_set_method(cf, &least_time);
    lun_upstream_current(cf)->data = t;

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "least_time", .where = LUN_ANY_UPSTREAM, .args = 1,
      .args_max = 2, .repeats = true, .set = set_least_time,
      .values = "header | last_byte [inflight]",
      .help = "the server that answers soonest" },
    { 0 }
};

lun_module  lun_common_upstream_least_time = {
    .name = "upstream_least_time",
    .directives = directives,
};
