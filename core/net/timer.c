/*
 * timer.c -- timers, in one heap a loop.
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

#include "base/check.h"
#include "net/loop.h"


/* A key is the deadline, then the order of starting, so that none is equal. */
enum { ORDER_BITS = 20, ORDER_MASK = (1 << ORDER_BITS) - 1 };


static inline uint64_t
key_of(const lun_timer *timer)
{
    lun_msec  deadline = lun_min(timer->deadline, UINT64_MAX >> ORDER_BITS);

    return deadline << ORDER_BITS | (timer->order & ORDER_MASK);
}


/*
 * A timer that is only moved later keeps its place in the heap, and is put
 * right when it would have fired: most never do.
 */
void
lun_timer_start(lun_loop *loop, lun_timer *timer, lun_msec delay,
    lun_timer_fn *fire)
{
    lun_msec     deadline = lun_clock.mono + delay;
    lun_timers  *timers = &loop->timers;

    if (deadline < delay) {
        deadline = UINT64_MAX;
    }

    timer->deadline = deadline;
    timer->order = timers->starts++;
    timer->fire = fire;

    if (!lun_timer_runs(timer)) {
        timer->node.key = key_of(timer);
        timer->loop = loop;
        timer->counted = !timer->idle;
        timers->pending += timer->counted;
        lun_heap_insert(&timers->heap, &timer->node);

    } else if (deadline < timer->node.key >> ORDER_BITS) {
        LUN_CHECK(timer->loop == loop);
        timer->node.key = key_of(timer);
        lun_heap_update(&timers->heap, &timer->node);
    }
}


void
lun_timer_set_idle(lun_timer *timer, bool idle)
{
    timer->idle = idle;

    if (lun_timer_runs(timer) && timer->counted == idle) {
        timer->loop->timers.pending += idle ? -1 : 1;
        timer->counted = !idle;
    }
}


void
lun_timer_stop(lun_timer *timer)
{
    lun_timers  *timers;

    if (lun_timer_runs(timer)) {
        timers = &timer->loop->timers;
        lun_heap_remove(&timers->heap, &timer->node);
        timers->pending -= timer->counted;
        timer->counted = false;
    }
}


lun_msec
lun_timer_next(const lun_loop *loop)
{
    lun_msec              due;
    const lun_heap_node  *node = lun_heap_min(&loop->timers.heap);

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
static LUN_NOINLINE void
fire_due(lun_loop *loop)
{
    size_t          n;
    lun_msec        now = lun_clock.mono;
    lun_heap       *heap = &loop->timers.heap;
    lun_timer      *timer;
    lun_heap_node  *node;

    for (n = heap->count; n > 0; n--) {
        node = lun_heap_min(heap);

        if (node == NULL || node->key >> ORDER_BITS > now) {
            return;
        }

        timer = lun_container_of(node, lun_timer, node);

        if (timer->deadline > now) {
            node->key = key_of(timer);
            lun_heap_update(heap, node);
            continue;
        }

        lun_timer_stop(timer);
        timer->fire(timer);              /* it may be gone now */
    }
}


/* At the end of most turns none is due. */
void
lun_timer_fire_due(lun_loop *loop)
{
    const lun_heap_node  *node = lun_heap_min(&loop->timers.heap);

    if (node != NULL && node->key >> ORDER_BITS <= lun_clock.mono) {
        fire_due(loop);
    }
}


size_t
lun_timer_pending(const lun_loop *loop)
{
    return loop->timers.pending;
}


size_t
lun_timer_count(const lun_loop *loop)
{
    return loop->timers.heap.count;
}


void
lun_timer_reset(lun_loop *loop)
{
    lun_heap_fini(&loop->timers.heap);
    loop->timers.pending = 0;
}
