/*
 * http_question.c -- the text of a request, and what may not be in one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/client/http_question.c"

#include "tap.h"


static const lun_http_field  some[] = { { LUN_STR_INIT("A-b"),
                                          LUN_STR_INIT("c d") } };

static const struct {
    lun_http_question  q;
    const char        *url;
    const char        *text;
} asked[] = {
    { { .persistent = true }, "http://a:81/b?c",
      "GET /b?c HTTP/1.1\r\nHost: a:81\r\n\r\n" },
    { { .user_agent = "x" }, "http://a",
      "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: x\r\n"
      "Connection: close\r\n\r\n" },
    { { .body = LUN_STR_INIT("hello"), .fields = some, .field_count = 1,
        .persistent = true }, "http://a?b",
      "POST /?b HTTP/1.1\r\nHost: a\r\nA-b: c d\r\n"
      "Content-Length: 5\r\n\r\nhello" },
    { { .method = LUN_STR_INIT("PUT"), .has_body = true, .persistent = true },
      "http://[::1]/",
      "PUT / HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 0\r\n\r\n" },
};

static const struct {
    lun_http_field  field;
    const char     *fault;
} fields[] = {
    { { LUN_STR_INIT("A!"), LUN_STR_INIT("b\tc") }, NULL },
    { { LUN_STR_INIT(""), LUN_STR_INIT("b") }, "invalid header name" },
    { { LUN_STR_INIT("A b"), LUN_STR_INIT("b") }, "invalid header name" },
    { { LUN_STR_INIT("A\r\n"), LUN_STR_INIT("b") }, "invalid header name" },
    { { LUN_STR_INIT("A:"), LUN_STR_INIT("b") }, "invalid header name" },
    { { LUN_STR_INIT("host"), LUN_STR_INIT("b") }, "invalid header name" },
    { { LUN_STR_INIT("Transfer-encoding"), LUN_STR_INIT("b") },
      "invalid header name" },
    { { LUN_STR_INIT("A"), LUN_STR_INIT("b\r\nc: d") },
      "invalid header value" },
    { { LUN_STR_INIT("A"), LUN_STR_INIT("b\0") }, "invalid header value" },
};

static const char *const  methods[] = { "G T", "GET\n", "CONNECT", "a\x80" };


static void
is_fault(const char *got, const char *want, const char *name)
{
    is_str(got != NULL ? got : "", want != NULL ? want : "", "%s", name);
}


int
main(void)
{
    size_t             i;
    lun_str            text;
    lun_pool          *pool = lun_pool_new_sized(4096);
    lun_http_question  q;

    for (i = 0; i < LUN_ARRAY_LEN(asked); i++) {
        q = asked[i].q;
        is_fault(lun_url_parse(lun_str_z(asked[i].url), &q.url), NULL,
                 asked[i].url);
        is_fault(lun_http_question_fault(&q), NULL, "nothing is wrong");
        text = lun_http_question_text(pool, &q);
        is_mem(text.data, text.len, asked[i].text, strlen(asked[i].text),
               "its text");
    }

    for (i = 0; i < LUN_ARRAY_LEN(fields); i++) {
        q = (lun_http_question) { .fields = &fields[i].field,
                                  .field_count = 1 };
        is_fault(lun_http_question_fault(&q), fields[i].fault, "a field");
    }

    for (i = 0; i < LUN_ARRAY_LEN(methods); i++) {
        q = (lun_http_question) { .method = lun_str_z(methods[i]) };
        is_fault(lun_http_question_fault(&q), "invalid method", "a method");
    }

    lun_pool_free(pool);
    return done_testing();
}
