/*
 * upreq.c -- an upstream request with another server: its beginning and its
 * end.
 *
 * The course of the request waits for it and is finished here.  A connection
 * to a server holds another reference, because the system may still write into
 * the request's memory when everything else is over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq.h"

#include "base/check.h"
#include "http/body.h"
#include "http/upstream/upreq_priv.h"


lun_upreq *
lun_upreq_new(lun_request *r, const lun_upreq_conf *conf,
    const lun_upstream_protocol *protocol)
{
    lun_upreq  *x = lun_pool_new(r->pool, lun_upreq);

    x->r = r;
    x->conf = conf;
    x->protocol = protocol;
    x->file = LUN_FD_NONE;
    x->busy_last = &x->busy;
    x->waiting_last = &x->waiting;
    x->balance.tls_key = lun_upreq_tls_key;
    x->balance.place = r->location;
    r->upreq = x;

    return x;
}


char *
lun_upreq_log(const lun_request *r, char *p, const char *end)
{
    const lun_upreq  *x = r->upreq;

    if (x == NULL || x->try == NULL || x->try->addr.data == NULL) {
        return p;
    }

    return lun_fmt(p, end, ", upstream: \"%.*s%.*s%s%.*s\"",
                   LUN_S(x->target.tls != NULL ? x->protocol->tls_schema
                                        : x->protocol->schema),
                   LUN_S(x->try->addr),
                   lun_str_starts(x->try->addr, LUN_STR("unix:")) ? ":"
                                                                      : "",
                   LUN_S(x->uri));
}


void
lun_upreq_enter(lun_upreq *x, const lun_conn_state *state)
{
    x->conn->timeouts = x->conf;
    lun_conn_enter(x->conn, state);
    x->r->log->doing = state->doing;
}


/* --- the client leaves --------------------------------------------------- */

static void
on_abort(lun_request *r, void *data)
{
    lun_upreq  *x = data;

    lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed connection, "
            "so upstream connection is closed too");
    lun_upreq_end(x, LUN_STATUS + 499);
}


static void
watch_client(lun_upreq *x)
{
    if (x->r->parent != NULL || !x->conf->ignore_client_abort) {
        lun_http_on_abort(x->r, on_abort, x);
    }
}


/* --- its end ------------------------------------------------------------- */

static void
stop_watching(lun_upreq *x)
{
    lun_request  *r = x->r;

    if (r->abort == on_abort) {
        lun_http_on_abort(r, NULL, NULL);
    }

    if (r->parent == NULL && r->drained_data == x) {
        lun_http_on_drained(r, NULL, NULL);
    }
}


void
lun_upreq_leave(lun_upreq *x)
{
    LUN_CHECK(!x->ended);
    x->ended = 1;

    if (x->query != NULL) {
        lun_resolve_cancel(x->query);
        x->query = NULL;
    }

    stop_watching(x);
    lun_upreq_unstream(x);
    lun_upreq_release(x, LUN_BALANCE_DONE);
}


void
lun_upreq_end(lun_upreq *x, lun_verdict v)
{
    lun_request  *r = x->r;

    lun_http_get(r);
    lun_upreq_leave(x);

    if (v >= LUN_STATUS && x->try != NULL && x->try->status == 0) {
        x->try->status = (unsigned) (v - LUN_STATUS);
    }

    r->log->doing = "sending to client";
    lun_http_finish(r, v);
    lun_http_put(r);
}


/* --- where to ------------------------------------------------------------ */

/* An try that has no server: what it is about is not known yet. */
void
lun_upreq_begin_try(lun_upreq *x)
{
    lun_upstream_try   *a = lun_pool_new(x->r->pool, lun_upstream_try);
    lun_upstream_try  **at = &x->r->tries;

    while (*at != NULL) {
        at = &(*at)->next;
    }

    a->connect_time = -1;
    a->header_time = -1;
    a->response_time = -1;
    a->started = lun_clock.mono;
    a->moved = x->try == NULL && x->r->tries != NULL;
    *at = a;
    x->try = a;
}


static void
first_server(lun_upreq *x)
{
    if (x->conf->next_tries != 0
        && (int64_t) x->balance.tries > x->conf->next_tries)
    {
        x->balance.tries = (unsigned) x->conf->next_tries;
    }

    x->started = lun_clock.mono;
    watch_client(x);
    lun_upreq_connect(x);
}


static void
begin_with(lun_upreq *x, lun_rc rc)
{
    if (rc != LUN_OK) {
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    first_server(x);
}


static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_upreq  *x = data;

    x->query = NULL;

    if (verdict != LUN_RESOLVED || count == 0) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "%.*s could not be resolved "
                "(%d: %s)", LUN_S(x->target.host), (int) verdict,
                lun_resolve_text(verdict));
        lun_upreq_begin_try(x);
        lun_upreq_end(x, LUN_STATUS + 502);
        return;
    }

    begin_with(x, lun_balance_addrs(&x->r->session, x->target.host, addrs,
                                    count, &x->balance));
}


/* "unix:/path" or digits need no resolver. */
static bool
is_address(lun_upreq *x, lun_addr *addr)
{
    lun_str  text = lun_str_z(lun_pool_strz(x->r->pool, x->target.host));

    if (lun_addr_parse(text, addr) != LUN_OK) {
        return false;
    }

    addr->port = x->target.port;
    return true;
}


static void
find_servers(lun_upreq *x)
{
    lun_str                  name;
    lun_addr                 addr;
    lun_upstream            *u = x->target.upstream;
    lun_resolve_request     *query;
    const lun_upreq_target  *to = &x->target;

    if (u == NULL) {
        name = !to->port_given ? to->host
               : lun_pool_fmt(x->r->pool, "%.*s:%u", LUN_S(to->host),
                              to->port);
        u = lun_upstream_find(&x->r->session, name);
    }

    if (u != NULL) {
        begin_with(x, lun_balance_begin(&x->r->session, u, &x->balance));
        return;
    }

    if (to->port == 0 && !lun_str_starts(to->host, LUN_STR("unix:"))) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "no port in upstream \"%.*s\"",
                LUN_S(to->host));
        lun_upreq_begin_try(x);
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    if (is_address(x, &addr)) {
        begin_with(x, lun_balance_addrs(&x->r->session, to->host, &addr, 1,
                                        &x->balance));
        return;
    }

    query = lun_resolve(lun_http_resolver(lun_http_generation(x->r),
                                          lun_core_conf_of(x->r)),
                        to->host, to->port, on_resolved, x);

    if (query != NULL) {
        x->query = query;
        watch_client(x);
    }
}


lun_rc
lun_upreq_remake(lun_upreq *x)
{
    const lun_body  *body = x->r->body;

    x->body = NULL;

    if (x->conf->pass_request_body && !x->streamed && body != NULL) {
        x->body = body->bufs.head;
    }

    if (x->protocol->make(x, &x->head) != LUN_OK) {
        return LUN_ERROR;
    }

    for (x->head_last = x->head; x->head_last->next != NULL; ) {
        x->head_last = x->head_last->next;
    }

    return LUN_OK;
}


static void
begin(lun_upreq *x)
{
    lun_request  *r = x->r;

    lun_http_get(r);

    if (lun_upreq_remake(x) != LUN_OK) {
        lun_upreq_end(x, LUN_STATUS + 500);

    } else {
        find_servers(x);
    }

    lun_http_put(r);
}


static void
on_body(lun_request *r)
{
    begin(r->upreq);
}


lun_verdict
lun_upreq_start(lun_upreq *x)
{
    if (!x->streamed) {
        return lun_body_read(x->r, on_body);
    }

    if (lun_upreq_take_body(x) != LUN_OK) {
        return LUN_STATUS + 500;
    }

    begin(x);
    return LUN_WAIT;
}
