/*
 * ffi_uri.c -- escaping, for lua/resty/core/uri.lua.
 *
 * Nothing here yields; every phase may call it.  The caller asks for the size
 * first and brings the memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "base/check.h"
#include "format/uri.h"

LUN_EXPORT size_t lun_ffi_sql_quoted_len(const char *s, size_t len);
LUN_EXPORT void lun_ffi_sql_quote(const char *s, size_t len, char *dst);
/* How far a text has been taken apart; the layout is repeated in uri.lua. */
typedef struct {
    size_t    at;
    int32_t   left;                /* arguments that are still wanted */
    int32_t   rest;
} lun_args_split;

/* What there is behind the places that are filled. */
enum { NOTHING, MORE, CUT };

LUN_EXPORT int lun_ffi_args_split(const char *s, size_t len,
    lun_args_split *state, char *room, lun_str *pairs, int places);

/* The numbers of ngx.escape_uri()'s types, which are nginx's. */
enum { TYPE_URI, TYPE_ARGS, TYPE_COMPONENT, TYPE_HTML, TYPE_REFRESH,
       TYPE_MEMCACHED, TYPE_MAIL_AUTH };

/*
 * Kinds that format/uri.h does not have: what they escape beside controls.  (A
 * query is escaped otherwise by the server itself.)
 */
static const struct {
    const char  *others;
    bool         high;             /* bytes from 0x7f on */
} plain_kinds[] = {
    [TYPE_ARGS]      = { " #%+?", true },
    [TYPE_HTML]      = { " \"#%'", true },
    [TYPE_REFRESH]   = { " \"'", true },
    [TYPE_MEMCACHED] = { " %", false },
    [TYPE_MAIL_AUTH] = { " %", false }
};

static const lun_escape  kinds[] = {
    [TYPE_URI] = LUN_ESCAPE_LUA_URI,
    [TYPE_COMPONENT] = LUN_ESCAPE_COMPONENT
};

static const char  hex_digits[] = "0123456789ABCDEF";

/* After a backslash in SQL; 0: the byte stands for itself. */
static const char  sql_escapes[256] = {
    ['\0'] = '0', ['\b'] = 'b', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
    [0x1a] = 'Z', ['\\'] = '\\', ['\''] = '\'', ['"'] = '"'
};


static bool
is_plain(int type)
{
    return plain_kinds[type].others != NULL;
}


static bool
escapes(int type, unsigned char c)
{
    return c < 0x20 || (c >= 0x7f && plain_kinds[type].high)
           || strchr(plain_kinds[type].others, c) != NULL;
}


size_t
lun_ffi_uri_escaped_len(const char *s, size_t len, int type)
{
    size_t  i, n = len;

    if (!is_plain(type)) {
        return lun_uri_escaped_len(lun_str_of(s, len), kinds[type]);
    }

    for (i = 0; i < len; i++) {
        n += escapes(type, (unsigned char) s[i]) ? 2 : 0;
    }

    return n;
}


void
lun_ffi_uri_escape(const char *s, size_t len, int type, char *dst)
{
    size_t         i;
    unsigned char  c;

    if (!is_plain(type)) {
        (void) lun_uri_escape(dst, lun_str_of(s, len), kinds[type]);
        return;
    }

    for (i = 0; i < len; i++) {
        c = (unsigned char) s[i];

        if (escapes(type, c)) {
            *dst++ = '%';
            *dst++ = hex_digits[c >> 4];
            *dst++ = hex_digits[c & 15];

        } else {
            *dst++ = (char) c;
        }
    }
}


/* dst has `len` bytes; returns how many of them are used. */
size_t
lun_ffi_uri_unescape(const char *s, size_t len, char *dst)
{
    return (size_t) (lun_uri_unescape(dst, lun_str_of(s, len), true) - dst);
}


size_t
lun_ffi_sql_quoted_len(const char *s, size_t len)
{
    size_t  i, n = len + 2;

    for (i = 0; i < len; i++) {
        n += sql_escapes[(unsigned char) s[i]] != 0;
    }

    return n;
}


void
lun_ffi_sql_quote(const char *s, size_t len, char *dst)
{
    size_t  i;
    char    c;

    *dst++ = '\'';

    for (i = 0; i < len; i++) {
        c = sql_escapes[(unsigned char) s[i]];

        if (c != 0) {
            *dst++ = '\\';
        }

        *dst++ = c != 0 ? c : s[i];
    }

    *dst = '\'';
}


static lun_str
decode(lun_str s, char **room)
{
    char  *start = *room;

    *room = lun_uri_unescape(start, s, true);
    return lun_str_of(start, (size_t) (*room - start));
}


/*
 * Takes "a=1&b" apart, from state->at on: pairs[2 * i] is a decoded name,
 * pairs[2 * i + 1] its value, whose data is NULL when there was no '='.
 * `room` has len bytes, and `pairs` is for `places` of them.  Returns how many
 * there are; state->rest says why there are no more: that was the end, the
 * places are used up (the next call goes on), or enough were seen (CUT).
 * An argument without a name is skipped, but seen.
 */
int
lun_ffi_args_split(const char *s, size_t len, lun_args_split *state,
    char *room, lun_str *pairs, int places)
{
    int          n = 0;
    const char  *end = s + len, *p, *amp, *eq;

    LUN_CHECK(state->at <= len && places > 0);
    state->rest = NOTHING;

    for (p = s + state->at; p < end; p = amp + 1) {
        if (state->left == 0 || n == places) {
            state->rest = state->left == 0 ? CUT : MORE;
            state->at = (size_t) (p - s);
            return n;
        }

        state->left--;
        amp = memchr(p, '&', (size_t) (end - p));
        amp = amp != NULL ? amp : end;
        eq = memchr(p, '=', (size_t) (amp - p));

        if (p == amp || eq == p) {
            continue;
        }

        pairs[2 * n] = decode(lun_str_of(p, (size_t) ((eq ? eq : amp) - p)),
                              &room);
        pairs[2 * n + 1] = eq == NULL ? LUN_STR_NULL
            : decode(lun_str_of(eq + 1, (size_t) (amp - eq - 1)), &room);
        n++;
    }

    return n;
}
