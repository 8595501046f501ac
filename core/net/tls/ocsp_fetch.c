/*
 * ocsp_fetch.c -- asks a responder of OCSP.
 *
 * A connection may outlive the fetch by what the system still has of it, so
 * both hold the memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/ocsp_fetch.h"

#include "net/conn.h"


enum {
    ANSWER = 32768,                /* bytes, header and all */
    LIMIT  = 60000,                /* ms of an address */
    ADDRS  = 8
};

struct lun_ocsp_fetch {
    lun_loop             *loop;    /* the resolver's */
    lun_log               log;
    lun_log_context_fn   *context; /* the caller's */
    void                 *owner;
    lun_str               request; /* malloc'ed */
    size_t                sent;
    lun_str               host;    /* in `room` */
    lun_resolve_request  *query;
    lun_conn             *c;
    lun_addr              addrs[ADDRS];
    size_t                count, next;
    bool                  idle;
    bool                  starting;        /* no answer may come yet */
    unsigned              holds;   /* the caller, connections */
    lun_task              task;
    lun_ocsp_fetch_fn    *done;
    void                 *data;
    char                  room[];
};


static void
put(lun_ocsp_fetch *f)
{
    if (--f->holds == 0) {
        lun_free((char *) (uintptr_t) f->request.data);
        lun_free(f);
    }
}


static char *
put_context(void *owner, char *p, const char *end)
{
    const lun_ocsp_fetch  *f = owner;

    p = lun_fmt(p, end, ", responder: %.*s", LUN_S(f->host));
    return f->context != NULL ? f->context(f->owner, p, end) : p;
}


static void
hang_up(lun_ocsp_fetch *f)
{
    lun_conn  *c = f->c;

    f->c = NULL;

    if (c != NULL) {
        lun_conn_close(c);
    }
}


static void
finish(lun_ocsp_fetch *f, lun_str answer)
{
    f->done(f->data, answer);
    hang_up(f);
    put(f);
}


static void
on_task(lun_task *task)
{
    finish(lun_container_of(task, lun_ocsp_fetch, task), LUN_STR_NULL);
}


static void
fail(lun_ocsp_fetch *f)
{
    if (f->starting) {
        lun_loop_post(f->loop, &f->task, on_task);
        return;
    }

    finish(f, LUN_STR_NULL);
}


/* --- a connection --------------------------------------------------------- */

static void  connect_next(lun_ocsp_fetch *f);
static void  on_sent(lun_conn *c);


static void
on_conn_freed(lun_conn *c)
{
    put(c->data);
}


/* With an address that does not answer the next one is asked. */
static void
on_refused(lun_conn *c)
{
    lun_ocsp_fetch  *f = c->data;

    lun_log(LUN_LOG_ERR, &c->log, c->err, "connect() failed");
    hang_up(f);
    connect_next(f);
}


static void
on_slow_connect(lun_conn *c)
{
    lun_ocsp_fetch  *f = c->data;

    lun_log(LUN_LOG_ERR, &c->log, 0, "OCSP responder timed out");
    hang_up(f);
    connect_next(f);
}


static void
on_slow(lun_conn *c)
{
    lun_log(LUN_LOG_ERR, &c->log, 0, "OCSP responder timed out");
    fail(c->data);
}


static void
look(lun_conn *c, bool ended)
{
    lun_str          bytes;
    lun_ocsp_http    answer;
    lun_ocsp_fetch  *f = c->data;

    bytes = lun_str_of(c->in.pos, (size_t) (c->in.last - c->in.pos));

    switch (lun_ocsp_http_parse(bytes, ended, &answer)) {

    case LUN_OCSP_HTTP_DONE:
        finish(f, answer.body.len != 0 ? answer.body : LUN_STR(""));
        return;

    case LUN_OCSP_HTTP_BAD:
        lun_log(LUN_LOG_ERR, &c->log, 0, "%s%s%.*s%s", answer.why,
                answer.what.len != 0 ? ": \"" : "", LUN_S(answer.what),
                answer.what.len != 0 ? "\"" : "");
        fail(f);
        return;

    case LUN_OCSP_HTTP_MORE:
        break;
    }

    if (c->in.last == c->in.end) {
        lun_log(LUN_LOG_ERR, &c->log, 0,
                "OCSP responder sent too large response");
        fail(f);
        return;
    }

    lun_conn_want(c);
}


static void
on_read(lun_conn *c)
{
    look(c, false);
}


static void
on_gone(lun_conn *c)
{
    if (c->err != 0) {
        lun_log(LUN_LOG_ERR, &c->log, c->err, "recv() failed");
        fail(c->data);
        return;
    }

    look(c, true);
}


static void
on_quit(lun_conn *c)
{
    lun_ocsp_fetch  *f = c->data;

    if (f->idle) {
        fail(f);
    }
}


static const lun_conn_state  connecting = {
    .name       = "ocsp connecting",
    .doing      = "requesting certificate status",
    .on_written = on_sent,
    .on_gone    = on_refused,
    .on_timeout = on_slow_connect,
    .on_quit    = on_quit,
};

static const lun_conn_state  reading = {
    .name       = "ocsp reading",
    .doing      = "requesting certificate status",
    .on_written = on_sent,
    .on_read    = on_read,
    .on_gone    = on_gone,
    .on_timeout = on_slow,
    .on_quit    = on_quit,
};


/* It stands, or has taken some of the request. */
static void
on_sent(lun_conn *c)
{
    lun_slice        rest;
    lun_ocsp_fetch  *f = c->data;

    if (c->state == &connecting) {
        lun_conn_enter(c, &reading);
        lun_conn_limit(c, LIMIT);
        lun_conn_want(c);
        f->sent = 0;

    } else {
        f->sent += (size_t) lun_conn_written(c);
    }

    if (f->sent < f->request.len) {
        rest = (lun_slice) { f->request.data + f->sent,
                             f->request.len - f->sent };
        lun_conn_write(c, &rest, 1);
    }
}


static void
connect_next(lun_ocsp_fetch *f)
{
    lun_err          err;
    lun_conn        *c;
    const lun_addr  *addr;

    while (f->next < f->count) {
        addr = &f->addrs[f->next++];
        c = lun_conn_new_out(f->loop, addr->family, ANSWER, &f->log, &err);

        if (c == NULL) {
            lun_log(LUN_LOG_ERR, &f->log, err, "socket() failed");
            continue;
        }

        f->c = c;
        f->holds++;
        c->data = f;
        c->on_free = on_conn_freed;
        lun_conn_enter(c, &connecting);
        lun_conn_limit(c, LIMIT);
        lun_conn_connect(c, addr);
        return;
    }

    fail(f);
}


/* --- where to ------------------------------------------------------------- */

static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_ocsp_fetch  *f = data;

    f->query = NULL;

    if (verdict != LUN_RESOLVED) {
        lun_log(LUN_LOG_ERR, &f->log, 0, "%.*s could not be resolved (%d: %s)",
                LUN_S(f->host), (int) verdict, lun_resolve_text(verdict));
        fail(f);
        return;
    }

    f->count = lun_min(count, (size_t) ADDRS);
    memcpy(f->addrs, addrs, f->count * sizeof(lun_addr));
    connect_next(f);
}


static void
find_addresses(lun_ocsp_fetch *f, lun_resolver *resolver, lun_msec timeout,
    uint16_t port)
{
    if (lun_addr_parse(f->host, &f->addrs[0]) == LUN_OK
        && f->addrs[0].family != LUN_AF_UNIX)
    {
        f->addrs[0].port = port;
        f->count = 1;
        connect_next(f);
        return;
    }

    f->query = lun_resolve(resolver, f->host, port, on_resolved, f);

    if (f->query != NULL) {
        lun_resolve_limit(f->query, timeout);
    }

    if (f->query != NULL && f->idle) {
        lun_resolve_be_idle(f->query);
    }
}


lun_ocsp_fetch *
lun_ocsp_fetch_start(const lun_url *url, lun_str der,
    lun_resolver *resolver, lun_msec timeout, const lun_log *log, bool idle,
    lun_ocsp_fetch_fn *done, void *data)
{
    lun_ocsp_fetch  *f = lun_calloc(sizeof(lun_ocsp_fetch) + url->host.len);

    f->loop = lun_resolver_loop(resolver);
    f->log = *log;
    f->log.doing = connecting.doing;
    f->context = log->context;
    f->owner = log->owner;
    f->log.context = put_context;
    f->log.owner = f;
    f->request = lun_ocsp_http_request(url, der);
    (void) lun_copy_str(f->room, url->host);
    f->host = lun_str_of(f->room, url->host.len);
    f->idle = idle;
    f->holds = 1;
    f->done = done;
    f->data = data;

    f->starting = true;
    find_addresses(f, resolver, timeout, url->port);
    f->starting = false;
    return f;
}


void
lun_ocsp_fetch_cancel(lun_ocsp_fetch *f)
{
    lun_loop_unpost(&f->task);

    if (f->query != NULL) {
        lun_resolve_cancel(f->query);
    }

    hang_up(f);
    put(f);
}
