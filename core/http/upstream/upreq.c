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


/* --- what a method may change -------------------------------------------- */

static int64_t
most_tries(const lun_balance *b)
{
    return lun_container_of(b, const lun_upreq, balance)->conf->next_tries;
}


static void
set_timeouts(lun_balance *b, lun_msec connect, lun_msec send, lun_msec read)
{
    lun_upreq       *x = lun_container_of(b, lun_upreq, balance);
    lun_upreq_conf  *conf = lun_pool_new(x->r->pool, lun_upreq_conf);

    *conf = *x->conf;

    if (connect != 0) {
        conf->connect_timeout = connect;
    }

    if (send != 0) {
        conf->send_timeout = send;
    }

    if (read != 0) {
        conf->read_timeout = read;
    }

    x->conf = conf;
}


static const lun_balance_user  balance_user = {
    .most_tries   = most_tries,
    .set_timeouts = set_timeouts,
};


/* --- its beginning ------------------------------------------------------- */

lun_upreq *
lun_upreq_new(lun_request *r, const lun_upreq_conf *conf,
    const lun_upstream_protocol *protocol)
{
    lun_upreq  *x = lun_pool_new(r->pool, lun_upreq);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(conf != NULL && protocol != NULL);

    x->mark = LUN_MARK_UPREQ;
    x->r = r;
    x->conf = conf;
    x->protocol = protocol;
    x->balance.conn_key = lun_upreq_conn_key;
    x->balance.user = &balance_user;
    x->balance.joins = protocol->join != NULL;
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
lun_upreq_enter_untimed(lun_upreq *x, const lun_conn_state *state)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->conn != NULL);

    x->conn->timeouts = x->conf;
    lun_conn_enter_untimed(x->conn, state);
    x->r->log->doing = state->doing;
}


void
lun_upreq_enter(lun_upreq *x, const lun_conn_state *state)
{
    lun_upreq_enter_untimed(x, state);
    lun_conn_touch(x->conn);
}


/* --- the client leaves --------------------------------------------------- */

static void
on_abort(lun_request *r, void *data)
{
    lun_upreq  *x = data;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (x->fetch.keep) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed "
                "connection");
        lun_upreq_drop_client(x);
        return;
    }

    lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed connection, "
            "so upstream connection is closed too");
    lun_upreq_end(x, LUN_STATUS + 499);
}


void
lun_upreq_watch_client(lun_upreq *x)
{
    if (x->r->parent != NULL || !x->conf->ignore_client_abort) {
        lun_http_on_abort(x->r, on_abort, x);
    }
}


/* --- its end ------------------------------------------------------------- */

void
lun_upreq_unwatch_client(lun_upreq *x)
{
    lun_request  *r = x->r;

    if (r->abort == on_abort) {
        lun_http_on_abort(r, NULL, NULL);
    }

    if (r->parent == NULL && r->drained_data == x) {
        lun_http_on_drained(r, NULL, NULL);
    }
}


/* One whose end was that of the connection may have been longer. */
static bool
is_whole(const lun_upreq_answer *a)
{
    return a->complete && !(a->framed && a->may_end && a->length < 0);
}


/*
 * The connection is given back before hooks hear of the end: what they do (a
 * file that is renamed) takes time.
 */
void
lun_upreq_leave(lun_upreq *x)
{
    unsigned                i;
    const lun_upreq_hooks  *hooks;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    lun_upreq_go(x, LUN_UPREQ_END);

    if (x->query != NULL) {
        lun_resolve_cancel(x->query);
        x->query = NULL;
    }

    lun_upreq_unwatch_client(x);
    lun_upreq_unstream(x);
    lun_upreq_release(x, LUN_BALANCE_DONE);

    for (i = 0; i < x->asked; i++) {
        hooks = x->conf->hooks[i].hooks;

        if (hooks->end != NULL) {
            hooks->end(x, is_whole(&x->answer));
        }
    }
}


void
lun_upreq_end(lun_upreq *x, lun_verdict v)
{
    lun_request  *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    lun_debug(r->log, "finalize http upstream request: %d",
              v >= LUN_STATUS ? (int) v - LUN_STATUS : v == LUN_FAILED ? -1
                                                                       : 0);
    lun_http_get(r);
    lun_upreq_leave(x);

    r->log->doing = "sending to client";
    lun_http_finish(r, v);
    lun_http_put(r);
}


/* --- tries ---------------------------------------------------------------- */

/* An try that has no server: what it is about is not known yet. */
void
lun_upreq_begin_try(lun_upreq *x)
{
    lun_upstream_try   *a = lun_pool_new(x->r->pool, lun_upstream_try);
    lun_upstream_try  **at = &x->r->tries;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

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


lun_rc
lun_upreq_remake(lun_upreq *x)
{
    const lun_body  *body = x->r->body;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

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


/* --- its beginning ------------------------------------------------------- */

/* What is kept answers in place of a server. */
static void
serve_kept(lun_upreq *x, const lun_upreq_hooks *hooks)
{
    lun_request  *r = x->r;

    /* A 304, say: its connection may serve another request. */
    if (x->stage == LUN_UPREQ_JUDGE) {
        lun_upreq_skip_body(x);
    }

    lun_http_get(r);
    lun_upreq_leave(x);
    hooks->serve(x);
    lun_http_put(r);
}


/* The hooks that come next are asked, until one does not say GO_ON. */
static lun_upreq_hook_verdict
ask_hooks(lun_upreq *x)
{
    const lun_upreq_hooks   *hooks;
    lun_upreq_hook_verdict   v = LUN_UPREQ_GO_ON;

    while (v == LUN_UPREQ_GO_ON && x->asked < x->conf->hook_count) {
        hooks = x->conf->hooks[x->asked++].hooks;
        v = hooks->look_up != NULL ? hooks->look_up(x) : LUN_UPREQ_GO_ON;
    }

    return v;
}


/* `v` is what those say that were asked last. */
static void
go_on(lun_upreq *x, lun_upreq_hook_verdict v)
{
    switch (v) {

    case LUN_UPREQ_SERVE:
        serve_kept(x, x->conf->hooks[x->asked - 1].hooks);
        return;

    case LUN_UPREQ_WAIT:
        lun_upreq_watch_client(x);
        return;

    case LUN_UPREQ_GO_ON:
        lun_upreq_go(x, LUN_UPREQ_RESOLVE);
        return;
    }
}


void
lun_upreq_resume(lun_upreq *x, lun_upreq_hook_verdict v)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->stage == LUN_UPREQ_LOOK_UP && x->asked != 0);
    LUN_CHECK(v != LUN_UPREQ_WAIT);

    go_on(x, v == LUN_UPREQ_GO_ON ? ask_hooks(x) : v);
}


void
lun_upreq_look_up(lun_upreq *x)
{
    LUN_CHECK(x->asked == 0);
    go_on(x, ask_hooks(x));
}


bool
lun_upreq_is_replaced(lun_upreq *x)
{
    unsigned                i;
    const lun_upreq_hooks  *hooks;

    for (i = 0; i < x->asked; i++) {
        hooks = x->conf->hooks[i].hooks;

        if (hooks->judge != NULL && hooks->judge(x) == LUN_UPREQ_SERVE) {
            serve_kept(x, hooks);
            return true;
        }
    }

    return false;
}


bool
lun_upreq_is_saved(lun_upreq *x, unsigned why, unsigned status)
{
    unsigned                i;
    const lun_upreq_hooks  *hooks;

    for (i = 0; i < x->asked; i++) {
        hooks = x->conf->hooks[i].hooks;

        if (hooks->fail != NULL
            && hooks->fail(x, why, status) == LUN_UPREQ_SERVE)
        {
            serve_kept(x, hooks);
            return true;
        }
    }

    return false;
}


void
lun_upreq_tell_bytes(lun_upreq *x, lun_str bytes)
{
    unsigned                i;
    const lun_upreq_hooks  *hooks;

    for (i = 0; i < x->asked; i++) {
        hooks = x->conf->hooks[i].hooks;

        if (hooks->body != NULL) {
            hooks->body(x, bytes);
        }
    }
}


void
lun_upreq_tell_header(lun_upreq *x)
{
    unsigned                i;
    const lun_upreq_hooks  *hooks;

    for (i = 0; i < x->asked; i++) {
        hooks = x->conf->hooks[i].hooks;

        if (hooks->add_headers != NULL) {
            hooks->add_headers(x);
        }
    }
}


void
lun_upreq_begin(lun_upreq *x)
{
    lun_request  *r = x->r;

    lun_http_get(r);
    lun_upreq_go(x, x->conf->hook_count != 0 ? LUN_UPREQ_LOOK_UP
                                           : LUN_UPREQ_RESOLVE);
    lun_http_put(r);
}


static void
on_body(lun_request *r)
{
    lun_upreq_begin(r->upreq);
}


lun_verdict
lun_upreq_start(lun_upreq *x)
{
    lun_verdict  v;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->stage == LUN_UPREQ_NEW);

    if (!x->streamed) {
        return lun_body_read(x->r, on_body);
    }

    v = lun_upreq_take_body(x);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_upreq_begin(x);
    return LUN_WAIT;
}
