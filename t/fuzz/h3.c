/*
 * h3.c -- an HTTP/3 client's side of a connection, over QUIC in memory: what it
 * says on which stream, how much it takes, what it acknowledges, resets and
 * stops, when it leaves, how time passes.
 *
 * The input is a list of deeds (below).  At its end the connection is lost, and
 * within LIFE all of it is gone: a connection, a request or a timer that stays
 * is a finding.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "clock.h"
#include "whole.h"
#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/conf/http.h"
#include "http/h3/h3_priv.h"
#include "run/worker.h"
#include "tunnels.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIFE = 60 * 1000, TURNS = 20000 };

static const char  conf[] =
    "events { }\n"
    "http {\n"
    "    error_log /dev/null info;\n"
    "    access_log /dev/null;\n"
    "    client_header_timeout 1s;\n"
    "    client_body_timeout 1s;\n"
    "    client_body_buffer_size 1m;\n"
    "    send_timeout 1s;\n"
    "    keepalive_timeout 2s;\n"
    "    keepalive_requests 100;\n"
    "    lingering_time 3s;\n"
    "    server {\n"
    "        listen 127.0.0.1:1;\n"
    "        http3_hq on;\n"
    "        tunnel_pass;\n"
    "        location / { return 200 hello; }\n"
    "        location /tunnel { }\n"
    "        location /big { echo_duplicate 3000 0123456789abcdef; }\n"
    "        location /body { echo_read_request_body; echo_request_body; }\n"
    "        location /sleep { echo_sleep 0.2; echo late; }\n"
    "        location /rate { limit_rate 100;\n"
    "                         echo_duplicate 500 x; }\n"
    "        location /sub { echo a; echo_location /big; echo b; }\n"
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
    "        http3_max_concurrent_streams 4;\n"
    "        http3_stream_buffer_size 1k;\n"
    "        http3_max_table_capacity 0;\n"
    "        keepalive_requests 6;\n"
    "        large_client_header_buffers 2 256;\n"
    "        location / { echo_read_request_body; echo_request_body;\n"
    "                     echo_duplicate 3000 x; }\n"
    "        location /sleep { echo_sleep 0.2; echo late; }\n"
    "    }\n"
    "}\n";

static const char *const  paths[] = {
    "/", "/big", "/body", "/sleep", "/rate", "/sub", "/flush", "/trailer",
    "/page", "/small", "/gone"
};

static lun_generation  *http_gen;
static lun_loop        *lp;

#define TAP_UNUSED  __attribute__((unused))


/* Everything that can happen without time passing. */
static void
wire_run(void)
{
    unsigned  turns = 0, rest = 0;

    while (rest < 3) {             /* a task may post another */
        LUN_CHECK(turns++ < TURNS);
        lun_loop_turn(lp, 0);
        rest = lun_timer_next(lp) == 0 ? 0 : rest + 1;
    }
}


#include "t/unit/memory_quic.h"

static quic_peer  peer;


static void
quic_heard(quic_peer *p, int64_t id, const char *bytes, size_t n, bool fin)
{
    /* The client throws it away. */
}


/* --- the client ---------------------------------------------------------- */

typedef struct {
    const uint8_t  *p, *end;
    int64_t         id;            /* of the next request */
} script;


static unsigned
next_byte(script *s)
{
    return s->p < s->end ? *s->p++ : 0;
}


/* As much as may be said there. */
static void
say(int64_t id, const void *bytes, size_t n, bool fin)
{
    quic_stream  *stream = quic_find(&peer, id);

    if (stream == NULL && peer.count > QUIC_STREAMS - 8) {
        return;
    }

    if (stream != NULL && (int64_t) n > stream->window) {
        n = (size_t) stream->window;
        fin = false;
    }

    (void) quic_say(&peer, id, bytes, lun_min(n, (size_t) QUIC_WINDOW), fin);
}


/* Of a request that has begun, or of a stream that goes one way. */
static int64_t
next_id(script *s)
{
    unsigned  n = next_byte(s);

    return n < 128 ? (int64_t) (n % 32) * 4 : (int64_t) (n % 8) * 4 + 2;
}


static void
say_bytes(script *s)
{
    int64_t   id = next_id(s);
    unsigned  n = next_byte(s);
    size_t    len = lun_min((size_t) (n & 0x7f), (size_t) (s->end - s->p));

    say(id, s->p, len, (n & 0x80) != 0);
    s->p += len;
}


/* A frame whose content is what follows; its length may be a lie. */
static void
say_frame(script *s)
{
    char        head[LUN_H3_HEAD], *end;
    int64_t     id = next_id(s);
    unsigned    type = next_byte(s), n = next_byte(s);
    size_t      len = lun_min((size_t) (n & 0x3f), (size_t) (s->end - s->p));

    end = lun_h3_put_head(head, type == 15 ? LUN_H3_PRIORITY_UPDATE : type,
                          n & 0x40 ? len + 1 : len);
    say(id, head, (size_t) (end - head), false);
    say(id, s->p, len, (n & 0x80) != 0);
    s->p += len;
}


/* One that the server can serve, maybe with a body. */
static void
say_request(script *s, bool post)
{
    char        block[64], *p = block;
    const char  *path = paths[next_byte(s) % LUN_ARRAY_LEN(paths)];
    size_t      len = strlen(path);

    p = lun_h3_put_head(p, LUN_H3_HEADERS, 8 + len);
    *p++ = 0;
    *p++ = 0;
    *p++ = (char) (post ? 0xd4 : 0xd1);    /* POST, GET */
    *p++ = (char) 0xd7;                    /* https */
    *p++ = (char) 0x51;                    /* :path */
    *p++ = (char) len;
    p = lun_copy(p, path, len);
    p = lun_copy(p, "\x50\x00", 2);        /* :authority, empty */
    say(s->id, block, (size_t) (p - block), !post);
    s->id += 4;
}


/* A WebSocket, or CONNECT itself, by the next byte. */
static void
say_connect(script *s)
{
    bool  plain = next_byte(s) & 1;
    char  block[64], *p = block;

    static const char  websocket[] =
        "\0\0\xcf\xd7\x51\7/tunnel\x50\x00\x27\2:protocol\x09websocket";
    static const char  connect[] = "\0\0\xcf\x50\x03" "a:1";
    size_t             len = plain ? sizeof(connect) - 1
                                   : sizeof(websocket) - 1;

    p = lun_h3_put_head(p, LUN_H3_HEADERS, len);
    p = lun_copy(p, plain ? connect : websocket, len);
    say(s->id, block, (size_t) (p - block), false);
    s->id += 4;
}


typedef enum { REQUEST, POST, BYTES, FRAME, TABLE, RESET, STOP, ROOM, ACK,
               PACKET, TURN, TIME, LEAVE, DRAIN, QUIT, CONNECT,
               DEEDS } deed;

static void
act(script *s)
{
    int64_t       id;
    unsigned      n;
    quic_stream  *stream;

    switch ((deed) (next_byte(s) % DEEDS)) {

    case REQUEST:
        say_request(s, false);
        return;

    case POST:
        say_request(s, true);
        return;

    case BYTES:
        say_bytes(s);
        return;

    case FRAME:
        say_frame(s);
        return;

    case TABLE:                    /* its size, and a field for it */
        say(6, "\2\x3f\xe1\x1f\x41" "a\1b", 8, false);
        return;

    case RESET:
        quic_say_reset(&peer, next_id(s), LUN_H3_REQUEST_CANCELLED);
        return;

    case STOP:
        id = next_id(s);
        quic_say_stop(&peer, id % 4 == 0 ? id : id + 1,
                      LUN_H3_REQUEST_CANCELLED);
        return;

    case ROOM:
        id = next_id(s);
        n = next_byte(s);
        stream = quic_find(&peer, id);

        if (stream != NULL && peer.c != NULL && !peer.lost) {
            quic_open(&peer, id, n == 255 ? 1 << 24 : n * n);
        }

        return;

    case ACK:
        if (peer.c != NULL && !peer.lost) {
            quic_ack(&peer);
        }

        return;

    case PACKET:
        peer.packet = next_byte(s) * 10 + 1;
        return;

    case TURN:
        break;

    case TIME:
        n = next_byte(s);
        pass(n * n / 8);
        break;

    case LEAVE:
        quic_lose(&peer);
        break;

    case DRAIN:                    /* others want its place */
        n = next_byte(s);
        lun_clock_update();
        lun_conn_drain(lp, n & 1, n & 2 ? 0 : 100);
        break;

    case QUIT:
        http_gen->exiting = true;
        lun_conn_quit(lp);
        break;

    case CONNECT:
        say_connect(s);
        return;

    case DEEDS:
        break;
    }

    quic_run(&peer);
}


/* --- one run ------------------------------------------------------------- */

static void
wait_for_end(void)
{
    lun_msec  next, until = lun_time_monotonic() + LIFE;

    wire_run();

    while (lun_conn_count(lp) > 0) {
        next = lun_timer_next(lp);
        LUN_CHECK(next <= LIFE && lun_time_monotonic() < until);
        pass(next);
        wire_run();
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script    s = { .p = data, .end = data + size };
    unsigned  how = next_byte(&s);

    quic_alpn = how & 4 ? "hq-interop" : "h3";
    quic_begin(&peer, how & 1);
    peer.first_room = how & 2 ? 1 << 24 : 0;
    peer.keeps_acks = (how & 8) != 0;

    if (how & 16) {
        say(2, "\0\4\0", 3, false);
    }

    while (s.p < s.end && peer.c != NULL && !peer.lost) {
        act(&s);
    }

    quic_lose(&peer);
    wait_for_end();
    http_gen->exiting = false;

    LUN_CHECK(peer.c == NULL);
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
    http_gen = whole_generation(conf, &floors, 2);
    lp = &lun_worker.loop;
    return 0;
}
