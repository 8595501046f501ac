/*
 * h3.c -- an HTTP/3 connection.
 *
 * QUIC reads packets and tells what came of which stream; then it lets us take
 * a turn, in which streams that something has happened to take their step, and
 * asks what goes:
 *
 *     received (h3_wire) > turn: steps of streams > next, took (h3_send)
 *
 * Handlers run in the steps, never while packets are read.  What they have to
 * say between turns (a timer, a Lua thread) asks for a turn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3.h"

#include <openssl/ssl.h>

#include "base/check.h"
#include "http/accept/accept.h"
#include "http/accept/log_context.h"
#include "http/accept/place.h"
#include "http/h3/h3_priv.h"
#include "net/conn_metrics.h"
#include "net/tls/tls.h"
#include "os/stat_cache.h"


enum { STEPS = 64 };               /* of streams, before it is the others' */

static void  turn(lun_h3 *h3);


static lun_h3 *
h3_of(lun_conn *c)
{
    lun_h3  *h3 = c->data;

    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);
    LUN_CHECK(h3->mux.c == c);
    return h3;
}


/* --- states -------------------------------------------------------------- */

/* Idle for too long, or its place is wanted for a new client. */
static void
close_idle(lun_conn *c)
{
    lun_h3_end(h3_of(c), LUN_H3_NO_ERROR, NULL);
}


static void
timed_out(lun_conn *c)
{
    lun_h3  *h3 = h3_of(c);

    lun_log(LUN_LOG_INFO, &c->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    h3->timed_out = 1;
    lun_h3_end(h3, LUN_H3_NO_ERROR, NULL);
}


static void
told_to_quit(lun_conn *c)
{
    lun_h3_quit(h3_of(c));
}


static void
dump_streams(lun_conn *c)
{
    lun_h3  *h3 = h3_of(c);

    lun_list_each(&h3->mux.streams, at) {
        lun_http_dump(lun_container_of(at, lun_mux_stream, link)->r);
    }
}


/* What works on without a client is looked at again, and again after that. */
static void
look_again(lun_conn *c)
{
    lun_h3  *h3 = h3_of(c);

    LUN_CHECK(h3->mux.broken);
    lun_conn_touch(c);
    lun_mux_break(&h3->mux);
    turn(h3);
}


/* QUIC speaks for itself; its end comes to lost(). */
static const lun_conn_state  handshaking = {
    .name       = "h3 handshaking",
    .doing      = "SSL handshaking",
    .on_timeout = lun_http_give_up,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};

static const lun_conn_state  waiting = {
    .name       = "h3 waiting",
    .doing      = "waiting for request",
    .on_timeout = timed_out,
    .on_drain   = close_idle,
    .on_quit    = told_to_quit,
    .on_shutdown = close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};

static const lun_conn_state  keepalive = {
    .name       = "h3 keepalive",
    .doing      = "keepalive",
    .on_timeout = close_idle,
    .on_drain   = close_idle,
    .on_quit    = told_to_quit,
    .on_shutdown = close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, keepalive.timeout),
};

/* The time for a header is its stream's: others may be served meanwhile. */
static const lun_conn_state  reading = {
    .name       = "h3 reading",
    .doing      = "reading client request headers",
    .on_quit    = told_to_quit,
    .on_shutdown = close_idle,
    .on_dump    = dump_streams,
};

static const lun_conn_state  serving = {
    .name       = "h3 serving",
    .doing      = "processing HTTP/3 connection",
    .on_quit    = told_to_quit,
    .on_shutdown = close_idle,
    .on_dump    = dump_streams,
};

/* All is said; what was lost on the way is sent again. */
static const lun_conn_state  ending = {
    .name       = "h3 ending",
    .doing      = "closing client connection",
    .on_timeout = close_idle,
    .on_shutdown = close_idle,
    .on_dump    = dump_streams,
    .timeout    = LUN_TIMEOUT(lun_core_conf, lingering_time),
};

/* The client is lost; handlers that work for it end by limits of their own. */
static const lun_conn_state  lost = {
    .name       = "h3 lost",
    .doing      = NULL,
    .on_timeout = look_again,
    .on_dump    = dump_streams,
    .timeout    = LUN_TIMEOUT(lun_core_conf, send_timeout),
};


/* --- turns --------------------------------------------------------------- */

static void
on_task(lun_task *task)
{
    turn(lun_container_of(task, lun_h3, task));
}


void
lun_h3_wake(lun_h3 *h3)
{
    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);

    if (h3->busy) {
        h3->again = 1;

    } else if (h3->mux.broken) {
        lun_loop_post(h3->mux.c->loop, &h3->task, on_task);

    } else {
        lun_quic_wake(h3->q);
    }
}


/*
 * Without a request the time runs from the end of the last one: a PING does
 * not put the end off.
 */
static void
be_idle(lun_h3 *h3)
{
    lun_conn              *c = h3->mux.c;
    lun_msec               limit, passed;
    const lun_conn_state  *state = h3->mux.served ? &keepalive : &waiting;

    lun_conn_set_idle(c, true);

    if (c->state != state) {
        lun_conn_enter(c, state);
    }

    /* The same state: a request may have begun and ended in this turn. */
    limit = h3->mux.served ? h3->mux.conf->keepalive.timeout
                           : h3->mux.conf->client_header_timeout;
    passed = lun_clock.mono - h3->mux.idle_from;
    lun_conn_limit(c, limit - lun_min(limit, passed));
}


static void
rest(lun_h3 *h3)
{
    lun_conn              *c = h3->mux.c;
    const lun_conn_state  *state = h3->mux.headers > 0 ? &reading : &serving;

    if (h3->mux.headers == 0 && h3->mux.stream_count == 0) {
        be_idle(h3);
        return;
    }

    lun_conn_set_idle(c, false);

    if (c->state != state) {
        lun_conn_enter(c, state);
    }
}


/* The last answer has arrived whole: nothing can be lost by the end. */
static bool
has_ended(const lun_h3 *h3)
{
    return (h3->leaving || h3->left) && h3->open == 0
           && h3->mux.stream_count == 0;
}


static void
end_turn(lun_h3 *h3)
{
    lun_conn  *c = h3->mux.c;

    if (h3->mux.broken) {
        if (h3->mux.stream_count == 0) {
            lun_conn_close(c);     /* and, then or later, on_free() */
        }

    } else if (!h3->ended && has_ended(h3)) {
        h3->ended = 1;
        lun_quic_end(h3->q, LUN_H3_NO_ERROR, true);
        lun_conn_enter(c, &ending);

    } else if (!h3->ended) {
        rest(h3);
    }
}


static void
turn(lun_h3 *h3)
{
    unsigned  steps = 0;

    LUN_CHECK_MARK(&h3->mux, LUN_MARK_MUX);

    if (h3->busy) {
        h3->again = 1;
        return;
    }

    h3->busy = 1;
    lun_conn_serve(h3->mux.c);
    lun_mux_await_header(&h3->mux);
    lun_stat_cache_hold(true);     /* what came together is looked at once */

    do {
        h3->again = 0;
        steps += lun_mux_run(&h3->mux, STEPS);
    } while (h3->again && !lun_list_empty(&h3->mux.ready) && steps < STEPS);

    lun_stat_cache_hold(false);

    if (!h3->mux.broken && !h3->ended) {
        lun_h3_open_control(h3);
        lun_h3_tell_encoder(h3);
    }

    h3->busy = 0;

    /* Streams that are ready have nobody else to wake them. */
    if (!lun_list_empty(&h3->mux.ready)) {
        lun_h3_wake(h3);           /* first the others */
    }

    end_turn(h3);
}


static void
on_turn(lun_quic *q)
{
    if (q->data != NULL) {
        turn(q->data);
    }
}


/* --- the end ------------------------------------------------------------- */

static void
on_free(lun_conn *c)
{
    lun_h3  *h3 = h3_of(c);

    LUN_CHECK(h3->mux.stream_count == 0 && lun_list_empty(&h3->mux.streams));
    LUN_CHECK(lun_list_empty(&h3->mux.ready));

    while (!lun_list_empty(&h3->wires)) {
        lun_h3_free_wire(lun_container_of(h3->wires.next, lun_h3_wire, link));
    }

    lun_loop_unpost(&h3->task);
    lun_timer_stop(&h3->drain);
    lun_h3_fields_fini(h3);
    h3->mux.mark = LUN_MARK_DEAD;
    lun_free(h3);
    c->data = NULL;
}


void
lun_h3_break(lun_h3 *h3)
{
    h3->again = 1;

    if (h3->mux.c->state != &lost) {
        lun_conn_enter(h3->mux.c, &lost);
    }

    lun_conn_set_idle(h3->mux.c, false);
    lun_mux_break(&h3->mux);
}


static void
on_lost(lun_quic *q)
{
    lun_h3    *h3 = q->data;
    lun_conn  *c = q->c;

    if (h3 == NULL) {
        lun_conn_close(c);         /* the handshake was not to be */
        return;
    }

    /* What has been answered is no loss. */
    h3->busy = 1;
    (void) lun_mux_run(&h3->mux, STEPS);
    h3->busy = 0;

    lun_log(LUN_LOG_INFO, &c->log, c->err, h3->mux.stream_count > 0
            && !h3->ended ? "client prematurely closed connection"
                          : "client closed connection");
    h3->ended = 1;
    lun_h3_break(h3);
    turn(h3);
}


/* --- the beginning ------------------------------------------------------- */

static lun_h3 *
new_h3(lun_quic *q)
{
    lun_h3                 *h3 = lun_calloc(sizeof(*h3));
    const lun_listen_addr  *listen = lun_listen_of(q->c);
    const lun_server       *server = lun_http_server_at(q->c, listen);

    lun_mux_init(&h3->mux, &lun_h3_mux, q->c, listen, server);
    h3->q = q;
    h3->conf = server->conf[lun_http_h3.index];
    h3->mux.connects = h3->conf->websockets;
    h3->account.charged = lun_clock.mono;
    lun_list_init(&h3->wires);
    lun_list_init(&h3->waiting);
    lun_line_init(&h3->senders);

    return h3;
}


/* ALPN has agreed on one of the two, or there was none. */
static void
on_begin(lun_quic *q)
{
    lun_str               chosen;
    lun_h3               *h3;
    unsigned              len = 0;
    lun_conn             *c = q->c;
    const unsigned char  *name = NULL;

    LUN_CHECK(q->data == NULL);
    SSL_get0_alpn_selected(lun_tls_of(c), &name, &len);
    chosen = lun_str_of((const char *) name, len);

    h3 = new_h3(q);
    q->data = h3;
    c->data = h3;
    c->on_free = on_free;
    c->timeouts = h3->mux.conf;

    if (lun_str_eq(chosen, lun_hq_protocol.names[0])) {
        h3->hq = 1;
        h3->mux.kind = &lun_hq_mux;

    } else if (!lun_str_eq(chosen, lun_h3_protocol.names[0])) {
        lun_h3_end(h3, LUN_H3_GENERAL_ERROR,
                   "client did not negotiate an application protocol");
        return;
    }

    lun_conn_enter(c, &waiting);
    lun_h3_open_control(h3);
}


static void
on_complete(lun_quic *q)
{
    /* What is to be known of it the requests ask TLS for. */
}


const lun_quic_protocol  lun_h3_quic = {
    .begin         = on_begin,
    .complete      = on_complete,
    .received      = lun_h3_received,
    .acked         = lun_h3_acked,
    .was_reset     = lun_h3_was_reset,
    .was_stopped   = lun_h3_was_stopped,
    .stream_closed = lun_h3_stream_closed,
    .may_send      = lun_h3_opened,
    .turn          = on_turn,
    .next          = lun_h3_next,
    .took          = lun_h3_took,
    .blocked       = lun_h3_blocked,
    .lost          = on_lost,
};


/* --- the listener's ------------------------------------------------------ */

static const lun_server *
default_server(const lun_listener *l)
{
    const lun_listen_addr  *listen = l->data;

    return lun_server_map_default(listen->servers);
}


/* The first time that it is asked for: of everybody who listens there. */
static const lun_quic_conf *
conf_of(const lun_listener *l)
{
    lun_quic_conf    *quic;
    lun_listen_addr  *listen = l->data;

    if (listen->quic_conf == NULL) {
        quic = lun_pool_new(listen->engine->gen->pool, lun_quic_conf);
        lun_h3_fill_quic(quic, default_server(l));
        listen->quic_conf = quic;
    }

    return listen->quic_conf;
}


static const lun_log *
log_of(const lun_listener *l)
{
    const lun_core_conf  *conf = default_server(l)->conf[lun_http_core.index];

    return conf->error_log;
}


static lun_rc
accept_quic(lun_listener *l, lun_quic *q)
{
    lun_conn               *c = q->c;
    lun_server             *server;
    const lun_listen_addr  *listen = lun_listen_of(c);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    server = lun_server_map_default(listen->servers);
    q->protocol = &lun_h3_quic;
    c->timeouts = server->conf[lun_http_core.index];
    c->log.context = lun_http_context;
    c->log.owner = c;
    lun_conn_enter(c, &handshaking);
    lun_conn_set_idle(c, true);

    return listen->engine->tls->start(c, server);
}


const lun_quic_service  lun_h3_service = {
    .conf   = conf_of,
    .log    = log_of,
    .accept = accept_quic,
};
