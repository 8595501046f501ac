/*
 * lease.c -- one process has it; a dead one has not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/lease.c"

#include "os/proc.h"
#include "os/shm.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 20000 };

typedef struct {
    lun_lease         lease;
    _Atomic uint32_t  has;         /* the worker has it */
} common;


static LUN_NORETURN void
hold(common *c)
{
    lun_lock_init_process();
    atomic_store(&c->has, lun_lease_take(&c->lease) ? 1 : 2);

    for ( ;; ) {
        lun_time_sleep(1000);
    }
}


static void
run(void *user)
{
    hold(user);
}


static bool
start_holder(common *c, const lun_shm *shm, lun_proc *proc)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    const lun_proc_start_spec  spec = {
        .shm_count = 1, .shms = shm, .user = c, .title = "worker process",
        .run = run
    };

    atomic_store(&c->has, 0);

    if (lun_proc_start(&spec, proc) != 0) {
        return false;
    }

    while (atomic_load(&c->has) == 0 && lun_time_monotonic() < end) {
        lun_time_sleep(2);
    }

    return atomic_load(&c->has) == 1;
}


static void
kill_holder(lun_proc *proc)
{
    int  code;

    lun_proc_kill(proc);
    (void) lun_proc_wait(proc, LIMIT, &code);
}


static void
outlives_its_holder(common *c, const lun_shm *shm)
{
    int64_t   pid;
    lun_proc  proc;

    ok(start_holder(c, shm, &proc), "a process takes it");
    pid = proc.pid;
    ok(!lun_lease_take(&c->lease) && !lun_lease_is_mine(&c->lease),
       "nobody else may");
    is_int(lun_lock_pid_of(lun_lease_holder(&c->lease)), pid,
           "who holds it is known");
    lun_lease_give(&c->lease);
    ok(lun_lease_holder(&c->lease) != 0, "nor give it back");

    kill_holder(&proc);
    is_int((int64_t) lun_lease_holder(&c->lease), 0, "killed, it has nothing");
    ok(lun_lease_take(&c->lease) && lun_lease_is_mine(&c->lease),
       "and the next who asks has it");
    ok(lun_lease_take(&c->lease), "again is the same");
    lun_lease_give(&c->lease);
    ok(!lun_lease_is_mine(&c->lease), "given back");

    ok(start_holder(c, shm, &proc), "another takes it");
    pid = proc.pid;
    kill_holder(&proc);
    ok(!lun_lease_seize(&c->lease, pid + 1), "of a third's death");
    ok(lun_lease_seize(&c->lease, pid)
       && atomic_load(&c->lease.owner) == 0, "the master frees it");
    ok(!lun_lease_seize(&c->lease, pid), "once");
}


int
main(int argc, char **argv)
{
    void          *user;
    uint32_t       number, count;
    lun_shm        shm;
    const lun_fd  *fds;

    lun_proc_init(&argc, argv);
    user = lun_proc_boot(&number, &fds, &count);

    if (user != NULL) {
        hold(user);
    }

    lun_lock_init_process();

    if (lun_shm_init() != 0 || lun_shm_new(sizeof(common), &shm) != 0) {
        ok(0, "cannot begin");
        return 1;
    }

    outlives_its_holder(shm.addr, &shm);
    return done_testing();
}
