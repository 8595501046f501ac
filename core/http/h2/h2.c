/*
 * h2.c -- an HTTP/2 connection.
 *
 * A turn reads the frames that have come, lets the streams that something has
 * happened to take their step, and sends what has gathered, in as few sends as
 * it fits into:
 *
 *     input > frames > steps of streams > frames > output
 *
 * Handlers run in the steps, never among frames.  What they have to say
 * between turns (a timer, a Lua thread) asks for a turn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/accept/place.h"
#include "http/accept/request_metrics.h"
#include "http/h2/h2_priv.h"
#include "os/stat_cache.h"


enum {
    IN_SIZE   = 32768,             /* input, while bodies come */
    STEPS     = 64                 /* of streams, before it is the others' */
};

static void  turn(lun_h2 *h2);

/* It is entered where it begins; the others at the end of a turn. */
static const lun_conn_state  lost;


static lun_h2 *
h2_of(lun_conn *c)
{
    lun_h2  *h2 = c->data;

    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);
    LUN_CHECK(h2->mux.c == c);
    return h2;
}


/* --- which protocol ------------------------------------------------------ */

bool
lun_h2_enabled(const lun_listen_addr *listen, const lun_server *server)
{
    const lun_h2_conf  *conf = server->conf[lun_http_h2.index];

    return (listen->own & LUN_HTTP_LISTEN_H2) != 0 || conf->enabled;
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


/* --- the end of all ------------------------------------------------------ */

void
lun_h2_break(lun_h2 *h2)
{
    h2->again = 1;

    if (h2->mux.c->state != &lost) {
        lun_conn_enter(h2->mux.c, &lost);
    }

    lun_mux_break(&h2->mux);
}


/* --- input --------------------------------------------------------------- */

/* After the last GOAWAY nothing of the client's is looked at. */
static void
take_input(lun_h2 *h2)
{
    lun_conn  *c = h2->mux.c;
    lun_str    bytes = lun_str_of(c->in.pos, (size_t) (c->in.last
                                                       - c->in.pos));

    LUN_CHECK(c->in.pos <= c->in.last);

    if (bytes.len == 0 || h2->mux.broken) {
        return;
    }

    h2->fresh = 0;
    c->in.pos = c->in.last;
    lun_h2_charge(h2, bytes.len);

    if (!h2->flooded && lun_h2_feed(h2, bytes) != LUN_OK) {
        lun_h2_break(h2);

    } else if (h2->flooded) {
        lun_h2_send_all(h2);
        lun_h2_break(h2);
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
    lun_conn  *c = h2->mux.c;

    if (lun_conn_reading(c)) {
        return;
    }

    full = c->in.last == c->in.end;

    if (!h2->own.is_set && full && h2->mux.stream_count > 0) {
        size_t  size = lun_min((size_t) IN_SIZE,
                               h2->h2_conf->recv_buffer_size);

        lun_conn_set_input(c, lun_malloc(size), size, &h2->own);

    } else if (h2->own.is_set && h2->mux.stream_count == 0) {
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

    if (h2->mux.stream_count > 0) {
        lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0, "client "
                "prematurely closed connection");
    } else {
        lun_log(LUN_LOG_INFO, &c->log, c->gone ? c->err : 0, "client closed "
                "connection");
    }

    lun_h2_break(h2);
    turn(h2);
}


static void
timed_out(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    lun_log(LUN_LOG_INFO, &c->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    h2->timed_out = 1;
    lun_h2_break(h2);
    turn(h2);
}


/* Idle for too long, or its place is wanted for a new client. */
static void
close_idle(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    lun_h2_end(h2, LUN_H2_NO_ERROR);
    turn(h2);
}


static void
took_output(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    lun_h2_took_output(h2);

    if (!lun_conn_writing(c)) {
        turn(h2);
    }
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

    lun_list_each(&h2->mux.streams, at) {
        lun_http_dump(lun_container_of(at, lun_mux_stream, link)->r);
    }
}


/* What works on without a client is looked at again, and again after that. */
static void
look_again(lun_conn *c)
{
    lun_h2  *h2 = h2_of(c);

    LUN_CHECK(h2->mux.broken);
    lun_conn_touch(c);
    lun_h2_break(h2);
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

/* The time for a header is its stream's: others may be served meanwhile. */
static const lun_conn_state  reading = {
    .name       = "h2 reading",
    .doing      = "reading client request headers",
    .on_read    = on_event,
    .on_gone    = gone,
    .on_quit    = told_to_quit,
    .on_dump    = dump_streams,
};

static const lun_conn_state  serving = {
    .name       = "h2 serving",
    .doing      = "processing HTTP/2 connection",
    .on_read    = on_event,
    .on_gone    = gone,
    .on_quit    = told_to_quit,
    .on_dump    = dump_streams,
};

const lun_conn_state  lun_h2_sending = {
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

    LUN_CHECK(h2->mux.stream_count == 0 && lun_list_empty(&h2->mux.streams));
    LUN_CHECK(lun_list_empty(&h2->mux.ready) && h2->open == 0);

    if (h2->own.is_set) {
        lun_free(c->in.start);
        lun_conn_restore_input(c, &h2->own);
    }

    lun_h2_block_fini(h2);
    lun_h2_output_fini(h2);
    h2->mux.mark = LUN_MARK_DEAD;
    lun_free(h2);
    c->data = NULL;
}


/* The last GOAWAY is out, or one of either side's and no stream is left. */
static bool
has_ended(const lun_h2 *h2)
{
    return !h2->mux.broken && !lun_conn_writing(h2->mux.c)
           && !lun_h2_has_output(h2)
           && (h2->ended || ((h2->leaving || h2->left) && h2->open == 0));
}


/*
 * Without a request the time runs from the end of the last one: neither a PING
 * nor an answer to it that waits for the socket puts the end off.
 */
static void
limit_idleness(lun_h2 *h2, lun_msec limit)
{
    lun_msec  passed = lun_clock.mono - h2->mux.idle_from;

    lun_conn_limit(h2->mux.c, limit - lun_min(limit, passed));
}


/* Nothing of a request is there: it has been served, or none has come yet. */
static void
be_idle(lun_h2 *h2)
{
    const lun_conn_state  *state = h2->mux.served ? &keepalive : &waiting;

    lun_conn_set_idle(h2->mux.c, true);

    if (h2->mux.c->state != state) {
        lun_conn_enter(h2->mux.c, state);
    }

    /* The same state: a request may have begun and ended in this turn. */
    limit_idleness(h2, h2->mux.served ? h2->mux.conf->keepalive.timeout
                                  : h2->mux.conf->client_header_timeout);
}


/* A turn is over, and has left nothing on its way to the client. */
static void
rest(lun_h2 *h2)
{
    lun_conn              *c = h2->mux.c;
    const lun_conn_state  *state = h2->mux.headers > 0 ? &reading : &serving;

    if (h2->mux.headers == 0 && h2->mux.stream_count == 0) {
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
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);
    LUN_CHECK(!h2->busy);

    if (h2->mux.broken && h2->mux.stream_count == 0) {
        lun_h2_close(h2);
        return;
    }

    if (h2->mux.broken || lun_conn_writing(h2->mux.c)) {
        lun_conn_set_idle(h2->mux.c, false);

    } else {
        rest(h2);
    }

    /* Whoever was told to go is not listened to while the words are sent. */
    if (!h2->mux.broken && !h2->ended) {
        want_input(h2);
    }
}


/* --- turns --------------------------------------------------------------- */

static void
turn(lun_h2 *h2)
{
    unsigned  steps = 0;

    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (h2->busy) {
        h2->again = 1;
        return;
    }

    h2->busy = 1;
    lun_conn_serve(h2->mux.c);
    h2->burst = 0;
    take_input(h2);
    lun_mux_await_header(&h2->mux);
    lun_stat_cache_hold(true);     /* what came together is looked at once */

    do {
        h2->again = 0;
        steps += lun_mux_run(&h2->mux, STEPS);
        lun_h2_send_all(h2);

        if (has_ended(h2)) {
            lun_h2_break(h2);
        }
    } while (h2->again && !lun_h2_is_tired(h2) && steps < STEPS);

    lun_stat_cache_hold(false);
    h2->busy = 0;

    /* Streams that are ready have nobody else to wake them. */
    if (h2->again || lun_h2_is_tired(h2) || !lun_list_empty(&h2->mux.ready)) {
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
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (h2->busy) {
        h2->again = 1;

    } else {
        lun_loop_post(h2->mux.c->loop, &h2->task, on_task);
    }
}


/* --- the beginning ------------------------------------------------------- */

/*
 * Until its SETTINGS have come a client has what RFC 9113 says that everybody
 * has.
 */
static lun_h2 *
new_h2(lun_conn *c)
{
    lun_h2                 *h2 = lun_calloc(sizeof(*h2));
    const lun_listen_addr  *listen = lun_listen_of(c);
    const lun_server       *server = lun_http_server_at(c, listen);

    lun_mux_init(&h2->mux, &lun_h2_mux, c, listen, server);
    h2->h2_conf = server->conf[lun_http_h2.index];
    h2->mux.connects = h2->h2_conf->websockets;
    h2->account.charged = lun_clock.mono;
    lun_line_init(&h2->senders);

    lun_frames_init(&h2->frames);
    h2->frames.updates = true;
    h2->decoder.table.max = LUN_HPACK_SIZE;
    h2->decoder.limit = LUN_HPACK_SIZE;
    h2->decoder.most = h2->mux.conf->large_client_header_buffers.size;
    h2->encoder.table.max = LUN_HPACK_SIZE;
    h2->peer_frame = LUN_FRAME_MOST;
    h2->peer_window = LUN_H2_FIRST_WINDOW;
    h2->own_window = LUN_H2_FIRST_WINDOW;
    h2->send_window = LUN_H2_FIRST_WINDOW;
    h2->recv_window = LUN_H2_FIRST_WINDOW;

    return h2;
}


void
lun_h2_begin(lun_conn *c)
{
    lun_h2  *h2 = new_h2(c);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    c->data = h2;
    c->on_free = on_free;
    c->timeouts = h2->mux.conf;
    c->log.context = lun_http_context;
    c->log.owner = c;

    if (h2->mux.conf->tcp_nodelay) {
        lun_conn_nodelay(c);
    }

    lun_h2_put_settings(h2);
    lun_conn_enter(c, &waiting);
    turn(h2);
}
