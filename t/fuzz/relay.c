/*
 * relay.c -- TCP sessions of stream { } that are proxied: what either side
 * says, in which pieces, how much it takes, and when it ends or breaks.
 *
 * The input is a list of deeds (below).  Each side says the same text, byte
 * for byte, so that what comes at the other can be checked as it comes: none
 * is lost, none comes twice.  When the input has come to its end nobody does
 * anything any more, and the server must find out: within LIFE all is gone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sock.h"
#include "os/port.h"
#include "run/worker.h"

static void check_bytes(void *at, const lun_slice *slices, size_t n,
    size_t size);

#define LUN_FUZZ_SENT(at, slices, n, size)  check_bytes(at, slices, n, size)
#define LUN_FUZZ_LOOP  (&lun_worker.loop)

#include "clock.h"
#include "script.h"
#include "whole.h"
#include "modules/modules.h"
#include "os/dir.h"
#include "stream/conf/stream_conf.h"
#include "stream/engine.h"
#include "stream/stream.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Rates are for hundreds of bytes a second, and 64K may be on their way. */
enum { LIFE = 3600 * 1000, LISTENERS = 7, CLIENTS = 4,
       PERIOD = 251, PROXIED = 5 };

static const char  conf[] =
    "events { }\n"
    "stream {\n"
    "    log_format l '$status $bytes_sent $bytes_received $session_time "
    "$upstream_addr $upstream_bytes_sent $upstream_bytes_received "
    "$upstream_connect_time $upstream_first_byte_time "
    "$upstream_session_time $proxy_protocol_addr $ssl_preread_protocol';\n"
    "    access_log /dev/null l;\n"
    "    error_log /dev/null info;\n"
    "    tcp_nodelay off;\n"
    "    preread_timeout 1s;\n"
    "    preread_buffer_size 64;\n"
    "    proxy_protocol_timeout 1s;\n"
    "    proxy_connect_timeout 1s;\n"
    "    proxy_timeout 2s;\n"
    "    proxy_next_upstream_tries 3;\n"
    "    upstream one { server 127.0.0.1:1; }\n"
    "    upstream two { server 127.0.0.1:1 weight=2; server 127.0.0.1:9;"
    "                   server 127.0.0.1:2; server 127.0.0.1:3 backup; }\n"
    "    upstream least { least_conn; server 127.0.0.1:1 max_conns=1;"
    "                     server 127.0.0.1:2; }\n"
    "    server { listen 127.0.0.1:1; proxy_pass one; }\n"
    "    server { listen 127.0.0.1:2; proxy_pass two; proxy_half_close on;"
    "             proxy_buffer_size 16; }\n"
    "    server { listen 127.0.0.1:3; proxy_pass two; proxy_protocol on;"
    "             proxy_buffer_size 64; }\n"
    "    server { listen 127.0.0.1:4; proxy_pass least; proxy_protocol v2;"
    "             proxy_half_close on;"
    "             proxy_upload_rate 300; proxy_download_rate 200; }\n"
    "    server { listen 127.0.0.1:5 proxy_protocol; ssl_preread on;"
    "             proxy_pass two; }\n"
    "    server { listen 127.0.0.1:6; proxy_next_upstream_timeout 1s;"
    "             proxy_pass least; proxy_download_rate 100000; }\n"
    "    server { listen 127.0.0.1:7; pass 127.0.0.1:2; }\n"
    "}\n";

/* What a socket's other side has said and heard. */
typedef struct {
    unsigned  order;               /* which socket this was */
    size_t    said, heard;
    size_t    header;              /* bytes of a PROXY header heard so far */
    size_t    header_size;         /* 0: not known yet */
    uint8_t   first;               /* of its bytes */
} side;

static lun_generation  *gen;
static memory_socket   *clients[CLIENTS];
static side             sides[SOCKETS];
static bool             unchecked;     /* other bytes were said */


/* --- what is said and heard ---------------------------------------------- */

static side *
side_of(const memory_socket *at)
{
    side  *s = &sides[at - sockets];

    if (s->order != at->order) {
        *s = (side) { .order = at->order };
    }

    return s;
}


/* No byte of it begins a PROXY header. */
static uint8_t
byte_at(size_t i)
{
    return (uint8_t) (i % PERIOD % 64 + 128 + i % 3);
}


/* In front of what a server hears there may be a header of either version. */
static bool
is_header(side *s, uint8_t byte)
{
    if (s->heard != 0 || s->header == SIZE_MAX) {
        return false;
    }

    if (s->header == 0) {
        s->first = byte;

        if (byte != 'P' && byte != '\r') {
            s->header = SIZE_MAX;
            return false;
        }
    }

    s->header++;

    if (s->first == 'P') {
        LUN_CHECK(s->header < 108);

        if (byte == '\n') {
            s->header = SIZE_MAX;
        }

        return true;
    }

    if (s->header == 16) {
        LUN_CHECK(byte == 12);             /* addresses of IPv4 */
    }

    if (s->header == 16 + 12) {
        s->header = SIZE_MAX;
    }

    return true;
}


static void
check_bytes(void *at, const lun_slice *slices, size_t n, size_t size)
{
    size_t               i, k;
    uint8_t              byte;
    side                *s = side_of(at);
    const memory_socket *socket = at;

    for (i = 0; i < n && size > 0; i++) {
        for (k = 0; k < slices[i].len && size > 0; k++, size--) {
            byte = (uint8_t) slices[i].data[k];

            if (unchecked || (socket->outgoing && is_header(s, byte))) {
                continue;
            }

            LUN_CHECK(byte == byte_at(s->heard));
            s->heard++;
        }
    }

    LUN_CHECK(size == 0);
}


static void
say(memory_socket *at, size_t n)
{
    size_t   i, room;
    side    *s;
    uint8_t  bytes[4096];

    if (!is_open(at)) {
        return;
    }

    s = side_of(at);
    room = at->from == at->to ? (size_t) WIRE : WIRE - at->to;
    n = lun_min(lun_min(n, sizeof(bytes)), room);

    for (i = 0; i < n; i++) {
        bytes[i] = byte_at(s->said + i);
    }

    s->said += n;
    put(at, bytes, n);
}


/* --- both sides ---------------------------------------------------------- */

static void
open_client(unsigned n, unsigned listener)
{
    size_t         i;
    unsigned       order = socket_order;
    lun_listener  *l = lun_listen_at(gen->listeners, listener);

    lun_stream_accept(l, 0, &l->addr);

    for (i = 0; i < SOCKETS; i++) {
        if (sockets[i].s != NULL && sockets[i].order == order + 1) {
            clients[n] = &sockets[i];
        }
    }

    if (is_open(clients[n]) && listener + 1 == PROXIED) {
        put(clients[n], "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", 32);
    }
}


/* A client is forgotten once it is closed: another may take its place. */
static memory_socket *
the_client(unsigned n)
{
    if (!is_open(clients[n]) || clients[n]->outgoing) {
        clients[n] = NULL;
    }

    return clients[n];
}


/* --- deeds --------------------------------------------------------------- */

typedef enum { OPEN, SAY, SAY_MUCH, SAY_BYTES, ROOM, MUCH_ROOM, TIME, TURN,
               END, BREAK, REFUSE, DEAF, DEEDS } deed;


/* In front of what a client says: a hello, or anything else. */
static void
say_bytes(script *s, memory_socket *at)
{
    size_t  n = next_byte(s);

    n = lun_min(n, (size_t) (s->end - s->p));

    if (is_open(at)) {
        unchecked = true;
        put(at, s->p, n);
    }

    s->p += n;
}


static void
act(script *s)
{
    unsigned        byte = next_byte(s);
    deed            what = (deed) (byte % 16 % DEEDS);
    unsigned        who = byte >> 5, n;
    memory_socket  *at;

    at = byte & 16 ? server_socket(who % CLIENTS) : the_client(who % CLIENTS);

    switch (what) {

    case OPEN:
        n = next_byte(s);

        if (the_client(who % CLIENTS) == NULL) {
            open_client(who % CLIENTS, n % LISTENERS);
        }

        break;

    case SAY:
        say(at, next_byte(s));
        return;

    case SAY_MUCH:
        n = next_byte(s);
        say(at, (size_t) n * n);
        break;

    case SAY_BYTES:
        say_bytes(s, at);
        break;

    case ROOM:
        n = next_byte(s);

        if (is_open(at)) {
            at->room += n;
        }

        break;

    case MUCH_ROOM:
        n = next_byte(s);

        if (is_open(at)) {
            at->room += (size_t) n * n * n;
        }

        break;

    case TIME:
        n = next_byte(s);
        pass(n * n / 16);
        break;

    case TURN:
        break;

    case END:
    case BREAK:
        if (is_open(at)) {
            *(what == END ? &at->ended : &at->broken) = true;
        }

        break;

    case REFUSE:
        s->refused = next_byte(s) % 4;
        break;

    case DEAF:
        s->deaf = !s->deaf;
        break;

    case DEEDS:
        break;
    }

    run(s);
}


/* --- one run ------------------------------------------------------------- */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script    s = { .p = data, .end = data + size };
    unsigned  how = next_byte(&s);

    first_room = how & 1 ? WIRE : how & 2 ? 200 : 0;
    s.hasty = (how & 4) != 0;
    unchecked = false;
    memset(clients, 0, sizeof(clients));

    while (s.p < s.end) {
        act(&s);
    }

    wait_for_end(&s, run, LIFE);

    LUN_CHECK(lun_stream_active() == 0);
    LUN_CHECK(lun_timer_pending(lp) == 0);
    check_servers(lun_upstream_all(lun_engine_find(gen,
                                                   &lun_stream_protocol)));

    return 0;
}


static void
add_parts(lun_schema *schema)
{
    lun_stream_register(schema, lun_stream_list);
}


static const lun_protocol *const  protocols[] = { &lun_stream_protocol, NULL };

static const lun_floors  floors = {
    .add_parts = add_parts,
    .protocols = protocols,
};


int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    gen = whole_generation(conf, &floors, LISTENERS);
    gen->listeners->loop = gen->loop;      /* nothing listens here */
    return 0;
}
