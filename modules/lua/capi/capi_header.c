/*
 * capi_header.c -- headers and arguments of the request whose turn it is, as
 * lua-resty-core declares them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_objects.h"

#include "format/uri.h"
#include "modules/lua/ffi/ffi.h"
#include "modules/lua/ffi/ffi_headers.h"


enum { DEFAULT_MOST = 100 };       /* of headers or arguments */


static lun_capi_str
str_of(lun_str s)
{
    return (lun_capi_str) { (int) s.len, s.data };
}


/* At most `max` of so many: less than 0 is the default, 0 no limit. */
static int
limit(size_t count, int max, int *truncated)
{
    size_t  most = max < 0 ? DEFAULT_MOST : max > 0 ? (size_t) max : INT32_MAX;

    *truncated = count > most;
    return (int) lun_min(count, most);
}


/* --- of the request --- */

int
ngx_http_lua_ffi_req_get_headers_count(void *r, int max, int *truncated)
{
    size_t              n = 0;
    const lun_request  *now = lun_lua_now.request;

    if (now == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    lun_header_each(&now->in.list, h) {
        n++;
    }

    return limit(n, max, truncated);
}


/* Names are in small letters, unless they are `raw`. */
int
ngx_http_lua_ffi_req_get_headers(void *r, lun_capi_pair *out, int count,
    int raw)
{
    int                 n = 0;
    char               *low;
    lun_str             name;
    const lun_request  *now = lun_lua_now.request;

    if (now == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    lun_header_each(&now->in.list, h) {
        if (n == count) {
            break;
        }

        name = h->name;

        if (!raw) {
            low = lun_pool_text(now->pool, name.len + 1);
            lun_mem_lower(low, name.data, name.len);
            name.data = low;
        }

        out[n].key = str_of(name);
        out[n++].value = str_of(h->value);
    }

    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_req_set_header(void *r, const char *key, size_t key_len,
    const char *value, size_t value_len, lun_capi_str *mvals,
    size_t mvals_len, int override, const char **errmsg)
{
    int           rc = LUN_OK;
    size_t        i;
    lun_request  *now = lun_lua_now.request;

    if (now == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    if (mvals == NULL) {
        rc = lun_ffi_req_set_header(now, key, key_len, value, value_len,
                                    override);

    } else if (mvals_len == 0) {
        rc = lun_ffi_req_set_header(now, key, key_len, NULL, 0, 1);
    }

    for (i = 0; mvals != NULL && i < mvals_len && rc == LUN_OK; i++) {
        rc = lun_ffi_req_set_header(now, key, key_len, mvals[i].data,
                                    (size_t) mvals[i].len,
                                    override && i == 0);
    }

    if (rc != LUN_OK) {
        *errmsg = "failed to set header";
        return LUN_CAPI_ERROR;
    }

    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_req_get_method_name(void *r, const char **name, size_t *len)
{
    const lun_request  *now = lun_lua_now.request;

    if (now == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    *name = now->method_name.data;
    *len = now->method_name.len;
    return LUN_CAPI_OK;
}


/* --- arguments --- */

/* Takes the next "name=value" off a query; has: there is a '='. */
static void
take_argument(lun_str *rest, lun_str *name, lun_str *value, bool *has)
{
    lun_str      one = *rest;
    const char  *end = lun_str_chr(*rest, '&'), *mark;

    if (end != NULL) {
        one.len = (size_t) (end - one.data);
    }

    rest->data += lun_min(one.len + 1, rest->len);
    rest->len -= lun_min(one.len + 1, rest->len);
    mark = lun_str_chr(one, '=');
    *has = mark != NULL;
    *name = one;
    *value = LUN_STR("");

    if (mark != NULL) {
        name->len = (size_t) (mark - one.data);
        *value = lun_str_of(mark + 1, one.len - name->len - 1);
    }
}


size_t
ngx_http_lua_ffi_req_get_querystring_len(void *r)
{
    return lun_lua_now.request != NULL ? lun_lua_now.request->args.len : 0;
}


int
ngx_http_lua_ffi_req_get_uri_args_count(void *r, int max, int *truncated)
{
    bool     has;
    size_t   n = 0;
    lun_str  rest, name, value;

    if (lun_lua_now.request == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    for (rest = lun_lua_now.request->args; rest.len != 0; ) {
        take_argument(&rest, &name, &value, &has);
        n += name.len != 0;
    }

    return limit(n, max, truncated);
}


static lun_capi_str
unescape(char **p, lun_str s)
{
    char  *start = *p;

    *p = lun_uri_unescape(start, s, true);
    return str_of(lun_str_of(start, (size_t) (*p - start)));
}


/*
 * `buf` is as long as the query; a value of length -1: there is no '='.  `out`,
 * lun_capi_pair[], lies behind it, wherever that ends: it is not aligned.
 */
int
ngx_http_lua_ffi_req_get_uri_args(void *r, char *buf, void *out, int count)
{
    int             n = 0;
    bool            has;
    char           *at = out;
    lun_str         rest, name, value;
    lun_capi_pair   pair;

    if (lun_lua_now.request == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    for (rest = lun_lua_now.request->args; rest.len != 0 && n < count; ) {
        take_argument(&rest, &name, &value, &has);

        if (name.len == 0) {
            continue;
        }

        pair.key = unescape(&buf, name);
        pair.value = unescape(&buf, value);

        if (!has) {
            pair.value.len = -1;
        }

        memcpy(at, &pair, sizeof(pair));
        at += sizeof(pair);
        n++;
    }

    return n;
}


/* --- of the answer --- */

/* ngx.header.content_type is Content-Type; `name` has room for it. */
static lun_str
name_of(char *name, const char *key, size_t len)
{
    size_t  i;

    if (!lun_ffi_resp_underscores()) {
        return lun_str_of(key, len);
    }

    for (i = 0; i < len; i++) {
        name[i] = key[i] == '_' ? '-' : key[i];
    }

    return lun_str_of(name, len);
}


/*
 * `key_buf` has room for the name, or is NULL.  `values` lies in text, wherever
 * that ends, and nothing comes from the request's pool, or little: a script may
 * ask without end.
 */
int
ngx_http_lua_ffi_get_resp_header(void *r, const char *key, size_t key_len,
    char *key_buf, lun_capi_str *values, int max_nvalues, const char **errmsg)
{
    int           i, n;
    char         *at = (char *) values;
    lun_str       name, all[DEFAULT_MOST];
    lun_capi_str  value;
    lun_request  *now = lun_lua_now.request;

    if (now == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    name = name_of(key_buf != NULL ? key_buf
                   : lun_pool_text(now->pool, key_len + 1), key, key_len);
    max_nvalues = lun_min(max_nvalues, DEFAULT_MOST);
    n = lun_ffi_resp_get_header(now, name.data, name.len, all, max_nvalues);
    n = lun_min(n, max_nvalues);

    for (i = 0; i < n; i++) {
        value = str_of(all[i]);
        memcpy(at, &value, sizeof(value));
        at += sizeof(value);
    }

    return n;
}


static int
set_value(lun_request *r, lun_str name, const char *value, size_t len,
    int override, const char **errmsg)
{
    int  rc = lun_ffi_resp_set_header(r, name.data, name.len, value, len,
                                      override);

    if (rc == LUN_CAPI_DECLINED) {
        *errmsg = lun_pool_fmt(r->pool, "failed to set header %.*s (error: -1)",
                               LUN_S(name)).data;
        return LUN_CAPI_ERROR;
    }

    /* The header is out: that was logged. */
    return rc == LUN_CAPI_OK ? LUN_CAPI_OK : LUN_CAPI_DECLINED;
}


/*
 * `r` is not looked at: FFI calls come from the running coroutine, whose
 * request is known.
 */
int
ngx_http_lua_ffi_set_resp_header(void *r, const char *key_data,
    size_t key_len, int is_nil, const char *sval, size_t sval_len,
    lun_capi_str *mvals, size_t mvals_len, int override, const char **errmsg)
{
    int           rc = LUN_CAPI_OK;
    size_t        i;
    lun_str       name;
    lun_request  *now = lun_lua_now.request;

    if (now == NULL) {
        return LUN_CAPI_BAD_CONTEXT;
    }

    name = name_of(lun_pool_text(now->pool, key_len + 1), key_data, key_len);

    if (is_nil || (mvals != NULL && mvals_len == 0 && override)) {
        return set_value(now, name, NULL, 0, 1, errmsg);
    }

    if (mvals == NULL) {
        return set_value(now, name, sval, sval_len, override, errmsg);
    }

    for (i = 0; i < mvals_len && rc == LUN_CAPI_OK; i++) {
        rc = set_value(now, name, mvals[i].data, (size_t) mvals[i].len,
                       override && i == 0, errmsg);
    }

    return rc;
}


int
ngx_http_lua_ffi_set_resp_header_macos(lun_capi_set_header *p)
{
    return ngx_http_lua_ffi_set_resp_header(p->r, p->key_data, p->key_len,
               p->is_nil, p->sval, p->sval_len, p->mvals, p->mvals_len,
               p->override, p->errmsg);
}
