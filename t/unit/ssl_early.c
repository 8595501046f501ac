/*
 * ssl_early.c -- early data that somebody has recorded and says again: to
 * another worker, once the memory was full, with a clock that jumps, after a
 * start.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/ssl/ssl_early.c"

#include "os/lock.h"
#include "tap.h"


enum { ROOM = 16 * 1024, START = 1000000, MANY = 2000 };

static lun_zone  zone;


static lun_shm_table *
fresh_at(int64_t sec)
{
    if (zone.shm.addr == NULL) {
        zone.shm.size = ROOM;
        zone.shm.addr = (void *) lun_align(lun_calloc(ROOM + 4096), 4096);
    }

    memset(zone.shm.addr, 0, ROOM);
    lun_clock.sec = sec;
    (void) init(&zone, NULL);
    return lun_shm_table_of(&zone);
}


/* Ticket `i`, of that age, at that time. */
static bool
said_at(lun_shm_table *t, int64_t sec, unsigned i, int64_t issued)
{
    bool  taken;
    char  name[NAME] = { 0 };

    memcpy(name, &i, sizeof(i));
    lun_clock.sec = sec;
    lun_shm_table_lock(t);
    taken = use_up(t, lun_str_of(name, NAME), (uint64_t) issued);
    lun_shm_table_unlock(t);
    return taken;
}


static void
it_is_taken_once(void)
{
    lun_shm_table  *t = fresh_at(START);

    ok(said_at(t, START + 9, 1, START + 5), "the first time");
    ok(!said_at(t, START + 9, 1, START + 5), "not the second");
    ok(said_at(t, START + 9, 2, START + 5), "another ticket's");
    ok(!said_at(t, START + 9999, 1, START + 5), "nor much later");
}


static void
after_a_start(void)
{
    lun_shm_table  *t = fresh_at(START);

    ok(!said_at(t, START + 9, 1, START - 1),
       "what may have been heard before a start is not taken");
    ok(said_at(t, START + 9, 2, START), "what was issued since is");
}


/* Whoever fills the memory with tickets of his own. */
static void
the_memory_is_full(void)
{
    unsigned        i, taken = 0;
    lun_shm_table  *t = fresh_at(START);

    ok(said_at(t, START + 10, 0, START + 10), "one is taken");

    for (i = 1; i < MANY; i++) {
        taken += said_at(t, START + 10 + i, i, START + 10 + i);
    }

    ok(taken == MANY - 1, "and many after it");
    ok(!said_at(t, START + MANY, 0, START + 10),
       "that one was forgotten, and is not taken again");
    ok(!said_at(t, START + 2 * MANY, MANY - 1, START + 10 + MANY - 1),
       "nor is the last, which was not");
}


static void
the_clock_is_set_back(void)
{
    unsigned        i;
    lun_shm_table  *t = fresh_at(START);

    ok(said_at(t, START + 500, 0, START + 1000),
       "a ticket from before the clock was set back");

    for (i = 1; i < MANY; i++) {
        (void) said_at(t, START + 500, i, START + 1001);
    }

    ok(!said_at(t, START + 500, 0, START + 1000),
       "is not taken again once it was forgotten");
}


static void
a_worker_dies_while_it_writes(void)
{
    lun_shm_table  *t = fresh_at(START);

    (void) said_at(t, START + 5, 1, START + 5);
    lun_shm_table_lock(t);             /* and then no more */
    mend(&zone, lun_lock_pid_of(lun_lock_self()), NULL);
    ok(!said_at(t, START + 6, 1, START + 5), "what it knew is known");
    ok(said_at(t, START + 6, 2, START + 5), "and the others go on");
}


static void
the_mark_is_lost(void)
{
    lun_shm_table  *t = fresh_at(START);

    lun_shm_table_lock(t);
    lun_shm_table_remove(t, lun_shm_table_find(t, forgotten, NULL));
    lun_shm_table_unlock(t);
    ok(!said_at(t, START + 50, 1, START + 50), "nothing up to now is taken");
    ok(said_at(t, START + 51, 2, START + 51), "what comes after it is");
}


int
main(void)
{
    lun_lock_init_process();
    it_is_taken_once();
    after_a_start();
    the_memory_is_full();
    the_clock_is_set_back();
    a_worker_dies_while_it_writes();
    the_mark_is_lost();
    return done_testing();
}
