/*
 * ffi_headers.c -- the request's header, for
 * lua/resty/core/request_headers.lua; and what it shares with the answer's.
 *
 * Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi_headers.h"

#include "modules/lua/lua.h"

LUN_EXPORT int lun_ffi_req_headers(lun_request *r, lun_str *pairs, int max);
LUN_EXPORT size_t lun_ffi_header_names_len(const lun_str *pairs, int n);
LUN_EXPORT void lun_ffi_header_names_lower(lun_str *pairs, int n, char *room);

/* A byte may stand in... */
enum { NAME = 1, VALUE = 2 };

static const uint8_t  allowed[256] = {
    ['!'] = NAME | VALUE, ['#' ... '\''] = NAME | VALUE,
    ['*' ... '+'] = NAME | VALUE, ['-' ... '.'] = NAME | VALUE,
    ['0' ... '9'] = NAME | VALUE, ['A' ... 'Z'] = NAME | VALUE,
    ['^' ... 'z'] = NAME | VALUE, ['|'] = NAME | VALUE,
    ['~'] = NAME | VALUE,
    ['\t'] = VALUE, [' '] = VALUE, ['"'] = VALUE, ['(' ... ')'] = VALUE,
    [','] = VALUE, ['/'] = VALUE, [':' ... '@'] = VALUE,
    ['[' ... ']'] = VALUE, ['{'] = VALUE, ['}'] = VALUE,
    [0x80 ... 0xff] = VALUE
};


/*
 * A newline in a value would end the line: what may not stand in that place is
 * escaped, as OpenResty does.
 */
static lun_str
copy(lun_request *r, const char *s, size_t len, uint8_t place)
{
    char               *text, *p;
    size_t              i, more = 0;
    unsigned char       c;
    static const char   digits[] = "0123456789ABCDEF";

    for (i = 0; i < len; i++) {
        more += allowed[(unsigned char) s[i]] & place ? 0 : 2;
    }

    text = p = lun_pool_text(r->pool, len + more + 1);

    for (i = 0; i < len; i++) {
        c = (unsigned char) s[i];

        if (allowed[c] & place) {
            *p++ = (char) c;

        } else {
            *p++ = '%';
            *p++ = digits[c >> 4];
            *p++ = digits[c & 15];
        }
    }

    *p = '\0';
    return lun_str_of(text, (size_t) (p - text));
}


lun_str
lun_lua_header_name(lun_request *r, const char *s, size_t len)
{
    return copy(r, s, len, NAME);
}


lun_str
lun_lua_header_value(lun_request *r, const char *s, size_t len)
{
    return copy(r, s, len, VALUE);
}


int
lun_lua_header_pairs(const lun_header_list *list, lun_str *pairs, int n,
    int max)
{
    lun_header_each(list, h) {
        if (n < max) {
            pairs[2 * n] = h->name;
            pairs[2 * n + 1] = h->value;
        }

        n++;
    }

    return n;
}


/* The room that names of pairs take. */
size_t
lun_ffi_header_names_len(const lun_str *pairs, int n)
{
    int     i;
    size_t  len = 0;

    for (i = 0; i < n; i++) {
        len += pairs[2 * i].len;
    }

    return len;
}


/* From now on the names of `pairs` stand in `room`, in small letters. */
void
lun_ffi_header_names_lower(lun_str *pairs, int n, char *room)
{
    int  i;

    for (i = 0; i < n; i++) {
        lun_mem_lower(room, pairs[2 * i].data, pairs[2 * i].len);
        pairs[2 * i].data = room;
        room += pairs[2 * i].len;
    }
}


int
lun_ffi_req_headers(lun_request *r, lun_str *pairs, int max)
{
    return lun_lua_header_pairs(&r->in.list, pairs, 0, max);
}


/* --- changing it --- */

/*
 * Names that there is one of at most, however often a script says them: a
 * later value takes the place of what there is.
 */
static bool
is_single(lun_str name)
{
    size_t                i;
    static const lun_str  names[] = {
        LUN_STR_INIT("Connection"), LUN_STR_INIT("Content-Type"),
        LUN_STR_INIT("Keep-Alive"), LUN_STR_INIT("Referer"),
        LUN_STR_INIT("Upgrade"), LUN_STR_INIT("User-Agent"),
        LUN_STR_INIT("Via")
    };

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_caseeq(name, names[i])) {
            return true;
        }
    }

    return false;
}


/* Nothing is one: it removes the header. */
static bool
is_length(const char *value, size_t len)
{
    int64_t  n;

    return len == 0
           || (lun_str_to_i64(lun_str_of(value, len), &n) == LUN_OK && n >= 0);
}


int
lun_ffi_req_set_header(lun_request *r, const char *name, size_t name_len,
    const char *value, size_t value_len, int override)
{
    lun_str  key, text = LUN_STR_NULL;

    /* HTTP/0.9 has no headers; and none is without a name. */
    if (r->version < 1000 || name_len == 0) {
        return LUN_OK;
    }

    key = lun_lua_header_name(r, name, name_len);

    if (value != NULL && lun_str_caseeq(key, LUN_STR("Content-Length"))
        && !is_length(value, value_len))
    {
        return LUN_ERROR;
    }

    /* One that is set to nothing is removed, one that is added is there. */
    if (value != NULL && (value_len != 0 || !override)) {
        text = lun_lua_header_value(r, value, value_len);
    }

    lun_http_set_in(r, key, text, override != 0 || is_single(key));
    return LUN_OK;
}
