/*
 * loop.h -- a loop: wait, dispatch, timers, posted tasks.
 *
 * Whatever happens later happens in some loop: a connection knows its own, a
 * timer is started in one, a task is posted to one.  Two loops of a process
 * share nothing of it.  They do share what is the process's: the clock, the
 * log, signals, children, and threads.  So all loops are turned by one thread.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOOP_H
#define LUN_LOOP_H

#include "base/list.h"
#include "net/timer.h"
#include "os/clock.h"
#include "os/port.h"

/* Something to do soon, outside the present call. */
typedef struct lun_task  lun_task;
typedef void lun_task_fn(lun_task *task);
struct lun_task {
    lun_task_fn  *run;
    lun_task     *next;
    lun_loop     *loop;            /* that it is posted to; NULL: to none */
};

typedef struct {
    lun_task   *head;
    lun_task  **tail;
} lun_task_queue;

/*
 * What a room above keeps for a loop, as the first member of it: `end` is
 * called, once, when the loop ends.
 */
typedef struct lun_loop_part  lun_loop_part;
struct lun_loop_part {
    lun_loop_part  *next;
    void          (*end)(lun_loop *loop, lun_loop_part *part);
};

/* Connections that wait for their next use: conn.c's. */
typedef struct {
    void    *head;
    size_t   count;
} lun_conn_spares;

enum { LUN_CONN_CLASSES = 8 };     /* sizes of connections that are kept */

/* All connections of a loop: conn.c's and conn_idle.c's alone. */
typedef struct {
    lun_loop_part     part;
    lun_list          idle;        /* each open one is in one of these; the */
    lun_list          pooled;      /* latest come last */
    lun_list          busy;
    size_t            count;
    size_t            open_count;
    size_t            idle_count;
    size_t            pooled_count;
    size_t            most;        /* there were, since memory of connections
                                      last went back to the system */
    lun_timer         trim;        /* it will */
    struct lun_conn  *latest;      /* whose handler was called last, or NULL */
    void            (*on_less)(void *data);
    void             *less_data;
    lun_conn_spares   spares[LUN_CONN_CLASSES];
} lun_loop_conns;

/* Zeroed before its first lun_loop_init(); it may not be moved after. */
struct lun_loop {
    lun_port        *port;
    bool             stopped;
    lun_task_queue   posted;       /* tasks for the next turn */
    lun_task_queue   running;      /* what is left of this turn's */
    lun_timers       timers;       /* timer.c's */
    lun_loop_conns   conns;
    lun_loop_part   *parts;
    struct lun_conn_pools  *pools;     /* conn_pool.c's; NULL: not yet any */
    struct lun_datagrams   *datagrams; /* datagram.c's; same */
    struct lun_quics       *quics;     /* quic/quic_route.c's; same */
    struct lun_buffers     *buffers;   /* buffers.c's; same */
};

/*
 * Makes the loop's port; call it again in a forked worker (everything that
 * was registered before is forgotten, not closed).
 */
lun_err lun_loop_init(lun_loop *loop);
void lun_loop_fini(lun_loop *loop);

/* part->end is called at the loop's end; those added last come first. */
void lun_loop_add_part(lun_loop *loop, lun_loop_part *part);

/*
 * Runs until lun_loop_stop(), which may have come before.  One turn: a wait no
 * longer than the next timer (none if a task is posted), completions, due
 * timers, posted tasks.  So a turn that was waited for has also done what it
 * woke up for.
 */
void lun_loop_run(lun_loop *loop);
void lun_loop_turn(lun_loop *loop, lun_msec limit);
void lun_loop_stop(lun_loop *loop);

/*
 * Runs it at the end of this turn, or of the next if tasks run already; in
 * order; twice is once.
 */
void lun_loop_post(lun_loop *loop, lun_task *task, lun_task_fn *run);
/* Takes it back. */
void lun_loop_unpost(lun_task *task);
/* Whether it is, and has not yet begun. */
static inline bool
lun_loop_has_posted(const lun_task *task)
{
    return task->loop != NULL;
}

/* Posted, and not yet begun. */
size_t lun_loop_task_count(const lun_loop *loop);

#endif
