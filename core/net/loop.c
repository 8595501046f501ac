/*
 * loop.c -- loops.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/loop.h"


static void
forget_queue(lun_task_queue *q)
{
    lun_task  *task;

    while ((task = q->head) != NULL) {
        q->head = task->next;
        task->loop = NULL;
    }

    q->tail = &q->head;
}


static void
init_conns(lun_loop_conns *conns)
{
    if (conns->busy.next == NULL) {
        lun_list_init(&conns->idle);
        lun_list_init(&conns->pooled);
        lun_list_init(&conns->busy);
    }
}


lun_err
lun_loop_init(lun_loop *loop)
{
    lun_err  err = 0;

    lun_loop_fini(loop);
    lun_clock_update();

    init_conns(&loop->conns);
    loop->stopped = false;
    loop->port = lun_port_new(&err);

    return err;
}


static void
end_parts(lun_loop *loop)
{
    lun_loop_part  *part;

    while ((part = loop->parts) != NULL) {
        loop->parts = part->next;
        part->end(loop, part);
    }
}


void
lun_loop_fini(lun_loop *loop)
{
    forget_queue(&loop->posted);
    forget_queue(&loop->running);
    lun_timer_reset(loop);
    end_parts(loop);

    if (loop->port != NULL) {
        lun_port_free(loop->port);
        loop->port = NULL;
    }
}


void
lun_loop_add_part(lun_loop *loop, lun_loop_part *part)
{
    part->next = loop->parts;
    loop->parts = part;
}


static lun_task *
shift(lun_task_queue *q)
{
    lun_task  *task = q->head;

    if (task != NULL) {
        q->head = task->next;
        task->loop = NULL;

        if (q->head == NULL) {
            q->tail = &q->head;
        }
    }

    return task;
}


/* What a task posts waits for the next turn. */
static void
run_tasks(lun_loop *loop)
{
    lun_task        *task;
    lun_task_queue  *posted = &loop->posted, *running = &loop->running;

    if (posted->head == NULL) {
        return;
    }

    *running->tail = posted->head;
    running->tail = posted->tail;
    posted->head = NULL;
    posted->tail = &posted->head;

    while ((task = shift(running)) != NULL) {
        task->run(task);                 /* it may be gone now */
    }
}


void
lun_loop_turn(lun_loop *loop, lun_msec limit)
{
    if (loop->posted.head != NULL || loop->stopped) {
        limit = 0;

    } else {
        limit = lun_min(limit, lun_timer_next(loop));
    }

    lun_port_wait(loop->port, limit, lun_clock_update);
    lun_timer_fire_due(loop);
    run_tasks(loop);
}


void
lun_loop_run(lun_loop *loop)
{
    while (!loop->stopped) {
        lun_loop_turn(loop, LUN_PORT_FOREVER);
    }

    loop->stopped = false;
}


void
lun_loop_stop(lun_loop *loop)
{
    loop->stopped = true;
}


void
lun_loop_post(lun_loop *loop, lun_task *task, lun_task_fn *run)
{
    task->run = run;

    if (task->loop != NULL) {
        return;
    }

    task->loop = loop;
    task->next = NULL;
    *loop->posted.tail = task;
    loop->posted.tail = &task->next;
}


static bool
remove_from(lun_task_queue *q, lun_task *task)
{
    lun_task  **at;

    for (at = &q->head; *at != NULL; at = &(*at)->next) {
        if (*at != task) {
            continue;
        }

        *at = task->next;
        task->loop = NULL;

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
    lun_loop  *loop = task->loop;

    if (loop != NULL && !remove_from(&loop->posted, task)) {
        (void) remove_from(&loop->running, task);
    }
}


static size_t
length(const lun_task_queue *q)
{
    size_t           n = 0;
    const lun_task  *task;

    for (task = q->head; task != NULL; task = task->next) {
        n++;
    }

    return n;
}


size_t
lun_loop_task_count(const lun_loop *loop)
{
    return length(&loop->posted) + length(&loop->running);
}
