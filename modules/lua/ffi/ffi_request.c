/*
 * ffi_request.c -- the request line and what follows from it, for
 * lua/resty/core/request.lua and request_args.lua.
 *
 * Nothing here yields.  The Lua side has made sure that there is a request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "modules/lua/run/ctx.h"
#include "format/uri.h"

LUN_EXPORT void lun_ffi_req_method(lun_request *r, lun_str *name);
LUN_EXPORT void lun_ffi_req_args(lun_request *r, lun_str *args);
LUN_EXPORT void lun_ffi_req_set_args(lun_request *r, const char *s,
    size_t len);
LUN_EXPORT int lun_ffi_req_set_uri(lun_request *r, const char *s, size_t len,
    int jump);
LUN_EXPORT int lun_ffi_req_unsafe_byte(const char *s, size_t len);
LUN_EXPORT void lun_ffi_req_raw_header(lun_request *r, int no_line,
    lun_str *text);
LUN_EXPORT unsigned lun_ffi_req_version(lun_request *r);
LUN_EXPORT unsigned lun_ffi_req_upgrades(lun_request *r);


void
lun_ffi_req_method(lun_request *r, lun_str *name)
{
    *name = r->method_name;
}


/* LUN_ERROR: there is no such method. */
int
lun_ffi_req_set_method(lun_request *r, int method)
{
    /* One bit, of a method with a name; TRACE is the last that Lua has. */
    if (method <= LUN_METHOD_OTHER || method > LUN_TRACE
        || (method & (method - 1)) != 0)
    {
        return LUN_ERROR;
    }

    r->method = (lun_method) method;
    r->method_name = lun_method_name(r->method);

    return LUN_OK;
}


void
lun_ffi_req_args(lun_request *r, lun_str *args)
{
    *args = r->args;
}


static bool
is_unsafe(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}


/* What would break a request line is escaped; all else is the caller's. */
void
lun_ffi_req_set_args(lun_request *r, const char *s, size_t len)
{
    char               *text, *p;
    size_t              i, more = 0;
    unsigned char       c;
    static const char   digits[] = "0123456789ABCDEF";

    for (i = 0; i < len; i++) {
        c = (unsigned char) s[i];
        more += is_unsafe(c) || c == ' ' ? 2 : 0;
    }

    text = p = lun_pool_text(r->pool, len + more + 1);

    for (i = 0; i < len; i++) {
        c = (unsigned char) s[i];

        if (is_unsafe(c) || c == ' ') {
            *p++ = '%';
            *p++ = digits[c >> 4];
            *p++ = digits[c & 15];

        } else {
            *p++ = (char) c;
        }
    }

    r->args = lun_str_of(text, (size_t) (p - text));
    r->args_are_new = 1;
}


/* The first byte that no uri should hold, or -1.  A tab breaks nothing. */
int
lun_ffi_req_unsafe_byte(const char *s, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        if (is_unsafe((unsigned char) s[i]) && s[i] != '\t') {
            return (unsigned char) s[i];
        }
    }

    return -1;
}


/*
 * jump: the rewrite phase looks for a location again; the caller leaves.
 * LUN_ERROR: it would leave subrequests behind.
 */
int
lun_ffi_req_set_uri(lun_request *r, const char *s, size_t len, int jump)
{
    if (jump && lun_lua_now.ctx->capturing != 0) {
        return LUN_ERROR;
    }

    lun_request_set_uri(r, lun_pool_str(r->pool, lun_str_of(s, len)));
    r->internal = 1;

    if (jump) {
        lun_debug(r->log, "lua set uri jump to \"%.*s\"", LUN_S(r->uri));
        r->uri_changed = 1;
        lun_lua_now.ctx->redirected = true;
        lun_lua_now.ctx->leaving = true;
    }

    return LUN_OK;
}


/* The bytes as they came, or without the request line. */
void
lun_ffi_req_raw_header(lun_request *r, int no_line, lun_str *text)
{
    size_t       skip;
    lun_str      raw = r->main->raw_headers;
    const char  *lf;

    *text = raw;

    if (!no_line || raw.len == 0) {
        return;
    }

    lf = memchr(raw.data, '\n', raw.len);
    skip = lf != NULL ? (size_t) (lf + 1 - raw.data) : raw.len;
    *text = lun_str_of(raw.data + skip, raw.len - skip);
}


/* 9, 1000, 1001, 2000. */
unsigned
lun_ffi_req_version(lun_request *r)
{
    return r->version;
}


/* Whether it was CONNECT, and is what HTTP/1.1 would have of it: GET. */
unsigned
lun_ffi_req_upgrades(lun_request *r)
{
    return r->main->in.tunnel && r->method != LUN_CONNECT;
}


double
lun_ffi_req_start_time(lun_request *r)
{
    return (double) r->start_sec + r->start_msec / 1000.0;
}


int
lun_ffi_req_is_internal(lun_request *r)
{
    return r->internal;
}
