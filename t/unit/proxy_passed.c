/*
 * proxy_passed.c -- answers that the system passes from a server's socket to
 * the client's: in pieces of all sizes, to clients that take little at a time,
 * cut off, with more behind them, and those that somebody looks at.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/proxy/proxy.c"

extern lun_http_module  lun_http_upstream_keepalive;
static lun_http_module  look_module;

#define LUN_TEST_MODULES  &look_module.head, &lun_http_proxy.head,            \
                          &lun_http_upstream_keepalive.head,
#define LUN_TEST_BODY_FILTERS  &look_module,
#include "memory_http.h"

#define GET(uri)  "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"
#define ANSWER    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

static size_t  looked_at;


/* A filter that looks at the bytes of some. */
static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    if (lun_str_starts(r->uri, LUN_STR("/by/looked"))) {
        looked_at += (size_t) lun_buf_total(in);
    }

    return lun_http_next_body(r, &look_module, in);
}


static bool
is_idle(const lun_request *r)
{
    return !lun_str_starts(r->uri, LUN_STR("/by/looked"));
}


static lun_http_module  look_module = {
    .name = "look", .always = true, .body_filter = on_body, .is_idle = is_idle
};


static void
end_all(wire *client)
{
    if (!wire_gone(client)) {
        wire_end(client);
    }

    wire_wait(600000);
    is_int((int64_t) lun_conn_count(lp), 0, "all connections are gone");
}


enum { BY = 100000 };

static char  by_text[BY + 1];


static wire *
ask_by(const char *request, size_t room, wire **server)
{
    wire  *c = http_client(0);

    c->room = room;
    wire_say(c, request);
    *server = wire_latest(true);
    wire_spliced = 0;
    wire_say(*server, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");

    return c;
}


/* The client takes so much at a time, until nothing more comes. */
static void
take_all(wire *c, size_t room)
{
    size_t  before;

    do {
        before = c->heard_end;
        c->room = c->room == SIZE_MAX ? SIZE_MAX : room;
        wire_run();
    } while (c->heard_end != before);
}


static bool
has_all(wire *c)
{
    const char  *body = http_body(wire_heard(c));

    return body != NULL && strcmp(body, by_text) == 0;
}


static void
by_in_pieces(size_t piece, size_t room)
{
    size_t  at;
    wire   *s, *c = ask_by(GET("/by"), room, &s);

    s->piece = piece;

    for (at = 0; at < BY; at += 40000) {
        wire_say_bytes(s, by_text + at, lun_min((size_t) BY - at,
                                                (size_t) 40000));
        take_all(c, room);
    }

    ok(has_all(c), "pieces of %zu, %zu at a time", piece, room);
    ok(wire_spliced != 0 || room < 1000, "%zu went by", wire_spliced);
    ok(!wire_gone(s), "the server's connection is kept");
    wire_say(c, GET("/by"));
    ok(wire_latest(true) == s, "and used again");
    wire_say(s, ANSWER);
    ok(http_says(wire_heard(c), "\r\n\r\nhello"), "for the next request");
    end_all(c);
}


/* A server that ends before its answer does, after any part of it. */
static void
by_cut_off(size_t at, bool breaks)
{
    wire  *s, *c = ask_by(GET("/by"), SIZE_MAX, &s);

    http_log[0] = '\0';
    wire_say_bytes(s, by_text, at);
    wire_run();

    if (breaks) {
        wire_break(s);
    } else {
        wire_end(s);
    }

    ok(!has_all(c) && wire_gone(c), "cut off at %zu: so is the client's", at);
    ok(http_logged(breaks ? "recv() failed" : "upstream prematurely closed"),
       "which is said");
    end_all(c);
}


static void
by_mistake(void)
{
    wire  *s, *c = ask_by(GET("/by"), SIZE_MAX, &s);

    wire_say_bytes(s, by_text, BY);
    wire_say_bytes(s, "HTTP/1.1 200 OK\r\n", 17);
    wire_run();
    ok(has_all(c), "an answer that is followed by more");
    ok(wire_gone(s), "is the last of its connection");
    end_all(c);

    c = ask_by(GET("/by"), SIZE_MAX, &s);
    wire_say_bytes(s, by_text, 40000);
    wire_run();
    wire_break(c);
    wire_say_bytes(s, by_text + 40000, 20000);
    wire_run();
    ok(wire_gone(s), "a client that has left: so does the server's answer");
    end_all(c);

    c = ask_by(GET("/by"), SIZE_MAX, &s);
    wire_say_bytes(s, by_text, 40000);
    wire_run();
    c->broken = true;                  /* found out by sending */
    wire_say_bytes(s, by_text + 40000, 20000);
    wire_run();
    ok(wire_gone(s) && wire_gone(c), "the same, when it is sent to");
    end_all(c);

    c = ask_by(GET("/by"), SIZE_MAX, &s);
    wire_say_bytes(s, by_text, 40000);
    wire_run();
    wire_wait(4999);
    ok(!wire_gone(c), "read_timeout is not over");
    wire_say_bytes(s, by_text, 10);
    wire_run();
    wire_wait(4999);
    ok(!wire_gone(c), "it begins anew");
    http_log[0] = '\0';
    wire_wait(1);
    ok(wire_gone(c) && http_logged("upstream timed out"), "it is over");
    end_all(c);
}


static void
not_by(const char *request)
{
    wire  *s, *c = ask_by(request, SIZE_MAX, &s);

    wire_say_bytes(s, by_text, BY);
    take_all(c, 0);
    ok(has_all(c), "all of it is there");
    is_int((int64_t) wire_spliced, 0, "and nothing went by");
    end_all(c);
}


static void
passed_by(void)
{
    size_t  i, k;

    static const size_t  pieces[] = { 1, 1000, 8192, 32768, SIZE_MAX };
    static const size_t  rooms[] = { 700, 9000, 40000, SIZE_MAX };
    static const size_t  cuts[] = { 0, 1, 1000, 20000, 83700, 99999 };

    for (i = 0; i < BY; i++) {
        by_text[i] = (char) ('A' + i % 59);
    }

    for (i = 0; i < LUN_ARRAY_LEN(pieces); i++) {
        for (k = 0; k < LUN_ARRAY_LEN(rooms); k++) {
            by_in_pieces(pieces[i], rooms[k]);
        }
    }

    for (i = 0; i < LUN_ARRAY_LEN(cuts); i++) {
        by_cut_off(cuts[i], false);
        by_cut_off(cuts[i], true);
    }

    by_mistake();
    not_by(GET("/by/small"));
    not_by(GET("/by/unbuffered"));
    not_by(GET("/by/rate"));
    not_by(GET("/by/slow"));
    not_by(GET("/by/looked"));
    is_int((int64_t) looked_at, BY, "a filter sees all that it looks at");
}


int
main(void)
{
    http_begin("/none/",
               "keepalive_timeout 1h; send_timeout 1h;\n"
               "proxy_read_timeout 5s; proxy_buffer_size 1k;\n"
               "proxy_buffers 4 8k; proxy_busy_buffers_size 16k;\n"
               "proxy_max_temp_file_size 0;\n"
               "proxy_http_version 1.1; proxy_set_header Connection '';\n"
               "upstream kept { server 127.0.0.1:3 max_fails=0;\n"
               "                keepalive 2; keepalive_timeout 7s; }\n"
               "server { listen 127.0.0.1:1;\n"
               "  location /by { proxy_pass http://kept; }\n"
               "  location /by/rate { proxy_pass http://kept;\n"
               "                      limit_rate 1g; }\n"
               "  location /by/slow { proxy_pass http://kept;\n"
               "                      proxy_limit_rate 1g; }\n"
               "  location /by/small { proxy_pass http://kept;\n"
               "                       proxy_buffers 4 1k;\n"
               "                       proxy_busy_buffers_size 2k; }\n"
               "  location /by/unbuffered { proxy_pass http://kept;\n"
               "                            proxy_buffering off; }\n"
               "}\n");

    passed_by();

    http_end();
    return done_testing();
}
