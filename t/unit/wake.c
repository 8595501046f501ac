/*
 * wake.c -- a worker that is woken by what another process has put into
 * memory.
 *
 * On Windows a worker is this program again, so main() looks for its boot
 * slot first.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/wake.h"

#include "os/lock.h"
#include "os/proc.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 20000, TIMES = 50 };

/* In the segment. */
typedef struct {
    lun_wake          wake;
    _Atomic uint32_t  asked;
    _Atomic uint32_t  answered;
} common;

static lun_port  *port;


/* --- the worker --- */

static void
on_woken(void *data)
{
    common  *c = data;

    atomic_store(&c->answered, atomic_load(&c->asked));
}


static LUN_NORETURN void
worker(common *c)
{
    lun_err  err;

    port = lun_port_new(&err);

    if (port == NULL || lun_proc_listen(port, NULL, NULL, NULL) != 0
        || lun_wake_open(&c->wake, port, on_woken, c) != 0)
    {
        exit(3);
    }

    lun_proc_bind_to_parent();

    while (atomic_load(&c->answered) < TIMES) {
        lun_port_wait(port, LIMIT, NULL);
    }

    lun_wake_close(&c->wake);
    exit(5);
}


/* Linux: the forked child's main. */
static void
run(void *user)
{
    worker(user);
}


/* --- the other --- */

static int  death_code;


static void
on_exit_of(void *data, int64_t pid, int code, const char *text)
{
    death_code = code;
}


static bool
is_awake(const common *c)
{
    return atomic_load(&c->wake.owner) != 0;
}


static bool
has_answered(const common *c)
{
    return atomic_load(&c->answered) == atomic_load(&c->asked);
}


static bool
has_died(const common *c)
{
    return death_code != 0;
}


static bool
await(bool (*what)(const common *c), const common *c)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (!what(c) && lun_time_monotonic() < end) {
        lun_port_wait(port, 1, NULL);
    }

    return what(c);
}


static void
wakes(common *c, const lun_shm *shm)
{
    int       i, good = 0;
    lun_proc  proc;

    const lun_proc_start_spec  spec = {
        .shm_count = 1, .shms = shm, .user = c, .title = "worker process",
        .run = run
    };

    lun_wake_send(&c->wake);
    ok(!is_awake(c), "nobody is there: nothing happens");

    is_int(lun_proc_start(&spec, &proc), 0, "a worker");
    ok(await(is_awake, c), "can be woken");
    is_int(lun_lock_pid_of(atomic_load(&c->wake.owner)), proc.pid,
           "it is that worker");

    for (i = 0; i < TIMES; i++) {
        atomic_fetch_add(&c->asked, 1);
        lun_wake_send(&c->wake);
        good += await(has_answered, c);
    }

    is_int(good, TIMES, "it wakes each time");
    ok(await(has_died, c), "and leaves");
    is_int(death_code, 5, "in peace");
    lun_proc_forget(&proc);

    ok(!is_awake(c), "and says so");
    lun_wake_send(&c->wake);
}


int
main(int argc, char **argv)
{
    void          *user;
    uint32_t       number, count;
    lun_err        err;
    lun_shm        shm;
    const lun_fd  *fds;

    lun_proc_init(&argc, argv);
    user = lun_proc_boot(&number, &fds, &count);

    if (user != NULL) {
        worker(user);
    }

    lun_sock_init();
    lun_lock_init_process();

    if (lun_shm_init() != 0 || lun_shm_new(sizeof(common), &shm) != 0
        || (port = lun_port_new(&err)) == NULL
        || lun_proc_listen(port, on_exit_of, NULL, NULL) != 0)
    {
        ok(0, "cannot begin");
        return 1;
    }

    wakes(shm.addr, &shm);

    lun_port_free(port);
    lun_shm_free(&shm);
    return done_testing();
}
