/*
 * conn_idle.c -- when the memory of many connections goes back to the system.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/proc.h"

static unsigned  trims;

static bool
count_trim(void)
{
    trims++;
    return true;
}

#define lun_proc_trim  count_trim
#include "../../core/net/conn_idle.c"
#undef lun_proc_trim

#include "loop_help.h"
#include "tap.h"


static lun_conn  conns[2 * MANY];
static size_t    open;


static void
become(size_t n)
{
    for ( ; open < n; open++) {
        conns[open].loop = lp;
        lun_conn_enlist(&conns[open]);
    }

    while (open > n) {
        lun_conn_delist(&conns[--open]);
        lun_conn_forget(lp);
    }
}


static void
settle(void)
{
    lun_clock.mono += SETTLE + 1;
    lun_timer_fire_due(lp);
}


int
main(void)
{
    is_int(lun_loop_init(lp), 0, "a loop");

    become(MANY - 1);
    become(0);
    settle();
    is_int(trims, 0, "a few leave nothing worth it");

    become(MANY);
    become(MANY / TRIM_FOR + 1);
    settle();
    is_int(trims, 0, "nor while many stay");

    become(MANY / TRIM_FOR);
    is_int(trims, 0, "not at once, others will go, too");
    become(0);
    settle();
    is_int(trims, 1, "once");
    become(MANY - 1);
    become(0);
    settle();
    is_int(trims, 1, "and then the next many are counted");

    become(2 * MANY);
    become(0);
    settle();
    is_int(trims, 2, "which they are");

    lun_loop_fini(lp);
    return done_testing();
}
