/*
 * cache_index.c -- entries of a cache, and a worker killed at any instruction.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/cache/cache_shard.c"

#include "os/proc.h"
#include "tap_step.h"

enum { ROOM = 32 * 1024, KEYS = 40, NOW = 1000000, BIG = 1024 * 1024 };

typedef struct {
    const char  *what;
    void       (*run)(lun_cache_index *x);
} operation;

static lun_zone          zone, copy;
static const operation  *op;

static struct {
    unsigned  steps, inside, bad;
} seen;


static lun_cache_index *
fresh(lun_zone *z, size_t room)
{
    static void  *taken[2];
    void        **t = &taken[z == &copy];

    if (z->shm.size != room) {
        lun_free(*t);
        *t = lun_calloc(room + 4096);
        z->shm.size = room;
        z->shm.addr = (void *) lun_align(*t, 4096);
    }

    memset(z->shm.addr, 0, room);
    (void) init_zone(z, NULL);
    return lun_cache_index_of(z);
}


static const lun_cache_key *
key_of(unsigned i)
{
    static lun_cache_key  key;

    memset(&key, 0, sizeof(key));
    memcpy(key.bytes, &i, sizeof(i));
    memcpy(key.bytes + 4, &i, sizeof(i));
    return &key;
}


static lun_rc
use(lun_cache_index *x, unsigned i, lun_cache_entry *e)
{
    lun_cache_entry  gone;

    return lun_cache_index_use(x, key_of(i), NOW, true, e, &gone);
}


static void
store(lun_cache_index *x, unsigned i, int64_t size)
{
    lun_cache_entry  e;

    (void) use(x, i, &e);
    (void) lun_cache_index_stored(x, key_of(i),
                                  lun_cache_index_begin(x, key_of(i), 1, 0,
                                                        -1), NOW, size, 0);
}


/* Every entry that was ever used is free or in the order; sums are right. */
static bool
books_are_right(const lun_cache_index *x)
{
    uint32_t      i, n, linked, listed, freed;
    uint64_t      bytes;
    const shard  *s;

    for (i = 0; i < x->shards; i++) {
        s = shard_at(x, i);
        bytes = listed = linked = freed = 0;

        for (n = s->oldest; n != 0 && listed <= s->top;
             n = at(x, s, n)->newer)
        {
            listed++;
            bytes += at(x, s, n)->version != 0
                     ? (uint64_t) at(x, s, n)->size : 0;
        }

        for (n = s->free; n != 0 && freed <= s->top; n = at(x, s, n)->newer) {
            freed++;
        }

        for (n = 0; n < x->buckets; n++) {
            uint32_t  at_n = link_of(bucket_at(x, s, n));

            for ( ; at_n != 0; at_n = link_of(&at(x, s, at_n)->next)) {
                linked++;
            }
        }

        if (listed + freed != s->top || linked != listed
            || atomic_load(&s->count) != listed
            || atomic_load(&s->bytes) != bytes)
        {
            return false;
        }
    }

    return true;
}


static void
keeps_entries(void)
{
    lun_cache_entry   e;
    lun_cache_index  *x = fresh(&zone, ROOM);

    ok(!lun_cache_index_get(x, key_of(1), &e), "nothing is there");
    ok(use(x, 1, &e) == LUN_AGAIN && e.uses == 1 && e.version == 0,
       "the first to ask makes it known");
    ok(use(x, 1, &e) == LUN_OK && e.uses == 2, "the second finds it");

    store(x, 1, 100);
    ok(lun_cache_index_get(x, key_of(1), &e) && e.version != 0
       && e.size == 100 && lun_cache_index_bytes(x) == 100, "it has a file");

    store(x, 1, 30);
    ok(lun_cache_index_bytes(x) == 30, "another file in its place");
    lun_cache_index_no_file(x, key_of(1), e.version);
    ok(lun_cache_index_bytes(x) == 30, "what was wrong with the one is not "
       "with the other");

    (void) lun_cache_index_get(x, key_of(1), &e);
    lun_cache_index_no_file(x, key_of(1), e.version);
    ok(lun_cache_index_get(x, key_of(1), &e) && e.version == 0
       && lun_cache_index_bytes(x) == 0, "the file is gone");

    (void) lun_cache_index_failed(x, key_of(1), 0, 404, NOW + 5);
    ok(use(x, 1, &e) == LUN_OK && e.error == 404, "an error stands for it");
    (void) lun_cache_index_use(x, key_of(1), NOW + 6, true, &e, &e);
    ok(lun_cache_index_get(x, key_of(1), &e) && e.error == 0, "for a while");

    ok(lun_cache_index_remove(x, key_of(1), 0)
       && !lun_cache_index_get(x, key_of(1), &e) && books_are_right(x),
       "removed");
}


static void
updates_one_at_a_time(void)
{
    uint32_t          mine;
    lun_cache_entry   e;
    lun_cache_index  *x = fresh(&zone, ROOM);

    (void) use(x, 1, &e);
    mine = lun_cache_index_begin(x, key_of(1), 1000, 2000, 0);
    ok(mine != 0, "the first gets a ticket");
    ok(lun_cache_index_begin(x, key_of(1), 1500, 0, 8) == 0
       && lun_cache_index_busy(x, key_of(1), 1500, 32), "others wait");
    ok(!lun_cache_index_remove(x, key_of(1), 0), "it is kept for that");
    ok(lun_cache_index_stored(x, key_of(1), mine, NOW, 10, 0)
       == (1 << 3 | 1 << 5), "who waits is known at its end");
    ok(!lun_cache_index_busy(x, key_of(1), 1500, 0), "which it is");

    mine = lun_cache_index_begin(x, key_of(1), 1000, 2000, 0);
    ok(lun_cache_index_begin(x, key_of(1), 2001, 0, 0) != 0,
       "nobody waits for ever");
    (void) lun_cache_index_failed(x, key_of(1), mine, 0, 0);
    ok(lun_cache_index_busy(x, key_of(1), 2002, 0),
       "a late end is not another's");

    at(x, shard_of(x, key_of(1)), 1)->owner = 0x7ffffff000000001;
    ok(lun_cache_index_begin(x, key_of(1), 2003, 0, 0) != 0,
       "nor for the dead");
}


static void
knows_what_is_over(void)
{
    uint32_t          mine;
    lun_cache_entry   e;
    lun_cache_index  *x = fresh(&zone, ROOM);

    (void) use(x, 1, &e);
    is_int(e.good_until, 0, "nothing is known of no file");
    mine = lun_cache_index_begin(x, key_of(1), 1000, 2000, 0);
    (void) lun_cache_index_stored(x, key_of(1), mine, NOW, 10, NOW + 60);
    (void) use(x, 1, &e);
    is_int(e.good_until, NOW + 60, "of one that was stored, until when");

    (void) lun_cache_index_failed(x, key_of(1), 0, 502, NOW - 1);
    (void) lun_cache_index_get(x, key_of(1), &e);
    is_int(e.good_until, 0, "an error's time is not its file's");
    (void) use(x, 1, &e);
    ok(e.error == 0 && e.good_until == 0, "nor when that is over");
}


static void
is_bounded(void)
{
    unsigned          i, room, gone_count = 0;
    lun_cache_entry   e, gone;
    lun_cache_index  *x = fresh(&zone, ROOM);

    room = (unsigned) lun_cache_index_room(x);
    ok(room > ROOM / 128, "%u entries fit into %d bytes", room, ROOM);

    for (i = 1; i <= room; i++) {
        store(x, i, 1);
    }

    (void) use(x, 1, &e);              /* now 2 is the oldest */
    ok(lun_cache_index_count(x) == room, "all are there");
    (void) lun_cache_index_use(x, key_of(room + 1), NOW, true, &e, &gone);
    ok(gone.version != 0 && memcmp(&gone.key, key_of(2), LUN_CACHE_KEY) == 0,
       "what was used longest ago makes room, and its file is named");

    for (i = 0; i < 3 * room; i++) {
        (void) lun_cache_index_use(x, key_of(10000 + i), NOW, true, &e,
                                   &gone);
        gone_count += gone.version != 0;
    }

    ok(gone_count == room - 1 && lun_cache_index_bytes(x) == 0
       && books_are_right(x), "each once");
}


static void
has_shards(void)
{
    unsigned          i, bad = 0;
    lun_cache_entry   e;
    lun_cache_index  *x = fresh(&copy, BIG);

    ok(x->shards > 8, "%u shards", x->shards);

    for (i = 0; i < 5000; i++) {
        store(x, i * 2654435761U, i);
    }

    for (i = 0; i < 5000; i++) {
        bad += !lun_cache_index_get(x, key_of(i * 2654435761U), &e)
               || e.size != i;
    }

    ok(bad == 0 && books_are_right(x) && lun_cache_index_count(x) == 5000,
       "5000 entries are found");

    for (i = 0; lun_cache_index_oldest(x, &e); i++) {
        bad += !lun_cache_index_remove(x, &e.key, e.version);
    }

    ok(bad == 0 && i == 5000 && lun_cache_index_bytes(x) == 0, "and all go");

    i = SHARD_LEAST * sizeof(entry);
    is_int(fresh(&copy, 2 * i - 1)->shards, 1, "a small one has none");
    is_int(fresh(&copy, 2 * i)->shards, 2, "but where each has its least");
    is_int(fresh(&copy, 4 * i - 1)->shards, 2, "so it is");
    is_int(fresh(&copy, 4 * i)->shards, 4, "with the next");
    is_int(fresh(&copy, 300 * i)->shards, SHARDS_MAX, "up to the last");
}


static void
is_loaded(void)
{
    lun_cache_entry   e = { .size = 7, .used = NOW - 100, .uses = 2 }, found;
    lun_cache_index  *x = fresh(&zone, ROOM);

    store(x, 1, 5);
    e.key = *key_of(2);
    ok(lun_cache_index_add(x, &e) && !lun_cache_index_add(x, &e),
       "what is on the disk becomes known once");
    ok(lun_cache_index_oldest(x, &found) && found.size == 7
       && found.uses == 2 && books_are_right(x), "in its place in the order");
    e.key = *key_of(1);
    ok(!lun_cache_index_add(x, &e), "what is known stays as it is");

    ok(lun_cache_index_cold(x), "at first it is cold");
    lun_cache_index_warm(x);
    ok(!lun_cache_index_cold(x), "then warm");
    ok(lun_cache_index_bind(x, LUN_STR("/a 1:2")) == NULL
       && lun_cache_index_bind(x, LUN_STR("/a 1:2")) == NULL,
       "a zone stays what it is");
    is_str(lun_cache_index_bind(x, LUN_STR("/b 1:2")), "/a 1:2",
           "another path is refused");
}


static void
purges(void)
{
    uint32_t          i;
    uint64_t          moment;
    lun_cache_index  *x = fresh(&zone, ROOM);

    moment = lun_cache_index_moment(x);
    ok(!lun_cache_index_purged_since(x, moment), "nothing is purged");
    lun_cache_index_purge(x);
    ok(lun_cache_index_purged_since(x, moment)
       && !lun_cache_index_purged_since(x, lun_cache_index_moment(x)),
       "what began before is known by its moment");

    lun_cache_index_mark(x, LUN_STR("/a"), 100);
    ok(lun_cache_index_is_purged(x, LUN_STR("/ab"), 100)
       && !lun_cache_index_is_purged(x, LUN_STR("/ab"), 101)
       && !lun_cache_index_is_purged(x, LUN_STR("/b"), 100),
       "keys that begin so, up to a time");
    lun_cache_index_unmark(x, 99);
    ok(lun_cache_index_is_purged(x, LUN_STR("/ab"), 1), "it stays");
    lun_cache_index_unmark(x, 100);
    ok(!lun_cache_index_is_purged(x, LUN_STR("/ab"), 1), "and goes");

    for (i = 0; i <= LUN_CACHE_MARKS; i++) {
        lun_cache_index_mark(x, LUN_STR("/x"), 100);
    }

    ok(lun_cache_index_is_purged(x, LUN_STR("/ab"), 1),
       "too many of them mean all");
}


/* --- killed -------------------------------------------------------------- */

static void
furnish(lun_cache_index *x)
{
    unsigned  i;

    for (i = 1; i < KEYS; i++) {
        store(x, i, i);
    }

    (void) lun_cache_index_remove(x, key_of(KEYS - 1), LUN_CACHE_ANY);
}


static void
use_old(lun_cache_index *x)
{
    lun_cache_entry  e;

    (void) use(x, 9, &e);
}


static void
use_new(lun_cache_index *x)
{
    lun_cache_entry  e;

    (void) use(x, KEYS + 1, &e);
    (void) use(x, KEYS + 2, &e);       /* one was free, the other is new */
}


/* Of key 0 only: it may be lost. */
static void
update(lun_cache_index *x)
{
    store(x, 0, 77);
    (void) lun_cache_index_busy(x, key_of(0), 1, 16);
    store(x, 0, 78);
    (void) lun_cache_index_failed(x, key_of(0), 0, 500, NOW + 1);
}


/* Neither these are looked for afterwards. */
static void
remove_two(lun_cache_index *x)
{
    (void) lun_cache_index_remove(x, key_of(1), LUN_CACHE_ANY);
    (void) lun_cache_index_remove(x, key_of(2), LUN_CACHE_ANY);
}


static void
repair_all(lun_cache_index *x)
{
    shard  *s = shard_at(x, 0);

    (void) lun_lock_take(&s->lock);
    atomic_store(&s->busy, 1);
    s->free = s->oldest = s->newest = 0x5a5a5a5a;
    repair(x, s);
    lun_cache_shard_unlock(s);
}


static const operation  operations[] = {
    { "an entry is used", use_old },
    { "a new entry", use_new },
    { "an entry is updated", update },
    { "entries are removed", remove_two },
    { "the repair itself", repair_all },
};


static void
run(void *data)
{
    op->run(data);
}


static bool
is_fine(lun_cache_index *x)
{
    unsigned          i;
    lun_cache_entry   e;

    for (i = 3; i < KEYS - 1; i++) {
        if (!lun_cache_index_get(x, key_of(i), &e) || e.size != i
            || e.version == 0)
        {
            return false;
        }
    }

    if (lun_cache_index_get(x, key_of(0), &e) && e.version != 0
        && e.size != 77 && e.size != 78)
    {
        return false;
    }

    return books_are_right(x);
}


static void
look(void *data)
{
    lun_cache_index  *x = copy.shm.addr;

    memcpy(x, zone.shm.addr, ROOM);
    seen.steps++;
    seen.inside += atomic_load(&shard_at(x, 0)->busy) != 0;
    mend_zone(&copy, lun_proc_pid(), NULL);
    seen.bad += !is_fine(x);
}


static void
killed(void)
{
    size_t  i;

    (void) fresh(&copy, ROOM);

    for (i = 0; i < LUN_ARRAY_LEN(operations); i++) {
        op = &operations[i];
        memset(&seen, 0, sizeof(seen));
        furnish(fresh(&zone, ROOM));

        if (!tap_step(run, look, zone.shm.addr)) {
            skip("no trap flag here");
            continue;
        }

        ok(seen.bad == 0 && seen.inside > 0, "%s: killed at %u instructions, "
           "%u of them inside, %u bad", op->what, seen.steps, seen.inside,
           seen.bad);
    }
}


/* What is kept in memory by its version can't be another zone's. */
static void
has_versions_of_its_own(void)
{
    lun_cache_entry  one, other;

    (void) use(fresh(&zone, ROOM), 1, &one);
    (void) lun_cache_index_stored(zone.shm.addr, key_of(1), 0, NOW, 1, 0);
    (void) lun_cache_index_get(zone.shm.addr, key_of(1), &one);

    (void) use(fresh(&zone, ROOM), 1, &other);
    (void) lun_cache_index_stored(zone.shm.addr, key_of(1), 0, NOW, 1, 0);
    (void) lun_cache_index_get(zone.shm.addr, key_of(1), &other);

    ok(one.version != 0 && other.version != 0
       && one.version != other.version, "are not the same at one address");
}


int
main(void)
{
    lun_lock_init_process();
    keeps_entries();
    updates_one_at_a_time();
    knows_what_is_over();
    is_bounded();
    has_shards();
    is_loaded();
    purges();
    has_versions_of_its_own();
    killed();

    return done_testing();
}
