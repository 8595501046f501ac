/*
 * Threads, monitors, and what interrupts the one that is watched.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/thread.h"

#include <stdatomic.h>

#include "os/time.h"
#include "tap.h"

enum { TIME_OUT = 30000 };

static lun_monitor         *monitor;
static _Atomic int          interruptions;
static _Atomic uint64_t     spins;
static volatile uint64_t    seen_at;
static _Atomic bool         over;


/* Runs while main() stands still, or in its place: both see the same. */
static void
on_interrupt(void)
{
    seen_at = atomic_load(&spins);
    atomic_fetch_add(&interruptions, 1);
}


static void
interrupt_it(void *data)
{
    int  i;

    for (i = 1; i <= 20; i++) {
        if (lun_thread_interrupt(on_interrupt) != 0) {
            break;
        }

        while (atomic_load(&interruptions) < i) {
            lun_time_sleep(1);
        }
    }

    atomic_store(&over, true);
}


static void
tell(void *data)
{
    lun_time_sleep(20);
    lun_monitor_enter(monitor);
    *(bool *) data = true;
    lun_monitor_send(monitor);
    lun_monitor_leave(monitor);
}


int
main(void)
{
    bool      told = false;
    lun_msec  began = lun_time_monotonic();

    monitor = lun_monitor_new();

    lun_monitor_enter(monitor);
    lun_monitor_wait_for(monitor, 50);
    lun_monitor_leave(monitor);
    ok(lun_time_monotonic() - began >= 45, "a wait ends when its time is over");

    ok(lun_thread_start(tell, &told) == 0, "a thread begins");
    lun_monitor_enter(monitor);

    while (!told && lun_time_monotonic() - began < TIME_OUT) {
        lun_monitor_wait_for(monitor, TIME_OUT);
    }

    lun_monitor_leave(monitor);
    ok(told, "and when somebody tells");

    ok(lun_thread_watched() == 0, "this thread is the one to interrupt");
    ok(lun_thread_start(interrupt_it, NULL) == 0, "by another");

    while (!atomic_load(&over) && lun_time_monotonic() - began < TIME_OUT) {
        atomic_fetch_add(&spins, 1);
    }

    ok(atomic_load(&interruptions) == 20, "it was, each time once");
    ok(seen_at != 0 && seen_at <= atomic_load(&spins), "while it computed");
    return done_testing();
}
