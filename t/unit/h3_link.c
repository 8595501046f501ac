/*
 * h3_link.c -- what a server may say of a connection of HTTP/3: its control
 * stream and QPACK's, as one piece and byte by byte; whom a GOAWAY concerns;
 * a request that is written into frames, and an answer that waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/upstream/h3/h3_link_uni.c"

#include "net/quic/quic_priv.h"
#include "tap.h"

enum { IN_ROOM = 64, REQUESTS = 2 };

/* A connection that sends nothing. */
static struct {
    lun_loop             loop;
    lun_conn             c;
    lun_quic_conn        quic;
    lun_h3_link          l;
    lun_h3_link_stream  *s[REQUESTS];
    lun_conn             own[REQUESTS];
    char                 in[REQUESTS][IN_ROOM];
} one;


static void
begin(void)
{
    size_t  i;

    memset(&one, 0, sizeof(one));
    one.loop.posted.tail = &one.loop.posted.head;
    one.loop.running.tail = &one.loop.running.head;
    one.c.mark = LUN_MARK_CONN;
    one.c.loop = &one.loop;
    one.quic.q.mark = LUN_MARK_QUIC;
    one.quic.q.c = &one.c;
    one.l.q = &one.quic.q;
    one.l.c = &one.c;
    one.l.most = one.l.count = REQUESTS;
    lun_list_init(&one.l.wires);
    lun_list_init(&one.l.senders);
    lun_list_init(&one.l.due);

    for (i = 0; i < REQUESTS; i++) {
        one.s[i] = lun_calloc(sizeof(lun_h3_link_stream));
        lun_h3_link_wire_init(&one.s[i]->w, &one.l, LUN_H3_LINK_REQUEST,
                              (int64_t) (4 * i));
        lun_list_init(&one.s[i]->due);
        one.s[i]->conn = &one.own[i];
        one.own[i].mark = LUN_MARK_CONN;
        one.own[i].loop = &one.loop;
        one.own[i].io = &lun_h3_link_io;
        one.own[i].io_data = one.s[i];
        one.own[i].in.pos = one.own[i].in.last = one.in[i];
        one.own[i].in.end = one.in[i] + IN_ROOM;
    }
}


static void
end(void)
{
    size_t              i;
    lun_h3_link_wire   *w;

    for (i = 0; i < REQUESTS; i++) {
        lun_bytes_drop(&one.s[i]->in);
        lun_list_remove(&one.s[i]->w.of_link);
        lun_h3_queue_fini(&one.s[i]->w.queue);
        lun_free(one.s[i]);
    }

    while (!lun_list_empty(&one.l.wires)) {
        w = lun_container_of(one.l.wires.next, lun_h3_link_wire, of_link);
        lun_list_remove(&w->of_link);
        lun_h3_link_peer_free(w);
    }
}


/* Of which the connection is closed; 0: it goes on. */
static uint64_t
error(void)
{
    return one.quic.stage == 0 ? 0 : one.quic.error.error_code;
}


/* --- what the server says ------------------------------------------------- */

#define SETTINGS  "\0\4\0"

static const struct {
    lun_str      bytes;
    uint64_t     error;
    const char  *name;
} cases[] = {
    { LUN_STR_INIT(SETTINGS), 0, "settings" },
    { LUN_STR_INIT("\0\4\5\1\0\6\x44\0"), 0, "settings that say something" },
    { LUN_STR_INIT("\0\4\2\2\0"), LUN_H3_SETTINGS_ERROR,
      "a setting of HTTP/2" },
    { LUN_STR_INIT("\0\4\1\1"), LUN_H3_FRAME_ERROR, "half a setting" },
    { LUN_STR_INIT("\0\4\2\1\x40"), LUN_H3_FRAME_ERROR, "half a number" },
    { LUN_STR_INIT("\0\7\1\0"), LUN_H3_MISSING_SETTINGS, "no settings" },
    { LUN_STR_INIT("\0\4\0\4\0"), LUN_H3_FRAME_UNEXPECTED, "settings twice" },
    { LUN_STR_INIT("\0\4\0\0\0"), LUN_H3_FRAME_UNEXPECTED, "DATA" },
    { LUN_STR_INIT("\0\4\0\1\0"), LUN_H3_FRAME_UNEXPECTED, "HEADERS" },
    { LUN_STR_INIT("\0\4\0\5\0"), LUN_H3_FRAME_UNEXPECTED, "PUSH_PROMISE" },
    { LUN_STR_INIT("\0\4\0\6\0"), LUN_H3_FRAME_UNEXPECTED,
      "PING, which HTTP/2 has" },
    { LUN_STR_INIT("\0\4\0\x21\5abcde\3\1\0"), 0, "frames of no meaning" },
    { LUN_STR_INIT("\0\4\0\7\1\4\7\1\0"), 0, "GOAWAY, twice" },
    { LUN_STR_INIT("\0\4\0\7\1\1"), LUN_H3_ID_ERROR,
      "GOAWAY of what is no request" },
    { LUN_STR_INIT("\0\4\0\7\0"), LUN_H3_FRAME_ERROR, "GOAWAY of nothing" },
    { LUN_STR_INIT("\0\4\0\7\2\0\0"), LUN_H3_FRAME_ERROR,
      "GOAWAY of too much" },
    { LUN_STR_INIT("\0\4\0\7\1\x40"), LUN_H3_FRAME_ERROR,
      "GOAWAY of half a number" },
    { LUN_STR_INIT("\1\0"), LUN_H3_ID_ERROR, "a push" },
    { LUN_STR_INIT("\2\x20\x20"), 0, "a table of no room" },
    { LUN_STR_INIT("\2\x20\x3f\1"), LUN_QPACK_ENCODER_ERROR,
      "a table of some" },
    { LUN_STR_INIT("\3\x80"), LUN_QPACK_DECODER_ERROR,
      "thanks for what was not sent" },
    { LUN_STR_INIT("\x21" "anything"), 0, "a stream of no meaning" }
};


static void
say(int64_t id, lun_str bytes, size_t step, bool fin)
{
    size_t             i;
    lun_h3_link_wire  *w = lun_h3_link_peer_new(&one.l, id);

    for (i = 0; i < bytes.len && error() == 0; i += step) {
        lun_h3_link_peer_take(w, bytes.data + i, step, false);
    }

    if (fin) {
        lun_h3_link_peer_take(w, NULL, 0, true);
    }
}


static void
control(size_t i)
{
    size_t  step, n = cases[i].bytes.len;

    for (step = 1; step <= n; step += n - 1) {
        begin();
        say(3, cases[i].bytes, step, false);
        ok(error() == cases[i].error, "%s, by %zu", cases[i].name, step);
        ok((one.l.goes_away && one.l.share.full)
           == (cases[i].error != 0 || strstr(cases[i].name, "GOAWAY") != NULL),
           "... and whether others may come");
        end();
    }
}


static void
streams(void)
{
    static const lun_str  types[] = {
        LUN_STR_INIT("\0"), LUN_STR_INIT("\2"), LUN_STR_INIT("\3")
    };

    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(types); i++) {
        begin();
        say(3, types[i], 1, false);
        say(7, types[i], 1, false);
        ok(error() == LUN_H3_STREAM_CREATION_ERROR,
           "a second stream of type %d", types[i].data[0]);
        end();

        begin();
        say(3, types[i], 1, true);
        ok(error() == LUN_H3_CLOSED_CRITICAL, "... and one that ends");
        end();
    }

    begin();
    ok(lun_h3_link_peer_new(&one.l, 1) == NULL
       && error() == LUN_H3_STREAM_CREATION_ERROR,
       "a stream that goes both ways is not the server's to open");
    end();

    begin();
    say(3, LUN_STR("\x21"), 1, true);
    ok(error() == 0, "a stream of no meaning may end");
    end();
}


static void
frames_for_nothing(void)
{
    size_t             i;
    lun_h3_link_wire  *w;

    begin();
    w = lun_h3_link_peer_new(&one.l, 3);
    lun_h3_link_peer_take(w, SETTINGS, sizeof(SETTINGS) - 1, false);

    for (i = 0; i < MOST_IDLE; i++) {
        lun_h3_link_peer_take(w, i % 2 == 0 ? "\x21\0" : "\7\1\0",
                              i % 2 == 0 ? 2 : 3, false);
    }

    ok(error() == 0, "many frames for nothing");
    lun_h3_link_peer_take(w, "\x21\0", 2, false);
    ok(error() == LUN_H3_EXCESSIVE_LOAD, "... and too many");
    end();
}


static void
goaway(void)
{
    begin();
    say(3, LUN_STR("\0\4\0\7\1\4"), 6, false);
    ok(!lun_h3_link_was_reset(one.s[0]) && lun_h3_link_was_reset(one.s[1]),
       "requests from its number on are not looked at");
    ok(!lun_list_empty(&one.s[1]->due)
       && lun_bytes_left(&one.s[1]->in) == LUN_H3_LINK_MARK_LEN,
       "... which whoever reads is told");
    end();
}


/* --- a stream as a connection -------------------------------------------- */

static void
writing(void)
{
    size_t               sent = 0;
    lun_slice            slices[] = { { "ab", 2 }, { "cde", 3 } };
    lun_h3_link_stream  *s;

    begin();
    s = one.s[0];
    lun_h3_link_owe(s, 5, false);
    ok(lun_h3_link_io.send(s->conn, slices, 2, false, &sent) == 0 && sent == 5
       && s->w.queue.unsent == 5 && !s->w.ends, "what is written waits");
    ok(!lun_list_empty(&s->w.sender), "... for its turn to be sent");
    lun_h3_link_owe(s, 2, true);
    ok(!s->w.ends, "a last byte that is owed is no end");
    sent = 0;
    ok(lun_h3_link_io.send(s->conn, slices, 1, false, &sent) == 0
       && s->w.ends, "... it is when it was written");
    end();

    begin();
    s = one.s[0];
    lun_h3_link_owe(s, 0, true);
    ok(s->w.ends, "an end of nothing");
    end();

    begin();
    s = one.s[0];
    s->was_stopped = true;
    lun_h3_link_owe(s, 5, true);
    sent = 0;
    ok(lun_h3_link_io.send(s->conn, slices, 2, false, &sent) == 0 && sent == 5
       && s->w.queue.unsent == 0, "what nobody wants is taken, and not kept");
    end();

    begin();
    s = one.s[0];
    s->unheard = true;
    lun_h3_link_owe(s, 5, true);
    sent = 0;
    ok(lun_h3_link_io.send(s->conn, slices, 2, false, &sent) == 0 && sent == 5
       && s->w.queue.unsent == 0, "... nor what nobody looks at: whoever reads "
       "finds out");
    end();

    begin();
    s = one.s[0];
    s->broken = true;
    ok(lun_err_kind_of(lun_h3_link_io.send(s->conn, slices, 2, false, &sent))
       == LUN_ERR_RESET, "a stream that ended within a frame");
    end();

    begin();
    s = one.s[0];
    s->w.queue.unacked = 4 << 20;
    lun_h3_link_owe(s, 5, true);
    sent = 0;
    ok(lun_err_kind_of(lun_h3_link_io.send(s->conn, slices, 2, false, &sent))
       == LUN_ERR_AGAIN && sent == 0,
       "what was not acknowledged takes room, too");
    s->w.queue.unacked = 0;
    end();
}


static void
reading(void)
{
    char                 text[2 * IN_ROOM] = "\0\x40\x7c";
    lun_h3_link_stream  *s;

    begin();
    s = one.s[0];
    lun_h3_link_take(s, text, sizeof(text) - 1, true);
    ok(lun_bytes_left(&s->in) == sizeof(text) - 1 + LUN_H3_LINK_MARK_LEN
       && !s->broken, "behind the last frame stands one of no meaning");
    ok(!lun_h3_link_has_ended(s, 0), "what waits is not yet its end");
    lun_h3_link_io.read(s->conn);
    ok(s->filled == IN_ROOM, "as much is read as there is room for");
    end();

    begin();
    s = one.s[0];
    lun_h3_link_take(s, text, 9, true);
    ok(s->broken && lun_bytes_left(&s->in) == 9, "an end within a frame");
    ok(!lun_h3_link_has_ended(s, 0), "... is none");
    end();

    begin();
    s = one.s[0];
    s->conn = NULL;
    lun_h3_link_take(s, text, 9, true);
    ok(lun_bytes_left(&s->in) == 0 && s->got_all,
       "what comes for who has left is not kept");
    end();
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        control(i);
    }

    streams();
    frames_for_nothing();
    goaway();
    writing();
    reading();

    return done_testing();
}
