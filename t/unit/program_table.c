/*
 * program_table.c -- who gets which program, whose turn it is, and what is
 * left of a process that was killed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/upstream/program_table.c"

#include "os/sock.h"
#include "tap.h"


enum { PROGRAMS = 2, GENERATION = 1 };

static lun_zone  zone;


static lun_program_table *
new_table(void)
{
    free(zone.shm.addr);
    zone.size = lun_program_table_size(PROGRAMS);
    zone.shm.addr = calloc(1, zone.size);
    (void) lun_program_zone.init(&zone, NULL);

    return zone.shm.addr;
}


static uint32_t
new_program(lun_program_table *t, uint32_t generation, int64_t pid)
{
    uint32_t  i = lun_program_claim(t, generation);

    (void) lun_program_started(t, i, pid, (uint16_t) (1000 + pid));
    lun_program_ready(t, i);

    return i;
}


static lun_program_verdict
take(lun_program_table *t, int64_t *pid, uint32_t *index)
{
    lun_program_slot     got = { .pid = 0 };
    lun_program_verdict  v = lun_program_take(t, 0, &got, index);

    *pid = got.pid;
    return v;
}


static void
one_request_each(void)
{
    bool                served;
    int64_t             pid;
    uint32_t            a, b, c;
    lun_program_table  *t = new_table();

    ok(take(t, &pid, &a) == LUN_PROGRAM_WAIT, "none has begun: wait");
    a = lun_program_claim(t, GENERATION);
    ok(lun_program_started(t, a, 5, 1005), "it begins");
    ok(take(t, &pid, &b) == LUN_PROGRAM_WAIT, "it does not listen: wait");
    lun_program_ready(t, a);
    (void) new_program(t, GENERATION, 6);

    ok(take(t, &pid, &a) == LUN_PROGRAM_TAKEN && pid == 5, "the first");
    ok(take(t, &pid, &b) == LUN_PROGRAM_TAKEN && pid == 6, "the second");
    ok(take(t, &pid, &c) == LUN_PROGRAM_WAIT, "all are busy");

    ok(lun_program_give(t, a, 5, false, 2) == 0, "given back");
    ok(take(t, &pid, &a) == LUN_PROGRAM_TAKEN && pid == 5, "and free again");
    ok(lun_program_give(t, a, 5, false, 2) == 5, "it has had its two requests");
    ok(take(t, &pid, &c) == LUN_PROGRAM_WAIT, "and gets no other");
    ok(lun_program_gone(t, a, &served) && served, "it was to end");

    ok(lun_program_give(t, b, 6, true, 0) == 6, "one that fails ends");
    ok(!lun_program_gone(t, b, &served), "which nobody had planned");
}


static void
what_has_died(void)
{
    bool                served;
    int64_t             pid;
    uint32_t            a, b;
    lun_program_table  *t = new_table();

    (void) new_program(t, GENERATION, 5);
    (void) take(t, &pid, &a);
    ok(!lun_program_gone(t, a, &served) && served, "it ends with a request");
    b = new_program(t, GENERATION, 7);
    ok(a == b, "its slot is another's");
    ok(lun_program_give(t, a, 5, true, 0) == 0
       && take(t, &pid, &a) == LUN_PROGRAM_TAKEN && pid == 7,
       "which the request gives back nothing of");
    lun_program_set_broken(t, GENERATION);
    ok(take(t, &pid, &b) == LUN_PROGRAM_BROKEN, "nothing to wait for");
    (void) lun_program_claim(t, GENERATION);
    ok(take(t, &pid, &b) == LUN_PROGRAM_BROKEN, "nor for another attempt");
    (void) lun_program_claim(t, GENERATION + 1);
    ok(take(t, &pid, &b) == LUN_PROGRAM_WAIT, "but for another generation's");
    (void) new_program(t, GENERATION, 8);
    ok(take(t, &pid, &b) == LUN_PROGRAM_TAKEN, "until one listens");
}


static void
a_reload(void)
{
    uint32_t            i;
    int64_t             pid;
    lun_program_table  *t = new_table();

    (void) new_program(t, 1, 5);
    (void) new_program(t, 1, 6);
    (void) take(t, &pid, &i);
    (void) new_program(t, 2, 7);

    ok(lun_program_replace(t, 2) == 0, "the first has a request in hand");
    ok(lun_program_replace(t, 2) == 6, "the second ends at once");
    ok(lun_program_replace(t, 2) == 0, "there are no others");
    lun_program_set_broken(t, 2);
    ok(!t->broken, "those of another generation may be waited for");
    ok(lun_program_give(t, i, 5, false, 0) == 5, "the first ends after it");
    ok(lun_program_replace(t, 2) == 0, "nor does one end twice");

    for (i = 0; lun_program_claim(t, 3) != t->count; i++) { }
    ok(i == 3 * PROGRAMS - 3, "slots for three generations");
}


/* Of two keepers each starts a program, and one of them is to go. */
static void
a_reload_while_one_begins(void)
{
    uint32_t            first, second;
    lun_program_table  *t = new_table();

    first = lun_program_claim(t, 1);
    second = lun_program_claim(t, 2);
    ok(lun_program_started(t, second, 8, 1008), "the second keeper's begins");
    ok(lun_program_replace(t, 1) == 0, "the first one replaces none of those");

    ok(lun_program_replace(t, 2) == 0, "the second one of what is not known");
    ok(!lun_program_started(t, first, 7, 1007), "but its keeper hears of it");
    lun_program_ready(t, first);
    ok(t->slots[first].state == LUN_PROGRAM_ENDING, "no request for that");
    lun_program_ready(t, second);
    ok(t->slots[second].state == LUN_PROGRAM_FREE, "all for the other");
}


/* A worker that has waited longer, as far as the table knows. */
static void
whose_turn(void)
{
    int64_t             pid;
    uint32_t            i;
    lun_program_slot    got;
    lun_program_table  *t = new_table();

    (void) new_program(t, GENERATION, 5);
    t->waiters[3].worker = lun_lock_self() + 1;
    t->waiters[3].since = 100;

    ok(take(t, &pid, &i) == LUN_PROGRAM_WAIT, "another waits: not before it");
    ok(lun_program_take(t, 101, &got, &i) == LUN_PROGRAM_WAIT,
       "nor who came after it");
    ok(lun_program_take(t, 99, &got, &i) == LUN_PROGRAM_TAKEN,
       "but who came before");

    lun_program_wait_since(t, 50);
    ok(t->waiters[0].worker == lun_lock_self() && t->waiters[0].since == 50,
       "since when we wait");
    lun_program_wait_since(t, 0);
    ok(t->waiters[0].worker == 0, "and no more");
}


static void
a_worker_dies(void)
{
    int64_t             pid, self = lun_lock_pid_of(lun_lock_self());
    uint32_t            i, k;
    lun_program_table  *t = new_table();

    i = new_program(t, GENERATION, 5);
    k = new_program(t, GENERATION, 6);
    (void) take(t, &pid, &i);
    t->slots[i].keeper = (uint64_t) (self + 1) << 32;
    lun_program_wait_since(t, 50);
    (void) lun_lock_take(&t->lock);
    lun_program_zone.mend(&zone, self, NULL);

    ok(t->slots[i].state == LUN_PROGRAM_FREE, "its request is no one's");
    ok(t->slots[k].state == LUN_PROGRAM_NONE, "its programs are gone");
    ok(t->waiters[0].worker == 0, "it does not wait");
    ok(lun_lock_try(&t->lock), "nor hold the lock");
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
    int64_t             pid;
    lun_err             err;
    uint32_t            i, k;
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
    (void) lun_workers_enter(port, GENERATION, 0);
    lun_mailbox_on(LUN_LETTER_PROGRAM, on_bell, NULL);

    i = new_program(t, GENERATION, 5);
    (void) take(t, &pid, &k);
    lun_program_wait_since(t, 50);
    is_int(count_bells(port), 0, "all are busy");
    (void) lun_program_give(t, i, 5, false, 0);
    is_int(count_bells(port), 1, "one is given back");

    t->waiters[1].worker = lun_lock_self() + 1;
    t->waiters[1].since = 40;
    t->waiters[1].row = -1;
    (void) take(t, &pid, &k);
    (void) lun_program_give(t, i, 5, false, 0);
    is_int(count_bells(port), 0, "another has waited longer");
    lun_program_set_broken(t, GENERATION + 1);
    t->slots[i].generation = GENERATION + 1;
    lun_program_set_broken(t, GENERATION + 1);
    is_int(count_bells(port), 1, "all hear that there will be none");

    lun_workers_leave();
    lun_workers_look_at(lun_zone_set_new(pool));
    lun_port_free(port);
    lun_pool_free(pool);
}


int
main(void)
{
    one_request_each();
    what_has_died();
    a_reload();
    a_reload_while_one_begins();
    whose_turn();
    a_worker_dies();
    lun_sock_init();
    who_waits_is_rung();
    free(zone.shm.addr);

    return done_testing();
}
