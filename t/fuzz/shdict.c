/*
 * shdict.c -- any bytes as a life of a shared dictionary: operations of every
 * kind, time, deaths of writers, against a model that is a plain array.
 *
 * What the model can't know is who had to go.  So whatever lives must be
 * there unless the dictionary has said `forcible`; what is there must be what
 * the model has.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/pool.h"
#include "shm/shdict_page.h"
#include "os/clock.h"
#include "shdict_books.h"


enum {
    KEYS      = 40,
    ITEMS     = 24,                /* of a list; more are not pushed */
    STEPS     = 600,
    VALUE_MAX = 130 * 1024
};

/* A string is `len` bytes that follow from `seed`; see fill(). */
typedef struct {
    uint8_t   type;
    uint8_t   seed;
    uint32_t  len;
    double    number;
} datum;

typedef struct {
    char      name[3000];
    size_t    name_len;
    bool      there;               /* or was, and has expired */
    uint8_t   type;
    uint32_t  flags;
    uint64_t  expires;             /* 0: never */
    datum     value;
    datum     items[ITEMS];
    unsigned  count;
} record;

typedef struct {
    const uint8_t  *p, *end;
} input;

static record       model[KEYS];
static lun_zone     zone;
static lun_shdict  *d;
static char         text[VALUE_MAX], room[512];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* --- input --- */

static unsigned
byte(input *in)
{
    return in->p < in->end ? *in->p++ : 0;
}


static unsigned
word(input *in)
{
    unsigned  high = byte(in);

    return high << 8 | byte(in);
}


/* Small ones, ones around the ends of slots, whole pages, too much. */
static uint32_t
some_size(input *in)
{
    unsigned  kind = byte(in), n = byte(in);

    if (kind < 100) {
        return n;
    }

    if (kind < 180) {
        n = (unsigned) lun_shdict_class_size(d, kind % (d->small ? 7 : CLASSES))
            + n % 48;
        return n - lun_min(n, 56);
    }

    if (kind < 250) {
        return (kind - 179) * 256 + n;
    }

    return (kind - 249) * 20 * 1024 + n * 16;
}


static int64_t
some_ttl(input *in)
{
    unsigned  n = byte(in);

    return n < 128 ? 0 : n < 250 ? n - 127
           : n == 255 ? INT64_MAX : (int64_t) 1 << (n - 200);
}


static datum
some_datum(input *in, bool item)
{
    unsigned  kind = byte(in) % 8;
    datum     v = { .type = LUN_SHDICT_STRING, .seed = (uint8_t) kind };

    if (kind == 0) {
        v.type = LUN_SHDICT_NUMBER;
        v.len = sizeof(double);
        v.number = (double) word(in) / 16 - 100;

    } else if (kind == 1 && !item) {
        v.type = LUN_SHDICT_BOOLEAN;
        v.len = 1;
        v.number = byte(in) & 1;

    } else {
        v.seed = (uint8_t) byte(in);
        v.len = some_size(in);
    }

    return v;
}


static const char *
fill(const datum *v)
{
    uint32_t  i;

    if (v->type == LUN_SHDICT_NUMBER) {
        memcpy(text, &v->number, sizeof(double));

    } else if (v->type == LUN_SHDICT_BOOLEAN) {
        text[0] = (char) v->number;

    } else {
        LUN_CHECK(v->len <= sizeof(text));
        for (i = 0; i < v->len; i++) {
            text[i] = (char) (v->seed + i * 31 + (i >> 8));
        }
    }

    return text;
}


/* --- the dictionary --- */

/* The zone ends where the allocation does, so that ASan sees its end. */
static char *
open_zone(size_t size)
{
    char  *raw = aligned_alloc(PAGE_SIZE, size);

    memset(raw, 0, size);
    zone.kind = &lun_shdict_kind;
    zone.size = zone.shm.size = size;
    zone.shm.addr = raw;
    LUN_CHECK(lun_shdict_kind.init(&zone, NULL) == LUN_OK);
    d = lun_shdict_of(&zone);

    return raw;
}


static void
name_keys(void)
{
    unsigned   i;
    record    *k;

    for (i = 0; i < KEYS; i++) {
        k = &model[i];
        memset(k->name, 'k', sizeof(k->name));
        k->name_len = (size_t) (lun_fmt(k->name, k->name + 16, "%u", i)
                                - k->name);
        k->name_len += i % 8 == 5 ? i * 70 : i % 3;
        k->there = false;
    }
}


static lun_str
name_of(const record *k)
{
    return lun_str_of(k->name, k->name_len);
}


static bool
lives(const record *k)
{
    return k->there && (k->expires == 0 || k->expires > lun_clock.mono);
}


static uint64_t
deadline(int64_t ttl)
{
    return ttl == 0 ? 0 : lun_clock.mono + (uint64_t) ttl;
}


static void
check_datum(const lun_shdict_value *v, const datum *want)
{
    LUN_CHECK(v->type == want->type);

    if (v->type == LUN_SHDICT_STRING) {
        LUN_CHECK(v->len == want->len);
        LUN_CHECK(memcmp(v->data, fill(want), want->len) == 0);

    } else {
        LUN_CHECK(v->number == want->number);
    }
}


/* What the dictionary has of a key; false: nothing. */
static bool
is_there(const record *k)
{
    lun_shdict_value    v = { .buf = room, .room = sizeof(room) };
    lun_shdict_verdict  verdict = lun_shdict_get(d, name_of(k), true, &v);

    if (verdict == LUN_SHDICT_NOT_FOUND) {
        LUN_CHECK(v.type == LUN_SHDICT_NIL);
        return false;
    }

    LUN_CHECK(k->there && v.stale == !lives(k));

    if (verdict == LUN_SHDICT_IS_LIST) {
        LUN_CHECK(k->type == LUN_SHDICT_LIST);

    } else {
        LUN_CHECK(verdict == LUN_SHDICT_OK && k->type == v.type);
        LUN_CHECK((uint32_t) v.flags == k->flags);
        check_datum(&v, &k->value);
    }

    lun_free(v.own);
    return true;
}


/* `lost`: others may have had to go. */
static void
compare(bool lost)
{
    unsigned  i;

    for (i = 0; i < KEYS; i++) {
        if (!is_there(&model[i])) {
            LUN_CHECK(lost || !lives(&model[i]));
            model[i].there = false;
        }
    }
}


/* A small one keeps two slots, in a page each, or in one. */
static bool
fits(size_t size)
{
    size_t    i;
    unsigned  cls = lun_shdict_class_of(d, size);

    if (cls == CLASSES) {
        return size <= (size_t) d->usable * PAGE_SIZE;
    }

    for (i = 0; i < LUN_ARRAY_LEN(d->reserved); i++) {
        if (d->reserved[i].ref != 0
            && lun_shdict_class_of(d, d->reserved[i].size) == cls)
        {
            return true;
        }
    }

    return d->usable != 0;
}


/* --- operations --- */

static void
store(input *in, record *k, uint8_t op)
{
    bool                live = lives(k);
    datum               v = some_datum(in, false);
    size_t              whole = shdict_entry_room(d, k->name_len, v.len);
    lun_shdict_store    st = { .op = op, .type = v.type, .ttl = some_ttl(in),
                               .flags = byte(in), .data = fill(&v),
                               .len = v.len };
    lun_shdict_verdict  verdict;

    verdict = lun_shdict_store_value(d, name_of(k), &st);
    LUN_CHECK(!st.forcible || (op & LUN_SHDICT_SAFE) == 0);

    switch (verdict) {

    case LUN_SHDICT_EXISTS:
        LUN_CHECK((op & LUN_SHDICT_ADD) && live);
        break;

    case LUN_SHDICT_NOT_FOUND:
        LUN_CHECK((op & LUN_SHDICT_REPLACE) && !live);
        break;

    case LUN_SHDICT_NO_MEMORY:
        LUN_CHECK((op & LUN_SHDICT_SAFE) || !fits(whole)
                  || (d->small && st.forcible));
        LUN_CHECK(whole > 2048 || lun_shdict_free_space(d) == 0);

        /* The old value may have gone before, as it does in nginx. */
        if (!is_there(k)) {
            k->there = false;
        }

        break;

    default:
        LUN_CHECK(verdict == LUN_SHDICT_OK && fits(whole));
        LUN_CHECK(!(op & LUN_SHDICT_ADD) || !live);
        LUN_CHECK(!(op & LUN_SHDICT_REPLACE) || live);
        k->there = true;
        k->type = v.type;
        k->flags = st.flags;
        k->expires = deadline(st.ttl);
        k->value = v;
        LUN_CHECK(is_there(k));
    }

    if (st.forcible) {
        compare(true);
    }
}


static void
forget(record *k)
{
    lun_shdict_store  nil = { .type = LUN_SHDICT_NIL };

    LUN_CHECK(lun_shdict_store_value(d, name_of(k), &nil) == LUN_SHDICT_OK);
    k->there = false;
    LUN_CHECK(!is_there(k));
}


static void
count(input *in, record *k)
{
    bool                  live = lives(k);
    unsigned              how = byte(in);
    lun_shdict_incr_args  a = { .value = (double) (how >> 2) / 4,
                                .has_init = how & 1,
                                .init = (double) byte(in),
                                .init_ttl = how & 2 ? some_ttl(in) : 0 };
    const lun_shdict_incr_args  was = a;

    switch (lun_shdict_incr(d, name_of(k), &a)) {

    case LUN_SHDICT_OK:
        if (live) {
            LUN_CHECK(k->type == LUN_SHDICT_NUMBER && !a.forcible);
            k->value.number += was.value;

        } else {
            LUN_CHECK(was.has_init);
            k->there = true;
            k->type = LUN_SHDICT_NUMBER;
            k->flags = 0;
            k->expires = deadline(was.init_ttl);
            k->value = (datum) { .type = k->type, .len = sizeof(double),
                                 .number = was.init + was.value };
        }

        LUN_CHECK(a.value == k->value.number && is_there(k));
        break;

    case LUN_SHDICT_NOT_NUMBER:
        LUN_CHECK(live && k->type != LUN_SHDICT_NUMBER);
        break;

    case LUN_SHDICT_NOT_FOUND:
        LUN_CHECK(!live && !was.has_init);
        break;

    case LUN_SHDICT_NO_MEMORY:
        LUN_CHECK(d->small && !live
                  && (a.forcible || !fits(shdict_entry_room(d, k->name_len,
                                                            sizeof(double)))));
        if (!is_there(k)) {
            k->there = false;
        }

        break;

    default:
        LUN_NEVER("a number always fits");
    }

    if (a.forcible) {
        compare(true);
    }
}


static void
push(input *in, record *k, bool left)
{
    bool                live = lives(k);
    datum               v = some_datum(in, true);
    uint32_t            n = 0;
    lun_shdict_store    st = { .type = v.type, .data = fill(&v),
                               .len = v.len };
    lun_shdict_verdict  verdict;

    if (live && k->type == LUN_SHDICT_LIST && k->count == ITEMS) {
        return;
    }

    verdict = lun_shdict_push(d, name_of(k), &st, left, &n);
    LUN_CHECK(!st.forcible);

    if (verdict == LUN_SHDICT_NOT_LIST) {
        LUN_CHECK(live && k->type != LUN_SHDICT_LIST);
        return;
    }

    LUN_CHECK(!live || k->type == LUN_SHDICT_LIST);

    if (verdict == LUN_SHDICT_NO_MEMORY) {
        LUN_CHECK(v.len > 2000 || k->name_len > 1900
                  || lun_shdict_free_space(d) <= PAGE_SIZE);
        return;
    }

    LUN_CHECK(verdict == LUN_SHDICT_OK);

    if (!live) {
        k->there = true;
        k->type = LUN_SHDICT_LIST;
        k->flags = 0;
        k->expires = 0;
        k->count = 0;
    }

    if (left) {
        memmove(k->items + 1, k->items, k->count * sizeof(datum));
    }

    k->items[left ? 0 : k->count] = v;
    LUN_CHECK(n == ++k->count);
}


static void
pop(record *k, bool left)
{
    bool                live = lives(k);
    lun_shdict_value    v = { .buf = room, .room = sizeof(room) };
    lun_shdict_verdict  verdict = lun_shdict_pop(d, name_of(k), left, &v);

    if (!live) {
        LUN_CHECK(verdict == LUN_SHDICT_NOT_FOUND);

    } else if (k->type != LUN_SHDICT_LIST) {
        LUN_CHECK(verdict == LUN_SHDICT_NOT_LIST);

    } else {
        LUN_CHECK(verdict == LUN_SHDICT_OK);
        k->count--;
        check_datum(&v, &k->items[left ? 0 : k->count]);

        if (left) {
            memmove(k->items, k->items + 1, k->count * sizeof(datum));
        }

        k->there = k->count != 0;
    }

    lun_free(v.own);
}


static void
measure(const record *k)
{
    int64_t             left;
    uint32_t            n;
    lun_shdict_verdict  verdict = lun_shdict_llen(d, name_of(k), &n);

    if (!lives(k)) {
        LUN_CHECK(verdict == LUN_SHDICT_OK && n == 0);
        LUN_CHECK(lun_shdict_ttl(d, name_of(k), &left)
                  == LUN_SHDICT_NOT_FOUND);
        return;
    }

    LUN_CHECK(k->type == LUN_SHDICT_LIST
              ? verdict == LUN_SHDICT_OK && n == k->count
              : verdict == LUN_SHDICT_NOT_LIST);

    LUN_CHECK(lun_shdict_ttl(d, name_of(k), &left) == LUN_SHDICT_OK);
    LUN_CHECK(k->expires == 0 ? left == 0
              : (uint64_t) left == k->expires - lun_clock.mono);
}


static void
prolong(input *in, record *k)
{
    int64_t             ttl = some_ttl(in);
    lun_shdict_verdict  verdict = lun_shdict_set_ttl(d, name_of(k), ttl);

    LUN_CHECK(verdict == (lives(k) ? LUN_SHDICT_OK : LUN_SHDICT_NOT_FOUND));

    if (lives(k)) {
        k->expires = deadline(ttl);
    }
}


static void
flush(input *in)
{
    unsigned  i, max = byte(in) % 8, could = 0, still = 0;
    uint64_t  n;

    for (i = 0; i < KEYS; i++) {
        could += model[i].there && !lives(&model[i]) && is_there(&model[i]);
    }

    n = lun_shdict_flush_expired(d, max);
    LUN_CHECK(n == (max != 0 ? lun_min(max, could) : could));

    compare(false);
    for (i = 0; i < KEYS; i++) {
        still += model[i].there && !lives(&model[i]);
    }

    LUN_CHECK(still == could - n);
}


static void
flush_all(void)
{
    unsigned  i;

    lun_shdict_flush_all(d);

    for (i = 0; i < KEYS; i++) {
        model[i].expires = 1;
    }
}


typedef struct {
    bool      seen[KEYS];
    unsigned  left;
} listing;


static bool
on_key(void *data, lun_str key)
{
    unsigned  i;
    listing  *l = data;

    for (i = 0; i < KEYS && !lun_str_eq(key, name_of(&model[i])); i++) { }

    LUN_CHECK(i < KEYS && lives(&model[i]) && !l->seen[i]);
    l->seen[i] = true;

    return --l->left != 0;
}


static void
list_keys(input *in)
{
    bool      all;
    listing   l = { .left = byte(in) % 2 ? 3 : KEYS + 1 };
    unsigned  i, alive = 0, want = l.left;

    for (i = 0; i < KEYS; i++) {
        alive += lives(&model[i]);
    }

    all = lun_shdict_each_key(d, on_key, &l);
    LUN_CHECK(all == (alive < want) && want - l.left == lun_min(alive, want));
}


/* A writer that was killed with the lock in hand, maybe in a change. */
static void
die(input *in, record *k)
{
    bool           writing = byte(in) & 1;
    uint32_t       shard, hash;
    shdict_shard  *s;
    shdict_entry  *e;

    lun_shdict_place(d, name_of(k), &shard, &hash);
    s = shdict_shard_at(d, shard);
    e = lun_shdict_find(d, shard, hash, name_of(k));

    atomic_fetch_add(&s->seq, 1);
    d->pool_dirty = byte(in) & 1;

    if (writing && e != NULL) {
        s->intent = shdict_ref_of(d, e);
        k->there = false;
    }

    compare(false);
    LUN_CHECK((atomic_load(&s->seq) & 1) == 0);
}


static void
step(input *in)
{
    unsigned   op = byte(in);
    record    *k = &model[byte(in) % KEYS];

    switch (op % 24) {
    case 0: case 1: case 2: store(in, k, 0); break;
    case 3: store(in, k, LUN_SHDICT_SAFE); break;
    case 4: store(in, k, LUN_SHDICT_ADD); break;
    case 5: store(in, k, LUN_SHDICT_ADD | LUN_SHDICT_SAFE); break;
    case 6: store(in, k, LUN_SHDICT_REPLACE); break;
    case 7: forget(k); break;
    case 8: case 9: count(in, k); break;
    case 10: case 11: push(in, k, true); break;
    case 12: case 13: push(in, k, false); break;
    case 14: pop(k, true); break;
    case 15: pop(k, false); break;
    case 16: measure(k); break;
    case 17: prolong(in, k); break;
    case 18: lun_clock.mono += byte(in); break;
    case 19: flush(in); break;
    case 20: if (op > 200) { flush_all(); } break;
    case 21: list_keys(in); break;
    case 22: die(in, k); break;
    default: LUN_CHECK(is_there(k) || !lives(k));
    }
}


/* --- the end --- */

static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t  sizes[] = { 12, 16, 20, 32, 64, 160, 512, 1152 };

    int                    steps;
    char                  *raw;
    input                  in = { data, data + size };
    static lun_log_target  target = { .level = LUN_LOG_NOTICE, .write = hear };
    static lun_log         quiet = { .level = LUN_LOG_NOTICE,
                                     .targets = &target };

    lun_log_set_default(&quiet);
    lun_lock_init_process();
    lun_clock.mono = 1000;
    name_keys();
    raw = open_zone(sizes[byte(&in) % 8] * 1024);

    for (steps = 0; in.p < in.end && steps < STEPS; steps++) {
        step(&in);
    }

    compare(false);
    check_books(d);
    LUN_CHECK(lun_shdict_capacity(d) == zone.size);

    flush_all();
    (void) lun_shdict_flush_expired(d, 0);
    LUN_CHECK(lun_shdict_free_space(d) == (uint64_t) d->usable * PAGE_SIZE);

    free(raw);
    return 0;
}
