/*
 * acme_plan.c -- what is to be done next for a certificate, and when.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/acme/acme_plan.c"
#include "tap.h"


enum { NOW = 1700000000, LIFE = 90 * DAY };


/* Good for 90 days, so many of which are over. */
static lun_acme_state
aged(int64_t days)
{
    lun_acme_state  s = {
        .from = NOW - days * DAY, .until = NOW - days * DAY + LIFE
    };

    lun_acme_plan_begin(&s, 0, NOW);
    return s;
}


static lun_acme_failure
failure(lun_acme_purpose purpose, bool refused, int64_t retry_after,
    size_t issuers)
{
    return (lun_acme_failure) { purpose, refused, retry_after, issuers };
}


static void
good_ways(void)
{
    lun_acme_state   s = aged(1), next;
    lun_acme_window  w = { .start = NOW + 5, .end = NOW + 5 };

    is_int(s.due, s.from + 60 * DAY, "due when a third of its life is left");
    is_int(s.next, NOW + LOOK_FIRST, "the authority is asked before");
    is_int(lun_acme_plan_purpose(&s, NOW), LUN_ACME_LOOK, "for when");
    lun_acme_plan_looked(&s, &w, 0, 0, NOW);
    is_int(s.next, NOW + 5, "that may be soon");
    is_int(lun_acme_plan_purpose(&s, NOW + 5), LUN_ACME_ISSUE, "then it is "
           "ordered");
    w = (lun_acme_window) { .start = NOW + 50 * DAY, .end = NOW + 60 * DAY };
    lun_acme_plan_looked(&s, &w, 100, 0, NOW);
    is_int(s.next, NOW + 100, "or later, and it says when to ask again");

    next = (lun_acme_state) { .from = NOW, .until = NOW + LIFE };
    s.is_asked = LUN_ACME_TO_RENEW;
    s.failures = 3;
    s.issued = 4;
    lun_acme_plan_issued(&next, &s, 0, NOW);
    ok(next.issued == 5 && next.failures == 0 && next.is_asked == 0,
       "a new one begins anew");
    s.is_asked = LUN_ACME_TO_REVOKE;
    lun_acme_plan_issued(&next, &s, 0, NOW);
    is_int(lun_acme_plan_purpose(&next, NOW), LUN_ACME_REVOKE,
           "who wants it revoked is not forgotten");
    lun_acme_plan_revoked(&next, NOW);
    is_int(lun_acme_plan_purpose(&next, NOW), LUN_ACME_ISSUE,
           "after that there is another one");
}


static void
failures(void)
{
    int64_t           wait;
    lun_acme_state    s = aged(70);
    lun_acme_failure  away = failure(LUN_ACME_ISSUE, false, 0, 1);
    lun_acme_failure  no = failure(LUN_ACME_ISSUE, true, 0, 1);

    is_int(lun_acme_plan_failed(&s, &away, 0, NOW), 5, "it is tried again");
    is_int(lun_acme_plan_failed(&s, &away, 0, NOW), 10, "later and later");
    is_int(lun_acme_plan_failed(&s, &no, 0, NOW), 60, "who refuses is asked "
           "less often");
    no.retry_after = 4711;
    is_int(lun_acme_plan_failed(&s, &no, 0, NOW), 4711, "or when it says");
    ok(s.next == NOW + 4711 && s.failures == 4 && s.refusals == 1,
       "all is counted, and \"later\" is no refusal");
    no.retry_after = 1;
    is_int(lun_acme_plan_failed(&s, &no, 0, NOW), 80, "not at once, though");

    s = aged(1);
    s.is_asked = LUN_ACME_TO_RENEW;
    (void) lun_acme_plan_failed(&s, &away, 0, NOW);
    is_int(lun_acme_plan_purpose(&s, s.next), LUN_ACME_ISSUE,
           "what somebody has asked for is tried again");
    s.is_asked = LUN_ACME_TO_REVOKE;
    away.purpose = no.purpose = LUN_ACME_REVOKE;
    (void) lun_acme_plan_failed(&s, &away, 0, NOW);
    is_int(lun_acme_plan_purpose(&s, s.next), LUN_ACME_REVOKE,
           "a revocation, too");
    no.retry_after = 0;
    (void) lun_acme_plan_failed(&s, &no, 0, NOW);
    is_int(lun_acme_plan_purpose(&s, s.next), LUN_ACME_ISSUE,
           "unless it was refused");

    s = aged(1);
    away.purpose = LUN_ACME_LOOK;
    wait = lun_acme_plan_failed(&s, &away, 0, NOW);
    ok(wait == LOOK_AGAIN && s.failures == 0 && s.next == NOW + LOOK_AGAIN,
       "a look that failed is no failure");
}


/* The next is asked at once; when nobody is left, it is time to wait. */
static void
several_issuers(void)
{
    lun_acme_state    s = aged(70);
    lun_acme_failure  away = failure(LUN_ACME_ISSUE, false, 0, 3);
    lun_acme_failure  no = failure(LUN_ACME_ISSUE, true, 0, 3);

    is_int(lun_acme_plan_failed(&s, &no, 0, NOW), 0, "the second is asked");
    ok(s.turn == 1 && s.next == NOW, "at once");
    is_int(lun_acme_plan_failed(&s, &away, 0, NOW), 0, "and the third");
    is_int(lun_acme_plan_failed(&s, &away, 0, NOW), 60,
           "one that refuses makes all wait for a minute");
    is_int(s.turn, 0, "then it begins again");
    (void) lun_acme_plan_failed(&s, &away, 0, NOW);
    (void) lun_acme_plan_failed(&s, &away, 0, NOW);
    is_int(lun_acme_plan_failed(&s, &away, 0, NOW), 10,
           "where all are away, as if they were one");
}


/* Whoever says what, there is a time between two orders. */
static void
no_loops(void)
{
    lun_acme_state   s = { .from = NOW - LIFE, .until = NOW - DAY }, no = { 0 };
    lun_acme_window  w = { .start = NOW - 100, .end = NOW - 50 };

    lun_acme_plan_issued(&s, &no, 0, NOW);
    is_int(s.next, NOW + LOOK_FIRST, "a clock that is ahead: first a look");
    lun_acme_plan_looked(&s, &(lun_acme_window) { 0 }, 60, 0, NOW + 10);
    ok(lun_acme_plan_purpose(&s, NOW + CALM - 1) == LUN_ACME_LOOK
       && lun_acme_plan_purpose(&s, NOW + CALM) == LUN_ACME_ISSUE,
       "the next order is an hour later");

    s = (lun_acme_state) { .from = NOW, .until = NOW + LIFE };
    lun_acme_plan_issued(&s, &no, 0, NOW);
    lun_acme_plan_looked(&s, &w, 60, 0, NOW + 10);
    is_int(s.due, NOW + CALM, "the same where an authority wants it at once");
    s = (lun_acme_state) { .from = NOW, .until = NOW + 30 };
    lun_acme_plan_issued(&s, &no, 0, NOW);
    is_int(s.next, NOW + 10, "one of seconds is renewed in seconds");

    s = (lun_acme_state) { .from = NOW, .until = NOW - 100 };
    lun_acme_plan_issued(&s, &no, 0, NOW);
    ok(s.due > NOW, "one that ends before it begins is not ordered again");
}


static void
clocks(void)
{
    lun_acme_state  s = aged(1);

    s.next = s.look = s.tried = s.warned = NOW + LIFE;
    lun_acme_plan_clock(&s, NOW);
    ok(s.next == NOW && s.look == NOW && s.tried == NOW && s.warned == 0,
       "what a clock that was ahead has planned is not waited for");
    s.next = NOW + 7 * DAY;
    lun_acme_plan_clock(&s, NOW);
    is_int(s.next, NOW + 7 * DAY, "what an authority wants is");
}


/* A certificate over 60 days of a clock that jumps by so much on the tenth,
   and back on the twentieth: how often it is ordered. */
static int
orders_over(int64_t jump, int64_t *looks)
{
    int              orders = 0, runs = 0;
    int64_t          t, now, least = LIFE;
    lun_acme_state   s = { .is_own = 1, .next = NOW }, before;
    lun_acme_window  none = { 0 };

    *looks = 0;

    for (t = 0; t < 60 * DAY; t += 60) {
        now = NOW + t + (t >= 10 * DAY && t < 20 * DAY ? jump : 0);
        lun_acme_plan_clock(&s, now);

        for (runs = 0; s.next <= now && runs < 10; runs++) {
            if (lun_acme_plan_purpose(&s, now) == LUN_ACME_ISSUE) {
                orders++;
                before = s;
                s = (lun_acme_state) { .from = now, .until = now + LIFE };
                lun_acme_plan_issued(&s, &before, 0, now);
            } else {
                (*looks)++;
                lun_acme_plan_looked(&s, &none, 0, 0, now);
            }
        }

        least = runs == 10 ? -1 : lun_min(least, s.next - now);
    }

    return least < 0 ? -1 : orders;
}


static void
jumps(void)
{
    static const struct {
        const char  *name;
        int64_t      jump;
        int          orders;
    } rows[] = {
        { "a clock that goes as it should: one order", 0, 1 },
        { "a year ahead, and back: one more for that year", 366 * DAY, 2 },
        { "a day back, and ahead again", -DAY, 1 },
        { "ten years back: nothing has expired", -3660 * DAY, 1 },
    };

    size_t   i;
    int64_t  looks;

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        is_int(orders_over(rows[i].jump, &looks), rows[i].orders, rows[i].name);
        ok(looks > 200 && looks < 4 * 61, "and looks as before");
    }
}


static void
warnings(void)
{
    lun_acme_state  s = aged(59);

    s.failures = 1;
    ok(!lun_acme_plan_warns(&s, NOW), "not before a third is left");
    s = aged(61);
    s.due = NOW + DAY;
    ok(!lun_acme_plan_warns(&s, NOW), "nor if the authority wants it later");
    s.due = NOW - 2 * DAY;
    ok(lun_acme_plan_warns(&s, NOW), "one that should have been renewed");
    ok(!lun_acme_plan_warns(&s, NOW + 2 * DAY), "is told of once");
    ok(lun_acme_plan_warns(&s, NOW + 22 * DAY), "until there are seven days");
    ok(!lun_acme_plan_warns(&s, NOW + 23 * DAY - 1), "and then");
    ok(lun_acme_plan_warns(&s, NOW + 23 * DAY), "daily");
    ok(lun_acme_plan_warns(&s, NOW + 100 * DAY), "until there is another one");

    s = aged(100);
    s.is_own = 1;
    ok(!lun_acme_plan_warns(&s, NOW), "our own is nobody's to renew");

    s = (lun_acme_state) { .from = NOW, .until = NOW + 6 * DAY };
    lun_acme_plan_begin(&s, 0, NOW);
    ok(!lun_acme_plan_warns(&s, NOW) && !lun_acme_plan_warns(&s, NOW + 3 * DAY)
       && lun_acme_plan_warns(&s, NOW + 4 * DAY),
       "one of six days, when two are left");
}


int
main(void)
{
    good_ways();
    failures();
    several_issuers();
    no_loops();
    clocks();
    jumps();
    warnings();
    return done_testing();
}
