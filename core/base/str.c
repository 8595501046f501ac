/*
 * str.c -- counted strings: comparing, finding, numbers, hashing.
 *
 * ASCII case is folded eight bytes at a time; header names and host names
 * go through here once per request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/str.h"


#define ONES               UINT64_C(0x0101010101010101)

/* Odd numbers with about as many ones as zeros, from nowhere in particular. */
#define MIX_1              UINT64_C(0x8bb84b93962eacc9)
#define MIX_2              UINT64_C(0x4b33a62ed433d4a3)
#define MIX_3              UINT64_C(0x9a3b1f6d5c27e8b5)


static inline uint64_t
load8(const char *p)
{
    uint64_t  v;

    memcpy(&v, p, sizeof(v));
    return v;
}


static inline uint64_t
load4(const char *p)
{
    uint32_t  v;

    memcpy(&v, p, sizeof(v));
    return v;
}


/*
 * Lower case in all eight bytes.  The sums reach bit 7 of a byte when it is
 * at least 'A', or beyond 'Z'; exactly one of them, and a byte below 128,
 * means an upper-case letter, and bit 7 moved to bit 5 makes it lower.
 */
static inline uint64_t
fold8(uint64_t v)
{
    uint64_t  low, upper;

    low = v & 0x7f * ONES;
    upper = (low + (0x80 - 'A') * ONES) ^ (low + (0x7f - 'Z') * ONES);
    upper &= ~v & 0x80 * ONES;

    return v | upper >> 2;
}


bool
lun_str_caseeq(lun_str a, lun_str b)
{
    return a.len == b.len && lun_mem_casecmp(a.data, b.data, a.len) == 0;
}


int
lun_mem_casecmp(const char *a, const char *b, size_t n)
{
    unsigned char  x, y;

    while (n >= 8 && fold8(load8(a)) == fold8(load8(b))) {
        a += 8;
        b += 8;
        n -= 8;
    }

    for ( /* void */ ; n != 0; a++, b++, n--) {
        x = (unsigned char) lun_lower(*a);
        y = (unsigned char) lun_lower(*b);

        if (x != y) {
            return x - y;
        }
    }

    return 0;
}


void
lun_mem_lower(char *dst, const char *src, size_t n)
{
    uint64_t  v;

    for ( /* void */ ; n >= 8; dst += 8, src += 8, n -= 8) {
        v = fold8(load8(src));
        memcpy(dst, &v, 8);
    }

    while (n != 0) {
        *dst++ = lun_lower(*src++);
        n--;
    }
}


bool
lun_str_starts(lun_str s, lun_str prefix)
{
    return s.len >= prefix.len
           && lun_str_eq(lun_str_of(s.data, prefix.len), prefix);
}


bool
lun_str_casestarts(lun_str s, lun_str prefix)
{
    return s.len >= prefix.len
           && lun_mem_casecmp(s.data, prefix.data, prefix.len) == 0;
}


bool
lun_str_after(lun_str s, lun_str prefix, lun_str *rest)
{
    if (!lun_str_starts(s, prefix)) {
        return false;
    }

    *rest = lun_str_of(s.data + prefix.len, s.len - prefix.len);
    return true;
}


bool
lun_str_caseafter(lun_str s, lun_str prefix, lun_str *rest)
{
    return lun_str_casestarts(s, prefix)
           && lun_str_after(s, lun_str_of(s.data, prefix.len), rest);
}


bool
lun_str_ends(lun_str s, lun_str suffix)
{
    if (suffix.len == 0) {
        return true;
    }

    return s.len >= suffix.len
           && memcmp(s.data + s.len - suffix.len, suffix.data, suffix.len) == 0;
}


int
lun_str_cmp(lun_str a, lun_str b)
{
    int     rc;
    size_t  n;

    n = lun_min(a.len, b.len);
    rc = n != 0 ? memcmp(a.data, b.data, n) : 0;

    if (rc != 0) {
        return rc;
    }

    return (a.len > b.len) - (a.len < b.len);
}


const char *
lun_str_chr(lun_str s, char c)
{
    return s.len != 0 ? memchr(s.data, (unsigned char) c, s.len) : NULL;
}


const char *
lun_str_find(lun_str s, lun_str needle)
{
    const char  *p, *last;

    if (needle.len == 0) {
        return s.data;
    }

    if (needle.len > s.len) {
        return NULL;
    }

    p = s.data;
    last = s.data + s.len - needle.len;        /* where it could still start */

    while (p <= last) {
        p = memchr(p, (unsigned char) needle.data[0],
                   (size_t) (last - p) + 1);

        if (p == NULL || memcmp(p, needle.data, needle.len) == 0) {
            return p;
        }

        p++;
    }

    return NULL;
}


const char *
lun_str_casefind(lun_str s, lun_str needle)
{
    const char  *p, *last;

    if (needle.len == 0) {
        return s.data;
    }

    if (needle.len > s.len) {
        return NULL;
    }

    last = s.data + s.len - needle.len;

    for (p = s.data; p <= last; p++) {
        if (lun_lower(*p) == lun_lower(needle.data[0])
            && lun_mem_casecmp(p, needle.data, needle.len) == 0)
        {
            return p;
        }
    }

    return NULL;
}


lun_str
lun_str_trim(lun_str s)
{
    const char  *p = s.data, *end;

    if (s.len == 0) {
        return s;
    }

    end = p + s.len;

    while (p != end && (*p == ' ' || *p == '\t')) {
        p++;
    }

    while (p != end && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }

    return lun_str_of(p, (size_t) (end - p));
}


lun_rc
lun_str_to_u64(lun_str s, uint64_t *n)
{
    size_t    i;
    uint64_t  v = 0;

    if (s.len == 0) {
        return LUN_ERROR;
    }

    for (i = 0; i < s.len; i++) {
        if (!lun_is_digit(s.data[i])
            || __builtin_mul_overflow(v, 10, &v)
            || __builtin_add_overflow(v, (uint64_t) (s.data[i] - '0'), &v))
        {
            return LUN_ERROR;
        }
    }

    *n = v;
    return LUN_OK;
}


lun_rc
lun_str_to_i64(lun_str s, int64_t *n)
{
    bool      minus;
    uint64_t  v;

    minus = s.len != 0 && s.data[0] == '-';

    if (minus) {
        s.data++;
        s.len--;
    }

    if (lun_str_to_u64(s, &v) != LUN_OK
        || v > (uint64_t) INT64_MAX + (minus ? 1 : 0))
    {
        return LUN_ERROR;
    }

    *n = (int64_t) (minus ? 0 - v : v);
    return LUN_OK;
}


/*
 * The top digit is looked at before each shift, so that a seventeenth digit is
 * refused and leading zeros are not.
 */
lun_rc
lun_str_hex_to_u64(lun_str s, uint64_t *n)
{
    char      c;
    size_t    i;
    unsigned  digit;
    uint64_t  v = 0;

    if (s.len == 0) {
        return LUN_ERROR;
    }

    for (i = 0; i < s.len; i++) {
        c = lun_lower(s.data[i]);

        if (lun_is_digit(c)) {
            digit = (unsigned) (c - '0');

        } else if (c >= 'a' && c <= 'f') {
            digit = (unsigned) (c - 'a' + 10);

        } else {
            return LUN_ERROR;
        }

        if (v >> 60 != 0) {
            return LUN_ERROR;
        }

        v = v << 4 | digit;
    }

    *n = v;
    return LUN_OK;
}


lun_rc
lun_str_to_size(lun_str s, uint64_t *bytes)
{
    int       shift = 0;
    uint64_t  v;

    if (s.len == 0) {
        return LUN_ERROR;
    }

    switch (lun_lower(s.data[s.len - 1])) {
    case 'k':
        shift = 10;
        break;
    case 'm':
        shift = 20;
        break;
    case 'g':
        shift = 30;
        break;
    }

    if (shift != 0) {
        s.len--;
    }

    if (lun_str_to_u64(s, &v) != LUN_OK
        || v > (uint64_t) INT64_MAX >> shift)
    {
        return LUN_ERROR;
    }

    *bytes = v << shift;
    return LUN_OK;
}


/*
 * The units of time, the largest first: each may be followed only by smaller
 * ones.  A number with a space after it is seconds and must be the last but
 * for a bare number.  Years and months are only known where seconds count.
 */
static const struct {
    char      letter;
    bool      sec_only;
    uint64_t  ms;
} units[] = {
    { 'y', true,  UINT64_C(365) * 24 * 3600 * 1000 },
    { 'M', true,  UINT64_C(30) * 24 * 3600 * 1000 },
    { 'w', false, UINT64_C(7) * 24 * 3600 * 1000 },
    { 'd', false, UINT64_C(24) * 3600 * 1000 },
    { 'h', false, UINT64_C(3600) * 1000 },
    { 'm', false, UINT64_C(60) * 1000 },
    { 's', false, 1000 },
    { '.', false, 1 },                         /* written "ms" */
    { ' ', false, 1000 }
};

enum { UNIT_SECONDS = 6, UNIT_MS = 7, UNIT_SPACE = 8 };


static size_t
take_unit(lun_str *s, size_t from, bool sec)
{
    size_t  i;

    if (s->len >= 2 && s->data[0] == 'm' && s->data[1] == 's') {
        s->data += 2;
        s->len -= 2;

        return sec || from > UNIT_MS ? LUN_ARRAY_LEN(units) : UNIT_MS;
    }

    if (s->data[0] == ' ' && from > UNIT_SECONDS) {
        return LUN_ARRAY_LEN(units);           /* "1s 2 3" */
    }

    for (i = from; i < LUN_ARRAY_LEN(units); i++) {
        if (units[i].letter == s->data[0] && i != UNIT_MS
            && (sec || !units[i].sec_only))
        {
            s->data++;
            s->len--;
            return i;
        }
    }

    return LUN_ARRAY_LEN(units);
}


static bool
take_number(lun_str *s, uint64_t *n, bool *any)
{
    uint64_t  v = 0;

    for ( /* void */ ; s->len != 0 && lun_is_digit(s->data[0]); s->data++) {
        if (v > (uint64_t) INT64_MAX / 10 - 1) {
            return false;
        }

        v = v * 10 + (uint64_t) (s->data[0] - '0');
        s->len--;
        *any = true;
    }

    *n = v;
    return true;
}


/*
 * Units may only get smaller ("1h 30m", not "30m 1h"), and none comes twice:
 * take_unit() looks from `from` on.
 */
static lun_rc
parse_time(lun_str s, bool sec, uint64_t *ms)
{
    bool      any = false;
    size_t    unit, from = 0;
    uint64_t  n, total = 0;

    while (s.len != 0) {
        if (!take_number(&s, &n, &any)) {
            return LUN_ERROR;
        }

        unit = UNIT_SPACE;

        if (s.len != 0) {
            unit = take_unit(&s, from, sec);
            from = unit + 1;
        }

        if (unit == LUN_ARRAY_LEN(units)
            || __builtin_mul_overflow(n, units[unit].ms, &n)
            || __builtin_add_overflow(total, n, &total)
            || total > (uint64_t) INT64_MAX)
        {
            return LUN_ERROR;
        }

        while (s.len != 0 && s.data[0] == ' ') {
            s.data++;
            s.len--;
        }
    }

    *ms = total;
    return any ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_str_to_msec(lun_str s, lun_msec *ms)
{
    uint64_t  v;

    if (parse_time(s, false, &v) != LUN_OK) {
        return LUN_ERROR;
    }

    *ms = v;
    return LUN_OK;
}


lun_rc
lun_str_to_sec(lun_str s, int64_t *sec)
{
    uint64_t  v;

    if (parse_time(s, true, &v) != LUN_OK) {
        return LUN_ERROR;
    }

    *sec = (int64_t) (v / 1000);
    return LUN_OK;
}


/* A product of 64 by 64 bits, its halves laid over each other. */
static inline uint64_t
mix(uint64_t a, uint64_t b)
{
    unsigned __int128  m = (unsigned __int128) a * b;

    return (uint64_t) m ^ (uint64_t) (m >> 64);
}


/* The last 0 to 8 bytes as a number; without reading before or behind. */
static inline uint64_t
load_tail(const char *p, size_t n)
{
    if (n == 8) {
        return load8(p);
    }

    if (n >= 4) {
        return load4(p) | load4(p + n - 4) << 32;
    }

    if (n == 0) {
        return 0;
    }

    return (uint64_t) (unsigned char) p[0]
           | (uint64_t) (unsigned char) p[n / 2] << 8
           | (uint64_t) (unsigned char) p[n - 1] << 16;
}


static inline uint64_t
hash_bytes(const char *p, size_t n, bool fold)
{
    uint64_t  v, h;

    h = MIX_1 ^ n * MIX_3;

    for ( /* void */ ; n > 8; p += 8, n -= 8) {
        v = load8(p);
        h = mix(h ^ (fold ? fold8(v) : v), MIX_2);
    }

    v = load_tail(p, n);
    h = mix(h ^ (fold ? fold8(v) : v), MIX_2);

    return mix(h ^ MIX_1, MIX_3);
}


uint64_t
lun_str_hash(lun_str s)
{
    return hash_bytes(s.data, s.len, false);
}


uint64_t
lun_str_casehash(lun_str s)
{
    return hash_bytes(s.data, s.len, true);
}
