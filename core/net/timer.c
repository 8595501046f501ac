/*
 * timer.c -- timers in one heap.
 *
 * Most timers are idle limits that are moved later again and again and never
 * fire.  So the heap is keyed by when to look at a timer, and a later deadline
 * is only written into the timer: when it comes up before that, it is put
 * back under its deadline.  A wake-up too many per timer and limit is the
 * price.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/timer.h"

#include "os/clock.h"


static lun_heap  timers;
static size_t    pending;
static uint32_t  starts;

/* A key is the deadline, then the order of starting, so that none is equal. */
enum { ORDER_BITS = 20, ORDER_MASK = (1 << ORDER_BITS) - 1 };


static inline uint64_t
key_of(const lun_timer *timer)
{
    lun_msec  deadline = lun_min(timer->deadline, UINT64_MAX >> ORDER_BITS);

    return deadline << ORDER_BITS | (timer->order & ORDER_MASK);
}


void
lun_timer_start(lun_timer *timer, lun_msec delay, lun_timer_fn *fire)
{
    lun_msec  deadline = lun_clock.mono + delay;

    if (deadline < delay) {
        deadline = UINT64_MAX;
    }

    timer->deadline = deadline;
    timer->order = starts++;
    timer->fire = fire;

    if (!lun_timer_runs(timer)) {
        timer->node.key = key_of(timer);
        timer->counted = !timer->idle;
        pending += timer->counted;
        lun_heap_insert(&timers, &timer->node);

    } else if (deadline < timer->node.key >> ORDER_BITS) {
        timer->node.key = key_of(timer);
        lun_heap_update(&timers, &timer->node);
    }
}


void
lun_timer_stop(lun_timer *timer)
{
    if (lun_timer_runs(timer)) {
        lun_heap_remove(&timers, &timer->node);
        pending -= timer->counted;
        timer->counted = false;
    }
}


lun_msec
lun_timer_next(void)
{
    lun_msec              due;
    const lun_heap_node  *node = lun_heap_min(&timers);

    if (node == NULL) {
        return UINT64_MAX;
    }

    due = node->key >> ORDER_BITS;

    /* "For ever" is as far as a key reaches. */
    return due == UINT64_MAX >> ORDER_BITS ? UINT64_MAX
           : due > lun_clock.mono ? due - lun_clock.mono : 0;
}


/*
 * A timer that starts itself again with no delay must not keep us here: no
 * more are looked at than there were.
 */
void
lun_timer_fire_due(void)
{
    size_t          n;
    lun_msec        now = lun_clock.mono;
    lun_timer      *timer;
    lun_heap_node  *node;

    for (n = timers.count; n > 0; n--) {
        node = lun_heap_min(&timers);

        if (node == NULL || node->key >> ORDER_BITS > now) {
            return;
        }

        timer = lun_container_of(node, lun_timer, node);

        if (timer->deadline > now) {
            node->key = key_of(timer);
            lun_heap_update(&timers, node);
            continue;
        }

        lun_timer_stop(timer);
        timer->fire(timer);              /* it may be gone now */
    }
}


size_t
lun_timer_pending(void)
{
    return pending;
}


size_t
lun_timer_count(void)
{
    return timers.count;
}


void
lun_timer_reset(void)
{
    lun_heap_fini(&timers);
    pending = 0;
}
