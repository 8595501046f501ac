/*
 * accept.c -- a new connection, up to the first phase; and what a preread
 * handler waits for.
 *
 *     (PROXY header) > phases > prereading ...
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "stream/engine.h"

#include "session/proxied.h"
#include "stream/conf/core_conf.h"
#include "stream/conf/stream_conf.h"
#include "stream/stream.h"


enum {
    SMALL   = 256,                 /* input that nobody may ever look at */
    PROXIED = 4096                 /* what a PROXY header may have */
};

static lun_name_servers *
resolver_of(const lun_block *b, lun_msec *timeout)
{
    const lun_stream_core_conf  *core = b->confs[lun_stream_core.index];

    *timeout = core->resolver_timeout;
    return core->resolver;
}


const lun_protocol  lun_stream_protocol = {
    .name = "stream",
    .level = LUN_STREAM,
    .levels = LUN_STREAM_LEVELS | LUN_STREAM_UPSTREAM,
    .resolver = resolver_of,
    .finish = lun_stream_finish_conf,
    .active = lun_stream_active,
    .session_name = "stream session",
};


/* --- the log ------------------------------------------------------------- */

/* nginx's word for a session of datagrams. */
static const char *
kind_of(const lun_conn *c)
{
    return c->datagram ? "udp " : "";
}


/* ", client: 127.0.0.1, server: 0.0.0.0:80, upstream: ..." */
static char *
put_context(void *owner, char *p, const char *end)
{
    char                       room[LUN_ADDR_TEXT];
    const lun_conn            *c = owner;
    const lun_stream_session  *s = c->data;

    p = lun_fmt(p, end, ", %sclient: %.*s, server: %.*s", kind_of(c),
                LUN_S(lun_addr_format(&c->remote, false, room, sizeof(room))),
                LUN_S(c->listener->text));

    return s != NULL && s->context != NULL
           ? s->context(s->context_owner, p, end) : p;
}


static void
say_connected(const lun_conn *c)
{
    char  room[LUN_ADDR_TEXT];

    lun_log(LUN_LOG_INFO, &c->log, 0, "%sclient %.*s connected to %.*s",
            kind_of(c),
            LUN_S(lun_addr_format(&c->remote, true, room, sizeof(room))),
            LUN_S(c->listener->text));
}


/* --- prereading ---------------------------------------------------------- */

static void
look_again(lun_conn *c)
{
    lun_stream_resume(lun_stream_session_at(c));
}


/* Too slow, or gone: nobody is served, and nothing is wrong. */
static void
end_early(lun_conn *c)
{
    lun_stream_finish(lun_stream_session_at(c), LUN_STATUS + 200);
}


static const lun_conn_state  prereading = {
    .name       = "stream prereading",
    .doing      = "prereading client data",
    .on_read    = look_again,
    .on_timeout = end_early,
    .on_gone    = end_early,
    .timeout    = LUN_TIMEOUT(lun_stream_core_conf, preread_timeout),
};

/* A handler of some other phase waits; the client is not looked at. */
static const lun_conn_state  running = {
    .name       = "stream running",
    .doing      = "initializing session",
};


lun_verdict
lun_stream_more(lun_stream_session *s)
{
    size_t       size = lun_stream_core_of(s)->preread_buffer_size;
    lun_conn    *c = s->conn;

    if (c->eof || c->gone) {
        return LUN_STATUS + 200;
    }

    if ((size_t) (c->in.last - c->in.pos) >= size) {
        c->log.doing = prereading.doing;
        lun_log(LUN_LOG_ERR, &c->log, 0, "preread buffer full");
        return LUN_STATUS + 400;
    }

    if (!lun_conn_reading(c)) {
        if ((size_t) (c->in.end - c->in.start) < size) {
            lun_conn_grow(c, size);

        } else if (c->in.last == c->in.end) {
            lun_conn_compact(c);
        }
    }

    /* One limit for all of it. */
    if (c->state != &prereading) {
        c->timeouts = lun_stream_core_of(s);
        lun_conn_enter(c, &prereading);
    }

    lun_conn_want(c);
    return LUN_WAIT;
}


/* --- the beginning ------------------------------------------------------- */

static void
read_proxied(lun_conn *c)
{
    lun_stream_session  *s = c->data;

    switch (lun_proxied_read(c)) {

    case LUN_AGAIN:
        lun_conn_want(c);
        return;

    case LUN_ERROR:
        lun_stream_finish(s, LUN_STATUS + 400);
        return;

    case LUN_OK:
        lun_conn_enter(c, &running);
        lun_stream_run(s);
        return;
    }
}


static const lun_conn_state  reading_proxied = {
    .name       = "stream PROXY header",
    .doing      = "reading PROXY protocol",
    .on_read    = read_proxied,
    .on_timeout = end_early,
    .on_gone    = end_early,
    .timeout    = LUN_TIMEOUT(lun_stream_core_conf, proxy_protocol_timeout),
};


static size_t
input_size(const lun_listen_addr *listen, const lun_stream_core_conf *conf)
{
    const lun_stream_engine  *e = lun_stream_engine_of(listen->engine);

    return e->prereads || listen->proxy_protocol
           ? lun_max(conf->preread_buffer_size, (size_t) PROXIED) : SMALL;
}


/*
 * The context is left out of the first line, which says itself who has
 * connected.
 */
static void
begin(lun_conn *c)
{
    lun_stream_session     *s;
    const lun_listen_addr  *listen = lun_listen_of(c);

    s = lun_stream_session_new(c, listen);
    lun_stream_use_log(s);
    c->log.context = NULL;
    c->log.doing = NULL;
    say_connected(c);

    c->log.context = put_context;
    c->log.owner = c;
    c->timeouts = lun_stream_core_of(s);

    if (!listen->proxy_protocol) {
        lun_conn_enter(c, &running);
        lun_stream_run(s);
        return;
    }

    lun_conn_enter(c, &reading_proxied);

    if (c->in.pos != c->in.last) {
        read_proxied(c);

    } else {
        lun_conn_want(c);
    }
}


void
lun_stream_accept(lun_listener *l, lun_fd fd, const lun_addr *peer)
{
    lun_conn                    *c;
    const lun_server            *server;
    const lun_listen_addr       *listen = l->data;
    const lun_stream_core_conf  *conf;

    server = lun_server_map_default(listen->servers);
    conf = server->conf[lun_stream_core.index];
    c = lun_conn_accept(l, fd, peer, input_size(listen, conf),
                        conf->error_log != NULL ? conf->error_log
                                                : &listen->engine->gen->log);
    if (c != NULL) {               /* else it is logged */
        begin(c);
    }
}


/* Of another listener; or a session of datagrams, whose first waits. */
void
lun_stream_adopt(lun_listener *l, lun_conn *c)
{
    c->listener = l;
    begin(c);
}
