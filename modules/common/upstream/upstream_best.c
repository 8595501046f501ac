/*
 * upstream_best.c -- the best server of a group.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_best.h"


typedef struct {
    lun_best_fn                *compare;
    const void                 *data;
    const lun_upstream_server  *best;
} contest;


static bool
as_good(const lun_upstream_server *peer, const void *data)
{
    const contest  *c = data;

    return c->compare(peer, c->best, c->data) == 0;
}


/* The first of the best; their count if there is none. */
static size_t
find_best(const lun_rr *rr, const contest *c, bool *many)
{
    int     rc;
    size_t  i, best = rr->group->count;

    for (i = 0, *many = false; i < rr->group->count; i++) {

        if (!lun_rr_usable(rr, i)) {
            continue;
        }

        rc = best == rr->group->count ? -1
             : c->compare(&rr->group->peers[i], &rr->group->peers[best],
                          c->data);

        if (rc < 0) {
            best = i;
        }

        *many = rc == 0 || (*many && rc > 0);
    }

    return best;
}


lun_balance_verdict
lun_best_get(lun_session *s, lun_balance *b, lun_best_fn *compare,
    const void *data)
{
    bool     many;
    size_t   i;
    lun_rr  *rr = b->data;
    contest  c = { .compare = compare, .data = data };

    if (rr->group->single) {
        return lun_rr_get(s, b);
    }

    do {
        i = find_best(rr, &c, &many);

        if (many) {
            c.best = &rr->group->peers[i];
            i = lun_rr_turn(rr, as_good, &c);
        }

        if (i != rr->group->count) {
            lun_rr_choose(rr, i, b);
            return LUN_BALANCE_OK;
        }
    } while (lun_rr_next_group(rr, b));

    return LUN_BALANCE_NONE;
}
