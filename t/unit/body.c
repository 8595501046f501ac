/*
 * body.c -- a request's body, cut at every byte: counted and chunked, kept in
 * memory and in a file, limited, discarded, replaced; and clients that send
 * something else, or nothing more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/body.c"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"


/* Of the latest request that was logged. */
static struct {
    unsigned  status;
    int64_t   length;              /* of the whole request */
    int64_t   body;
    int64_t   in_file;
    bool      kept_file;           /* its file stays */
    char      path[512];
} seen;

static lun_request  *waits;
static char          folder[1024];


/* --- handlers, by uri ---------------------------------------------------- */

static void
echo(lun_request *r)
{
    lun_http_finish(r, lun_http_respond(r, 200, LUN_STR("text/plain"),
                                        lun_body_text(r)));
}


static lun_verdict
replace_body(lun_request *r)
{
    lun_body_set(r, LUN_STR("another"));
    echo(r);
    return LUN_WAIT;
}


static void
say_failed(lun_request *r)
{
    lun_http_finish(r, lun_http_respond(r, 200, LUN_STR("text/plain"),
                                        LUN_STR("failed")));
}


static lun_verdict
read_with_word(lun_request *r)
{
    lun_verdict  v = lun_body_read(r, echo);

    if (r->body != NULL && !r->body->complete) {
        r->body->on_fail = say_failed;
    }

    return v;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    lun_verdict   v;

    if (lun_str_eq(r->uri, LUN_STR("/ignore"))) {
        return lun_http_respond(r, 200, LUN_STR("text/plain"), LUN_STR("no"));
    }

    if (lun_str_eq(r->uri, LUN_STR("/silent"))) {
        return LUN_FINISHED;
    }

    if (lun_str_eq(r->uri, LUN_STR("/discard"))) {
        v = lun_body_discard(r);
        return v >= LUN_STATUS ? v
               : lun_http_respond(r, 200, LUN_STR("text/plain"),
                                  LUN_STR("gone"));
    }

    if (lun_str_eq(r->uri, LUN_STR("/set"))) {
        return replace_body(r);
    }

    if (lun_str_eq(r->uri, LUN_STR("/word"))) {
        return read_with_word(r);
    }

    if (lun_str_eq(r->uri, LUN_STR("/later"))) {
        waits = r;
        return LUN_WAIT;
    }

    return lun_body_read(r, echo);
}


static lun_verdict
on_log(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    seen.status = r->out.status;
    seen.length = r->request_length;
    seen.body = r->body_size;
    seen.in_file = r->body != NULL ? r->body->file_size : 0;
    seen.kept_file = r->body != NULL && r->body->file != LUN_FD_NONE
                     && !r->body->delete_file;
    seen.path[0] = '\0';

    if (r->body != NULL && r->body->file_path.len != 0) {
        snprintf(seen.path, sizeof(seen.path), "%s", r->body->file_path.data);
    }

    return LUN_NEXT;
}


static lun_http_module  probe = {
    .name = "probe",
    .always = true,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};


/* --- cut at every byte --------------------------------------------------- */

#define COUNTED(uri)                                                          \
    "POST " uri " HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\nhello, world"
#define CHUNKED(uri)                                                          \
    "POST " uri " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"  \
    "5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nX: y\r\n\r\n"
#define NEXT  "GET /ignore HTTP/1.1\r\nHost: a\r\n\r\n"


static void
check_two(wire *w, const char *answer, const char *how, size_t at)
{
    const char  *first = wire_heard(w), *body = http_body(first), *second;

    second = strncmp(body, answer, strlen(answer)) == 0 ? body + strlen(answer)
                                                        : body;

    if (!ok(strncmp(second, "HTTP/1.1 200 OK\r\n", 17) == 0
            && strcmp(http_body(second), "no") == 0,
            "%s, cut at %u: both answers are right", how, (unsigned) at))
    {
        tap_bytes("heard", first, strlen(first));
    }
}


static void
cut_everywhere(const char *text, const char *answer, const char *how)
{
    size_t  at, len = strlen(text);
    wire   *w;
    char    whole[1024];

    snprintf(whole, sizeof(whole), "%s%s", text, NEXT);

    for (at = 0; at <= len; at++) {
        w = http_client(0);
        wire_say_bytes(w, whole, at);
        wire_run();
        is_str(at < len ? wire_heard(w) : "", "", "%s: nothing too early",
               how);
        wire_say_bytes(w, whole + at, strlen(whole) - at);
        wire_run();
        check_two(w, answer, how, at);
        wire_end(w);
    }

    /* One byte after the other, in one connection that reads so. */
    w = http_client(0);
    w->piece = 1;
    wire_say(w, whole);
    check_two(w, answer, how, 1);
    wire_end(w);
}


/* What is said without being read may be answered before it has come. */
static void
cut_and_unread(const char *text, const char *answer, const char *how)
{
    size_t  at, len = strlen(text);
    size_t  head = (size_t) (http_body(text) - text);
    wire   *w;

    for (at = head; at <= len; at++) {
        w = http_client(0);
        wire_say_bytes(w, text, at);
        wire_run();
        ok(strcmp(http_body(wire_heard(w)), answer) == 0,
           "%s, cut at %u: answered", how, (unsigned) at);
        ok(!wire_gone(w), "the connection is kept");

        wire_say_bytes(w, text + at, len - at);
        wire_say_bytes(w, NEXT, strlen(NEXT));
        wire_run();
        ok(strcmp(http_body(wire_heard(w)), "no") == 0,
           "and the next request begins behind it");
        wire_end(w);
    }
}


static void
every_cut(void)
{
    cut_everywhere(COUNTED("/read"), "hello, world", "counted");
    is_int(seen.body, 0, "the last had none");
    cut_everywhere(CHUNKED("/read"), "hello, world", "chunked");
    cut_everywhere(COUNTED("/file"), "hello, world", "counted, in a file");
    cut_everywhere(CHUNKED("/file"), "hello, world", "chunked, in a file");

    cut_and_unread(COUNTED("/ignore"), "no", "counted, not asked for");
    cut_and_unread(CHUNKED("/ignore"), "no", "chunked, not asked for");
    cut_and_unread(COUNTED("/discard"), "gone", "counted, discarded");
    cut_and_unread(CHUNKED("/discard"), "gone", "chunked, discarded");
}


static void
what_is_counted(void)
{
    (void) http_ask(COUNTED("/read"));
    is_int(seen.body, 12, "a counted body's size");
    is_int(seen.length, (int64_t) strlen(COUNTED("/read")),
           "the request's with it");

    (void) http_ask(CHUNKED("/read"));
    is_int(seen.body, 12, "a chunked body's size is that of its data");
    is_int(seen.length, (int64_t) strlen(CHUNKED("/read")),
           "but the request's that of its bytes");

    (void) http_ask("POST /read HTTP/1.1\r\nHost: a\r\n"
                    "Content-Length: 0\r\n\r\n");
    is_int(seen.status, 200, "a body of nothing is one that has come");
    (void) http_ask("POST /read HTTP/1.1\r\nHost: a\r\n\r\n");
    is_int(seen.status, 200, "and so is none");
}


/* --- memory and files ---------------------------------------------------- */

static void
post(const char *uri, size_t size)
{
    wire  *w;
    char   text[512], body[256];

    LUN_CHECK(size < sizeof(body));
    memset(body, 0, sizeof(body));
    memset(body, 'x', size);
    body[0] = size > 0 ? 'b' : 0;
    body[size > 0 ? size - 1 : 0] = size > 0 ? 'e' : 0;
    snprintf(text, sizeof(text), "POST %s HTTP/1.1\r\nHost: a\r\n"
             "Connection: close\r\nContent-Length: %u\r\n\r\n", uri,
             (unsigned) size);

    w = http_client(0);
    wire_say(w, text);             /* the body comes by itself */
    wire_say(w, body);
    ok(strcmp(http_body(wire_heard(w)), body) == 0, "%s: %u bytes", uri,
       (unsigned) size);
}


static bool
is_there(const char *path)
{
    lun_file_info  info;

    return lun_file_stat(path, &info) == 0;
}


static void
in_memory_or_in_a_file(void)
{
    http_log[0] = '\0';
    post("/buffer", 8);
    is_int(seen.in_file, 0, "a body as large as the buffer is in memory");
    post("/buffer", 9);
    is_int(seen.in_file, 0, "one that is a little larger, too");
    ok(strstr(http_log, "temporary file") == NULL, "without a word");
    post("/buffer", 10);
    is_int(seen.in_file, 10, "a quarter larger: it is in a file, whole");
    ok(http_logged("[warn] 0#0: *"), "warned of");
    ok(!is_there(seen.path), "the file is gone when it is answered");
    post("/buffer", 100);
    is_int(seen.in_file, 100, "so is a large one");
    ok(http_logged("a client request body is buffered to a temporary file "),
       "which is said");

    post("/clean", 3);
    is_int(seen.in_file, 3, "in_file_only: any body");
    ok(!is_there(seen.path), "clean: it goes with the request");
    ok(strstr(http_log, "temporary file") == NULL, "nobody is warned");
    post("/keep", 3);
    ok(is_there(seen.path), "on: it stays");
    (void) lun_file_delete(seen.path);
    (void) http_ask(COUNTED("/keep"));
    is_int(seen.in_file, 12, "also one that came with its header");
    ok(is_there(seen.path), "it stays");
    (void) lun_file_delete(seen.path);
}


static void
no_place_for_a_file(void)
{
    char    path[1100], temp[1100];
    lun_fd  fd;
    wire   *w = http_client(0);

    snprintf(path, sizeof(path), "%snowhere", folder);
    is_int(lun_dir_delete(path), 0, "there is nothing in it");
    LUN_CHECK(lun_file_temp(folder, (const int [3]) { 0 }, false, temp,
                            sizeof(temp), &fd) == 0);
    lun_file_close(fd);
    LUN_CHECK(lun_file_rename(temp, path) == 0);
    http_log[0] = '\0';
    wire_say(w, "POST /nowhere HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 20\r\n\r\n0123456789");
    wire_say(w, "0123456789");
    ok(http_says(wire_heard(w), "HTTP/1.1 500 "), "no place for the file");
    ok(http_logged("[crit] 0#0: *"), "is serious");
    wire_end(w);
    wire_wait(10000);
    LUN_CHECK(lun_file_delete(path) == 0);
}


/* --- what is refused ----------------------------------------------------- */

static void
too_large(void)
{
    const char  *heard;

    heard = http_ask("POST /five HTTP/1.1\r\nHost: a\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n"
                     "5\r\nhello\r\n0\r\n\r\n");
    ok(http_says(heard, "HTTP/1.1 200 "), "as many bytes as it may have");

    http_log[0] = '\0';
    heard = http_ask("POST /five HTTP/1.1\r\nHost: a\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n"
                     "4\r\nhell\r\n2\r\no!\r\n0\r\n\r\n");
    ok(http_says(heard, "HTTP/1.1 413 "), "one more");
    ok(http_says(heard, "Connection: close\r\n"), "ends the connection");
    ok(http_logged("client intended to send too large chunked body: "
                   "4+2 bytes"), "said with its sizes");
}


static void
malformed(void)
{
    size_t       i;
    const char  *heard;
    char         text[256];

    static const char *const  bodies[] = {
        "x\r\n", "\r\n", "5\nhello\r\n", "5\r\nhello5\r\n", "-1\r\n",
        "5\r\nhello\n0\r\n\r\n", "0\r\n\n", "ffffffffffffffff1\r\n",
        "5 \x01\r\n", "0\r\nX: \x01\r\n\r\n"
    };

    for (i = 0; i < LUN_ARRAY_LEN(bodies); i++) {
        snprintf(text, sizeof(text), "POST /read HTTP/1.1\r\nHost: a\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n%s", bodies[i]);
        http_log[0] = '\0';
        heard = http_ask(text);
        ok(http_says(heard, "HTTP/1.1 400 "), "bad chunks %u", (unsigned) i);
        ok(http_says(heard, "Connection: close\r\n"), "are the last");
        ok(http_logged("client sent invalid chunked body"), "and it is said");
    }

    /* One that nobody asked for. */
    heard = http_ask("POST /ignore HTTP/1.1\r\nHost: a\r\n"
                     "Transfer-Encoding: chunked\r\n\r\nx\r\n" NEXT);
    ok(http_says(heard, "HTTP/1.1 400 "), "no answer is given before");
    ok(strstr(heard + 1, "HTTP/1.1") == NULL,
       "nothing behind it is taken for a request");
}


/* --- clients that stop --------------------------------------------------- */

static int  calls_of_done;


static void
count_done(lun_request *r)
{
    calls_of_done++;
}


static void
nothing_more_comes(void)
{
    wire  *w = http_client(0);

    http_log[0] = '\0';
    wire_say(w, "POST /read HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 5\r\n\r\nhe");
    wire_wait(6999);
    ok(!wire_gone(w), "client_body_timeout is not over");
    wire_say(w, "l");
    wire_wait(6999);
    ok(!wire_gone(w), "it begins anew with each byte");
    wire_wait(1);
    ok(wire_gone(w), "now it is over");
    is_str(wire_heard(w), "", "and nothing was said");
    is_int(seen.status, 408, "but in the log");

    w = http_client(0);
    wire_say(w, "POST /read HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 5\r\n\r\nhe");
    wire_end(w);
    ok(wire_gone(w), "a client that closes before its body is whole");
    is_int(seen.status, 400, "has made a mistake");
    ok(http_logged("client prematurely closed connection"), "as the log says");

    w = http_client(0);
    wire_say(w, "POST /read HTTP/1.1\r\nHost: a\r\n"
             "Transfer-Encoding: chunked\r\n\r\n5\r\nhe");
    wire_break(w);
    ok(wire_gone(w), "or breaks");
    is_int(seen.status, 400, "likewise");
}


static void
on_left(lun_request *r, void *data)
{
    *(bool *) data = true;
}


/* What the client leaves while the request waits for something else. */
static void
leave_early(const char *text, bool breaks)
{
    bool   told = false;
    wire  *w = http_client(0);

    wire_say(w, text);
    lun_http_on_abort(waits, on_left, &told);

    if (breaks) {
        wire_break(w);

    } else {
        w->ended = true;
        wire_run();
    }

    ok(told, "who waits is told that the client has left");
}


static void
who_asks_too_late(void)
{
    int          i;
    lun_verdict  v;

    for (i = 0; i < 2; i++) {
        http_log[0] = '\0';
        calls_of_done = 0;
        leave_early("POST /later HTTP/1.1\r\nHost: a\r\n"
                    "Content-Length: 5\r\n\r\nhe", i == 1);
        v = lun_body_read(waits, count_done);
        is_int(v, LUN_STATUS + 400, "the rest of the body will not come");
        ok(http_logged("client prematurely closed connection"), "is said");
        is_int(calls_of_done, 0, "who asked finds out by the verdict");
        lun_http_finish(waits, v);
        wire_run();
        is_int((int64_t) lun_conn_count(lp), 0, "and all of it is over");
        is_int(seen.status, 400, "with its status");

        leave_early("POST /later HTTP/1.1\r\nHost: a\r\n"
                    "Content-Length: 5\r\n\r\nhe", i == 1);
        is_int(lun_body_discard(waits), LUN_LEAVE, "nothing to discard, then");
        lun_http_finish(waits, LUN_STATUS + 200);
        wire_run();
        is_int((int64_t) lun_conn_count(lp), 0, "that is over as well");
        is_int(seen.status, 200, "with what the answer would have been");

        leave_early(COUNTED("/later"), i == 1);
        is_int(lun_body_read(waits, count_done), LUN_LEAVE, "it was whole");
        is_int(calls_of_done, 1, "before the client left");
        lun_http_finish(waits, LUN_FINISHED);
        wire_run();
        is_int((int64_t) lun_conn_count(lp), 0, "over");
    }
}


static void
whoever_asked_has_a_word(void)
{
    wire  *w = http_client(0);

    wire_say(w, "POST /word HTTP/1.1\r\nHost: a\r\n"
             "Transfer-Encoding: chunked\r\n\r\n");
    wire_say(w, "nonsense\r\n");
    ok(http_says(wire_heard(w), "\r\n\r\nfailed"),
       "on_fail is called in place of an error's page");
    wire_end(w);
    wire_wait(10000);
    ok(wire_gone(w), "and the connection is of no more use");
}


/* A body that is discarded after the answer has only so long. */
static void
what_is_left_may_come_for_a_while(void)
{
    wire      *w = http_client(0);
    unsigned   i;

    wire_say(w, "POST /ignore HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 1000\r\n\r\n");
    ok(http_says(wire_heard(w), "Connection: keep-alive\r\n"), "answered");
    wire_wait(2999);
    ok(!wire_gone(w), "lingering_timeout is not over");
    wire_wait(1);
    ok(wire_gone(w), "now it is");

    w = http_client(0);
    wire_say(w, "POST /ignore HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 1000\r\n\r\n");

    for (i = 0; i < 30 && !wire_gone(w); i++) {
        wire_say(w, "x");       /* at 0, 1, ... 12 s */
        wire_wait(1000);
    }

    is_int(i, 13, "however it dribbles, lingering_time ends it");
}


/* --- continue ------------------------------------------------------------ */

#define EXPECTS(uri)                                                          \
    "POST " uri " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"            \
    "Content-Length: 5\r\n\r\n"

static void
asked_before_it_comes(void)
{
    wire  *w = http_client(0);

    wire_say(w, EXPECTS("/read"));
    is_str(wire_heard(w), "HTTP/1.1 100 Continue\r\n\r\n",
           "a body that is waited for is asked for");
    wire_say(w, "hello");
    ok(strcmp(http_body(wire_heard(w)), "hello") == 0, "and comes");
    wire_end(w);

    w = http_client(0);
    wire_say(w, EXPECTS("/discard"));
    ok(http_says(wire_heard(w), "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "),
       "so is one that will be discarded");
    wire_say(w, "hello" NEXT);
    ok(strcmp(http_body(wire_heard(w)), "no") == 0, "which has come");
    wire_end(w);

    w = http_client(0);
    wire_say(w, EXPECTS("/silent"));
    ok(http_says(wire_heard(w), "HTTP/1.1 200 "), "one that nobody wants");
    wire_say(w, NEXT);
    is_str(wire_heard(w), "", "may come or not: there is no next request");
    wire_wait(12000);
    ok(wire_gone(w), "and the connection ends");

    w = http_client(0);
    wire_say(w, "POST /read HTTP/1.0\r\nExpect: 100-continue\r\n"
             "Content-Length: 5\r\n\r\n");
    is_str(wire_heard(w), "", "HTTP/1.0 knows nothing of it");
    wire_say(w, "hello");
    ok(strcmp(http_body(wire_heard(w)), "hello") == 0, "and goes on");
}


/* --- other bodies -------------------------------------------------------- */

static void
asked_twice(void)
{
    wire  *w = http_client(0);

    wire_say(w, COUNTED("/later"));
    calls_of_done = 0;
    is_int(lun_body_read(waits, count_done), LUN_LEAVE, "it was there");
    is_int(calls_of_done, 1, "done is called at once");
    is_int(lun_body_read(waits, count_done), LUN_LEAVE, "asked again");
    is_int(calls_of_done, 2, "it is there as well");
    is_int(lun_body_discard(waits), LUN_LEAVE, "too late to discard it");
    ok(lun_str_eq(lun_body_text(waits), LUN_STR("hello, world")), "it stays");

    lun_body_set(waits, LUN_STR("x"));
    ok(lun_str_eq(lun_body_text(waits), LUN_STR("x")), "it may be replaced");
    is_int(waits->in.content_length, 1, "with its length");
    lun_body_set(waits, LUN_STR(""));
    is_int(waits->in.content_length, 0, "by nothing");
    is_int((int64_t) lun_body_text(waits).len, 0, "which is a text, too");
    lun_http_finish(waits, LUN_FINISHED);
    wire_end(w);
}


static void
replaced_before_it_came(void)
{
    wire  *w = http_client(0);

    wire_say(w, "POST /set HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 12\r\n\r\nhel");
    ok(strcmp(http_body(wire_heard(w)), "another") == 0, "replaced");
    wire_say(w, "lo, world" NEXT);
    ok(strcmp(http_body(wire_heard(w)), "no") == 0,
       "what the client sends is not seen, and the next request is");
    wire_end(w);
}


int
main(void)
{
    char  conf[4096];
    char  cwd[512];

    LUN_CHECK(lun_dir_current(cwd, sizeof(cwd)) == 0);
    snprintf(folder, sizeof(folder), "%s/build/body.test/", cwd);
    snprintf(conf, sizeof(conf),
             "client_body_temp_path bodies;\n"
             "client_body_timeout 7s; lingering_timeout 3s;\n"
             "lingering_time 12s;\n"
             "server { listen 127.0.0.1:1;\n"
             "  location / { }\n"
             "  location /file { client_body_buffer_size 3; }\n"
             "  location /buffer { client_body_buffer_size 8; }\n"
             "  location /clean { client_body_in_file_only clean; }\n"
             "  location /keep { client_body_in_file_only on; }\n"
             "  location /five { client_max_body_size 5; }\n"
             "  location /nowhere { client_body_buffer_size 4;\n"
             "                      client_body_temp_path nowhere; }\n"
             "}\n");
    http_begin(folder, conf);

    every_cut();
    what_is_counted();
    in_memory_or_in_a_file();
    no_place_for_a_file();
    too_large();
    malformed();
    nothing_more_comes();
    who_asks_too_late();
    whoever_asked_has_a_word();
    what_is_left_may_come_for_a_while();
    asked_before_it_comes();
    asked_twice();
    replaced_before_it_came();

    http_end();
    return done_testing();
}
