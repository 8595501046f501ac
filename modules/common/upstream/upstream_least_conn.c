/*
 * upstream_least_conn.c -- least_conn: the server with the fewest requests in
 * hand for its weight; round robin among those of which there are several.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"
#include "session/upstream/round_robin.h"


/* Below 0: a has fewer for its weight than b. */
static int
compare(const lun_upstream_server *a, const lun_upstream_server *b)
{
    int64_t  x = a->state->conns * b->weight, y = b->state->conns * a->weight;

    return (x > y) - (x < y);
}


static bool
as_free(const lun_upstream_server *peer, const void *best)
{
    return compare(peer, best) == 0;
}


/* The first of the best; their count if there is none. */
static size_t
find_best(const lun_rr *rr, bool *many)
{
    int     rc;
    size_t  i, best = rr->group->count;

    for (i = 0, *many = false; i < rr->group->count; i++) {

        if (!lun_rr_usable(rr, i)) {
            continue;
        }

        rc = best == rr->group->count ? -1
             : compare(&rr->group->peers[i], &rr->group->peers[best]);

        if (rc < 0) {
            best = i;
        }

        *many = rc == 0 || (*many && rc > 0);
    }

    return best;
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    bool     many;
    size_t   i;
    lun_rr  *rr = b->data;

    if (rr->group->single) {
        return lun_rr_get(s, b);
    }

    do {
        i = find_best(rr, &many);

        if (many) {
            i = lun_rr_turn(rr, as_free, &rr->group->peers[i]);
        }

        if (i != rr->group->count) {
            lun_rr_choose(rr, i, b);
            return LUN_BALANCE_OK;
        }
    } while (lun_rr_next_group(rr, b));

    return LUN_BALANCE_NONE;
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
    (void) d;
    (void) conf;

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
