/*
 * acme_plan.c -- what is to be done next for a certificate, and when.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_plan.h"

#include "modules/http/acme/order/acme_time.h"


enum {
    DAY = 86400,
    WEEK = 7 * DAY,
    LOOK_FIRST = 10,               /* seconds until the authority is asked */
    LOOK_AGAIN = 6 * 3600,
    CALM = 3600,                   /* between two orders, or a third of what
                                      the certificate lives, if that is less */
    FAR = 8 * DAY                  /* nothing is planned so far ahead */
};


static int64_t
calm_of(const lun_acme_state *s)
{
    return lun_max((int64_t) 1, lun_min((int64_t) CALM,
                                        (s->until - s->from) / 3));
}


/* s->due and s->look are set. */
static void
set_next(lun_acme_state *s, int64_t now)
{
    if (s->tried != 0) {
        s->due = lun_max(s->due, s->tried + calm_of(s));
    }

    s->next = lun_max(lun_min(s->look, s->due), now);
}


void
lun_acme_plan_begin(lun_acme_state *s, uint64_t seed, int64_t now)
{
    s->due = lun_acme_due(s->from, s->until, seed);
    s->look = now + LOOK_FIRST;
    set_next(s, now);
}


void
lun_acme_plan_issued(lun_acme_state *s, const lun_acme_state *before,
    uint64_t seed, int64_t now)
{
    s->issued = before->issued + 1;
    s->tried = now;
    lun_acme_plan_begin(s, seed, now);

    /* Who has asked for that in the meantime does not mean the old one. */
    if (before->is_asked == LUN_ACME_TO_REVOKE) {
        s->is_asked = before->is_asked;
        s->next = now;
    }
}


void
lun_acme_plan_looked(lun_acme_state *s, const lun_acme_window *w,
    int64_t retry_after, uint64_t seed, int64_t now)
{
    s->is_at_work = 0;
    s->look = now + (retry_after != 0 ? retry_after : LOOK_AGAIN);

    if (w->end != 0) {
        s->due = lun_acme_due_in(w->start, w->end, s->until - 60, seed);
    }

    set_next(s, now);
}


void
lun_acme_plan_revoked(lun_acme_state *s, int64_t now)
{
    s->is_at_work = 0;
    s->is_asked = LUN_ACME_TO_RENEW;
    s->next = now;
}


/* The authority is asked again when it is time to look, no sooner. */
static int64_t
not_looked(lun_acme_state *s, int64_t retry_after, int64_t now)
{
    s->look = now + lun_max(retry_after, (int64_t) LOOK_AGAIN);
    set_next(s, now);
    return s->look - now;
}


int64_t
lun_acme_plan_failed(lun_acme_state *s, const lun_acme_failure *f,
    uint64_t seed, int64_t now)
{
    bool      refused = f->refused && f->retry_after == 0;
    int64_t   wait;
    unsigned  issuers = (unsigned) lun_max(f->issuers, (size_t) 1);

    s->is_at_work = 0;

    if (f->purpose == LUN_ACME_LOOK) {
        return not_looked(s, f->retry_after, now);
    }

    /* It is revoked already, or never will be: another one is wanted. */
    if (f->purpose == LUN_ACME_REVOKE && refused) {
        s->is_asked = LUN_ACME_TO_RENEW;
    }

    s->tried = now;
    s->failures++;
    s->refusals += refused;        /* "later" is none */
    s->was_refused |= refused;

    if (f->purpose == LUN_ACME_ISSUE && ++s->turn < issuers) {
        s->next = now;
        return 0;
    }

    wait = s->was_refused
           ? lun_acme_back_off((s->refusals + issuers - 1) / issuers, true,
                               seed)
           : lun_acme_back_off((s->failures + issuers - 1) / issuers, false,
                               seed);

    /* With several, the one that wants to be left alone is passed over. */
    if (issuers == 1) {
        wait = lun_max(wait, f->retry_after);
    }

    s->turn = 0;
    s->was_refused = 0;
    s->next = now + wait;
    return wait;
}


void
lun_acme_plan_clock(lun_acme_state *s, int64_t now)
{
    if (s->next > now + FAR) {
        s->next = now;
    }

    if (s->look > now + FAR) {
        s->look = now;
    }

    if (s->tried > now) {
        s->tried = now;
    }

    if (s->warned > now) {
        s->warned = 0;
    }
}


lun_acme_purpose
lun_acme_plan_purpose(const lun_acme_state *s, int64_t now)
{
    if (s->is_asked == LUN_ACME_TO_REVOKE && !s->is_own) {
        return LUN_ACME_REVOKE;
    }

    return s->is_own || s->is_asked || s->due <= now ? LUN_ACME_ISSUE
                                                     : LUN_ACME_LOOK;
}


bool
lun_acme_plan_warns(lun_acme_state *s, int64_t now)
{
    bool     urgent, late;
    int64_t  left = s->until - now, life = s->until - s->from;

    if (s->is_own || s->until == 0 || left > life / 3) {
        return false;
    }

    urgent = left <= WEEK;
    late = s->failures != 0
           || now - s->due > lun_min((int64_t) CALM, life / 50);

    if ((!urgent && !late)
        || (s->warned != 0 && (!urgent || now - s->warned < DAY)))
    {
        return false;
    }

    s->warned = now;
    return true;
}
