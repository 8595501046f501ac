/*
 * json_encode.c -- from Lua values to text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/json/json_priv.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


enum { NUMBER_ROOM = 40, SLOTS = 6 };

/* Numbers that are printed here: decimals, of digits that a double has. */
enum { DECIMALS = 4, SCALE = 10000, EXACT = 15 };

/* How a byte of a string is written: 0 as it is, 'u' as \u00XX, else \c. */
static const char  escapes[256] = {
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r',
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u',
    'u', 'u', 'u', 'u',
    ['"'] = '"', ['\\'] = '\\', ['/'] = '/', [0x7f] = 'u'
};

static void encode(lua_State *L, lun_json_conf *conf, int depth);


static void
fail(lua_State *L, int at, const char *why)
{
    luaL_error(L, "Cannot serialise %s: %s",
               lua_typename(L, lua_type(L, at)), why);
}


static inline void
put(lua_State *L, lun_json_conf *conf, const char *s, size_t n)
{
    memcpy(lun_json_room(L, conf, n), s, n);
    conf->len += n;
}


static inline void
put_char(lua_State *L, lun_json_conf *conf, char c)
{
    *lun_json_room(L, conf, 1) = c;
    conf->len++;
}


static void
put_line(lua_State *L, lun_json_conf *conf, int depth)
{
    int  i;

    put_char(L, conf, '\n');

    for (i = 0; i < depth; i++) {
        put(L, conf, conf->indent, conf->indent_len);
    }
}


/* --- strings and numbers --- */

static void
put_escape(lun_json_conf *conf, unsigned char c)
{
    char               *p = conf->text + conf->len;
    static const char   digits[] = "0123456789abcdef";

    *p++ = '\\';

    if (escapes[c] != 'u') {
        *p++ = escapes[c];

    } else {
        memcpy(p, "u00", 3);
        p[3] = digits[c >> 4];
        p[4] = digits[c & 15];
        p += 5;
    }

    conf->len = (size_t) (p - conf->text);
}


static void
put_string(lua_State *L, lun_json_conf *conf, const char *s, size_t n)
{
    char           *out;
    const char     *run = s, *end = s + n;
    unsigned char   c;

    put_char(L, conf, '"');

    for (; s != end; s++) {
        c = (unsigned char) *s;

        if (LUN_LIKELY(escapes[c] == 0) || (c == '/' && !conf->escape_slash)) {
            continue;
        }

        out = lun_json_room(L, conf, (size_t) (s - run) + 6);
        memcpy(out, run, (size_t) (s - run));
        conf->len += (size_t) (s - run);
        put_escape(conf, c);
        run = s + 1;
    }

    out = lun_json_room(L, conf, (size_t) (end - run) + 1);
    memcpy(out, run, (size_t) (end - run));
    conf->len += (size_t) (end - run);
    conf->text[conf->len++] = '"';
}


/* Digits of a whole number, as %.*g has them while they are no more. */
static char *
whole(char *p, uint64_t n)
{
    char  digits[20], *d = digits + sizeof(digits);

    do {
        *--d = (char) ('0' + n % 10);
        n /= 10;
    } while (n != 0);

    memcpy(p, d, (size_t) (digits + sizeof(digits) - d));
    return p + (digits + sizeof(digits) - d);
}


/* A locale may print another point. */
static size_t
print_number(char *out, int precision, double n)
{
    int          len;
    char        *p;
    const char  *point = localeconv()->decimal_point;

    len = snprintf(out, NUMBER_ROOM, "%.*g", precision, n);

    if (point[0] != '.' && (p = strstr(out, point)) != NULL) {
        memmove(p + 1, p + strlen(point), strlen(p + strlen(point)) + 1);
        *p = '.';
        len = (int) strlen(out);
    }

    return (size_t) len;
}


/*
 * A number of at most four decimals: `scaled` is it times 10^4, a whole number.
 * That product is wrong by 2^-53 of itself at most, which is less than half of
 * what the last of 15 digits is worth: %.*g prints the same.
 */
static char *
decimal(char *p, uint64_t scaled)
{
    int       i;
    char     *end;
    uint64_t  rest = scaled % SCALE;

    p = whole(p, scaled / SCALE);
    *p++ = '.';

    for (end = p + DECIMALS, i = DECIMALS; i > 0; i--) {
        p[i - 1] = (char) ('0' + rest % 10);
        rest /= 10;
    }

    while (end[-1] == '0') {
        end--;
    }

    return end[-1] == '.' ? end - 1 : end;
}


/*
 * Whole numbers and those of few decimals are printed here, in the digits that
 * "%.14g" would give; anything else by that itself.
 */
static void
put_number(lua_State *L, lun_json_conf *conf, double n, int at)
{
    char                *p;
    double               scaled;
    static const double  limits[] = {
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16
    };

    p = lun_json_room(L, conf, NUMBER_ROOM);

    if (fabs(n) < limits[conf->precision] && n == (double) (int64_t) n
        && (n != 0 || !signbit(n)))
    {
        if (n < 0) {
            *p++ = '-';
        }

        p = whole(p, (uint64_t) fabs(n));
        conf->len = (size_t) (p - conf->text);
        return;
    }

    scaled = fabs(n) * SCALE;

    if (conf->precision <= EXACT && scaled < limits[conf->precision]
        && scaled >= 1 && scaled == (double) (uint64_t) scaled)
    {
        if (n < 0) {
            *p++ = '-';
        }

        p = decimal(p, (uint64_t) scaled);
        conf->len = (size_t) (p - conf->text);
        return;
    }

    if (isnan(n) || isinf(n)) {
        if (conf->encode_invalid == JSON_INVALID_REFUSED) {
            fail(L, at, "must not be NaN or Inf");
        }

        if (conf->encode_invalid == JSON_INVALID_NULL) {
            put(L, conf, "null", 4);
            return;
        }

        if (isnan(n)) {
            put(L, conf, "nan", 3);
            return;
        }
    }

    conf->len += print_number(p, conf->precision, n);
}


/* --- tables --- */

/* The largest index of an array; -1: it is an object. */
static int
array_length(lua_State *L, const lun_json_conf *conf)
{
    double  k, max = 0, items = 0;

    lua_pushnil(L);

    while (lua_next(L, -2) != 0) {
        k = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;

        if (k < 1 || floor(k) != k) {
            lua_pop(L, 2);
            return -1;
        }

        max = k > max ? k : max;
        items++;
        lua_pop(L, 1);
    }

    if (max > INT32_MAX
        || (conf->sparse_ratio > 0 && max > items * conf->sparse_ratio
            && max > conf->sparse_safe))
    {
        if (!conf->sparse_convert) {
            fail(L, -1, "excessively sparse array");
        }

        return -1;
    }

    return (int) max;
}


/* Whether the value on top is passed over; it is popped then. */
static bool
skips(lua_State *L, const lun_json_conf *conf)
{
    void  *p;

    if (!conf->skip_unsupported) {
        return false;
    }

    switch (lua_type(L, -1)) {

    case LUA_TLIGHTUSERDATA:
        p = lua_touserdata(L, -1);
        if (p == NULL || p == &lun_json_array_key) {
            return false;
        }
        break;

    case LUA_TFUNCTION:
    case LUA_TTHREAD:
    case LUA_TUSERDATA:
    case 10:                       /* LuaJIT's cdata */
        break;

    default:
        return false;
    }

    lua_pop(L, 1);
    return true;
}


/*
 * What is skipped leaves no hole: the comma is put before the next one that is
 * written.
 */
static void
encode_array(lua_State *L, lun_json_conf *conf, int count, int depth)
{
    int   i;
    bool  any = false;

    put_char(L, conf, '[');

    for (i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);

        if (skips(L, conf)) {
            continue;
        }

        if (any) {
            put_char(L, conf, ',');
        }

        if (conf->indent != NULL) {
            put_line(L, conf, depth);
        }

        any = true;
        encode(L, conf, depth);
        lua_pop(L, 1);
    }

    if (any && conf->indent != NULL) {
        put_line(L, conf, depth - 1);
    }

    put_char(L, conf, ']');
}


/* The key below the value on top, and a colon. */
static void
put_key(lua_State *L, lun_json_conf *conf)
{
    size_t       n;
    const char  *s;

    switch (lua_type(L, -2)) {

    case LUA_TSTRING:
        s = lua_tolstring(L, -2, &n);
        put_string(L, conf, s, n);
        break;

    case LUA_TNUMBER:
        put_char(L, conf, '"');
        put_number(L, conf, lua_tonumber(L, -2), -2);
        put_char(L, conf, '"');
        break;

    default:
        fail(L, -2, "table key must be a number or string");
    }

    put(L, conf, ": ", conf->indent != NULL ? 2 : 1);
}


/* One pair, key and value on top; the value is popped. */
static bool
encode_pair(lua_State *L, lun_json_conf *conf, bool any, int depth)
{
    if (skips(L, conf)) {
        return any;
    }

    if (any) {
        put_char(L, conf, ',');
    }

    if (conf->indent != NULL) {
        put_line(L, conf, depth);
    }

    put_key(L, conf);
    encode(L, conf, depth);
    lua_pop(L, 1);

    return true;
}


typedef struct {
    const char  *text;
    size_t       len;
    double       number;
    bool         is_number;
    char         digits[NUMBER_ROOM];
} sort_key;


static int
compare_keys(const void *one, const void *two)
{
    int              order;
    const sort_key  *a = one, *b = two;
    const char      *s = a->is_number ? a->digits : a->text;
    const char      *t = b->is_number ? b->digits : b->text;

    order = memcmp(s, t, lun_min(a->len, b->len));

    if (order == 0 && a->len != b->len) {
        order = a->len < b->len ? -1 : 1;
    }

    return order;
}


static bool
encode_sorted(lua_State *L, lun_json_conf *conf, int depth)
{
    bool       any = false;
    size_t     i, count = 0;
    sort_key  *keys, *k;

    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
        count++;
    }

    /* Below the table, where the collector sees it. */
    keys = lua_newuserdata(L, (count + 1) * sizeof(sort_key));
    lua_insert(L, -2);
    k = keys;

    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1), k++) {
        k->is_number = lua_type(L, -2) == LUA_TNUMBER;

        if (k->is_number) {
            k->number = lua_tonumber(L, -2);
            k->len = print_number(k->digits, conf->precision, k->number);

        } else if (lua_type(L, -2) == LUA_TSTRING) {
            k->text = lua_tolstring(L, -2, &k->len);

        } else {
            fail(L, -2, "table key must be a number or string");
        }
    }

    qsort(keys, count, sizeof(sort_key), compare_keys);

    for (i = 0; i < count; i++) {
        if (keys[i].is_number) {
            lua_pushnumber(L, keys[i].number);
        } else {
            lua_pushlstring(L, keys[i].text, keys[i].len);
        }

        lua_pushvalue(L, -1);
        lua_rawget(L, -3);
        any = encode_pair(L, conf, any, depth);
        lua_pop(L, 1);
    }

    lua_remove(L, -2);
    return any;
}


static void
encode_object(lua_State *L, lun_json_conf *conf, int depth)
{
    bool  any = false;

    put_char(L, conf, '{');

    if (conf->sort_keys) {
        any = encode_sorted(L, conf, depth);

    } else {
        lua_pushnil(L);

        while (lua_next(L, -2) != 0) {
            any = encode_pair(L, conf, any, depth);
        }
    }

    if (any && conf->indent != NULL) {
        put_line(L, conf, depth - 1);
    }

    put_char(L, conf, '}');
}


static bool
has_metatable(lua_State *L, const void *key)
{
    bool  same;

    if (!lua_getmetatable(L, -1)) {
        return false;
    }

    lua_pushlightuserdata(L, (void *) key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);

    return same;
}


static void
encode_table(lua_State *L, lun_json_conf *conf, int depth)
{
    int  count;

    if (depth > conf->encode_max_depth || !lua_checkstack(L, SLOTS)) {
        luaL_error(L, "Cannot serialise, excessive nesting (%d)", depth);
    }

    if (has_metatable(L, &lun_json_array_key)) {
        encode_array(L, conf, (int) lua_objlen(L, -1), depth);
        return;
    }

    count = array_length(L, conf);

    if (count > 0
        || (count == 0 && (!conf->empty_as_object
                           || has_metatable(L, &lun_json_empty_array_key))))
    {
        encode_array(L, conf, count, depth);
        return;
    }

    encode_object(L, conf, depth);
}


static void
encode(lua_State *L, lun_json_conf *conf, int depth)
{
    size_t       n;
    const char  *s;

    switch (lua_type(L, -1)) {

    case LUA_TSTRING:
        s = lua_tolstring(L, -1, &n);
        put_string(L, conf, s, n);
        return;

    case LUA_TNUMBER:
        put_number(L, conf, lua_tonumber(L, -1), -1);
        return;

    case LUA_TBOOLEAN:
        if (lua_toboolean(L, -1)) {
            put(L, conf, "true", 4);
        } else {
            put(L, conf, "false", 5);
        }
        return;

    case LUA_TTABLE:
        encode_table(L, conf, depth + 1);
        return;

    case LUA_TNIL:
        put(L, conf, "null", 4);
        return;

    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(L, -1) == NULL) {
            put(L, conf, "null", 4);
            return;
        }

        if (lua_touserdata(L, -1) == &lun_json_array_key) {
            put(L, conf, "[]", 2);
            return;
        }

        break;
    }

    fail(L, -1, "type not supported");
}


void
lun_json_encode(lua_State *L, lun_json_conf *conf)
{
    conf->len = 0;
    encode(L, conf, 0);
}
