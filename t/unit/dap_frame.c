/*
 * Messages of the debugger's protocol, in whatever pieces they come.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/look/dap_frame.c"
#include "tap.h"


static lun_dap_verdict
take(lun_dap_frame *f, const char *text)
{
    const char       *p = tap_edge(text, strlen(text));
    const char       *end = p + strlen(text);
    lun_dap_verdict   verdict = lun_dap_take(f, &p, end);

    is_int(p == end || verdict != LUN_DAP_MORE, 1, "all is taken");
    return verdict;
}


static void
is_body(lun_dap_frame *f, const char *wanted)
{
    size_t   len;
    char    *body = lun_dap_body(f, &len);

    is_int((int64_t) len, (int64_t) strlen(wanted), "as long");
    is_str(body, wanted, "is the message");
    lun_free(body);
}


static void
test_pieces(void)
{
    const char     *text = "Content-Length: 2\r\n\r\n{}", *p;
    lun_dap_frame   f = { .line_len = 0 };

    is_int(take(&f, text), LUN_DAP_WHOLE, "a message at once");
    is_body(&f, "{}");

    for (p = text; p[1] != '\0'; p++) {
        is_int(take(&f, (char[]) { *p, '\0' }), LUN_DAP_MORE, "a byte");
    }

    is_int(take(&f, p), LUN_DAP_WHOLE, "the last one");
    is_body(&f, "{}");
}


static void
test_several(void)
{
    const char     *text = "content-type: x\ncontent-length:1\n\na"
                           "Content-Length: 3\r\n\r\nbcd";
    const char     *p = tap_edge(text, strlen(text)), *end = p + strlen(text);
    lun_dap_frame   f = { .line_len = 0 };

    is_int(lun_dap_take(&f, &p, end), LUN_DAP_WHOLE, "the first of two");
    is_body(&f, "a");
    is_int(lun_dap_take(&f, &p, end), LUN_DAP_WHOLE, "the second");
    is_body(&f, "bcd");
    ok(p == end, "and no more");
}


static void
test_bad(void)
{
    size_t  i;

    static const char *const  bad[] = {
        "POST / HTTP/1.1\r\n",
        "Host: localhost\r\n",
        "\r\n",
        "Content-Length: 0\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 1048577\r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Type: x\r\n\r\n",
        "A: 123456789012345678901234567890123456789012345678901234567890123456"
        "789012345678901234567890123456789012345678901234567890123456789012345",
        "Content-Type: 1\nContent-Type: 2\nContent-Type: 3\nContent-Type: 4\n"
        "Content-Type: 5\nContent-Type: 6\nContent-Type: 7\nContent-Type: 8\n"
        "Content-Type: 9\n"
    };

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        lun_dap_frame  f = { .line_len = 0 };

        is_int(take(&f, bad[i]), LUN_DAP_BAD, "what is no such stream");
    }
}


int
main(void)
{
    test_pieces();
    test_several();
    test_bad();
    return done_testing();
}
