/*
 * loop.c -- the loop.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/loop.h"


typedef struct {
    lun_task   *head;
    lun_task  **tail;
} queue;

static lun_port  *port;
static bool       stopped;

/* Tasks for the next turn, and what is left of this turn's. */
static queue      posted = { NULL, &posted.head };
static queue      running = { NULL, &running.head };


static void
forget(queue *q)
{
    lun_task  *task;

    while ((task = q->head) != NULL) {
        q->head = task->next;
        task->posted = false;
    }

    q->tail = &q->head;
}


static void
forget_all(void)
{
    forget(&posted);
    forget(&running);
    lun_timer_reset();
}


lun_err
lun_loop_init(void)
{
    lun_err  err;

    lun_loop_fini();
    lun_clock_update();

    stopped = false;
    port = lun_port_new(&err);

    return port != NULL ? 0 : err;
}


void
lun_loop_fini(void)
{
    forget_all();

    if (port != NULL) {
        lun_port_free(port);
        port = NULL;
    }
}


lun_port *
lun_loop_port(void)
{
    return port;
}


static lun_task *
shift(queue *q)
{
    lun_task  *task = q->head;

    if (task != NULL) {
        q->head = task->next;
        task->posted = false;

        if (q->head == NULL) {
            q->tail = &q->head;
        }
    }

    return task;
}


/* What a task posts waits for the next turn. */
static void
run_tasks(void)
{
    lun_task  *task;

    if (posted.head == NULL) {
        return;
    }

    *running.tail = posted.head;
    running.tail = posted.tail;
    posted = (queue) { NULL, &posted.head };

    while ((task = shift(&running)) != NULL) {
        task->run(task);                 /* it may be gone now */
    }
}


void
lun_loop_turn(lun_msec limit)
{
    if (posted.head != NULL || stopped) {
        limit = 0;

    } else {
        limit = lun_min(limit, lun_timer_next());
    }

    lun_port_wait(port, limit, lun_clock_update);
    lun_timer_fire_due();
    run_tasks();
}


void
lun_loop_run(void)
{
    while (!stopped) {
        lun_loop_turn(LUN_PORT_FOREVER);
    }

    stopped = false;
}


void
lun_loop_stop(void)
{
    stopped = true;
}


void
lun_loop_post(lun_task *task, lun_task_fn *run)
{
    task->run = run;

    if (task->posted) {
        return;
    }

    task->posted = true;
    task->next = NULL;
    *posted.tail = task;
    posted.tail = &task->next;
}


static bool
remove_from(queue *q, lun_task *task)
{
    lun_task  **at;

    for (at = &q->head; *at != NULL; at = &(*at)->next) {
        if (*at != task) {
            continue;
        }

        *at = task->next;
        task->posted = false;

        if (*at == NULL) {
            q->tail = at;
        }

        return true;
    }

    return false;
}


void
lun_loop_unpost(lun_task *task)
{
    if (task->posted && !remove_from(&posted, task)) {
        (void) remove_from(&running, task);
    }
}


static size_t
length(const queue *q)
{
    size_t           n = 0;
    const lun_task  *task;

    for (task = q->head; task != NULL; task = task->next) {
        n++;
    }

    return n;
}


size_t
lun_loop_task_count(void)
{
    return length(&posted) + length(&running);
}
