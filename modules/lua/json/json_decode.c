/*
 * json_decode.c -- from text to Lua values.
 *
 * Beside JSON it takes what lua-cjson takes: any control character in a
 * string but the zero byte, numbers in every form of strtod().  The text ends
 * with a zero byte, which no token has in it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/json/json_priv.h"

#include <math.h>
#include <string.h>

#include "base/str.h"


typedef enum {
    OBJ_BEGIN, OBJ_END, ARR_BEGIN, ARR_END, STRING, NUMBER, BOOLEAN, NIL,
    COLON, COMMA, END, BAD
} token_kind;

static const char *const  token_names[] = {
    "T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING",
    "T_NUMBER", "T_BOOLEAN", "T_NULL", "T_COLON", "T_COMMA", "T_END", NULL
};

typedef struct {
    token_kind   kind;
    const char  *at;               /* where it begins, or is wrong */
    const char  *text;             /* of a string; of BAD: why */
    size_t       len;
    double       number;           /* or 1 and 0 of a boolean */
} token;

/* A table gets the room that the last of its kind and depth had use for, even
   if that was none: lists of objects that are alike are common. */
enum { LEVELS = 16, ROOM_MOST = 16 };

typedef struct {
    lua_State      *L;
    lun_json_conf  *conf;
    const char     *start, *p, *end;
    int             depth;
    uint8_t         fields[LEVELS];    /* of the last object, by depth */
    uint8_t         items[LEVELS];     /* of the last array */
} parser;

/* FAR: of powers of ten; none but zero comes back from there. */
enum { SLOTS = 4, EXACT_POWER = 22, FAR = 5000 };

static void parse_value(parser *ps, token *t);


static void
bad(token *t, const char *at, const char *why)
{
    t->kind = BAD;
    t->at = at;
    t->text = why;
}


static void
fail(const parser *ps, const token *t, const char *expected)
{
    luaL_error(ps->L, "Expected %s but found %s at character %d", expected,
               t->kind == BAD ? t->text : token_names[t->kind],
               (int) (t->at - ps->start) + 1);
}


/* --- strings --- */

static int
hex4(const char *p)
{
    int   i, v = 0;
    char  c;

    for (i = 0; i < 4; i++) {
        c = lun_lower(p[i]);

        if (lun_is_digit(c)) {
            v = v * 16 + (c - '0');

        } else if (c >= 'a' && c <= 'f') {
            v = v * 16 + (c - 'a' + 10);

        } else {
            return -1;             /* the zero byte at the end as well */
        }
    }

    return v;
}


static char *
put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char) c;

    } else if (c < 0x800) {
        *out++ = (char) (0xc0 | c >> 6);
        *out++ = (char) (0x80 | (c & 0x3f));

    } else if (c < 0x10000) {
        *out++ = (char) (0xe0 | c >> 12);
        *out++ = (char) (0x80 | (c >> 6 & 0x3f));
        *out++ = (char) (0x80 | (c & 0x3f));

    } else {
        *out++ = (char) (0xf0 | c >> 18);
        *out++ = (char) (0x80 | (c >> 12 & 0x3f));
        *out++ = (char) (0x80 | (c >> 6 & 0x3f));
        *out++ = (char) (0x80 | (c & 0x3f));
    }

    return out;
}


/* \uXXXX, or two of them: what is behind; NULL: it is none. */
static const char *
unescape_unicode(const char *p, char **out)
{
    int       low, high = hex4(p + 2);
    uint32_t  c = (uint32_t) high;

    if (high < 0 || (high & 0xfc00) == 0xdc00) {
        return NULL;
    }

    p += 6;

    if ((high & 0xfc00) == 0xd800) {
        if (p[0] != '\\' || p[1] != 'u' || (low = hex4(p + 2)) < 0
            || (low & 0xfc00) != 0xdc00)
        {
            return NULL;
        }

        c = 0x10000 + ((uint32_t) (high & 0x3ff) << 10)
            + (uint32_t) (low & 0x3ff);
        p += 6;
    }

    *out = put_utf8(*out, c);
    return p;
}


/*
 * From the first backslash on: into the text of the conf, which has room for
 * as many bytes as are left.
 */
static void
read_escaped(parser *ps, token *t, const char *from, const char *p)
{
    char        *out;
    const char  *next, *c;
    static const char  names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";

    ps->conf->len = 0;
    out = lun_json_room(ps->L, ps->conf, (size_t) (ps->end - from) + 1);
    memcpy(out, from, (size_t) (p - from));
    out += p - from;

    while (*p != '"') {
        if (*p == '\0') {
            bad(t, p, "unexpected end of string");
            return;
        }

        if (*p != '\\') {
            *out++ = *p++;
            continue;
        }

        if (p[1] == 'u') {
            next = unescape_unicode(p, &out);

            if (next == NULL) {
                bad(t, p, "invalid unicode escape code");
                return;
            }

            p = next;
            continue;
        }

        c = p[1] != '\0' ? strchr(names, p[1]) : NULL;

        if (c == NULL) {
            bad(t, p, "invalid escape code");
            return;
        }

        *out++ = values[c - names];
        p += 2;
    }

    ps->p = p + 1;
    t->text = ps->conf->text;
    t->len = (size_t) (out - ps->conf->text);
}


static void
read_string(parser *ps, token *t)
{
    const char  *from = ps->p + 1, *p = from;

    t->kind = STRING;

    while (*p != '"' && *p != '\\' && *p != '\0') {
        p++;
    }

    if (LUN_LIKELY(*p == '"')) {
        t->text = from;
        t->len = (size_t) (p - from);
        ps->p = p + 1;
        return;
    }

    read_escaped(ps, t, from, p);
}


/* --- numbers --- */

static const char *
skip_sign(const char *p)
{
    return *p == '-' || *p == '+' ? p + 1 : p;
}


static bool
is_hex_digit(char c)
{
    c = lun_lower(c);
    return lun_is_digit(c) || (c >= 'a' && c <= 'f');
}


static bool
is_hex(const char *p)
{
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X')
           && is_hex_digit(p[2 + (p[2] == '.')]);
}


/* "inf" and "nan", which more may follow. */
static bool
is_word(const char *p)
{
    lun_str  s = lun_str_of(p, strnlen(p, 3));

    return lun_str_caseeq(s, LUN_STR("inf"))
           || lun_str_caseeq(s, LUN_STR("nan"));
}


/* Whether JSON has no such number: it is strtod()'s all the same. */
static bool
is_foreign(const char *p)
{
    const char  *s = skip_sign(p);

    return *p == '+' || is_word(s)
           || (s[0] == '0' && (lun_is_digit(s[1]) || lun_lower(s[1]) == 'x'));
}


static const char *
skip_digits(const char *p)
{
    while (lun_is_digit(*p)) {
        p++;
    }

    return p;
}


/* Where the text of a number in hex, of infinity or of none ends. */
static const char *
foreign_end(const char *p)
{
    bool  point = false;

    p = skip_sign(p);

    if (is_hex(p)) {
        for (p += 2; is_hex_digit(*p) || (*p == '.' && !point); p++) {
            point |= *p == '.';
        }

        if ((*p == 'p' || *p == 'P') && lun_is_digit(*skip_sign(p + 1))) {
            p = skip_digits(skip_sign(p + 1));
        }

        return p;
    }

    return lun_str_caseeq(lun_str_of(p, strnlen(p, 8)), LUN_STR("infinity"))
           ? p + 8 : p + 3;
}


/* LuaJIT's own: no locale is in it. */
static void
scan(parser *ps, token *t, const char *end)
{
    lua_pushlstring(ps->L, ps->p, (size_t) (end - ps->p));

    if (!lua_isnumber(ps->L, -1)) {
        bad(t, ps->p, "invalid number");

    } else {
        t->number = lua_tonumber(ps->L, -1);
        ps->p = end;
    }

    lua_pop(ps->L, 1);
}


/*
 * Few digits and a small power of ten: one multiplication or division of two
 * exact numbers is exact.
 */
static bool
is_exact(const char *digits, const char *end, int power, double *out)
{
    uint64_t             n = 0;
    static const double  powers[] = {
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
    };

    for (; digits != end; digits++) {
        if (*digits == '.') {
            continue;
        }

        if (n > (((uint64_t) 1 << 53) - 9) / 10) {
            return false;
        }

        n = n * 10 + (uint64_t) (*digits - '0');
    }

    if (power > EXACT_POWER || power < -EXACT_POWER) {
        return false;
    }

    *out = power < 0 ? (double) n / powers[-power]
                     : (double) n * powers[power];
    return true;
}


/* An exponent behind p, if there is one: *power changes, p goes behind it. */
static const char *
read_exponent(const char *p, int *power)
{
    int          n = 0;
    bool         negative;
    const char  *d = p;

    if (*d != 'e' && *d != 'E') {
        return p;
    }

    negative = d[1] == '-';
    d += d[1] == '-' || d[1] == '+' ? 2 : 1;

    if (!lun_is_digit(*d)) {
        return p;
    }

    for (; lun_is_digit(*d); d++) {
        n = n < 10000 ? n * 10 + (*d - '0') : n;
    }

    *power += negative ? -n : n;
    return d;
}


/* Nothing but zeros, too small, or too large. */
static void
far_number(const parser *ps, token *t, int power, const char *p,
    const char *end)
{
    t->number = 0;

    for (; p != end; p++) {
        if (*p != '0' && *p != '.') {
            t->number = power > 0 ? HUGE_VAL : 0;
            break;
        }
    }

    t->number = *ps->p == '-' ? -t->number : t->number;
}


/*
 * Most numbers have few digits and no far power: those are exact in a double
 * and computed here; strtod() gets the others.
 */
static void
read_number(parser *ps, token *t)
{
    int          power = 0;
    const char  *digits, *end, *p = ps->p;

    t->kind = NUMBER;
    digits = skip_sign(p);

    if (is_foreign(p)) {
        if (!ps->conf->decode_invalid) {
            bad(t, p, "invalid number");
            return;
        }

        if (is_hex(digits) || is_word(digits)) {
            scan(ps, t, foreign_end(p));
            return;
        }
    }

    end = skip_digits(digits);

    if (*end == '.') {
        p = end + 1;
        end = skip_digits(p);
        power = -(int) lun_min(end - p, 100000);
    }

    if (end == digits || (end == digits + 1 && *digits == '.')) {
        bad(t, ps->p, "invalid number");
        return;
    }

    p = read_exponent(end, &power);

    if (is_exact(digits, end, power, &t->number)) {
        t->number = *ps->p == '-' ? -t->number : t->number;
        ps->p = p;
        return;
    }

    if (power > FAR || power < -FAR) {
        far_number(ps, t, power, digits, end);
        ps->p = p;
        return;
    }

    scan(ps, t, p);
}


/* --- tokens --- */

/* False: a comment that does not end. */
static bool
skip_comment(parser *ps)
{
    const char  *end;

    if (ps->p[1] == '/') {
        end = memchr(ps->p, '\n', (size_t) (ps->end - ps->p));
        ps->p = end != NULL ? end + 1 : ps->end;
        return true;
    }

    for (end = ps->p + 2; end + 1 < ps->end; end++) {
        if (end[0] == '*' && end[1] == '/') {
            ps->p = end + 2;
            return true;
        }
    }

    return false;
}


static void
read_word(parser *ps, token *t)
{
    const char  *p = ps->p;

    if (strncmp(p, "true", 4) == 0 || strncmp(p, "false", 5) == 0) {
        t->kind = BOOLEAN;
        t->number = *p == 't';
        ps->p += *p == 't' ? 4 : 5;

    } else if (strncmp(p, "null", 4) == 0) {
        t->kind = NIL;
        ps->p += 4;

    } else if (ps->conf->decode_invalid && is_foreign(p)) {
        read_number(ps, t);

    } else {
        bad(t, p, "invalid token");
    }
}


static void
single(parser *ps, token *t, token_kind kind)
{
    t->kind = kind;
    ps->p++;
}


/*
 * The text ends in a zero byte, so no look at the next character needs a check
 * of its own.
 */
static void
next_token(parser *ps, token *t)
{
    for ( ;; ) {
        while (*ps->p == ' ' || *ps->p == '\n' || *ps->p == '\t'
               || *ps->p == '\r')
        {
            ps->p++;
        }

        if (LUN_LIKELY(*ps->p != '/' || !ps->conf->comments
            || (ps->p[1] != '/' && ps->p[1] != '*')))
        {
            break;
        }

        if (!skip_comment(ps)) {
            bad(t, ps->p, "unclosed multi-line comment");
            return;
        }
    }

    t->at = ps->p;

    switch (*ps->p) {
    case '{': single(ps, t, OBJ_BEGIN); return;
    case '}': single(ps, t, OBJ_END); return;
    case '[': single(ps, t, ARR_BEGIN); return;
    case ']': single(ps, t, ARR_END); return;
    case ':': single(ps, t, COLON); return;
    case ',': single(ps, t, COMMA); return;

    case '"':
        read_string(ps, t);
        return;

    case '-':
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
        read_number(ps, t);
        return;

    case '\0':
        if (ps->p == ps->end) {
            t->kind = END;
            return;
        }
    }

    read_word(ps, t);
}


/* --- values --- */

static void
descend(parser *ps)
{
    if (++ps->depth <= ps->conf->decode_max_depth
        && lua_checkstack(ps->L, SLOTS))
    {
        return;
    }

    luaL_error(ps->L, "Found too many nested data structures (%d) at "
               "character %d", ps->depth, (int) (ps->p - ps->start));
}


static void
remember_size(uint8_t sizes[LEVELS], const parser *ps, int n)
{
    sizes[ps->depth % LEVELS] = (uint8_t) lun_min(n, ROOM_MOST);
}


/*
 * How many fields the last object of this depth had is a good guess for this
 * one: documents are lists of the same.
 */
static void
parse_object(parser *ps)
{
    int    n = 0;
    token  t;

    descend(ps);
    lua_createtable(ps->L, 0, ps->fields[ps->depth % LEVELS]);
    next_token(ps, &t);

    if (t.kind == OBJ_END) {
        remember_size(ps->fields, ps, 0);
        ps->depth--;
        return;
    }

    for ( ;; ) {
        if (t.kind != STRING) {
            fail(ps, &t, "object key string");
        }

        lua_pushlstring(ps->L, t.text, t.len);
        next_token(ps, &t);

        if (t.kind != COLON) {
            fail(ps, &t, "colon");
        }

        next_token(ps, &t);
        parse_value(ps, &t);
        lua_rawset(ps->L, -3);
        next_token(ps, &t);
        n++;

        if (t.kind == OBJ_END) {
            remember_size(ps->fields, ps, n);
            ps->depth--;
            return;
        }

        if (t.kind != COMMA) {
            fail(ps, &t, "comma or object end");
        }

        next_token(ps, &t);
    }
}


static void
parse_array(parser *ps)
{
    int    i;
    token  t;

    descend(ps);
    lua_createtable(ps->L, ps->items[ps->depth % LEVELS], 0);

    if (ps->conf->array_mt) {
        lua_pushlightuserdata(ps->L, (void *) &lun_json_array_key);
        lua_rawget(ps->L, LUA_REGISTRYINDEX);
        lua_setmetatable(ps->L, -2);
    }

    next_token(ps, &t);

    if (t.kind == ARR_END) {
        remember_size(ps->items, ps, 0);
        ps->depth--;
        return;
    }

    for (i = 1; ; i++) {
        parse_value(ps, &t);
        lua_rawseti(ps->L, -2, i);
        next_token(ps, &t);

        if (t.kind == ARR_END) {
            remember_size(ps->items, ps, i);
            ps->depth--;
            return;
        }

        if (t.kind != COMMA) {
            fail(ps, &t, "comma or array end");
        }

        next_token(ps, &t);
    }
}


static void
parse_value(parser *ps, token *t)
{
    switch (t->kind) {

    case STRING:
        lua_pushlstring(ps->L, t->text, t->len);
        return;

    case NUMBER:
        lua_pushnumber(ps->L, t->number);
        return;

    case BOOLEAN:
        lua_pushboolean(ps->L, t->number != 0);
        return;

    case NIL:
        if (ps->conf->json_null) {
            lua_pushlightuserdata(ps->L, NULL);
        } else {
            lua_pushnil(ps->L);
        }

        return;

    case OBJ_BEGIN:
        parse_object(ps);
        return;

    case ARR_BEGIN:
        parse_array(ps);
        return;

    default:
        fail(ps, t, "value");
    }
}


void
lun_json_decode(lua_State *L, lun_json_conf *conf, const char *text,
    size_t len)
{
    token   t;
    parser  ps = { .L = L, .conf = conf, .start = text, .p = text,
                   .end = text + len };

    if (len >= 2 && (text[0] == '\0' || text[1] == '\0')) {
        luaL_error(L, "JSON parser does not support UTF-16 or UTF-32");
    }

    next_token(&ps, &t);
    parse_value(&ps, &t);
    next_token(&ps, &t);

    if (t.kind != END) {
        fail(&ps, &t, "the end");
    }
}
