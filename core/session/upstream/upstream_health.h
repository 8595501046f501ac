/*
 * upstream_health.h -- what health checks have found of a server.
 *
 * Who makes checks is a duty of one worker; what it finds stands in the
 * server's state, and all see it.  Each check of an upstream has a bit: a
 * server is asked if none of them says that it is unwell, or that it has to
 * pass first.  Bits of checks that a generation does not have mean nothing to
 * it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_HEALTH_H
#define LUN_UPSTREAM_HEALTH_H

#include "session/upstream/round_robin.h"

/*
 * While the configuration is read: u has one check more.  Returns its bit; 0:
 * it has too many.
 */
uint32_t lun_upstream_add_check(lun_upstream *u, bool mandatory,
    bool persistent);

static inline bool
lun_upstream_is_well(const lun_upstream_group *g, const lun_upstream_state *s)
{
    return ((s->unwell | s->checking) & g->checks.all) == 0;
}

/*
 * For who holds the lock: a generation has this server for the first time, and
 * maybe (`is_new`) so has everybody.
 */
void lun_upstream_begin_checks(const lun_upstream_group *g,
    lun_upstream_state *s, bool is_new);

/* What a check says of a server; a few in a row may say nothing yet. */
typedef enum {
    LUN_HEALTH_AS_BEFORE,
    LUN_HEALTH_WELL,
    LUN_HEALTH_UNWELL
} lun_health_verdict;

/*
 * A check of that bit was made.  Whether the server has become well by that, or
 * unwell; else AS_BEFORE.  *failing, false at first, is whether this process
 * has counted it among checks that say so now.  Takes the lock.
 */
lun_health_verdict lun_upstream_note_check(const lun_upstream_group *g,
    const lun_upstream_server *p, uint32_t bit, bool passed,
    lun_health_verdict verdict, bool *failing);

/* It has not yet been checked, and has to be. */
bool lun_upstream_waits_for_check(const lun_upstream_group *g,
    const lun_upstream_server *p, uint32_t bit);

/* This process does not make that check any more, or others do. */
void lun_upstream_leave_check(const lun_upstream_server *p, bool *failing);

#endif
