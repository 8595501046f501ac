/*
 * http_answer.c -- answers of servers: in one piece and byte by byte they are
 * told as the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/client/http_answer.c"

#include "base/fmt.h"

#include "tap.h"


enum { HEADER = 200, BODY = 20 };

#define OK_  "HTTP/1.1 200 OK\r\n"
#define D  LUN_HTTP_ANSWER_DONE
#define C  LUN_HTTP_ANSWER_CUT
#define B  LUN_HTTP_ANSWER_BAD
#define L  LUN_HTTP_ANSWER_TOO_LARGE
#define M  LUN_HTTP_ANSWER_MORE

static const struct {
    const char               *text;
    bool                      ended;
    lun_http_answer_verdict   verdict;
    unsigned                  status;
    const char               *body;
    bool                      persistent;
    const char               *name;
} cases[] = {
    { OK_ "Content-Length: 3\r\n\r\nabc", false, D, 200, "abc", true,
      "a length" },
    { OK_ "Content-Length: 0\r\n\r\n", false, D, 200, "", true, "of nothing" },
    { OK_ "\r\nabc", true, D, 200, "abc", false, "the end says where it is" },
    { OK_ "\r\nabc", false, M, 200, "abc", false, "and nothing before" },
    { OK_ "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
      false, D, 200, "abc", true, "chunks" },
    { OK_ "Transfer-Encoding: Chunked\r\nConnection: x, Close\r\n\r\n0\r\n"
      "a: b\r\n\r\n", false, D, 200, "", false, "none, and a trailer" },
    { "HTTP/1.0 200 OK\nContent-Length: 1\n\na", false, D, 200, "a", false,
      "an old server" },
    { "HTTP/1.0 200 OK\nContent-Length: 1\nConnection: keep-alive\n\na", false,
      D, 200, "a", true, "... that stays" },
    { "HTTP/1.1 204 No\r\n\r\n", false, D, 204, "", true, "no content" },
    { "HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n", false, D, 304, "", true,
      "a length of what is not sent" },
    { "HTTP/1.1 103 Hints\r\nLink: a\r\n\r\n" OK_ "Content-Length: 1\r\n\r\na",
      false, D, 200, "a", true, "something before it" },
    { "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", false, D, 404, "", true,
      "a status is an answer" },

    { "", true, C, 0, "", false, "nothing" },
    { "HTTP/1.1 2", true, C, 0, "", false, "less than a line" },
    { OK_ "A: b\r\n", true, C, 200, "", false, "less than a header" },
    { OK_ "Content-Length: 4\r\n\r\nabc", true, C, 200, "abc", true,
      "less than a body" },
    { OK_ "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", true, C, 200,
      "abc", true, "no last chunk" },

    { "hello\r\n", false, B, 0, "", false, "another language" },
    { "HTTP/2.0 200\r\n", false, B, 0, "", false, "another version" },
    { "HTTP/1.1 101 Up\r\n\r\n", false, B, 101, "", false,
      "what nobody has asked for" },
    { OK_ "what\r\n\r\n", false, B, 200, "", false, "no field" },
    { OK_ "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", false, B, 200,
      "", false, "two lengths" },
    { OK_ "Content-Length: -1\r\n\r\n", false, B, 200, "", false,
      "a length below nothing" },
    { OK_ "Content-Length: 99999999999999999999\r\n\r\n", false, B, 200, "",
      false, "above everything" },
    { OK_ "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", false, B,
      200, "", false, "a length beside chunks" },
    { OK_ "Transfer-Encoding: gzip, chunked\r\n\r\n", false, B, 200, "", false,
      "another coding" },
    { "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, B, 200,
      "", false, "chunks before their time" },
    { OK_ "Transfer-Encoding: chunked\r\n\r\nx\r\n", false, B, 200, "", true,
      "no chunk" },

    { OK_ "Content-Length: 21\r\n\r\n", false, L, 200, "", true,
      "too much is promised" },
    { OK_ "\r\n0123456789012345678901", false, L, 200,
      "01234567890123456789", false, "too much comes" },
    { OK_ "Transfer-Encoding: chunked\r\n\r\n15\r\n012345678901234567890\r\n",
      false, L, 200, "01234567890123456789", true, "in a chunk" },
    { OK_ "A: 01234567890123456789012345678901234567890123456789012345678901"
      "23456789012345678901234567890123456789012345678901234567890123456789012"
      "34567890123456789012345678901234567890123456789012345678901234567890",
      false, L, 200, "", false, "a field without an end" },
};


/* In pieces of `step` bytes; each ends at a page that can't be read. */
static void
read_case(size_t i, size_t step)
{
    char                      body[64], *to = body;
    size_t                    at = 0, n, size = strlen(cases[i].text);
    lun_str                   piece;
    lun_pool                 *pool = lun_pool_new_sized(1024);
    const char               *from, *pos;
    lun_http_answer           a = { .pool = pool, .header_most = HEADER,
                                    .body_most = BODY };
    lun_http_answer_verdict   v = M;

    for (n = lun_min(step, size); ; n = lun_min(n + step, size)) {
        do {
            from = pos = tap_edge(cases[i].text + at, n - at);
            piece = LUN_STR_NULL;
            v = lun_http_answer_next(&a, &pos, from + (n - at),
                                     cases[i].ended && n == size, &piece);
            at += (size_t) (pos - from);

            if (v == LUN_HTTP_ANSWER_PIECE) {
                to = lun_copy_str(to, piece);
            }
        } while (v == LUN_HTTP_ANSWER_PIECE || v == LUN_HTTP_ANSWER_HEAD);

        if (v != M || n == size) {
            break;
        }
    }

    is_int(v, cases[i].verdict, "%s, %d at a time", cases[i].name, (int) step);
    is_int(a.status, cases[i].status, "its status");

    /* In one piece, too large a one is not told at all. */
    ok(v == L || lun_str_eq(lun_str_of(body, (size_t) (to - body)),
                            lun_str_z(cases[i].body)), "its body");
    is_int(a.persistent, cases[i].persistent, "whether another may follow");
    lun_pool_free(pool);
}


static void
finds_fields(void)
{
    lun_str           piece;
    lun_pool         *pool = lun_pool_new_sized(1024);
    const char       *text = OK_ "A: b\r\na: c\r\n\r\nx", *pos = text;
    lun_http_answer   a = { .pool = pool, .header_most = HEADER,
                            .body_most = BODY };

    is_int(lun_http_answer_next(&a, &pos, text + strlen(text), false, &piece),
           LUN_HTTP_ANSWER_HEAD, "a header");
    is_int(a.fields.count, 2, "of two fields");
    ok(lun_str_eq(lun_http_answer_field(&a, LUN_STR("a")), LUN_STR("b")),
       "the first of a name");
    ok(lun_http_answer_field(&a, LUN_STR("b")).data == NULL, "or none");
    ok(lun_str_eq(a.line, LUN_STR("200 OK")), "and its status");
    lun_pool_free(pool);
}


static void
answers_a_head(void)
{
    lun_str           piece;
    lun_pool         *pool = lun_pool_new_sized(1024);
    const char       *text = OK_ "Content-Length: 900\r\n\r\n", *pos = text,
                     *end = text + strlen(text);
    lun_http_answer   a = { .pool = pool, .header_most = HEADER,
                            .body_most = BODY, .bodiless = true };

    is_int(lun_http_answer_next(&a, &pos, end, false, &piece),
           LUN_HTTP_ANSWER_HEAD, "to a HEAD");
    is_int(lun_http_answer_next(&a, &pos, end, false, &piece), D,
           "there is no body, whatever its length");
    is_int(a.length, 900, "which is told");
    lun_pool_free(pool);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        read_case(i, 1);
        read_case(i, 7);
        read_case(i, 1000);
    }

    finds_fields();
    answers_a_head();
    return done_testing();
}
