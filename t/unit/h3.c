/*
 * h3.c -- the conversation on an HTTP/3 connection: requests in pieces, bodies
 * within windows, resets, QPACK's table, limits, time, urgency, quitting.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h3/h3_stream.c"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"
#include "h3_client.h"


/* --- whole conversations ------------------------------------------------- */

static void
in_pieces(void)
{
    size_t     i;
    exchange  *x[4];

    static const size_t  pieces[] = { 1, 2, 3, 7, 100, 1000, 20000 };

    for (i = 0; i < LUN_ARRAY_LEN(pieces); i++) {
        begin_client(0, i % 2 ? 4096 : 0);
        piece = pieces[i];
        p->packet = pieces[LUN_ARRAY_LEN(pieces) - 1 - i];
        x[0] = ask("/echo", "hello, world");
        x[1] = ask("/big", NULL);
        x[2] = ask("/404", NULL);
        x[3] = ask("/trailer", NULL);
        talk();

        ok(x[0]->status == 200 && strcmp(x[0]->body, "hello, world") == 0
           && x[0]->ended, "said in pieces of %u: a body", (unsigned) piece);
        ok(x[1]->status == 200 && x[1]->len == BIG && x[1]->ended
           && memcmp(x[1]->body, huge_text, BIG) == 0, "a large answer");
        ok(x[2]->status == 404 && x[2]->ended, "a page");
        ok(strcmp(x[3]->body, "body") == 0 && x[3]->ended, "a body");
        is_str(x[3]->trailer, "x-sum: 42", "and its trailer");
        is_int(p->bidi, 4, "four more may come");
        end_client();
    }
}


static void
through_windows(void)
{
    exchange  *x, *y;
    int64_t    i;

    begin_client(0, 0);
    p->first_room = 1000;
    p->keeps_acks = true;
    x = ask("/huge", NULL);
    y = ask("/big", NULL);
    talk();
    ok(x->status == 200 && !x->ended && x->len < 1000, "a window of 1000");

    for (i = 0; i < 300 && !(x->ended && y->ended); i++) {
        quic_open(p, x->id, 1000);
        quic_open(p, y->id, 100);
        talk();

        if (i % 3 == 0) {
            quic_ack(p);
        }
    }

    ok(x->ended && x->len == HUGE_SIZE
       && memcmp(x->body, huge_text, HUGE_SIZE) == 0, "all comes in the end");
    ok(y->ended && y->len == BIG, "of another as well");
    is_int(p->bidi, 1, "not all is acknowledged");
    quic_ack(p);
    talk();
    is_int(p->bidi, 2, "now it is");
    end_client();

    begin_client(0, 0);
    x = ask("/echo", huge_text);
    talk();
    ok(x->status == 200 && x->len == HUGE_SIZE && x->ended
       && memcmp(x->body, huge_text, HUGE_SIZE) == 0, "a large body, echoed");
    end_client();
}


/* Instructions to the table come behind the requests that refer to them. */
static void
table_comes_late(void)
{
    exchange  *x, *y;

    begin_client(0, 4096);
    talk();
    late_table = true;
    x = ask_with("/hello", NULL, "x-a", "some value");
    y = ask_with("/echo", "body", "x-a", "some value");
    talk();
    ok(x->status == 0 && y->status == 0, "both wait for the table");
    LUN_CHECK(late_len > 0);
    quic_say(p, table_id, late, late_len, false);
    late_table = false;
    talk();
    ok(x->status == 200 && strcmp(x->body, "/hello") == 0, "it has come");
    ok(y->status == 200 && strcmp(y->body, "body") == 0, "for both");

    late_table = true;
    late_len = 0;
    x = ask_with("/hello", NULL, "x-b", "other value");
    talk();
    quic_say_reset(p, x->id, LUN_H3_REQUEST_CANCELLED);
    quic_say_stop(p, x->id, LUN_H3_REQUEST_CANCELLED);
    talk();
    quic_say(p, table_id, late, late_len, false);
    late_table = false;
    y = ask("/hello", NULL);
    talk();
    is_int(y->status, 200, "one that waited was taken back");
    end_client();
}


/* --- streams that end early ---------------------------------------------- */

static void
ends_early(void)
{
    exchange  *x, *y;

    begin_client(0, 0);
    aborts = 0;
    x = ask("/wait", NULL);
    talk();
    quic_say_stop(p, x->id, LUN_H3_REQUEST_CANCELLED);
    talk();
    is_int(aborts, 1, "one that the client stops is told of");
    is_int(last_status, 499, "and logged");

    x = ask("/wait", NULL);
    x = ask_with("/echo", "body", "content-length", "100");
    y = ask("/444", NULL);
    talk();
    ok(x->status == 400, "a body that is shorter than it said");
    ok(y->status == 0
       && quic_find(p, y->id)->reset_code == LUN_H3_REQUEST_CANCELLED,
       "444 is a reset");

    x = ask("/hello", NULL);
    talk();
    is_int(x->status, 200, "of one stream, not of all");
    end_client();
    is_int(aborts, 2, "the client has left");
}


static void
limits(void)
{
    size_t        i;
    exchange     *x[4];
    static char   value[9000];

    memset(value, 'x', sizeof(value) - 1);
    begin_client(0, 0);
    x[0] = ask_with("/hello", NULL, "x-large", value);
    x[1] = ask("/hello", NULL);
    talk();
    is_int(x[0]->status, 400, "a field that is too large is answered");
    is_int(last_status, 200, "the others are served");
    ok(http_logged("client sent too large header field"), "it is logged");
    end_client();

    begin_client(1, 0);

    for (i = 0; i < 4; i++) {
        x[i] = ask("/hello", NULL);
        talk();
        is_int(x[i]->status, i < 3 ? 200 : 0, "keepalive_requests 3: %u",
               (unsigned) i + 1);
    }

    ok(goodbye && p->c == NULL && p->code == LUN_H3_NO_ERROR,
       "the client is told that there will be no more");
    end_client();

    begin_client(2, 0);
    x[0] = ask("/wait", NULL);
    x[1] = ask("/wait", NULL);
    x[2] = ask("/wait", NULL);
    talk();
    is_int((int64_t) quic_find(p, x[2]->id)->reset_code,
           LUN_H3_REQUEST_REJECTED, "http3_max_concurrent_streams 2");
    end_client();
}


static void
time_outs(void)
{
    exchange  *x;

    begin_client(0, 0);
    talk();
    wire_wait(6999);
    quic_run(p);
    ok(p->c != NULL, "client_header_timeout is not over");
    wire_wait(1);
    quic_run(p);
    ok(p->c == NULL, "nothing was said in that time");
    end_client();

    begin_client(0, 0);
    x = ask("/hello", NULL);
    talk();
    wire_wait(10999);
    quic_run(p);
    ok(x->status == 200 && p->c != NULL, "keepalive_timeout is not over");
    wire_wait(1);
    quic_run(p);
    ok(p->c == NULL && p->code == LUN_H3_NO_ERROR, "it is over");
    end_client();

    begin_client(0, 0);
    p->first_room = 1000;
    x = ask("/big", NULL);
    talk();
    wire_wait(4999);
    quic_run(p);
    ok(quic_find(p, x->id)->reset_code == 0, "send_timeout is not over");
    wire_wait(1);
    quic_run(p);
    ok(quic_find(p, x->id)->reset_code != 0, "it is over: a reset");
    end_client();
}


static void
told_to_quit(void)
{
    exchange  *x, *y;

    begin_client(0, 0);
    x = ask("/wait", NULL);
    talk();
    http_quit();
    talk();
    y = ask("/hello", NULL);
    talk();
    ok(!goodbye && y->status == 200, "what is on its way is served");
    wire_wait(600);
    talk();
    ok(goodbye && p->c != NULL, "and then the client is told");
    lun_http_finish(waits, LUN_STATUS + 503);
    talk();
    is_int(x->status, 503, "what it has asked for is answered");
    ok(p->c == NULL && p->code == LUN_H3_NO_ERROR, "and that is all");
    end_client();
}


/* --- urgency ------------------------------------------------------------- */

static void
urgent_first(void)
{
    exchange  *x, *y;

    begin_client(0, 0);
    p->packet = 60000;
    x = ask_with("/huge", NULL, "priority", "u=5");
    y = ask_with("/huge", NULL, "priority", "u=1");
    say_all();
    p->awake = true;
    quic_run(p);
    ok(y->ended != 0 && y->ended < x->ended, "the more urgent is first");
    end_client();

    begin_client(0, 0);
    p->first_room = HUGE_SIZE / 2;
    x = ask_with("/huge", NULL, "priority", "u=5");
    y = ask_with("/huge", NULL, "priority", "u=1");
    talk();
    quic_open(p, y->id, HUGE_SIZE);
    quic_run(p);
    ok(y->ended && !x->ended, "one has a window");
    end_client();
}


int
main(void)
{
    begin_server("client_header_timeout 7s; keepalive_timeout 11s;\n"
                 "client_body_timeout 7s; send_timeout 5s;\n"
                 "client_body_buffer_size 1m; postpone_output 0;\n"
                 "server { listen 127.0.0.1:1; }\n"
                 "server { listen 127.0.0.1:2; keepalive_requests 3; }\n"
                 "server { listen 127.0.0.1:3;\n"
                 "    http3_max_concurrent_streams 2; }\n");

    in_pieces();
    through_windows();
    table_comes_late();
    ends_early();
    limits();
    time_outs();
    urgent_first();
    told_to_quit();

    http_end();
    return done_testing();
}
