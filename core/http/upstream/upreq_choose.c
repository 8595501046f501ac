/*
 * upreq_choose.c -- one of the servers is chosen, and given back with what
 * became of it: it answered, or another one is to be tried.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "base/check.h"
#include "session/upstream/upstream_metrics.h"


enum { MOST_DENIED = 1000 };       /* servers, of one request */

/* There from the first choice on. */
struct lun_upreq_choosing {
    lun_msec  started;             /* when that was */
    int64_t   sent_before;         /* by the connection, for others */
    unsigned  denied;              /* servers */
    bool      waits;               /* for a server to have time */
    bool      joined;              /* the connection is others' as well */
};


/* The connection is this upstream request's, until it is given back. */
void
lun_upreq_take_conn(lun_upreq *x, lun_conn *c)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(x->conn == NULL);

    x->conn = c;
    x->choosing->sent_before = c->sent;
    x->balance.conn = c;
    c->data = x;
    c->log = *x->r->log;
    c->requests++;
    lun_http_get(x->r);
}


/* One that stands: it is x's, or something of it is. */
static void
use_conn(lun_upreq *x, lun_conn *c)
{
    if (x->protocol->join != NULL) {
        c = x->protocol->join(x, c);
        x->choosing->joined = true;
    }

    lun_upreq_take_conn(x, c);
}


void
lun_upreq_share_conn(lun_upreq *x)
{
    lun_conn  *c = x->conn;

    LUN_CHECK(c != NULL && !x->choosing->joined
              && !lun_upreq_input_is_set(x));

    x->conn = NULL;
    c->data = NULL;
    c->requests--;                     /* that is the one which joins it */
    use_conn(x, c);
    lun_http_put(x->r);
}


/* --- giving it back ------------------------------------------------------ */

/* Nothing reads into the request's memory for it any more. */
static void
on_free(lun_conn *c)
{
    lun_http_put(c->data);
}


/* So that somebody else's request can be sent on it. */
static bool
can_serve_others(const lun_upreq *x)
{
    const lun_conn  *c = x->conn;

    return x->answer.complete && lun_upreq_is_sent(x) && x->answer.keep
           && x->tunnel == NULL && !c->eof && !c->gone
           && !lun_conn_writing(c) && !lun_conn_reading(c);
}


static void
stop_clock(lun_upreq *x)
{
    lun_upstream_try  *a = x->try;

    if (a != NULL && x->conn != NULL) {
        a->sent = x->conn->sent - x->choosing->sent_before;
    }

    if (a != NULL && a->response_time < 0) {
        a->response_time = (int64_t) (lun_clock.mono - a->started);
        lun_upstream_count_try(&x->balance, a);
    }
}


/* What others do not use of it is kept, or closed. */
static void
put_server(lun_upreq *x, unsigned outcome)
{
    lun_conn  *c;

    x->balance.put(&x->r->session, &x->balance, outcome);
    c = x->balance.conn;

    if (c != NULL) {
        x->balance.conn = NULL;
        lun_conn_close(c);
    }
}


/* x leaves a connection that it had in common with others. */
static void
part_from_conn(lun_upreq *x, unsigned outcome)
{
    lun_conn  *c = x->conn;

    x->choosing->joined = false;
    lun_upreq_leave_input(x);
    x->conn = NULL;
    c->data = x->r;
    c->on_free = on_free;
    x->balance.conn = x->protocol->part(x);
    x->balance.keep = x->balance.conn != NULL;
    put_server(x, outcome);
}


void
lun_upreq_release(lun_upreq *x, unsigned outcome)
{
    lun_conn     *c = x->conn;
    lun_request  *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    stop_clock(x);

    if (x->choosing != NULL && x->choosing->waits) {
        x->choosing->waits = false;
        x->balance.cancel(&r->session, &x->balance);
    }

    if (x->balance.addr == NULL) {
        return;
    }

    x->balance.addr = NULL;

    if (c == NULL) {
        put_server(x, outcome);
        return;
    }

    if (x->choosing->joined) {
        part_from_conn(x, outcome);
        return;
    }

    x->balance.keep = can_serve_others(x);

    lun_upreq_leave_input(x);      /* the next one has a buffer of its own */

    if (x->balance.keep) {
        c->on_free = NULL;
    }

    x->conn = NULL;
    x->balance.conn = c;
    x->balance.put(&r->session, &x->balance, outcome);

    if (x->balance.conn == NULL) {
        lun_http_put(r);               /* others have it now */
        return;
    }

    x->balance.conn = NULL;
    c->data = r;
    c->on_free = on_free;
    lun_conn_close(c);
}


/* --- the next one -------------------------------------------------------- */

/* The first with a status is what an answer with that means. */
static const struct {
    unsigned  why;
    unsigned  status;
} answers[] = {
    { LUN_TRY_500, 500 },
    { LUN_TRY_502, 502 },
    { LUN_TRY_503, 503 },
    { LUN_TRY_504, 504 },
    { LUN_TRY_TIMEOUT, 504 },
    { LUN_TRY_403, 403 },
    { LUN_TRY_404, 404 },
    { LUN_TRY_429, 429 }
};


static unsigned
status_for(unsigned why)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(answers); i++) {
        if (why & answers[i].why) {
            return answers[i].status;
        }
    }

    return 502;
}


unsigned
lun_upreq_why(unsigned status)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(answers); i++) {
        if (answers[i].status == status) {
            return answers[i].why;
        }
    }

    return 0;
}


/* A request that may not be sent twice, once some of it has gone. */
static unsigned
with_method(const lun_upreq *x, unsigned why)
{
    if (lun_upreq_is_begun(x) && !x->answer.unheard
        && (x->r->method & (LUN_POST | LUN_LOCK | LUN_PATCH)))
    {
        why |= LUN_TRY_NON_IDEMPOTENT;
    }

    return why;
}


bool
lun_upreq_may_try(const lun_upreq *x, unsigned why)
{
    const lun_upreq_conf  *conf = x->conf;

    why = with_method(x, why);

    return (conf->next_upstream & why) == why
           && !(x->streamed && lun_upreq_is_begun(x))
           && (conf->next_timeout == 0
               || lun_clock.mono - x->choosing->started
                  < conf->next_timeout);
}


void
lun_upreq_forget_answer(lun_upreq *x)
{
    lun_header_list  list = x->answer.list;

    /* A server may send any number of interim answers: no new memory. */
    if (list.pool == NULL) {
        lun_header_list_init(&list, x->r->pool, 16);

    } else {
        lun_header_list_clear(&list);
    }

    x->answer = (lun_upreq_answer) { .list = list, .length = -1,
                                        .head_length = -1 };
    x->protocol->reset(x);
}


/* What is known of an answer is not that of the next server. */
static void
start_anew(lun_upreq *x)
{
    lun_upreq_forget_answer(x);
    lun_upreq_reset_sending(x);
    lun_upreq_reset_reading(x);
}


/* Nobody has an answer, but what was kept of an earlier one may do. */
static void
give_up(lun_upreq *x, unsigned why, unsigned status)
{
    if (!lun_upreq_is_saved(x, why, status)) {
        lun_upreq_end(x, LUN_STATUS + status);
    }
}


/* Whether another one is to be asked; if not, x is over. */
static bool
give_back(lun_upreq *x, unsigned why)
{
    bool      again;
    unsigned  status = status_for(why), outcome = LUN_BALANCE_FAILED;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->try != NULL);

    if (x->r->main->conn->gone) {
        lun_upreq_end(x, LUN_STATUS + 499);
        return false;
    }

    /* Of a server that was not asked nothing is known. */
    if (why & (LUN_TRY_403 | LUN_TRY_404 | LUN_TRY_DENIED)) {
        outcome = LUN_BALANCE_NEXT;
    }

    /* In the bits that nginx has for it. */
    lun_debug(x->r->log, "http next upstream, %x", why << 1);
    x->try->status = status;
    again = lun_upreq_may_try(x, why);
    lun_upreq_release(x, outcome);

    /*
     * It was closed while nobody looked: that try does not count.  Only after
     * the release, which leaves a server without a second one no try at all.
     */
    if (why == LUN_TRY_ERROR && x->balance.cached && !x->balance.counts_all) {
        x->balance.tries++;
    }

    if (again && x->balance.tries != 0) {
        return true;
    }

    give_up(x, why, status);
    return false;
}


void
lun_upreq_next(lun_upreq *x, unsigned why)
{
    if (give_back(x, why)) {
        lun_upreq_go(x, LUN_UPREQ_CHOOSE);
    }
}


/* --- the stage ----------------------------------------------------------- */

static void
no_live(lun_upreq *x)
{
    x->try->addr = x->balance.name;
    x->try->status = 502;
    lun_log(LUN_LOG_ERR, x->r->log, 0, "no live upstreams");
    x->balance.addr = NULL;
    give_up(x, LUN_TRY_ERROR, 502);
}


static void  choose_server(lun_upreq *x);


/* A server that had no time for the request may have it now. */
static void
on_ready(lun_balance *b)
{
    lun_upreq  *x = lun_container_of(b, lun_upreq, balance);

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->choosing != NULL && x->choosing->waits);

    x->choosing->waits = false;
    x->try->started = lun_clock.mono;      /* no server has had it before */
    choose_server(x);
}


/* The method has an answer of its own. */
static void
show_page(lun_upreq *x)
{
    lun_str       page = x->balance.page;
    unsigned      status = x->balance.status;
    lun_request  *r = x->r;

    lun_http_get(r);
    lun_upreq_leave(x);
    lun_http_finish(r, lun_http_respond(r, status, LUN_STR("text/html"),
                                        page));
    lun_http_put(r);
}


/* False: there is none for now, or x is over. */
static bool
get_server(lun_upreq *x)
{
    x->r->log->doing = "connecting to upstream";

    switch (x->balance.get(&x->r->session, &x->balance)) {

    case LUN_BALANCE_WAIT:
        x->balance.addr = NULL;
        x->balance.ready = on_ready;
        x->choosing->waits = true;
        return false;

    case LUN_BALANCE_NONE:
        no_live(x);
        return false;

    case LUN_BALANCE_ERROR:
        x->balance.addr = NULL;

        if (x->balance.page.len != 0) {
            show_page(x);
            return false;
        }

        lun_upreq_end(x, LUN_STATUS + (int) (x->balance.status != 0
                                                ? x->balance.status : 500));
        return false;

    default:
        x->try->addr = x->balance.name;
        return true;
    }
}


static void
begin_choice(lun_upreq *x)
{
    start_anew(x);
    lun_upreq_begin_try(x);
    x->balance.conn = NULL;
    x->balance.cached = false;
    x->balance.others = false;
}


/* NAME_allow_upstream.  False: x is over. */
static bool
deny(lun_upreq *x)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "access to upstream server denied");

    /* It may serve others, or does so already. */
    if (x->balance.others) {
        x->balance.conn = NULL;

    } else {
        x->balance.keep = x->balance.conn != NULL;
    }

    /* A script can always allow one try more. */
    if (++x->choosing->denied == MOST_DENIED) {
        x->balance.tries = 1;
    }

    if (!give_back(x, LUN_TRY_DENIED)) {
        return false;
    }

    begin_choice(x);
    return true;
}


/* As many may be denied as there are: this is a loop. */
static void
choose_server(lun_upreq *x)
{
    for ( ;; ) {
        if (!get_server(x)) {
            return;
        }

        if (lun_scripts_all(&x->r->session, x->conf->allow)) {
            break;
        }

        if (!deny(x)) {
            return;
        }
    }

    if (x->balance.conn == NULL) {
        lun_upreq_go(x, LUN_UPREQ_CONNECT);
        return;
    }

    use_conn(x, x->balance.conn);
    x->try->connect_time = 0;
    lun_upreq_go(x, LUN_UPREQ_SEND);
}


void
lun_upreq_choose(lun_upreq *x)
{
    if (x->choosing == NULL) {
        x->choosing = lun_pool_new(x->r->pool, struct lun_upreq_choosing);
        x->choosing->started = lun_clock.mono;
    }

    LUN_CHECK(!x->choosing->waits);

    begin_choice(x);
    choose_server(x);
}
