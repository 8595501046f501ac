/*
 * h2_priority.c -- who stands in the line while others send is not late.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/mux/line.c"
#include "http/h2/h2_priv.h"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"

enum { ANSWER = 40000 };

static char  text[ANSWER];


static lun_verdict
on_content(lun_session *s)
{
    return lun_http_respond(lun_request_of(s), 200, LUN_STR("a/b"),
                            lun_str_of(text, ANSWER));
}


static lun_http_module  probe = {
    .name = "probe", .always = true,
    .on = { [LUN_CONTENT] = on_content }
};

/* Streams 1 and 3 are urgent, 5 is not. */
static const char  asked[] =
    LUN_H2_PREFACE "\0\0\0\4\0\0\0\0\0" "\0\0\0\4\1\0\0\0\0"
    "\0\0\7\x10\0\0\0\0\0\0\0\0\1u=1" "\0\0\7\x10\0\0\0\0\0\0\0\0\3u=1"
    "\0\0\6\1\5\0\0\0\1\x82\x86\x84\x41\1a"
    "\0\0\6\1\5\0\0\0\3\x82\x86\x84\x41\1a"
    "\0\0\6\1\5\0\0\0\5\x82\x86\x84\x41\1a";

/* The window of the connection is 100 bytes larger. */
static const char  more[] = "\0\0\4\x8\0\0\0\0\0\0\0\0\x64";


/*
 * The window of the connection takes the first of three answers, and some of
 * the second; the third waits for that, for longer than send_timeout.
 */
int
main(void)
{
    wire      *w;
    unsigned   i;

    memset(text, 'x', ANSWER);
    http_begin("/none/", "http2 on; send_timeout 5s;\n"
                         "server { listen 127.0.0.1:1; }\n");
    w = http_client(0);
    wire_say_bytes(w, asked, sizeof(asked) - 1);
    wire_run();
    ok(w->heard_end > LUN_H2_FIRST_WINDOW, "the window is used up");

    for (i = 0; i < 4; i++) {
        w->heard_end = 0;
        wire_wait(4000);
        is_int(w->heard_end, 0, "nobody is late");
        wire_say_bytes(w, more, sizeof(more) - 1);
        wire_run();
        is_int(w->heard_end, LUN_FRAME_HEAD + 100, "one sends");
        ok(w->out[8] == 3, "the second, not the third");
    }

    w->heard_end = 0;
    wire_wait(4000);
    is_int(w->heard_end, 0, "it is early still");
    wire_wait(6000);
    is_int(w->heard_end, 2 * (LUN_FRAME_HEAD + 4), "both are late");

    wire_end(w);
    wire_wait(60000);
    ok(wire_gone(w), "the connection is gone");
    http_end();
    return done_testing();
}
