/*
 * shdict_kill.c -- real writers of a shared dictionary, killed at random.
 *
 * Two workers write without a pause, each its own keys, and note before each
 * operation which key it is about, and after it what must be there.  The
 * master kills one of them in the middle, looks at every key that was not in
 * hand, and starts it anew; half of the time it leaves the dead one's locks
 * to whoever comes across them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/shdict.c"

#include "base/log.h"
#include "os/proc.h"
#include "os/time.h"
#include "tap.h"

enum {
    WRITERS   = 2,
    KEYS      = 64,                /* of each writer */
    ROUNDS    = 200,               /* kills; under Wine a tenth of them */
    ZONE_SIZE = 2 << 20,
    LIMIT     = 20000              /* ms: then nothing will come */
};

enum { STRING, NUMBER, LIST, KINDS };

/* In the segment.  A key's kind is its number modulo KINDS. */
typedef struct {
    void             *common;
    uint32_t          number;
    _Atomic uint64_t  done;        /* operations */
    _Atomic uint32_t  doing;       /* key + 1 */
    uint32_t          version[KEYS];   /* 0: not there */
    uint32_t          first[KEYS];     /* of a list: first item's number */
} writer;

typedef struct {
    lun_zone  zone;
    writer    writers[WRITERS];
} common;

static lun_port  *port;
static bool       dead[WRITERS];
static int64_t    pids[WRITERS];
static unsigned   mended, damaged;


static uint32_t
next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}


static lun_str
key_of(uint32_t number, uint32_t key)
{
    static char  name[32];

    *lun_fmt(name, name + sizeof(name) - 1, "writer%u:%u", number, key) = '\0';
    return lun_str_z(name);
}


/* Version v of a string: its length and its bytes say which it is. */
static size_t
text_of(uint32_t version, char *text)
{
    size_t  len = 1 + version * 37 % 6000;

    memset(text, (int) ('a' + version % 26), len);
    return len;
}


/* --- the writer --- */

static void
write_string(lun_shdict *d, lun_str key, uint32_t *version, uint32_t chance)
{
    static char  text[8192];

    lun_shdict_store  st = { .type = LUN_SHDICT_STRING, .data = text };

    if (chance % 4 == 0) {
        st.type = LUN_SHDICT_NIL;
        LUN_CHECK(lun_shdict_store_value(d, key, &st) == LUN_SHDICT_OK);
        *version = 0;
        return;
    }

    st.len = text_of(chance | 1, text);
    LUN_CHECK(lun_shdict_store_value(d, key, &st) == LUN_SHDICT_OK);
    *version = chance | 1;
}


static void
write_list(lun_shdict *d, lun_str key, uint32_t *version, uint32_t *first,
    uint32_t chance)
{
    double            item = *version;
    uint32_t          count;
    lun_shdict_value  v = { 0 };
    lun_shdict_store  st = { .type = LUN_SHDICT_NUMBER, .data = &item,
                             .len = sizeof(item) };

    if (*version - *first < 20 && (chance % 2 || *version == *first)) {
        LUN_CHECK(lun_shdict_push(d, key, &st, false, &count)
                  == LUN_SHDICT_OK);
        ++*version;
        LUN_CHECK(count == *version - *first);
        return;
    }

    LUN_CHECK(lun_shdict_pop(d, key, true, &v) == LUN_SHDICT_OK
              && v.number == *first);
    ++*first;
}


static void
write_key(lun_shdict *d, uint32_t number, writer *w, uint32_t key,
    uint32_t chance)
{
    lun_str               name = key_of(number, key);
    lun_shdict_incr_args  a = { .value = 1, .has_init = true };

    atomic_store(&w->doing, key + 1);

    switch (key % KINDS) {

    case STRING:
        write_string(d, name, &w->version[key], chance);
        break;

    case NUMBER:
        LUN_CHECK(lun_shdict_incr(d, name, &a) == LUN_SHDICT_OK);
        w->version[key]++;
        LUN_CHECK(a.value == w->version[key]);
        break;

    case LIST:
        write_list(d, name, &w->version[key], &w->first[key], chance);
        break;
    }

    atomic_store(&w->doing, 0);
    atomic_fetch_add(&w->done, 1);
}


/* What it was at when its predecessor died is made anew. */
static void
work(writer *w)
{
    common            *c = w->common;
    uint32_t           number = w->number, key;
    uint32_t           seed = (uint32_t) lun_proc_pid();
    lun_shdict        *d = lun_shdict_of(&c->zone);
    lun_shdict_store   st = { .type = LUN_SHDICT_NIL };

    lun_lock_init_process();
    key = atomic_load(&w->doing);

    if (key != 0) {
        (void) lun_shdict_store_value(d, key_of(number, key - 1), &st);
        w->version[key - 1] = w->first[key - 1] = 0;
        atomic_store(&w->doing, 0);
    }

    for ( ;; ) {
        key = next_random(&seed) % KEYS;
        write_key(d, number, w, key, next_random(&seed));
    }
}


static void
run(void *user)
{
    lun_proc_bind_to_parent();
    work(user);
}


/* --- the master --- */

static void
on_exit_of(void *data, int64_t pid, int code, const char *text)
{
    unsigned  i;

    for (i = 0; i < WRITERS; i++) {
        if (pids[i] == pid) {
            dead[i] = true;
            if (strstr(text, "signal 6") || strstr(text, "abort")) {
                diag("a writer failed by itself: %s", text);
                damaged++;
            }
        }
    }
}


static bool
start(common *c, const lun_shm *shms, uint32_t number, lun_proc *proc)
{
    lun_err              err;
    lun_proc_start_spec  spec = {
        .number = number, .shm_count = 2, .shms = shms,
        .user = &c->writers[number], .title = "worker process", .run = run
    };

    dead[number] = false;
    c->writers[number].common = c;
    c->writers[number].number = number;
    err = lun_proc_start(&spec, proc);
    pids[number] = proc->pid;
    return err == 0;
}


/* Until it has done that much; false: it does nothing. */
static bool
await_work(writer *w, uint64_t much)
{
    uint64_t  goal = atomic_load(&w->done) + much;
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (atomic_load(&w->done) < goal) {
        if (lun_time_monotonic() > end) {
            return false;
        }
        lun_cpu_yield();
    }

    return true;
}


static bool
await_death(uint32_t number)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (!dead[number] && lun_time_monotonic() < end) {
        lun_port_wait(port, 5, NULL);
    }

    return dead[number];
}


static bool
key_is_right(lun_shdict *d, const writer *w, uint32_t number, uint32_t key)
{
    static char  text[8192], room[8192];

    size_t              len;
    uint32_t            count;
    lun_str             name = key_of(number, key);
    lun_shdict_value    v = { .buf = room, .room = sizeof(room) };
    lun_shdict_verdict  verdict = lun_shdict_get(d, name, false, &v);

    if (key % KINDS == LIST) {
        return lun_shdict_llen(d, name, &count) == LUN_SHDICT_OK
               && count == w->version[key] - w->first[key];
    }

    if (w->version[key] == 0) {
        return verdict == LUN_SHDICT_NOT_FOUND;
    }

    if (key % KINDS == NUMBER) {
        return verdict == LUN_SHDICT_OK && v.number == w->version[key];
    }

    len = text_of(w->version[key], text);
    return verdict == LUN_SHDICT_OK && v.len == len
           && memcmp(v.data, text, len) == 0;
}


/* How many keys are not what they must be. */
static unsigned
check(common *c, uint32_t number)
{
    unsigned       bad = 0;
    uint32_t       key;
    const writer  *w = &c->writers[number];
    lun_shdict    *d = lun_shdict_of(&c->zone);

    for (key = 0; key < KEYS; key++) {
        if (key + 1 != atomic_load(&w->doing)
            && !key_is_right(d, w, number, key))
        {
            diag("writer %u, key %u", number, key);
            bad++;
        }
    }

    return bad;
}


static void
kill_many(common *c, const lun_shm *shms)
{
    bool       good = true;
    int64_t    pid;
    uint32_t   seed = 7, number, in_hand = 0;
    unsigned   i, bad = 0, rounds = tap_wine() ? ROUNDS / 10 : ROUNDS;
    lun_proc   procs[WRITERS];

    for (i = 0; i < WRITERS; i++) {
        good &= start(c, shms, i, &procs[i]);
    }

    for (i = 0; i < rounds && good; i++) {
        number = next_random(&seed) % WRITERS;
        pid = pids[number];
        good = await_work(&c->writers[number], next_random(&seed) % 3000);

        lun_proc_kill(&procs[number]);
        good &= await_death(number);
        lun_proc_forget(&procs[number]);

        if (i % 2 == 0) {
            lun_shdict_kind.mend(&c->zone, pid, NULL);
        }

        in_hand += atomic_load(&c->writers[number].doing) != 0;
        bad += check(c, number);
        good &= start(c, shms, number, &procs[number]);
    }

    ok(good, "%u writers were killed, nobody hung", rounds);
    is_int(bad, 0, "all their keys are right but the one in hand (%u times)",
           in_hand);
    is_int(damaged, 0, "no shard was dropped, no writer failed by itself");
    ok(mended > 0, "%u unfinished writes were undone here", mended);

    for (i = 0; i < WRITERS; i++) {
        lun_proc_kill(&procs[i]);
        ok(await_death(i), "the last ones go");
        is_int(check(c, i), 0, "and leave what they wrote");
        lun_proc_forget(&procs[i]);
    }
}


static void
on_line(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    if (level == LUN_LOG_NOTICE) {
        mended++;
    } else {
        damaged++;
    }
}


int
main(int argc, char **argv)
{
    common          *c;
    lun_err          err;
    lun_shm          shms[2];
    writer          *w;
    uint32_t         number, count;
    const lun_fd    *listeners;
    lun_log_target   target = { .level = LUN_LOG_NOTICE, .write = on_line };
    lun_log          log = { .level = LUN_LOG_NOTICE, .targets = &target };

    (void) lun_proc_init(&argc, argv);
    lun_log_set_default(&log);
    w = lun_proc_boot(&number, &listeners, &count);

    if (w) {
        work(w);
    }

    port = lun_port_new(&err);
    is_int(lun_shm_init(), 0, "the range");
    is_int(lun_shm_new(sizeof(common), &shms[0]), 0, "a segment");
    is_int(lun_shm_new(ZONE_SIZE, &shms[1]), 0, "a zone");

    c = shms[0].addr;
    c->zone.kind = &lun_shdict_kind;
    c->zone.size = ZONE_SIZE;
    c->zone.shm = shms[1];
    is_int(lun_shdict_kind.init(&c->zone, NULL), LUN_OK, "a dictionary");
    is_int(lun_proc_listen(port, on_exit_of, NULL, NULL), 0, "we listen");

    kill_many(c, shms);

    lun_port_free(port);
    lun_shm_free(&shms[1]);
    lun_shm_free(&shms[0]);

    return done_testing();
}
