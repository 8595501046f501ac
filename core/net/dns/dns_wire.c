/*
 * dns_wire.c -- one connected datagram socket per name server, and a
 * connection per question whose answer did not fit into a datagram.
 *
 * The wire may go while the system still has a read buffer of ours: each
 * channel is an allocation of its own and goes with its last operation.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dns/dns_wire.h"

#include "base/check.h"
#include "base/list.h"
#include "net/conn.h"


enum {
    DATAGRAM    = 4096,            /* we never ask for more than 512 */
    TCP_FIRST   = 1024,
    TCP_LIMIT   = 5000,            /* ms for a whole upstream request */
    RENEW       = 180000,          /* ms that queries go from one port */
    ANSWERS     = 60000,           /* ms that it is still listened at */
    PREFIX      = 2,               /* bytes of length before a message */
    QUERY_MAX   = 512
};

typedef struct {
    lun_stream      stream;
    lun_dns_wire   *wire;          /* NULL: it has gone */
    size_t          server;
    lun_msec        opened;
    lun_timer       end;           /* of one that only hears answers yet */
    lun_list        link;          /* in wire->leaving then */
    bool            in_call;       /* its buffer is being read */
    uint8_t         buf[DATAGRAM];
} channel;

/* A question over TCP: the data of its connection. */
typedef struct {
    lun_list        link;
    lun_conn       *conn;
    lun_dns_wire   *wire;          /* NULL: it has gone */
    size_t          server;
    bool            in_call;       /* its answer is being read */
    size_t          len;
    size_t          sent;
    uint8_t         query[PREFIX + QUERY_MAX];
} upreq;

struct lun_dns_wire {
    lun_loop             *loop;
    const lun_log        *log;
    lun_dns_message_fn   *on_message;
    void                 *owner;
    lun_list              exchanges;
    lun_list              leaving;
    size_t                count;
    channel             **channels;
    lun_addr              servers[];
};


lun_dns_wire *
lun_dns_wire_new(lun_loop *loop, const lun_addr *servers, size_t count,
    const lun_log *log, lun_dns_message_fn *on_message, void *owner)
{
    lun_dns_wire  *wire;

    LUN_CHECK(count != 0 && on_message != NULL);

    wire = lun_calloc(sizeof(lun_dns_wire) + count * sizeof(lun_addr));
    wire->channels = lun_calloc(count * sizeof(channel *));
    wire->loop = loop;
    wire->log = log;
    wire->on_message = on_message;
    wire->owner = owner;
    wire->count = count;
    lun_list_init(&wire->exchanges);
    lun_list_init(&wire->leaving);
    memcpy(wire->servers, servers, count * sizeof(lun_addr));

    return wire;
}


static char *
put_server(void *owner, char *p, const char *end)
{
    char  text[LUN_ADDR_TEXT];

    return lun_fmt(p, end, ", resolver: %.*s",
                   LUN_S(lun_addr_format(owner, true, text, sizeof(text))));
}


/* What a network does; an error that it does not do is the system's. */
static lun_log_level
level_of(lun_err err)
{
    switch (lun_err_kind_of(err)) {

    case LUN_ERR_REFUSED:
    case LUN_ERR_RESET:
    case LUN_ERR_TIMEOUT:
    case LUN_ERR_UNREACHABLE:
        return LUN_LOG_ERR;

    default:
        return LUN_LOG_ALERT;
    }
}


static void
complain(lun_dns_wire *wire, size_t server, const char *call, lun_err err)
{
    lun_log  log = *(wire->log != NULL ? wire->log : lun_log_default());

    LUN_CHECK(server < wire->count);

    log.doing = "resolving";
    log.context = put_server;
    log.owner = &wire->servers[server];

    lun_log(level_of(err), &log, err, "%s failed", call);
}


/* --- datagrams ----------------------------------------------------------- */

static void
close_channel(channel *ch)
{
    if (ch->wire != NULL) {
        if (ch->wire->channels[ch->server] == ch) {
            ch->wire->channels[ch->server] = NULL;

        } else {
            lun_list_remove(&ch->link);
            lun_timer_stop(&ch->end);
        }

        ch->wire = NULL;
        lun_port_close(&ch->stream);
    }

    if (!lun_port_busy(&ch->stream) && !ch->in_call) {
        lun_free(ch);
    }
}


/*
 * An error is mostly an ICMP message about what was sent before.  The socket
 * is opened anew for the next query, from another port.
 */
static void
on_datagram(lun_op *op)
{
    channel       *ch = lun_container_of(op, channel, stream.in);
    lun_dns_wire  *wire = ch->wire;

    if (wire == NULL) {
        close_channel(ch);
        return;
    }

    if (op->err != 0) {
        complain(wire, ch->server, "recv()", op->err);
        close_channel(ch);
        return;
    }

    ch->in_call = true;
    wire->on_message(wire->owner, ch->server, ch->buf, (size_t) op->result);
    ch->in_call = false;

    if (ch->wire == NULL) {
        close_channel(ch);             /* meanwhile a query could not go */
        return;
    }

    lun_port_read(&ch->stream, ch->buf, sizeof(ch->buf), on_datagram);
}


/*
 * Connected, so that the system drops what others than this server send, and
 * tells us that nobody listens there.
 */
static channel *
open_channel(lun_dns_wire *wire, size_t server)
{
    lun_fd           fd;
    lun_err          err;
    channel         *ch;
    const lun_addr  *addr = &wire->servers[server];

    LUN_CHECK(wire->channels[server] == NULL);

    err = lun_sock_datagram(addr->family, &fd);

    if (err != 0) {
        complain(wire, server, "socket()", err);
        return NULL;
    }

    ch = lun_calloc(sizeof(channel));
    err = lun_sock_connect_datagram(fd, addr);

    if (err == 0) {
        err = lun_port_attach(wire->loop->port, &ch->stream, fd, true);
    }

    if (err != 0) {
        complain(wire, server, "connect()", err);
        lun_sock_close(fd);
        lun_free(ch);
        return NULL;
    }

    ch->wire = wire;
    ch->server = server;
    ch->opened = lun_clock.mono;
    wire->channels[server] = ch;
    lun_port_read(&ch->stream, ch->buf, sizeof(ch->buf), on_datagram);

    return ch;
}


static void
on_old(lun_timer *timer)
{
    close_channel(lun_container_of(timer, channel, end));
}


/*
 * Whoever forges answers has to guess our port as well: it is another one
 * every few minutes.  What was asked from the old one may still be answered.
 */
static void
renew(channel *ch)
{
    lun_dns_wire  *wire = ch->wire;

    if (lun_clock.mono - ch->opened < RENEW) {
        return;
    }

    wire->channels[ch->server] = NULL;
    lun_list_push_back(&wire->leaving, &ch->link);
    ch->end.idle = true;
    lun_timer_start(wire->loop, &ch->end, ANSWERS, on_old);
}


/*
 * A question that could not be sent is as one that is not answered: the
 * time-out of whoever asked goes on.
 */
void
lun_dns_wire_send(lun_dns_wire *wire, size_t server, const uint8_t *query,
    size_t len)
{
    size_t      sent;
    lun_err     err;
    channel    *ch;
    lun_slice   slice = { (const char *) query, len };

    LUN_CHECK(server < wire->count);

    if (wire->channels[server] != NULL) {
        renew(wire->channels[server]);
    }

    ch = wire->channels[server];

    if (ch == NULL) {
        ch = open_channel(wire, server);

        if (ch == NULL) {
            return;
        }
    }

    err = lun_port_send(&ch->stream, &slice, 1, false, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        complain(wire, server, "send()", err);
        close_channel(ch);
    }
}


/* --- connections --------------------------------------------------------- */

static void  send_query(lun_conn *c);
static void  read_answer(lun_conn *c);


static void
end_upreq(lun_conn *c)
{
    upreq  *x = c->data;

    lun_list_remove(&x->link);
    x->wire = NULL;

    if (!x->in_call) {
        lun_conn_close(c);
    }
}


static void
on_end_of_conn(lun_conn *c)
{
    lun_free(c->data);
}


static void
on_failure(lun_conn *c)
{
    upreq  *x = c->data;

    if (c->err != 0) {
        complain(x->wire, x->server, x->sent == 0 ? "connect()" : "recv()",
                 c->err);
    }

    end_upreq(c);
}


static const lun_conn_state  connecting = {
    .name       = "dns connecting",
    .doing      = "connecting to resolver",
    .on_written = send_query,
    .on_gone    = on_failure,
    .on_timeout = end_upreq,
};

static const lun_conn_state  reading = {
    .name       = "dns reading",
    .doing      = "reading from resolver",
    .on_written = send_query,
    .on_read    = read_answer,
    .on_gone    = on_failure,
    .on_timeout = end_upreq,
};


static void
send_query(lun_conn *c)
{
    upreq      *x = c->data;
    lun_slice   rest;

    LUN_CHECK(x->sent <= x->len);

    x->sent += (size_t) lun_conn_written(c);

    if (c->state == &connecting) {
        lun_conn_enter(c, &reading);
        lun_conn_limit(c, TCP_LIMIT);
        lun_conn_want(c);
    }

    if (x->sent < x->len) {
        rest = (lun_slice) { (char *) x->query + x->sent, x->len - x->sent };
        lun_conn_write(c, &rest, 1);
    }
}


static void
read_answer(lun_conn *c)
{
    size_t                have, want;
    upreq                *x = c->data;
    lun_dns_wire         *wire = x->wire;
    const unsigned char  *p = (const unsigned char *) c->in.pos;

    LUN_CHECK(wire != NULL && !x->in_call);

    have = (size_t) (c->in.last - c->in.pos);
    want = have < PREFIX ? PREFIX : PREFIX + ((size_t) p[0] << 8 | p[1]);

    if (have >= PREFIX && want == PREFIX) {
        end_upreq(c);                  /* a message of nothing is none */
        return;
    }

    if (have < want) {
        if ((size_t) (c->in.end - c->in.pos) < want) {
            lun_conn_grow(c, want);
        }

        lun_conn_want(c);
        return;
    }

    x->in_call = true;
    wire->on_message(wire->owner, x->server, p + PREFIX, want - PREFIX);
    x->in_call = false;
    end_upreq(c);
}


/*
 * An answer that did not fit into a datagram is asked for again; each such
 * question has a connection of its own.
 */
void
lun_dns_wire_send_tcp(lun_dns_wire *wire, size_t server, const uint8_t *query,
    size_t len)
{
    lun_err          err;
    lun_conn        *c;
    upreq           *x;
    const lun_addr  *addr = &wire->servers[server];

    LUN_CHECK(server < wire->count);

    if (len > QUERY_MAX) {
        return;
    }

    c = lun_conn_new_out(wire->loop, addr->family, TCP_FIRST, wire->log, &err);

    if (c == NULL) {
        complain(wire, server, "socket()", err);
        return;
    }

    x = lun_calloc(sizeof(upreq));
    x->conn = c;
    x->wire = wire;
    x->server = server;
    x->len = PREFIX + len;
    x->query[0] = (uint8_t) (len >> 8);
    x->query[1] = (uint8_t) len;
    memcpy(x->query + PREFIX, query, len);
    lun_list_push_back(&wire->exchanges, &x->link);

    c->data = x;
    c->on_free = on_end_of_conn;
    lun_conn_enter(c, &connecting);
    lun_conn_limit(c, TCP_LIMIT);
    lun_conn_connect(c, addr);
}


void
lun_dns_wire_free(lun_dns_wire *wire)
{
    size_t  i;
    upreq  *x;

    for (i = 0; i < wire->count; i++) {
        if (wire->channels[i] != NULL) {
            close_channel(wire->channels[i]);
        }
    }

    while (!lun_list_empty(&wire->leaving)) {
        close_channel(lun_container_of(wire->leaving.next, channel, link));
    }

    while (!lun_list_empty(&wire->exchanges)) {
        x = lun_container_of(wire->exchanges.next, upreq, link);
        end_upreq(x->conn);
    }

    lun_free(wire->channels);
    lun_free(wire);
}
