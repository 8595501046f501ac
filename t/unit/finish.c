/*
 * finish.c -- how a request ends: by which verdict, while others still hold
 * it, after it was answered, in the middle of its answer; and what is told to
 * those who wait for its output or for the client's leaving.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/finish.c"

static lun_http_module  probe, refuser;

#define LUN_TEST_MODULES  &probe.head, &refuser.head,
#define LUN_TEST_FILTERS  &refuser,
#include "memory_http.h"


static lun_request  *kept;         /* the latest, until it is logged */
static unsigned      logged;       /* requests */
static unsigned      last_status;
static unsigned      refusal;      /* a status, of the header filter */
static unsigned      refusals;     /* times that it says so */
static unsigned      drained, gone;

/* What a handler says, by the path: "/4040" -> header sent, then 404. */
enum { HEADER_FIRST = 1, PART_FIRST = 2, NOTHING_FIRST = 0 };


static bool
begin_answer(lun_request *r, bool part)
{
    r->out.status = 200;
    r->out.content_length = 10;

    return lun_http_send_header(r) == LUN_OK
           && (!part || lun_http_output(r, lun_buf_new_str(r->pool,
                                               LUN_STR("part"))) != LUN_ERROR);
}


/* /VERDICT.FIRST */
static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    char          text[32];
    unsigned      verdict = 0, first = 0;

    kept = r;

    if (lun_str_eq(r->uri, LUN_STR("/wait"))) {
        return LUN_WAIT;
    }

    if (lun_str_eq(r->uri, LUN_STR("/hello"))) {
        return lun_http_respond(r, 200, LUN_STR("a/b"), LUN_STR("hello"));
    }

    snprintf(text, sizeof(text), "%.*s", LUN_S(r->uri));

    if (sscanf(text, "/%u.%u", &verdict, &first) != 2) {
        return LUN_NEXT;
    }

    if (first != NOTHING_FIRST && !begin_answer(r, first == PART_FIRST)) {
        return LUN_FAILED;
    }

    return verdict >= 100 ? (lun_verdict) (LUN_STATUS + verdict)
                          : (lun_verdict) verdict;
}


static lun_verdict
on_log(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    logged++;
    last_status = r->out.status;
    kept = kept == r ? NULL : kept;
    return LUN_NEXT;
}


static lun_rc
refuse(lun_request *r)
{
    if (refusals > 0) {
        refusals--;
        return lun_http_refuse(r, refusal);
    }

    return lun_http_next_header(r, &refuser);
}


static lun_http_module  probe = {
    .name = "probe", .always = true,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};

static lun_http_module  refuser = {
    .name = "refuser", .always = true, .header_filter = refuse
};


#define GET(uri)  "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"


/* --- by which verdict ---------------------------------------------------- */

static const struct {
    const char  *uri;
    const char  *answer;           /* its beginning; "": none */
    unsigned     logged;
    bool         kept;
} ends[] = {
    { "/3.0", "HTTP/1.1 200 OK\r\n", 200, true },      /* FINISHED */
    { "/4.0", "", 0, false },                          /* FAILED */
    { "/200.0", "HTTP/1.1 200 OK\r\n", 200, true },
    { "/201.0", "HTTP/1.1 201 Created\r\n", 201, true },
    { "/202.0", "HTTP/1.1 202 Accepted\r\n", 202, true },
    { "/204.0", "HTTP/1.1 204 No Content\r\n", 204, true },
    { "/206.0", "HTTP/1.1 206 Partial Content\r\n", 206, true },
    { "/301.0", "HTTP/1.1 301 Moved Permanently\r\n", 301, true },
    { "/304.0", "HTTP/1.1 304 Not Modified\r\n", 304, true },
    { "/400.0", "HTTP/1.1 400 Bad Request\r\n", 400, false },
    { "/404.0", "HTTP/1.1 404 Not Found\r\n", 404, true },
    { "/408.0", "", 408, false },
    { "/409.0", "HTTP/1.1 409 Conflict\r\n", 409, true },
    { "/413.0", "HTTP/1.1 413 Request Entity Too Large\r\n", 413, false },
    { "/414.0", "HTTP/1.1 414 Request-URI Too Large\r\n", 414, false },
    { "/444.0", "", 444, false },
    { "/494.0", "HTTP/1.1 400 Bad Request\r\n", 400, false },
    { "/499.0", "", 499, false },
    { "/500.0", "HTTP/1.1 500 Internal Server Error\r\n", 500, false },
    { "/501.0", "HTTP/1.1 501 Not Implemented\r\n", 501, false },
    { "/502.0", "HTTP/1.1 502 Bad Gateway\r\n", 502, true },
    { "/503.0", "HTTP/1.1 503 Service Temporarily Unavailable\r\n", 503,
      true },
    { "/598.0", "HTTP/1.1 598", 598, true },

    /* In the middle of an answer there is no other one. */
    { "/404.1", "", 200, false },
    { "/404.2", "HTTP/1.1 200 OK\r\n", 200, false },
    { "/500.2", "HTTP/1.1 200 OK\r\n", 200, false },
    { "/444.2", "HTTP/1.1 200 OK\r\n", 200, false },
    { "/4.2", "HTTP/1.1 200 OK\r\n", 200, false }
};


static void
by_verdict(void)
{
    char         text[64];
    size_t       i;
    wire        *w;
    const char  *heard;

    for (i = 0; i < LUN_ARRAY_LEN(ends); i++) {
        logged = 0;
        w = http_client(1);
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n",
                 ends[i].uri);
        wire_say(w, text);
        heard = wire_heard(w);
        ok((*heard == '\0') == (*ends[i].answer == '\0')
           && strncmp(heard, ends[i].answer, strlen(ends[i].answer)) == 0,
           "%s", ends[i].uri);

        if (strstr(ends[i].uri, ".2") != NULL) {
            ok(strcmp(http_body(heard), "part") == 0, "what was said is said");
        }

        is_int(!wire_gone(w), ends[i].kept, "the connection is kept or not");
        is_int(logged, 1, "it is logged once");
        is_int(last_status, ends[i].logged, "with its status");

        if (!wire_gone(w)) {
            wire_say(w, GET("/hello"));
            ok(http_says(wire_heard(w), "\r\n\r\nhello"),
               "and the next request has its answer");
            wire_end(w);
        }
    }
}


/* The first of the statuses that error_page may name, and the last. */
static void
statuses_with_a_page(void)
{
    wire  *w = http_client(1);

    wire_say(w, GET("/299.0"));
    is_str(http_body(wire_heard(w)), "", "299 is an answer");
    wire_say(w, GET("/300.0"));
    is_str(http_body(wire_heard(w)), "hello", "300 may have a page");
    wire_say(w, GET("/599.0"));
    is_str(http_body(wire_heard(w)), "hello", "so may 599");
    wire_end(w);
}


/* A header without a length, and a body that its handler has not ended. */
static void
an_end_that_nobody_gave(void)
{
    wire  *w = http_client(0);

    wire_say(w, GET("/wait"));
    kept->out.status = 200;
    ok(lun_http_send_header(kept) == LUN_OK, "a header");
    ok(lun_http_output(kept, lun_buf_new_str(kept->pool, LUN_STR("abc")))
       != LUN_ERROR, "and a part");
    lun_http_finish(kept, LUN_FINISHED);
    wire_run();
    ok(http_says(wire_heard(w), "3\r\nabc\r\n0\r\n\r\n"),
       "are a whole answer when it is finished");
    ok(!wire_gone(w), "and the connection goes on");

    wire_say(w, "HEAD /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    lun_http_finish(kept, LUN_STATUS + 404);
    wire_run();
    is_str(http_body(wire_heard(w)), "", "a HEAD has no body");
    wire_end(w);
}


/* --- while others hold it ------------------------------------------------ */

static void
held_by_others(void)
{
    wire         *w = http_client(0);
    lun_request  *r;

    logged = 0;
    wire_say(w, GET("/wait") GET("/hello"));
    r = kept;
    lun_http_get(r);
    lun_http_get(r);
    lun_http_finish(r, LUN_STATUS + 404);
    wire_run();
    ok(r->ended && logged == 0, "it is over, but still there");
    lun_http_finish(r, LUN_STATUS + 500);
    lun_http_resume(r);
    is_int(r->out.status, 404, "a second end is none");
    ok(strstr(w->out, "hello") == NULL, "the next request waits");

    lun_http_put(r);
    wire_run();
    is_int(logged, 0, "one of them is still at work");
    lun_http_put(r);
    wire_run();
    is_int(logged, 2, "that was the last");
    ok(http_says(wire_heard(w), "\r\n\r\nhello"), "the next is served");
    wire_end(w);

    /* The client has left meanwhile. */
    w = http_client(0);
    wire_say(w, GET("/wait"));
    r = kept;
    logged = 0;
    lun_http_get(r);
    lun_http_finish(r, LUN_STATUS + 404);
    wire_break(w);
    wire_wait(1000);
    is_int(logged, 0, "nobody frees what is held");
    lun_http_put(r);
    wire_run();
    is_int(logged, 1, "but then");
    ok(wire_gone(w), "the connection goes with it");
}


/* --- in place of an answer ----------------------------------------------- */

static void
refused_by_a_filter(void)
{
    wire        *w = http_client(0);
    const char  *heard;

    refusal = 403;
    refusals = 1;
    wire_say(w, GET("/hello"));
    heard = wire_heard(w);
    ok(http_says(heard, "HTTP/1.1 403 Forbidden\r\n"),
       "a filter wants another status");
    ok(strstr(heard, "hello") == NULL && strstr(heard, "a/b") == NULL,
       "nothing is left of what it refused");
    ok(!wire_gone(w), "the connection goes on");

    refusals = 1;
    wire_say(w, GET("/3.0"));
    ok(http_says(wire_heard(w), "HTTP/1.1 403 "),
       "also where there was only an end");

    refusals = 1;
    wire_say(w, GET("/404.0"));
    ok(http_says(wire_heard(w), "HTTP/1.1 403 "), "or a status");

    refusals = 2;
    wire_say(w, GET("/hello"));
    ok(http_says(wire_heard(w), "HTTP/1.1 403 "), "it may say so again");
    refusals = 0;
    wire_end(w);
}


/* --- who is told --------------------------------------------------------- */

static void
on_drained(lun_request *r, void *data)
{
    ok(data == &drained && r == kept, "with its data");
    drained++;
}


static void
on_gone(lun_request *r, void *data)
{
    gone++;
    lun_http_finish(r, LUN_STATUS + 499);
}


static void
output_that_waits(void)
{
    lun_buf  *b;
    wire     *w = http_client(0);

    drained = 0;
    w->room = 0;
    wire_say(w, GET("/wait"));
    kept->out.status = 200;
    ok(lun_http_send_header(kept) != LUN_ERROR, "a header");
    ok(!lun_http_pending(kept), "nothing waits yet");
    b = lun_buf_new_str(kept->pool, LUN_STR("abc"));
    b->flush = 1;
    is_int(lun_http_output(kept, b), LUN_AGAIN, "nobody takes it");
    ok(lun_http_pending(kept), "output waits");
    lun_http_on_drained(kept, on_drained, &drained);
    wire_run();
    is_int(drained, 0, "it waits");
    w->room = 20;
    wire_run();
    is_int(drained, 0, "some of it");
    w->room = SIZE_MAX;
    wire_run();
    is_int(drained, 1, "all of it has gone out, and that is told");
    ok(!lun_http_pending(kept), "nothing waits any more");
    wire_wait(100);
    is_int(drained, 1, "once");

    /* The client leaves before: whoever waits is told all the same. */
    w->room = 0;
    b = lun_buf_new_str(kept->pool, LUN_STR("def"));
    b->flush = 1;
    is_int(lun_http_output(kept, b), LUN_AGAIN, "nobody takes it");
    lun_http_on_drained(kept, on_drained, &drained);
    gone = 0;
    lun_http_on_abort(kept, on_gone, NULL);
    wire_break(w);
    is_int(drained, 2, "nothing will be taken");
    is_int(gone, 1, "and the client has gone");
    ok(wire_gone(w), "that is the end");
    is_int(last_status, 200, "its status is what was said");
}


static void
no_longer_interested(void)
{
    wire  *w = http_client(0);

    gone = 0;
    wire_say(w, GET("/wait"));
    lun_http_on_abort(kept, on_gone, NULL);
    lun_http_on_abort(kept, NULL, NULL);
    wire_break(w);
    is_int(gone, 0, "who has taken it back is not told");
    ok(kept != NULL, "it is there until its handler ends it");
    is_int(lun_http_output_eof(kept), LUN_ERROR, "nothing goes out any more");
    lun_http_finish(kept, LUN_STATUS + 404);
    wire_run();
    ok(wire_gone(w), "that is the end");
}


int
main(void)
{
    http_begin("/none/", "server { listen 127.0.0.1:1; }\n"
               "server { listen 127.0.0.1:2; postpone_output 0;\n"
               "         error_page 300 599 = /hello; }\n");

    by_verdict();
    statuses_with_a_page();
    an_end_that_nobody_gave();
    held_by_others();
    refused_by_a_filter();
    output_that_waits();
    no_longer_interested();

    http_end();
    return done_testing();
}
