/*
 * timer.c -- timers against a clock that the test moves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/timer.c"

#include "loop_help.h"
#include "tap.h"


typedef struct {
    lun_timer  timer;
    int        fired;
    lun_msec   at;
} probe;

static probe  *last_fired, *victim;
static int     order_seen;


static void
on_fire(lun_timer *timer)
{
    probe  *p = lun_container_of(timer, probe, timer);

    p->fired++;
    p->at = lun_clock.mono;
    last_fired = p;
}


static void
on_fire_in_order(lun_timer *timer)
{
    lun_container_of(timer, probe, timer)->fired = ++order_seen;
}


static void
on_fire_again(lun_timer *timer)
{
    on_fire(timer);
    lun_timer_start(lp, timer, 0, on_fire_again);
}


static void
on_fire_stop_victim(lun_timer *timer)
{
    on_fire(timer);
    lun_timer_stop(&victim->timer);
}


static void
run_to(lun_msec t)
{
    while (lun_clock.mono < t) {
        lun_clock.mono++;
        lun_timer_fire_due(lp);
    }
}


static void
fires_once_at_its_time(void)
{
    probe  p = { 0 };

    lun_clock.mono = 1000;
    lun_timer_start(lp, &p.timer, 50, on_fire);
    is_int((int64_t) lun_timer_next(lp), 50, "next");
    ok(lun_timer_runs(&p.timer), "runs");

    run_to(1049);
    is_int(p.fired, 0, "not before");
    run_to(1200);
    is_int(p.fired, 1, "once");
    is_int((int64_t) p.at, 1050, "at its time");
    ok(!lun_timer_runs(&p.timer), "runs no more");
    ok(lun_timer_next(lp) == UINT64_MAX, "nothing next");
}


static void
moves_later_without_touching_the_heap(void)
{
    probe  p = { 0 };

    lun_clock.mono = 1000;
    lun_timer_start(lp, &p.timer, 50, on_fire);
    run_to(1040);
    lun_timer_start(lp, &p.timer, 50, on_fire);
    is_int((int64_t) (p.timer.node.key >> ORDER_BITS), 1050,
           "its place is the old one");

    run_to(1089);
    is_int(p.fired, 0, "not at the old time");
    is_int((int64_t) (p.timer.node.key >> ORDER_BITS), 1090,
           "put back when it came up");
    run_to(1100);
    is_int((int64_t) p.at, 1090, "at the new time");
}


static void
equal_ones_fire_in_the_order_of_their_starts(void)
{
    int    i, good = 0;
    probe  p[50] = { 0 };

    lun_clock.mono = 1000;

    for (i = 0; i < 50; i++) {
        lun_timer_start(lp, &p[i * 7 % 50].timer, 10, on_fire_in_order);
    }

    order_seen = 0;
    lun_clock.mono = 1010;
    lun_timer_fire_due(lp);

    for (i = 0; i < 50; i++) {
        good += p[i * 7 % 50].fired == i + 1;
    }

    is_int(good, 50, "first started, first fired");
}


static void
moves_earlier(void)
{
    probe  p = { 0 };

    lun_clock.mono = 1000;
    lun_timer_start(lp, &p.timer, 500, on_fire);
    lun_timer_start(lp, &p.timer, 20, on_fire);
    is_int((int64_t) lun_timer_next(lp), 20, "next");
    run_to(1600);
    is_int(p.fired, 1, "once");
    is_int((int64_t) p.at, 1020, "at the earlier time");
}


static void
stops(void)
{
    probe  p = { 0 }, q = { 0 };

    lun_clock.mono = 1000;
    lun_timer_stop(&p.timer);
    lun_timer_start(lp, &p.timer, 10, on_fire);
    lun_timer_stop(&p.timer);
    lun_timer_stop(&p.timer);
    run_to(1100);
    is_int(p.fired, 0, "stopped");

    victim = &q;
    lun_timer_start(lp, &p.timer, 10, on_fire_stop_victim);
    lun_timer_start(lp, &q.timer, 11, on_fire);
    lun_clock.mono += 100;
    lun_timer_fire_due(lp);
    is_int(q.fired, 0, "by another that fires in the same turn");
}


static void
becomes_idle_while_it_runs(void)
{
    probe   p = { 0 };
    size_t  before = lun_timer_pending(lp);

    lun_clock.mono = 1000;
    lun_timer_set_idle(&p.timer, true);
    lun_timer_start(lp, &p.timer, 10, on_fire);
    is_int((int64_t) (lun_timer_pending(lp) - before), 0, "idle from a start");
    lun_timer_set_idle(&p.timer, false);
    lun_timer_set_idle(&p.timer, false);
    is_int((int64_t) (lun_timer_pending(lp) - before), 1, "not idle any more");
    lun_timer_set_idle(&p.timer, true);
    is_int((int64_t) (lun_timer_pending(lp) - before), 0, "idle again");
    lun_timer_set_idle(&p.timer, false);
    lun_timer_stop(&p.timer);
    is_int((int64_t) (lun_timer_pending(lp) - before), 0, "stopped");
    lun_timer_set_idle(&p.timer, true);
    lun_timer_set_idle(&p.timer, false);
    is_int((int64_t) (lun_timer_pending(lp) - before), 0,
           "one that does not run is not counted");
}


static void
fires_in_order(void)
{
    int    i, good;
    probe  p[100] = { 0 };

    lun_clock.mono = 1000;

    for (i = 0; i < 100; i++) {
        lun_timer_start(lp, &p[i].timer, (lun_msec) (i * 37 % 100), on_fire);
    }

    for (i = 0, good = 0; i < 100; i++) {
        last_fired = NULL;
        lun_timer_fire_due(lp);
        good += last_fired != NULL
                && last_fired->at == last_fired->timer.deadline;
        lun_clock.mono++;
    }

    is_int(good, 100, "each at its own millisecond");
}


static void
does_not_stay_with_one_that_restarts(void)
{
    probe  p = { 0 };

    lun_clock.mono = 1000;
    lun_timer_start(lp, &p.timer, 0, on_fire_again);
    lun_timer_fire_due(lp);
    is_int(p.fired, 1, "one turn, one call");
    lun_timer_fire_due(lp);
    is_int(p.fired, 2, "and in the next turn again");
    lun_timer_stop(&p.timer);
}


static void
counts_those_that_keep_the_loop(void)
{
    probe  p = { 0 }, q = { .timer.idle = true };

    lun_timer_start(lp, &p.timer, 10, on_fire);
    lun_timer_start(lp, &p.timer, 20, on_fire);
    lun_timer_start(lp, &q.timer, 10, on_fire);
    is_int((int64_t) lun_timer_pending(lp), 1, "idle ones do not");
    is_int((int64_t) lun_timer_count(lp), 2, "though they are there");
    lun_timer_stop(&p.timer);
    is_int((int64_t) lun_timer_pending(lp), 0, "stopped");
    lun_timer_start(lp, &p.timer, UINT64_MAX, on_fire);
    ok(p.timer.deadline == UINT64_MAX, "for ever is for ever");

    lun_timer_reset(lp);
    ok(!lun_timer_runs(&p.timer) && !lun_timer_runs(&q.timer), "reset");
    is_int((int64_t) lun_timer_pending(lp), 0, "none");
}


int
main(void)
{
    fires_once_at_its_time();
    moves_later_without_touching_the_heap();
    equal_ones_fire_in_the_order_of_their_starts();
    moves_earlier();
    stops();
    becomes_idle_while_it_runs();
    fires_in_order();
    does_not_stay_with_one_that_restarts();
    counts_those_that_keep_the_loop();

    return done_testing();
}
