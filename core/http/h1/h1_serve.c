/*
 * h1_serve.c -- an HTTP/1 request between its header and its end.
 *
 * It may wait for the client in three ways at once: for its output to be
 * taken, for its body, and (if somebody asked) for the client's leaving.  What
 * happens to one of these enters the state that says so: output before body,
 * and a client that is lost, or a takeover, before all of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h1/h1.h"

#include "base/check.h"
#include "http/h1/h1_priv.h"


enum {
    SCRATCH   = 16384,
    MIN_ROOM  = 2048,              /* for a chunked body, behind the header */
    BODY_ROOM = 16384
};

/* Where bytes go that nobody looks at. */
static char  scratch[SCRATCH];

static void go_back(lun_h1 *h1);


/* --- the body's way in --------------------------------------------------- */

/* Behind the header, where what has come of the body was used up. */
static void
make_room(lun_h1 *h1)
{
    lun_conn  *c = h1->c;

    if (c->in.end - h1->body_base < MIN_ROOM) {
        lun_h1_new_buffer(h1, BODY_ROOM);
        h1->body_base = c->in.start;
    }

    c->in.pos = h1->body_base;
    c->in.last = h1->body_base;
}


static void
want_body(lun_h1 *h1)
{
    char         *room;
    size_t        size;
    lun_conn     *c = h1->c;
    lun_request  *r = h1->r;

    LUN_CHECK(r->body != NULL);

    if (lun_conn_reading(c)) {
        return;
    }

    h1->to_nowhere = r->body->discarding;

    if (r->body->sink != NULL) {
        make_room(h1);

    } else if (r->body->left >= 0 && r->body->discarding) {
        size = (size_t) lun_min(r->body->left, (int64_t) SCRATCH);
        lun_conn_set_input(c, scratch, size, &h1->saved);

    } else if (r->body->left >= 0) {
        room = lun_body_room(r, &size);

        if (room == NULL) {
            return;                /* it has failed, and said so */
        }

        lun_conn_set_input(c, room, size, &h1->saved);

    } else {
        make_room(h1);
    }

    lun_conn_want(c);
}


/* Bytes of the body; or, with an eye on the client, of the next request. */
static void
take_input(lun_conn *c)
{
    lun_h1       *h1 = lun_h1_of(c);
    lun_request  *r = h1->r;

    if (r->takeover != NULL) {
        r->takeover->on_read(r);
        return;
    }

    if (!lun_body_is_open(r)) {
        return;
    }

    lun_http_get(r);

    if (h1->saved.is_set) {
        h1->arrived = lun_str_of(c->in.pos, (size_t) (c->in.last - c->in.pos));
        lun_conn_restore_input(c, &h1->saved);
    }

    lun_body_came(r);

    if (c->state->timeout != 0 && !r->blocked) {
        lun_conn_touch(c);
    }

    go_back(h1);
    lun_http_put(r);
}


/* In chunks, and as long as it was said to be. */
static lun_rc
next_chunk(lun_h1 *h1, lun_str *bytes)
{
    lun_conn             *c = h1->c;
    const char           *pos = c->in.pos;
    lun_chunked_verdict   v;

    LUN_CHECK(c->in.pos <= c->in.last);

    v = lun_chunked_next(&h1->chunked, &pos, c->in.last, bytes);
    h1->r->request_length += pos - c->in.pos;
    c->in.pos += pos - c->in.pos;

    switch (v) {

    case LUN_CHUNKED_DATA:
    case LUN_CHUNKED_DONE:
        return LUN_OK;

    case LUN_CHUNKED_MORE:
        return LUN_AGAIN;

    default:
        lun_log(LUN_LOG_ERR, h1->r->log, 0, "client sent invalid chunked "
                "body");
        h1->r->body->status = 400;
        return LUN_ERROR;
    }
}


static lun_rc
next_part(lun_h1 *h1, lun_str *bytes)
{
    lun_conn     *c = h1->c;
    lun_request  *r = h1->r;

    *bytes = h1->arrived;
    h1->arrived = LUN_STR_NULL;

    if (bytes->len == 0) {
        bytes->data = c->in.pos;
        bytes->len = (size_t) lun_min((int64_t) (c->in.last - c->in.pos),
                                      r->body->left);
        c->in.pos += bytes->len;
    }

    r->request_length += (int64_t) bytes->len;
    return bytes->len != 0 ? LUN_OK : LUN_AGAIN;
}


static lun_rc
pull_body(lun_request *r, lun_str *bytes)
{
    lun_rc   rc;
    lun_h1  *h1 = lun_h1_of_request(r);

    rc = r->body->left < 0 ? next_chunk(h1, bytes) : next_part(h1, bytes);

    if (rc != LUN_AGAIN) {
        return rc;
    }

    if (!r->body->discarding && (r->aborted || h1->c->eof || h1->c->gone)) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed "
                "connection");
        r->body->status = 400;         /* the rest will not come */
        return LUN_ERROR;
    }

    if (r->body->sink != NULL) {
        want_body(h1);

    } else {
        lun_h1_wait_for_body(h1);
    }

    return rc;
}


/* --- serving ------------------------------------------------------------- */

static void
input_too_late(lun_conn *c)
{
    lun_h1       *h1 = lun_h1_of(c);
    lun_request  *r = h1->r;

    LUN_CHECK(r->body != NULL);

    h1->timed_out = 1;
    lun_http_get(r);
    r->aborted = 1;
    lun_body_fail(r, 408);
    go_back(h1);
    lun_http_put(r);
}


/* The client has left, or only closed its side: nothing more will come. */
static void
left_serving(lun_conn *c)
{
    lun_h1       *h1 = lun_h1_of(c);
    lun_request  *r = h1->r;
    void        (*notice)(lun_request *, void *) = r->abort;

    if (c->gone || lun_body_wants(r)) {
        lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0,
                "client prematurely closed connection");
        lun_h1_fail(h1);
        return;
    }

    r->keepalive = 0;

    if (r->takeover != NULL && r->takeover->on_gone(r)) {
        return;
    }

    /* What has come of it before that is there for its sink yet. */
    if (lun_body_is_open(r) && r->body->sink->on_gone(r)) {
        return;
    }

    r->abort = NULL;

    if (notice != NULL) {
        notice(r, r->abort_data);
    }
}


/* Nobody is there for whom the rest of the answer would have to be slow. */
static void
left_delayed(lun_conn *c)
{
    lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0,
            "client prematurely closed connection");
    lun_h1_fail(lun_h1_of(c));
}


/* The socket has taken something, but not all: the time begins anew. */
static void
limit_output(lun_h1 *h1)
{
    lun_conn           *c = h1->c;
    const lun_request  *r = h1->r;

    lun_h1_wait_for_output(h1);

    if (r->write_delay != 0) {
        lun_conn_limit(c, r->write_delay);

    } else {
        lun_conn_touch(c);
    }
}


/* The same, when only what is left of an answer that is over goes out. */
static void
go_on_finishing(lun_h1 *h1, lun_rc rc)
{
    switch (rc) {

    case LUN_ERROR:
        lun_h1_fail(h1);
        return;

    case LUN_OK:
        lun_h1_finish(h1->r);
        return;

    case LUN_AGAIN:
        limit_output(h1);          /* what is left of its body is dropped */
        return;
    }
}


/* What lun_http_write() or _written() has come to. */
static void
go_on(lun_h1 *h1, lun_rc rc)
{
    lun_request  *r = h1->r;

    if (h1->finishing) {
        go_on_finishing(h1, rc);
        return;
    }

    /*
     * A filter that goes on, or a body that is read meanwhile, may fail, and
     * that is the request's end.
     */
    lun_http_get(r);

    if (rc == LUN_OK && lun_http_holds(r)) {
        rc = lun_http_pump(r);
        rc = rc != LUN_ERROR && r->blocked ? LUN_AGAIN : rc;
    }

    if (rc == LUN_ERROR) {
        lun_h1_fail(h1);

    } else if (r->blocked) {
        limit_output(h1);

    } else {
        go_back(h1);

        /* AGAIN: a filter waits for what it asked for, and goes on by that. */
        if (rc == LUN_OK) {
            lun_http_tell_drained(r);
        }
    }

    lun_http_put(r);
}


static void
took_output(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    go_on(h1, lun_http_written(h1->r));
}


static void
delay_over(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    go_on(h1, lun_http_write(h1->r));
}


static void
output_too_late(lun_conn *c)
{
    lun_h1_timed_out(c);
    lun_h1_fail(c->data);
}


static const lun_conn_state  serving = {
    .name       = "h1 serving",
    .on_read    = take_input,
    .on_gone    = left_serving,
    .on_dump    = lun_h1_dump,
};

static const lun_conn_state  reading_body = {
    .name       = "h1 reading body",
    .on_read    = take_input,
    .on_timeout = input_too_late,
    .on_gone    = left_serving,
    .on_dump    = lun_h1_dump,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_body_timeout),
};

static const lun_conn_state  sending = {
    .name       = "h1 sending",
    .doing      = "sending to client",
    .on_read    = take_input,
    .on_written = took_output,
    .on_timeout = output_too_late,
    .on_gone    = left_serving,
    .on_dump    = lun_h1_dump,
    .timeout    = LUN_TIMEOUT(lun_core_conf, send_timeout),
};

/* limit_rate: the socket would take more, but not yet, and so it can't tell
   that the client has gone. */
static const lun_conn_state  delaying = {
    .name       = "h1 delaying",
    .doing      = "sending to client",
    .on_read    = take_input,
    .on_timeout = delay_over,
    .on_gone    = left_delayed,
    .on_dump    = lun_h1_dump,
    .timeout    = LUN_TIMEOUT(lun_core_conf, send_timeout),
};

static void
takeover_written(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    h1->r->takeover->on_written(h1->r);
}


/* The takeover has all of the connection. */
static const lun_conn_state  taken_over = {
    .name       = "h1 taken over",
    .on_read    = take_input,
    .on_written = takeover_written,
    .on_gone    = left_serving,
    .on_dump    = lun_h1_dump,
};

/* The client is lost; whoever works for it has not noticed yet. */
static const lun_conn_state  lost = {
    .name       = "h1 lost",
    .doing      = NULL,
    .on_dump    = lun_h1_dump,
};


/* The answer is out; what is left of the body is only in the way. */
static void
drop_rest(lun_conn *c)
{
    lun_h1  *h1 = lun_h1_of(c);

    lun_h1_drop(h1->r);
}


static const lun_conn_state  discarding = {
    .name       = "h1 discarding",
    .doing      = "discarding client request body",
    .on_read    = take_input,
    .on_timeout = drop_rest,
    .on_gone    = drop_rest,
    .on_dump    = lun_h1_dump,
    .timeout    = LUN_TIMEOUT(lun_core_conf, lingering_timeout),
};


/* --- which one ----------------------------------------------------------- */

static void
enter(lun_h1 *h1, const lun_conn_state *state)
{
    lun_conn  *c = h1->c;

    LUN_CHECK_MARK(h1, LUN_MARK_H1);
    c->timeouts = lun_core_conf_of(h1->r);

    if (c->state != state) {
        lun_conn_enter(c, state);
    }
}


/* Nobody reads what comes, or somebody else does: whatever else happens. */
static bool
is_beyond(lun_h1 *h1)
{
    const lun_request  *r = h1->r;

    if (r->aborted) {
        enter(h1, &lost);
        return true;
    }

    if (r->takeover != NULL) {
        enter(h1, &taken_over);
        return true;
    }

    return false;
}


void
lun_h1_take_over(lun_h1 *h1)
{
    LUN_CHECK(h1->r->takeover != NULL && !lun_body_wants(h1->r));
    (void) is_beyond(h1);
}


/*
 * Reads on only to learn that the client has gone.  A large buffer could not be
 * given back with a read in it.
 */
static void
watch_client(lun_h1 *h1)
{
    if (!h1->own.is_set && !lun_body_wants(h1->r)) {
        lun_conn_want(h1->c);
    }
}


void
lun_h1_wait_for_output(lun_h1 *h1)
{
    const lun_request  *r = h1->r;

    LUN_CHECK(r->blocked);

    if (is_beyond(h1)) {
        return;
    }

    if (r->write_delay == 0) {
        enter(h1, &sending);

    } else if (h1->c->state != &delaying) {
        enter(h1, &delaying);
        lun_conn_limit(h1->c, r->write_delay);
        watch_client(h1);
    }

    /* Even one nobody wants: the client could insist on sending it first. */
    if (lun_body_wants(r)) {
        want_body(h1);
    }
}


void
lun_h1_wait_for_body(lun_h1 *h1)
{
    const lun_request  *r = h1->r;

    LUN_CHECK(lun_body_wants(r));

    if (is_beyond(h1)) {
        return;
    }

    if (r->blocked) {
        want_body(h1);             /* the answer is what it waits for */
        return;
    }

    if (!r->body->discarding) {
        enter(h1, &reading_body);
        want_body(h1);

    } else if (h1->finishing) {
        enter(h1, &discarding);
        want_body(h1);

    } else {
        enter(h1, &serving);       /* one nobody wants is read at the end */
    }
}


/* What it waited for has come: for its body, or for nothing of the client. */
static void
go_back(lun_h1 *h1)
{
    if (lun_body_wants(h1->r)) {
        lun_h1_wait_for_body(h1);

    } else if (!is_beyond(h1) && !h1->r->blocked) {
        enter(h1, &serving);
    }
}


void
lun_h1_serve(lun_h1 *h1)
{
    if (h1->r->blocked) {
        lun_h1_wait_for_output(h1);

    } else {
        go_back(h1);
    }
}


/*
 * Whoever works for the request hears of it in turn: the reader of its body,
 * who has taken it over, who watches the client.  Any may end it, so a
 * reference is held.
 */
void
lun_h1_fail(lun_h1 *h1)
{
    lun_request  *r = h1->r;

    LUN_CHECK_MARK(h1, LUN_MARK_H1);

    r->aborted = 1;
    r->keepalive = 0;

    if (h1->finishing) {
        lun_h1_drop(r);
        return;
    }

    lun_http_get(r);
    enter(h1, &lost);

    if (lun_body_is_open(r)) {
        lun_body_fail(r, 400);
    }

    if (r->takeover != NULL) {
        (void) r->takeover->on_gone(r);
    }

    lun_http_tell_gone(r);
    lun_http_put(r);
}


static void
watch(lun_request *r)
{
    lun_h1  *h1 = lun_h1_of_request(r);

    if (!h1->finishing) {
        watch_client(h1);
    }
}


/* --- the protocol -------------------------------------------------------- */

static lun_rc
send_body(lun_request *r, lun_buf *in)
{
    lun_rc  rc = lun_h1_send_body(r, in);

    if (rc == LUN_AGAIN) {
        lun_h1_wait_for_output(r->stream);
    }

    return rc;
}


static const lun_str  names[] = {
    LUN_STR_INIT("http/1.1"),
    LUN_STR_INIT("http/1.0"),
    LUN_STR_INIT("http/0.9"),
    LUN_STR_NULL
};

const lun_http_protocol  lun_h1_protocol = {
    .names         = names,
    .begin         = lun_h1_begin,
    .stream_size   = sizeof(lun_h1),
    .is_raw        = true,
    .send_header   = lun_h1_send_header,
    .send_body     = send_body,
    .pull_body     = pull_body,
    .send_continue = lun_h1_send_continue,
    .send_hints    = lun_h1_send_hints,
    .hand_over     = lun_h1_hand_over,
    .make_room     = lun_h1_make_room,
    .watch         = watch,
    .finish        = lun_h1_finish,
    .drop          = lun_h1_drop,
};
