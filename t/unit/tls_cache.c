/*
 * tls_cache.c -- sessions by id, and a worker killed at any instruction.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/tls_cache.c"

#include "os/proc.h"
#include "tap_step.h"

enum { ROOM = 128 * 1024, KEYS = 20, LEN_SMALL = 100, LEN_LARGE = 2000,
       NOW = 1000, LATER = 2000 };

static lun_zone       zone, copy;
static const lun_log  deaf = { .level = LUN_LOG_EMERG };

static struct {
    unsigned  steps, inside, bad;
} seen;


static void
fresh(lun_zone *z)
{
    if (z->shm.addr == NULL) {
        z->size = ROOM;
        z->shm.addr = lun_calloc(ROOM);
    }

    memset(z->shm.addr, 0, ROOM);
    (void) init(z, NULL);
}


static lun_str
id_no(unsigned i)
{
    static char  room[256][ID];

    memset(room[i], 'i', ID);
    room[i][0] = (char) i;
    return lun_str_of(room[i], ID);
}


/* Each byte of it says which it is. */
static void
put(unsigned i, char what, size_t len)
{
    char  session[LUN_TLS_SESSION];

    memset(session, what, len);
    lun_tls_cache_put(&zone, id_no(i), lun_str_of(session, len), LATER);
}


/* What its bytes say; 0: it is not there, -1: they differ. */
static int
get(const lun_zone *z, unsigned i)
{
    char    session[LUN_TLS_SESSION];
    size_t  n, len = lun_tls_cache_get(z, id_no(i), NOW, session);

    for (n = 1; n < len; n++) {
        if (session[n] != session[0]) {
            return -1;
        }
    }

    return len != 0 ? session[0] : 0;
}


static void
keeps_sessions(void)
{
    char  room[LUN_TLS_SESSION];

    fresh(&zone);
    put(1, 'a', LEN_SMALL);
    put(2, 'b', LEN_LARGE);
    ok(get(&zone, 1) == 'a' && get(&zone, 2) == 'b', "small and large");
    ok(get(&zone, 3) == 0, "no other");
    put(1, 'c', LEN_SMALL);
    ok(get(&zone, 1) == 'c', "the last of an id counts");
    is_int((int64_t) lun_tls_cache_get(&zone, id_no(1), LATER, room), 0,
           "until it expires");
    lun_tls_cache_drop(&zone, id_no(2));
    ok(get(&zone, 2) == 0 && get(&zone, 1) == 'c', "what is dropped is gone");
}


static void
refuses_what_has_no_room(void)
{
    char  big[LUN_TLS_SESSION + 1] = "";

    fresh(&zone);
    lun_tls_cache_put(&zone, id_no(1), lun_str_of(big, sizeof(big)), LATER);
    lun_tls_cache_put(&zone, lun_str_of(big, ID + 1), LUN_STR("x"), LATER);
    ok(get(&zone, 1) == 0, "a session that is too long is not kept");
    is_int((int64_t) lun_tls_cache_get(&zone, lun_str_of(big, ID + 1), NOW,
                                       big), 0, "an id that is none");
}


static void
the_first_to_expire_makes_room(void)
{
    unsigned  i, kept = 0;

    fresh(&zone);

    for (i = 1; i < 256; i++) {
        lun_tls_cache_put(&zone, id_no(i), LUN_STR("x"), NOW + i);
    }

    ok(get(&zone, 255) == 'x', "the newest is there");

    for (i = 1; i < 256; i++) {
        kept += get(&zone, i) != 0;
    }

    ok(kept > ROOM / SMALL / 4, "so are %u others", kept);
}


/* --- killed -------------------------------------------------------------- */

static void
furnish(void)
{
    unsigned  i;

    fresh(&zone);

    for (i = 1; i < KEYS; i++) {
        put(i, 'o', i % 5 == 0 ? LEN_LARGE : LEN_SMALL);
    }
}


static void
replace(void *data)
{
    put(1, 'n', LEN_SMALL);
}


static void
drop(void *data)
{
    lun_tls_cache_drop(&zone, id_no(1));
}


/* Whole sessions or none; and all of them if nobody was at work. */
static void
look(void *data)
{
    int       got;
    bool      held;
    unsigned  i;
    cache    *c = copy.shm.addr;

    memcpy(c, zone.shm.addr, ROOM);
    held = atomic_load(&c->lock.owner) != 0;
    seen.steps++;
    seen.inside += held;
    mend(&copy, lun_proc_pid(), &deaf);

    for (i = 1; i < KEYS; i++) {
        got = get(&copy, i);
        seen.bad += got == -1 || (got == 0 && !held && i != 1);
    }
}


static void
is_killed(const char *what, tap_step_fn *run)
{
    memset(&seen, 0, sizeof(seen));
    furnish();

    if (!tap_step(run, look, NULL)) {
        skip("no trap flag here");
        return;
    }

    ok(seen.bad == 0 && seen.inside > 0, "%s: killed at %u instructions, %u "
       "of them inside, %u bad", what, seen.steps, seen.inside, seen.bad);
}


int
main(void)
{
    lun_lock_init_process();
    keeps_sessions();
    refuses_what_has_no_room();
    the_first_to_expire_makes_room();

    fresh(&copy);
    is_killed("a session is replaced", replace);
    is_killed("a session is dropped", drop);

    return done_testing();
}
