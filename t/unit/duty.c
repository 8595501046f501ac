/*
 * duty.c -- one of several processes does it, whoever of them is killed or
 * leaves.
 *
 * On Windows a worker is this program again, so main() looks for its boot slot
 * first; what all of them share lies in segments.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/duty.c"

#include "loop_help.h"
#include "os/proc.h"
#include "os/sock.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 20000, WORKERS = 3, DUTIES = 5, PLAIN = 3, SELDOM = 4,
       OLD = 1, NEW = 2 };

/* What a worker is told by its number. */
typedef enum { SERVE, QUIT, CALL } order;

/* In a segment. */
typedef struct {
    lun_shm           zones[2];    /* the workers, the duties */
    _Atomic uint32_t  orders[2 * WORKERS];
    _Atomic uint32_t  serving;
    _Atomic uint64_t  by[DUTIES];  /* who has begun it; 0: nobody */
    _Atomic uint32_t  begun[DUTIES], ended[DUTIES], runs[DUTIES];
    _Atomic uint32_t  bad;         /* two had it at a time */
} common;

static common        *shared;
static lun_pool      *pool;
static lun_zone_set  *zones;
static lun_duty_set  *set;


/* --- both ---------------------------------------------------------------- */

static size_t
number_of(const lun_duty *d)
{
    return (size_t) (d->object.data[0] - 'a');
}


static void
on_begin(lun_duty *d)
{
    uint64_t  nobody = 0;
    size_t    i = number_of(d);

    if (!atomic_compare_exchange_strong(&shared->by[i], &nobody,
                                        lun_lock_self()))
    {
        atomic_fetch_add(&shared->bad, 1);
    }

    atomic_fetch_add(&shared->begun[i], 1);
}


static lun_msec
on_duty(lun_duty *d)
{
    size_t  i = number_of(d);

    if (atomic_load(&shared->by[i]) != lun_lock_self()) {
        atomic_fetch_add(&shared->bad, 1);
    }

    atomic_fetch_add(&shared->runs[i], 1);
    return 0;
}


static void
on_ended(lun_duty *d)
{
    size_t  i = number_of(d);

    atomic_fetch_add(&shared->ended[i], 1);
    atomic_store(&shared->by[i], 0);
}


static const lun_duty_kind  plain = {
    .name = "plain", .every = 10, .begin = on_begin, .run = on_duty,
    .end = on_ended
};

static const lun_duty_kind  seldom = {
    .name = "seldom", .every = 3600 * 1000, .begin = on_begin, .run = on_duty,
    .end = on_ended
};

/* This one is each generation's own: not looked at for two at a time. */
static void
count_begin(lun_duty *d)
{
    atomic_fetch_add(&shared->begun[number_of(d)], 1);
}


static void
count_end(lun_duty *d)
{
    atomic_fetch_add(&shared->ended[number_of(d)], 1);
}


static const lun_duty_kind  own = {
    .name = "own", .of_generation = true, .begin = count_begin,
    .end = count_end
};


/* As after reading a configuration. */
static void
prepare(void)
{
    const char  *why;

    pool = lun_pool_new_sized(4096);
    zones = lun_zone_set_new(pool);
    set = lun_duty_set_new(pool);
    (void) lun_duty_add(set, &plain, LUN_STR("a"), NULL);
    (void) lun_duty_add(set, &plain, LUN_STR("b"), NULL);
    (void) lun_duty_add(set, &plain, LUN_STR("c"), NULL);
    (void) lun_duty_add(set, &own, LUN_STR("d"), NULL);
    (void) lun_duty_add(set, &seldom, LUN_STR("e"), NULL);

    if (lun_workers_want(zones, WORKERS * 2, &why) != LUN_OK
        || lun_duty_want_zone(set, zones, &why) != LUN_OK)
    {
        exit(3);
    }
}


/* --- the worker ---------------------------------------------------------- */

static LUN_NORETURN void
worker(common *c, unsigned number)
{
    bool      quitting = false;
    uint32_t  generation = number < WORKERS ? OLD : NEW;

    shared = c;
    lun_lock_init_process();
    prepare();
    lun_zone_adopt(zones, c->zones, 2);

    if (lun_loop_init(lp) != 0
        || lun_proc_listen(lp->port, NULL, NULL, NULL) != 0)
    {
        exit(5);
    }

    lun_proc_bind_to_parent();
    lun_workers_look_at(zones);

    if (lun_workers_enter(lp->port, generation, number % WORKERS) != 0) {
        exit(6);
    }

    lun_duty_start(set, lp, generation, number % WORKERS, WORKERS, NULL);
    atomic_fetch_add(&c->serving, 1);

    for ( ;; ) {
        lun_loop_turn(lp, 10);

        if (atomic_load(&c->orders[number]) == CALL) {
            atomic_store(&c->orders[number], SERVE);
            lun_duty_call(*(lun_duty **) lun_array_at(&set->duties, SELDOM));
        }

        if (atomic_load(&c->orders[number]) == QUIT && !quitting) {
            quitting = true;
            lun_duty_quit(set);
            lun_duty_exit(set);
            lun_workers_leave();
            lun_loop_turn(lp, 0);
            exit(0);
        }
    }
}


static unsigned  next_number;


static void
run(void *user)
{
    worker(user, next_number);
}


/* --- the master ---------------------------------------------------------- */

static lun_proc  procs[2 * WORKERS];


/* Takes it from who has begun it: nobody else says that it has ended. */
static void
end_its_duties(int64_t pid)
{
    size_t    i;
    uint64_t  by;

    for (i = 0; i < DUTIES; i++) {
        by = atomic_load(&shared->by[i]);

        if (by != 0 && lun_lock_pid_of(by) == pid) {
            (void) atomic_compare_exchange_strong(&shared->by[i], &by, 0);
        }
    }
}


static void
on_exit_of(void *data, int64_t pid, int code, const char *text)
{
    size_t  i;

    for (i = 0; i < 2 * WORKERS; i++) {
        if (procs[i].pid == pid) {
            end_its_duties(pid);
            lun_zone_mend(zones, pid, NULL);
            lun_proc_forget(&procs[i]);
        }
    }
}


static void
await_end(unsigned number)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (procs[number].pid != 0 && lun_time_monotonic() < end) {
        lun_loop_turn(lp, 5);
    }
}


static void
start_worker(const lun_shm *segment, unsigned number)
{
    uint32_t  before = atomic_load(&shared->serving);
    lun_msec  end = lun_time_monotonic() + LIMIT;
    lun_shm   shms[3] = { *segment, shared->zones[0], shared->zones[1] };

    const lun_proc_start_spec  spec = {
        .number = number, .shm_count = 3, .shms = shms, .user = shared,
        .title = "worker process", .run = run
    };

    next_number = number;
    atomic_store(&shared->orders[number], SERVE);

    if (lun_proc_start(&spec, &procs[number]) != 0) {
        ok(0, "worker %u starts", number);
        exit(1);
    }

    while (atomic_load(&shared->serving) == before
           && lun_time_monotonic() < end)
    {
        lun_loop_turn(lp, 5);
    }
}


/* Whether each duty is somebody's who is not `other` within that time. */
static bool
all_are_done(uint64_t other, lun_msec limit)
{
    size_t    i;
    uint64_t  by;
    lun_msec  end = lun_time_monotonic() + limit;

    for (i = 0; i < PLAIN; ) {
        by = atomic_load(&shared->by[i]);

        if (by != 0 && by != other) {
            i++;

        } else if (lun_time_monotonic() > end) {
            return false;

        } else {
            lun_loop_turn(lp, 5);
        }
    }

    return true;
}


static unsigned
worker_of(uint64_t owner)
{
    unsigned  i;

    for (i = 0; i < 2 * WORKERS; i++) {
        if (procs[i].pid == lun_lock_pid_of(owner)) {
            return i;
        }
    }

    return 0;
}


static bool
runs_go_on(size_t duty)
{
    uint32_t  before = atomic_load(&shared->runs[duty]);
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (atomic_load(&shared->runs[duty]) < before + 5
           && lun_time_monotonic() < end)
    {
        lun_loop_turn(lp, 5);
    }

    return atomic_load(&shared->runs[duty]) >= before + 5;
}


static bool
has_run(size_t duty, uint32_t times)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (atomic_load(&shared->runs[duty]) < times
           && lun_time_monotonic() < end)
    {
        lun_loop_turn(lp, 5);
    }

    return atomic_load(&shared->runs[duty]) == times;
}


static void
can_be_called(void)
{
    unsigned  i;

    ok(has_run(SELDOM, 1), "one that is done each hour is done at first");

    for (i = 0; i < WORKERS; i++) {
        atomic_store(&shared->orders[i], CALL);
        ok(has_run(SELDOM, i + 2), "and when worker %u calls, whosever it is",
           i);
    }
}


static void
works_over_deaths(const lun_shm *segment)
{
    unsigned  i, victim;
    uint64_t  by;
    lun_msec  begin, took;

    for (i = 0; i < WORKERS; i++) {
        start_worker(segment, i);
    }

    ok(all_are_done(0, LIMIT), "each duty is one worker's");
    ok(runs_go_on(0) && runs_go_on(1) && runs_go_on(2), "and done again and "
       "again");
    can_be_called();

    for (i = 0; i < 3; i++) {
        by = atomic_load(&shared->by[i]);
        victim = worker_of(by);
        begin = lun_time_monotonic();
        lun_proc_kill(&procs[victim]);
        await_end(victim);
        ok(all_are_done(by, LIMIT), "killed, it is another's");
        took = lun_time_monotonic() - begin;
        ok(took < 1000, "within a second: after %d ms", (int) took);
        start_worker(segment, victim);
    }

    is_int(atomic_load(&shared->bad), 0, "never two workers'");
}


static void
works_over_a_reload(const lun_shm *segment)
{
    unsigned  i;
    uint32_t  begun, own_begun = atomic_load(&shared->begun[3]);
    lun_msec  end = lun_time_monotonic() + LIMIT;

    for (i = WORKERS; i < 2 * WORKERS; i++) {
        start_worker(segment, i);
    }

    while (atomic_load(&shared->begun[3]) == own_begun
           && lun_time_monotonic() < end)
    {
        lun_loop_turn(lp, 5);
    }

    is_int(atomic_load(&shared->begun[3]), own_begun + 1,
           "a generation's own is begun at once");
    begun = atomic_load(&shared->begun[0]);
    (void) runs_go_on(0);
    is_int(atomic_load(&shared->begun[0]), begun, "what is shared stays with "
           "the old");

    for (i = 0; i < WORKERS; i++) {
        atomic_store(&shared->orders[i], QUIT);
    }

    for (i = 0; i < WORKERS; i++) {
        await_end(i);
    }

    ok(all_are_done(0, LIMIT), "until that goes");
    ok(worker_of(atomic_load(&shared->by[0])) >= WORKERS
       && worker_of(atomic_load(&shared->by[1])) >= WORKERS
       && worker_of(atomic_load(&shared->by[2])) >= WORKERS,
       "then the new have all");
    is_int(atomic_load(&shared->bad), 0, "never two workers'");

    for (i = WORKERS; i < 2 * WORKERS; i++) {
        lun_proc_kill(&procs[i]);
        await_end(i);
    }
}


/* --- one process --------------------------------------------------------- */

/* As without a master: it reads a second configuration beside the first. */
static void
two_sets_in_one(void)
{
    lun_duty       *d, *e;
    lun_duty_set   *first = lun_duty_set_new(pool);
    lun_duty_set   *second = lun_duty_set_new(pool);

    memset(shared->by, 0, sizeof(shared->by));
    d = lun_duty_add(first, &plain, LUN_STR("a"), NULL);
    e = lun_duty_add(second, &plain, LUN_STR("a"), NULL);
    first->zone = second->zone = set->zone;

    lun_duty_start(first, lp, 9, 0, 1, NULL);
    lun_duty_start(second, lp, 10, 0, 1, NULL);
    ok(lun_duty_is_mine(d) && !lun_duty_is_mine(e), "the first has it");
    ok(!lun_duty_take_last(e), "the second may not");
    lun_duty_quit(first);
    lun_loop_turn(lp, 0);
    ok(!lun_duty_is_mine(d) && lun_duty_is_mine(e), "then the second");
    lun_duty_exit(second);
    ok(!lun_lease_is_mine(e->lease), "at its end nobody");
    ok(lun_duty_take_last(e) && lun_lease_is_mine(e->lease)
       && !lun_duty_is_mine(e), "a last word");
    lun_duty_exit(second);
    ok(!lun_lease_is_mine(e->lease), "is given back");
}


static void
slots_are_used_again(void)
{
    unsigned     i, full = 0;
    char         text[8], name[NAME], other[NAME];
    lun_str      s, longer = lun_pool_fmt(pool, "%0200d1", 0);
    slots_head  *h = set->zone->shm.addr;
    lun_duty     d = { .kind = &plain, .set = set };

    set->generation = 20;

    for (i = 0; i < SLOTS; i++) {
        s = lun_str_of(text, (size_t) (lun_fmt(text, text + 8, "%u", i)
                                       - text));
        d.object = s;
        find_lease(&d);
        full += d.lease == NULL;
    }

    is_int(full, 0, "as many names as there are slots");
    d.object = LUN_STR("more");
    find_lease(&d);
    ok(d.lease == NULL, "one more is refused");
    set->generation = 21;
    find_lease(&d);
    ok(d.lease != NULL, "the next generation has room again");
    is_int(h->count, SLOTS, "in the same zone");

    d.object = longer;
    write_name(name, &d);
    d.object.len--;
    write_name(other, &d);
    ok(strlen(name) < NAME && strcmp(name, other) != 0,
       "long names are told apart");
}


static void
open_all(lun_shm *segment)
{
    if (lun_shm_init() != 0 || lun_shm_new(sizeof(common), segment) != 0
        || lun_loop_init(lp) != 0
        || lun_proc_listen(lp->port, on_exit_of, NULL, NULL) != 0)
    {
        ok(0, "cannot begin");
        exit(1);
    }

    shared = segment->addr;
    prepare();

    if (lun_zone_open(zones, NULL, NULL) != LUN_OK) {
        ok(0, "no zones");
        exit(1);
    }

    lun_workers_look_at(zones);
    shared->zones[0] = lun_zone_at(zones, 0)->shm;
    shared->zones[1] = lun_zone_at(zones, 1)->shm;
}


int
main(int argc, char **argv)
{
    void          *user;
    uint32_t       number, count;
    lun_shm        segment;
    const lun_fd  *fds;

    lun_proc_init(&argc, argv);
    user = lun_proc_boot(&number, &fds, &count);

    if (user != NULL) {
        worker(user, number);
    }

    lun_sock_init();
    lun_lock_init_process();
    open_all(&segment);

    works_over_deaths(&segment);
    works_over_a_reload(&segment);
    two_sets_in_one();
    slots_are_used_again();

    return done_testing();
}
