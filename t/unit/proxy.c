/*
 * proxy.c -- a request that another server answers, stage by stage: an answer
 * cut at every byte, a server that closes, breaks or falls silent at each of
 * them, connections that are kept, clients that are slow or leave.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/proxy/proxy.c"

extern lun_http_module  lun_http_upstream_keepalive;
static lun_http_module  watch_module;

#define LUN_TEST_MODULES  &watch_module.head, &lun_http_proxy.head,           \
                          &lun_http_upstream_keepalive.head,
#include "memory_http.h"
#include "session/upstream/round_robin.h"

static unsigned      last_status;
static lun_request  *held;


/* Below /held something else is waited for first, once. */
static lun_verdict
on_access(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    if (!lun_str_starts(r->uri, LUN_STR("/held")) || r == held) {
        return LUN_NEXT;
    }

    held = r;
    return LUN_WAIT;
}


static lun_verdict
on_log(lun_session *s)
{
    last_status = lun_request_of(s)->out.status;
    return LUN_NEXT;
}


static lun_http_module  watch_module = {
    .name = "watch", .always = true,
    .on = { [LUN_ACCESS] = on_access, [LUN_LOG] = on_log }
};


#define GET(uri)   "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST(uri)  "POST " uri " HTTP/1.1\r\nHost: a\r\n"                     \
                   "Content-Length: 5\r\n\r\nhello"


/* An answer without what differs in time: its Date. */
static const char *
dateless(const char *text)
{
    static char  out[WIRE_SIZE + 1];
    const char  *date = strstr(text, "Date: ");
    size_t       n;

    if (date == NULL) {
        return text;
    }

    n = (size_t) (date - text);
    memcpy(out, text, n);
    strcpy(out + n, strstr(date, "\r\n") + 2);
    return out;
}


/* Until nobody has anything to do, and what was kept is given up. */
static void
end_all(wire *client)
{
    if (!wire_gone(client)) {
        wire_end(client);
    }

    wire_wait(600000);
    is_int((int64_t) lun_conn_count(lp), 0, "all connections are gone");
}


/* --- answers, cut at every byte ------------------------------------------ */

static const struct {
    const char  *request;
    const char  *answer;
    const char  *body;             /* of the answer that the client gets */
    bool         until_end;        /* the server's end is that of the answer */
} answers[] = {
    { GET("/one"), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
      "hello", false },
    { GET("/one"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n7;a=b\r\n, world\r\n0\r\nX: y\r\n\r\n",
      "hello, world", false },
    { GET("/one"), "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nuntil the end",
      "until the end", true },
    { GET("/one"), "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno", "no", false },
    { GET("/one"), "HTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", false },
    { GET("/one"), "HTTP/1.1 204 None\r\n\r\n", "", false },
    { GET("/one"), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "",
      false },
    { "HEAD /one HTTP/1.1\r\nHost: a\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", "", false },
    { POST("/one"), "HTTP/1.1 201 Made\r\nContent-Length: 1\r\n"
      "Location: /x\r\n\r\n!", "!", false },
    { GET("/unbuffered"),
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", false }
};


/* All bodies, in one: chunks may be others, but what they hold is the same. */
static void
unchunk(const char *body, char *out)
{
    unsigned long  n;
    char          *end;

    while ((n = strtoul(body, &end, 16)) != 0 && end != body) {
        memcpy(out, end + 2, n);
        out += n;
        body = end + 2 + n + 2;
    }

    *out = '\0';
}


/* Without its coding. */
static const char *
plain_body(const char *answer)
{
    static char  out[1024];

    if (strstr(answer, "chunked\r\n") == NULL) {
        return http_body(answer);
    }

    unchunk(http_body(answer), out);
    return out;
}


static bool
same_answer(const char *have, const char *want)
{
    char    body[1024];
    size_t  head = (size_t) (http_body(want) - want);

    if (strncmp(have, want, head) != 0) {
        return false;
    }

    snprintf(body, sizeof(body), "%s", plain_body(want));
    return strcmp(plain_body(have), body) == 0
           && (strstr(want, "chunked\r\n") == NULL
               || strstr(have, "\r\n0\r\n\r\n") != NULL);
}


static void
cut_everywhere(size_t i)
{
    char    want[4096];
    size_t  at, len = strlen(answers[i].answer);
    wire   *c, *s;

    for (at = len + 1; at-- > 0; ) {
        c = http_client(0);
        wire_say(c, answers[i].request);
        s = wire_latest(true);
        (void) wire_heard(s);
        wire_say_bytes(s, answers[i].answer, at);
        wire_run();
        wire_say_bytes(s, answers[i].answer + at, len - at);

        if (answers[i].until_end) {
            s->ended = true;
        }

        wire_run();

        if (at == len) {           /* the first: it came whole */
            snprintf(want, sizeof(want), "%s", dateless(wire_heard(c)));
            ok(same_answer(want, want)
               && strcmp(plain_body(want), answers[i].body) == 0,
               "answer %u, whole", (unsigned) i);

        } else if (!ok(same_answer(dateless(wire_heard(c)), want),
                       "answer %u, cut at %u", (unsigned) i, (unsigned) at))
        {
            tap_bytes("want", want, strlen(want));
        }

        ok(!wire_gone(c), "the client's connection goes on");
        wire_end(c);
    }

    c = http_client(0);
    c->piece = 1;
    wire_say(c, answers[i].request);
    s = wire_latest(true);
    s->piece = 1;
    s->ended = answers[i].until_end;
    wire_say(s, answers[i].answer);
    ok(same_answer(dateless(wire_heard(c)), want), "and byte by byte");
    end_all(c);
}


/* --- a server that closes ------------------------------------------------ */

static void
closes_at_every_byte(bool breaks)
{
    size_t       at, len = strlen(answers[0].answer);
    size_t       head = (size_t) (http_body(answers[0].answer)
                                  - answers[0].answer);
    wire        *c, *s;
    const char  *heard;

    for (at = 0; at < len; at++) {
        http_log[0] = '\0';
        c = http_client(0);
        wire_say(c, GET("/one"));
        s = wire_latest(true);
        wire_say_bytes(s, answers[0].answer, at);
        wire_run();

        if (breaks) {
            wire_break(s);
        } else {
            wire_end(s);
        }

        heard = wire_heard(c);

        if (at < head) {
            ok(http_says(heard, "HTTP/1.1 502 "), "it ends after %u bytes",
               (unsigned) at);
            ok(strstr(http_log, breaks ? "recv() failed" : "upstream "
                      "prematurely closed connection while reading response "
                      "header from upstream") != NULL, "it is said where");

        } else {
            ok(at == head || http_says(heard, "HTTP/1.1 200 "),
               "in the body, at %u", (unsigned) at);
            ok(wire_gone(c), "the client's connection ends, too");
            ok(strstr(http_log, "while reading upstream") != NULL,
               "it is said where");
        }

        ok(wire_gone(s), "that of the server is closed");
        end_all(c);
    }
}


/* What may be asked of another server is. */
static void
another_is_asked(void)
{
    size_t    at;
    uint16_t  port;
    unsigned  number;
    wire     *c, *first, *second;

    for (at = 0; at < 30; at++) {
        c = http_client(0);
        wire_say(c, at & 1 ? GET("/two") : "DELETE /two HTTP/1.1\r\nHost: a\r\n"
                                           "\r\n");
        first = wire_latest(true);
        wire_say_bytes(first, answers[0].answer, at);
        wire_run();
        number = first->number;
        port = first->to.port;
        wire_end(first);
        second = wire_latest(true);

        if (!ok(second != NULL && second->number != number
                && second->to.port != port,
                "cut at %u: the other server is asked", (unsigned) at))
        {
            wire_end(c);
            continue;
        }

        wire_say(second, answers[0].answer);
        ok(http_says(wire_heard(c), "\r\n\r\nhello"), "and answers");
        end_all(c);
        wire_wait(20000);          /* fail_timeout */
    }

    /* Twice is not what was asked for. */
    c = http_client(0);
    wire_say(c, POST("/two"));
    first = wire_latest(true);
    wire_end(first);
    ok(http_says(wire_heard(c), "HTTP/1.1 502 "),
       "a POST that may have been done is not sent again");
    end_all(c);
    wire_wait(20000);

    wire_refusal = lun_err_of_kind(LUN_ERR_REFUSED);
    c = http_client(0);
    http_log[0] = '\0';
    wire_say(c, POST("/two"));
    ok(http_says(wire_heard(c), "HTTP/1.1 502 "), "nobody takes it");
    ok(http_logged("connect() failed"), "which is said");
    wire_refusal = 0;
    wire_say(c, GET("/two"));
    ok(http_says(wire_heard(c), "HTTP/1.1 502 ") || wire_gone(c),
       "both are down now");
    end_all(c);
    wire_wait(20000);
}


/* Statuses that are as good as none. */
static void
a_status_is_no_answer(void)
{
    unsigned  number;
    wire     *c = http_client(0), *s;

    wire_say(c, GET("/two"));
    s = wire_latest(true);
    number = s->number;
    wire_say(s, "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
    ok(wire_latest(true) != NULL && wire_latest(true)->number != number,
       "next_upstream http_503");
    wire_say(wire_latest(true), answers[0].answer);
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "the other has answered");

    wire_wait(20000);
    wire_say(c, GET("/two"));
    s = wire_latest(true);
    wire_say(s, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
    ok(http_says(wire_heard(c), "HTTP/1.1 500 "), "another status is one");
    end_all(c);
    wire_wait(20000);
}


/* --- a server that is silent --------------------------------------------- */

static void
silent_at_each_stage(void)
{
    wire  *c = http_client(0), *s;

    http_log[0] = '\0';
    wire_deaf = true;
    wire_say(c, GET("/one"));
    wire_wait(2999);
    is_str(wire_heard(c), "", "connect_timeout is not over");
    wire_wait(1);
    ok(http_says(wire_heard(c), "HTTP/1.1 504 "), "it is over");
    ok(http_logged("upstream timed out"), "as the log says");
    wire_deaf = false;
    end_all(c);
    wire_wait(20000);

    wire_room = 10;
    c = http_client(0);
    c->room = SIZE_MAX;
    wire_say(c, GET("/one"));
    s = wire_latest(true);
    wire_wait(3999);
    is_str(wire_heard(c), "", "send_timeout is not over");
    s->room = 10;
    wire_run();
    wire_wait(3999);
    is_str(wire_heard(c), "", "it begins anew when something is taken");
    wire_wait(1);
    ok(http_says(wire_heard(c), "HTTP/1.1 504 "), "it is over");
    wire_room = SIZE_MAX;
    end_all(c);
    wire_wait(20000);

    c = http_client(0);
    wire_say(c, GET("/one"));
    s = wire_latest(true);
    wire_wait(4999);
    wire_say(s, "HTTP/1.1 200 OK\r\n");
    wire_wait(4999);
    is_str(wire_heard(c), "", "read_timeout begins anew with each byte");
    http_log[0] = '\0';
    wire_wait(1);
    ok(http_says(wire_heard(c), "HTTP/1.1 504 "), "it is over");
    ok(http_logged("upstream timed out"), "as the log says");
    end_all(c);
    wire_wait(20000);

    c = http_client(0);
    wire_say(c, GET("/one"));
    s = wire_latest(true);
    wire_say(s, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    wire_wait(4999);
    ok(!wire_gone(c), "read_timeout of a body is not over");
    wire_say(s, "l");
    wire_wait(4999);
    ok(!wire_gone(c), "it begins anew, too");
    wire_wait(1);
    ok(wire_gone(c), "it is over, and the client's connection");
    end_all(c);
    wire_wait(20000);
}


/* --- kept connections ---------------------------------------------------- */

static void
kept_for_the_next(void)
{
    unsigned  number;
    wire     *c = http_client(0), *s;

    wire_say(c, GET("/kept"));
    s = wire_latest(true);
    number = s->number;
    wire_say(s, answers[0].answer);
    (void) wire_heard(c);
    wire_say(c, GET("/kept"));
    ok(wire_latest(true) == s && s->number == number,
       "the next request has the same connection");
    wire_say(s, answers[0].answer);
    ok(http_says(wire_heard(c), "hello"), "and an answer");

    /* It closes while nobody uses it. */
    wire_end(s);
    ok(wire_gone(s), "one that the server closes is not kept");
    wire_say(c, GET("/kept"));
    s = wire_latest(true);
    ok(s->number != number, "the next is a new one");
    wire_say(s, answers[0].answer);
    (void) wire_heard(c);

    /* It closes when it is asked; what it says of that is no answer. */
    for (size_t i = 0; i < 2; i++) {
        number = s->number;
        wire_say_bytes(c, GET("/kept"), strlen(GET("/kept")));
        s->ended = true;
        s->shut = i == 1;
        wire_say(s, i == 1 ? "HTTP/1.1 408 Idle\r\n\r\n" : "");
        s = wire_latest(true);
        ok(s->number != number && http_logged("send() failed") == i, "anew");
        wire_say(s, answers[0].answer);
        ok(http_says(wire_heard(c), "hello"), "a new one is asked");
    }

    /* A server that says close, or more than it should. */
    number = s->number;
    wire_say(c, GET("/kept"));
    wire_say(s, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
             "Content-Length: 2\r\n\r\nok");
    ok(wire_gone(s), "one that the server will close is not kept");
    (void) wire_heard(c);
    wire_say(c, GET("/kept"));
    s = wire_latest(true);
    http_log[0] = '\0';
    wire_say(s, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200");
    ok(http_says(wire_heard(c), "\r\n\r\nok"), "an answer, and more");
    ok(wire_gone(s), "is the connection's last");
    wire_say(c, GET("/kept"));
    s = wire_latest(true);
    wire_say(s, answers[0].answer);
    wire_wait(6999);
    ok(!wire_gone(s), "keepalive_timeout is not over");
    wire_wait(1);
    ok(wire_gone(s), "it is over");
    end_all(c);
}


/* --- clients ------------------------------------------------------------- */

static void
clients_that_leave(void)
{
    wire  *c = http_client(0), *s;

    http_log[0] = '\0';
    wire_say(c, GET("/one"));
    s = wire_latest(true);
    wire_end(c);
    ok(wire_gone(s), "the server's connection goes with the client's");
    is_int(last_status, 499, "the status says whose fault it was");
    ok(http_logged("so upstream connection is closed too"), "and the log");
    end_all(c);

    c = http_client(0);
    wire_say(c, GET("/patient"));
    s = wire_latest(true);
    wire_end(c);
    ok(!wire_gone(s), "ignore_client_abort: the server may go on");
    wire_say(s, answers[0].answer);
    ok(http_says(wire_heard(c), "hello"), "to its end");
    end_all(c);
    is_int(last_status, 200, "as if nothing had been");
}


#define LONG  20000

/* More than all buffers hold: the server waits, or a file takes it. */
static void
slow_clients(const char *request, bool waits)
{
    char    body[LONG + 1], head[64];
    size_t  i, steps = 0;
    wire   *c = http_client(0), *s;

    for (i = 0; i < LONG; i++) {
        body[i] = (char) ('A' + i % 57);
    }

    body[LONG] = '\0';
    c->room = 0;
    wire_say(c, request);
    s = wire_latest(true);
    snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n"
             "\r\n", LONG);
    wire_say(s, head);
    wire_say(s, body);
    is_int(s->said < s->said_end, waits, "%.*s: the server %s", 10, request,
           waits ? "is not read from" : "is read from");

    while (c->heard_end < LONG && steps++ < 4 * LONG) {
        c->room += 997;
        wire_run();
    }

    c->room = SIZE_MAX;
    wire_run();
    ok(strcmp(http_body(wire_heard(c)), body) == 0, "%.*s: all of it comes",
       10, request);
    wire_wait(1000);
    wire_say(c, GET("/one"));
    wire_say(wire_latest(true), answers[0].answer);
    ok(http_says(wire_heard(c), "hello"), "and it goes on");
    end_all(c);
}


/* --- answers that are none ----------------------------------------------- */

static const struct {
    const char  *answer, *log;
} bad[] = {
    { "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
      "upstream sent duplicate header line: \"Content-Length: 1\"" },
    { "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "upstream sent invalid \"Content-Length\" header" },
    { "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n"
      "\r\n", "headers at the same time" },
    { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n"
      "\r\n", "headers at the same time" },
    { "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "upstream sent unknown \"Transfer-Encoding\": \"gzip\"" },
    { "HTTP/1.1 200 OK\r\nX\x01: y\r\n\r\n", "upstream sent invalid header" }
};


static void
answers_that_are_none(void)
{
    char    text[8192];
    size_t  i;
    wire   *c, *s;

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        http_log[0] = '\0';
        c = http_client(0);
        wire_say(c, GET("/one"));
        s = wire_latest(true);
        s->piece = i + 1;
        wire_say(s, bad[i].answer);
        ok(http_says(wire_heard(c), "HTTP/1.1 502 "), "bad answer %u",
           (unsigned) i);
        ok(http_logged(bad[i].log), "and why");
        ok(wire_gone(s), "the connection is closed");
        end_all(c);
        wire_wait(20000);
    }

    /* As HTTP/0.9 has it: what is no header is the body. */
    c = http_client(0);
    wire_say(c, GET("/one"));
    s = wire_latest(true);
    wire_say(s, "nonsense\r\n");
    wire_end(s);
    ok(http_says(wire_heard(c), "nonsense"), "an answer without a header");
    ok(http_logged("upstream sent no valid HTTP/1.0 header"), "is told of");
    end_all(c);

    /* A header as large as the buffer, and one byte more. */
    for (i = 0; i < 2; i++) {
        snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                 "X: %0*d\r\n\r\n",
                 (int) (1024 + i - strlen("HTTP/1.1 200 OK\r\n"
                                          "Content-Length: 0\r\n"
                                          "X: \r\n\r\n")), 0);
        http_log[0] = '\0';
        c = http_client(0);
        wire_say(c, GET("/one"));
        wire_say(wire_latest(true), text);
        ok(http_says(wire_heard(c), i == 0 ? "HTTP/1.1 200 "
                                           : "HTTP/1.1 502 "),
           "a header of %u bytes", (unsigned) strlen(text));
        is_int(strstr(http_log, "upstream sent too big header") != NULL,
               i == 1, "which is said, or not");
        end_all(c);
        wire_wait(20000);
    }

    http_log[0] = '\0';
    c = http_client(0);
    wire_say(c, GET("/one"));
    wire_say(wire_latest(true), "HTTP/1.1 200 OK\r\n"
             "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nx\r\n");
    ok(http_logged("upstream sent invalid chunked response"), "bad chunks");
    ok(wire_gone(c), "end the client's connection");
    end_all(c);
}


/* --- what is sent to the server ------------------------------------------ */

static void
what_it_is_asked(void)
{
    wire  *c = http_client(0), *s;

    wire_say(c, "POST /one?a=b HTTP/1.1\r\nHost: a\r\nX: y\r\n"
             "Connection: keep-alive\r\nContent-Length: 5\r\n\r\nhe");
    ok(wire_latest(true) == NULL, "the body is waited for");
    wire_say(c, "llo");
    s = wire_latest(true);
    is_str(wire_heard(s), "POST /one?a=b HTTP/1.0\r\nHost: one\r\n"
           "Content-Length: 5\r\nX: y\r\n\r\nhello",
           "all of it");
    wire_say(s, answers[0].answer);
    end_all(c);

    c = http_client(0);
    wire_say(c, "POST /kept HTTP/1.1\r\nHost: a\r\n"
             "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n");
    wire_say(c, "3\r\nllo\r\n0\r\n\r\n");
    s = wire_latest(true);
    is_str(wire_heard(s), "POST /kept HTTP/1.1\r\nHost: kept\r\n"
           "Content-Length: 5\r\n\r\nhello", "chunks have a length by now");
    wire_say(s, answers[0].answer);
    end_all(c);

    /* Taken a byte at a time, it is the same. */
    c = http_client(0);
    wire_room = 0;
    wire_say(c, POST("/one"));
    wire_room = SIZE_MAX;
    s = wire_latest(true);

    do {
        s->room++;
        wire_run();
        s->out[s->heard_end] = '\0';
    } while (strstr(s->out, "hello") == NULL);

    is_str(wire_heard(s), "POST /one HTTP/1.0\r\nHost: one\r\n"
           "Content-Length: 5\r\n\r\nhello",
           "however slowly it takes it");
    wire_say(s, answers[0].answer);
    ok(http_says(wire_heard(c), "hello"), "and it answers");
    end_all(c);
}


static void
nobody_is_busy(void)
{
    size_t               i, k;
    lun_upstream_group  *g;
    const lun_array     *all = lun_upstream_all(
        &lun_http_engine_of(http_gen)->head);

    for (i = 0; i < all->count; i++) {
        g = (*(lun_upstream **) lun_array_at(all, i))->peers;

        for ( ; g != NULL; g = g->next) {
            for (k = 0; k < g->count; k++) {
                is_int((int64_t) g->peers[k].state->conns, 0,
                       "no server counts as busy");
            }
        }
    }
}


static void
on_left(lun_request *r, void *data)
{
    *(bool *) data = true;
}


/* proxy_ignore_client_abort: nobody waits for the rest of the body. */
static void
clients_that_left_before(const char *uri)
{
    char  text[128];
    bool  told = false;
    wire  *c = http_client(0);

    snprintf(text, sizeof(text), "POST %s HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 5\r\n\r\nhe", uri);
    wire_say(c, text);
    lun_http_on_abort(held, on_left, &told);
    wire_break(c);
    ok(told, "%s: the client has left", uri);

    last_status = 0;
    lun_http_resume(held);
    wire_run();
    held = NULL;
    is_int(last_status, 400, "its body will not be whole");
    is_int((int64_t) lun_conn_count(lp), 0, "all of it is over");
}


int
main(void)
{
    size_t  i;
    char    cwd[512], folder[600];

    LUN_CHECK(lun_dir_current(cwd, sizeof(cwd)) == 0);
    snprintf(folder, sizeof(folder), "%s/build/proxy.test/", cwd);
    http_begin(folder,
               "keepalive_timeout 1h; send_timeout 1h;\n"
               "proxy_connect_timeout 3s; proxy_send_timeout 4s;\n"
               "proxy_read_timeout 5s; proxy_buffer_size 1k;\n"
               "proxy_buffers 4 1k; proxy_busy_buffers_size 2k;\n"
               "upstream one { server 127.0.0.1:1 max_fails=0; }\n"
               "upstream two { server 127.0.0.1:1; server 127.0.0.1:2; }\n"
               "upstream kept { server 127.0.0.1:3 max_fails=0;\n"
               "                keepalive 2; keepalive_timeout 7s; }\n"
               "server { listen 127.0.0.1:1;\n"
               "  location /one { proxy_pass http://one;\n"
               "                  proxy_http_version 1.0; }\n"
               "  location /two { proxy_pass http://two;\n"
               "                  proxy_next_upstream error timeout http_503;"
               "}\n"
               "  location /kept { proxy_pass http://kept;\n"
               "                   proxy_http_version 1.1;\n"
               "                   proxy_set_header Connection ''; }\n"
               "  location /patient { proxy_pass http://one;\n"
               "                      proxy_ignore_client_abort on; }\n"
               "  location /held { proxy_pass http://one;\n"
               "                   proxy_ignore_client_abort on; }\n"
               "  location /held/streamed { proxy_pass http://one;\n"
               "                            proxy_request_buffering off;\n"
               "                            proxy_ignore_client_abort on; }\n"
               "  location /nofile { proxy_pass http://one;\n"
               "                     proxy_max_temp_file_size 0; }\n"
               "  location /afile { proxy_pass http://one; }\n"
               "  location /unbuffered { proxy_pass http://one;\n"
               "                         proxy_buffering off; }\n"
               "}\n");

    for (i = 0; i < LUN_ARRAY_LEN(answers); i++) {
        cut_everywhere(i);
    }

    closes_at_every_byte(false);
    closes_at_every_byte(true);
    another_is_asked();
    a_status_is_no_answer();
    silent_at_each_stage();
    kept_for_the_next();
    clients_that_leave();
    clients_that_left_before("/held");
    clients_that_left_before("/held/streamed");
    slow_clients(GET("/nofile"), true);
    slow_clients(GET("/afile"), false);
    slow_clients(GET("/unbuffered"), true);
    answers_that_are_none();
    what_it_is_asked();
    nobody_is_busy();

    http_end();
    return done_testing();
}
