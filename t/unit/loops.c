/*
 * loops.c -- two loops of a process do not see each other: what is started,
 * posted, accepted, kept or given to threads in one of them happens there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/conn_pool.c"

#include "net/listen.h"
#include "net/thread_pool.h"
#include "os/lock.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 20000 };            /* ms for what should be soon */

/* A loop, and what has happened in it. */
typedef struct {
    lun_loop         loop;
    lun_pool        *pool;
    lun_listen_set  *set;
    lun_listener    *listener;
    lun_addr         addr;
    lun_conn        *accepted;
    lun_conn        *client;
    lun_timer        timer;
    lun_task         task;
    lun_job          job;
    int              fired;
    int              ran;
    int              done;         /* jobs */
    int              closed;
} side;

static side     one, two;
static lun_log  log_;


/* --- timers and tasks ---------------------------------------------------- */

static void
on_timer(lun_timer *timer)
{
    lun_container_of(timer, side, timer)->fired++;
}


static void
on_task(lun_task *task)
{
    lun_container_of(task, side, task)->ran++;
}


static void
test_timers(void)
{
    lun_timer_start(&one.loop, &one.timer, 0, on_timer);
    lun_timer_start(&two.loop, &two.timer, 0, on_timer);
    is_int((int64_t) lun_timer_count(&one.loop), 1, "each has its timer");

    lun_loop_turn(&one.loop, 0);
    is_int(one.fired, 1, "a loop fires its own");
    is_int(two.fired, 0, "and not another's");
    ok(lun_timer_next(&one.loop) == UINT64_MAX, "it would wait for ever");
    is_int((int64_t) lun_timer_next(&two.loop), 0, "the other would not");

    lun_loop_turn(&two.loop, 0);
    is_int(two.fired, 1, "which is fired in its turn");

    lun_timer_start(&two.loop, &two.timer, 1000, on_timer);
    is_int((int64_t) lun_timer_pending(&one.loop), 0, "one counts none");
    lun_timer_stop(&two.timer);
    is_int((int64_t) lun_timer_pending(&two.loop), 0, "stopped where it ran");

    lun_timer_start(&one.loop, &two.timer, 0, on_timer);
    lun_loop_turn(&one.loop, 0);
    is_int(two.fired, 2, "and may run elsewhere after");
}


static void
test_tasks(void)
{
    lun_loop_post(&one.loop, &one.task, on_task);
    lun_loop_post(&two.loop, &two.task, on_task);
    lun_loop_turn(&two.loop, LUN_PORT_FOREVER);
    is_int(two.ran, 1, "a loop runs its tasks");
    is_int(one.ran, 0, "and not another's");

    lun_loop_unpost(&one.task);
    is_int((int64_t) lun_loop_task_count(&one.loop), 0, "taken back");
    lun_loop_turn(&one.loop, 0);
    is_int(one.ran, 0, "where it was");

    lun_loop_stop(&two.loop);
    lun_loop_post(&one.loop, &one.task, on_task);
    lun_loop_turn(&one.loop, LUN_PORT_FOREVER);
    is_int(one.ran, 1, "a loop goes on when another was stopped");
    lun_loop_run(&two.loop);
}


/* --- connections --------------------------------------------------------- */

static void
on_end(lun_conn *c)
{
}


static void
note_quit(lun_conn *c)
{
    side  *s = c->data;

    s->closed++;
    s->accepted = NULL;
    lun_conn_close(c);
}


static const lun_conn_state  open_state = {
    .name = "test", .doing = "testing", .on_read = on_end,
    .on_written = on_end, .on_gone = on_end, .on_quit = note_quit,
};


static void
on_accept(lun_listener *l, lun_fd fd, const lun_addr *peer)
{
    side  *s = l->data;

    s->accepted = lun_conn_accept(l, fd, peer, 256, &log_);
    s->accepted->data = s;
    lun_conn_enter(s->accepted, &open_state);
}


static void
listen_in(side *s)
{
    bool      fresh;
    lun_addr  any;

    lun_addr_parse(LUN_STR("127.0.0.1"), &any);
    s->pool = lun_pool_new_sized(1024);
    s->set = lun_listen_set_new(s->pool);
    s->listener = lun_listen_want(s->set, &any, &fresh);
    s->listener->take = on_accept;
    s->listener->data = s;

    if (lun_listen_open(s->set, NULL, 1, &log_) != LUN_OK
        || lun_listen_start(s->set, &s->loop, 0, &log_) != LUN_OK
        || lun_sock_local(s->listener->fd, &s->addr) != 0)
    {
        ok(0, "cannot listen");
        exit(1);
    }
}


static void
connect_to(side *s)
{
    lun_err  err;

    s->client = lun_conn_new_out(&s->loop, LUN_AF_INET, 256, &log_, &err);

    if (s->client == NULL) {
        ok(0, "cannot connect");
        exit(1);
    }

    s->client->data = s;
    lun_conn_enter(s->client, &open_state);
    lun_conn_connect(s->client, &s->addr);
}


static bool
turn_until_accepted(side *s)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while ((s->accepted == NULL || lun_conn_writing(s->client))
           && lun_time_monotonic() < end)
    {
        lun_loop_turn(&s->loop, 20);
    }

    return s->accepted != NULL;
}


static void
test_connections(void)
{
    listen_in(&one);
    listen_in(&two);
    connect_to(&one);
    connect_to(&two);

    ok(turn_until_accepted(&one), "a loop accepts");
    ok(two.accepted == NULL, "for itself alone");
    is_int((int64_t) lun_conn_count(&one.loop), 2, "two are its own");
    is_int((int64_t) lun_conn_count(&two.loop), 1, "the other has one");
    ok(one.accepted->loop == &one.loop, "a connection knows its loop");
    ok(turn_until_accepted(&two), "the other accepts in its turn");
    ok(one.accepted->number != two.accepted->number,
       "the log tells them apart");

    lun_conn_set_idle(one.accepted, true);
    is_int((int64_t) lun_conn_idle_count(&one.loop), 1, "one is idle");
    is_int((int64_t) lun_conn_idle_count(&two.loop), 0, "none is there");
    lun_conn_quit(&one.loop);
    is_int(one.closed, 2, "a loop that quits tells its own");
    is_int(two.closed, 0, "and leaves the others");
    is_int((int64_t) lun_conn_open_count(&two.loop), 2, "they are open");
}


/* An idle connection is kept for who lives in the same loop. */
static void
test_pools(void)
{
    uint64_t        reused;
    lun_str         name = LUN_STR("a server");
    lun_conn       *c = NULL;
    lun_conn_pool  *pool = lun_conn_pool_get(&two.loop, name, 2, -1);

    lun_conn_pool_keep(pool, two.client, 0, 0, false);
    ok(lun_conn_pool_get(&one.loop, name, 0, -1) == NULL, "no such pool here");
    ok(lun_conn_pool_get(&two.loop, name, 0, -1) == pool, "but there");
    lun_conn_pool_close_idle(&one.loop);
    is_int(lun_conn_pool_take(pool, NULL, false, &c, &reused),
           LUN_CONN_POOL_REUSED, "it was not closed");
    lun_conn_close(c);
    lun_conn_pool_leave(pool);
}


/* --- threads ------------------------------------------------------------- */

static void
on_work(lun_job *job)
{
}


static void
on_done(lun_job *job)
{
    lun_container_of(job, side, job)->done++;
}


static void
add_job(lun_thread_pool *tp, side *s)
{
    s->job.work = on_work;
    s->job.done = on_done;
    is_int(lun_thread_pool_add(tp, &s->loop, &s->job, &log_), LUN_OK,
           "a job");
}


static void
turn_until_done(side *s)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (s->done == 0 && lun_time_monotonic() < end) {
        lun_loop_turn(&s->loop, 20);
    }
}


static void
test_jobs(void)
{
    lun_thread_pool  tp = { .name = LUN_STR("a"), .threads = 2,
                            .max_queue = 8 };

    add_job(&tp, &one);
    add_job(&tp, &two);
    lun_thread_pool_drain(&tp);
    turn_until_done(&one);
    is_int(one.done, 1, "a job comes back to the loop that gave it");
    is_int(two.done, 0, "and not to another");
    turn_until_done(&two);
    is_int(two.done, 1, "which has its own");
}


/* --- ends ---------------------------------------------------------------- */

static void
stop_listening(side *s)
{
    lun_listen_stop(s->set);
    lun_listen_close_rest(s->set, NULL);
    lun_pool_free(s->pool);
}


static void
test_ends(void)
{
    lun_timer_start(&two.loop, &two.timer, 0, on_timer);
    stop_listening(&one);
    lun_loop_turn(&one.loop, 0);   /* what was in flight comes back */
    is_int((int64_t) lun_conn_count(&one.loop), 0, "one has ended all");
    lun_loop_fini(&one.loop);

    two.fired = 0;
    lun_loop_turn(&two.loop, 0);
    is_int(two.fired, 1, "a loop goes on behind another's end");
    is_int((int64_t) lun_conn_open_count(&two.loop), 1, "with what it has");

    lun_conn_close(two.accepted);
    stop_listening(&two);
    lun_loop_turn(&two.loop, 0);
    is_int((int64_t) lun_conn_count(&two.loop), 0, "until its own");
    lun_loop_fini(&two.loop);
}


int
main(void)
{
    lun_sock_init();
    lun_lock_init_process();

    if (lun_loop_init(&one.loop) != 0 || lun_loop_init(&two.loop) != 0) {
        ok(0, "no loops");
        return 1;
    }

    test_timers();
    test_tasks();
    test_connections();
    test_pools();
    test_jobs();
    test_ends();

    return done_testing();
}
