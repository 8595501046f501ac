/*
 * phases.c -- the course of a request: which handlers are asked, in which
 * order, and what each verdict makes of that.
 *
 * Two modules have a handler in each phase; what they say is told to them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/phases.c"

static lun_http_module  first_module, second_module;

#define LUN_TEST_MODULES  &first_module.head, &second_module.head,
#include "memory_http.h"


enum { MODULES = 2, LATER = 2000 /* says WAIT first, then NEXT */,
       BACK_TO_NEXT                /* NEXT, and so does precontent from now */
};

static const char *const  names[LUN_PHASES] = {
    [LUN_POST_READ]      = "post-read",
    [LUN_SERVER_REWRITE] = "server",
    [LUN_REWRITE]        = "rewrite",
    [LUN_PREACCESS]      = "preaccess",
    [LUN_ACCESS]         = "access",
    [LUN_PRECONTENT]     = "precontent",
    [LUN_CONTENT]        = "content"
};

static lun_verdict   says[MODULES][LUN_PHASES];
/* Done by a handler before it says that. */
static void        (*does[MODULES][LUN_PHASES])(lun_request *r);
static char          trace[8192];  /* "1 rewrite, 2 rewrite, " ... */
static lun_request  *waits;        /* the latest that said WAIT, or LEAVE */
static unsigned      redirects;    /* that redirect() is to make */
static char          place[64];    /* uri and arguments, at note_place() */


static void
note_place(lun_request *r)
{
    snprintf(place, sizeof(place), "%.*s?%.*s", LUN_S(r->uri),
             LUN_S(r->args));
}


static lun_verdict
visit(lun_request *r, unsigned module)
{
    unsigned     phase = r->phase;
    lun_verdict  v = says[module][phase];

    snprintf(trace + strlen(trace), sizeof(trace) - strlen(trace), "%u %s, ",
             module + 1, names[phase]);

    if (phase == LUN_ACCESS && module == 0 && *(const bool *)
        lun_http_conf(r, &first_module))
    {
        v = LUN_STATUS + 403;
    }

    if (does[module][phase] != NULL) {
        does[module][phase](r);
    }

    if (v == LUN_WAIT || v == LUN_LEAVE) {
        waits = r;

    } else if (v == (lun_verdict) BACK_TO_NEXT) {
        v = LUN_NEXT;
        says[0][LUN_PRECONTENT] = redirects > 0 ? says[0][LUN_PRECONTENT]
                                                : LUN_NEXT;

    } else if (v == (lun_verdict) LATER) {
        says[module][phase] = LUN_NEXT;
        waits = r;
        v = LUN_WAIT;
    }

    return v;
}


static lun_verdict
visit_first(lun_session *s)
{
    return visit(lun_request_of(s), 0);
}


static lun_verdict
visit_second(lun_session *s)
{
    return visit(lun_request_of(s), 1);
}


/* The log phase has no phase of its own to show. */
static lun_verdict
log_first(lun_session *s)
{
    strcat(trace, "1 log, ");
    return LUN_NEXT;
}


static lun_verdict
log_second(lun_session *s)
{
    strcat(trace, "2 log");
    return LUN_NEXT;
}


#define ALL(fn, last)                                                         \
    .on = { [LUN_POST_READ] = fn, [LUN_SERVER_REWRITE] = fn,                  \
            [LUN_REWRITE] = fn, [LUN_PREACCESS] = fn, [LUN_ACCESS] = fn,      \
            [LUN_PRECONTENT] = fn, [LUN_CONTENT] = fn, [LUN_LOG] = last }

static const lun_directive  directives[] = {
    { .name = "closed", .where = LUN_HTTP_LEVELS | LUN_LIMIT_EXCEPT,
      .set = lun_set_flag, .args = 1 },
    { 0 }
};

static lun_http_module  first_module = {
    .name = "first", .always = true, .directives = directives,
    .conf_size = sizeof(bool), ALL(visit_first, log_first)
};

static lun_http_module  second_module = {
    .name = "second", .always = true, ALL(visit_second, log_second)
};


/* --- one request --------------------------------------------------------- */

static void
say_next_everywhere(void)
{
    memset(says, 0, sizeof(says));
    memset(does, 0, sizeof(does));
    trace[0] = '\0';
    waits = NULL;
}


static const char *
get(const char *uri)
{
    static char  text[256];

    trace[0] = '\0';
    snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n"
             "Connection: close\r\n\r\n", uri);
    return http_ask(text);
}


#define BEFORE   "1 post-read, 2 post-read, 1 server, 2 server, "
#define REWRITE  "1 rewrite, 2 rewrite, "
#define MIDDLE   "1 preaccess, 2 preaccess, 1 access, 2 access, "
#define AFTER    "1 precontent, 2 precontent, 1 content, 2 content, "
#define LOGGED   "1 log, 2 log"


static void
nobody_has_anything_to_say(void)
{
    say_next_everywhere();
    ok(http_says(get("/x"), "HTTP/1.1 404 Not Found\r\n"),
       "where nobody answers there is nothing");
    is_str(trace, BEFORE REWRITE MIDDLE AFTER LOGGED, "all were asked");

    ok(http_says(get("/x/"), "HTTP/1.1 403 Forbidden\r\n"),
       "a folder that nobody lists is forbidden");
    ok(http_logged("directory index of \"/none/html/x/\" is forbidden"),
       "and that is said");
}


static void
each_may_leave_its_phase(void)
{
    say_next_everywhere();
    says[0][LUN_POST_READ] = LUN_LEAVE;
    says[0][LUN_SERVER_REWRITE] = LUN_LEAVE;
    says[0][LUN_REWRITE] = LUN_LEAVE;
    says[0][LUN_PREACCESS] = LUN_LEAVE;
    says[0][LUN_PRECONTENT] = LUN_LEAVE;
    (void) get("/x");
    is_str(trace, "1 post-read, 1 server, 1 rewrite, 1 preaccess, "
           "1 access, 2 access, 1 precontent, 1 content, 2 content, " LOGGED,
           "the others of these phases are not asked");
}


static const struct {
    lun_phase    phase;
    const char  *trace;            /* up to it */
} places[] = {
    { LUN_POST_READ, "1 post-read, " },
    { LUN_SERVER_REWRITE, "1 post-read, 2 post-read, 1 server, " },
    { LUN_REWRITE, BEFORE "1 rewrite, " },
    { LUN_PREACCESS, BEFORE REWRITE "1 preaccess, " },
    { LUN_ACCESS, BEFORE REWRITE "1 preaccess, 2 preaccess, 1 access, " },
    { LUN_PRECONTENT, BEFORE REWRITE MIDDLE "1 precontent, " },
    { LUN_CONTENT,
      BEFORE REWRITE MIDDLE "1 precontent, 2 precontent, 1 content, " }
};


static void
each_may_answer(void)
{
    char    want[512];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(places); i++) {
        say_next_everywhere();
        says[0][places[i].phase] = LUN_STATUS + 409;
        snprintf(want, sizeof(want), "%s" LOGGED, places[i].trace);

        ok(http_says(get("/x"), "HTTP/1.1 409 Conflict\r\n"),
           "a status said in %s", names[places[i].phase]);
        is_str(trace, want, "is the last word");
    }
}


static void
each_may_say_that_nothing_works(void)
{
    char    want[512];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(places); i++) {
        say_next_everywhere();
        says[0][places[i].phase] = LUN_FAILED;
        snprintf(want, sizeof(want), "%s" LOGGED, places[i].trace);

        is_str(get("/x"), "", "FAILED in %s sends nothing",
               names[places[i].phase]);
        is_str(trace, want, "and ends it");
    }
}


static void
each_may_finish(void)
{
    char    want[512];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(places); i++) {
        say_next_everywhere();
        says[0][places[i].phase] = LUN_FINISHED;
        snprintf(want, sizeof(want), "%s" LOGGED, places[i].trace);

        ok(http_says(get("/x"), "HTTP/1.1 200 OK\r\n"),
           "FINISHED in %s is an answer", names[places[i].phase]);
        is_str(trace, want, "and the last word");
    }
}


/* --- waiting ------------------------------------------------------------- */

static void
each_may_wait(void)
{
    char         want[512];
    size_t       i;
    wire        *w;
    const char  *name;

    for (i = 0; i < LUN_ARRAY_LEN(places); i++) {
        say_next_everywhere();
        name = names[places[i].phase];
        says[0][places[i].phase] = (lun_verdict) LATER;
        says[1][places[i].phase] = LUN_STATUS + 409;

        w = http_client(0);
        wire_say(w, "GET /x HTTP/1.0\r\n\r\n");
        wire_wait(100);
        is_str(wire_heard(w), "", "WAIT in %s", name);
        is_str(trace, places[i].trace, "asks nobody else");
        ok(waits->waiting, "it waits");

        lun_http_resume(waits);
        wire_run();
        snprintf(want, sizeof(want), "%s1 %s, 2 %s, " LOGGED, places[i].trace,
                 name, name);
        is_str(trace, want, "it is asked again, and goes on");
        ok(http_says(wire_heard(w), "HTTP/1.1 409 Conflict\r\n"), "answered");
        ok(wire_gone(w), "and closed");
    }
}


static void
resume_at_once(lun_request *r)
{
    lun_http_resume(r);
}


/* What it waits for has come before it could say so. */
static void
resumed_before_it_waits(void)
{
    say_next_everywhere();
    says[0][LUN_PREACCESS] = (lun_verdict) LATER;
    does[0][LUN_PREACCESS] = resume_at_once;
    (void) get("/x");
    is_str(trace, BEFORE REWRITE "1 preaccess, 1 preaccess, 2 preaccess, "
           "1 access, 2 access, " AFTER LOGGED, "is asked again at once");
}


static void
finished_while_it_waits(void)
{
    wire  *w;

    say_next_everywhere();
    says[0][LUN_CONTENT] = LUN_WAIT;
    w = http_client(0);
    wire_say(w, "GET /x HTTP/1.0\r\n\r\n");
    lun_http_finish(waits, LUN_STATUS + 503);
    wire_run();
    ok(http_says(wire_heard(w), "HTTP/1.1 503 "),
       "somebody else may finish one that waits");
    ok(wire_gone(w), "for good");
}


/* LEAVE of a content handler: another has the request by now. */
static void
content_that_leaves(void)
{
    wire  *w;

    say_next_everywhere();
    says[0][LUN_CONTENT] = LUN_LEAVE;
    w = http_client(0);
    trace[0] = '\0';
    wire_say(w, "GET /x HTTP/1.0\r\n\r\n");
    is_str(wire_heard(w), "", "LEAVE in content waits");
    ok(strstr(trace, "2 content") == NULL, "and nobody else is asked");
    lun_conn_drain(lp, 1, 100);
    ok(!wire_gone(w), "the connection is not idle");
    lun_http_finish(waits, LUN_FINISHED);
    wire_run();
    ok(http_says(wire_heard(w), "HTTP/1.1 200 "), "until it is finished");
}


/* --- other places -------------------------------------------------------- */

static void
finish_here(lun_request *r)
{
    lun_http_finish(r, LUN_STATUS + 410);
}


static void
finished_by_the_handler(void)
{
    say_next_everywhere();
    does[0][LUN_REWRITE] = finish_here;
    says[0][LUN_REWRITE] = LUN_NEXT;
    ok(http_says(get("/x"), "HTTP/1.1 410 Gone\r\n"),
       "a handler may finish it by itself");
    is_str(trace, BEFORE "1 rewrite, " LOGGED, "whatever it says then");
}


static void
redirect(lun_request *r)
{
    if (redirects > 0) {
        redirects--;
        lun_http_redirect(r, LUN_STR("/y"), LUN_STR("a=b"));
    }
}


/* The handler's word is that it has gone on, whatever that is. */
static void
to_another_place(void)
{
    size_t             i;
    const char        *at;
    const lun_verdict  words[] = { LUN_MOVED, LUN_NEXT, LUN_WAIT, LUN_LEAVE,
                                   LUN_STATUS + 500 };

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        say_next_everywhere();
        redirects = 1;
        does[0][LUN_PRECONTENT] = redirect;
        says[0][LUN_PRECONTENT] = words[i];
        says[0][LUN_CONTENT] = LUN_FINISHED;
        does[0][LUN_CONTENT] = note_place;
        says[1][LUN_PREACCESS] = (lun_verdict) BACK_TO_NEXT;

        ok(http_says(get("/x"), "HTTP/1.1 200 OK\r\n"), "redirected");
        at = strstr(trace, "1 precontent, ") + strlen("1 precontent, ");
        is_str(at, "1 server, 2 server, " REWRITE MIDDLE
               "1 precontent, 2 precontent, 1 content, " LOGGED,
               "through all phases from server rewrite on");
        is_str(place, "/y?a=b", "as another request");
    }
}


static void
note_request(lun_request *r)
{
    waits = r;

    if (r->uri_changed == 0 && r->redirects_left > 1) {
        r->uri_changed = 1;
    }
}


/* As rewrite does it: the location is looked for again, up to ten times. */
static void
rewritten_for_ever(void)
{
    const char  *p;
    unsigned     n = 0;

    say_next_everywhere();
    does[0][LUN_REWRITE] = note_request;
    ok(http_says(get("/x"), "HTTP/1.1 404 "), "rewritten nine times");

    for (p = trace; (p = strstr(p, "1 rewrite")) != NULL; p++) {
        n++;
    }

    is_int(n, 11, "the last of which changes nothing");
}


static void
change_always(lun_request *r)
{
    r->uri_changed = 1;
}


static void
rewritten_too_often(void)
{
    const char  *p;
    unsigned     n = 0;

    say_next_everywhere();
    does[1][LUN_REWRITE] = change_always;
    http_log[0] = '\0';
    ok(http_says(get("/x"), "HTTP/1.1 500 "), "rewritten once more");
    ok(http_logged("rewrite or internal redirection cycle while processing "
                   "\"/x\""), "is a cycle");

    for (p = trace; (p = strstr(p, "2 rewrite")) != NULL; p++) {
        n++;
    }

    is_int(n, 11, "after eleven times");
}


/* --- access -------------------------------------------------------------- */

/* One satisfied: with `all` the others are asked as well. */
static const struct {
    const char   *uri;
    lun_verdict   first, second;
    unsigned      status;          /* of the answer; 404 is a yes */
    const char   *asked;
} accesses[] = {
    { "/all", LUN_NEXT, LUN_NEXT, 404, "12" },
    { "/all", LUN_LEAVE, LUN_NEXT, 404, "12" },
    { "/all", LUN_LEAVE, LUN_STATUS + 403, 403, "12" },
    { "/all", LUN_STATUS + 403, LUN_LEAVE, 403, "1" },
    { "/all", LUN_STATUS + 401, LUN_LEAVE, 401, "1" },
    { "/any", LUN_NEXT, LUN_NEXT, 404, "12" },
    { "/any", LUN_LEAVE, LUN_STATUS + 403, 404, "1" },
    { "/any", LUN_STATUS + 403, LUN_LEAVE, 404, "12" },
    { "/any", LUN_STATUS + 401, LUN_LEAVE, 404, "12" },
    { "/any", LUN_STATUS + 403, LUN_NEXT, 403, "12" },
    { "/any", LUN_STATUS + 401, LUN_STATUS + 403, 401, "12" },
    { "/any", LUN_STATUS + 403, LUN_STATUS + 401, 401, "12" },
    { "/any", LUN_STATUS + 409, LUN_LEAVE, 409, "1" },
    { "/any", LUN_NEXT, LUN_STATUS + 500, 500, "12" }
};


static void
who_is_let_in(void)
{
    char         want[64];
    size_t       i;
    const char  *at;

    for (i = 0; i < LUN_ARRAY_LEN(accesses); i++) {
        say_next_everywhere();
        says[0][LUN_ACCESS] = accesses[i].first;
        says[1][LUN_ACCESS] = accesses[i].second;
        http_log[0] = '\0';

        snprintf(want, sizeof(want), "HTTP/1.1 %u ", accesses[i].status);
        ok(http_says(get(accesses[i].uri), want), "%s: %d, %d",
           accesses[i].uri, (int) accesses[i].first,
           (int) accesses[i].second);

        at = strstr(trace, "1 access");
        ok((strstr(trace, "2 access") != NULL)
           == (strcmp(accesses[i].asked, "12") == 0) && at != NULL,
           "asked: %s", accesses[i].asked);
        ok((strstr(trace, "1 precontent") != NULL)
           == (accesses[i].status == 404), "let in or not");
        ok((strstr(http_log, "access forbidden by rule") != NULL)
           == (accesses[i].status == 403
               && strcmp(accesses[i].uri, "/any") == 0),
           "what the log says of it");
    }
}


/* The one that was not satisfied had asked for a name. */
static void
add_challenge(lun_request *r)
{
    lun_http_set_out(r, LUN_STR("WWW-Authenticate"), LUN_STR("Basic"));
}


static void
no_challenge_for_who_is_let_in(void)
{
    const char  *heard;

    say_next_everywhere();
    does[0][LUN_ACCESS] = add_challenge;
    says[0][LUN_ACCESS] = LUN_STATUS + 401;
    says[1][LUN_ACCESS] = LUN_LEAVE;
    says[0][LUN_CONTENT] = LUN_FINISHED;
    heard = get("/any");
    ok(http_says(heard, "HTTP/1.1 200 "), "satisfied by the second");
    ok(strstr(heard, "WWW-Authenticate") == NULL, "is asked for no name");

    says[1][LUN_ACCESS] = LUN_NEXT;
    ok(http_says(get("/any"), "WWW-Authenticate: Basic\r\n"),
       "satisfied by none is");
}


static void
a_challenge_takes_its_time(void)
{
    wire  *w;

    say_next_everywhere();
    says[0][LUN_ACCESS] = LUN_STATUS + 401;
    w = http_client(0);
    wire_say(w, "GET /slow HTTP/1.0\r\n\r\n");
    wire_wait(2990);
    is_str(wire_heard(w), "", "auth_delay is not over");
    ok(http_logged("delaying unauthorized request"), "it is said");
    wire_wait(20);
    ok(http_says(wire_heard(w), "HTTP/1.1 401 "), "it is over");

    says[0][LUN_ACCESS] = LUN_STATUS + 403;
    ok(http_says(get("/slow"), "HTTP/1.1 403 "), "a refusal is quick");
}


/* --- which location ------------------------------------------------------ */

static void
redirect_inside(lun_request *r)
{
    if (redirects > 0) {
        redirects--;
        lun_http_redirect(r, LUN_STR("/internal"), LUN_STR_NULL);
    }
}


static void
what_a_location_says(void)
{
    const char  *heard;

    say_next_everywhere();
    says[0][LUN_CONTENT] = LUN_FINISHED;
    ok(http_says(get("/internal"), "HTTP/1.1 404 "),
       "an internal location is not there");

    redirects = 1;
    does[0][LUN_SERVER_REWRITE] = redirect_inside;
    ok(http_says(get("/x"), "HTTP/1.1 200 "), "but for ourselves");
    does[0][LUN_SERVER_REWRITE] = NULL;

    heard = http_ask("POST /small HTTP/1.0\r\nContent-Length: 6\r\n\r\n123456");
    ok(http_says(heard, "HTTP/1.1 413 "), "a body that is too large");
    ok(http_logged("client intended to send too large body: 6 bytes"),
       "is refused before it comes");
    heard = http_ask("POST /small HTTP/1.0\r\nContent-Length: 5\r\n\r\n12345");
    ok(http_says(heard, "HTTP/1.1 200 "), "the largest is not");
    heard = http_ask("POST /any HTTP/1.0\r\nContent-Length: 9999999\r\n\r\n");
    ok(http_says(heard, "HTTP/1.1 200 "), "0: of any size");

    ok(http_says(http_ask("GET /except HTTP/1.0\r\n\r\n"), "HTTP/1.1 200 "),
       "limit_except is not for these");
    ok(http_says(http_ask("PUT /except HTTP/1.0\r\n\r\n"), "HTTP/1.1 403 "),
       "but for others");
}


/* How long a connection is kept. */
static void
kept_or_not(void)
{
    char   text[128];
    wire  *w;
    int    i;

    static const struct {
        const char  *uri, *agent, *method;
        bool         kept;
    } table[] = {
        { "/kept", "", "GET", true },
        { "/unkept", "", "GET", false },
        { "/once", "", "GET", false },
        { "/msie", "Mozilla/4.0 (compatible; MSIE 6.0; X)", "POST", false },
        { "/msie", "Mozilla/4.0 (compatible; MSIE 6.0; X)", "GET", true },
        { "/msie", "Mozilla/5.0", "POST", true },
        { "/kept", "Mozilla/4.0 (compatible; MSIE 6.0; X)", "POST", false },
    };

    say_next_everywhere();
    says[0][LUN_CONTENT] = LUN_FINISHED;

    for (i = 0; i < (int) LUN_ARRAY_LEN(table); i++) {
        snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: a\r\n"
                 "User-Agent: %s\r\nContent-Length: 0\r\n\r\n",
                 table[i].method, table[i].uri, table[i].agent);
        w = http_client(0);
        wire_say(w, text);
        ok(http_says(wire_heard(w), table[i].kept
                     ? "Connection: keep-alive\r\n"
                     : "Connection: close\r\n"), "%s %s %s",
           table[i].method, table[i].uri, table[i].agent);
        is_int(!wire_gone(w), table[i].kept, "kept or not");
        wire_end(w);
    }
}


/* keepalive_requests and keepalive_time are the connection's. */
static void
kept_so_often_and_so_long(void)
{
    wire  *w = http_client(0);

    wire_say(w, "GET /twice HTTP/1.1\r\nHost: a\r\n\r\n");
    ok(!wire_gone(w), "the first of two");
    wire_say(w, "GET /twice HTTP/1.1\r\nHost: a\r\n\r\n");
    ok(wire_gone(w), "the second is the last");

    w = http_client(0);
    wire_wait(2000);
    wire_say(w, "GET /short HTTP/1.1\r\nHost: a\r\n\r\n");
    ok(!wire_gone(w), "at its limit of time");
    wire_wait(1);
    wire_say(w, "GET /short HTTP/1.1\r\nHost: a\r\n\r\n");
    ok(wire_gone(w), "and beyond");
}


int
main(void)
{
    http_begin("/none/",
               "server { listen 127.0.0.1:1;\n"
               "  location /all { satisfy all; client_max_body_size 0; }\n"
               "  location /any { satisfy any; client_max_body_size 0; }\n"
               "  location /slow { auth_delay 3s; }\n"
               "  location /internal { internal; }\n"
               "  location /small { client_max_body_size 5; }\n"
               "  location /except { limit_except GET { closed on; } }\n"
               "  location /kept { }\n"
               "  location /unkept { keepalive_timeout 0; }\n"
               "  location /once { keepalive_requests 1; }\n"
               "  location /twice { keepalive_requests 2; }\n"
               "  location /short { keepalive_time 2s; }\n"
               "  location /msie { keepalive_disable msie6; }\n"
               "}\n");

    nobody_has_anything_to_say();
    each_may_leave_its_phase();
    each_may_answer();
    each_may_say_that_nothing_works();
    each_may_finish();
    each_may_wait();
    resumed_before_it_waits();
    finished_while_it_waits();
    content_that_leaves();
    finished_by_the_handler();
    to_another_place();
    rewritten_for_ever();
    rewritten_too_often();
    who_is_let_in();
    no_challenge_for_who_is_let_in();
    a_challenge_takes_its_time();
    what_a_location_says();
    kept_or_not();
    kept_so_often_and_so_long();

    http_end();
    return done_testing();
}
