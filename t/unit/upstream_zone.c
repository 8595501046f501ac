/*
 * upstream_zone.c -- states of servers in a zone: who finds which, over
 * reloads, and a lock whose holder is dead.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/upstream/upstream_zone.c"

#include "tap.h"


enum { ZONE_BYTES = sizeof(table) + 5 * sizeof(slot) };

static lun_pool     *pool;
static lun_session   session = { .mark = LUN_MARK_SESSION };
static lun_log       quiet;
static union {
    table          table;
    unsigned char  bytes[ZONE_BYTES];
} memory;
static lun_zone      zone = { .size = ZONE_BYTES, .shm.addr = &memory };


/* "a" ... of weight 1; the group is locked by the zone if there is room. */
static bool
configure(lun_upstream *u, const char *name, const char *servers,
    uint64_t generation)
{
    sharing               sh = { .upstream = u, .zone = &zone };
    lun_conf              cf = { .pool = pool };
    lun_addr              addr = { .family = LUN_AF_INET };
    lun_upstream_server_conf  *s;

    memset(u, 0, sizeof(*u));
    u->name = lun_str_z(name);
    u->method = &lun_round_robin;
    lun_array_init(&u->servers, pool, sizeof(lun_upstream_server_conf), 8);

    for ( ; *servers != '\0'; servers++) {
        s = lun_array_push(&u->servers);
        lun_upstream_server_addrs(pool, s, &addr, 1);
        s->name = s->addr_names[0] = lun_str_of(servers, 1);
    }

    is_int(lun_upstream_groups_new(&cf, u), LUN_OK, "there are servers");
    return share(&sh, generation);
}


static char
turn(lun_upstream *u, unsigned outcome)
{
    lun_balance  b = { 0 };

    (void) lun_balance_begin(&session, u, &b);

    if (b.get(&session, &b) != LUN_BALANCE_OK) {
        return '-';
    }

    b.put(&session, &b, outcome);
    return b.name.data[0];
}


static void
same_for_all(void)
{
    lun_upstream  one, other;

    memset(&memory, 0, sizeof(memory));
    is_int(init_zone(&zone, &quiet), LUN_OK, "a zone");
    is_int((int64_t) memory.table.room, 5, "of five servers");

    ok(configure(&one, "u", "ab", 1), "a worker's");
    ok(configure(&other, "u", "ab", 1), "another's");

    is_int(turn(&one, LUN_BALANCE_DONE), 'a', "they take turns");
    is_int(turn(&other, LUN_BALANCE_DONE), 'b', "with each other");
    is_int(turn(&one, LUN_BALANCE_FAILED), 'a', "a failure");
    is_int(turn(&other, LUN_BALANCE_DONE), 'b', "is everybody's");
    is_int(turn(&other, LUN_BALANCE_DONE), 'b', "for some time");

    ok(configure(&other, "v", "ab", 1), "an upstream of the same servers");
    is_int(turn(&other, LUN_BALANCE_DONE), 'a', "knows nothing of that");
}


static void
over_reloads(void)
{
    lun_upstream  u;

    memset(&memory, 0, sizeof(memory));
    (void) init_zone(&zone, &quiet);
    lun_clock.sec = 100;

    ok(configure(&u, "u", "aab", 1), "a server may be there twice");
    is_int(turn(&u, LUN_BALANCE_FAILED), 'a', "one of them fails");
    ok(u.peers->peers[0].state != u.peers->peers[1].state, "not the other");

    ok(configure(&u, "u", "bac", 2), "what stays is found again");
    is_int(u.peers->peers[1].state->fails, 1, "with its failures");
    is_int(u.peers->peers[0].state->fails, 0, "in any order");
    is_int(u.peers->peers[2].state->effective, 1, "what is new begins");

    ok(configure(&u, "u", "de", 3), "all of it is in use, or nearly");
    ok(!configure(&u, "u", "defghi", 3), "there is no room for more");
    ok(configure(&u, "u", "defgh", 5), "but for what nobody claims");
    is_int(u.peers->peers[4].state->fails, 0, "as new");
}


static void
killed(void)
{
    lun_upstream  u;

    memset(&memory, 0, sizeof(memory));
    (void) init_zone(&zone, &quiet);
    ok(configure(&u, "u", "ab", 1), "servers");

    atomic_store(&memory.table.lock.owner, UINT64_C(0x7ffffff000000001));
    is_int(turn(&u, LUN_BALANCE_DONE), 'a', "its holder is dead: go on");
    is_int((int64_t) atomic_load(&memory.table.lock.owner), 0, "it is free");

    atomic_store(&memory.table.lock.owner, lun_lock_self());
    mend_zone(&zone, lun_lock_pid_of(lun_lock_self()), &quiet);
    is_int((int64_t) atomic_load(&memory.table.lock.owner), 0,
           "the master frees it");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    session.pool = pool;
    session.log = &quiet;

    same_for_all();
    over_reloads();
    killed();

    lun_pool_free(pool);
    return done_testing();
}
