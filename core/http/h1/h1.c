/*
 * h1.c -- the conversation on an HTTP/1 connection, in the order of its
 * states:
 *
 *     waiting > reading line > reading headers > serving ... > keepalive
 *
 * A turn reads what has come, serves it, and goes on with the next request if
 * that has come as well; after two it is the other connections' turn.  While
 * a turn is on the stack no state is entered: most requests begin and end in
 * one, and the connection only ever sees `keepalive`.
 *
 * The request's memory lives until the connection has nothing in flight: a
 * connection that is closed takes its request with it (on_free).  What happens
 * between reading and the end is h1_serve.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h1/h1.h"

#include "base/check.h"
#include "http/accept/accept.h"
#include "http/accept/log_context.h"
#include "http/accept/place.h"
#include "http/h1/h1_priv.h"
#include "http/accept/request_metrics.h"


enum { INLINE = 2 };               /* requests of one turn */

static lun_conn_fn  turn;


/* --- the log ------------------------------------------------------------- */

static char *
put_context(void *owner, char *p, const char *end)
{
    const lun_conn  *c = owner;
    const lun_h1    *h1 = c->data;

    return h1 != NULL ? lun_request_context(h1->r, p, end)
                      : lun_http_context(owner, p, end);
}


static char *
put_members(void *owner, char *p, const char *end, bool brief)
{
    const lun_conn  *c = owner;
    const lun_h1    *h1 = c->data;

    return h1 != NULL ? lun_request_members(h1->r, p, end, brief)
                      : lun_http_members(owner, p, end, brief);
}


void
lun_h1_log_members(void)
{
    lun_log_json_members(put_context, put_members);
}


void
lun_h1_dump(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    lun_http_dump(h1->r);
}


void
lun_h1_timed_out(lun_conn *c)
{
    lun_h1  *h1 = c->data;

    c->err = lun_err_of_kind(LUN_ERR_TIMEOUT);
    lun_log(LUN_LOG_INFO, &c->log, c->err, "client timed out");

    if (h1 != NULL) {
        h1->timed_out = 1;
    }
}


/* --- a new connection ---------------------------------------------------- */

static const lun_conn_state  waiting = {
    .name       = "h1 waiting",
    .doing      = "waiting for request",
    .on_read    = turn,
    .on_timeout = lun_http_give_up,
    .on_gone    = lun_http_gone_before,
    .on_quit    = lun_http_close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};

void
lun_h1_begin(lun_conn *c)
{
    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(!lun_conn_writing(c));

    c->log.context = put_context;
    c->log.owner = c;
    lun_conn_enter(c, &waiting);

    if (c->in.pos < c->in.last) {
        turn(c);

    } else {
        lun_conn_want(c);
    }
}


/* --- keepalive ----------------------------------------------------------- */

static void
gone_between(lun_conn *c)
{
    char  room[LUN_ADDR_TEXT];

    c->log.doing = NULL;           /* the line says it all by itself */
    c->log.context = NULL;
    lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0, "client %.*s closed "
            "keepalive connection",
            LUN_S(lun_addr_format(&c->remote, false, room, sizeof(room))));
    lun_conn_close(c);
}


static const lun_conn_state  keepalive = {
    .name       = "h1 keepalive",
    .doing      = "keepalive",
    .on_read    = turn,
    .on_timeout = lun_conn_close,
    .on_gone    = gone_between,
    .on_drain   = lun_http_drain_idle,
    .on_quit    = lun_http_close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, keepalive.timeout),
};


/* --- a new request ------------------------------------------------------- */

/* Everything has come back to the connection that was in flight. */
static void
on_free(lun_conn *c)
{
    lun_h1         *h1 = lun_h1_of(c);
    lun_h1_buffer  *buffers = h1->buffers;

    lun_loop_unpost(&h1->task);
    lun_http_unwrite(h1->r);

    /* Its own buffer is the connection's again: one that grew is freed. */
    lun_conn_restore_input(c, &h1->saved);
    lun_conn_restore_input(c, &h1->own);

    h1->mark = LUN_MARK_DEAD;
    lun_request_free(h1->r);
    lun_h1_free_buffers(buffers);
    c->data = NULL;
}


/*
 * The stream's state lies in the request's own allocation, which make() has
 * left room for.
 */
static lun_h1 *
begin(lun_conn *c)
{
    lun_h1                 *h1;
    lun_request            *r;
    const lun_listen_addr  *listen = lun_listen_of(c);

    r = lun_request_new(lun_http_engine_at(listen), c, &lun_h1_protocol);
    lun_http_place(r, listen);

    h1 = r->stream;
    h1->mark = LUN_MARK_H1;
    h1->c = c;
    h1->r = r;
    h1->listen = listen;
    h1->conf = lun_core_conf_of(r);

    c->data = h1;
    c->on_free = on_free;
    c->timeouts = h1->conf;
    c->requests++;
    lun_request_tally(r, LUN_CONN_WRITING);

    return h1;
}


/* --- reading the request line, reading the headers ----------------------- */

static void
header_too_late(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    lun_h1_note_line(h1);
    lun_h1_timed_out(c);
    lun_http_finish(h1->r, LUN_STATUS + 408);
}


static void
header_cut_off(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    lun_h1_note_line(h1);
    lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0,
            c->gone ? "recv() failed" : "client prematurely closed connection");

    h1->r->aborted = 1;
    lun_http_finish(h1->r, LUN_STATUS + 400);
}


/*
 * The limit is one for the whole header; the words change when its line is
 * through.
 */
static const lun_conn_state  reading = {
    .name       = "h1 reading",
    .doing      = "reading client request line",
    .on_read    = turn,
    .on_timeout = header_too_late,
    .on_gone    = header_cut_off,
    .on_dump    = lun_h1_dump,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};

const char  lun_h1_reading_headers[] = "reading client request headers";


static void
wait_for_header(lun_h1 *h1)
{
    lun_conn  *c = h1->c;

    if (c->state != &reading) {
        lun_conn_enter(c, &reading);
    }

    if (h1->r->tally != LUN_CONN_READING) {
        lun_request_tally(h1->r, LUN_CONN_READING);
    }

    if (h1->in_headers) {
        c->log.doing = lun_h1_reading_headers;
    }

    lun_conn_want(c);
}


/* Nothing is known of a body, nor of where another request would begin. */
static void
answer_bad(lun_h1 *h1)
{
    lun_request  *r = h1->r;

    LUN_CHECK(r->in.refusal >= 400);

    r->keepalive = 0;
    r->no_keepalive = 1;           /* not even after an error_page */
    r->in.content_length = -1;
    r->in.chunked = false;
    lun_http_finish(r, LUN_STATUS + r->in.refusal);
}


/*
 * One request, as far as it goes without waiting.  ENDED: the next one may
 * begin.
 */
static lun_h1_outcome
serve(lun_h1 *h1)
{
    lun_h1_outcome    outcome = LUN_H1_GOES_ON;
    lun_h1_progress   header;

    h1->c->log.doing = h1->in_headers ? lun_h1_reading_headers
                                      : reading.doing;
    header = lun_h1_read_header(h1);

    if (header == LUN_H1_HEADER_MORE) {
        lun_conn_set_idle(h1->c, false);
        wait_for_header(h1);
        return LUN_H1_GOES_ON;
    }

    h1->outcome = &outcome;

    if (h1->r->tally != LUN_CONN_WRITING) {
        lun_request_tally(h1->r, LUN_CONN_WRITING);
    }

    if (header == LUN_H1_HEADER_READY) {
        h1->body_base = h1->c->in.pos;
        h1->c->log.doing = NULL;
        lun_http_begin(h1->r, h1->listen);

    } else {
        answer_bad(h1);
    }

    if (outcome == LUN_H1_GOES_ON) {
        h1->outcome = NULL;
        lun_conn_set_idle(h1->c, false);
        lun_h1_serve(h1);
    }

    return outcome;
}


/* --- turns --------------------------------------------------------------- */

static void
on_turn(lun_task *task)
{
    turn(lun_container_of(task, lun_h1, task)->c);
}


static void
enter_keepalive(lun_conn *c)
{
    LUN_CHECK(!lun_conn_writing(c));

    if (!c->nodelay && ((const lun_core_conf *) c->timeouts)->tcp_nodelay) {
        lun_conn_nodelay(c);
    }

    lun_conn_set_idle(c, true);
    lun_conn_enter(c, &keepalive);
    lun_conn_want(c);
}


/*
 * The next request has come, and waits for us: the client is not late, however
 * long the others take.  What comes meanwhile is looked at in the turn.
 */
static const lun_conn_state  queued = {
    .doing      = "reading client request line",
    .on_gone    = header_cut_off,
    .on_dump    = lun_h1_dump,
};


static void
begin_later(lun_conn *c)
{
    lun_h1  *h1 = begin(c);

    h1->r->pipelined = 1;
    lun_conn_set_idle(c, false);
    lun_conn_enter(c, &queued);
    lun_loop_post(c->loop, &h1->task, on_turn);
}


/*
 * The connection is idle all the while unless the request outlives the turn:
 * nobody looks before that, and most do not.
 */
static void
turn(lun_conn *c)
{
    int      n;
    lun_h1  *h1;

    lun_conn_serve(c);

    for (n = 0; n < INLINE; n++) {
        h1 = c->data != NULL ? c->data : begin(c);
        h1->r->pipelined |= n > 0;

        if (serve(h1) != LUN_H1_ENDED) {
            return;
        }

        if (c->in.pos == c->in.last) {
            enter_keepalive(c);
            return;
        }
    }

    /* More has come already: first the others. */
    begin_later(c);
}


void
lun_h1_after(lun_conn *c)
{
    if (c->in.pos == c->in.last) {
        enter_keepalive(c);

    } else {
        begin_later(c);
    }
}
