/*
 * upstream.c -- what servers answer, as bytes cut anywhere, through the whole
 * of a proxied request: chosen, connected to, asked, its header and body read,
 * passed on, tried again, kept for the next one; and a client that is slow,
 * sends more, or leaves.
 *
 * The input is a list of deeds (below).  When it has come to its end nobody
 * does anything any more, and the server must find out: within LIFE all of it
 * is gone.  A connection, a request, a server that counts as busy, a temporary
 * file or a byte that stays is a finding.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/worker.h"

#define LUN_FUZZ_LOOP  (&lun_worker.loop)

#include "clock.h"
#include "script.h"
#include "whole.h"
#include "http/accept/accept.h"
#include "http/accept/log_context.h"
#include "http/conf/core_conf.h"
#include "http/conf/http.h"
#include "modules/modules.h"
#include "net/conn_pool.h"
#include "os/dir.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every time-out is a second, but a rate that was asked for takes its time: a
   day is enough for what one input says. */
enum { LIFE = 24 * 3600 * 1000 };

static const char  conf[] =
    "events { }\n"
    "http {\n"
    "    log_format l '$upstream_addr $upstream_status $upstream_bytes_sent "
    "$upstream_bytes_received $upstream_response_length $upstream_connect_time "
    "$upstream_header_time $upstream_response_time $upstream_http_x "
    "$upstream_cookie_a $upstream_trailer_x $bytes_sent $body_bytes_sent';\n"
    "    access_log /dev/null l;\n"
    "    error_log /dev/null info;\n"
    "    tcp_nodelay off;\n"
    "    client_header_timeout 1s;\n"
    "    client_body_timeout 1s;\n"
    "    client_body_buffer_size 64;\n"
    "    send_timeout 1s;\n"
    "    keepalive_timeout 2s;\n"
    "    lingering_timeout 1s;\n"
    "    lingering_time 3s;\n"
    "    proxy_connect_timeout 1s;\n"
    "    proxy_send_timeout 1s;\n"
    "    proxy_read_timeout 1s;\n"
    "    tunnel_connect_timeout 1s;\n"
    "    tunnel_read_timeout 1s;\n"
    "    proxy_buffer_size 1k;\n"
    "    proxy_buffers 8 256;\n"
    "    proxy_busy_buffers_size 1k;\n"
    "    proxy_max_temp_file_size 0;\n"
    "    upstream one { server 127.0.0.1:1; keepalive 2; keepalive_timeout 1s;"
    "                   keepalive_requests 4; }\n"
    "    upstream two { server 127.0.0.1:1 weight=2; server 127.0.0.1:9;"
    "                   server 127.0.0.1:2; server 127.0.0.1:3 backup;"
    "                   keepalive 4; keepalive_timeout 1s; }\n"
    "    upstream least { least_conn; server 127.0.0.1:1 max_conns=1;"
    "                     server 127.0.0.1:2; keepalive 0; }\n"
    "    upstream hash { hash $arg_k consistent; server 127.0.0.1:1;"
    "                    server 127.0.0.1:2; keepalive 1;"
    "                    keepalive_timeout 1s; }\n"
    "    proxy_next_upstream error timeout invalid_header http_500 http_404"
    "                        non_idempotent;\n"
    "    proxy_next_upstream_tries 5;\n"
    "    server {\n"
    "        listen 127.0.0.1:1;\n"
    "        error_page 502 504 = /page;\n"
    "        location / { proxy_pass http://one; early_hints 1;"
    "            if ($request_method = CONNECT) { tunnel_pass two; } }\n"
    "        location /two { proxy_pass http://two/x?y; }\n"
    "        location /least { proxy_pass http://least; }\n"
    "        location /hash { proxy_pass http://hash; proxy_buffering off; }\n"
    "        location /stream { proxy_pass http://two;"
    "                           proxy_request_buffering off; }\n"
    "        location /file { proxy_pass http://one; proxy_temp_path temp;"
    "                         proxy_max_temp_file_size 2k;"
    "                         proxy_temp_file_write_size 1k; }\n"
    "        location /page { proxy_pass http://one; proxy_buffers 4 8k;"
    "                         proxy_busy_buffers_size 16k;"
    "                         proxy_intercept_errors on;"
    "                         error_page 404 = /last; }\n"
    "        location /last { return 200 last; }\n"
    "        location /trailers { proxy_pass http://one;"
    "                             proxy_pass_trailers on; }\n"
    "        location /rate { proxy_pass http://one; proxy_limit_rate 500; }\n"
    "        location /tunnel { proxy_pass http://one;"
    "            proxy_set_header Upgrade $http_upgrade;"
    "            proxy_set_header Connection upgrade; }\n"
    "        location /change { proxy_pass http://one/other/;"
    "            proxy_redirect ~^http://a(.*)$ /b$1;"
    "            proxy_redirect default; proxy_cookie_domain a b;"
    "            proxy_cookie_path ~^/x(.*)$ /y$1;"
    "            proxy_cookie_flags ~. secure samesite=lax;"
    "            proxy_force_ranges on; proxy_hide_header X;"
    "            charset utf-8; sub_filter a bb; sub_filter_once off;"
    "            gunzip on; add_header Z $upstream_http_x; }\n"
    "        location /var { proxy_pass http://127.0.0.1:$arg_p$arg_u; }\n"
    "        location /auth { auth_request /two; proxy_pass http://one;"
    "                         proxy_ignore_client_abort on; }\n"
    "        location /sub { echo a; echo_location /two;"
    "                        echo_location_async /hash; echo b; }\n"
    "        location /mirror { mirror /least; proxy_pass http://one; }\n"
    "        location /slice { slice 16; proxy_pass http://one;"
    "                          proxy_set_header Range $slice_range; }\n"
    "        location /ten { proxy_pass http://one; proxy_http_version 1.0;"
    "                        proxy_method PUT; proxy_set_body $request_body;"
    "                        proxy_ignore_headers X-Accel-Redirect; }\n"
    "        location /h2 { proxy_pass http://one; proxy_http_version 2;"
    "                       proxy_pass_trailers on; early_hints 1; }\n"
    "        location /h2/two { proxy_pass http://two; proxy_http_version 2;"
    "                           proxy_request_buffering off;"
    "                           proxy_buffering off; }\n"
    "        location /h2/several { echo_location_async /h2 a;"
    "            echo_location_async /h2 b; echo_location_async /grpc; }\n"
    "        location /grpc { grpc_pass one; grpc_read_timeout 1s;"
    "                         grpc_send_timeout 1s; grpc_connect_timeout 1s;"
    "                         grpc_buffer_size 1k; }\n"
    "        location /store { proxy_pass http://one; proxy_store store/x; }\n"
    "    }\n"
    "}\n";

static const char *const  paths[] = {
    "/", "/two", "/least", "/hash?k=a", "/stream", "/file", "/page",
    "/trailers", "/rate", "/tunnel", "/change", "/var?p=1&u=/x", "/auth",
    "/sub", "/mirror", "/slice", "/ten", "/last", "/var?p=9"
};

/* Bytes from OTHERS on mean these, and frames; who begins without a slash is
   what a CONNECT asks for.  SEVERAL is for requests that share a connection. */
enum { OTHERS = 0xf0, SEVERAL = 0xff };

static const char  several[] = "/h2/several";

static const char *const  other_paths[] = {
    "/h2", "/h2/two", "/grpc", "/store", "a:1"
};

/* Of an answer, or of none. */
static const char *const  words[] = {
    "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 404 No\r\n",
    "HTTP/1.1 500 No\r\n", "HTTP/1.1 206 Part\r\n", "HTTP/1.1 302 There\r\n",
    "HTTP/1.1 103 Early Hints\r\n", "HTTP/1.1 100 Continue\r\n",
    "HTTP/1.1 101 Switching\r\n", "HTTP/1.1 304 Same\r\n",
    "HTTP/1.1 204 None\r\n", "HTTP/1.1 401 Who\r\n", "HTTP/1.1 999 \r\n",
    "\r\n", "\r\n", "\r\n", "\r\n\r\n", "\n", "\r",
    "Content-Length: 5\r\n", "Content-Length: 300\r\n",
    "Content-Length: 100000\r\n", "Content-Length: 0\r\n",
    "Content-Length: 9223372036854775807\r\n", "Content-Length: x\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
    "Connection: close\r\n", "Connection: upgrade\r\nUpgrade: x\r\n",
    "Connection: keep-alive\r\n", "Keep-Alive: timeout=1\r\n",
    "5\r\nhello\r\n", "0\r\n\r\n", "0\r\nX: y\r\n\r\n", "100\r\n",
    "fffffffffffffff\r\n", "1;a=b\r\nx\r\n", "hello",
    "X: y\r\n", "X:\r\n", "Link: </a>\r\n", "Set-Cookie: a=b; path=/x/y\r\n",
    "Set-Cookie: c; domain=a; Secure\r\n", "Location: http://a/b\r\n",
    "Location: /other/z\r\n", "Refresh: 1; url=http://a/\r\n",
    "X-Accel-Redirect: /last\r\n", "X-Accel-Redirect: /two?a\r\n",
    "X-Accel-Redirect: @none\r\n", "X-Accel-Redirect: /../\r\n",
    "X-Accel-Buffering: no\r\n", "X-Accel-Buffering: yes\r\n",
    "X-Accel-Limit-Rate: 100\r\n", "X-Accel-Charset: koi8-r\r\n",
    "Content-Type: text/html; charset=x\r\n", "Content-Encoding: gzip\r\n",
    "Content-Range: bytes 0-15/40\r\n", "Accept-Ranges: bytes\r\n",
    "ETag: \"e\"\r\n", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    "WWW-Authenticate: Basic\r\n", "Trailer: X\r\n", "no colon\r\n",
    " folded\r\n"
};

/* Of a stream whose number stands where there is a 1; kind and flags before. */
static const lun_str  frames[] = {
    LUN_STR_INIT("\0\0\0\4\0\0\0\0\0"), LUN_STR_INIT("\0\0\0\4\1\0\0\0\0"),
    LUN_STR_INIT("\0\0\6\4\0\0\0\0\0\0\4\0\0\0\3"),
    LUN_STR_INIT("\0\0\6\4\0\0\0\0\0\0\4\177\377\377\377"),
    LUN_STR_INIT("\0\0\6\4\0\0\0\0\0\0\4\377\377\377\377"),
    LUN_STR_INIT("\0\0\1\1\4\0\0\0\1\210"), /* 200 */
    LUN_STR_INIT("\0\0\1\1\5\0\0\0\1\210"),
    LUN_STR_INIT("\0\0\1\1\4\0\0\0\1\215"), /* 404 */
    LUN_STR_INIT("\0\0\1\1\5\0\0\0\1\216"), /* 500 */
    LUN_STR_INIT("\0\0\5\1\4\0\0\0\1\10\003103"),
    LUN_STR_INIT("\0\0\1\1\0\0\0\0\1\210"),
    LUN_STR_INIT("\0\0\4\1\4\0\0\0\1\210\17\15\0015"),
    LUN_STR_INIT("\0\0\5\11\4\0\0\0\1\0\1x\1y"),
    LUN_STR_INIT("\0\0\0\11\0\0\0\0\1"),
    LUN_STR_INIT("\0\0\5\1\5\0\0\0\1\0\1x\1y"), /* trailers */
    LUN_STR_INIT("\0\0\5\0\0\0\0\0\1hello"),
    LUN_STR_INIT("\0\0\5\0\1\0\0\0\1hello"),
    LUN_STR_INIT("\0\0\0\0\1\0\0\0\1"), LUN_STR_INIT("\0\0\0\0\0\0\0\0\1"),
    LUN_STR_INIT("\0\0\7\0\10\0\0\0\1\4ab...."),
    LUN_STR_INIT("\0\0\10\6\0\0\0\0\00012345678"),
    LUN_STR_INIT("\0\0\4\10\0\0\0\0\0\0\0\1\0"),
    LUN_STR_INIT("\0\0\4\10\0\0\0\0\1\0\0\1\0"),
    LUN_STR_INIT("\0\0\4\10\0\0\0\0\0\177\377\377\377"),
    LUN_STR_INIT("\0\0\4\3\0\0\0\0\1\0\0\0\0"),
    LUN_STR_INIT("\0\0\4\3\0\0\0\0\1\0\0\0\7"),
    LUN_STR_INIT("\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\0"),
    LUN_STR_INIT("\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\2"),
    LUN_STR_INIT("\0\0\5\2\0\0\0\0\1\0\0\0\0\0"),
    LUN_STR_INIT("\0\0\4\5\0\0\0\0\1\0\0\0\2"),
    LUN_STR_INIT("\0\0\1\143\0\0\0\0\1x"),
    LUN_STR_INIT("\0\0\12\1\4\0\0\0\1\210\0\201\37\203\217\377\377\0")
};

enum { STREAM_AT = 8 };

static lun_generation  *gen;
static memory_socket   *client;    /* NULL: there is none */
static bool             filed;     /* a temporary file may have been made */
static bool             stored;    /* ... one of the site */


/* --- both sides ---------------------------------------------------------- */


static void
open_client(void)
{
    lun_conn               *c;
    lun_listener           *l = lun_listen_at(gen->listeners, 0);
    const lun_listen_addr  *listen = l->data;
    const lun_server       *server = lun_server_map_default(listen->servers);
    const lun_core_conf    *core = server->conf[lun_http_core.index];

    c = lun_conn_new(lp, 0, core->client_header_buffer_size,
                     core->error_log);

    if (c == NULL) {
        return;                    /* all sockets are taken */
    }

    client = socket_of(&c->stream);
    c->listener = l;
    c->remote = l->addr;
    c->timeouts = core;
    c->log.context = lun_http_context;
    c->log.owner = c;
    lun_conn_set_idle(c, true);
    lun_http_start(c);
}


/* The client's is forgotten once it is closed: another may take its place. */
static memory_socket *
the_client(void)
{
    if (!is_open(client) || client->outgoing) {
        client = NULL;
    }

    return client;
}


/* --- deeds --------------------------------------------------------------- */

static void
put_text(memory_socket *at, const char *text)
{
    if (is_open(at)) {
        put(at, text, strlen(text));
    }
}


static void
put_rest(memory_socket *at, script *s, size_t n)
{
    n = lun_min(n, (size_t) (s->end - s->p));

    if (is_open(at)) {
        put(at, s->p, n);
    }

    s->p += n;
}


static void
put_many(memory_socket *at, size_t n)
{
    static const char  xs[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n";

    for ( ; is_open(at) && n > 0; n -= lun_min(n, sizeof(xs) - 1)) {
        put(at, xs, lun_min(n, sizeof(xs) - 1));
    }
}


static void
put_request(script *s)
{
    static const char *const  methods[] = {
        "GET ", "GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "PATCH ", "GET "
    };
    static const char *const  headers[] = {
        "", "Content-Length: 5\r\n\r\nhello", "Content-Length: 300\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
        "Upgrade: x\r\nConnection: upgrade\r\n", "Range: bytes=3-40\r\n",
        "Accept-Encoding: gzip\r\nIf-None-Match: \"e\"\r\n", "TE: trailers\r\n",
        "Expect: 100-continue\r\nContent-Length: 5\r\n", "X-Long: "
    };
    unsigned     how = next_byte(s), what = next_byte(s);
    const char  *path = what == SEVERAL ? several : what >= OTHERS
                        ? other_paths[what % LUN_ARRAY_LEN(other_paths)]
                        : paths[what % LUN_ARRAY_LEN(paths)];

    filed |= strcmp(path, "/file") == 0;
    stored |= strcmp(path, "/store") == 0;

    if (the_client() == NULL) {
        open_client();
    }

    put_text(client, path[0] == '/' ? methods[how % 8] : "CONNECT ");
    put_text(client, path);
    put_text(client, how & 8 ? " HTTP/1.0\r\nHost: a\r\n"
                             : " HTTP/1.1\r\nHost: a\r\n");
    put_text(client, headers[(how >> 4) % LUN_ARRAY_LEN(headers)]);
    put_text(client, "\r\n");
}


/* Whole, but for what a slip has taken out or put in, and in two parts. */
static void
put_answer(script *s, memory_socket *at)
{
    static const char *const  answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nuntil the end",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nab",
        "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Accel-Redirect: /two\r\nSet-Cookie: a=b\r\n"
        "Content-Length: 0\r\n\r\n",
        "HTTP/1.1 206 Part\r\nContent-Length: 16\r\nContent-Range: "
        "bytes 0-15/40\r\nETag: \"e\"\r\n\r\n0123456789abcdef",
        "HTTP/1.1 302 There\r\nLocation: http://a/b\r\nSet-Cookie: "
        "a=b; path=/x/; domain=a\r\nContent-Length: 3\r\n\r\naaa",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n"
        "\r\n\037\213\010\0\0\0\0\0\0\003\313H\315\311\311\007\0\206\246\020"
        "6\005\0\0\0"
    };
    unsigned     which = next_byte(s), cut = next_byte(s);
    const char  *text = answers[which % LUN_ARRAY_LEN(answers)];
    size_t       len = strlen(text), at_byte;

    if (!is_open(at)) {
        return;
    }

    if (which % LUN_ARRAY_LEN(answers) == 9) {
        len = sizeof("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                     "Content-Length: 25\r\n\r\n") - 1 + 25;
    }

    at_byte = cut % (len + 1);
    put(at, text, at_byte);

    if (which & 0x80) {
        run(s);
    }

    if (which & 0x40) {
        return;                    /* that was all */
    }

    if (is_open(at)) {
        put(at, text + at_byte, len - at_byte);
    }
}


static void
put_words(script *s, memory_socket *at)
{
    unsigned  n = next_byte(s) % 16;

    while (n-- > 0) {
        put_text(at, words[next_byte(s) % LUN_ARRAY_LEN(words)]);
    }
}


/* Up to 15 of them, of the streams 1, 3, 5 or 7, in one piece or in two. */
static void
put_frames(script *s, memory_socket *at)
{
    char            text[64];
    size_t          cut;
    unsigned        which, how = next_byte(s), n = how & 15;
    const lun_str  *f;

    for ( ; n > 0 && is_open(at); n--) {
        which = next_byte(s);
        f = &frames[which % LUN_ARRAY_LEN(frames)];
        memcpy(text, f->data, f->len);

        if (text[STREAM_AT] == 1) {
            text[STREAM_AT] = (char) (1 + 2 * (how >> 4 & 3));
        }

        cut = which & 0x80 ? f->len / 2 : f->len;
        put(at, text, cut);

        if (cut != f->len) {
            run(s);
        }

        if (is_open(at)) {
            put(at, text + cut, f->len - cut);
        }
    }
}


typedef enum { REQUEST, ANSWER, WORDS, BYTES, MANY, TIME, TURN, CLIENT_ROOM,
               SERVER_ROOM, CLIENT_BYTES, CLIENT_MANY, END_SERVER,
               BREAK_SERVER, END_CLIENT, BREAK_CLIENT, REFUSE, DEAF,
               DEEDS, FRAMES = DEEDS } deed;

static void
act(script *s)
{
    unsigned        byte = next_byte(s);
    deed            what = byte >= OTHERS ? FRAMES : (deed) (byte % DEEDS);
    unsigned        n;
    memory_socket  *at = server_socket((s->p < s->end ? *s->p >> 6 : 0) % 3);

    switch (what) {

    case REQUEST:
        put_request(s);
        break;

    case ANSWER:
        put_answer(s, at);
        break;

    case WORDS:
        put_words(s, at);
        return;

    case BYTES:
        put_rest(at, s, next_byte(s) % 64);
        return;

    case MANY:
        n = next_byte(s) % 64;
        put_many(at, n * n * 8);
        return;

    case TIME:
        n = next_byte(s);
        pass(n * n / 16);
        break;

    case TURN:
        break;

    case CLIENT_ROOM:
        n = next_byte(s);

        if (the_client() != NULL) {
            client->room += n == 255 ? 1 << 24 : n * n;
        }
        break;

    case SERVER_ROOM:
        n = next_byte(s) % 64;

        if (at != NULL) {
            at->room += n * n;
        }
        break;

    case CLIENT_BYTES:
        put_rest(the_client(), s, next_byte(s));
        return;

    case CLIENT_MANY:
        put_many(the_client(), next_byte(s) * 4u);
        break;

    case END_SERVER:
    case BREAK_SERVER:
        (void) next_byte(s);

        if (at != NULL) {
            *(what == END_SERVER ? &at->ended : &at->broken) = true;
        }
        break;

    case END_CLIENT:
    case BREAK_CLIENT:
        if (the_client() != NULL) {
            *(what == END_CLIENT ? &client->ended : &client->broken) = true;
        }
        break;

    case REFUSE:
        s->refused = next_byte(s) % 4;
        break;

    case DEAF:
        s->deaf = !s->deaf;
        break;

    case FRAMES:
        put_frames(s, at);
        break;
    }

    run(s);
}


/* --- one run ------------------------------------------------------------- */

/* A folder with a file in it can't be removed. */
static void
check_folder(const char *name)
{
    char  path[64];

    snprintf(path, sizeof(path), "%s/%s", whole_folder, name);
    LUN_CHECK(rmdir(path) == 0 || access(path, F_OK) != 0);
}


/* All that may stay of an answer is the file that it is stored as. */
static void
check_store(void)
{
    char  path[64];

    snprintf(path, sizeof(path), "%s/store/x", whole_folder);
    (void) unlink(path);
    check_folder("store");
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script    s = { .p = data, .end = data + size };
    unsigned  how = next_byte(&s);

    first_room = how & 1 ? WIRE : how & 2 ? 200 : 0;
    s.hasty = (how & 4) != 0;
    client = NULL;

    while (s.p < s.end) {
        act(&s);
    }

    wait_for_end(&s, run, LIFE);

    LUN_CHECK(lun_http_active() == 0);
    LUN_CHECK(lun_timer_pending(lp) == 0);
    check_servers(lun_upstream_all(&lun_http_engine_of(gen)->head));

    if (filed) {
        check_folder("temp");
    }

    if (stored) {
        check_store();
    }

    filed = stored = false;
    return 0;
}


static void
add_parts(lun_schema *schema)
{
    lun_http_register(schema, &lun_http_lists);
}


static const lun_protocol *const  protocols[] = { &lun_http, NULL };

static const lun_floors  floors = {
    .add_parts = add_parts,
    .protocols = protocols,
};


int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    gen = whole_generation(conf, &floors, 1);
    return 0;
}
