/*
 * ffi_headers.c -- the request's header, for
 * lua/resty/core/request_headers.lua; and what it shares with the answer's.
 *
 * The header that came is a list, with pointers to the known ones and some
 * values taken from them: a change keeps all three in step.
 *
 * Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi_headers.h"

#include "modules/lua/lua.h"

LUN_EXPORT int lun_ffi_req_headers(lun_request *r, lun_str *pairs, int max);

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


int
lun_ffi_req_headers(lun_request *r, lun_str *pairs, int max)
{
    return lun_lua_header_pairs(&r->in.list, pairs, 0, max);
}


/* --- changing it --- */

static void
set_host(lun_request *r, lun_str value)
{
    char        *text;
    const char  *colon;

    colon = value.len > 0 && value.data[0] == '['
            ? memchr(value.data, ']', value.len) : value.data;
    colon = colon == NULL ? NULL
            : memchr(colon, ':', (size_t) (value.data + value.len - colon));

    if (colon != NULL) {
        value.len = (size_t) (colon - value.data);
    }

    text = lun_pool_text(r->pool, value.len + 1);
    lun_mem_lower(text, value.data, value.len);
    r->in.host = lun_str_of(text, value.len);
}


/* What the core has taken from the header that changed; NULL: it has gone. */
static void
take_value(lun_request *r, int known, const lun_header *h)
{
    int64_t  n = -1;

    switch (known) {

    case LUN_HIN_HOST:
        set_host(r, h != NULL ? h->value : LUN_STR(""));
        return;

    case LUN_HIN_CONTENT_LENGTH:
        /* Where an unread body ends is not Lua's to say. */
        if (!lun_body_untouched(r)) {
            (void) (h != NULL && lun_str_to_i64(h->value, &n) == LUN_OK);
            r->in.content_length = n;
        }

        return;

    default:
        return;
    }
}


/* The chain of a known name, from what the list has. */
static void
link_known(lun_request *r, int known)
{
    lun_header  **at = &r->in.known[known];

    lun_header_each(&r->in.list, h) {
        if (h->known == known) {
            *at = h;
            at = &h->same;
        }
    }

    *at = NULL;
    take_value(r, known, r->in.known[known]);
}


void
lun_ffi_req_set_header(lun_request *r, const char *name, size_t name_len,
    const char *value, size_t value_len, int override)
{
    int          known;
    lun_str      key = lun_lua_header_name(r, name, name_len);
    uint32_t     hash = lun_header_hash(key);
    lun_header  *h;

    known = lun_header_known_in(key, hash);

    if (override || (known >= 0 && !lun_header_in_repeats(known))) {
        lun_header_each(&r->in.list, old) {
            if (old->hash == hash && lun_str_caseeq(old->name, key)) {
                old->hash = 0;
            }
        }
    }

    if (value != NULL) {
        h = lun_header_list_push(&r->in.list);
        h->name = key;
        h->value = lun_lua_header_value(r, value, value_len);
        h->hash = hash;
        h->known = (int16_t) known;
    }

    if (known >= 0) {
        link_known(r, known);
    }
}
