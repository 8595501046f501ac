/*
 * upreq_tunnel.c -- 101, CONNECT: two connections become one, byte by byte.
 *
 * The client's bytes are those of the connection that the protocol hands over:
 * HTTP/1's, or one that stands for a stream.
 *
 * Each direction has one buffer, and reads again when all of it was written:
 * the slower side holds the faster.  It is over when one side has ended.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "base/digest.h"


typedef struct lun_upreq_tunnel  tunnel;

struct lun_upreq_tunnel {
    lun_conn  *client;
    char  *pos;                    /* from the server, not yet written */
    char  *last;
    bool   down_busy;              /* a write is posted */
    bool   up_busy;
    bool   down_ended;
    bool   up_ended;
};


/*
 * What is still on its way to the client is no part of an answer, and is lost
 * if it is a socket that has not taken it; a stream may have had no turn yet.
 */
static void
close_tunnel(lun_upreq *x)
{
    const lun_conn  *client = x->tunnel->client;

    lun_upreq_end(x, client == x->r->conn && lun_conn_writing(client)
                     ? LUN_FAILED : LUN_FINISHED);
}


/*
 * Moves *pos.  OK: all is written; AGAIN: the rest is posted; ERROR: that side
 * is gone.
 */
static lun_rc
forward(lun_conn *to, char **pos, const char *last)
{
    size_t     sent;
    lun_err    err;
    lun_slice  slice = { *pos, (size_t) (last - *pos) };

    LUN_CHECK(*pos <= last);

    if (slice.len == 0) {
        return LUN_OK;
    }

    err = lun_conn_send(to, &slice, 1, false, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        return LUN_ERROR;
    }

    *pos += sent;

    if (sent == slice.len) {
        return LUN_OK;
    }

    slice.data += sent;
    slice.len -= sent;
    lun_conn_write(to, &slice, 1);

    return LUN_AGAIN;
}


/* --- from the client ----------------------------------------------------- */

static void
read_client(lun_upreq *x)
{
    lun_conn  *c = x->tunnel->client;

    if (x->tunnel->down_ended) {
        close_tunnel(x);
        return;
    }

    if (!lun_conn_reading(c)) {
        x->r->protocol->make_room(x->r, x->conf->buffer_size);
        lun_conn_want(c);
    }
}


static void
send_up(lun_upreq *x)
{
    lun_conn  *c = x->tunnel->client;

    lun_conn_touch(x->conn);

    switch (forward(x->conn, &c->in.pos, c->in.last)) {

    case LUN_OK:
        read_client(x);
        return;

    case LUN_AGAIN:
        x->tunnel->up_busy = true;
        return;

    default:
        close_tunnel(x);
    }
}


static void
on_client(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->tunnel != NULL);

    if (x->stage != LUN_UPREQ_END && !x->tunnel->up_busy) {
        send_up(x);
    }
}


static bool
client_gone(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->tunnel != NULL);

    if (x->stage == LUN_UPREQ_END) {
        return true;
    }

    x->tunnel->down_ended = true;

    if (x->tunnel->client->gone || !x->tunnel->up_busy) {
        close_tunnel(x);
    }

    return true;
}


/* --- from the server ----------------------------------------------------- */

static void
read_server(lun_upreq *x)
{
    if (x->tunnel->up_ended) {
        close_tunnel(x);
        return;
    }

    if (!lun_conn_reading(x->conn) && lun_upreq_room_next(x)) {
        lun_conn_want(x->conn);
    }
}


/* Of a stream, frames have counted it. */
static void
count_sent(lun_upreq *x, int64_t n)
{
    if (x->tunnel->client == x->r->conn) {
        x->r->sent += n;
    }
}


static void
send_down(lun_upreq *x)
{
    tunnel       *t = x->tunnel;
    const char   *from = t->pos;
    lun_rc        rc = forward(t->client, &t->pos, t->last);

    count_sent(x, t->pos - from);

    switch (rc) {

    case LUN_OK:
        read_server(x);
        return;

    case LUN_AGAIN:
        t->down_busy = true;
        return;

    default:
        close_tunnel(x);
    }
}


static void
on_server(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);
    tunnel     *t = x->tunnel;

    t->pos = c->in.pos;
    t->last = c->in.last;
    c->in.pos = c->in.last;

    x->try->received += t->last - t->pos;
    x->try->response_length += t->last - t->pos;
    lun_conn_touch(c);
    send_down(x);
}


static void
server_gone(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    x->tunnel->up_ended = true;

    if (c->gone || !x->tunnel->down_busy) {
        close_tunnel(x);
    }
}


/* --- what was posted has gone -------------------------------------------- */

static void
client_took(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->tunnel != NULL);

    if (x->stage == LUN_UPREQ_END) {
        return;
    }

    x->tunnel->pos += lun_conn_written(x->tunnel->client);
    count_sent(x, lun_conn_written(x->tunnel->client));
    x->tunnel->down_busy = false;
    lun_conn_touch(x->conn);
    send_down(x);
}


static void
server_took(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);
    lun_conn   *client = x->tunnel->client;

    x->tunnel->up_busy = false;
    client->in.pos += lun_conn_written(c);
    send_up(x);
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    lun_log(LUN_LOG_ERR, x->r->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "upstream timed out");
    lun_upreq_end(x, lun_conn_writing(x->tunnel->client) ? LUN_FAILED
                                                         : LUN_FINISHED);
}


static const lun_conn_state  tunnelling = {
    .name       = "upstream tunnelling",
    .doing      = "proxying upgraded connection",
    .on_read    = on_server,
    .on_written = server_took,
    .on_timeout = on_timeout,
    .on_gone    = server_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, read_timeout),
};

/* The header waits for the client, whose time it is that counts. */
static const lun_conn_state  upgrading = {
    .name       = "upstream upgrading",
    .doing      = "proxying upgraded connection",
};

static const lun_takeover  takeover = {
    .on_read    = on_client,
    .on_written = client_took,
    .on_gone    = client_gone,
};


/* --- its beginning ------------------------------------------------------- */

/* The header is out. */
static void
start(lun_upreq *x)
{
    lun_str       rest = lun_upreq_rest(x);
    lun_request  *r = x->r;

    lun_http_on_abort(r, NULL, NULL);
    x->tunnel->client = lun_body_hand_over(r, &takeover);
    lun_http_get(r);
    lun_upreq_enter(x, &tunnelling);
    x->tunnel->pos = (char *) (uintptr_t) rest.data;
    x->tunnel->last = x->tunnel->pos + rest.len;
    x->try->response_length = (int64_t) rest.len;
    send_down(x);

    if (x->stage != LUN_UPREQ_END) {
        send_up(x);
    }

    lun_http_put(r);
}


static void
on_drained(lun_request *r, void *data)
{
    lun_upreq  *x = data;

    if (r->aborted || r->conn->gone) {
        lun_upreq_end(x, LUN_FAILED);
        return;
    }

    start(x);
}


/*
 * Where the client has sent no key (RFC 8441, 5), the handshake with the server
 * is ours: it has to have read what was sent (RFC 6455, 4.1).
 */
static bool
is_accepted(const lun_upreq *x)
{
    enum { LEN = LUN_SHA1_SIZE };

    char                 text[64];
    unsigned char        sum[LEN];
    lun_str              made, both;
    const lun_request   *r = x->r;
    const lun_header    *said, *key;

    if (!r->in.tunnel || r->method == LUN_CONNECT) {
        return true;
    }

    key = lun_header_find(&r->in.list, LUN_STR("Sec-WebSocket-Key"));
    said = lun_header_find(&r->out.list, LUN_STR("Sec-WebSocket-Accept"));

    if (key == NULL || said == NULL) {
        return false;
    }

    both = lun_pool_fmt(r->pool, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
                        LUN_S(key->value));
    lun_sha1(both, sum);
    made = lun_str_of(text, (size_t) (lun_base64_encode(text,
                           lun_str_of((const char *) sum, LEN), false, true)
                           - text));
    return lun_str_eq(made, said->value);
}


void
lun_upreq_upgrade(lun_upreq *x)
{
    lun_buf      *b;
    lun_request  *r = x->r;

    LUN_CHECK(x->stage == LUN_UPREQ_TUNNEL);

    /* A body that is dropped has not come whole: the rest is no tunnel's. */
    if (lun_body_wants(r)) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client sent body before a tunnel");
        lun_upreq_end(x, LUN_STATUS + 400);
        return;
    }

    if (!is_accepted(x)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "upstream sent no valid "
                "\"Sec-WebSocket-Accept\" header");
        lun_upreq_end(x, LUN_STATUS + 502);
        return;
    }

    x->tunnel = lun_pool_new(r->pool, tunnel);
    r->keepalive = 0;
    r->tunnels = 1;
    r->out.content_length = -1;

    b = lun_buf_new(r->pool);
    b->flush = 1;

    if (r->parent != NULL || !lun_body_may_hand_over(r)
        || lun_http_send_header(r) != LUN_OK
        || lun_http_output(r, b) == LUN_ERROR)
    {
        lun_upreq_end(x, LUN_FAILED);
        return;
    }

    if (lun_http_pending(r)) {
        lun_upreq_enter(x, &upgrading);
        lun_http_on_drained(r, on_drained, x);
        return;
    }

    start(x);
}
