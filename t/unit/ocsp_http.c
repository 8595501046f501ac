/*
 * ocsp_http.c -- urls of responders, questions and answers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/ocsp_http.c"

#include "tap.h"


static const struct {
    const char  *text, *why, *host, *authority, *uri;
    uint16_t     port;
} urls[] = {
    { "http://a.b/c", NULL, "a.b", "a.b", "/c", 80 },
    { "HTTP://a.b", NULL, "a.b", "a.b", "", 80 },
    { "http://a.b:8080/c/", NULL, "a.b", "a.b:8080", "/c/", 8080 },
    { "http://[::1]/c", NULL, "[::1]", "[::1]", "/c", 80 },
    { "http://[::1]:81/c", NULL, "[::1]", "[::1]:81", "/c", 81 },
    { "https://a.b/c", "invalid URL prefix", "", "", "", 0 },
    { "ocsp", "invalid URL prefix", "", "", "", 0 },
    { "http://", "no host", "", "", "", 0 },
    { "http://:80/", "no host", "", "", "", 0 },
    { "http://a:0/", "invalid port", "", "", "", 0 },
    { "http://a:65536/", "invalid port", "", "", "", 0 },
    { "http://a:/", "invalid port", "", "", "", 0 },
    { "http://a:b/", "invalid port", "", "", "", 0 },
    { "http://[::1/c", "invalid host", "", "", "", 0 },
    { "http://a/b c", "invalid URL", "", "", "", 0 },
    { "http://a/b\r\nX: y", "invalid URL", "", "", "", 0 },
    { "http://a/\xc3\xbc", "invalid URL", "", "", "", 0 },
};


static void
reads_urls(void)
{
    size_t        i;
    const char   *why;
    lun_url       url;

    for (i = 0; i < LUN_ARRAY_LEN(urls); i++) {
        why = lun_ocsp_url_parse(lun_str_of(tap_edge(urls[i].text,
                                                     strlen(urls[i].text)),
                                            strlen(urls[i].text)), &url);

        if (urls[i].why != NULL || why != NULL) {
            is_str(why != NULL ? why : "", urls[i].why != NULL
                   ? urls[i].why : "", "url %d", (int) i);
            continue;
        }

        ok(lun_str_eq(url.host, lun_str_z(urls[i].host))
           && lun_str_eq(url.authority, lun_str_z(urls[i].authority))
           && lun_str_eq(url.uri, lun_str_z(urls[i].uri))
           && url.port == urls[i].port, "%s", urls[i].text);
    }
}


static void
asks(void)
{
    lun_str       text;
    lun_url       url;

    static const char  want[] =
        "GET /c/%2B%2F8%3D HTTP/1.0\r\nHost: a:81\r\n"
        "Connection: close\r\n\r\n";

    (void) lun_ocsp_url_parse(LUN_STR("http://a:81/c"), &url);
    text = lun_ocsp_http_request(&url, LUN_STR("\xfb\xff"));
    is_mem(text.data, text.len, want, sizeof(want) - 1,
           "a question is a part of the path");
    lun_free((char *) (uintptr_t) text.data);

    (void) lun_ocsp_url_parse(LUN_STR("http://a:81/c/"), &url);
    text = lun_ocsp_http_request(&url, LUN_STR("\xfb\xff"));
    is_mem(text.data, text.len, want, sizeof(want) - 1,
           "behind one slash");
    lun_free((char *) (uintptr_t) text.data);
}


#define OK_ "HTTP/1.1 200 OK\r\n"
#define EARLY_END "OCSP responder prematurely closed connection"
#define INVALID "OCSP responder sent invalid response"

static const struct {
    const char             *text;
    bool                    ended;
    lun_ocsp_http_verdict   verdict;
    const char             *body, *why;
} answers[] = {
    { "", false, LUN_OCSP_HTTP_MORE, "", "" },
    { "HTTP/1.1 200", false, LUN_OCSP_HTTP_MORE, "", "" },
    { OK_ "\r\nabc", false, LUN_OCSP_HTTP_MORE, "", "" },
    { OK_ "\r\nabc", true, LUN_OCSP_HTTP_DONE, "abc", "" },
    { "HTTP/1.0 200\n\nabc", true, LUN_OCSP_HTTP_DONE, "abc", "" },
    { OK_ "Content-Length: 2\r\n\r\nabc", false, LUN_OCSP_HTTP_DONE, "ab",
      "" },
    { OK_ "Content-Length: 4\r\n\r\nabc", false, LUN_OCSP_HTTP_MORE, "", "" },
    { OK_ "content-type: Application/OCSP-response \r\n\r\nabc", true,
      LUN_OCSP_HTTP_DONE, "abc", "" },
    { "", true, LUN_OCSP_HTTP_BAD, "", EARLY_END },
    { OK_ "A: b\r\n", true, LUN_OCSP_HTTP_BAD, "", EARLY_END },
    { OK_ "Content-Length: 4\r\n\r\nabc", true, LUN_OCSP_HTTP_BAD, "",
      EARLY_END },
    { OK_ "Content-Type: text/html\r\n", false, LUN_OCSP_HTTP_BAD, "",
      "OCSP responder sent invalid \"Content-Type\" header" },
    { OK_ "Content-Length: -1\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { OK_ "Content-Length: 99999999999999999999\r\n", false,
      LUN_OCSP_HTTP_BAD, "", INVALID },
    { OK_ "Content-Length: 1\r\nContent-Length: 2\r\n", false,
      LUN_OCSP_HTTP_BAD, "", INVALID },
    { OK_ "Transfer-Encoding: chunked\r\n", false, LUN_OCSP_HTTP_BAD, "",
      INVALID },
    { OK_ "what\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { OK_ ": b\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { "HTTP/1.1 404 Not Found\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { "HTTP/1.1 2000\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { "HTTP/1.1 20\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { "HTTP/2.0 200\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
    { "\r\n\r\n", false, LUN_OCSP_HTTP_BAD, "", INVALID },
};


static void
reads_answers(void)
{
    size_t                 i, n;
    lun_ocsp_http          a;
    lun_ocsp_http_verdict  v;

    for (i = 0; i < LUN_ARRAY_LEN(answers); i++) {
        n = strlen(answers[i].text);
        v = lun_ocsp_http_parse(lun_str_of(tap_edge(answers[i].text, n), n),
                                answers[i].ended, &a);
        is_int(v, answers[i].verdict, "answer %d", (int) i);
        ok(lun_str_eq(a.body, lun_str_z(answers[i].body)), "its body");
        is_str(a.why, answers[i].why, "and what is wrong");
    }
}


int
main(void)
{
    reads_urls();
    asks();
    reads_answers();
    return done_testing();
}
