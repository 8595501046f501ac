/*
 * lock.c -- lock words, and what is left of them when their holder dies.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/lock.h"

#include "os/proc.h"
#include "tap.h"


/* A process that has ended, as a lock word would have it. */
static uint64_t
dead_owner(char *program)
{
    int              code = -1;
    uint64_t         pid;
    lun_proc         proc;
    const char      *argv[] = { program, "child", NULL };
    lun_proc_command  command = { .argv = argv };

    if (lun_proc_run(&command, &proc) != 0) {
        ok(0, "cannot start %s", program);
        exit(1);
    }

    pid = (uint64_t) proc.pid;
    is_int(lun_proc_wait(&proc, 20000, &code), LUN_OK, "a process ends");
    is_int(code, 7, "with its code");

    return pid << 32 | 1;
}


static void
one_holder(void)
{
    lun_lock  lock = { 0 };

    ok(lun_lock_self() != 0, "this process has a word");
    ok(lun_lock_owner_lives(lun_lock_self()), "and lives");

    ok(lun_lock_try(&lock), "a free lock is taken");
    is_int((int64_t) atomic_load(&lock.owner), (int64_t) lun_lock_self(),
           "by us");
    ok(!lun_lock_try(&lock), "once");

    lun_lock_free(&lock);
    is_int((int64_t) atomic_load(&lock.owner), 0, "freed");
    is_int(lun_lock_take(&lock), LUN_LOCK_TAKEN, "and taken again");

    ok(!lun_lock_seize(&lock, lun_proc_pid() + 1), "nobody else held it");
    ok(lun_lock_seize(&lock, lun_proc_pid()), "we did");
    ok(!lun_lock_seize(&lock, lun_proc_pid()), "now nobody does");
    ok(lun_lock_try(&lock), "and it is free");
}


static void
a_dead_holder(uint64_t dead)
{
    lun_lock  lock = { 0 };

    ok(!lun_lock_owner_lives(dead), "the dead do not live");

    atomic_store(&lock.owner, dead);
    ok(!lun_lock_try(&lock), "its lock is not free");
    is_int(lun_lock_take(&lock), LUN_LOCK_ORPHAN, "but can be inherited");
    is_int((int64_t) atomic_load(&lock.owner), (int64_t) lun_lock_self(),
           "by us");

    atomic_store(&lock.owner, dead);
    ok(lun_lock_seize(&lock, (int64_t) (dead >> 32)), "or seized");
    is_int((int64_t) atomic_load(&lock.owner), 0, "and freed");
}


/* The same pid with another start time is another process. */
static void
a_reused_pid(void)
{
    lun_lock  lock = { 0 };
    uint64_t  other = lun_lock_self() ^ 1;

    ok(!lun_lock_owner_lives(other), "a namesake of the dead");
    atomic_store(&lock.owner, other);
    is_int(lun_lock_take(&lock), LUN_LOCK_ORPHAN, "does not hold its locks");
}


int
main(int argc, char **argv)
{
    if (argc == 2) {
        return 7;
    }

    one_holder();
    a_dead_holder(dead_owner(argv[0]));
    a_reused_pid();

    return done_testing();
}
