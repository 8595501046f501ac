/*
 * ffi_response.c -- the header of the answer, for
 * lua/resty/core/response.lua.
 *
 * Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi_headers.h"
#include "modules/lua/lua.h"
#include "modules/lua/run/ctx.h"

LUN_EXPORT int lun_ffi_resp_headers(lun_request *r, lun_str *pairs, int max);


enum { DECLINED = -5 };            /* base.DECLINED on the Lua side */


/* Whether ngx.header.content_type means Content-Type here. */
int
lun_ffi_resp_underscores(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx == NULL || ctx->conf == NULL
           || ctx->conf->transform_underscores;
}


void
lun_lua_set_location(lun_request *r, lun_str key, lun_str text)
{
    lun_header  *h;

    while ((h = lun_http_find_out(r, key)) != NULL) {
        h->hash = 0;
    }

    lun_http_set_out(r, key, text);

    if (lun_str_starts(text, LUN_STR("/"))) {
        lun_http_keep_location(r);
    }
}


/*
 * value NULL: removes.  LUN_ERROR: too late, which is logged; DECLINED: the
 * header cannot have that value.
 */
int
lun_ffi_resp_set_header(lun_request *r, const char *name, size_t name_len,
    const char *value, size_t value_len, int override)
{
    int                known;
    int64_t            n;
    lun_str            key, text = LUN_STR_NULL;
    const lun_header  *old;

    if (r->header_sent) {
        lun_log(LUN_LOG_ERR, r->log, 0, "attempt to set ngx.header.HEADER "
                "after sending out response headers");
        return LUN_ERROR;
    }

    /* As one of the request, none is without a name. */
    if (name_len == 0) {
        return LUN_OK;
    }

    key = lun_lua_header_name(r, name, name_len);
    known = lun_header_known_out(key, lun_header_hash(key));

    /* Nothing is no value: it removes, and is not added. */
    if (value != NULL && value_len == 0 && known != LUN_HOUT_CONTENT_TYPE) {
        if (!override) {
            return LUN_OK;
        }

        value = NULL;
    }

    if (value != NULL) {
        text = lun_lua_header_value(r, value, value_len);
    }

    if (known == LUN_HOUT_CONTENT_TYPE && lun_lua_now.ctx != NULL) {
        lun_lua_now.ctx->type_is_set = true;
    }

    if (known == LUN_HOUT_CONTENT_LENGTH && value != NULL
        && (lun_str_to_i64(text, &n) != LUN_OK || n < 0))
    {
        return DECLINED;
    }

    if (known == LUN_HOUT_LOCATION) {
        lun_lua_set_location(r, key, text);

    } else if (override || value == NULL) {
        old = value != NULL ? lun_http_find_out(r, key) : NULL;
        lun_http_set_out(r, old != NULL ? old->name : key, text);

    } else {
        (void) lun_http_add_out(r, key, text);
    }

    return LUN_OK;
}


static lun_str
number_text(lun_request *r, int64_t n)
{
    return lun_pool_fmt(r->pool, "%" PRId64, n);
}


static lun_str
date_text(lun_request *r, int64_t sec)
{
    char  *p = lun_pool_text(r->pool, LUN_HTTP_DATE);

    return lun_str_of(p, (size_t) (lun_clock_http_date(p, sec) - p));
}


/* Returns how many of that name there are; at most max are in values. */
int
lun_ffi_resp_get_header(lun_request *r, const char *name, size_t len,
    lun_str *values, int max)
{
    int       n = 0;
    lun_str   key = lun_str_of(name, len);
    uint32_t  hash = lun_header_hash(key);

    switch (lun_header_known_out(key, hash)) {

    case LUN_HOUT_CONTENT_TYPE:
        values[0] = r->out.content_type;
        return r->out.content_type.len != 0;

    case LUN_HOUT_CONTENT_LENGTH:
        if (r->out.content_length < 0) {
            return 0;
        }

        values[0] = number_text(r, r->out.content_length);
        return 1;

    case LUN_HOUT_LAST_MODIFIED:
        if (r->out.known[LUN_HOUT_LAST_MODIFIED] == NULL
            && r->out.last_modified != -1)
        {
            values[0] = date_text(r, r->out.last_modified);
            return 1;
        }

        break;
    }

    lun_header_each(&r->out.list, h) {
        if (h->hash != hash || !lun_str_caseeq(h->name, key)) {
            continue;
        }

        if (n < max) {
            values[n] = h->value;
        }

        n++;
    }

    return n;
}


static int
add_pair(lun_str *pairs, int n, int max, lun_str name, lun_str value)
{
    if (n < max) {
        pairs[2 * n] = name;
        pairs[2 * n + 1] = value;
    }

    return n + 1;
}


/* Those that have no line in the list come first. */
int
lun_ffi_resp_headers(lun_request *r, lun_str *pairs, int max)
{
    int      n = 0;
    lun_str  text;

    if (r->out.content_type.len != 0) {
        n = add_pair(pairs, n, max, LUN_STR("content-type"),
                     r->out.content_type);
    }

    if (r->out.content_length >= 0) {
        n = add_pair(pairs, n, max, LUN_STR("content-length"),
                     number_text(r, r->out.content_length));
    }

    if (r->out.known[LUN_HOUT_CONNECTION] == NULL) {
        text = r->out.status == 101 ? LUN_STR("upgrade")
               : r->keepalive ? LUN_STR("keep-alive") : LUN_STR("close");
        n = add_pair(pairs, n, max, LUN_STR("connection"), text);
    }

    if (r->chunked_out) {
        n = add_pair(pairs, n, max, LUN_STR("transfer-encoding"),
                     LUN_STR("chunked"));
    }

    return lun_lua_header_pairs(&r->out.list, pairs, n, max);
}
