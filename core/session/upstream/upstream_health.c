/*
 * upstream_health.c -- what health checks have found, in a server's state.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_health.h"

#include "os/clock.h"
#include "session/upstream/upstream_metrics.h"


enum { MOST_CHECKS = 32 };


uint32_t
lun_upstream_add_check(lun_upstream *u, bool mandatory, bool persistent)
{
    unsigned             n = 0;
    uint32_t             bit;
    lun_upstream_group  *g;

    while (n < MOST_CHECKS && (u->checks.all >> n & 1) != 0) {
        n++;
    }

    if (n == MOST_CHECKS) {
        return 0;
    }

    bit = UINT32_C(1) << n;
    u->checks.all |= bit;
    u->checks.mandatory |= mandatory ? bit : 0;
    u->checks.persistent |= persistent ? bit : 0;

    for (g = u->peers; g != NULL; g = g->next) {
        g->checks = u->checks;
    }

    return bit;
}


void
lun_upstream_begin_checks(const lun_upstream_group *g, lun_upstream_state *s,
    bool is_new)
{
    s->checking |= is_new ? g->checks.mandatory
                          : g->checks.mandatory & ~g->checks.persistent;
}


static int64_t
now(void)
{
    return lun_clock.sec * 1000 + lun_clock.msec;
}


/* What it failed in before its checks is forgiven: they know better. */
static void
become_well(const lun_upstream_server *p)
{
    lun_upstream_state  *s = p->state;

    if (s->down_since != 0) {
        lun_metric_add(p->counts_at + LUN_UPSTREAM_DOWNTIME,
                       (uint32_t) lun_max(now() - s->down_since, 0));
        s->down_since = 0;
    }

    s->fails = 0;
    s->back = (int64_t) lun_clock.mono;
}


static void
become_unwell(const lun_upstream_server *p)
{
    if (p->state->down_since == 0) {
        p->state->down_since = now();
    }

    lun_metric_add(p->counts_at + LUN_UPSTREAM_UNHEALTHY, 1);
}


/*
 * Each check has a bit; a server is well when no check of its group says
 * otherwise.  What is returned is what changed for the server, not for the
 * check, so it is logged once.
 */
static lun_health_verdict
note(const lun_upstream_group *g, const lun_upstream_server *p, uint32_t bit,
    lun_health_verdict verdict)
{
    bool                 was_well, was_unwell;
    lun_upstream_state  *s = p->state;

    was_well = lun_upstream_is_well(g, s);
    was_unwell = (s->unwell & g->checks.all) != 0;

    if (verdict == LUN_HEALTH_AS_BEFORE) {
        return verdict;
    }

    s->checking &= ~bit;
    s->unwell = verdict == LUN_HEALTH_WELL ? s->unwell & ~bit
                                           : s->unwell | bit;

    if (!was_well && lun_upstream_is_well(g, s)) {
        become_well(p);
        return LUN_HEALTH_WELL;
    }

    if (!was_unwell && verdict == LUN_HEALTH_UNWELL) {
        become_unwell(p);
        return LUN_HEALTH_UNWELL;
    }

    return LUN_HEALTH_AS_BEFORE;
}


lun_health_verdict
lun_upstream_note_check(const lun_upstream_group *g,
    const lun_upstream_server *p, uint32_t bit, bool passed,
    lun_health_verdict verdict, bool *failing)
{
    bool  unwell;

    lun_upstream_server_lock(g);
    p->state->probed = passed ? now() : -now();
    p->state->rise = passed ? p->state->rise + 1 : 0;
    p->state->fall = passed ? 0 : p->state->fall + 1;
    verdict = note(g, p, bit, verdict);
    unwell = (p->state->unwell & bit) != 0;
    lun_upstream_server_unlock(g);

    lun_metric_add(p->counts_at + LUN_UPSTREAM_CHECKS, 1);
    lun_metric_add(p->counts_at + LUN_UPSTREAM_CHECK_FAILS, !passed);

    if (unwell && !*failing) {
        lun_metric_add(p->counts_at + LUN_UPSTREAM_FAILING, 1);
        *failing = true;

    } else if (!unwell) {
        lun_upstream_leave_check(p, failing);
    }

    return verdict;
}


bool
lun_upstream_waits_for_check(const lun_upstream_group *g,
    const lun_upstream_server *p, uint32_t bit)
{
    bool  waits;

    lun_upstream_server_lock(g);
    waits = (p->state->checking & bit) != 0;
    lun_upstream_server_unlock(g);
    return waits;
}


void
lun_upstream_leave_check(const lun_upstream_server *p, bool *failing)
{
    lun_metric_sub(p->counts_at + LUN_UPSTREAM_FAILING, *failing);
    *failing = false;
}
