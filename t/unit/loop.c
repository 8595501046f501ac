/*
 * loop.c -- tasks, timers and completions in one turn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/loop.c"

#include "loop_help.h"
#include "tap.h"


static char       order[64];
static lun_task   a, b, c;
static lun_timer  timer;
static lun_op     op;


static void  note(const char *what) { strcat(order, what); }

static void  on_a(lun_task *t)  { note("a"); }
static void  on_b(lun_task *t)  { note("b"); }
static void  on_c(lun_task *t)  { note("c"); lun_loop_unpost(&b); }
static void  on_op(lun_op *o)   { note("o"); }

static void
on_timer(lun_timer *t)
{
    note("t");
}


static void
on_again(lun_task *t)
{
    note("r");
    lun_loop_post(lp, t, on_again);
}


static void
on_stop(lun_task *t)
{
    note("s");
    lun_loop_stop(lp);
}


static void
runs_tasks_in_order_once(void)
{
    order[0] = '\0';
    lun_loop_post(lp, &a, on_a);
    lun_loop_post(lp, &b, on_b);
    lun_loop_post(lp, &a, on_a);
    lun_loop_turn(lp, 0);
    lun_loop_turn(lp, 0);
    is_str(order, "ab", "in order, twice is once");
}


static void
takes_tasks_back(void)
{
    order[0] = '\0';
    lun_loop_post(lp, &a, on_a);
    lun_loop_post(lp, &b, on_b);
    lun_loop_unpost(&b);
    lun_loop_unpost(&b);
    lun_loop_post(lp, &c, on_b);
    lun_loop_turn(lp, 0);
    is_str(order, "ab", "from the middle");

    order[0] = '\0';
    lun_loop_post(lp, &c, on_c);
    lun_loop_post(lp, &b, on_b);
    lun_loop_turn(lp, 0);
    is_str(order, "c", "from the turn that runs");

    order[0] = '\0';
    lun_loop_post(lp, &a, on_a);
    lun_loop_turn(lp, 0);
    is_str(order, "a", "and the queue's end is right afterwards");
}


static void
gives_each_turn_its_tasks(void)
{
    order[0] = '\0';
    lun_loop_post(lp, &a, on_again);
    lun_loop_turn(lp, LUN_PORT_FOREVER);
    is_str(order, "r", "one that posts itself waits for the next turn");
    lun_loop_turn(lp, LUN_PORT_FOREVER);
    is_str(order, "rr", "and the turn does not wait");
    lun_loop_unpost(&a);
}


static void
goes_completions_timers_tasks(void)
{
    order[0] = '\0';
    op.done = on_op;
    lun_port_post(lp->port, &op);
    lun_timer_start(lp, &timer, 0, on_timer);
    lun_loop_post(lp, &a, on_a);
    lun_loop_turn(lp, LUN_PORT_FOREVER);
    is_str(order, "ota", "in one turn");
}


static void
waits_for_the_next_timer(void)
{
    order[0] = '\0';
    lun_timer_start(lp, &timer, 5, on_timer);

    while (order[0] == '\0') {
        lun_loop_turn(lp, LUN_PORT_FOREVER);   /* maybe a little early */
    }

    is_str(order, "t", "fires though nothing else happens");
}


static void
stops(void)
{
    order[0] = '\0';
    lun_loop_post(lp, &a, on_stop);
    lun_loop_run(lp);
    is_str(order, "s", "from a task");

    lun_loop_stop(lp);
    lun_loop_run(lp);
    ok(1, "before it ran");
}


static void
begins_anew(void)
{
    lun_loop_post(lp, &a, on_a);
    is_int((int64_t) lun_loop_task_count(lp), 1, "a task is posted");
    lun_timer_start(lp, &timer, 0, on_timer);
    order[0] = '\0';
    is_int(lun_loop_init(lp), 0, "init again");
    is_int((int64_t) lun_loop_task_count(lp), 0, "and now none is");
    lun_loop_turn(lp, 0);
    is_str(order, "", "what was before is forgotten");
    ok(!lun_loop_has_posted(&a) && !lun_timer_runs(&timer),
       "and may be used again");
}


int
main(void)
{
    lun_sock_init();
    is_int(lun_loop_init(lp), 0, "init");

    runs_tasks_in_order_once();
    takes_tasks_back();
    gives_each_turn_its_tasks();
    goes_completions_timers_tasks();
    waits_for_the_next_timer();
    stops();
    begins_anew();

    lun_loop_fini(lp);
    return done_testing();
}
