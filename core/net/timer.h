/*
 * timer.h -- one-shot timers of a loop.
 *
 * A timer is embedded in what it belongs to and must be stopped before that
 * goes.  Moving a running timer later costs nothing: it stays where it is in
 * the heap and goes back when it comes up too early.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TIMER_H
#define LUN_TIMER_H

#include "base/heap.h"

typedef struct lun_loop   lun_loop;
typedef struct lun_timer  lun_timer;
typedef void lun_timer_fn(lun_timer *timer);

struct lun_timer {
    lun_heap_node   node;          /* key: when to look at it */
    lun_msec        deadline;      /* when it is due, on lun_clock.mono */
    lun_timer_fn   *fire;
    lun_loop       *loop;          /* while it runs */
    uint32_t        order;         /* of its start: decides among equals */
    bool            idle;          /* does not keep the loop alive (quit);
                                      set it before the start */
    bool            counted;       /* the room's own */
};

/*
 * (Re)starts: fire(timer) once, `delay` ms from now, from the loop.  One that
 * runs stays in the loop that it runs in, which must be this one.
 */
void lun_timer_start(lun_loop *loop, lun_timer *timer, lun_msec delay,
    lun_timer_fn *fire);

/* What `idle` is from now on, of one that may run. */
void lun_timer_set_idle(lun_timer *timer, bool idle);

/* Harmless when it does not run.  A zeroed timer does not run. */
void lun_timer_stop(lun_timer *timer);

static inline bool
lun_timer_runs(const lun_timer *timer)
{
    return timer->node.at != 0;
}

/* --- for loop.c --- */

/* The timers of a loop. */
typedef struct {
    lun_heap   heap;
    size_t     pending;            /* those that are not `idle` */
    uint32_t   starts;
} lun_timers;

/* ms until the next is due, or UINT64_MAX. */
lun_msec lun_timer_next(const lun_loop *loop);
/* Fires what is due. */
void lun_timer_fire_due(lun_loop *loop);
/* Running timers that are not `idle`; and all. */
size_t lun_timer_pending(const lun_loop *loop);
size_t lun_timer_count(const lun_loop *loop);
/* Forgets all timers (a forked worker starts with none). */
void lun_timer_reset(lun_loop *loop);

#endif
