/*
 * relay.c -- a proxied TCP session: bytes both ways, cut anywhere, with sides
 * that are slow, that end, that break, and that say something at the moment
 * when all is over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/stream/proxy/proxy_relay.c"

#define LUN_TEST_MODULES  &lun_stream_proxy_module,
#include "memory_stream.h"

enum { PLAIN, HALF, RATED, SECURE, MUCH = 50000 };

static char  text[MUCH + 1];


static void
fill_text(void)
{
    size_t  i;

    for (i = 0; i < MUCH; i++) {
        text[i] = (char) ('!' + i % 89);
    }
}


/* Nobody has anything to do any more. */
static void
is_over(const char *what)
{
    is_int((int64_t) lun_conn_count(lp), 0, "%s: no connection is left", what);
    is_int((int64_t) lun_timer_pending(lp), 0, "%s: and no timer", what);
}


/* A session of which both sides are there. */
static wire *
session(unsigned listener, wire **server)
{
    wire  *c = stream_client(listener);

    *server = wire_latest(true);
    return c;
}


/* What is kept of a session of which one word went each way. */
static void
silent_sides(void)
{
    wire      *c, *s;
    lun_conn  *client, *server;

    c = session(PLAIN, &s);
    client = lun_container_of(c->s, lun_conn, stream);
    server = lun_container_of(s->s, lun_conn, stream);
    wire_say(c, "a word");
    wire_say(s, "another");
    wire_run();
    is_str(wire_heard(s), "a word", "a word went to the server");
    is_str(wire_heard(c), "another", "and one back");
    ok((client->in.end - client->in.start < LUN_STREAM_BUFFER) != wire_untold
       && (server->in.end - server->in.start < LUN_STREAM_BUFFER)
          != wire_untold, "who has said it %s a buffer",
       wire_untold ? "keeps" : "has no more");
    wire_say(s, "something else");
    wire_end(s);
    is_str(wire_heard(c), "something else", "what it says next is heard");
    is_over("the server has ended");
}


/* --- both ways ----------------------------------------------------------- */

static void
cut_at_every_byte(void)
{
    size_t  at;
    wire   *c, *s;

    for (at = 0; at <= 20; at++) {
        c = session(PLAIN, &s);
        wire_say_bytes(c, text, at);
        wire_run();
        wire_say_bytes(c, text + at, 20 - at);
        wire_run();
        ok(strncmp(wire_heard(s), text, 20) == 0, "to the server, cut at %u",
           (unsigned) at);
        wire_say_bytes(s, text, at);
        wire_run();
        wire_say_bytes(s, text + at, 20 - at);
        wire_run();
        ok(strncmp(wire_heard(c), text, 20) == 0, "and back");
        wire_end(c);
        is_over("the client has ended");
    }
}


/* What one side says ends somewhere: all of it is heard, and no more. */
static void
ends_at_every_byte(void)
{
    size_t  at;
    wire   *c, *s;
    char    want[32];

    for (at = 0; at <= 20; at++) {
        snprintf(want, sizeof(want), "%.*s", (int) at, text);

        c = session(PLAIN, &s);
        wire_say_bytes(s, text, at);
        wire_end(s);
        is_str(wire_heard(c), want, "the server ended behind %u",
               (unsigned) at);
        is_over("as it did");

        c = session(PLAIN, &s);
        wire_say_bytes(c, text, at);
        wire_end(c);
        is_str(wire_heard(s), want, "the client ended behind %u",
               (unsigned) at);
        is_over("as it did");

        c = session(PLAIN, &s);
        wire_say_bytes(c, text, at);
        wire_say_bytes(s, text, 20 - at);
        wire_break(at % 2 != 0 ? c : s);
        is_over("one of them broke");
    }
}


static void
slow_sides(size_t room, size_t piece)
{
    size_t  to = 0, back = 0, rounds = 0;
    bool    same = true;
    wire   *c, *s;

    c = session(PLAIN, &s);
    c->room = s->room = 0;
    c->piece = s->piece = piece;
    wire_say_bytes(c, text, MUCH);
    wire_say_bytes(s, text, MUCH);
    wire_run();
    ok(c->said < c->said_end && s->said < s->said_end,
       "who is not heard is not read from");

    while ((to < MUCH || back < MUCH) && rounds++ < 2 * MUCH) {
        c->room += room;
        s->room += room;
        wire_run();
        same = same && memcmp(s->out, text + to, s->heard_end) == 0
               && memcmp(c->out, text + back, c->heard_end) == 0;
        to += s->heard_end;
        back += c->heard_end;
        s->heard_end = c->heard_end = 0;
    }

    ok(same && to == MUCH && back == MUCH, "all comes, %u bytes at a time",
       (unsigned) room);
    wire_end(c);
    is_over("slow sides");
}


/* --- ends ---------------------------------------------------------------- */

static void
half_of_it_closes(void)
{
    wire  *c, *s;

    c = session(HALF, &s);
    wire_say_bytes(c, "question", 8);
    c->ended = true;
    wire_run();
    is_str(wire_heard(s), "question", "a client that has said all");
    ok(!wire_gone(c) && !wire_gone(s), "may wait for the answer");
    wire_say(s, "answer");
    is_str(wire_heard(c), "answer", "which comes");
    wire_end(s);
    is_over("proxy_half_close");
}


static void
silence_ends_it(void)
{
    wire  *c, *s;

    c = session(PLAIN, &s);
    wire_wait(1999);
    ok(!wire_gone(c), "proxy_timeout is not over");
    wire_say(s, "x");
    wire_wait(1999);
    ok(!wire_gone(c), "and counts from the last byte of either side");
    wire_wait(1);
    is_over("silence");
}


/*
 * A second's bytes are read, and a second's again; the server takes nothing.
 * When the rate would allow more, proxy_timeout is over as well: what the
 * client says then is read, while the server's connection has an operation in
 * flight and so the session is still there.
 */
static void
bytes_that_come_at_the_end(void)
{
    wire  *c, *s;

    c = session(RATED, &s);
    s->room = 0;
    wire_say_bytes(c, text, MUCH);
    wire_run();
    is_int((int64_t) c->said, 300, "a second's bytes");
    wire_wait(1000);
    is_int((int64_t) c->said, 600, "and the next one's");
    wire_wait(2000);
    is_over("no time is left");
}


static void
rates(void)
{
    wire    *c, *s;
    size_t   n;

    c = session(RATED, &s);
    wire_say_bytes(c, text, 1500);

    for (n = 0; n < 20 && s->heard_end < 1500; n++) {
        wire_wait(500);
        ok(s->heard_end <= 300 * (n / 2 + 3), "not too fast: %u after %u ms",
           (unsigned) s->heard_end, (unsigned) (n + 1) * 500);
    }

    ok(strncmp(wire_heard(s), text, 1500) == 0, "and all of it");
    wire_end(c);
    wire_wait(2000);               /* its end is read when the rate allows */
    is_over("rates");
}


/* --- the server ---------------------------------------------------------- */

static void
nobody_takes_it(void)
{
    wire  *c;

    wire_refusal = lun_err_of_kind(LUN_ERR_REFUSED);
    c = stream_client(PLAIN);
    ok(wire_gone(c), "no server, no session");
    is_over("refused");
    wire_refusal = 0;

    wire_deaf = true;
    c = stream_client(PLAIN);
    wire_say_bytes(c, "early", 5);
    wire_wait(999);
    ok(!wire_gone(c), "proxy_connect_timeout is not over");
    wire_wait(1);
    is_over("a server that does not answer");
    wire_deaf = false;
}


/* A server that resets: the words of the log, and nothing is left. */
static void
resets_at_every_stage(void)
{
    size_t  i;
    wire   *c, *s;

    wire_deaf = true;
    c = stream_client(PLAIN);
    s = wire_latest(true);
    (void) stream_logged("");
    wire_break(s);
    ok(wire_gone(c) && stream_logged("while connecting to upstream, client: "),
       "while it is connected to");
    is_over("a connection that does not come about");
    wire_deaf = false;

    (void) session(SECURE, &s);
    (void) stream_logged("");
    wire_break(s);
    ok(stream_logged("while SSL handshaking to upstream, client: "),
       "in the handshake");
    is_over("a handshake that fails");

    for (i = 0; i < 4; i++) {
        c = session(PLAIN, &s);

        if (i == 1) {
            wire_say(c, "a question");

        } else if (i == 2) {
            s->room = 3;
            wire_say(c, "a question that it does not take");

        } else if (i == 3) {
            c->room = 3;
            wire_say(s, "an answer that the client does not take");
        }

        (void) stream_logged("");
        wire_break(s);
        c->room = SIZE_MAX;
        wire_run();
        ok(stream_logged(") while proxying and reading from upstream, client: ")
           && wire_gone(c), "when it has heard, or said: %u", (unsigned) i);
        is_over("a session whose server resets");
    }

    c = session(HALF, &s);
    wire_end(c);
    (void) stream_logged("");
    wire_break(s);
    ok(stream_logged("recv() failed"), "when the client has ended its side");
    is_over("a half of a session");
}


int
main(void)
{
    static const size_t  sizes[][2] = {
        { 1000, SIZE_MAX }, { 97, 13 }, { SIZE_MAX, 1 }, { 20000, 7000 }
    };

    size_t  i;

    fill_text();
    stream_begin("proxy_timeout 2s; proxy_connect_timeout 1s;\n"
                 "upstream u { server 127.0.0.1:9 max_fails=0; }\n"
                 "server { listen 127.0.0.1:1; proxy_pass u; }\n"
                 "server { listen 127.0.0.1:2; proxy_pass u;\n"
                 "         proxy_half_close on; }\n"
                 "server { listen 127.0.0.1:3; proxy_pass u;\n"
                 "         proxy_upload_rate 300; }\n"
                 "server { listen 127.0.0.1:4; proxy_pass u;\n"
                 "         proxy_ssl on; }\n");

    cut_at_every_byte();
    ends_at_every_byte();

    for (i = 0; i < 2 * LUN_ARRAY_LEN(sizes); i++) {
        wire_untold = i % 2;
        slow_sides(sizes[i / 2][0], sizes[i / 2][1]);
    }

    silent_sides();
    wire_untold = false;
    silent_sides();

    half_of_it_closes();
    silence_ends_it();
    bytes_that_come_at_the_end();
    rates();
    nobody_takes_it();
    resets_at_every_stage();

    stream_end();
    return done_testing();
}
