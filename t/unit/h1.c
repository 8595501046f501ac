/*
 * h1.c -- the conversation on an HTTP/1 connection: requests behind one
 * another and in pieces, answers that are taken slowly, clients that are
 * late, leave, send too much, and what becomes of the connection.  What is a
 * request: h1_in.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h1/h1_serve.c"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"

enum { BIG = 3000 };

static lun_request  *waits;
static unsigned      aborts;       /* clients whose leaving was told */
static char          served[256];  /* the last byte of each path, in order */
static unsigned      last_status;
static char          big[BIG + 1];
static lun_fd        big_file;     /* the same bytes */


/* --- handlers, by uri ---------------------------------------------------- */

static void
on_abort(lun_request *r, void *data)
{
    aborts++;
    lun_http_finish(r, LUN_STATUS + 499);
}


static lun_verdict
send_big(lun_request *r, bool file, bool length)
{
    lun_buf  *b = file ? lun_buf_new_file(r->pool, big_file, 0, BIG)
                       : lun_buf_new_str(r->pool, lun_str_of(big, BIG));

    r->out.status = 200;
    r->out.content_length = length ? BIG : -1;

    if (lun_http_send_header(r) != LUN_OK) {
        return LUN_FAILED;
    }

    lun_http_mark_last(r, b);
    return lun_http_output(r, b) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}


static bool
is_uri(const lun_request *r, const char *uri)
{
    return lun_str_eq(r->uri, lun_str_z(uri));
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    if (is_uri(r, "/big") || is_uri(r, "/rate")) {
        return send_big(r, false, true);
    }

    if (is_uri(r, "/chunks")) {
        return send_big(r, false, false);
    }

    if (is_uri(r, "/file")) {
        return send_big(r, true, true);
    }

    if (is_uri(r, "/444")) {
        return LUN_STATUS + 444;
    }

    if (is_uri(r, "/wait") || is_uri(r, "/watch")) {
        waits = r;

        if (is_uri(r, "/watch")) {
            lun_http_on_abort(r, on_abort, NULL);
        }

        return LUN_WAIT;
    }

    return lun_http_respond(r, 200, LUN_STR("text/plain"), r->uri);
}


static lun_verdict
on_log(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    size_t        len = strlen(served);

    last_status = r->out.status;

    if (len + 1 < sizeof(served) && r->uri.len != 0) {
        served[len] = r->uri.data[r->uri.len - 1];
        served[len + 1] = '\0';
    }

    return LUN_NEXT;
}


static lun_http_module  probe = {
    .name = "probe",
    .always = true,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};


/* --- requests ------------------------------------------------------------ */

#define GET(uri)  "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"


static unsigned
count(const char *text, const char *part)
{
    unsigned  n = 0;

    for ( ; (text = strstr(text, part)) != NULL; text++) {
        n++;
    }

    return n;
}


static void
behind_one_another(void)
{
    size_t  at, piece;
    wire   *w;

    static const char  all[] = GET("/1") GET("/2") "\r\n" GET("/3") GET("/4")
                               GET("/5");

    for (at = 0; at < strlen(all); at++) {
        w = http_client(0);
        served[0] = '\0';
        wire_say_bytes(w, all, at);
        wire_run();
        wire_say_bytes(w, all + at, strlen(all) - at);
        wire_run();
        is_str(served, "12345", "five requests, cut at %u", (unsigned) at);
        is_int(count(wire_heard(w), "HTTP/1.1 200 OK\r\n"), 5, "answered");
        wire_end(w);
        ok(wire_gone(w), "and closed with the client");
    }

    for (piece = 1; piece < 20; piece++) {
        w = http_client(0);
        w->piece = piece;
        served[0] = '\0';
        wire_say(w, all);
        is_str(served, "12345", "five requests, %u bytes at a time",
               (unsigned) piece);
        is_int(count(wire_heard(w), "\r\n\r\n/"), 5, "answered");
        wire_end(w);
    }
}


static void
others_come_in_between(void)
{
    wire  *w = http_client(0), *other = http_client(0);

    served[0] = '\0';
    wire_say_bytes(w, GET("/a") GET("/a") GET("/a") GET("/a") GET("/a"),
                   5 * strlen(GET("/a")));
    wire_say_bytes(other, GET("/b"), strlen(GET("/b")));
    wire_run();
    is_str(served, "aabaaa", "after two of one it is the other's turn");
    wire_end(w);
    wire_end(other);
}


/* --- answers that are taken slowly --------------------------------------- */

/* Whole, and the same, whatever the steps are in which it goes out. */
static void
taken_slowly(const char *request)
{
    size_t  step;
    wire   *w;
    char    want[2 * BIG + 1], have[2 * BIG + 1];

    static const size_t  steps[] = { 1, 2, 7, 100, 1999 };

    w = http_client(0);
    wire_say(w, request);
    snprintf(want, sizeof(want), "%.*s", 2 * BIG, wire_heard(w));
    ok(!wire_gone(w), "taken at once");
    wire_end(w);

    for (step = 0; step < LUN_ARRAY_LEN(steps); step++) {
        w = http_client(0);
        w->room = 0;
        wire_say(w, request);

        while (w->heard_end < strlen(want) && !wire_gone(w)) {
            w->room += steps[step];
            wire_run();
        }

        snprintf(have, sizeof(have), "%.*s", 2 * BIG, wire_heard(w));
        ok(strcmp(have, want) == 0, "%.*s: %u bytes at a time", 12, request,
           (unsigned) steps[step]);
        w->room = SIZE_MAX;
        wire_say(w, GET("/9"));
        ok(http_says(wire_heard(w), "\r\n\r\n/9"), "and it goes on");
        wire_end(w);
    }
}


static void
not_taken(const char *request)
{
    wire  *w = http_client(0);

    http_log[0] = '\0';
    w->room = 0;
    wire_say(w, request);
    wire_wait(4999);
    ok(!wire_gone(w), "%.*s: send_timeout is not over", 12, request);
    w->room = 1;
    wire_run();
    wire_wait(4999);
    ok(!wire_gone(w), "it begins anew when something was taken");
    wire_wait(1);
    ok(wire_gone(w), "it is over");
    ok(http_logged("client timed out"), "as the log says");
    ok(!w->reset, "closed as others are");

    w = http_client(0);
    w->room = 100;
    wire_say(w, request);
    wire_break(w);
    ok(wire_gone(w), "%.*s: a client that breaks it off", 12, request);

    w = http_client(0);
    w->room = 100;
    wire_say(w, request);
    wire_end(w);
    ok(!wire_gone(w), "one that closes its side may still listen");
    w->room = SIZE_MAX;
    wire_run();
    ok(wire_gone(w), "and gets all of it, and the end");
    is_int(count(wire_heard(w), "HTTP/1.1 200"), 1, "once");
}


static void
at_a_rate(void)
{
    size_t  had = 0, n;
    wire   *w = http_client(0);
    int     i;

    wire_say(w, GET("/rate"));
    had = strlen(http_body(wire_heard(w)));
    ok(had > 0 && had <= 1000, "the first of it goes out at once");

    for (i = 0; i < 100 && had < BIG; i++) {
        wire_wait(100);
        n = strlen(wire_heard(w));
        had += n;

        /* Each second that has begun counts as a whole one. */
        if (had > (size_t) ((i + 1) / 10 + 2) * 1000) {
            ok(0, "%u bytes after %d00 ms", (unsigned) had, i + 1);
        }
    }

    ok(i >= 18 && i <= 31, "3000 bytes at 1000 in a second (%d00 ms)", i);
    wire_say(w, GET("/9"));
    wire_wait(1000);
    ok(http_says(wire_heard(w), "/9"), "and it goes on");
    wire_end(w);
}


/* --- clients that are late ----------------------------------------------- */

static void
too_late(void)
{
    wire  *w = http_client(0);

    http_log[0] = '\0';
    wire_wait(6999);
    ok(!wire_gone(w), "client_header_timeout is not over");
    wire_wait(1);
    ok(wire_gone(w), "nothing was said in that time");
    is_str(wire_heard(w), "", "nor answered");
    ok(http_logged("client timed out"), "as the log says");

    w = http_client(0);
    wire_wait(5000);
    wire_say(w, "GET /x HTTP/1.1\r\n");
    wire_wait(4000);
    wire_say(w, "Host: a\r\n");
    wire_wait(2999);
    ok(!wire_gone(w), "it is that of the whole header");
    wire_wait(1);
    ok(wire_gone(w), "however often something comes");
    is_int(last_status, 408, "the log has a status");
    is_str(wire_heard(w), "", "that the client does not see");

    w = http_client(0);
    wire_say(w, GET("/1"));
    (void) wire_heard(w);
    wire_wait(10999);
    ok(!wire_gone(w), "keepalive_timeout is not over");
    wire_say(w, GET("/1"));
    wire_wait(10999);
    ok(!wire_gone(w), "it begins anew with each request");
    http_log[0] = '\0';
    wire_wait(1);
    ok(wire_gone(w), "it is over");
    is_str(http_log, "", "without a word");
}


static void
reset_or_not(void)
{
    wire  *w = http_client(0);

    wire_say(w, GET("/444"));
    ok(wire_gone(w) && !w->reset, "444 closes");
    is_str(wire_heard(w), "", "without an answer");
    is_int(last_status, 444, "but in the log");

    w = http_client(1);
    wire_say(w, GET("/444"));
    ok(wire_gone(w) && w->reset, "reset_timedout_connection: it resets");
    w = http_client(1);
    w->room = 10;
    wire_say(w, GET("/big"));
    wire_wait(5000);
    ok(wire_gone(w) && w->reset, "and so does a send_timeout");
    w = http_client(1);
    wire_say(w, "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    ok(wire_gone(w) && !w->reset, "but not the end of an answer");
}


/* --- clients that leave -------------------------------------------------- */

static void
clients_that_leave(void)
{
    wire  *w = http_client(0);

    http_log[0] = '\0';
    wire_end(w);
    ok(wire_gone(w), "before they say anything");
    ok(http_logged("client closed connection while waiting for request"),
       "as the log says");

    w = http_client(0);
    wire_say(w, "GET /x HT");
    wire_end(w);
    ok(wire_gone(w), "in a request line");
    ok(http_logged("client prematurely closed connection while reading client "
                   "request line"), "as the log says");
    is_int(last_status, 400, "with a status");

    w = http_client(0);
    wire_say(w, "GET /x HTTP/1.1\r\nHo");
    wire_end(w);
    ok(http_logged("while reading client request headers"), "in a header");
    ok(wire_gone(w), "gone");

    /* Nobody asked about the client: it gets its answer all the same. */
    w = http_client(0);
    wire_say(w, GET("/wait"));
    wire_end(w);
    ok(!wire_gone(w), "while somebody waits");
    lun_http_finish(waits, lun_http_respond(waits, 200, LUN_STR("a/b"),
                                            LUN_STR("late")));
    wire_run();
    ok(http_says(wire_heard(w), "late"), "who answers later");
    ok(wire_gone(w), "and that is the end");

    aborts = 0;
    w = http_client(0);
    wire_say(w, GET("/watch"));
    wire_end(w);
    is_int(aborts, 1, "somebody who wanted to know is told");
    ok(wire_gone(w), "and ends it");
    is_int(last_status, 499, "as one that the client gave up");

    w = http_client(0);
    wire_say(w, GET("/watch"));
    wire_break(w);
    is_int(aborts, 2, "one that breaks it off, too");
    ok(wire_gone(w), "is gone");

    /* The next request is no leaving. */
    w = http_client(0);
    wire_say(w, GET("/watch"));
    wire_say(w, GET("/2"));
    is_int(aborts, 2, "one who only goes on talking is there");
    served[0] = '\0';
    lun_http_finish(waits, LUN_FINISHED);
    wire_run();
    is_str(served, "h2", "and is served in order");
    wire_end(w);
}


/* --- the end of a connection --------------------------------------------- */

#define LAST(uri)                                                             \
    "POST " uri " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"               \
    "Content-Length: 100000\r\n\r\n"


static void
lingering(void)
{
    int    i;
    wire  *w = http_client(0);

    wire_say(w, LAST("/silent"));
    ok(http_says(wire_heard(w), "HTTP/1.1 200 "), "answered");
    ok(!wire_gone(w), "a client that may still send is listened to");
    is_int((int64_t) lun_conn_idle_count(lp), 1, "as one that counts as idle");
    wire_wait(2999);
    ok(!wire_gone(w), "lingering_timeout is not over");
    wire_say(w, "something");
    wire_wait(2999);
    ok(!wire_gone(w), "it begins anew");
    wire_wait(1);
    ok(wire_gone(w), "it is over");
    is_str(wire_heard(w), "", "nothing more was said");

    w = http_client(0);
    wire_say(w, LAST("/silent"));

    for (i = 0; i < 30 && !wire_gone(w); i++) {
        wire_wait(1000);
        wire_say(w, "something");
    }

    is_int(i, 12, "lingering_time is over, whatever comes");

    w = http_client(0);
    wire_say(w, LAST("/silent"));
    wire_end(w);
    ok(wire_gone(w), "a client that has closed is not waited for");

    w = http_client(0);
    wire_say(w, LAST("/abrupt"));
    ok(wire_gone(w), "lingering_close off");
    w = http_client(0);
    wire_say(w, "GET /abrupt HTTP/1.0\r\n\r\nGET /x HTTP/1.0\r\n\r\n");
    ok(wire_gone(w), "even if something has come");

    w = http_client(0);
    wire_say(w, "GET /x HTTP/1.0\r\n\r\n");
    ok(wire_gone(w), "nothing is to come");
    w = http_client(0);
    wire_say(w, "GET /x HTTP/1.0\r\n\r\nGET /x HTTP/1.0\r\n\r\n");
    ok(!wire_gone(w), "something has come");
    wire_wait(3000);
    ok(wire_gone(w), "but no more of it");

    w = http_client(0);
    wire_say(w, "GET /always HTTP/1.0\r\n\r\n");
    ok(!wire_gone(w), "lingering_close always");
    wire_wait(3000);
    ok(wire_gone(w), "for its time");
}


static void
idle_or_busy(void)
{
    wire  *w = http_client(0);

    is_int((int64_t) lun_conn_idle_count(lp), 1, "a new connection is idle");
    wire_say(w, "GET");
    is_int((int64_t) lun_conn_idle_count(lp), 0, "one with a request is not");
    wire_say(w, " /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    is_int((int64_t) lun_conn_busy_count(lp), 1, "while it is served");
    lun_http_finish(waits, LUN_FINISHED);
    wire_run();
    is_int((int64_t) lun_conn_idle_count(lp), 1, "it is idle when it is kept");
    wire_wait(1);
    lun_conn_drain(lp, 1, 100);
    wire_run();
    ok(wire_gone(w), "and gives way to others then");
}


/* --- told to quit -------------------------------------------------------- */

static void
told_to_quit(void)
{
    wire  *old = http_client(0), *young, *busy, *late;

    wire_say(old, GET("/1"));
    (void) wire_heard(old);
    busy = http_client(0);
    wire_say(busy, GET("/wait"));
    wire_wait(1000);
    young = http_client(0);
    wire_say(young, GET("/1"));
    (void) wire_heard(young);
    late = http_client(0);
    wire_say(late, GET("/1"));
    (void) wire_heard(late);

    http_quit();
    wire_run();
    ok(wire_gone(old), "one that has been idle for long");
    ok(!wire_gone(young), "one that has just been served has a moment");
    wire_wait(400);
    wire_say(young, GET("/2"));
    ok(http_says(wire_heard(young), "Connection: close\r\n"),
       "its next request is its last");
    ok(wire_gone(young), "that was it");
    wire_wait(99);
    ok(!wire_gone(late), "the moment is half a second");
    wire_wait(1);
    ok(wire_gone(late), "it is over");
    ok(!wire_gone(busy), "one that is served is served");
    lun_http_finish(waits, LUN_FINISHED);
    wire_run();
    ok(http_says(wire_heard(busy), "HTTP/1.1 200 "), "to its end");
    ok(wire_gone(busy), "and then closed");
}


int
main(void)
{
    char    cwd[512], folder[600], path[1024];
    size_t  i;

    LUN_CHECK(lun_dir_current(cwd, sizeof(cwd)) == 0);
    snprintf(folder, sizeof(folder), "%s/build/h1.test/", cwd);
    LUN_CHECK(lun_dir_make_all(folder, 0700) == 0);
    LUN_CHECK(lun_file_temp(folder, (const int [3]) { 0 }, true, path,
                            sizeof(path), &big_file) == 0);

    for (i = 0; i < BIG; i++) {
        big[i] = (char) ('A' + i % 59);
    }

    LUN_CHECK(lun_file_write(big_file, big, BIG, 0) == 0);

    http_begin(folder,
               "client_header_timeout 7s; keepalive_timeout 11s;\n"
               "send_timeout 5s; lingering_timeout 3s; lingering_time 12s;\n"
               "server { listen 127.0.0.1:1;\n"
               "  location / { }\n"
               "  location /abrupt { lingering_close off; }\n"
               "  location /always { lingering_close always; }\n"
               "  location /rate { limit_rate 1000; }\n"
               "}\n"
               "server { listen 127.0.0.1:2;\n"
               "  reset_timedout_connection on;\n"
               "}\n");

    behind_one_another();
    others_come_in_between();
    taken_slowly(GET("/big"));
    taken_slowly(GET("/chunks"));
    taken_slowly(GET("/file"));
    not_taken(GET("/big"));
    not_taken(GET("/file"));
    at_a_rate();
    too_late();
    reset_or_not();
    clients_that_leave();
    lingering();
    idle_or_busy();
    told_to_quit();

    http_end();
    lun_file_close(big_file);
    return done_testing();
}
