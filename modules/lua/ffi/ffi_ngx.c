/*
 * ffi_ngx.c -- functions of nginx that Lua libraries declare to LuaJIT by
 * their own names: text to numbers and times, hex, base64, escapes.
 *
 * Signatures and results are nginx's; time_t is 64 bits here on both systems.
 * Nothing here yields or allocates; every phase may call it.  One is of a
 * library's own module: what is said to a unix socket is left to other workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/tool/tool.h"
#include "modules/lua/run/vm.h"

#include "base/digest.h"
#include "format/uri.h"
#include "config/generation.h"
#include "net/listen.h"
#include "os/clock.h"

LUN_EXPORT unsigned char *ngx_hex_dump(unsigned char *dst,
    const unsigned char *src, size_t len);
LUN_EXPORT intptr_t ngx_atoi(const unsigned char *line, size_t n);
LUN_EXPORT intptr_t ngx_hextoi(const unsigned char *line, size_t n);
LUN_EXPORT intptr_t ngx_strcasecmp(const unsigned char *a,
    const unsigned char *b);
LUN_EXPORT intptr_t ngx_strncasecmp(const unsigned char *a,
    const unsigned char *b, size_t n);
LUN_EXPORT uint32_t ngx_murmur_hash2(const unsigned char *data, size_t len);
LUN_EXPORT intptr_t ngx_parse_time(const lun_str *line, uintptr_t is_sec);
LUN_EXPORT int64_t ngx_parse_http_time(const unsigned char *text, size_t len);
LUN_EXPORT unsigned char *ngx_http_time(unsigned char *dst, int64_t sec);
LUN_EXPORT uintptr_t ngx_escape_uri(unsigned char *dst,
    const unsigned char *src, size_t size, uintptr_t type);

/* A string that is written to: its end is what is set. */
typedef struct {
    size_t          len;
    unsigned char  *data;
} text_room;

LUN_EXPORT void ngx_encode_base64(text_room *dst, const lun_str *src);
LUN_EXPORT void ngx_encode_base64url(text_room *dst, const lun_str *src);
LUN_EXPORT intptr_t ngx_decode_base64(text_room *dst, const lun_str *src);
LUN_EXPORT intptr_t ngx_decode_base64url(text_room *dst, const lun_str *src);

/* Of the module that lua-resty-events brings: so its users need not. */
LUN_EXPORT int ngx_lua_ffi_disable_listening_unix_socket(const lun_str *name);

char  **ngx_argv;

enum { NGX_FAILED = -1 };

/* The last argument of ngx_escape_uri. */
enum {
    ESCAPE_URI,
    ESCAPE_ARGS,
    ESCAPE_URI_COMPONENT,
    ESCAPE_HTML,
    ESCAPE_REFRESH,
    ESCAPE_MEMCACHED,
    ESCAPE_MAIL_AUTH
};

static const lun_escape  kinds[] = {
    LUN_ESCAPE_URI, LUN_ESCAPE_ARGS
};


/* Writes 2 * len bytes; returns the end. */
unsigned char *
ngx_hex_dump(unsigned char *dst, const unsigned char *src, size_t len)
{
    return (unsigned char *) lun_hex((char *) dst, src, len);
}


static void
encode(text_room *dst, const lun_str *src, bool url)
{
    char  *end = lun_base64_encode((char *) dst->data, *src, url, !url);

    dst->len = (size_t) ((unsigned char *) end - dst->data);
}


/* Room for lun_base64_len() bytes; with padding. */
void
ngx_encode_base64(text_room *dst, const lun_str *src)
{
    encode(dst, src, false);
}


/* The same without. */
void
ngx_encode_base64url(text_room *dst, const lun_str *src)
{
    encode(dst, src, true);
}


static intptr_t
decode(text_room *dst, const lun_str *src, bool url)
{
    size_t  len;

    if (lun_base64_decode((char *) dst->data, &len, *src, url, false)
        != LUN_OK)
    {
        return NGX_FAILED;
    }

    dst->len = len;
    return 0;
}


/* Room for (len + 3) / 4 * 3 bytes; padding or none. */
intptr_t
ngx_decode_base64(text_room *dst, const lun_str *src)
{
    return decode(dst, src, false);
}


intptr_t
ngx_decode_base64url(text_room *dst, const lun_str *src)
{
    return decode(dst, src, true);
}


/* Digits only; -1: it is no such number, or too large. */
intptr_t
ngx_atoi(const unsigned char *line, size_t n)
{
    uint64_t  v;

    if (lun_str_to_u64(lun_str_of((const char *) line, n), &v) != LUN_OK
        || v > INTPTR_MAX)
    {
        return NGX_FAILED;
    }

    return (intptr_t) v;
}


/* Hex digits only, of either case; -1 as above. */
intptr_t
ngx_hextoi(const unsigned char *line, size_t n)
{
    uint64_t  v;

    if (lun_str_hex_to_u64(lun_str_of((const char *) line, n), &v) != LUN_OK
        || v > INTPTR_MAX)
    {
        return NGX_FAILED;
    }

    return (intptr_t) v;
}


/* Of ASCII letters only, whatever the locale; 0: they are equal. */
intptr_t
ngx_strncasecmp(const unsigned char *a, const unsigned char *b, size_t n)
{
    unsigned char  x, y;

    for ( ; n != 0; n--) {
        x = (unsigned char) lun_lower((char) *a++);
        y = (unsigned char) lun_lower((char) *b++);

        if (x != y || x == '\0') {
            return (intptr_t) x - y;
        }
    }

    return 0;
}


intptr_t
ngx_strcasecmp(const unsigned char *a, const unsigned char *b)
{
    return ngx_strncasecmp(a, b, SIZE_MAX);
}


uint32_t
ngx_murmur_hash2(const unsigned char *data, size_t len)
{
    return lun_murmur(lun_str_of((const char *) data, len));
}


/* "1h30m": in seconds, or in milliseconds ("15ms" is none of the first). */
intptr_t
ngx_parse_time(const lun_str *line, uintptr_t is_sec)
{
    int64_t   sec;
    lun_msec  ms;

    if (is_sec) {
        return lun_str_to_sec(*line, &sec) == LUN_OK ? (intptr_t) sec
                                                     : NGX_FAILED;
    }

    return lun_str_to_msec(*line, &ms) == LUN_OK && ms <= INTPTR_MAX
           ? (intptr_t) ms : NGX_FAILED;
}


int64_t
ngx_parse_http_time(const unsigned char *text, size_t len)
{
    int64_t  sec;

    return lun_http_date_parse(lun_str_of((const char *) text, len), &sec)
           == LUN_OK ? sec : NGX_FAILED;
}


/* "Thu, 01 Jan 1970 00:00:00 GMT"; returns the end. */
unsigned char *
ngx_http_time(unsigned char *dst, int64_t sec)
{
    return (unsigned char *) lun_clock_http_date((char *) dst, sec);
}


/* For the kinds of which the rest of the server has no need. */
static bool
is_escaped(unsigned char c, uintptr_t type)
{
    if (c <= ' ') {
        return true;
    }

    switch (type) {

    case ESCAPE_URI_COMPONENT:     /* more than ngx.escape_uri() does */
        return !lun_is_digit((char) c)
               && (lun_lower((char) c) < 'a' || lun_lower((char) c) > 'z')
               && strchr("-._~", c) == NULL;

    case ESCAPE_HTML:
        return c >= 0x7f || strchr("\"#%'", c) != NULL;

    case ESCAPE_REFRESH:
        return c >= 0x7f || strchr("\"%'", c) != NULL;

    default:
        return c == '%';
    }
}


static uintptr_t
escape_other(unsigned char *dst, const unsigned char *src, size_t size,
    uintptr_t type)
{
    size_t             i;
    uintptr_t          n = 0;
    static const char  digits[] = "0123456789ABCDEF";

    for (i = 0; i < size; i++) {
        if (!is_escaped(src[i], type)) {
            if (dst != NULL) {
                *dst++ = src[i];
            }
            continue;
        }

        n++;
        if (dst != NULL) {
            *dst++ = '%';
            *dst++ = (unsigned char) digits[src[i] >> 4];
            *dst++ = (unsigned char) digits[src[i] & 15];
        }
    }

    return dst == NULL ? n : (uintptr_t) dst;
}


/*
 * dst NULL: how many bytes need an escape, each of which adds two; else it is
 * written, and its end returned.
 */
uintptr_t
ngx_escape_uri(unsigned char *dst, const unsigned char *src, size_t size,
    uintptr_t type)
{
    lun_str  s = lun_str_of((const char *) src, size);

    if (type >= LUN_ARRAY_LEN(kinds)) {
        return escape_other(dst, src, size, type);
    }

    if (dst == NULL) {
        return (lun_uri_escaped_len(s, kinds[type]) - size) / 2;
    }

    return (uintptr_t) lun_uri_escape((char *) dst, s, kinds[type]);
}


/* 0: this worker takes nothing from it any more; -1: there is no such one. */
int
ngx_lua_ffi_disable_listening_unix_socket(const lun_str *name)
{
    size_t           i;
    lun_listener    *l;
    lun_listen_set  *set;

    if (lun_lua_now.ctx == NULL) {
        return NGX_FAILED;
    }

    set = lun_lua_now.ctx->vm->main->gen->listeners;

    for (i = 0; i < lun_listen_count(set); i++) {
        l = lun_listen_at(set, i);

        if (l->addr.family == LUN_AF_UNIX && lun_str_starts(l->text, *name)) {
            lun_listen_mute(l);
            return 0;
        }
    }

    return NGX_FAILED;
}
