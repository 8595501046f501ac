/*
 * health_http.c -- how a server is asked once by HTTP, and over which
 * connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/health/health_http.h"

#include "os/clock.h"


enum { IDLE_MORE = 10000 };        /* ms that a kept connection may wait beyond
                                      the interval */

/* In the worker that has the duty. */
typedef struct {
    lun_http_client       *client;
    lun_health_http_plan   plan;
} work;

/* A check of a server that is under way. */
typedef struct {
    lun_http_ask  *ask;
    char          *body;           /* malloc'ed; NULL: nobody wants it */
    size_t         len;
} inquiry;


static const lun_health_http *
check_of(const lun_health_peer *p)
{
    return lun_container_of(p->checker->check, lun_health_http, head);
}


static bool
keeps(const lun_health_http *k)
{
    return k->keepalive != 0 || k->requests > 1;
}


/* --- the answer ---------------------------------------------------------- */

static void
free_inquiry(inquiry *q)
{
    lun_free(q->body);
    lun_free(q);
}


static void
finish(lun_health_peer *p, const char *doing)
{
    free_inquiry(p->asking);
    p->asking = NULL;
    lun_health_answer(p, doing);
}


/* What was being done when it failed. */
static const char *
doing_at(const lun_http_client_answer *a)
{
    switch (a->verdict) {

    case LUN_HTTP_UNREACHED:
        return "connecting to upstream";

    case LUN_HTTP_UNTRUSTED:
        return "SSL handshaking to upstream";

    default:
        return a->http == NULL ? "reading response header from upstream"
                               : "reading response body from upstream";
    }
}


static const char *
judge(const lun_health_peer *p, const lun_http_answer *http)
{
    const inquiry          *q = p->asking;
    const lun_health_http  *k = check_of(p);

    return k->judge(k, http, lun_str_of(q->body, q->len));
}


static void
on_answer(void *data, const lun_http_client_answer *a)
{
    lun_health_peer  *p = data;

    finish(p, a->verdict == LUN_HTTP_ANSWERED ? judge(p, a->http)
                                              : doing_at(a));
}


/* A connection that may be kept is read to the end. */
static bool
on_piece(void *data, const lun_http_answer *http, lun_str piece)
{
    inquiry          *q;
    lun_health_peer  *p = data;

    q = p->asking;

    if (q->body != NULL) {
        piece.len = lun_min(piece.len, LUN_HEALTH_BODY - q->len);
        memcpy(q->body + q->len, piece.data, piece.len);
        q->len += piece.len;
    }

    if (keeps(check_of(p)) || (q->body != NULL && q->len < LUN_HEALTH_BODY)) {
        return true;
    }

    finish(p, judge(p, http));
    return false;
}


/* --- the question -------------------------------------------------------- */

/* A connection is used for so long, or so often, and then another one. */
static bool
wants_fresh(lun_health_peer *p, const lun_health_http *k)
{
    if (k->requests > 1 ? p->kept_count++ % k->requests != 0
                        : lun_clock.mono - p->kept_since < k->keepalive)
    {
        return false;
    }

    p->kept_since = lun_clock.mono;
    return true;
}


static void
ask(lun_health_peer *p)
{
    inquiry                *q = lun_calloc(sizeof(inquiry));
    const work             *w = p->checker->work;
    const lun_health_http  *k = check_of(p);

    if (k->wants_body(k)) {
        q->body = lun_malloc(LUN_HEALTH_BODY);
    }

    p->asking = q;
    q->ask = lun_http_client_ask(w->client, &(lun_http_client_question) {
        .method = w->plan.method,
        .url = w->plan.url,
        .address = &p->addr,
        .fields = w->plan.fields->items,
        .field_count = w->plan.fields->count,
        .body = w->plan.body,
        .idle = true,
        .fresh = keeps(k) && wants_fresh(p, k),
        .log = &p->log,
        .piece = on_piece,
        .done = on_answer,
        .data = p
    });
}


static void
cancel(lun_health_peer *p)
{
    inquiry  *q = p->asking;

    lun_http_client_cancel(q->ask);
    free_inquiry(q);
    p->asking = NULL;
}


static void
begin(lun_health_checker *c)
{
    work                   *w = lun_pool_new(c->pool, work);
    const lun_health_http  *k = lun_container_of(c->check, lun_health_http,
                                                 head);

    w->plan.client.role = "";
    w->plan.client.user_agent = LUN_PRODUCT " (health check)";
    w->plan.client.body_size = INT64_MAX;
    k->plan(k, c->pool, &w->plan);

    if (keeps(k)) {
        w->plan.client.keep = INT16_MAX;
        w->plan.client.keep_for = k->head.interval + k->head.jitter
                                  + IDLE_MORE;
    }

    w->client = lun_http_client_new(c->pool, c->loop, &w->plan.client, c->log);
    c->work = w;
}


const lun_health_probe  lun_health_http_probe = {
    .begin = begin,
    .ask = ask,
    .cancel = cancel
};
