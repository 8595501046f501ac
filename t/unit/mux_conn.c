/*
 * mux_conn.c -- streams as connections: what is read and when the window
 * opens, writes that wait, one side's end, both, resets, a request that ends
 * with a write on its way.
 *
 * The client says frames of HTTP/2; who takes over is echo_tunnel.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/mux/mux_conn.c"

#include "echo_tunnel.h"

#define LUN_TEST_MODULES  &echo_tunnel_module.head,
#include "memory_http.h"
#include "format/h2_wire.h"

static wire      *w;
static char       said[200000];    /* DATA of the stream */
static size_t     len;
static unsigned   ends, resets, code, opened, status;


static void
say(unsigned type, unsigned flags, uint32_t id, const void *bytes, size_t n)
{
    char  head[LUN_FRAME_HEAD];

    (void) lun_frame_put_head(head, n, type, flags, id);
    wire_say_bytes(w, (const uint8_t *) head, sizeof(head));
    wire_say_bytes(w, bytes, n);
}


static void
say_data(const char *text, unsigned flags)
{
    say(LUN_FRAME_DATA, flags, 1, text, strlen(text));
}


static void
say_u32(unsigned type, uint32_t id, uint32_t n)
{
    char  text[4];

    (void) lun_frame_put_u32(text, n);
    say(type, 0, id, text, sizeof(text));
}


/* What it has heard, frame by frame. */
static void
hear(void)
{
    size_t          n;
    const uint8_t  *p, *end;

    wire_run();
    p = (const uint8_t *) w->out;
    end = p + w->heard_end;

    for ( ; p != end; p += LUN_FRAME_HEAD + n) {
        n = (size_t) p[0] << 16 | (size_t) p[1] << 8 | p[2];

        if (p[3] == LUN_FRAME_WINDOW_UPDATE && p[8] == 1) {
            opened += lun_frame_u32(p + LUN_FRAME_HEAD);

        } else if (p[8] != 1) {
            continue;

        } else if (p[3] == LUN_FRAME_RST_STREAM) {
            resets++;
            code = lun_frame_u32(p + LUN_FRAME_HEAD);

        } else if (p[3] == LUN_FRAME_HEADERS) {
            /* Behind the size of the encoder's table. */
            status = memchr(p + LUN_FRAME_HEAD, 0x88, 4) != NULL ? 200 : 1;

        } else if (p[3] == LUN_FRAME_DATA) {
            LUN_CHECK(len + n < sizeof(said));
            memcpy(said + len, p + LUN_FRAME_HEAD, n);
            len += n;
        }

        if (p[3] <= LUN_FRAME_HEADERS) {
            ends += p[4] & LUN_FRAME_END_STREAM;
        }
    }

    w->heard_end = 0;
    said[len] = '\0';
}


/* A client whose window is `room`, and a tunnel. */
static void
begin_tunnel(uint32_t room, unsigned flags)
{
    static const char  block[] =
        "\x02\7CONNECT\x86\x04\1/\x41\x01" "a\0\x09:protocol\x09websocket";
    char               setting[12] = { 0, LUN_H2_INITIAL_WINDOW_SIZE, 0, 0, 0,
                                       0, 0, LUN_H2_HEADER_TABLE_SIZE };

    (void) lun_frame_put_u32(setting + 2, room);
    len = 0;
    ends = resets = opened = status = code = echo_gone = 0;
    w = http_client(0);
    wire_say(w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    say(LUN_FRAME_SETTINGS, 0, 0, setting, sizeof(setting));
    say(LUN_FRAME_SETTINGS, LUN_FRAME_ACK, 0, "", 0);
    say(LUN_FRAME_HEADERS, LUN_FRAME_END_HEADERS | flags, 1, block,
        sizeof(block) - 1);
    hear();
}


static void
end_tunnel(const char *what)
{
    if (!wire_gone(w)) {
        wire_end(w);
    }

    wire_wait(60000);
    ok(wire_gone(w) && echo_tunnels == NULL, "%s: nothing is left", what);
}


static void
both_ways(void)
{
    static char  bulk[50001];

    begin_tunnel(65535, 0);
    is_int(status, 200, "101 goes out as 200");
    say_data("hello", 0);
    hear();
    is_str(said, "hello", "what is said comes back");
    is_int(opened, 0, "a few bytes open no window");

    memset(bulk, 'x', sizeof(bulk) - 1);
    say_data(bulk, 0);
    hear();
    is_int((int64_t) len, 50005, "and much");
    ok(opened >= 32768 && opened <= 50005, "what was read may come again");
    is_int(ends, 0, "it goes on");

    say_data("", LUN_FRAME_END_STREAM);
    hear();
    is_int(ends, 1, "the client's end ends it");
    is_int(resets, 0, "in order");
    end_tunnel("an end");
}


/* Who does not take what it gets is not read from. */
static void
a_client_that_does_not_read(void)
{
    static char  bulk[60001];

    memset(bulk, 'y', sizeof(bulk) - 1);
    begin_tunnel(10, 0);
    say_data(bulk, 0);
    hear();
    is_int((int64_t) len, 10, "as much as its window lets through");
    is_int(opened, 0, "and no window opens");
    wire_wait(120000);
    hear();
    is_int(resets, 0, "how long is the takeover's business");

    say_u32(LUN_FRAME_WINDOW_UPDATE, 1, 70000);
    hear();
    is_int((int64_t) len, 60000, "the rest when it opens");
    say_u32(LUN_FRAME_RST_STREAM, 1, 8);
    hear();
    is_int(echo_gone, 1, "a reset is told at once");
    end_tunnel("a reset");

    begin_tunnel(10, 0);
    say_data(bulk, 0);
    hear();
    say_u32(LUN_FRAME_RST_STREAM, 1, 8);
    hear();
    is_int(echo_gone, 1, "in the middle of a write as well");
    end_tunnel("a reset in a write");

    begin_tunnel(10, 0);
    say_data(bulk, 0);
    hear();
    end_tunnel("a connection that is lost");
    is_int(echo_gone, 1, "and with the connection");
}


static void
one_side_ends(void)
{
    begin_tunnel(65535, 0);
    say_data("a!b", 0);
    hear();
    is_int(ends, 1, "our end goes out by itself");
    say_data("more", 0);
    hear();
    is_int(resets, 0, "the client may go on");
    is_int((int64_t) len, 0, "and hears no more");
    say_data("", LUN_FRAME_END_STREAM);
    hear();
    is_int(resets, 0, "until it has ended, too");
    end_tunnel("half an end");

    begin_tunnel(65535, 0);
    say_data("a!b", 0);
    hear();
    say_u32(LUN_FRAME_RST_STREAM, 1, 8);
    hear();
    is_int(echo_gone, 1, "or resets it");
    end_tunnel("half an end, and a reset");

    begin_tunnel(65535, LUN_FRAME_END_STREAM);
    is_int(ends, 1, "a client that says nothing at all");
    end_tunnel("a header that was the end");
}


static void
it_ends_early(void)
{
    begin_tunnel(65535, 0);
    say_data("bye?", 0);
    hear();
    is_int((int64_t) len, 2, "the write that is on its way goes out");
    is_int(ends, 1, "and the end behind it");
    is_int(code, 0, "in order");
    end_tunnel("a request that ends");

    begin_tunnel(1, 0);
    say_data("bye?", 0);
    hear();
    is_int((int64_t) len, 1, "as far as the window goes");
    wire_wait(4000);
    hear();
    is_int(resets, 0, "it has its time");
    wire_wait(2000);
    hear();
    is_int(resets, 1, "which is send_timeout");
    end_tunnel("a client that does not take the end");

    begin_tunnel(65535, 0);
    say_data("bye#", 0);
    hear();
    is_int((int64_t) len, 0, "what was given up is cut off");
    is_int(code, 8, "as CANCEL");
    end_tunnel("a request that is given up");
}


int
main(void)
{
    http_begin("/none/",
               "http2 on; send_timeout 5s; keepalive_timeout 11s;\n"
               "server { listen 127.0.0.1:1; location / { } }\n");

    both_ways();
    a_client_that_does_not_read();
    one_side_ends();
    it_ends_early();

    http_end();
    return done_testing();
}
