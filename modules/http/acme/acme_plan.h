/*
 * acme_plan.h -- what is to be done next for a certificate, and when: after a
 * start, an order, a look, a failure.  Pure: a state and a moment (seconds
 * since the epoch) go in, the state comes out.
 *
 * Nothing here makes a moment that is over already twice in a row: whatever an
 * authority or a clock says, there is a time between two orders.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_PLAN_H
#define LUN_ACME_PLAN_H

#include "modules/http/acme/order/acme_flow.h"
#include "modules/http/acme/acme_zone.h"

/* How a flow has ended that has not reached its end. */
typedef struct {
    lun_acme_purpose  purpose;
    bool              refused;     /* by the authority */
    int64_t           retry_after; /* that it has said; or 0 */
    size_t            issuers;     /* that can be asked, one after the other */
} lun_acme_failure;

/* There is a certificate: from and until are set. */
void lun_acme_plan_begin(lun_acme_state *state, uint64_t seed, int64_t now);

/* It came just now; `before` is what was known of the one that it replaces. */
void lun_acme_plan_issued(lun_acme_state *state, const lun_acme_state *before,
    uint64_t seed, int64_t now);

/* What the authority says of its renewal; the window's end is 0: nothing. */
void lun_acme_plan_looked(lun_acme_state *state, const lun_acme_window *w,
    int64_t retry_after, uint64_t seed, int64_t now);

/* Another one is wanted in its place at once. */
void lun_acme_plan_revoked(lun_acme_state *state, int64_t now);

/* Seconds until the next try; 0: the next issuer is asked now. */
int64_t lun_acme_plan_failed(lun_acme_state *state, const lun_acme_failure *f,
    uint64_t seed, int64_t now);

/* Moments that are further away than any that is planned are a clock's that
   was ahead. */
void lun_acme_plan_clock(lun_acme_state *state, int64_t now);

/* What a flow is to do that begins now. */
lun_acme_purpose lun_acme_plan_purpose(const lun_acme_state *state,
    int64_t now);

/*
 * Whether people are to be told that it expires: once when a third of its life
 * is left and it should have been renewed, and each day in its last week.
 * Notes that they were.
 */
bool lun_acme_plan_warns(lun_acme_state *state, int64_t now);

#endif
