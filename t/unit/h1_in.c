/*
 * h1_in.c -- the header of an HTTP/1 request as it comes on a connection: what
 * is one, and which is too long, whatever the pieces are that it comes in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h1/h1_in.c"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"

enum { SIZES = 420 };

static unsigned  last_status;


/* The value of X, or the path. */
static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    lun_header_each(&r->in.list, h) {
        if (lun_str_eq(h->name, LUN_STR("X"))) {
            return lun_http_respond(r, 200, LUN_STR("text/plain"), h->value);
        }
    }

    return lun_http_respond(r, 200, LUN_STR("text/plain"), r->uri);
}


static lun_verdict
on_log(lun_session *s)
{
    last_status = lun_request_of(s)->out.status;
    return LUN_NEXT;
}


static lun_http_module  probe = {
    .name = "probe",
    .always = true,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};


#define GET(uri)  "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"


static const struct {
    const char  *request;
    const char  *answer;           /* its beginning */
    bool         kept;
} versions[] = {
    { "GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 ", true },
    { "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "HTTP/1.1 200 ", false },
    { "GET /x HTTP/1.0\r\n\r\n", "HTTP/1.1 200 ", false },
    { "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "HTTP/1.1 200 ",
      true },
    { "GET /x\r\n", "/x", false },
    { "GET /x HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 ",
      false },
    { "GET /x HTTP/1.1\r\nHost: a b\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET http://a/x HTTP/1.1\r\nHost: b\r\n\r\n", "HTTP/1.1 200 ", true },
    { "GET http://a/x HTTP/1.1\r\nHost: b c\r\n\r\n", "HTTP/1.1 400 ",
      false },
    { "get /x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET /x HTTP/2.0\r\nHost: a\r\n\r\n", "HTTP/1.1 505 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nA\x01: b\r\n\r\n", "HTTP/1.1 400 ",
      false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
      "Content-Length: 1\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
      "Transfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 400 ", false },
    { "GET /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 400 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 501 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n",
      "HTTP/1.1 400 ", false },
    { "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 400 ", false },
    { "GET /a/../../x HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 ", false }
};


static void
what_is_a_request(void)
{
    size_t       i, piece;
    wire        *w;
    const char  *heard;

    for (i = 0; i < LUN_ARRAY_LEN(versions); i++) {
        for (piece = 1; piece < 100000; piece *= 10000) {
            w = http_client(0);
            w->piece = piece;
                wire_say(w, versions[i].request);
            heard = wire_heard(w);
            tap_bytes("request", versions[i].request,
                      strlen(versions[i].request));
            ok(strncmp(heard, versions[i].answer, strlen(versions[i].answer))
               == 0, "is answered with %s", versions[i].answer);

            /* Nothing behind a bad one is taken for a request. */
            wire_say(w, GET("/9"));
            is_int(strstr(wire_heard(w), "/9") != NULL, versions[i].kept,
                   "the connection is kept or not");
            wire_end(w);
            wire_wait(10000);
            ok(wire_gone(w), "it ends");
        }
    }
}


/* Each size of a line, over all buffers' ends. */
static void
long_headers(void)
{
    char         text[2048], value[SIZES + 1];
    size_t       n, at;
    unsigned     good = 0;
    wire        *w;
    const char  *heard;

    for (n = 1; n < SIZES; n++) {
        for (at = 0; at < n; at++) {
            value[at] = (char) ('a' + at % 26);
        }

        value[n] = '\0';
        snprintf(text, sizeof(text), "GET /x HTTP/1.1\r\nHost: a\r\n"
                 "A: b\r\nX: %s\r\nC: d\r\n\r\n", value);
        w = http_client(1);
        w->piece = n % 7 + 1;
        http_log[0] = '\0';
        wire_say(w, text);
        heard = wire_heard(w);

        if (strcmp(http_body(heard), value) == 0) {
            good++;
            ok(good == n, "a header of %u bytes", (unsigned) n);

        } else {
            ok(http_says(heard, "HTTP/1.1 400 ")
               && http_logged("client sent too long header line: \"X: abcdef"),
               "one of %u bytes is too long", (unsigned) n);
        }

        wire_end(w);
        wire_wait(10000);
    }

    is_int(good, 256 - 2 - (int) strlen("X: "),
           "a line fits a large buffer or does not");
}


static void
long_lines(void)
{
    char         text[1024], path[SIZES + 1];
    size_t       n;
    unsigned     good = 0;
    wire        *w;

    for (n = 1; n < SIZES; n++) {
        memset(path, 'x', n);
        path[0] = '/';
        path[n] = '\0';
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n",
                 path);
        w = http_client(1);
        w->piece = n % 5 + 1;
        http_log[0] = '\0';
        wire_say(w, text);

        if (strcmp(http_body(wire_heard(w)), path) == 0) {
            good++;

        } else {
            ok(http_logged("client sent too long URI"), "a path of %u bytes",
               (unsigned) n);
            is_int(last_status, 414, "its status");
        }

        wire_end(w);
        wire_wait(10000);
    }

    is_int(good, 256 - (int) strlen("GET  HTTP/1.1\r\n"),
           "a line fits a large buffer or does not");
}


/* Two large buffers of 256 bytes behind a small one. */
static void
many_headers(void)
{
    char    text[2048];
    int     n, i, at;
    bool    good = true, was = true;
    wire   *w;

    for (n = 0; n < 60; n++) {
        at = snprintf(text, sizeof(text), "GET /x HTTP/1.1\r\nHost: a\r\n");

        for (i = 0; i < n; i++) {
            at += snprintf(text + at, sizeof(text) - (size_t) at,
                           "N%02d: abcdefg\r\n", i);
        }

        snprintf(text + at, sizeof(text) - (size_t) at, "\r\n");
        w = http_client(1);
        http_log[0] = '\0';
        wire_say(w, text);
        good = strncmp(wire_heard(w), "HTTP/1.1 200 ", 13) == 0;

        if (good && !was) {
            ok(0, "%d headers fit, and one less did not", n);
        }

        if (!good && was) {
            ok(at > 512 && at < 64 + 512 + 16,
               "%d bytes of headers are too many", at);
        }

        was = good;
        wire_end(w);
        wire_wait(10000);
    }

    ok(!good, "there is a limit");
}


int
main(void)
{
    http_begin("/none/",
               "client_header_timeout 7s; lingering_timeout 3s;\n"
               "server { listen 127.0.0.1:1; }\n"
               "server { listen 127.0.0.1:2;\n"
               "  client_header_buffer_size 64;\n"
               "  large_client_header_buffers 2 256;\n"
               "}\n");

    what_is_a_request();
    long_headers();
    long_lines();
    many_headers();

    http_end();
    return done_testing();
}
