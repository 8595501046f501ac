/*
 * headers.c -- lists of headers, and the table of those the core knows.
 *
 * A name's hash takes eight bytes at a step with bit 0x20 set in each, which
 * makes it caseless; the known names are compared in the same way.  That is
 * exact for them, since letters and '-' have no other partner among the bytes
 * that a header name may hold.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/headers.h"


enum { SLOTS = 256 };

#define LOWER  UINT64_C(0x2020202020202020)
#define MIX    UINT64_C(0x9e3779b97f4a7c15)

typedef struct {
    lun_str  name;
    bool     repeats;
} known;

/* One list of names, and a table of index + 1 by hash. */
typedef struct {
    const known  *names;
    size_t        count;
    bool          ready;
    uint8_t       slots[SLOTS];
} known_set;

#define ROW(e, name, repeats)  { LUN_STR_INIT(name), repeats },

static const known  names_in[] = { LUN_HEADERS_IN(ROW) };
static const known  names_out[] = { LUN_HEADERS_OUT(ROW) };

static known_set  set_in = { .names = names_in, .count = LUN_HIN_COUNT };
static known_set  set_out = { .names = names_out, .count = LUN_HOUT_COUNT };


/* --- names --------------------------------------------------------------- */

static inline uint64_t
word_at(const char *p)
{
    uint64_t  w;

    memcpy(&w, p, sizeof(w));
    return w | LOWER;
}


/* Up to seven bytes as one word. */
static inline uint64_t
short_word(const char *p, size_t n)
{
    uint32_t  a, b;
    uint64_t  w = 0;

    if (n >= 4) {
        memcpy(&a, p, sizeof(a));
        memcpy(&b, p + n - 4, sizeof(b));
        return ((uint64_t) a << 32 | b) | LOWER;
    }

    while (n > 0) {
        w = w << 8 | (unsigned char) p[--n];
    }

    return w | LOWER;
}


uint32_t
lun_header_hash(lun_str name)
{
    size_t    n = name.len;
    uint64_t  h = n * MIX;

    if (n < 8) {
        h = (h ^ short_word(name.data, n)) * MIX;

    } else {
        const char  *p = name.data;
        const char  *last = p + n - 8;

        for ( ; p < last; p += 8) {
            h = (h ^ word_at(p)) * MIX;
            h ^= h >> 29;
        }

        h = (h ^ word_at(last)) * MIX;
    }

    h ^= h >> 32;
    return (uint32_t) h != 0 ? (uint32_t) h : 1;
}


static bool
same_name(lun_str a, lun_str b)
{
    size_t  i, n = a.len;

    if (n != b.len) {
        return false;
    }

    if (n < 8) {
        return short_word(a.data, n) == short_word(b.data, n);
    }

    for (i = 0; i + 8 < n; i += 8) {
        if (word_at(a.data + i) != word_at(b.data + i)) {
            return false;
        }
    }

    return word_at(a.data + n - 8) == word_at(b.data + n - 8);
}


static void
fill(known_set *set)
{
    size_t    i;
    uint32_t  at;

    for (i = 0; i < set->count; i++) {
        at = lun_header_hash(set->names[i].name) % SLOTS;

        while (set->slots[at] != 0) {
            at = (at + 1) % SLOTS;
        }

        set->slots[at] = (uint8_t) (i + 1);
    }

    set->ready = true;
}


static int
look_up(known_set *set, lun_str name, uint32_t hash)
{
    int       i;
    uint32_t  at;

    if (LUN_UNLIKELY(!set->ready)) {
        fill(set);
    }

    for (at = hash % SLOTS; (i = set->slots[at]) != 0; at = (at + 1) % SLOTS) {
        if (same_name(set->names[i - 1].name, name)) {
            return i - 1;
        }
    }

    return -1;
}


int
lun_header_known_in(lun_str name, uint32_t hash)
{
    return look_up(&set_in, name, hash);
}


int
lun_header_known_out(lun_str name, uint32_t hash)
{
    return look_up(&set_out, name, hash);
}


lun_str
lun_header_out_name(int i)
{
    return names_out[i].name;
}


bool
lun_header_in_repeats(int i)
{
    return i < 0 || names_in[i].repeats;
}


bool
lun_header_out_repeats(int i)
{
    return i < 0 || names_out[i].repeats;
}


/* --- lists --------------------------------------------------------------- */

static lun_header_block *
new_block(lun_pool *pool, unsigned room)
{
    lun_header_block  *b;

    b = lun_pool_alloc(pool, sizeof(*b) + room * sizeof(lun_header));
    b->next = NULL;
    b->count = 0;
    b->room = room;

    return b;
}


void
lun_header_list_init(lun_header_list *l, lun_pool *pool, unsigned room)
{
    l->first = new_block(pool, room);
    l->last = l->first;
    l->pool = pool;
    l->count = 0;
}


void
lun_header_list_clear(lun_header_list *l)
{
    lun_header_block  *b;

    for (b = l->first; b != NULL; b = b->next) {
        b->count = 0;
    }

    l->last = l->first;
    l->count = 0;
}


static inline lun_header *
new_item(lun_header_list *l)
{
    lun_header_block  *b = l->last;

    if (b->count == b->room) {
        if (b->next == NULL) {
            b->next = new_block(l->pool, 2 * b->room);
        }

        b = b->next;
        l->last = b;
    }

    l->count++;
    return &b->items[b->count++];
}


lun_header *
lun_header_list_push(lun_header_list *l)
{
    lun_header  *h = new_item(l);

    *h = (lun_header) { .known = -1 };
    return h;
}


void
lun_header_list_add(lun_header_list *l, const lun_header *h)
{
    *new_item(l) = *h;
}


lun_header *
lun_header_find(const lun_header_list *l, lun_str name)
{
    uint32_t  hash = lun_header_hash(name);

    lun_header_each(l, h) {
        if (h->hash == hash && lun_str_caseeq(h->name, name)) {
            return h;
        }
    }

    return NULL;
}
