/*
 * upstream_table.c -- states of servers in a zone: who finds which, over
 * reloads, and a lock whose holder is dead.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/upstream/upstream_table.c"

#include "tap.h"


/* Two thirds of it are for five servers. */
enum {
    ZONE_BYTES = sizeof(lun_upstream_table)
                 + 5 * sizeof(lun_upstream_slot) * 3 / 2
};

static lun_pool     *pool;
static lun_session   session = { .mark = LUN_MARK_SESSION };
static lun_log       quiet;
static union {
    lun_upstream_table  table;
    unsigned char       bytes[ZONE_BYTES];
} memory;
static lun_zone      zone = { .size = ZONE_BYTES, .shm.addr = &memory };


/* "a" ... of weight 1; the group is locked by the zone if there is room. */
static bool
configure(lun_upstream *u, const char *name, const char *servers,
    uint64_t generation)
{
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
    return lun_upstream_table_claim(&memory.table, u->name, u->peers,
                                    generation);
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


/* An address that is gone, and one that takes its place. */
static void
lost(void)
{
    lun_upstream          u, v;
    lun_upstream_state   *b;

    memset(&memory, 0, sizeof(memory));
    (void) init_zone(&zone, &quiet);

    ok(configure(&u, "u", "abcde", 1), "all of it is in use");
    ok(configure(&v, "u", "acde", 1), "one is not needed any more");
    b = u.peers->peers[1].state;
    b->conns = 1;
    lun_upstream_table_release(u.peers, v.peers);
    ok(!configure(&v, "u", "acdef", 1), "while it has a request it is kept");

    b->conns = 0;
    b->fails = 7;
    ok(configure(&v, "u", "acdef", 1), "then it is another's");
    ok(v.peers->peers[4].state == b && b->fails == 0, "as new");

    ok(configure(&v, "u", "acde", 1), "a server comes back");
    lun_upstream_table_release(v.peers, v.peers);
    ok(v.peers->peers[0].state == u.peers->peers[0].state, "to its state");
}


static lun_upstream_found
found(uint8_t last)
{
    return (lun_upstream_found) { .family = LUN_AF_INET, .ip = { [3] = last } };
}


static const char *
addresses(const lun_upstream_name *name)
{
    size_t        i;
    static char   text[LUN_UPSTREAM_ADDRS + 1];

    for (i = 0; i < name->count; i++) {
        text[i] = (char) name->addrs[i].ip[3];
    }

    text[i] = '\0';
    return text;
}


static bool
write_list(lun_upstream_name *name, const char *text)
{
    size_t              i, n = strlen(text);
    lun_upstream_found  list[LUN_UPSTREAM_ADDRS];

    for (i = 0; i < n; i++) {
        list[i] = found((uint8_t) text[i]);
    }

    return lun_upstream_table_write(name, list, n);
}


static void
names(void)
{
    static unsigned char  bytes[64 * 1024];
    uint64_t              version;
    lun_upstream_name    *one, *other;
    lun_upstream_table   *t = (lun_upstream_table *) (void *) bytes;
    lun_zone              large = { .size = sizeof(bytes), .shm.addr = bytes };

    (void) init_zone(&large, &quiet);
    ok((unsigned char *) &t->names[t->name_room] <= bytes + sizeof(bytes),
       "names and slots are in the zone");
    ok(t->name_room >= 4 && t->room >= 224, "it has room for both");

    one = lun_upstream_table_name(t, 1, 1);
    ok(one != NULL && one->count == 0, "a name begins with none");
    ok(write_list(one, "ab"), "it has two");
    is_str(addresses(one), "ab", "in their order");
    version = one->version;
    ok(!write_list(one, "ba") && one->version == version,
       "another order is no change");
    ok(write_list(one, "cab") && one->version != version, "one more is");
    is_str(addresses(one), "abc", "behind those that stay");
    ok(write_list(one, "cc"), "twice the same");
    is_str(addresses(one), "cc", "is there twice");
    ok(write_list(one, "c"), "and once less");
    is_str(addresses(one), "c", "once");
    ok(write_list(one, ""), "none");
    is_int((int64_t) one->count, 0, "is none");

    (void) write_list(one, "ab");
    ok(lun_upstream_table_name(t, 1, 2) == one, "over a reload");
    is_str(addresses(one), "ab", "it is known");

    other = lun_upstream_table_name(t, 2, 2);
    ok(other != one && other != NULL, "another has its own");

    for (version = 3; version < t->name_room + 1; version++) {
        (void) lun_upstream_table_name(t, version, 2);
    }

    ok(lun_upstream_table_name(t, 1000, 3) == NULL, "there is an end");
    ok(lun_upstream_table_name(t, 1000, 4) == one,
       "but for what nobody claims");
    is_int((int64_t) one->count, 0, "which knows nothing");
}


/* Another process takes a request, and is killed. */
static void
gives_back(void)
{
    int                  i;
    lun_upstream         u, v;
    lun_balance          b = { 0 }, c = { 0 };
    lun_upstream_hold   *row = NULL;
    lun_upstream_state  *s;
    const uint64_t       other = UINT64_C(0x7ffffff000000001);

    memset(&memory, 0, sizeof(memory));
    (void) init_zone(&zone, &quiet);
    ok(memory.table.holds.room >= 5, "there is room for holds");
    ok((unsigned char *) &memory.table.holds.rows[memory.table.holds.room]
       <= memory.bytes + ZONE_BYTES, "in the zone");

    (void) configure(&u, "u", "a", 1);
    s = u.peers->peers[0].state;
    lun_clock.mono = 1000;
    (void) lun_balance_begin(&session, &u, &b);
    (void) lun_balance_begin(&session, &u, &c);
    (void) b.get(&session, &b);
    (void) c.get(&session, &c);

    /* c is that of the other one. */
    for (i = 0; i < (int) memory.table.holds.room; i++) {
        if (memory.table.holds.rows[i].conns != 0) {
            row = &memory.table.holds.rows[i];
        }
    }

    ok(row != NULL && row->conns == 2, "both requests are one worker's");
    row[row == memory.table.holds.rows ? 1 : -1] = (lun_upstream_hold) {
        .owner = other, .state = s, .conns = 1, .begun = 1000 };
    row->conns = 1;
    row->begun = 1000;
    is_int(s->conns, 2, "a server has two requests");

    mend_zone(&zone, lun_lock_pid_of(other), &quiet);
    is_int(s->conns, 1, "one is left when their worker is dead");
    is_int(s->begun, 1000, "and when it began");
    mend_zone(&zone, lun_lock_pid_of(other), &quiet);
    is_int(s->conns, 1, "it dies once");

    b.put(&session, &b, LUN_BALANCE_DONE);
    is_int(s->conns, 0, "none");
    c.put(&session, &c, LUN_BALANCE_DONE);
    is_int(s->conns, 0, "less than none is not");

    /* Meanwhile the state has become another server's. */
    (void) b.get(&session, &b);
    (void) configure(&v, "v", "abcde", 9);
    is_int(s->conns, 0, "a new server has none");
    s->conns = 1;
    b.put(&session, &b, LUN_BALANCE_DONE);
    is_int(s->conns, 1, "and keeps its own");
}


static void
no_room(void)
{
    lun_upstream         u;
    lun_balance          b = { 0 };

    memset(&memory, 0, sizeof(memory));
    (void) init_zone(&zone, &quiet);
    memory.table.holds.room = 0;
    (void) configure(&u, "u", "a", 1);

    (void) lun_balance_begin(&session, &u, &b);
    (void) b.get(&session, &b);
    is_int(u.peers->peers[0].state->conns, 1, "without holds it is counted");
    b.put(&session, &b, LUN_BALANCE_DONE);
    is_int(u.peers->peers[0].state->conns, 0, "and no more");
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
    lost();
    names();
    gives_back();
    no_room();
    killed();

    lun_pool_free(pool);
    return done_testing();
}
