/*
 * h2.c -- an HTTP/2 client's side of a connection, in memory: what it sends,
 * how fast it reads, when it leaves, how time passes.
 *
 * The input is a list of deeds (below).  When it has come to its end the
 * client does nothing any more, and the server must find out: whatever it does
 * then, within LIFE all of the connection is gone.  A connection, a request, a
 * timer or a byte that stays is a finding.
 *
 * Known attacks of this kind: CVE-2018-16843, CVE-2018-16844, CVE-2019-9511,
 * CVE-2019-9513, CVE-2019-9516.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <nghttp2/nghttp2.h>

#include "clock.h"
#include "whole.h"
#include "base/check.h"
#include "http/accept/accept.h"
#include "http/conf/core_conf.h"
#include "http/conf/http.h"
#include "http/h2/h2_priv.h"
#include "run/worker.h"
#include "tunnels.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every time-out is a second, and Rate takes five. */
enum { LIFE = 60 * 1000, TURNS = 20000, WIRE = 1 << 20 };

static const char  conf[] =
    "events { }\n"
    "http {\n"
    "    error_log /dev/null info;\n"
    "    access_log /dev/null;\n"
    "    http2 on;\n"
    "    tcp_nodelay off;\n"
    "    client_header_timeout 1s;\n"
    "    client_body_timeout 1s;\n"
    "    client_body_buffer_size 1m;\n"
    "    send_timeout 1s;\n"
    "    keepalive_timeout 2s;\n"
    "    keepalive_requests 300;\n"
    "    lingering_timeout 1s;\n"
    "    lingering_time 3s;\n"
    "    server {\n"
    "        listen 127.0.0.1:1;\n"
    "        tunnel_pass;\n"
    "        location / { return 200 hello; }\n"
    "        location /tunnel { }\n"
    "        location /big { echo_duplicate 3000 0123456789abcdef; }\n"
    "        location /body { echo_read_request_body; echo_request_body; }\n"
    "        location /sleep { echo_sleep 0.2; echo late; }\n"
    "        location /rate { limit_rate 100;\n"
    "                         echo_duplicate 500 x; }\n"
    "        location /sub { echo a; echo_location /big; echo b; }\n"
    "        location /wait { echo_location_async /sleep; echo b; }\n"
    "        location /flush { echo a; echo_flush; echo_sleep 0.1;\n"
    "                          echo_duplicate 100000 b; echo_flush; echo c; }\n"
    "        location /trailer { add_trailer X-Sum 42; return 200 body; }\n"
    "        location /page { error_page 404 = /big; return 404; }\n"
    "        location /small { client_max_body_size 4;\n"
    "                          echo_read_request_body; echo x; }\n"
    "        location /gone { return 444; }\n"
    "    }\n"
    "    server {\n"
    "        listen 127.0.0.1:2;\n"
    "        http2_max_concurrent_streams 4;\n"
    "        http2_body_preread_size 0;\n"
    "        http2_chunk_size 64;\n"
    "        keepalive_requests 6;\n"
    "        large_client_header_buffers 2 256;\n"
    "        reset_timedout_connection on;\n"
    "        location / { echo_read_request_body; echo_request_body;\n"
    "                     echo_duplicate 3000 x; }\n"
    "        location /sleep { echo_sleep 0.2; echo late; }\n"
    "    }\n"
    "}\n";

static const char *const  paths[] = {
    "/", "/big", "/body", "/sleep", "/rate", "/sub", "/wait", "/flush",
    "/trailer", "/page", "/small", "/gone"
};

static lun_generation  *gen;
static lun_loop        *lp;


/* --- the socket ---------------------------------------------------------- */

/* The only one there is at a time. */
static struct {
    lun_conn   *c;
    lun_op_fn  *read, *written;    /* NULL: nothing was asked for */
    bool        closed;
    bool        broken;            /* by the client */
    bool        ended;
    char       *into;              /* what is read goes there */
    size_t      into_size;
    size_t      pending;           /* of the posted write */
    size_t      room;              /* bytes that the client would take */
    size_t      from, to;          /* of the wire, not yet read */
    uint8_t     wire[WIRE];        /* what the client has sent */
} io;


static lun_err
io_attach(lun_stream *s)
{
    s->fd = 1;
    s->attached = 1;
    io.closed = false;
    return 0;
}


static void
io_read(void *buf, size_t size, lun_op_fn *done)
{
    LUN_CHECK(!io.closed && io.read == NULL && size > 0);
    io.read = done;
    io.into = buf;
    io.into_size = size;
}


static lun_err
io_send(const lun_slice *slices, size_t n, size_t *sent)
{
    size_t  i, size = 0;

    LUN_CHECK(!io.closed && io.written == NULL);

    if (io.broken) {
        return lun_err_of_kind(LUN_ERR_RESET);
    }

    if (io.room == 0) {
        return lun_err_of_kind(LUN_ERR_AGAIN);
    }

    for (i = 0; i < n; i++) {
        size += slices[i].len;
    }

    *sent = lun_min(size, io.room);
    io.room -= *sent;
    return 0;
}


static void
io_write(const lun_slice *slices, size_t n, lun_op_fn *done)
{
    size_t  i;

    LUN_CHECK(!io.closed && io.written == NULL);
    io.written = done;
    io.pending = 0;

    for (i = 0; i < n; i++) {
        io.pending += slices[i].len;
    }
}


static void
io_close(void)
{
    LUN_CHECK(!io.closed);
    io.closed = true;
}


/* conn.c's port and sockets are these. */
#define lun_port_attach(port, s, fd, datagram)   ((void) (fd), io_attach(s))
#define lun_port_read(s, buf, size, done)        io_read(buf, size, done)
#define lun_port_send(s, slices, n, more, sent)                               \
    ((void) (more), io_send(slices, n, sent))
#define lun_port_write(s, slices, n, done)       io_write(slices, n, done)
#define lun_port_tries_files()                   false
#define lun_port_send_file(s, file, at, size, done)                           \
    LUN_NEVER("HTTP/2 frames its files")
#define lun_port_busy(s)                                                      \
    ((s)->attached && (io.read != NULL || io.written != NULL))
#define lun_sock_shutdown_write(fd)              0

static void
close_stream(lun_stream *s)
{
    if (s->attached) {             /* a tunnel's connection has no socket */
        io_close();
    }
}

#define lun_port_close  close_stream
#define lun_port_abort  close_stream

#include "../../core/net/conn.c"
#include "../../core/net/conn_file.c"


/* The connection may be gone afterwards. */
static void
answer(lun_op_fn **at, lun_op *op, lun_err err, size_t n)
{
    lun_op_fn  *done = *at;

    *at = NULL;
    op->err = err;
    op->result = (int64_t) n;
    done(op);
}


static lun_err
why_not(void)
{
    return io.closed ? lun_err_of_kind(LUN_ERR_CANCELLED)
           : io.broken ? lun_err_of_kind(LUN_ERR_RESET) : 0;
}


static bool
complete_read(void)
{
    lun_err  err = why_not();
    size_t   n = 0;

    if (io.read == NULL || (err == 0 && io.from == io.to && !io.ended)) {
        return false;
    }

    if (err == 0) {
        n = lun_min(io.to - io.from, io.into_size);
        memcpy(io.into, io.wire + io.from, n);
        io.from += n;
    }

    answer(&io.read, &io.c->stream.in, err, n);
    return true;
}


static bool
complete_write(void)
{
    lun_err  err = why_not();
    size_t   n = 0;

    if (io.written == NULL || (err == 0 && io.room == 0)) {
        return false;
    }

    if (err == 0) {
        n = lun_min(io.room, io.pending);
        io.room -= n;
    }

    answer(&io.written, &io.c->stream.out, err, n);
    return true;
}


/* Everything that can happen without time passing. */
static void
settle(void)
{
    unsigned  turns = 0, rest = 0;

    while (rest < 3) {             /* a task may post another */
        LUN_CHECK(turns++ < TURNS);
        lun_loop_turn(lp, 0);
        rest = complete_read() || complete_write()
               || lun_timer_next(lp) == 0
               ? 0 : rest + 1;
    }
}


static void
open_conn(unsigned which)
{
    lun_conn             *c;
    lun_listener         *l = lun_listen_at(gen->listeners, which);
    const lun_listen_addr *listen = l->data;
    const lun_server      *server = lun_server_map_default(listen->servers);
    const lun_core_conf   *core = server->conf[lun_http_core.index];

    c = lun_conn_new(lp, 1, core->client_header_buffer_size,
                     core->error_log);

    io.c = c;
    io.broken = io.ended = false;
    io.from = io.to = 0;

    c->listener = l;
    c->remote = l->addr;
    c->timeouts = core;
    lun_conn_set_idle(c, true);
    lun_http_start(c);
}


/* --- the client ---------------------------------------------------------- */

typedef struct {
    const uint8_t  *p, *end;
    int32_t         id;            /* of the next request */
} script;


static unsigned
next_byte(script *s)
{
    return s->p < s->end ? *s->p++ : 0;
}


static void
put(const void *bytes, size_t n)
{
    if (io.from == io.to) {
        io.from = io.to = 0;
    }

    n = lun_min(n, WIRE - io.to);
    memcpy(io.wire + io.to, bytes, n);
    io.to += n;
}


static void
put_rest(script *s, size_t n)
{
    n = lun_min(n, (size_t) (s->end - s->p));
    put(s->p, n);
    s->p += n;
}


static void
put_frame(unsigned type, unsigned flags, int32_t id, const void *payload,
    size_t len)
{
    uint8_t  head[9] = {
        (uint8_t) (len >> 16), (uint8_t) (len >> 8), (uint8_t) len,
        (uint8_t) type, (uint8_t) flags, (uint8_t) ((uint32_t) id >> 24),
        (uint8_t) (id >> 16), (uint8_t) (id >> 8), (uint8_t) id
    };

    put(head, sizeof(head));
    put(payload, len);
}


/* A frame whose payload is what follows; its length may be a lie. */
static void
put_any_frame(script *s)
{
    uint8_t   head[9] = { 0 };
    unsigned  len;

    head[3] = (uint8_t) (next_byte(s) % 11);
    head[4] = (uint8_t) next_byte(s);
    head[8] = (uint8_t) next_byte(s);
    len = next_byte(s);
    head[1] = (uint8_t) (head[4] & 0x40);          /* 16 KB more than is said */
    head[2] = (uint8_t) len;

    put(head, sizeof(head));
    put_rest(s, len);
}


static void
put_request(script *s, unsigned flags)
{
    uint8_t      block[64], *p = block;
    const char  *path = paths[next_byte(s) % LUN_ARRAY_LEN(paths)];
    size_t       len = strlen(path);

    *p++ = flags & NGHTTP2_FLAG_END_STREAM ? 0x82 : 0x83;  /* GET, POST */
    *p++ = 0x86;
    *p++ = 0x04;
    *p++ = (uint8_t) len;
    memcpy(p, path, len);
    p += len;
    memcpy(p, "\x41\x01" "a", 3);
    p += 3;

    put_frame(NGHTTP2_HEADERS, flags, s->id, block, (size_t) (p - block));
    s->id += 2;
}


/* A WebSocket, or CONNECT itself, by the next byte. */
static void
put_connect(script *s)
{
    bool  plain = next_byte(s) & 1;

    static const uint8_t  websocket[] =
        "\x02\7CONNECT\x86\x04\7/tunnel\x41\x01" "a\0\x09:protocol"
        "\x09websocket";
    static const uint8_t  connect[] = "\x02\7CONNECT\x41\x03" "a:1";

    if (plain) {
        put_frame(NGHTTP2_HEADERS, 4, s->id, connect, sizeof(connect) - 1);

    } else {
        put_frame(NGHTTP2_HEADERS, 4, s->id, websocket,
                  sizeof(websocket) - 1);
    }

    s->id += 2;
}


static void
put_setting(unsigned which, uint32_t value)
{
    uint8_t  entry[6] = {
        0, (uint8_t) which, (uint8_t) (value >> 24), (uint8_t) (value >> 16),
        (uint8_t) (value >> 8), (uint8_t) value
    };

    put_frame(NGHTTP2_SETTINGS, 0, 0, entry, sizeof(entry));
}


static void
put_again(script *s)
{
    unsigned  n = next_byte(s);
    size_t    from, len = next_byte(s) + 1;
    uint8_t   copy[256];

    len = lun_min(len, io.to - io.from);
    from = io.to - len;
    memcpy(copy, io.wire + from, len);

    while (n-- > 0) {
        put(copy, len);
    }
}


typedef enum { REQUESTS, POST, FRAME, BYTES, TIME, ROOM, TURN, SETTING, WINDOW,
               RESET_STREAM, AGAIN, LEAVE, BREAK, DRAIN, QUIT, CONNECT,
               DEEDS } deed;

static void
act(script *s)
{
    unsigned  n;
    uint8_t   word[4] = { 0 };

    switch ((deed) (next_byte(s) % DEEDS)) {

    case REQUESTS:
        for (n = next_byte(s) % 128 + 1; n > 0; n--) {
            put_request(s, 5);

            if (n > 1) {
                s->p--;            /* all the same path */
            }
        }
        return;

    case POST:
        put_request(s, 4);
        return;

    case FRAME:
        put_any_frame(s);
        return;

    case BYTES:
        put_rest(s, next_byte(s));
        return;

    case TIME:
        n = next_byte(s);
        pass(n * n / 8);
        break;

    case ROOM:
        n = next_byte(s);
        io.room += n == 255 ? 1 << 24 : n * n;
        break;

    case TURN:
        break;

    case SETTING:
        n = next_byte(s);
        put_setting(n % 8, (1u << (n / 8)) - 1);
        return;

    case WINDOW:
        n = next_byte(s);
        word[n % 4] = (uint8_t) next_byte(s);
        put_frame(NGHTTP2_WINDOW_UPDATE, 0, (int32_t) next_byte(s), word, 4);
        return;

    case RESET_STREAM:
        word[3] = NGHTTP2_CANCEL;
        put_frame(NGHTTP2_RST_STREAM, 0, (int32_t) next_byte(s), word, 4);
        return;

    case AGAIN:
        put_again(s);
        return;

    case LEAVE:
        io.ended = true;
        break;

    case BREAK:
        io.broken = true;
        break;

    case DRAIN:                    /* others want its place, in mid-turn */
        n = next_byte(s);
        (void) complete_read();
        (void) complete_write();
        pass(1);
        lun_clock_update();
        lun_conn_drain(lp, n & 1, n & 2 ? 0 : 100);
        break;

    case QUIT:
        gen->exiting = true;
        lun_conn_quit(lp);
        break;

    case CONNECT:
        put_connect(s);
        return;

    case DEEDS:
        break;
    }

    settle();
}


/* --- one run ------------------------------------------------------------- */

/* The client is silent now, and takes nothing. */
static void
wait_for_end(void)
{
    lun_msec  next, until = lun_time_monotonic() + LIFE;

    settle();

    while (lun_conn_count(lp) > 0) {
        next = lun_timer_next(lp);
        LUN_CHECK(next <= LIFE && lun_time_monotonic() < until);
        pass(next);
        settle();
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script         s = { .p = data, .end = data + size, .id = 1 };
    unsigned       how = next_byte(&s);
    const uint8_t  hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0"
                             "\0\0\0\0\4\1\0\0\0";

    io.room = how & 2 ? WIRE : 0;
    open_conn(how & 1);

    if (how & 4) {
        put(hello, sizeof(hello) - 1 - 9);
    }

    if (how & 8) {
        put(hello + sizeof(hello) - 1 - 9, 9);     /* it agrees */
    }

    while (s.p < s.end && !io.closed) {
        act(&s);
    }

    wait_for_end();
    gen->exiting = false;

    LUN_CHECK(io.closed && io.read == NULL && io.written == NULL);
    LUN_CHECK(lun_http_active() == 0);
    LUN_CHECK(lun_conn_count(lp) == 0);
    LUN_CHECK(lun_timer_pending(lp) == 0);

    return 0;
}


static void
add_parts(lun_schema *schema)
{
    register_tunnels(schema);
}


static const lun_protocol *const  protocols[] = { &lun_http, NULL };

static const lun_floors  floors = {
    .add_parts = add_parts,
    .protocols = protocols,
};


int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    gen = whole_generation(conf, &floors, 2);
    lp = &lun_worker.loop;
    return 0;
}
