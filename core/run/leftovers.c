/*
 * leftovers.c -- what a worker that quits has begun and not ended.
 *
 * Counts, and at an end only: nothing is asked of a request.  What was there
 * before the worker began does not count.  It is of others: the master's, the
 * system's, a library's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/leftovers.h"

#include "net/conn.h"
#include "net/loop.h"
#include "net/thread_pool.h"
#include "os/fds.h"
#include "run/generation.h"
#include "session/engine.h"


enum {
    MOST_FDS = 8,                  /* that are named */
    PATIENCE = 1000,               /* ms for what is on its way back */
    TURN = 50
};

typedef struct {
    const lun_generation  *gen;
    size_t                 count;
    char                  *p, *end;
} report;

static lun_fds  *before;
static bool      expected;


void
lun_leftovers_begin(void)
{
    lun_fds_free(before);
    before = lun_fds_list();
    lun_pool_tally_begin();
}


void
lun_leftovers_expect_none(void)
{
    expected = true;
}


/*
 * What is closed may not yet be back: the system has its buffers, a thread its
 * job.  Whoever is still open could be called, and finds nothing it knows.
 */
static void
await_returns(const lun_loop *loop)
{
    lun_msec  waited = 0;

    while (waited < PATIENCE && lun_conn_open_count(loop) == 0
           && (lun_conn_count(loop) != 0 || lun_thread_pool_job_count() != 0))
    {
        lun_port_wait(loop->port, TURN, NULL);
        waited += TURN;
    }
}


static char *
separate(report *t)
{
    return lun_fmt(t->p, t->end, "%s", t->count++ == 0 ? "" : ", ");
}


static void
add_count(report *t, size_t n, const char *what)
{
    if (n != 0) {
        t->p = separate(t);
        t->p = lun_fmt(t->p, t->end, "%zu %s%s", n, what, n == 1 ? "" : "s");
    }
}


static void
add_lower_floors(report *t, const lun_loop *loop)
{
    add_count(t, lun_conn_count(loop), "connection");
    add_count(t, lun_timer_count(loop), "timer");
    add_count(t, lun_loop_task_count(loop), "posted task");
    add_count(t, lun_thread_pool_job_count(), "thread pool job");
}


static void
add_counts(report *t, const lun_leftover *kinds)
{
    for (; kinds != NULL && kinds->what != NULL; kinds++) {
        add_count(t, kinds->count(), kinds->what);
    }
}


static void
add_sessions(report *t, const lun_protocol *const *p)
{
    for (; p != NULL && *p != NULL; p++) {
        add_count(t, (*p)->active(), (*p)->session_name);
    }
}


/* The generation's own pool ends after this, but may be of this worker. */
static void
add_pools(report *t)
{
    lun_pool_tally  tally = lun_pool_tally_now();

    if (tally.pools != 0) {
        t->p = separate(t);
        t->p = lun_fmt(t->p, t->end, "%zu pool%s of %zu bytes", tally.pools,
                       tally.pools == 1 ? "" : "s", tally.bytes);
    }
}


static bool
is_of_logs(const lun_log_set *logs, lun_fd fd)
{
    size_t  i;

    for (i = 0; i < logs->files.count; i++) {
        if (lun_log_file_at(logs, i)->fd == fd) {
            return true;
        }
    }

    return false;
}


static void
add_fd(void *data, lun_fd fd, const char *what)
{
    report  *t = data;

    if (!is_of_logs(&t->gen->logs, fd) && t->count < MOST_FDS) {
        t->p = separate(t);
        t->p = lun_fmt(t->p, t->end, "descriptor %" PRIdPTR " (%s)", fd, what);
    }
}


void
lun_leftovers_tell(const lun_generation *gen)
{
    char    text[LUN_LOG_LINE / 2];
    report  t = { .gen = gen, .p = text, .end = text + sizeof(text) };

    /* Alone, a process has its first generation last. */
    if (!expected || gen->before != NULL) {
        return;
    }

    expected = false;
    await_returns(gen->loop);
    add_lower_floors(&t, gen->loop);
    add_sessions(&t, lun_generation_floors()->protocols);
    add_counts(&t, lun_generation_floors()->leftovers);
    add_pools(&t);

    if (before != NULL) {
        lun_fds_since(before, add_fd, &t);
    }

    if (t.count != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, 0, "not ended at exit: %.*s",
                (int) (t.p - text), text);
    }
}
