/*
 * upstream_least_conn.c -- least_conn: the server with the fewest requests in
 * hand for its weight; round robin among those of which there are several.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "modules/common/upstream/upstream_best.h"


/* The one with fewer for its weight. */
static int
compare(const lun_upstream_server *a, const lun_upstream_server *b,
    const void *data)
{
    int64_t  x = a->state->conns * b->weight, y = b->state->conns * a->weight;

    return (x > y) - (x < y);
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    return lun_best_get(s, b, compare, NULL);
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    lun_rr_begin(s, u->peers, lun_pool_new(s->pool, lun_rr), b);
    b->get = get;

    return LUN_OK;
}


static const lun_balancer  least_conn = {
    .name = "least_conn",
    .takes = LUN_SERVER_BACKUP | LUN_SERVER_SLOW_START,
    .begin = begin,
};


static lun_rc
set_least_conn(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_upstream_set_method(cf, &least_conn);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "least_conn", .where = LUN_ANY_UPSTREAM, .repeats = true,
      .set = set_least_conn,
      .help = "the server with the fewest connections" },
    { 0 }
};

lun_module  lun_common_upstream_least_conn = {
    .name = "upstream_least_conn",
    .directives = directives,
};
