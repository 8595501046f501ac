/*
 * mux.c -- the life of a request on a connection that it shares, from its
 * header to its end.
 *
 * A body's bytes are kept until the request reads them, no more than the
 * window which the client was given.  When the body is read to memory, the
 * window is opened wide; a sink has a small one, and the client waits for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/mux.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/accept/place.h"
#include "http/accept/request_metrics.h"
#include "http/body.h"
#include "http/mux/mux_conn.h"
#include "http/write.h"


enum {
    WIDE        = 0x40000000,          /* well below what a window may be: the
                                          first one changes when the client's
                                          settings arrive */
    SINK_WINDOW = 65536
};


/* --- the connection ------------------------------------------------------ */

void
lun_mux_init(lun_mux *m, const lun_mux_kind *kind, lun_conn *c,
    const lun_listen_addr *listen, const lun_server *server)
{
    m->mark = LUN_MARK_MUX;
    m->kind = kind;
    m->c = c;
    m->listen = listen;
    m->conf = server->conf[lun_http_core.index];
    m->idle_from = lun_clock.mono;
    lun_list_init(&m->streams);
    lun_list_init(&m->ready);
}


void
lun_mux_ready(lun_mux_stream *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    if (lun_list_empty(&s->ready)) {
        lun_list_push_back(&s->mux->ready, &s->ready);
    }

    s->mux->kind->wake(s->mux);
}


void
lun_mux_break(lun_mux *m)
{
    LUN_CHECK_MARK(m, LUN_MARK_MUX);

    m->broken = 1;

    lun_list_each(&m->streams, at) {
        lun_mux_ready(lun_container_of(at, lun_mux_stream, link));
    }
}


/* --- a new stream -------------------------------------------------------- */

/*
 * A stream's lines in the log are its request's: the connection's log is copied
 * and says whose it is.
 */
lun_mux_stream *
lun_mux_new_stream(lun_mux *m, const lun_http_protocol *protocol,
    unsigned version, int64_t id)
{
    lun_conn        *c = m->c;
    lun_request     *r;
    lun_mux_stream  *s;

    LUN_CHECK_MARK(m, LUN_MARK_MUX);

    r = lun_request_new(lun_http_engine_at(m->listen), c, protocol);
    s = r->stream;
    s->mark = LUN_MARK_MUX_STREAM;
    s->mux = m;
    s->r = r;
    s->id = id;
    s->log = c->log;
    s->log.doing = "reading client request headers";
    s->log.context = lun_request_context;
    s->log.owner = r;
    s->in = (lun_field_in) { .r = r, .listen = m->listen, .conf = m->conf,
                             .connects = m->connects };

    r->log = &s->log;
    r->version = version;
    lun_http_place(r, m->listen);

    lun_list_init(&s->ready);
    lun_list_push_back(&m->streams, &s->link);
    m->stream_count++;
    m->headers++;
    m->served = 1;
    c->requests++;
    lun_request_tally(r, LUN_CONN_READING);

    return s;
}


void
lun_mux_complete(lun_mux_stream *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);
    LUN_CHECK(!s->started && !s->complete && s->mux->headers > 0);

    s->complete = 1;
    s->mux->headers--;
    lun_timer_stop(&s->body_timer);
    lun_fields_end(&s->in, s->in_closed, s->mux->kind->version);
    lun_mux_ready(s);
}


void
lun_mux_closed(lun_mux_stream *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);
    LUN_CHECK(!s->closed);

    s->closed = 1;

    if (s->finishing) {
        s->over = 1;
        s->mux->over++;
    }

    lun_mux_ready(s);
}


/* --- the body ------------------------------------------------------------ */

void
lun_mux_used(lun_mux_stream *s, size_t n)
{
    if (!s->closed && !s->in_closed && !s->mux->broken) {
        s->mux->kind->consumed(s, n);
    }
}


static void
open_window(lun_mux_stream *s, size_t size)
{
    if (!s->closed && !s->in_closed && !s->mux->broken) {
        s->mux->kind->widen(s, size);
    }
}


void
lun_mux_open_window(lun_mux_stream *s)
{
    open_window(s, SINK_WINDOW);
}


/* Nothing is ever going to look at it. */
static bool
is_in_vain(const lun_mux_stream *s)
{
    const lun_request  *r = s->r;

    return s->finishing || r->aborted
           || (r->body != NULL && !lun_body_is_open(r) && !r->in.tunnel);
}


lun_rc
lun_mux_keep_body(lun_mux_stream *s, const char *data, size_t len)
{
    s->body.came += (int64_t) len;

    if (is_in_vain(s)) {
        lun_mux_used(s, len);
        return LUN_OK;
    }

    if (lun_body_window_add(&s->body, data, len) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_mux_ready(s);
    return LUN_OK;
}


static void
body_too_late(lun_timer *timer)
{
    lun_mux_stream  *s = lun_container_of(timer, lun_mux_stream, body_timer);
    lun_request     *r = s->r;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    if (!lun_body_wants(r)) {
        return;
    }

    lun_log(LUN_LOG_INFO, &s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    s->timed_out = 1;

    lun_http_get(r);
    r->aborted = 1;
    lun_body_fail(r, 408);
    lun_http_put(r);
    s->mux->kind->wake(s->mux);
}


/* What the last pull gave is used up. */
static void
release_body(lun_mux_stream *s)
{
    if (s->body.held != 0) {
        lun_mux_used(s, s->body.held);
        s->body.held = 0;
    }
}


/* Whether it is not as long as its length says, as far as one can know. */
static bool
has_wrong_length(const lun_mux_stream *s)
{
    int64_t             n = (int64_t) s->body.len;
    const lun_request  *r = s->r;

    if (r->body->left < 0 || n == r->body->left) {
        return false;
    }

    if (n > r->body->left) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client intended to send body data "
                "larger than declared");
        return true;
    }

    if (s->in_closed) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client prematurely closed stream: "
                "only %" PRId64 " out of %" PRId64 " bytes of request body "
                "received", s->body.came, r->in.content_length);
    }

    return s->in_closed;
}


/* There is nothing (more) to give. */
static lun_rc
end_body(lun_mux_stream *s)
{
    lun_request  *r = s->r;

    if (s->in_closed) {
        return LUN_OK;
    }

    if (s->closed || s->mux->broken) {
        r->body->status = 400;
        return LUN_ERROR;
    }

    if (r->body->sink != NULL) {
        lun_mux_open_window(s);

    } else if (!r->body->discarding) {
        open_window(s, WIDE);
        lun_timer_start(s->mux->c->loop, &s->body_timer,
                        lun_core_conf_of(r)->client_body_timeout,
                        body_too_late);
    }

    return LUN_AGAIN;
}


lun_rc
lun_mux_pull_body(lun_request *r, lun_str *bytes)
{
    size_t           n;
    lun_mux_stream  *s = r->stream;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    lun_timer_stop(&s->body_timer);
    release_body(s);
    n = s->body.len;

    if (has_wrong_length(s)) {
        r->body->status = 400;
        return LUN_ERROR;
    }

    /*
     * The last of an announced length waits for the stream's end: more of it
     * would make all of it malformed (RFC 9113, 8.1.1).
     */
    if (n == 0 || (!s->in_closed && (int64_t) n == r->body->left)) {
        return end_body(s);
    }

    *bytes = lun_body_window_take(&s->body, r->body->sink != NULL);
    r->body->ends = s->in_closed;
    r->request_length += (int64_t) n;
    return LUN_OK;
}


/* --- its steps ----------------------------------------------------------- */

/* The others go on: what comes of this header is read past. */
static void
header_too_late(lun_timer *timer)
{
    lun_mux_stream  *s = lun_container_of(timer, lun_mux_stream, body_timer);

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    lun_log(LUN_LOG_INFO, &s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    s->timed_out = 1;
    s->mux->kind->reset(s, LUN_MUX_PROTOCOL);
}


void
lun_mux_await_header(lun_mux *m)
{
    lun_list        *at;
    unsigned         left = m->headers;
    lun_mux_stream  *s;

    if (m->headers == 0 || m->broken) {
        return;
    }

    /* The latest are last; HTTP/2 has no more than one. */
    for (at = m->streams.prev; at != &m->streams && left != 0; at = at->prev) {
        s = lun_container_of(at, lun_mux_stream, link);

        if (s->complete) {
            continue;
        }

        left--;

        if (!s->closed && !lun_timer_runs(&s->body_timer)) {
            lun_timer_start(m->c->loop, &s->body_timer,
                            lun_core_conf_of(s->r)->client_header_timeout,
                            header_too_late);
        }
    }
}


/* A connection may have been agreed on with another server of the address. */
static bool
is_elsewhere(const lun_mux_stream *s)
{
    if (s->r->protocol->enabled(s->mux->listen, s->r->server)) {
        return false;
    }

    lun_log(LUN_LOG_INFO, &s->log, 0, "client attempted to request the server "
            "name for which the negotiated protocol is disabled");
    return true;
}


/* The first, when the header is complete. */
static void
start_request(lun_mux_stream *s)
{
    lun_request  *r = s->r;

    LUN_CHECK(!s->started);

    s->started = 1;
    s->log.doing = NULL;
    lun_request_tally(r, LUN_CONN_WRITING);

    if (s->closed || s->mux->broken) {
        r->aborted = 1;
        lun_http_finish(r, LUN_STATUS + (s->timed_out ? 408 : 499));

    } else if (r->in.refusal != 0) {
        lun_http_finish(r, LUN_STATUS + r->in.refusal);

    } else if (is_elsewhere(s)) {
        lun_http_finish(r, LUN_STATUS + 421);

    } else {
        lun_http_begin(r, s->mux->listen);
    }
}


/* The client has left, or was given up, before the answer was complete. */
static void
fail_stream(lun_mux_stream *s)
{
    lun_request  *r = s->r;

    s->lost = 1;
    r->aborted = 1;
    lun_timer_stop(&s->send_timer);
    lun_http_get(r);

    if (lun_body_is_open(r)) {
        lun_timer_stop(&s->body_timer);
        lun_body_fail(r, 400);
    }

    if (s->conn != NULL) {
        lun_mux_conn_lose(s);
    }

    lun_http_tell_gone(r);
    lun_http_put(r);
}


/* All that was given out is gone: filters go on, or those who wait for it. */
static void
tell_drained(lun_mux_stream *s)
{
    lun_request  *r = s->r;

    r->blocked = 0;
    lun_timer_stop(&s->send_timer);

    if (lun_http_holds(r) && lun_http_pump(r) == LUN_ERROR) {
        r->aborted |= s->finishing;
        s->mux->kind->reset(s, LUN_MUX_INTERNAL);
        return;
    }

    if (!r->blocked && !s->finishing) {
        lun_http_tell_drained(r);
    }
}


/* Nothing needs it any more, neither the request nor the frames. */
static void
free_stream(lun_mux_stream *s)
{
    lun_mux          *m = s->mux;
    lun_conn         *own = NULL;
    lun_request      *r = s->r;
    lun_body_window   body = s->body;

    LUN_CHECK_MARK(m, LUN_MARK_MUX);
    LUN_CHECK(m->stream_count > 0);

    lun_timer_stop(&s->body_timer);
    lun_timer_stop(&s->send_timer);
    lun_http_log(r);
    m->kind->forget(s);
    s->mark = LUN_MARK_DEAD;
    lun_list_remove(&s->ready);
    lun_list_remove(&s->link);
    m->stream_count--;
    m->over -= s->over;
    m->headers -= !s->complete;
    m->idle_from = lun_clock.mono;

    lun_http_unwrite(r);

    if (s->conn != NULL) {
        own = lun_mux_conn_release(s);
    }

    lun_request_free(r);
    lun_body_window_fini(&body);

    if (own != NULL) {
        lun_conn_close(own);
    }
}


/*
 * Nothing follows, and no end that was told.  Of what is cut off the frames
 * need not have asked for more, without a window; nor will who holds it go on.
 */
static bool
ends_early(const lun_mux_stream *s)
{
    const lun_request  *r = s->r;

    if (r->aborted || r->output.head != NULL) {
        return r->aborted;
    }

    return r->cut ? !s->no_body : s->starved && !lun_http_holds(r);
}


/* It is over for the request, but the frames may have to say so yet. */
static void
detach_stream(lun_mux_stream *s)
{
    if (s->closed || s->mux->broken) {
        free_stream(s);

    } else if (!s->out_closed && ends_early(s)) {
        /* As nginx has it; 444: the configuration wants no more of it. */
        s->mux->kind->reset(s, s->conn != NULL ? LUN_MUX_CANCEL
                               : s->timed_out || s->r->out.status == 444
                               ? LUN_MUX_PROTOCOL : LUN_MUX_INTERNAL);

    } else if (s->out_closed && !s->in_closed) {
        s->mux->kind->reset(s, LUN_MUX_NO_ERROR);
    }
}


/* It has ended before what it is for; of a tunnel that is both sides' end. */
static bool
is_cut(const lun_mux_stream *s)
{
    bool  through = s->conn != NULL ? s->out_closed && s->in_closed
                                    : s->out_closed;

    return !through && (s->closed || s->reset || s->mux->broken);
}


/* What is to be done with a stream; it may be gone afterwards. */
static void
take_step(lun_mux_stream *s)
{
    lun_request  *r = s->r;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_http_get(r);

    if (!s->started && (s->complete || s->closed || s->mux->broken)) {
        start_request(s);
    }

    if (!s->finishing) {
        lun_body_came(r);
    }

    if (s->conn != NULL && !s->finishing && !s->lost) {
        lun_mux_conn_step(s);

    } else if (r->blocked && r->output.head == NULL
        && (!s->finishing || lun_http_holds(r)))
    {
        tell_drained(s);
    }

    if (!s->finishing && !s->lost && is_cut(s)) {
        fail_stream(s);
    }

    if (r->references > 1) {
        lun_http_put(r);
        return;
    }

    if (!s->finishing) {
        lun_http_put(r);               /* the protocol's finish, or drop */

    } else {
        r->references--;
    }

    if (s->finishing) {
        detach_stream(s);
    }
}


unsigned
lun_mux_run(lun_mux *m, unsigned most)
{
    unsigned         n;
    lun_mux_stream  *s;

    for (n = 0; n < most && !lun_list_empty(&m->ready); n++) {
        s = lun_container_of(m->ready.next, lun_mux_stream, ready);
        lun_list_remove(&s->ready);
        take_step(s);
    }

    return n;
}


/* --- for the lun_http_protocol ------------------------------------------- */

void
lun_mux_finish(lun_request *r)
{
    lun_mux_stream  *s = r->stream;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    s->finishing = 1;

    if (lun_body_streams(r)) {
        lun_body_close(r);
    }

    lun_timer_stop(&s->body_timer);

    if (s->conn != NULL) {
        lun_mux_conn_finish(s);
    }

    lun_mux_ready(s);
}


/* A reset of the stream tells us without being asked. */
void
lun_mux_watch(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
}
