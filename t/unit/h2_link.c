/*
 * h2_link.c -- frames of a body within the windows that a server has opened,
 * or closed again; what a server says to streams that do not read, or are
 * over; how a link ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/upstream/h2/h2_link.c"

#include "tap.h"


static const struct {
    int64_t      window;
    int64_t      conn_window;
    int64_t      size;
    bool         last;
    int64_t      framed;
    const char  *name;
} cases[] = {
    { 5, 9, 7, true, 5, "as much as the stream lets through" },
    { 9, 5, 7, true, 5, "as much as the connection does" },
    { 9, 9, 7, true, 7, "all of it" },
    { 9, 9, 7, false, 7, "all of it that is here" },
    { 99999, 99999, 20000, true, LUN_FRAME_MOST, "a frame's most" },
    { 0, 9, 7, true, 0, "a closed window" },
    { -3, 9, 7, true, 0, "a window below nothing" },
    { 0, 9, 0, true, 0, "an end in a closed window" },
    { -3, 9, 0, true, 0, "an end in a window below nothing" }
};


static void
frame(size_t i)
{
    bool           ends = cases[i].last && cases[i].framed == cases[i].size;
    int64_t        n;
    lun_loop       loop = { .port = NULL };
    lun_conn       c = { .loop = &loop }, own = { .loop = &loop };
    lun_h2_link    l = { .window = cases[i].conn_window, .c = &c };
    lun_link_stream  s = { .window = cases[i].window, .link = &l, .id = 3,
                         .conn = &own };

    loop.posted.tail = &loop.posted.head;
    loop.running.tail = &loop.running.head;
    n = lun_link_stream_frame(&s, cases[i].size, cases[i].last);

    ok(n == cases[i].framed && s.framed == n
       && s.window == cases[i].window - n
       && l.window == cases[i].conn_window - n, "%s", cases[i].name);
    ok(s.ends == ends, "... and whether it ends");
    ok(s.sent_all == (cases[i].size == 0)
       && l.out.len == (cases[i].size == 0 ? LUN_FRAME_HEAD : 0),
       "an end of nothing is a frame of its own");
    lun_bytes_drop(&l.out);
}


/* A link with two streams, that is being written to. */
static struct {
    lun_loop       loop;
    lun_conn       c, own[2];
    lun_h2_link    l;
    lun_link_stream  s[2];
} two;


static void
begin_two(void)
{
    size_t  i;

    memset(&two, 0, sizeof(two));
    two.loop.posted.tail = &two.loop.posted.head;
    two.loop.running.tail = &two.loop.running.head;
    two.c.mark = LUN_MARK_CONN;
    two.c.loop = &two.loop;
    two.c.writing = true;
    two.l.c = &two.c;
    two.l.window = two.l.initial = two.l.asked = LUN_H2_FIRST_WINDOW;
    two.l.next_id = 5;
    two.l.most = MOST_STREAMS;
    two.l.was_set = true;
    two.l.count = 2;
    two.l.credit = MOST_CREDIT;
    lun_frames_init(&two.l.frames);
    lun_list_init(&two.l.streams);
    lun_list_init(&two.l.due);
    lun_list_init(&two.l.turn);

    for (i = 0; i < 2; i++) {
        two.own[i].loop = &two.loop;
        two.s[i].link = &two.l;
        two.s[i].conn = &two.own[i];
        two.s[i].id = (uint32_t) (2 * i + 1);
        two.s[i].window = LUN_H2_FIRST_WINDOW;
        lun_list_init(&two.s[i].due);
        lun_list_init(&two.s[i].turn);
        lun_list_push_back(&two.l.streams, &two.s[i].of_link);
    }
}


static void
end_two(void)
{
    lun_bytes_drop(&two.l.out);
    lun_bytes_drop(&two.s[0].in);
    lun_bytes_drop(&two.s[1].in);
}


/* A frame of DATA for the second stream, with so many bytes. */
static void
take_data(size_t size)
{
    char  text[LUN_FRAME_HEAD + LUN_FRAME_MOST] = "";

    (void) lun_frame_put_head(text, size, LUN_FRAME_DATA, 0, 3);
    lun_h2_link_take(&two.l, text, text + LUN_FRAME_HEAD + size);
}


static void
an_end_behind_the_header(void)
{
    char       head[] = "header";
    size_t     sent;
    lun_slice  slice = { head, 6 };

    begin_two();
    two.s[0].head = 6;
    ok(lun_link_stream_frame(&two.s[0], 0, true) == 0 && two.l.out.len == 0
       && !two.s[0].sent_all, "nothing goes in front of a header");

    two.own[0].io_data = &two.s[0];
    ok(lun_link_stream_io.send(&two.own[0], &slice, 1, false, &sent) == 0
       && sent == 6 && two.s[0].sent_all
       && two.l.out.len == 6 + LUN_FRAME_HEAD
       && memcmp(two.l.out.data, "header\0\0\0\0\1", 11) == 0,
       "... an end without bytes follows it");
    end_two();
}


static void
what_is_not_sent(void)
{
    begin_two();
    two.l.window = 10;
    ok(lun_link_stream_frame(&two.s[0], 20, true) == 10 && two.l.window == 0,
       "a stream takes all of the connection's window");

    leave_link(&two.s[0], false);
    ok(two.l.window == 10, "... and leaves what it has not sent");
    ok(two.s[1].opened && two.l.due.next == &two.s[1].due,
       "... to those that wait");
    end_two();
}


static int  windows_seen;


static void
see_window(lun_conn *c)
{
    windows_seen++;
}


static void
news_of_windows(void)
{
    begin_two();
    windows_seen = 0;
    two.s[0].on_window = two.s[1].on_window = see_window;
    two.s[0].window = 0;
    lun_h2_link_open_windows(&two.l);
    lun_h2_link_serve(&two.l);
    ok(windows_seen == 1, "a closed stream hears nothing of the others' room");
    end_two();
}


/* Frames of SETTINGS, of so many windows each; the last one is `value`. */
static void
take_windows(size_t n, uint32_t value)
{
    char    text[LUN_FRAME_HEAD + 6 * 100] = "", *p;
    size_t  i;

    (void) lun_frame_put_head(text, 6 * n, LUN_FRAME_SETTINGS, 0, 0);

    for (i = 0; i < n; i++) {
        p = text + LUN_FRAME_HEAD + 6 * i;
        p[1] = 4;
        (void) lun_frame_put_u32(p + 2, i + 1 == n ? value : (uint32_t) i);
    }

    lun_h2_link_take(&two.l, text, text + LUN_FRAME_HEAD + 6 * n);
}


static void
many_windows_in_a_frame(void)
{
    begin_two();
    two.s[0].window = 7;
    take_windows(100, LUN_H2_FIRST_WINDOW + 3);
    ok(two.s[0].window == 10 && two.s[1].window == LUN_H2_FIRST_WINDOW + 3,
       "the last window of a frame counts");
    take_windows(0, 0);
    ok(two.s[0].window == 10, "a frame without one changes none");
    take_windows(2, 0);
    ok(two.s[0].window == 10 - LUN_H2_FIRST_WINDOW - 3, "a smaller one");
    ok(two.l.what == NULL, "all of that may be");
    take_windows(1, 0x80000000);
    ok(two.l.what != NULL, "one that is too large may not");
    end_two();

    begin_two();
    two.s[1].window = LUN_H2_MAX_WINDOW;
    take_windows(1, LUN_H2_FIRST_WINDOW + 1);
    ok(two.l.what != NULL, "nor one that makes a stream's too large");
    end_two();
}


static void
who_does_not_read(void)
{
    int  i;

    begin_two();

    for (i = 0; i < 100; i++) {
        take_data(LUN_FRAME_MOST);
    }

    ok(two.s[1].what != NULL, "more than a stream's window is refused");
    ok(two.s[1].in.len <= 3 * LUN_H2_STREAM_WINDOW, "... and not kept");
    ok(two.l.what == NULL, "... nor the others' loss");
    end_two();
}


static void
who_has_left(void)
{
    int  i;

    begin_two();
    leave_link(&two.s[1], false);
    two.l.credit = 0;
    two.l.credited = lun_clock.mono;

    for (i = 0; i < LUN_H2_STREAM_WINDOW / LUN_FRAME_MOST; i++) {
        take_data(LUN_FRAME_MOST);
    }

    ok(two.l.what == NULL, "what was on its way to one that left is free");
    take_data(1);
    is_str(two.l.what, "too many frames", "... more than that is not");
    end_two();
}


static lun_err
never_send(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    return lun_err_of_kind(LUN_ERR_RESET);
}


static void
who_fails_to_send(void)
{
    const lun_conn_io  io = { .send = never_send };

    begin_two();
    two.c.io = &io;
    two.c.writing = false;
    count_room(&two.l);
    ok(!two.l.share.full, "a link has room");

    lun_h2_link_say(&two.l, LUN_FRAME_PING, 0, 0, "12345678", 8);
    ok(!lun_h2_link_flush(&two.l, true) && two.l.share.full,
       "... and none from the moment on that it fails");
    lun_bytes_drop(&two.l.going);
    end_two();
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        frame(i);
    }

    an_end_behind_the_header();
    what_is_not_sent();
    news_of_windows();
    many_windows_in_a_frame();
    who_does_not_read();
    who_has_left();
    who_fails_to_send();

    return done_testing();
}
