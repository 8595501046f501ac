/*
 * str.h -- counted strings.  A lun_str is a view: it owns nothing, need not
 * end with a zero byte, and may hold any bytes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STR_H
#define LUN_STR_H

#include <string.h>

#include "base/base.h"

typedef struct {
    size_t       len;
    const char  *data;
} lun_str;

#define LUN_STR(lit)       ((lun_str) { sizeof(lit) - 1, (lit) })
#define LUN_STR_INIT(lit)  { sizeof(lit) - 1, (lit) }
#define LUN_STR_NULL       ((lun_str) { 0, NULL })

/* For "%.*s". */
#define LUN_S(s)           (int) (s).len, (s).data

static inline lun_str
lun_str_of(const char *data, size_t len)
{
    return (lun_str) { len, data };
}

static inline lun_str
lun_str_z(const char *z)
{
    return (lun_str) { strlen(z), z };
}

static inline bool
lun_str_eq(lun_str a, lun_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline char
lun_lower(char c)
{
    return (c >= 'A' && c <= 'Z') ? (char) (c | 0x20) : c;
}

static inline char
lun_upper(char c)
{
    return (c >= 'a' && c <= 'z') ? (char) (c & ~0x20) : c;
}

static inline bool
lun_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ASCII only: the locale never matters. */
bool lun_str_caseeq(lun_str a, lun_str b);
int lun_mem_casecmp(const char *a, const char *b, size_t n);
void lun_mem_lower(char *dst, const char *src, size_t n);

bool lun_str_starts(lun_str s, lun_str prefix);
bool lun_str_casestarts(lun_str s, lun_str prefix);
bool lun_str_ends(lun_str s, lun_str suffix);

/* What stands behind a prefix.  False, and *rest as it was: it has none. */
bool lun_str_after(lun_str s, lun_str prefix, lun_str *rest);
bool lun_str_caseafter(lun_str s, lun_str prefix, lun_str *rest);

/* Bytewise order, the shorter first among equals: <0, 0, >0. */
int lun_str_cmp(lun_str a, lun_str b);

/* Position of the first occurrence, or NULL. */
const char *lun_str_find(lun_str s, lun_str needle);
const char *lun_str_casefind(lun_str s, lun_str needle);
const char *lun_str_chr(lun_str s, char c);

/* Without spaces and tabs at both ends. */
lun_str lun_str_trim(lun_str s);

/*
 * Whole-string numbers.  LUN_ERROR for an empty string, any other byte, or
 * overflow of the type; *n is then untouched.
 */
lun_rc lun_str_to_u64(lun_str s, uint64_t *n);
lun_rc lun_str_to_i64(lun_str s, int64_t *n);
lun_rc lun_str_hex_to_u64(lun_str s, uint64_t *n);

/*
 * nginx's units.  Sizes: k K m M g G.  Times: ms s m h d w M y, in that kind
 * of order ("1h 30m"), a bare number is seconds.  LUN_ERROR if it is none.
 */
lun_rc lun_str_to_size(lun_str s, uint64_t *bytes);
lun_rc lun_str_to_msec(lun_str s, lun_msec *ms);
lun_rc lun_str_to_sec(lun_str s, int64_t *sec);

/* Non-cryptographic, stable between runs, 64 bits; the second ignores case. */
uint64_t lun_str_hash(lun_str s);
uint64_t lun_str_casehash(lun_str s);

#endif
