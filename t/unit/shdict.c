/*
 * shdict.c -- tests of shared dictionaries, without Lua: one process, a zone
 * of plain memory, and the states that a killed writer leaves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/shdict.c"

#include "base/log.h"
#include "os/clock.h"
#include "tap.h"

static lun_zone  zone;
static char      said[300];            /* the last line of the log */


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    len = lun_min(len, sizeof(said) - 1);
    memcpy(said, line, len);
    said[len] = '\0';
}


static lun_shdict *
make(size_t bytes)
{
    lun_free(zone.shm.addr ? ((void **) zone.shm.addr)[-1] : NULL);

    size_t   size = bytes + lun_shdict_kind.beside(bytes);
    char    *raw = lun_calloc(size + 8192), *at;

    at = (char *) lun_align(raw + 64, 4096);
    ((void **) at)[-1] = raw;

    zone.kind = &lun_shdict_kind;
    zone.size = bytes;
    zone.shm.addr = at;
    zone.shm.size = size;
    LUN_CHECK(lun_shdict_kind.init(&zone, NULL) == LUN_OK);

    return lun_shdict_of(&zone);
}


static lun_shdict_verdict
put(lun_shdict *d, const char *key, lun_str value, uint8_t op)
{
    lun_shdict_store  st = { .op = op, .type = LUN_SHDICT_STRING,
                             .data = value.data, .len = value.len };

    return lun_shdict_store_value(d, lun_str_z(key), &st);
}


static lun_shdict_verdict
put_ttl(lun_shdict *d, const char *key, const char *value, int64_t ttl)
{
    lun_shdict_store  st = { .type = LUN_SHDICT_STRING, .ttl = ttl,
                             .data = value, .len = strlen(value) };

    return lun_shdict_store_value(d, lun_str_z(key), &st);
}


/* The text of a key, "" when it is not there. */
static const char *
get(lun_shdict *d, const char *key)
{
    static char       text[65536];
    lun_shdict_value  v = { .buf = text, .room = sizeof(text) - 1 };

    text[0] = '\0';
    if (lun_shdict_get(d, lun_str_z(key), false, &v) != LUN_SHDICT_OK) {
        return "";
    }
    if (v.type != LUN_SHDICT_STRING) {
        return "(no string)";
    }
    text[v.len] = '\0';
    return text;
}


static void
test_basics(void)
{
    lun_shdict  *d = make(128 * 1024);

    is_str(get(d, "a"), "", "an empty dictionary has nothing");
    put(d, "a", LUN_STR("one"), 0);
    is_str(get(d, "a"), "one", "what was set is there");
    put(d, "a", LUN_STR("two"), 0);
    is_str(get(d, "a"), "two", "overwritten in place");
    put(d, "a", LUN_STR("a longer value than before, by far"), 0);
    is_str(get(d, "a"), "a longer value than before, by far",
           "overwritten by another size");

    is_int(put(d, "a", LUN_STR("x"), LUN_SHDICT_ADD), LUN_SHDICT_EXISTS,
           "add refuses a key that exists");
    is_int(put(d, "b", LUN_STR("x"), LUN_SHDICT_REPLACE),
           LUN_SHDICT_NOT_FOUND, "replace refuses one that does not");

    lun_shdict_store  nil = { .type = LUN_SHDICT_NIL };

    lun_shdict_store_value(d, LUN_STR("a"), &nil);
    is_str(get(d, "a"), "", "nil removes");
    is_int((int) lun_shdict_free_space(d), (int) d->usable * PAGE_SIZE,
           "and gives every page back");
}


static void
test_numbers(void)
{
    lun_shdict           *d = make(64 * 1024);
    lun_shdict_incr_args  a = { .value = 2 };

    is_int(lun_shdict_incr(d, LUN_STR("n"), &a), LUN_SHDICT_NOT_FOUND,
           "incr without init wants the key");
    a = (lun_shdict_incr_args) { .value = 2, .init = 40, .has_init = true };
    is_int(lun_shdict_incr(d, LUN_STR("n"), &a), LUN_SHDICT_OK, "with init");
    ok(a.value == 42, "init + value");
    a = (lun_shdict_incr_args) { .value = 0.5 };
    lun_shdict_incr(d, LUN_STR("n"), &a);
    ok(a.value == 42.5, "fractions count");
    put(d, "s", LUN_STR("text"), 0);
    is_int(lun_shdict_incr(d, LUN_STR("s"), &a), LUN_SHDICT_NOT_NUMBER,
           "a string is not a number");
}


static void
test_time(void)
{
    int64_t           ms;
    char              text[8];
    lun_shdict       *d = make(64 * 1024);
    lun_shdict_value  v = { .buf = text, .room = sizeof(text) };

    lun_clock.mono = 1000;
    put_ttl(d, "k", "v", 50);
    is_int(lun_shdict_ttl(d, LUN_STR("k"), &ms), LUN_SHDICT_OK, "has a ttl");
    is_int((int) ms, 50, "which is what was asked for");

    lun_clock.mono = 1050;
    is_str(get(d, "k"), "", "it is gone when its time has come");
    lun_shdict_get(d, LUN_STR("k"), true, &v);
    ok(v.stale && v.type == LUN_SHDICT_STRING, "but stale it can be had");
    is_int((int) lun_shdict_flush_expired(d, 0), 1, "one is flushed");
    lun_shdict_get(d, LUN_STR("k"), true, &v);
    is_int(v.type, LUN_SHDICT_NIL, "then it is gone for good");

    put_ttl(d, "k", "v", 0);
    lun_shdict_flush_all(d);
    is_str(get(d, "k"), "", "flush_all hides everything");
}


static void
test_eviction(void)
{
    int               i, there = 0, forced = 0;
    char              key[32], *end;
    lun_shdict       *d = make(64 * 1024);
    lun_shdict_store  st = { .type = LUN_SHDICT_STRING,
                             .data = "0123456789", .len = 10 };

    for (i = 0; i < 4000; i++) {
        end = lun_fmt(key, key + sizeof(key) - 1, "key%d", i);
        if (lun_shdict_store_value(d, lun_str_of(key, (size_t) (end - key)),
                                   &st) != LUN_SHDICT_OK)
        {
            break;
        }
        forced += st.forcible;
    }

    is_int(i, 4000, "a full dictionary goes on taking keys");
    ok(forced > 2000, "by evicting others: %d", forced);

    for (i = 0; i < 4000; i++) {
        *lun_fmt(key, key + sizeof(key) - 1, "key%d", i) = '\0';
        there += get(d, key)[0] != '\0';
    }

    ok(there > 400, "and is still full: %d", there);
    is_str(get(d, "key3999"), "0123456789", "the newest is among them");

    st.op = LUN_SHDICT_SAFE;
    is_int(lun_shdict_store_value(d, LUN_STR("another-key-of-this-length"),
                                  &st), LUN_SHDICT_NO_MEMORY,
           "safe_set evicts nobody");
}


/* The first turn of the hand, too, knows who was read. */
static void
test_first_turn(void)
{
    int               i;
    char              key[32], *end;
    lun_shdict       *d = make(64 * 1024);
    lun_shdict_store  st = { .type = LUN_SHDICT_STRING,
                             .data = "0123456789", .len = 10 };

    for (i = 0; i < 4000 && !st.forcible; i++) {
        end = lun_fmt(key, key + sizeof(key) - 1, "key%d", i);
        (void) lun_shdict_store_value(d, lun_str_of(key, (size_t) (end - key)),
                                      &st);
        (void) get(d, "key0");
    }

    ok(st.forcible, "somebody had to go");
    is_str(get(d, "key0"), "0123456789", "not who was read a moment ago");
}


static void
test_large(void)
{
    char             *big = lun_malloc(6 << 20);
    lun_shdict       *d = make(10 << 20);
    lun_shdict_value  v = { 0 };

    memset(big, 'x', 6 << 20);

    is_int(put(d, "five", lun_str_of(big, 5 << 20), 0), LUN_SHDICT_OK,
           "10 MB hold a value of 5 MB");
    lun_shdict_get(d, LUN_STR("five"), false, &v);
    ok(v.len == 5 << 20 && memcmp(v.data, big, v.len) == 0, "unharmed");

    put(d, "small", LUN_STR("s"), 0);
    is_int(put(d, "six", lun_str_of(big, 6 << 20), 0), LUN_SHDICT_OK,
           "a larger one makes it go");
    is_str(get(d, "five"), "", "it went");
    is_int(put(d, "eleven", lun_str_of(big, 11 << 20), 0),
           LUN_SHDICT_NO_MEMORY, "what can never fit");
    lun_shdict_get(d, LUN_STR("six"), false, &v);
    ok(v.len == 6 << 20, "evicts nobody");

    lun_free(v.own);
    lun_free(big);
}


static void
push(lun_shdict *d, const char *key, const char *value, bool left)
{
    uint32_t          n;
    lun_shdict_store  st = { .type = LUN_SHDICT_STRING, .data = value,
                             .len = strlen(value) };

    lun_shdict_push(d, lun_str_z(key), &st, left, &n);
}


static void
test_lists(void)
{
    char              text[8] = "";
    uint32_t          n;
    lun_shdict       *d = make(64 * 1024);
    lun_shdict_value  v = { .buf = text, .room = sizeof(text) };

    push(d, "l", "b", true);
    push(d, "l", "a", true);
    push(d, "l", "c", false);
    lun_shdict_llen(d, LUN_STR("l"), &n);
    is_int((int) n, 3, "three items");

    lun_shdict_pop(d, LUN_STR("l"), true, &v);
    ok(v.len == 1 && text[0] == 'a', "lpop takes the first");
    lun_shdict_pop(d, LUN_STR("l"), false, &v);
    ok(v.len == 1 && text[0] == 'c', "rpop the last");
    lun_shdict_pop(d, LUN_STR("l"), false, &v);
    is_int(lun_shdict_pop(d, LUN_STR("l"), false, &v), LUN_SHDICT_NOT_FOUND,
           "an empty list is no list");
    is_int((int) lun_shdict_free_space(d), (int) d->usable * PAGE_SIZE,
           "nothing is left of it");

    put(d, "s", LUN_STR("text"), 0);
    is_int(lun_shdict_llen(d, LUN_STR("s"), &n), LUN_SHDICT_NOT_LIST,
           "a string is no list");
    push(d, "l", "a", true);
    is_int(lun_shdict_get(d, LUN_STR("l"), false, &v), LUN_SHDICT_IS_LIST,
           "get says so of a list");
}


/* As a writer leaves it that was killed after its first store. */
static shdict_shard *
die_in(lun_shdict *d, const char *key, bool intent)
{
    place          at = place_of(d, lun_str_z(key));
    shdict_shard  *s = shdict_shard_at(d, at.shard);

    atomic_fetch_add(&s->seq, 1);
    if (intent) {
        s->intent = shdict_ref_of(d, lun_shdict_find(d, at.shard, at.hash,
                                                 lun_str_z(key)));
    }

    return s;
}


static void
test_repair(void)
{
    int            i, lost = 0;
    char           key[32];
    uint32_t       entries;
    lun_shdict    *d = make(1 << 20);
    shdict_shard  *s;

    for (i = 0; i < 500; i++) {
        *lun_fmt(key, key + sizeof(key) - 1, "key%d", i) = '\0';
        put(d, key, lun_str_of(key, strlen(key)), 0);
    }
    push(d, "list", "item", true);

    s = die_in(d, "key7", true);
    entries = s->entries;

    /* What else it may have left: derived data of any kind. */
    memset(s->classes, 0x5a, sizeof(s->classes));
    d->pool_dirty = 1;
    atomic_store(&d->free_pages, 3);

    said[0] = '\0';
    is_str(get(d, "key7"), "", "the entry that was being written is gone");
    ok(strstr(said, "the unfinished write of a dead process in shard ") != NULL
       && strstr(said, " was undone, ") != NULL, "the log says so");
    is_int(s->seq & 1, 0, "the shard works again");
    is_int((int) s->entries, (int) entries - 1, "and lost nothing else");

    for (i = 0; i < 500; i++) {
        *lun_fmt(key, key + sizeof(key) - 1, "key%d", i) = '\0';
        lost += i != 7 && strcmp(get(d, key), key) != 0;
    }
    is_int(lost, 0, "all other keys are there");

    is_int(put(d, "key7", LUN_STR("back"), 0), LUN_SHDICT_OK, "and it takes");
    is_str(get(d, "key7"), "back", "new ones");
}


static void
test_repair_of_damage(void)
{
    place          at;
    lun_shdict    *d = make(1 << 20);
    shdict_entry  *e;

    put(d, "k", LUN_STR("v"), 0);
    at = place_of(d, LUN_STR("k"));
    e = lun_shdict_find(d, at.shard, at.hash, LUN_STR("k"));
    e->next = 0x7fffffff;
    die_in(d, "k", false);

    said[0] = '\0';
    is_str(get(d, "k"), "", "a chain that leads astray: the shard is dropped");
    ok(strstr(said, "[alert]") != NULL
       && strstr(said, "was damaged by a dead process and is dropped, 0 "
                       "entries kept") != NULL, "the log says what it cost");

    put(d, "k", LUN_STR("again"), 0);
    is_str(get(d, "k"), "again", "and the shard is as new");
}


/* Readers take no lock: what they walk along may be half written. */
static void
test_broken_chains(void)
{
    char              text[8];
    uint64_t          expires;
    lun_shdict       *d = make(256 * 1024);
    lun_shdict_value  v = { .buf = text, .room = sizeof(text) };
    place             at = place_of(d, LUN_STR("k"));
    shdict_ref        ref, found;

    put(d, "k", LUN_STR("v"), 0);
    ref = atomic_load(shdict_bucket(d, at.shard, at.hash));
    is_int(walk(d, at, LUN_STR("k"), &v, &expires, &found), READ_FOUND,
           "a chain of one");

    ((shdict_entry *) (uintptr_t) shdict_at(d, ref))->next = ref;
    is_int(walk(d, at, LUN_STR("x"), &v, &expires, &found), READ_TORN,
           "one that never ends");

    ((shdict_entry *) (uintptr_t) shdict_at(d, ref))->next = (shdict_ref) -9;
    is_int(walk(d, at, LUN_STR("x"), &v, &expires, &found), READ_TORN,
           "one that leads out");

    atomic_store(shdict_bucket(d, at.shard, at.hash), (shdict_ref) -9);
    is_int(walk(d, at, LUN_STR("k"), &v, &expires, &found), READ_TORN,
           "one that begins outside");
    is_str(get(d, "k"), "", "and nothing is found");
}


/* Random work against a model that is trivially right. */
static void
test_against_model(void)
{
    enum { KEYS = 300, STEPS = 60000 };

    int                step, k, wrong = 0;
    char               key[32], value[3000];
    size_t             len;
    uint32_t           seed = 20261121;
    static uint16_t    sizes[KEYS];         /* 0: not there */
    static char        fills[KEYS];
    lun_shdict        *d = make(4 << 20);
    lun_shdict_store   nil = { .type = LUN_SHDICT_NIL };

    for (step = 0; step < STEPS; step++) {
        seed = seed * 1664525 + 1013904223;
        k = (int) (seed >> 8) % KEYS;
        *lun_fmt(key, key + sizeof(key) - 1, "k%d", k) = '\0';

        switch (seed >> 28) {

        case 0:
            lun_shdict_store_value(d, lun_str_z(key), &nil);
            sizes[k] = 0;
            break;

        case 1: case 2: case 3: case 4:
            len = 1 + (seed >> 4) % (sizeof(value) - 2);
            memset(value, 'a' + step % 26, len);
            put(d, key, lun_str_of(value, len), 0);
            sizes[k] = (uint16_t) len;
            fills[k] = (char) ('a' + step % 26);
            break;

        case 5:
            if (step % 64 == 0) {
                die_in(d, key, false);     /* between two changes */
            }
            break;

        default:
            len = strlen(get(d, key));
            wrong += len != sizes[k]
                     || (len != 0 && get(d, key)[len - 1] != fills[k]);
        }
    }

    is_int(wrong, 0, "%d random steps, as a simple model has it", STEPS);
}


int
main(void)
{
    lun_log_target  target = { .level = LUN_LOG_NOTICE, .write = hear };
    lun_log         quiet = { .level = LUN_LOG_NOTICE, .targets = &target };

    lun_log_set_default(&quiet);       /* of the last repair */
    lun_clock.mono = 1000;
    lun_lock_init_process();

    test_basics();
    test_numbers();
    test_time();
    test_eviction();
    test_first_turn();
    test_large();
    test_lists();
    test_repair();
    test_repair_of_damage();
    test_broken_chains();
    test_against_model();

    return done_testing();
}
