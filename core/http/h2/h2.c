/*
 * h2.c -- an HTTP/2 connection.
 *
 * nghttp2 is a machine over bytes: it never sees the socket.  A turn gives it
 * what has come, lets the streams that something has happened to take their
 * step, and sends what has gathered, in as few sends as it fits into:
 *
 *     input > frames > steps of streams > frames > output
 *
 * Handlers run in the steps, never inside nghttp2.  What they have to say
 * between turns (a timer, a Lua thread) asks for a turn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/h2/h2_priv.h"
#include "os/stat_cache.h"


enum {
    OUT_SIZE  = 33280,             /* frames gathered for one send: two of the
                                      longest, or four of http2_chunk_size */
    IN_SIZE   = 32768,             /* input, while bodies come */
    BURST     = 8 * OUT_SIZE,      /* sent before it is the others' turn */
    STEPS     = 64,                /* of streams, before the same */
    SPARES    = 16                 /* output buffers kept for the next */
};

static char      *spares[SPARES];
static unsigned   spare_count;

static void  turn(lun_h2 *h2);

/* They are entered where they begin; the others at the end of a turn. */
static const lun_conn_state  sending, lost;


static lun_h2 *
h2_of(lun_conn *c)
{
    lun_h2  *h2 = c->data;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);
    LUN_CHECK(h2->c == c);
    return h2;
}


/* --- which protocol ------------------------------------------------------ */

static const lun_h2_conf *
conf_of(const lun_listen_addr *listen)
{
    return lun_server_map_default(listen->servers)->conf[lun_http_h2.index];
}


bool
lun_h2_enabled(const lun_listen_addr *listen)
{
    return (listen->own & LUN_HTTP_LISTEN_H2) != 0 || conf_of(listen)->enabled;
}


lun_http_guess
lun_h2_guess(const char *data, size_t size)
{
    size_t  n = lun_min(size, sizeof(LUN_H2_PREFACE) - 1);

    if (memcmp(data, LUN_H2_PREFACE, n) != 0) {
        return LUN_HTTP_NO;
    }

    return n == sizeof(LUN_H2_PREFACE) - 1 ? LUN_HTTP_YES : LUN_HTTP_MAYBE;
}


/* --- output -------------------------------------------------------------- */

static void
take_out(lun_h2 *h2)
{
    if (h2->out == NULL) {
        h2->out = spare_count > 0 ? spares[--spare_count]
                                  : lun_malloc(OUT_SIZE);
        h2->out_pos = 0;
        h2->out_len = 0;
    }
}


static void
give_out(lun_h2 *h2)
{
    LUN_CHECK(h2->out_pos <= h2->out_len);

    if (h2->out == NULL) {
        return;
    }

    if (spare_count < SPARES) {
        spares[spare_count++] = h2->out;

    } else {
        lun_free(h2->out);
    }

    h2->out = NULL;
}


static void
break_up(lun_h2 *h2)
{
    LUN_CHECK_MARK(h2, LUN_MARK_H2);

    h2->broken = 1;
    h2->again = 1;

    if (h2->c->state != &lost) {
        lun_conn_enter(h2->c, &lost);
    }

    lun_list_each(&h2->streams, at) {
        lun_h2_ready(lun_container_of(at, lun_h2_stream, link));
    }
}


lun_rc
lun_h2_send_out(lun_h2 *h2, bool more)
{
    size_t     sent;
    lun_err    err;
    lun_slice  slice = { h2->out + h2->out_pos, h2->out_len - h2->out_pos };

    LUN_CHECK(!lun_conn_writing(h2->c));

    err = lun_conn_send(h2->c, &slice, 1, more, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        lun_log(LUN_LOG_INFO, &h2->c->log, err, "writev() failed");
        break_up(h2);
        return LUN_ERROR;
    }

    h2->out_pos += sent;
    h2->burst += sent;

    if (h2->out_pos < h2->out_len) {
        return LUN_AGAIN;
    }

    h2->out_pos = 0;
    h2->out_len = 0;
    return LUN_OK;
}


/* OK: there is room again; AGAIN: the rest is on its way. */
static lun_rc
push_out(lun_h2 *h2)
{
    lun_rc     rc = lun_h2_send_out(h2, false);
    lun_slice  slice;

    if (rc != LUN_AGAIN) {
        return rc;
    }

    slice.data = h2->out + h2->out_pos;
    slice.len = h2->out_len - h2->out_pos;
    lun_conn_write(h2->c, &slice, 1);

    /* Still sending, but not the same: the time begins anew in either case. */
    lun_conn_enter(h2->c, &sending);
    return LUN_AGAIN;
}


char *
lun_h2_make_room(lun_h2 *h2, size_t size)
{
    LUN_CHECK(size <= OUT_SIZE && h2->frame_len == 0);

    if (h2->out != NULL && OUT_SIZE - h2->out_len < size) {
        h2->crowded = 1;
        return NULL;
    }

    if (h2->broken || h2->burst >= BURST) {
        return NULL;
    }

    take_out(h2);
    return h2->out + h2->out_len;
}


/*
 * Another frame, or a part of one, goes to the buffer.  AGAIN: none is left,
 * or the next has no room there.
 */
static lun_rc
gather(lun_h2 *h2)
{
    size_t   n;
    ssize_t  len;

    if (h2->frame_len == 0) {
        len = lun_h2_next_frame(h2);

        if (h2->broken) {
            return LUN_ERROR;
        }

        if (len < 0) {
            lun_log(h2->c->gone ? LUN_LOG_INFO : LUN_LOG_ALERT, &h2->c->log,
                    0, "HTTP/2 output failed: %s",
                    nghttp2_strerror((int) len));
            break_up(h2);
            return LUN_ERROR;
        }

        if (len == 0) {
            return LUN_AGAIN;
        }

        h2->frame_len = (size_t) len;
    }

    take_out(h2);
    n = lun_min(h2->frame_len, OUT_SIZE - h2->out_len);
    memcpy(h2->out + h2->out_len, h2->frame, n);
    h2->out_len += n;
    h2->frame += n;
    h2->frame_len -= n;

    return LUN_OK;
}


static void
send_all(lun_h2 *h2)
{
    lun_rc  rc;

    while (!h2->broken && !lun_conn_writing(h2->c)) {
        if (h2->burst >= BURST) {
            return;
        }

        h2->crowded = 0;

        do {
            rc = gather(h2);
        } while (rc == LUN_OK && h2->out_len < OUT_SIZE);

        if (rc == LUN_ERROR || h2->out == NULL || h2->out_len == 0) {
            break;
        }

        if (push_out(h2) != LUN_OK || (rc == LUN_AGAIN && !h2->crowded)) {
            break;
        }
    }

    if (!lun_conn_writing(h2->c) && h2->out_len == h2->out_pos) {
        give_out(h2);
    }
}


/* --- input --------------------------------------------------------------- */

static void
say_bad(lun_h2 *h2, ssize_t rc)
{
    if (rc == NGHTTP2_ERR_BAD_CLIENT_MAGIC) {
        lun_log(LUN_LOG_INFO, &h2->c->log, 0, "invalid connection preface");

    } else if (rc == NGHTTP2_ERR_FLOODED) {
        lun_log(LUN_LOG_INFO, &h2->c->log, 0, "http2 flood detected");

    } else {
        lun_log(LUN_LOG_INFO, &h2->c->log, 0, "HTTP/2 input failed: %s",
                nghttp2_strerror((int) rc));
    }
}


/* A flood, or what nghttp2 can make nothing of: the last words, and the end. */
static void
give_up(lun_h2 *h2, ssize_t rc)
{
    if (!h2->flooded) {
        say_bad(h2, rc);
    }

    if (rc != NGHTTP2_ERR_BAD_CLIENT_MAGIC) {
        lun_h2_end(h2, NGHTTP2_ENHANCE_YOUR_CALM);
        send_all(h2);
    }

    break_up(h2);
}


/* After nghttp2 has given a client up it is not to be given more. */
static void
take_input(lun_h2 *h2)
{
    size_t     n;
    ssize_t    rc = 0;
    lun_conn  *c = h2->c;

    LUN_CHECK(c->in.pos <= c->in.last);

    n = (size_t) (c->in.last - c->in.pos);

    if (n == 0 || h2->broken) {
        return;
    }

    h2->fresh = 0;
    lun_h2_charge(h2, n);

    rc = lun_h2_feed(h2, lun_str_of(c->in.pos, n));
    c->in.pos = c->in.last;

    if (h2->flooded || rc < 0) {
        give_up(h2, rc);
    }
}


/*
 * A connection that waits has its small buffer; one that fills it while it is
 * served gets a larger one.
 */
static void
want_input(lun_h2 *h2)
{
    bool       full;
    lun_conn  *c = h2->c;

    if (lun_conn_reading(c)) {
        return;
    }

    full = c->in.last == c->in.end;

    if (!h2->own.is_set && full && h2->stream_count > 0) {
        size_t  size = lun_min((size_t) IN_SIZE,
                               h2->h2_conf->recv_buffer_size);

        lun_conn_set_input(c, lun_malloc(size), size, &h2->own);

    } else if (h2->own.is_set && h2->stream_count == 0) {
        lun_free(c->in.start);
        lun_conn_restore_input(c, &h2->own);
    }

    c->in.pos = c->in.start;
    c->in.last = c->in.start;
    lun_conn_want(c);
}


/* --- states -------------------------------------------------------------- */

static void
on_event(lun_conn *c)
{
    turn(h2_of(c));
}


static void
gone(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    if (h2->stream_count > 0) {
        lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0, "client "
                "prematurely closed connection");
    } else {
        lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0, "client closed "
                "connection");
    }

    break_up(h2);
    turn(h2);
}


static void
timed_out(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    lun_log(LUN_LOG_INFO, &c->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    h2->timed_out = 1;
    break_up(h2);
    turn(h2);
}


/* Idle for too long, or its place is wanted for a new client. */
static void
close_idle(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    lun_h2_end(h2, NGHTTP2_NO_ERROR);
    turn(h2);
}


static void
took_output(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    h2->out_pos += (size_t) lun_conn_written(c);

    if (h2->out_pos < h2->out_len && push_out(h2) == LUN_AGAIN) {
        return;
    }

    h2->out_pos = 0;
    h2->out_len = 0;
    turn(h2);
}


static void
told_to_quit(lun_conn *c)
{
    lun_h2_quit(h2_of(c));
}


static void
dump_streams(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    lun_list_each(&h2->streams, at) {
        lun_http_dump(lun_container_of(at, lun_h2_stream, link)->r);
    }
}


/* What works on without a client is looked at again, and again after that. */
static void
look_again(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    LUN_CHECK(h2->broken);
    lun_conn_touch(c);
    break_up(h2);
    turn(h2);
}


/* Nothing but the client's preface has come. */
static const lun_conn_state  waiting = {
    .name       = "h2 waiting",
    .doing      = "waiting for request",
    .on_read    = on_event,
    .on_timeout = timed_out,
    .on_gone    = gone,
    .on_drain   = close_idle,
    .on_quit    = told_to_quit,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};

static const lun_conn_state  keepalive = {
    .name       = "h2 keepalive",
    .doing      = "keepalive",
    .on_read    = on_event,
    .on_timeout = close_idle,
    .on_gone    = gone,
    .on_drain   = close_idle,
    .on_quit    = told_to_quit,
    .timeout    = LUN_TIMEOUT(lun_core_conf, keepalive.timeout),
};

static const lun_conn_state  reading = {
    .name       = "h2 reading",
    .doing      = "reading client request headers",
    .on_read    = on_event,
    .on_timeout = timed_out,
    .on_gone    = gone,
    .on_quit    = told_to_quit,
    .on_dump    = dump_streams,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};

static const lun_conn_state  serving = {
    .name       = "h2 serving",
    .doing      = "processing HTTP/2 connection",
    .on_read    = on_event,
    .on_gone    = gone,
    .on_quit    = told_to_quit,
    .on_dump    = dump_streams,
};

static const lun_conn_state  sending = {
    .name       = "h2 sending",
    .doing      = "sending to client",
    .on_read    = on_event,
    .on_written = took_output,
    .on_timeout = timed_out,
    .on_gone    = gone,
    .on_quit    = told_to_quit,
    .on_dump    = dump_streams,
    .timeout    = LUN_TIMEOUT(lun_core_conf, send_timeout),
};

/*
 * The client is lost; handlers that work for it end by limits of their own.
 * Nothing is read any more, so this state needs an end itself: a stream that
 * nobody wakes would keep the connection for ever.
 */
static const lun_conn_state  lost = {
    .name       = "h2 lost",
    .doing      = NULL,
    .on_timeout = look_again,
    .on_dump    = dump_streams,
    .timeout    = LUN_TIMEOUT(lun_core_conf, send_timeout),
};


/* --- the end ------------------------------------------------------------- */

static void
on_free(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    LUN_CHECK(h2->stream_count == 0 && lun_list_empty(&h2->streams));
    LUN_CHECK(lun_list_empty(&h2->ready));

    if (h2->own.is_set) {
        lun_free(c->in.start);
        lun_conn_restore_input(c, &h2->own);
    }

    give_out(h2);
    nghttp2_session_del(h2->session);
    h2->mark = LUN_MARK_DEAD;
    lun_free(h2);
    c->data = NULL;
}


/* Neither side has anything to say: nghttp2 has given the client up. */
static bool
has_ended(const lun_h2 *h2)
{
    return !h2->broken && !lun_conn_writing(h2->c) && h2->frame_len == 0
           && !nghttp2_session_want_read(h2->session)
           && !nghttp2_session_want_write(h2->session);
}


/*
 * Without a request the time runs from the end of the last one: neither a PING
 * nor an answer to it that waits for the socket puts the end off.
 */
static void
limit_idleness(lun_h2 *h2, lun_msec limit)
{
    lun_msec  passed = lun_clock.mono - h2->idle_from;

    lun_conn_limit(h2->c, limit - lun_min(limit, passed));
}


/* Nothing of a request is there: it has been served, or none has come yet. */
static void
be_idle(lun_h2 *h2)
{
    const lun_conn_state  *state = h2->served ? &keepalive : &waiting;

    lun_conn_set_idle(h2->c, true);

    if (h2->c->state != state) {
        lun_conn_enter(h2->c, state);
    }

    /* The same state: a request may have begun and ended in this turn. */
    limit_idleness(h2, h2->served ? h2->conf->keepalive.timeout
                                  : h2->conf->client_header_timeout);
}


/* A turn is over, and has left nothing on its way to the client. */
static void
rest(lun_h2 *h2)
{
    lun_conn              *c = h2->c;
    const lun_conn_state  *state = h2->headers > 0 ? &reading : &serving;

    if (h2->headers == 0 && h2->stream_count == 0) {
        be_idle(h2);
        return;
    }

    lun_conn_set_idle(c, false);

    if (c->state != state) {
        lun_conn_enter(c, state);
    }
}


/* What the connection waits for from now on. */
static void
end_turn(lun_h2 *h2)
{
    LUN_CHECK_MARK(h2, LUN_MARK_H2);
    LUN_CHECK(!h2->busy);

    if (h2->broken && h2->stream_count == 0) {
        lun_h2_close(h2);
        return;
    }

    if (h2->broken || lun_conn_writing(h2->c)) {
        lun_conn_set_idle(h2->c, false);

    } else {
        rest(h2);
    }

    /* Whoever was told to go is not listened to while the words are sent. */
    if (!h2->broken && !h2->ended) {
        want_input(h2);
    }
}


/* --- turns --------------------------------------------------------------- */

static unsigned
run_streams(lun_h2 *h2)
{
    unsigned        n;
    lun_h2_stream  *s;

    for (n = 0; n < STEPS && !lun_list_empty(&h2->ready); n++) {
        s = lun_container_of(h2->ready.next, lun_h2_stream, ready);
        lun_list_remove(&s->ready);
        lun_h2_step(s);
    }

    return n;
}


static void
turn(lun_h2 *h2)
{
    unsigned  steps = 0;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);

    if (h2->busy) {
        h2->again = 1;
        return;
    }

    h2->busy = 1;
    h2->burst = 0;
    take_input(h2);
    lun_stat_cache_hold(true);     /* what came together is looked at once */

    do {
        h2->again = 0;
        steps += run_streams(h2);
        send_all(h2);

        if (has_ended(h2)) {
            break_up(h2);
        }
    } while (h2->again && h2->burst < BURST && steps < STEPS);

    lun_stat_cache_hold(false);
    h2->busy = 0;

    /* Streams that are ready have nobody else to wake them. */
    if (h2->again || h2->burst >= BURST || !lun_list_empty(&h2->ready)) {
        lun_h2_wake(h2);           /* first the others */
    }

    end_turn(h2);
}


static void
on_task(lun_task *task)
{
    turn(lun_container_of(task, lun_h2, task));
}


void
lun_h2_wake(lun_h2 *h2)
{
    LUN_CHECK_MARK(h2, LUN_MARK_H2);

    if (h2->busy) {
        h2->again = 1;

    } else {
        lun_loop_post(h2->c->loop, &h2->task, on_task);
    }
}


void
lun_h2_ready(lun_h2_stream *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    if (lun_list_empty(&s->ready)) {
        lun_list_push_back(&s->h2->ready, &s->ready);
    }

    lun_h2_wake(s->h2);
}


/* --- the beginning ------------------------------------------------------- */

static lun_h2 *
new_h2(lun_conn *c)
{
    lun_h2                 *h2 = lun_calloc(sizeof(*h2));
    const lun_listen_addr  *listen = lun_listen_of(c);
    const lun_server       *server = lun_server_map_default(listen->servers);

    h2->mark = LUN_MARK_H2;
    h2->c = c;
    h2->listen = listen;
    h2->conf = server->conf[lun_http_core.index];
    h2->charged = lun_clock.mono;
    h2->idle_from = lun_clock.mono;
    h2->h2_conf = conf_of(listen);
    lun_list_init(&h2->streams);
    lun_list_init(&h2->ready);

    h2->session = lun_h2_session(h2);

    if (h2->session == NULL) {
        lun_free(h2);
        return NULL;
    }

    return h2;
}


void
lun_h2_begin(lun_conn *c)
{
    lun_h2  *h2 = new_h2(c);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    if (h2 == NULL) {
        lun_log(LUN_LOG_ALERT, &c->log, 0, "no memory for an HTTP/2 "
                "connection");
        lun_conn_close(c);
        return;
    }

    c->data = h2;
    c->on_free = on_free;
    c->timeouts = h2->conf;
    c->log.context = lun_http_context;
    c->log.owner = c;

    if (h2->conf->tcp_nodelay) {
        lun_conn_nodelay(c);
    }

    lun_conn_enter(c, &waiting);
    turn(h2);
}
