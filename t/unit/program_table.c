/*
 * program_table.c -- who gets which program, whose turn it is, and what is
 * left of a process that was killed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/program/program_table.c"

#include "os/sock.h"
#include "tap.h"


static lun_zone  zone;


static lun_program_table *
new_table(void)
{
    free(zone.shm.addr);
    zone.size = lun_program_table_size(2);
    zone.shm.addr = calloc(1, zone.size);
    (void) lun_program_zone.init(&zone, NULL);

    return zone.shm.addr;
}


static void
new_program(lun_program_table *t, uint32_t i, uint32_t serial)
{
    lun_program_begin(t, i, serial, 1000 + serial, serial);
    lun_program_set_state(t, i, LUN_PROGRAM_UP);
}


static lun_program_verdict
take(lun_program_table *t, int64_t most, lun_program_grip *got)
{
    memset(got, 0, sizeof(*got));
    return lun_program_take(t, 0, most, got);
}


static void
sizes(void)
{
    lun_program_table  *t = new_table();

    is_int(t->count, 24, "a table for a few is for eight");
    ok(lun_program_table_size(8) == zone.size
       && lun_program_table_size(9) > zone.size, "and for more it is another");
    is_int(strlen(t->token), LUN_PROGRAM_TOKEN, "there is a token");
}


static void
one_request_each(void)
{
    lun_program_grip    a, b, c;
    lun_program_table  *t = new_table();

    ok(take(t, 1, &a) == LUN_PROGRAM_WAIT, "none has begun: wait");
    lun_program_begin(t, 0, 5, 1005, 5);
    ok(take(t, 1, &a) == LUN_PROGRAM_WAIT, "it does not listen: wait");
    lun_program_set_state(t, 0, LUN_PROGRAM_UP);
    new_program(t, 1, 6);

    ok(take(t, 1, &a) == LUN_PROGRAM_TAKEN && a.pid == 5 && a.port == 1005,
       "the first");
    ok(take(t, 1, &b) == LUN_PROGRAM_TAKEN && b.pid == 6, "the second");
    ok(take(t, 1, &c) == LUN_PROGRAM_WAIT, "all are busy");

    lun_program_give(t, &a, false, 2);
    ok(take(t, 1, &a) == LUN_PROGRAM_TAKEN && a.pid == 5, "and free again");
    lun_program_give(t, &a, false, 2);
    ok(atomic_load(&t->slots[0].spent), "it has had its two requests");
    ok(take(t, 1, &c) == LUN_PROGRAM_WAIT, "and gets no other");

    lun_program_give(t, &b, true, 0);
    ok(atomic_load(&t->slots[1].failed) && take(t, 1, &c) == LUN_PROGRAM_WAIT,
       "nor does one whose answer has failed");
}


static void
many_at_a_time(void)
{
    int                 i;
    lun_program_grip    g, first;
    lun_program_table  *t = new_table();

    new_program(t, 0, 5);
    new_program(t, 7, 6);

    for (i = 0; i < 10; i++) {
        (void) take(t, 0, i == 0 ? &first : &g);
    }

    ok(lun_program_active(t, 0) == 5 && lun_program_active(t, 7) == 5,
       "the one with least in hand");
    lun_program_set_state(t, 0, LUN_PROGRAM_ENDING);
    ok(take(t, 0, &g) == LUN_PROGRAM_TAKEN && g.pid == 6,
       "none for one that ends");
    lun_program_give(t, &first, false, 0);
    is_int((int64_t) lun_program_active(t, 0), 4, "which has what it had");
    ok(take(t, 6, &g) == LUN_PROGRAM_WAIT, "no more than so many");
}


static void
what_has_died(void)
{
    lun_program_grip    a, b;
    lun_program_table  *t = new_table();

    new_program(t, 0, 5);
    (void) take(t, 1, &a);
    new_program(t, 0, 7);
    lun_program_give(t, &a, true, 0);
    ok(take(t, 1, &b) == LUN_PROGRAM_TAKEN && b.pid == 7,
       "what was another's is not given back");
    atomic_store(&t->broken, true);
    ok(take(t, 1, &b) == LUN_PROGRAM_BROKEN, "nothing to wait for");
    atomic_store(&t->offline, true);
    ok(take(t, 1, &b) == LUN_PROGRAM_OFFLINE, "nor is there to be any");
}


/* A worker that has waited longer, as far as the table knows. */
static void
whose_turn(void)
{
    lun_program_grip    got;
    lun_program_table  *t = new_table();

    new_program(t, 0, 5);
    t->known = 4;
    t->workers[3].worker = lun_lock_self() + 1;
    t->workers[3].since = 100;

    ok(take(t, 1, &got) == LUN_PROGRAM_WAIT, "another waits: not before it");
    ok(lun_program_take(t, 101, 1, &got) == LUN_PROGRAM_WAIT,
       "nor who came after it");
    ok(lun_program_take(t, 99, 1, &got) == LUN_PROGRAM_TAKEN,
       "but who came before");

    lun_program_wait_since(t, 50);
    ok(t->workers[0].worker == lun_lock_self() && t->workers[0].since == 50,
       "since when we wait");
    lun_program_wait_since(t, 0);
    ok(t->workers[0].since == 0, "and no more");
}


static void
a_worker_dies(void)
{
    int64_t             self = lun_lock_pid_of(lun_lock_self());
    lun_program_grip    g;
    lun_program_table  *t = new_table();

    new_program(t, 0, 5);
    (void) take(t, 1, &g);
    lun_program_wait_since(t, 50);
    (void) lun_lock_take(&t->lock);
    lun_program_zone.mend(&zone, self, NULL);

    ok(lun_program_active(t, 0) == 0, "its request is no one's");
    ok(atomic_load(&t->slots[0].state) == LUN_PROGRAM_UP,
       "its program goes on");
    ok(t->workers[0].worker == 0, "it does not wait");
    ok(lun_lock_try(&t->lock), "nor hold the lock");
}


/* A keeper that reads what it may not believe. */
static void
cells_are_bounded(void)
{
    uint32_t            i;
    lun_program_table  *t = new_table();

    new_program(t, 3, 5);

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++) {
        atomic_store(&t->slots[3].active[i], UINT16_MAX);
    }

    t->known = UINT32_MAX;
    ok(lun_program_active(t, 3) == (uint64_t) UINT16_MAX * LUN_PROGRAM_WORKERS,
       "the keeper counts what there is, whatever workers say");
}


static int  bells;


static void
on_bell(void *data, lun_str text)
{
    bells++;
}


static int
count_bells(lun_port *port)
{
    bells = 0;
    lun_port_wait(port, 0, NULL);
    lun_port_wait(port, 0, NULL);
    return bells;
}


/* Who waits is told when there is one; by whoever gives it back. */
static void
who_waits_is_rung(void)
{
    lun_err             err;
    lun_program_grip    g;
    lun_pool           *pool = lun_pool_new_sized(1024);
    lun_port           *port = lun_port_new(&err);
    const char         *why;
    lun_zone_set       *zones = lun_zone_set_new(pool);
    lun_program_table  *t = new_table();

    (void) lun_shm_init();
    (void) lun_proc_listen(port, NULL, NULL, NULL);
    ok(lun_workers_want(zones, 1, &why) == LUN_OK
       && lun_zone_open(zones, NULL, NULL) == LUN_OK, "workers have rows");
    lun_workers_look_at(zones);
    (void) lun_workers_enter(port, 1, 0);
    lun_mailbox_on(LUN_LETTER_PROGRAM, on_bell, NULL);

    new_program(t, 0, 5);
    (void) take(t, 1, &g);
    lun_program_wait_since(t, 50);
    is_int(count_bells(port), 0, "all are busy");
    lun_program_give(t, &g, false, 0);
    is_int(count_bells(port), 1, "one is given back");

    t->known = 2;
    t->workers[1].worker = lun_lock_self() + 1;
    t->workers[1].since = 40;
    t->workers[1].row = -1;
    (void) lun_program_take(t, 30, 1, &g);
    lun_program_give(t, &g, false, 0);
    is_int(count_bells(port), 0, "another has waited longer");

    lun_workers_leave();
    lun_workers_look_at(lun_zone_set_new(pool));
    lun_port_free(port);
    lun_pool_free(pool);
}


int
main(void)
{
    sizes();
    one_request_each();
    many_at_a_time();
    what_has_died();
    whose_turn();
    a_worker_dies();
    cells_are_bounded();
    lun_sock_init();
    who_waits_is_rung();
    free(zone.shm.addr);

    return done_testing();
}
