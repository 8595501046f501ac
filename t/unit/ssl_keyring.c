/*
 * ssl_keyring.c -- keys of tickets: how long they make them, how long they
 * open them, and what a dead worker leaves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/ssl/ssl_keyring.c"

#include "tap.h"


enum { PERIOD = 300, NOW = 1000000 };

typedef char  keys[LUN_SSL_RING_KEYS][LUN_SSL_TICKET_KEY];

static keyring   memory;
static int64_t   period = PERIOD;
static lun_zone  zone = { .shm.addr = &memory, .data = &period };


static void
get_at(int64_t sec, keys got)
{
    lun_clock.sec = sec;
    lun_ssl_keyring_get(&zone, got);
}


static bool
same(const char *a, const char *b)
{
    return memcmp(a, b, LUN_SSL_TICKET_KEY) == 0;
}


static void
a_key_makes_tickets_and_then_opens_them(void)
{
    keys  first, still, second, third;

    (void) init(&zone, NULL);
    get_at(NOW, first);
    ok(!same(first[0], first[1]), "two keys that nobody chose");
    get_at(NOW + PERIOD - 1, still);
    ok(same(still[0], first[0]) && same(still[1], first[1]), "for a period");
    get_at(NOW + PERIOD, second);
    ok(!same(second[0], first[0]), "then another makes tickets");
    ok(same(second[1], first[0]), "which opens those of the first");
    get_at(NOW + 2 * PERIOD, third);
    ok(!same(third[0], first[0]) && !same(third[1], first[0]),
       "until the first is forgotten");
}


static void
nobody_came_for_long(void)
{
    keys  first, late;

    get_at(2 * NOW, first);
    get_at(2 * NOW + 2 * PERIOD, late);
    ok(!same(late[0], first[0]) && !same(late[1], first[0]),
       "a key that is too old opens nothing");
}


/* A machine that began in 2036, until somebody told it the time. */
static void
the_clock_was_set_back(void)
{
    keys  before, after, later, last;

    get_at(4 * NOW, before);
    get_at(3 * NOW, after);
    ok(!same(after[0], before[0]), "a key does not wait for a far day");
    ok(same(after[1], before[0]), "what it has made can be opened");
    get_at(3 * NOW + PERIOD - 1, later);
    ok(same(later[0], after[0]), "the next one has its period");
    get_at(3 * NOW + PERIOD, last);
    ok(!same(last[0], after[0]) && !same(last[1], before[0]), "and no more");
}


static void
a_worker_died_with_the_lock(void)
{
    keys  got;

    (void) lun_lock_take(&memory.lock);
    mend(&zone, lun_lock_pid_of(lun_lock_self()), NULL);
    get_at(5 * NOW, got);
    ok(lun_lock_try(&memory.lock), "its lock is free for the next");
}


int
main(void)
{
    lun_lock_init_process();
    a_key_makes_tickets_and_then_opens_them();
    nobody_came_for_long();
    the_clock_was_set_back();
    a_worker_died_with_the_lock();

    return done_testing();
}
