/*
 * request.c -- birth and end of a request, methods.
 *
 *     | lun_request | stream | states | values | header lists | ... |
 *
 * Pools of ended requests wait in the engine: one more request on a busy
 * worker costs no malloc.  Only what must be zero is zeroed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/request.h"

#include "base/check.h"
#include "http/engine.h"
#include "http/conf/http.h"
#include "http/protocol.h"
#include "http/request_header.h"
#include "http/accept/request_metrics.h"
#include "os/path.h"


#define HEAD  lun_align(sizeof(lun_request), 16)

enum {
    POOL_SIZE   = 12160,           /* with its head below three pages: also for
                                      one that another server answers */
    HEADERS_IN  = 16,
    HEADERS_OUT = 8
};

static size_t  active;


static const struct {
    lun_str     name;
    lun_method  method;
} methods[] = {
    { LUN_STR_INIT("GET"), LUN_GET },
    { LUN_STR_INIT("HEAD"), LUN_HEAD },
    { LUN_STR_INIT("POST"), LUN_POST },
    { LUN_STR_INIT("PUT"), LUN_PUT },
    { LUN_STR_INIT("DELETE"), LUN_DELETE },
    { LUN_STR_INIT("MKCOL"), LUN_MKCOL },
    { LUN_STR_INIT("COPY"), LUN_COPY },
    { LUN_STR_INIT("MOVE"), LUN_MOVE },
    { LUN_STR_INIT("OPTIONS"), LUN_OPTIONS },
    { LUN_STR_INIT("PROPFIND"), LUN_PROPFIND },
    { LUN_STR_INIT("PROPPATCH"), LUN_PROPPATCH },
    { LUN_STR_INIT("LOCK"), LUN_LOCK },
    { LUN_STR_INIT("UNLOCK"), LUN_UNLOCK },
    { LUN_STR_INIT("PATCH"), LUN_PATCH },
    { LUN_STR_INIT("TRACE"), LUN_TRACE },
    { LUN_STR_INIT("CONNECT"), LUN_CONNECT }
};


lun_method
lun_method_of(lun_str name)
{
    size_t  i;

    if (LUN_LIKELY(name.len == 3 && memcmp(name.data, "GET", 3) == 0)) {
        return LUN_GET;            /* most are: three bytes are one look */
    }

    for (i = 0; i < LUN_ARRAY_LEN(methods); i++) {
        if (lun_str_eq(methods[i].name, name)) {
            return methods[i].method;
        }
    }

    return LUN_METHOD_OTHER;
}


lun_str
lun_method_name(lun_method m)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(methods); i++) {
        if (methods[i].method == m) {
            return methods[i].name;
        }
    }

    return LUN_STR("");
}


static lun_pool *
take_pool(lun_http_engine *e)
{
    if (e->spare_count > 0) {
        return e->spares[--e->spare_count];
    }

    return lun_pool_new_sized(POOL_SIZE);
}


static void
give_pool(lun_http_engine *e, lun_request *r)
{
    lun_pool  *pool = r->pool;

#ifndef LUN_POOL_DEBUG             /* else ASan sees a use after the end */
    if (e->spare_count < LUN_ENGINE_SPARES) {
        lun_pool_reset(pool);
        r->mark = LUN_MARK_DEAD;
        e->spares[e->spare_count++] = pool;
        return;
    }
#endif

    lun_pool_free(pool);
}


/* A generation's count of variables is known only once it is all read. */
static unsigned
value_count(lun_http_engine *e)
{
    if (LUN_UNLIKELY(e->values == 0)) {
        e->values = lun_var_count(&e->head);
    }

    return e->values;
}


/* What every request has; `stream` bytes behind it are the protocol's. */
static inline lun_request *
make(lun_http_engine *e, lun_pool *pool, size_t stream)
{
    char         *p;
    size_t        states, values;
    lun_request  *r;

    states = e->states * sizeof(void *);
    values = value_count(e) * sizeof(lun_value);

    r = lun_pool_zalloc(pool, HEAD + stream + states + values);
    p = (char *) r + HEAD;
    r->stream = p;
    r->states = (void **) (void *) (p + stream);
    r->values = (lun_value *) (void *) (p + stream + states);

    r->mark = LUN_MARK_REQUEST;
    r->pool = pool;
    r->engine = e;

    lun_header_list_init(&r->out.list, pool, HEADERS_OUT);

    r->out.content_length = -1;
    r->out.last_modified = -1;
    r->redirects_left = 11;
    r->start_sec = lun_clock.sec;
    r->start_msec = lun_clock.msec;
    lun_chain_init(&r->output);

    return r;
}


lun_request *
lun_request_new(lun_http_engine *e, lun_conn *c,
    const lun_http_protocol *protocol)
{
    lun_pool     *pool = take_pool(e);
    lun_request  *r;

    r = make(e, pool, lun_align(protocol->stream_size, 16));
    r->references = 1;
    r->log = &c->log;
    r->conn = c;
    r->remote = &c->remote;
    r->protocol = protocol;
    r->main = r;

    lun_header_list_init(&r->in.list, pool, HEADERS_IN);

    r->method = LUN_METHOD_OTHER;
    r->version = 1000;
    r->scheme = LUN_STR("http");
    r->in.content_length = -1;

    active++;
    return r;
}


/*
 * A child shares its parent's client, log and server, and its header; it has a
 * location, a URI and variables of its own.
 */
lun_request *
lun_request_new_child(lun_request *parent)
{
    lun_request  *r = make(parent->engine, parent->pool, 0);

    LUN_CHECK_MARK(parent, LUN_MARK_REQUEST);

    r->stream = parent->stream;
    r->log = parent->log;
    r->conn = parent->conn;
    r->remote = parent->remote;
    r->protocol = parent->protocol;
    r->main = parent->main;
    r->parent = parent;

    r->server = parent->server;
    r->location = lun_http_server_of(r->server)->self;
    r->conf = r->server->conf;

    r->method = LUN_GET;
    r->method_name = LUN_STR("GET");
    r->line = parent->line;
    r->target = parent->target;
    r->scheme = parent->scheme;
    r->version = parent->version;
    lun_http_copy_in(r, parent, false);

    r->internal = 1;
    r->expect_tested = 1;
    r->discard_body = parent->discard_body;
    r->handler = r->engine->server_rewrite;

    return r;
}


void
lun_request_free(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    lun_http_log(r);

    r->log->doing = "closing request";
    lun_debug(r->log, "http close request");
    r->ended = 1;
    active--;
    lun_request_untally(r);

    give_pool(r->engine, r);
}


void
lun_request_set_uri(lun_request *r, lun_str uri)
{
    const char  *p;

    uri = lun_path_slashed(r->pool, uri, lun_path_native);
    p = uri.data + uri.len;
    r->uri_is_new = r->uri.data != NULL || r->parent != NULL;
    r->uri_located = 0;
    r->uri = uri;
    r->exten = LUN_STR_NULL;

    while (p > uri.data && p[-1] != '/') {
        if (*--p == '.') {
            r->exten = lun_str_of(p + 1, uri.len - (size_t) (p + 1 - uri.data));
            return;
        }
    }
}


size_t
lun_http_active(void)
{
    return active;
}
