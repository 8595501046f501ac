/*
 * hpack.c -- header blocks of HTTP/2.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/hpack.h"

#include "base/check.h"
#include "base/fmt.h"
#include "format/huffman.h"


enum {
    INDEXED    = 0x80,             /* a field of a table */
    NEW_ENTRY  = 0x40,             /* one that enters the dynamic one */
    TABLE_SIZE = 0x20,
    HUFFMAN    = 0x80,             /* in front of a string */
    INT_ROOM   = 6,                /* bytes of a number, at most */
    MOST       = 1 << 28,

    /* Bits of a string's last byte: the RFC's, and those that nginx takes of
       servers which fill up a whole byte where nothing is missing. */
    FILLING       = 7,
    FILLING_TAKEN = 8
};

/* Who reads: memory for texts, and how exact it is. */
typedef struct {
    lun_pool           *pool;      /* or */
    lun_hpack_decoder  *d;
    size_t              most;
    unsigned            filling;
} reader;

/* A string where it lies. */
typedef struct {
    const uint8_t  *p;
    size_t          len;
    bool            packed;
} span;


/* --- numbers and strings ------------------------------------------------- */

/* What begins in the low `bits` bits of a byte.  FIELD: it is read. */
static lun_hpack_verdict
read_int(const uint8_t **pos, const uint8_t *end, unsigned bits, size_t *n)
{
    unsigned        shift;
    size_t          mask = ((size_t) 1 << bits) - 1;
    const uint8_t  *p = *pos;

    if (p == end) {
        return LUN_HPACK_MORE;
    }

    *n = *p++ & mask;

    if (*n == mask) {
        for (shift = 0; ; shift += 7) {
            if (shift > 21) {
                return LUN_HPACK_BAD;
            }

            if (p == end) {
                return LUN_HPACK_MORE;
            }

            *n += (size_t) (*p & 0x7f) << shift;

            if ((*p++ & 0x80) == 0) {
                break;
            }
        }
    }

    *pos = p;
    return *n <= MOST ? LUN_HPACK_FIELD : LUN_HPACK_BAD;
}


/* A length that is too large is told before the bytes are there. */
static lun_hpack_verdict
find_span(const reader *rd, const uint8_t **pos, const uint8_t *end, span *s)
{
    lun_hpack_verdict  v;

    s->packed = *pos != end && (**pos & HUFFMAN);
    v = read_int(pos, end, 7, &s->len);

    if (v != LUN_HPACK_FIELD) {
        return v;
    }

    if (s->len > (s->packed ? LUN_HUFFMAN_MOST(rd->most) : rd->most)) {
        return LUN_HPACK_LARGE;
    }

    if (s->len > (size_t) (end - *pos)) {
        return LUN_HPACK_MORE;
    }

    s->p = *pos;
    *pos += s->len;
    return LUN_HPACK_FIELD;
}


static char *
room_for(const reader *rd, size_t n)
{
    lun_hpack_decoder  *d = rd->d;

    if (d == NULL) {
        return lun_pool_text(rd->pool, n);
    }

    if (d->scratch_room < n) {
        lun_free(d->scratch);
        d->scratch_room = lun_max(n, d->scratch_room * 2);
        d->scratch = lun_malloc(d->scratch_room);
    }

    return d->scratch;
}


static size_t
unpacked_room(const span *s)
{
    return s->packed ? LUN_HUFFMAN_ROOM(s->len) : 0;
}


/* The text of one, at *room if it has to be unpacked. */
static lun_hpack_verdict
read_span(const reader *rd, const span *s, char **room, lun_str *text)
{
    char  *end;

    if (!s->packed) {
        *text = lun_str_of((const char *) s->p, s->len);
        *text = rd->d == NULL ? lun_pool_str(rd->pool, *text) : *text;
        return LUN_HPACK_FIELD;
    }

    end = lun_huffman_read(*room, s->p, s->len, rd->filling);

    if (end == NULL) {
        return LUN_HPACK_BAD;
    }

    *text = lun_str_of(*room, (size_t) (end - *room));
    *room = end;
    return text->len <= rd->most ? LUN_HPACK_FIELD : LUN_HPACK_LARGE;
}


/* --- fields -------------------------------------------------------------- */

/* Field `i` of both tables. */
static lun_hpack_verdict
find_field(const reader *rd, size_t i, lun_hpack_field *f)
{
    const lun_hpack_table  *t = rd->d != NULL ? &rd->d->table : NULL;

    if (i == 0) {
        return LUN_HPACK_BAD;
    }

    if (i <= LUN_HPACK_STATIC) {
        *f = lun_hpack_fields[i - 1];
        return LUN_HPACK_FIELD;
    }

    i -= LUN_HPACK_STATIC + 1;

    if (t == NULL || i >= t->count) {
        return LUN_HPACK_BAD;
    }

    *f = lun_hpack_table_get(t, t->inserted - (uint32_t) i);
    return LUN_HPACK_FIELD;
}


/* `bits` of its first byte say which name it has; 0: one of its own. */
static lun_hpack_verdict
read_field(const reader *rd, const uint8_t **p, const uint8_t *end,
    unsigned bits, lun_hpack_field *f)
{
    span               name = { NULL, 0, false }, value;
    size_t             i;
    char              *room = NULL;
    lun_hpack_verdict  v = read_int(p, end, bits, &i);

    if (v == LUN_HPACK_FIELD) {
        v = i == 0 ? find_span(rd, p, end, &name) : find_field(rd, i, f);
    }

    if (v == LUN_HPACK_FIELD) {
        v = find_span(rd, p, end, &value);
    }

    if (v != LUN_HPACK_FIELD) {
        return v;
    }

    if (name.packed || value.packed) {
        room = room_for(rd, unpacked_room(&name) + unpacked_room(&value));
    }

    if (i == 0) {
        v = read_span(rd, &name, &room, &f->name);
    }

    return v == LUN_HPACK_FIELD ? read_span(rd, &value, &room, &f->value) : v;
}


/* "The table is so large now": in front of a block's fields only. */
static lun_hpack_verdict
read_sizes(const reader *rd, const uint8_t **p, const uint8_t *end)
{
    size_t              n;
    lun_hpack_decoder  *d = rd->d;
    lun_hpack_verdict   v = LUN_HPACK_FIELD;
    const uint8_t      *at = *p;

    while (v == LUN_HPACK_FIELD && at != end && (*at & 0xe0) == TABLE_SIZE) {
        v = read_int(&at, end, 5, &n);

        if (v == LUN_HPACK_FIELD) {
            if (n > (d != NULL ? d->limit : 0) || (d != NULL && d->inside)) {
                return LUN_HPACK_BAD;
            }

            if (d != NULL) {
                lun_hpack_table_resize(&d->table, n);
            }

            *p = at;
        }
    }

    return v;
}


/*
 * Once sizes of the table are read, *pos moves only over a whole field: an
 * incomplete one is read again from its start when more has come, and has
 * changed no table by then.
 */
static lun_hpack_verdict
read_next(const reader *rd, const char **pos, const char *end,
    lun_hpack_field *f)
{
    size_t              i;
    const uint8_t      *p = (const uint8_t *) *pos;
    const uint8_t      *last = (const uint8_t *) end;
    lun_hpack_verdict   v = read_sizes(rd, &p, last);

    *pos = (const char *) p;

    if (v != LUN_HPACK_FIELD || p == last) {
        return v != LUN_HPACK_FIELD ? v : LUN_HPACK_END;
    }

    if (*p & INDEXED) {
        v = read_int(&p, last, 7, &i);
        v = v == LUN_HPACK_FIELD ? find_field(rd, i, f) : v;

    } else {
        v = read_field(rd, &p, last, *p & NEW_ENTRY ? 6 : 4, f);

        if (v == LUN_HPACK_FIELD && rd->d != NULL && (**pos & NEW_ENTRY)
            && lun_hpack_table_add(&rd->d->table, f->name, f->value))
        {
            *f = lun_hpack_table_get(&rd->d->table, rd->d->table.inserted);
        }
    }

    if (v == LUN_HPACK_FIELD) {
        *pos = (const char *) p;
    }

    return v;
}


void
lun_hpack_decoder_fini(lun_hpack_decoder *d)
{
    lun_hpack_table_fini(&d->table);
    lun_free(d->scratch);
    d->scratch = NULL;
    d->scratch_room = 0;
}


lun_hpack_verdict
lun_hpack_decode(lun_hpack_decoder *d, const char **pos, const char *end,
    lun_str *name, lun_str *value)
{
    reader             rd = { NULL, d, d->most, FILLING };
    lun_hpack_field    f = { LUN_STR_NULL, LUN_STR_NULL };
    lun_hpack_verdict  v = read_next(&rd, pos, end, &f);

    d->inside |= v == LUN_HPACK_FIELD;
    *name = f.name;
    *value = f.value;
    return v;
}


lun_hpack_verdict
lun_hpack_next(lun_pool *pool, const char **pos, const char *end,
    lun_str *name, lun_str *value)
{
    reader             rd = { pool, NULL, MOST, FILLING_TAKEN };
    lun_hpack_field    f = { LUN_STR_NULL, LUN_STR_NULL };
    lun_hpack_verdict  v = read_next(&rd, pos, end, &f);

    *name = f.name;
    *value = f.value;
    return v == LUN_HPACK_MORE ? LUN_HPACK_BAD : v;
}


/* --- written ------------------------------------------------------------- */

static char *
put_int(char *p, unsigned first, unsigned bits, size_t n)
{
    size_t  mask = ((size_t) 1 << bits) - 1;

    LUN_CHECK(n <= MOST);

    if (n < mask) {
        *p++ = (char) (first | n);
        return p;
    }

    *p++ = (char) (first | mask);

    for (n -= mask; n >= 0x80; n >>= 7) {
        *p++ = (char) (0x80 | (n & 0x7f));
    }

    *p++ = (char) n;
    return p;
}


static char *
put_string(char *p, lun_str s)
{
    return lun_copy_str(put_int(p, 0, 7, s.len), s);
}


static char *
put_packed(char *p, lun_str s)
{
    size_t  n = lun_huffman_len(s);

    return n < s.len ? lun_huffman_put(put_int(p, HUFFMAN, 7, n), s)
                     : put_string(p, s);
}


size_t
lun_hpack_bound(lun_str name, lun_str value)
{
    return name.len + value.len + 2 * INT_ROOM + 1;
}


/* Only those that each request has are worth looking for. */
enum { USUAL = 7 };

char *
lun_hpack_put(char *p, lun_str name, lun_str value)
{
    size_t  i, at = 0;

    for (i = 1; name.len != 0 && name.data[0] == ':' && i <= USUAL; i++) {
        if (lun_str_eq(lun_hpack_fields[i - 1].name, name)) {
            at = i;

            if (value.len != 0
                && lun_str_eq(lun_hpack_fields[i - 1].value, value))
            {
                *p++ = (char) (INDEXED | i);
                return p;
            }
        }
    }

    /* Literal, and no entry of a table. */
    p = put_int(p, 0, 4, at);
    p = at == 0 ? put_string(p, name) : p;

    return put_string(p, value);
}


/* --- written with a table ------------------------------------------------ */

/*
 * Fields of the RFC whose values differ from one answer to the next: a value
 * is kept when it comes again.  One of Set-Cookie is a secret, and never is.
 */
enum {
    AGE = 21, CONTENT_LENGTH = 28, CONTENT_RANGE = 30, ETAG = 34,
    LAST_MODIFIED = 44, LOCATION = 46, SET_COOKIE = 55
};


static bool
is_worth_keeping(unsigned field)
{
    return field != AGE && field != CONTENT_LENGTH && field != CONTENT_RANGE
           && field != ETAG && field != LAST_MODIFIED && field != LOCATION;
}


/* A few bytes of a text; a slot that others have as well costs a few more. */
static unsigned
mix(lun_str s)
{
    const unsigned char  *p = (const unsigned char *) s.data;

    return s.len == 0 ? 0
           : (unsigned) s.len * 31u + p[0] * 7u + p[s.len / 2] * 13u
             + p[s.len - 1] * 3u + p[s.len - 1 - s.len / 8] * 17u;
}


static size_t
slot_of(unsigned hash)
{
    return (hash ^ hash >> 6) & (LUN_HPACK_SLOTS - 1);
}


/* Whether it came before, more or less lately; from now on it has. */
static bool
is_seen(lun_hpack_encoder *e, unsigned hash, lun_str value)
{
    uint32_t  h = (uint32_t) lun_str_hash(value) * 31u + hash;
    uint16_t *place = &e->seen[slot_of(h)];
    bool      seen = *place == (uint16_t) (h >> 16);

    *place = (uint16_t) (h >> 16);
    return seen;
}


void
lun_hpack_encoder_fini(lun_hpack_encoder *e)
{
    lun_hpack_table_fini(&e->table);
}


void
lun_hpack_encoder_resize(lun_hpack_encoder *e, size_t max)
{
    max = lun_min(max, (size_t) LUN_HPACK_SIZE);

    if (max == e->table.max) {
        return;
    }

    e->lowest = e->resized ? lun_min(e->lowest, max) : max;
    e->resized = true;
    lun_hpack_table_resize(&e->table, max);
}


char *
lun_hpack_begin(lun_hpack_encoder *e, char *p)
{
    if (!e->resized) {
        return p;
    }

    /* What fell out in between has fallen out on the other side, too. */
    if (e->lowest < e->table.max) {
        p = put_int(p, TABLE_SIZE, 5, e->lowest);
    }

    e->resized = false;
    return put_int(p, TABLE_SIZE, 5, e->table.max);
}


/* The number that entry `n` has at this moment. */
static size_t
number_of(const lun_hpack_encoder *e, uint32_t n)
{
    return LUN_HPACK_STATIC + 1 + (size_t) (e->table.inserted - n);
}


static unsigned
find_static(lun_str name, lun_str value, bool *whole)
{
    unsigned  i, first = lun_hpack_static(name);

    *whole = false;

    for (i = first; i != 0 && i <= LUN_HPACK_STATIC
         && lun_hpack_fields[i - 1].value.len != 0; i++)
    {
        if (lun_str_eq(lun_hpack_fields[i - 1].value, value)
            && lun_str_eq(lun_hpack_fields[i - 1].name, name))
        {
            *whole = true;
            return i;
        }
    }

    return first;
}


/* Whether a field enters the table; `known`: one of that name is there. */
static bool
is_kept(lun_hpack_encoder *e, lun_str name, lun_str value, unsigned field,
    bool known, unsigned hash)
{
    if (field == SET_COOKIE
        || name.len + value.len + LUN_HPACK_OVERHEAD > e->table.max / 2)
    {
        return false;
    }

    /* A user's name may have another value each time. */
    return (field != 0 ? is_worth_keeping(field) : !known)
           || is_seen(e, hash, value);
}


/* Of the two places of a hash, the one whose entry is older, or has gone. */
static uint32_t *
older_of(const lun_hpack_encoder *e, uint32_t *two)
{
    return e->table.inserted - two[0] >= e->table.inserted - two[1] ? &two[0]
                                                                    : &two[1];
}


static char *
put_new(lun_hpack_encoder *e, char *p, lun_str name, lun_str value,
    unsigned hash, uint32_t *two)
{
    bool       whole, known, keeps;
    size_t     at;
    unsigned   field = find_static(name, value, &whole);
    uint32_t  *by_name = &e->names[slot_of(hash)];

    if (whole) {
        *p++ = (char) (INDEXED | field);
        return p;
    }

    known = lun_hpack_table_has(&e->table, *by_name)
            && lun_str_eq(lun_hpack_table_get(&e->table, *by_name).name, name);
    at = field != 0 ? field : known ? number_of(e, *by_name) : 0;
    keeps = is_kept(e, name, value, field, known, hash);

    p = keeps ? put_int(p, NEW_ENTRY, 6, at) : put_int(p, 0, 4, at);
    p = at == 0 ? put_packed(p, name) : p;
    p = put_packed(p, value);

    if (keeps && lun_hpack_table_add(&e->table, name, value)) {
        *by_name = e->table.inserted;
        *older_of(e, two) = e->table.inserted;
    }

    return p;
}


char *
lun_hpack_encode(lun_hpack_encoder *e, char *p, lun_str name, lun_str value)
{
    unsigned         i, hash = mix(name);
    uint32_t        *two = &e->fields[slot_of(hash * 5u + mix(value)) & ~1u];
    lun_hpack_field  f;

    LUN_CHECK(!e->resized);

    for (i = 0; i < 2; i++) {
        if (!lun_hpack_table_has(&e->table, two[i])) {
            continue;
        }

        f = lun_hpack_table_get(&e->table, two[i]);

        if (lun_str_eq(f.value, value) && lun_str_eq(f.name, name)) {
            return put_int(p, INDEXED, 7, number_of(e, two[i]));
        }
    }

    return put_new(e, p, name, value, hash, two);
}
