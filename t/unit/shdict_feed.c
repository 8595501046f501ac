/*
 * shdict_feed.c -- tests of synced dictionaries: two of them, and what one says
 * of its changes is done in the other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/shdict_feed.c"

#include "base/pool.h"
#include "tap.h"


typedef struct {
    lun_zone  zone;
    char     *raw;                 /* memory of the zone */
    uint64_t  told;                /* of its feed */
} node;

static node    a, b;
static double  own;                /* what a test says is pending */


static lun_shdict *
of(node *n)
{
    return lun_shdict_of(&n->zone);
}


static void
make(node *n, size_t bytes, uint16_t number)
{
    size_t  size = bytes + lun_shdict_synced_kind.beside(bytes);

    lun_free(n->raw);
    *n = (node) { .zone = { .kind = &lun_shdict_synced_kind, .size = bytes },
                  .raw = lun_calloc(size + 8192) };
    n->zone.shm.addr = (char *) lun_align(n->raw, 4096);
    n->zone.shm.size = size & ~(size_t) 4095;
    LUN_CHECK(lun_shdict_synced_kind.init(&n->zone, NULL) == LUN_OK);
    lun_shdict_set_node(of(n), number);
}


static double
pending(void *data, const lun_shdict_change *c)
{
    return own;
}


static void
do_there(void *data, const lun_shdict_change *c)
{
    node               *to = data;
    lun_shdict_change   all = *c;

    all.pending = pending;
    (void) lun_shdict_change_here(of(to), &all);
}


static void
tell(node *from, node *to)
{
    lun_shdict_feed_read(of(from), &from->told, SIZE_MAX, do_there, to);
}


static void
set(node *n, const char *key, const char *value)
{
    lun_shdict_store  st = { .type = value != NULL ? LUN_SHDICT_STRING
                                     : LUN_SHDICT_NIL,
                             .data = value, .len = value ? strlen(value) : 0 };

    (void) lun_shdict_store_value(of(n), lun_str_z(key), &st);
}


static void
add(node *n, const char *key, double value)
{
    lun_shdict_incr_args  args = { .value = value, .has_init = true };

    (void) lun_shdict_incr(of(n), lun_str_z(key), &args);
}


static void
has(node *n, const char *key, const char *wanted, const char *name)
{
    char              room[64], text[96] = "none";
    lun_shdict_value  v = { .buf = room, .room = sizeof(room) };

    if (lun_shdict_get(of(n), lun_str_z(key), false, &v) == LUN_SHDICT_OK) {
        (void) snprintf(text, sizeof(text), v.type == LUN_SHDICT_STRING
                        ? "%.*s" : "%.*s%g", v.type == LUN_SHDICT_STRING
                        ? (int) v.len : 0, room, v.number);
    }

    is_str(text, wanted, "%s", name);
    lun_free(v.own);
}


static void
test_sets(void)
{
    make(&a, 1 << 20, 1);
    make(&b, 1 << 20, 2);

    set(&a, "k", "one");
    tell(&a, &b);
    has(&b, "k", "one", "what is set here is set there");
    set(&b, "k", "two");
    set(&b, "k", "longer than it was");
    tell(&b, &a);
    has(&a, "k", "longer than it was", "the later set wins");
    set(&a, "k", NULL);
    tell(&a, &b);
    has(&b, "k", "none", "a deletion is one");
    set(&b, "k", "new");
    tell(&b, &a);
    has(&a, "k", "new", "and can be followed by a set");
}


static void
test_order(void)
{
    lun_shdict_change  c = { .op = LUN_CHANGE_SET, .type = LUN_SHDICT_STRING,
                             .key = LUN_STR("late"), .value = LUN_STR("old"),
                             .stamp = 5 };

    set(&a, "late", "new");
    is_int(lun_shdict_change_here(of(&a), &c), LUN_CHANGE_OLDER,
           "an older set that comes late is not done");
    set(&a, "late", NULL);
    is_int(lun_shdict_change_here(of(&a), &c), LUN_CHANGE_OLDER,
           "nor after the key was deleted");
    lun_shdict_flush_all(of(&a));
    c.key = LUN_STR("other");
    is_int(lun_shdict_change_here(of(&a), &c), LUN_CHANGE_OLDER,
           "nor after all was flushed");

    make(&a, 1 << 20, 1);
    make(&b, 1 << 20, 2);
    set(&a, "tie", "a");
    set(&b, "tie", "b");
    tell(&a, &b);
    tell(&b, &a);
    has(&a, "tie", "b", "of two at the same time the greater number's is it");
    has(&b, "tie", "b", "on both");
}


static void
test_flush(void)
{
    set(&a, "f", "before");
    tell(&a, &b);
    set(&b, "many", "1");
    set(&b, "many", "2");
    set(&b, "many", "3");
    lun_shdict_flush_all(of(&b));
    has(&b, "many", "none", "a flush takes what was set in its moment");
    set(&b, "g", "after");
    tell(&b, &a);
    has(&a, "f", "none", "a flush takes what was before it");
    has(&a, "g", "after", "and not what came after");
}


static void
test_counters(void)
{
    lun_shdict_change  c = { .op = LUN_CHANGE_SET, .type = LUN_SHDICT_NUMBER,
                             .key = LUN_STR("n"), };
    double             n = 100;

    make(&a, 1 << 20, 1);
    make(&b, 1 << 20, 2);
    add(&a, "n", 1);
    add(&b, "n", 10);
    tell(&a, &b);
    tell(&b, &a);
    has(&a, "n", "11", "two that begin a counter both count");
    has(&b, "n", "11", "on both");

    c.value = lun_str_of((const char *) &n, sizeof(n));
    c.pending = pending;
    own = 7;
    is_int(lun_shdict_change_here(of(&a), &c), LUN_CHANGE_DONE,
           "a number as a whole, of the same beginning");
    has(&a, "n", "107", "what is pending here is added to it");
    own = 0;

    set(&a, "n", "text");
    add(&b, "n", 1);
    tell(&a, &b);
    tell(&b, &a);
    has(&a, "n", "text", "what was added to the number before a set is gone");
    has(&b, "n", "text", "on both");
}


typedef struct {
    unsigned  sets, deletes;
} tally;

static void
count(void *data, const lun_shdict_change *c)
{
    tally  *t = data;

    t->sets += c->op == LUN_CHANGE_SET;
    t->deletes += c->op == LUN_CHANGE_DELETE;
}


static void
test_all(void)
{
    tally     t = { 0 };
    uint64_t  cursor = 0;

    make(&a, 1 << 20, 1);
    set(&a, "one", "1");
    set(&a, "two", "2");
    set(&a, "two", NULL);

    while (lun_shdict_next_chain(of(&a), &cursor, count, &t)) { }

    is_int(t.sets, 1, "all that there is: what is set");
    is_int(t.deletes, 1, "and what was deleted");
}


static void
test_ring(void)
{
    int                     i;
    char                    key[16];
    tally                   t = { 0 };
    uint64_t                at = 0;
    lun_shdict_feed_state   s;

    make(&a, 64 * 1024, 1);

    for (i = 0; i < 5000; i++) {
        (void) snprintf(key, sizeof(key), "k%d", i % 50);
        set(&a, key, "some value");
    }

    lun_shdict_feed_look(of(&a), &s);
    ok(s.end - s.first <= RING_LEAST, "the ring has its size");
    lun_shdict_feed_read(of(&a), &at, SIZE_MAX, count, &t);
    is_int(t.sets + (int64_t) s.dropped, 5000,
           "what gave way was counted, the rest is there");
    is_int(at, (int64_t) s.end, "up to the end");
    ok(lun_shdict_feed_had_gap(of(&a)), "there is a gap");
    ok(!lun_shdict_feed_had_gap(of(&a)), "once");

    lun_shdict_feed_done(of(&a), s.end - 8);
    lun_shdict_feed_look(of(&a), &s);
    ok(s.end != s.first, "a position where no change begins is refused");
    lun_shdict_feed_done(of(&a), s.end);
    lun_shdict_feed_look(of(&a), &s);
    is_int(s.end, (int64_t) s.first, "what is done with goes");

    at = s.end + 4;
    lun_shdict_feed_read(of(&a), &at, SIZE_MAX, count, &t);
    is_int(at, (int64_t) s.end + 4, "behind the end there is nothing");
}


int
main(void)
{
    lun_clock_update();
    test_sets();
    test_order();
    test_flush();
    test_counters();
    test_all();
    test_ring();
    lun_free(a.raw);
    lun_free(b.raw);
    return done_testing();
}
