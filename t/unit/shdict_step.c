/*
 * shdict_step.c -- a writer of a shared dictionary killed at any instruction.
 *
 * Each operation runs step by step.  After every instruction a copy of the
 * zone is what a kill would leave there: the dead writer's locks are seized,
 * as the master does, and in the copy every other key must be as it was, the
 * key that was written old, new or gone, the books right, and the dictionary
 * must work.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/shdict.c"

#include "base/log.h"
#include "os/proc.h"
#include "tap_step.h"

enum {
    ZONE_SIZE = 96 * 1024,
    KEYS      = 24,
    VALUE_MAX = 12000
};

/* What a key may hold: "" is nothing, "#..." a list of one-letter items. */
typedef struct {
    char  text[VALUE_MAX + 100];
} value;

typedef struct {
    const char  *what;
    void       (*prepare)(lun_shdict *d);
    void       (*run)(lun_shdict *d);
    bool         evicts;           /* other keys may go, but not change */
} operation;

static lun_zone  zone, copy;
static value     before[KEYS], after, now;

static const operation  *op;

static struct {
    unsigned  steps, odd, bad;
    char      why[200];
} seen;


/* --- saying things shortly --- */

static void
zone_new(lun_zone *z)
{
    char  *raw = lun_calloc(ZONE_SIZE + 8192);

    z->kind = &lun_shdict_kind;
    z->size = ZONE_SIZE;
    z->shm.size = ZONE_SIZE;
    z->shm.addr = (void *) lun_align(raw + 64, 4096);
}


/* The one that looks on may not touch what the operation uses. */
static lun_str
key_of(unsigned i)
{
    static char  names[KEYS][16];

    if (names[i][0] == '\0') {
        *lun_fmt(names[i], names[i] + sizeof(names[i]) - 1, "key%u", i) = '\0';
    }

    return lun_str_z(names[i]);
}


static lun_shdict_verdict
set(lun_shdict *d, lun_str key, const void *data, size_t len, uint8_t type)
{
    lun_shdict_store  st = { .type = type, .data = data, .len = len };

    return lun_shdict_store_value(d, key, &st);
}


/* A value whose every byte says how long it is. */
static lun_shdict_verdict
set_size(lun_shdict *d, lun_str key, size_t size)
{
    static char  text[VALUE_MAX];

    memset(text, (int) ('a' + size % 26), size);
    return set(d, key, text, size, LUN_SHDICT_STRING);
}


static void
push(lun_shdict *d, lun_str key, char item, bool left)
{
    uint32_t          count;
    lun_shdict_store  st = { .type = LUN_SHDICT_STRING, .data = &item,
                             .len = 1 };

    (void) lun_shdict_push(d, key, &st, left, &count);
}


static const shdict_entry *
entry_of(lun_shdict *d, lun_str key)
{
    place  at = place_of(d, key);

    return lun_shdict_find(d, at.shard, at.hash, key);
}


/* What is there, both ways along a list; false if that is nonsense. */
static bool
look_up(lun_shdict *d, lun_str key, value *v)
{
    char                *p = v->text;
    uint32_t             n = 0;
    shdict_ref           ref, prev = 0;
    const shdict_item   *item;
    const shdict_list   *list;
    const shdict_entry  *e = entry_of(d, key);

    *p = '\0';

    if (e == NULL) {
        return true;
    }

    if (e->type == LUN_SHDICT_STRING) {
        memcpy(p, shdict_value(e), e->value_len);
        p += e->value_len;
        *lun_fmt(p, p + 60, "%s%s", e->flags ? " with flags" : "",
                 e->expires ? " for a while" : "") = '\0';
        return true;
    }

    if (e->type == LUN_SHDICT_NUMBER) {
        double  number;

        memcpy(&number, shdict_value(e), sizeof(number));
        *lun_fmt(p, p + 40, "= %d", (int) number) = '\0';
        return true;
    }

    list = (const shdict_list *) shdict_value(e);
    *p++ = '#';

    for (ref = list->first; ref != 0; ref = item->next) {
        item = shdict_at(d, ref);
        if (item->prev != prev || n++ > list->count) {
            return false;
        }
        *p++ = *(const char *) (item + 1);
        prev = ref;
    }

    *p = '\0';
    return n == list->count && n != 0 && list->last == prev;
}


/* --- what must be true --- */

static bool
wrong(const char *fmt, unsigned n)
{
    if (seen.bad++ == 0) {
        char  *p = lun_fmt(seen.why, seen.why + sizeof(seen.why) - 1,
                           "step %u: ", seen.steps);

        *lun_fmt(p, seen.why + sizeof(seen.why) - 1, fmt, n) = '\0';
    }

    return false;
}


/* Maps, counts and lists agree with the pages. */
static bool
books_are_right(lun_shdict *d)
{
    unsigned       cls;
    uint32_t       i, shard, nobodys = 0, pages, slots;
    shdict_page   *row;
    shdict_class  *c;

    for (i = 1; i <= d->pages; i++) {
        row = shdict_page_at(d, i);
        nobodys += row->owner == 0;

        if (row->owner != 0 && row->kind == PAGE_SLOTS
            && row->used_count != (unsigned) __builtin_popcountll(row->used[0])
               + (unsigned) __builtin_popcountll(row->used[1]))
        {
            return wrong("page %u miscounts its slots", i);
        }
    }

    if (nobodys != atomic_load(&d->free_pages)) {
        return wrong("free pages are miscounted: %u", nobodys);
    }

    for (shard = 0; shard < d->shards; shard++) {
        for (cls = 0; cls < CLASSES; cls++) {
            c = &shdict_shard_at(d, shard)->classes[cls];
            pages = slots = 0;

            for (i = 1; i <= d->pages; i++) {
                row = shdict_page_at(d, i);
                if (row->owner == shard + 1 && row->kind == PAGE_SLOTS
                    && row->cls == cls)
                {
                    pages++;
                    slots += (uint32_t) lun_shdict_slots(d, cls)
                             - row->used_count;
                }
            }

            if (pages != c->pages || slots != c->free_slots) {
                return wrong("class %u is miscounted", cls);
            }
        }
    }

    return true;
}


/* The same, and it has expired. */
static bool
is_flushed(const char *text, const char *was)
{
    size_t  n = strlen(was);

    return strncmp(text, was, n) == 0 && strcmp(text + n, " for a while") == 0;
}


static bool
keys_are_right(lun_shdict *d)
{
    unsigned  i;

    for (i = 0; i < KEYS; i++) {
        if (!look_up(d, key_of(i), &now)) {
            return wrong("key %u is torn", i);
        }

        if (strcmp(now.text, before[i].text) == 0
            || (i == 0 && strcmp(now.text, after.text) == 0)
            || (now.text[0] == '\0' && (i == 0 || op->evicts))
            || (op->evicts && is_flushed(now.text, before[i].text)))
        {
            continue;
        }

        return wrong(now.text[0] ? "key %u has another value"
                                 : "key %u is lost", i);
    }

    return true;
}


/* New work of each kind on what is left. */
static bool
it_works(lun_shdict *d)
{
    static char  text[5000];

    lun_shdict_value      v = { 0 };
    lun_shdict_incr_args  a = { .value = 1, .has_init = true };

    /* A list makes no room for itself; whole pages do. */
    (void) set(d, key_of(0), text, sizeof(text), LUN_SHDICT_STRING);
    (void) set(d, key_of(0), NULL, 0, LUN_SHDICT_NIL);
    push(d, key_of(0), 'x', true);

    if (lun_shdict_pop(d, key_of(0), false, &v) != LUN_SHDICT_OK) {
        return wrong("no list works: %u", 0);
    }

    lun_free(v.own);

    if (lun_shdict_incr(d, key_of(0), &a) != LUN_SHDICT_OK || a.value != 1
        || set(d, key_of(0), text, sizeof(text), LUN_SHDICT_STRING)
           != LUN_SHDICT_OK)
    {
        return wrong("it takes no new values: %u", 0);
    }

    return books_are_right(d);
}


static void
look(void *data)
{
    unsigned     i;
    lun_shdict  *d = copy.shm.addr;

    memcpy(d, zone.shm.addr, ZONE_SIZE);
    seen.steps++;

    for (i = 0; i < d->shards; i++) {
        seen.odd += atomic_load(&shdict_shard_at(d, i)->seq) & 1;
    }

    lun_shdict_kind.mend(&copy, lun_proc_pid(), NULL);

    /* Free but odd: it died between freeing a dead one's lock and taking it. */
    for (i = 0; i < d->shards; i++) {
        if (atomic_load(&shdict_shard_at(d, i)->seq) & 1) {
            lun_shdict_lock(d, i);
            lun_shdict_unlock(d, i);
        }
    }

    if (books_are_right(d) && keys_are_right(d)) {
        (void) it_works(d);
    }
}


/* --- the operations; all of them write key 0 --- */

static void
nothing(lun_shdict *d)
{
}

static void small(lun_shdict *d) { (void) set_size(d, key_of(0), 10); }
static void other(lun_shdict *d) { (void) set_size(d, key_of(0), 300); }
static void large(lun_shdict *d) { (void) set_size(d, key_of(0), 10000); }
static void lpush(lun_shdict *d) { push(d, key_of(0), 'L', true); }
static void rpush(lun_shdict *d) { push(d, key_of(0), 'R', false); }

static void
same(lun_shdict *d)
{
    (void) set(d, key_of(0), "0123456789", 10, LUN_SHDICT_STRING);
}

static void
whole(lun_shdict *d)
{
    lun_shdict_store  st = { .type = LUN_SHDICT_STRING, .data = "v",
                             .len = 1, .flags = 7, .ttl = 60000 };

    (void) lun_shdict_store_value(d, key_of(0), &st);
}

static void
drop(lun_shdict *d)
{
    (void) set(d, key_of(0), NULL, 0, LUN_SHDICT_NIL);
}

static void
incr(lun_shdict *d)
{
    lun_shdict_incr_args  a = { .value = 1, .init = 5, .has_init = true };

    (void) lun_shdict_incr(d, key_of(0), &a);
}

static void
pop(lun_shdict *d)
{
    char              room[10];
    lun_shdict_value  v = { .buf = room, .room = sizeof(room) };

    (void) lun_shdict_pop(d, key_of(0), true, &v);
}

static void
live_shortly(lun_shdict *d)
{
    (void) lun_shdict_set_ttl(d, key_of(0), 60000);
}

static void flush(lun_shdict *d) { lun_shdict_flush_all(d); }
static void sweep(lun_shdict *d) { (void) lun_shdict_flush_expired(d, 0); }

/*
 * A writer of key 0 has died, its shard's books are lost: whoever comes next
 * mends that, and dies.
 */
static void
mend(lun_shdict *d)
{
    place          at = place_of(d, key_of(0));
    shdict_shard  *s = shdict_shard_at(d, at.shard);

    lun_shdict_lock(d, at.shard);
    s->intent = shdict_ref_of(d, entry_of(d, key_of(0)));
    memset(s->classes, 0x5a, sizeof(s->classes));
    (void) lun_lock_seize(&s->lock, lun_proc_pid());
    lun_shdict_lock(d, at.shard);
    lun_shdict_unlock(d, at.shard);
}

static void
three(lun_shdict *d)
{
    push(d, key_of(0), 'b', true);
    push(d, key_of(0), 'a', true);
    push(d, key_of(0), 'c', false);
}

/* Until no page is free. */
static void
fill(lun_shdict *d)
{
    unsigned  i;

    for (i = 1; i < KEYS; i++) {
        (void) set_size(d, key_of(i), 4000);
    }
}

static const operation  operations[] = {
    { "set of a new key", nothing, small, false },
    { "set of the same size", small, same, false },
    { "set of another size", small, other, false },
    { "set of a smaller size", other, small, false },
    { "set with flags and a lifetime", nothing, whole, false },
    { "set of whole pages", nothing, large, false },
    { "set over whole pages", large, small, false },
    { "delete", small, drop, false },
    { "delete of whole pages", large, drop, false },
    { "delete of a list", three, drop, false },
    { "incr of a new key", nothing, incr, false },
    { "incr", incr, incr, false },
    { "lpush that makes the list", nothing, lpush, false },
    { "lpush", three, lpush, false },
    { "rpush", three, rpush, false },
    { "lpop", three, pop, false },
    { "lpop of the last item", lpush, pop, false },
    { "set that evicts", fill, other, true },
    { "set of pages that evicts", fill, large, true },
    { "lpush without room", fill, lpush, true },
    { "expire", small, live_shortly, false },
    { "flush_all", three, flush, true },
    { "flush_expired", flush, sweep, true },
    { "mending after a dead writer", small, mend, false },
    { "mending when it wrote whole pages", large, mend, false },
    { "mending when it wrote a list", three, mend, false },
};


static void
run(void *data)
{
    op->run(data);
}


/* The rest is of all kinds, in the shard of key 0 and in others. */
static void
furnish(lun_shdict *d)
{
    unsigned  i;

    for (i = 1; i < KEYS; i++) {
        if (i % 4 == 3) {
            push(d, key_of(i), 'x', true);
            push(d, key_of(i), 'y', true);
        } else {
            (void) set_size(d, key_of(i), 1 + i * 13);
        }
    }

    op->prepare(d);

    for (i = 0; i < KEYS; i++) {
        (void) look_up(d, key_of(i), &before[i]);
    }
}


static void
step_through(void)
{
    bool         stepped;
    lun_shdict  *d = zone.shm.addr;

    memset(zone.shm.addr, 0, ZONE_SIZE);
    (void) lun_shdict_kind.init(&zone, NULL);
    furnish(d);

    /* What it comes to, done once before. */
    memcpy(copy.shm.addr, d, ZONE_SIZE);
    op->run(copy.shm.addr);
    (void) look_up(copy.shm.addr, key_of(0), &after);

    memset(&seen, 0, sizeof(seen));
    stepped = tap_step(run, look, d);

    if (!stepped) {
        skip("no trap flag here");
        return;
    }

    ok(seen.bad == 0 && seen.odd > 0, "%s: killed at %u instructions, %u of "
       "them inside", op->what, seen.steps, seen.odd);

    if (seen.bad != 0) {
        diag("%u of them bad, the first at %s", seen.bad, seen.why);
    }
}


static void
say_nothing(lun_log_target *t, lun_log_level level, const char *line,
    size_t len)
{
}


int
main(void)
{
    size_t          i;
    lun_log_target  target = { .level = LUN_LOG_ALERT, .write = say_nothing };
    lun_log         log = { .level = LUN_LOG_ALERT, .targets = &target };

    lun_log_set_default(&log);
    lun_lock_init_process();
    zone_new(&zone);
    zone_new(&copy);

    for (i = 0; i < LUN_ARRAY_LEN(operations); i++) {
        op = &operations[i];
        step_through();
    }

    return done_testing();
}
