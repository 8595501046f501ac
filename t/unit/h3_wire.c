/*
 * h3_wire.c -- what a client of HTTP/3 may not say, and what becomes of it; and
 * HTTP/0.9, which has no frames.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h3/h3_wire.c"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"
#include "h3_client.h"


/* --- bytes that no honest client sends ----------------------------------- */

typedef struct {
    const char  *what;
    int64_t      id;
    const char  *bytes;
    size_t       len;
    bool         fin;
    uint64_t     code;             /* 0: the connection goes on */
} breach;

#define BYTES(text)  (text), sizeof(text) - 1

static const breach  breaches[] = {
    { "SETTINGS is in its place", 2, BYTES("\0\4\0"), false, 0 },
    { "no SETTINGS", 2, BYTES("\0\7\1\0"), false, LUN_H3_MISSING_SETTINGS },
    { "SETTINGS twice", 2, BYTES("\0\4\0\4\0"), false,
      LUN_H3_FRAME_UNEXPECTED },
    { "a setting of HTTP/2", 2, BYTES("\0\4\2\4\1"), false,
      LUN_H3_SETTINGS_ERROR },
    { "half a setting", 2, BYTES("\0\4\1\6"), false, LUN_H3_FRAME_ERROR },
    { "DATA in the control stream", 2, BYTES("\0\4\0\0\1x"), false,
      LUN_H3_FRAME_UNEXPECTED },
    { "PING of HTTP/2", 2, BYTES("\0\4\0\6\0"), false,
      LUN_H3_FRAME_UNEXPECTED },
    { "its end", 2, BYTES("\0\4\0"), true, LUN_H3_CLOSED_CRITICAL },
    { "an unknown frame", 2, BYTES("\0\4\0\x21\3abc"), false, 0 },
    { "a push of the client's", 2, BYTES("\1\0"), false,
      LUN_H3_STREAM_CREATION_ERROR },
    { "a stream of an unknown type", 2, BYTES("\x21" "abc"), true, 0 },
    { "CANCEL_PUSH", 2, BYTES("\0\4\0\3\1\0"), false, LUN_H3_ID_ERROR },
    { "MAX_PUSH_ID", 2, BYTES("\0\4\0\x0d\1\5"), false, 0 },
    { "MAX_PUSH_ID and more", 2, BYTES("\0\4\0\x0d\2\5\5"), false,
      LUN_H3_FRAME_ERROR },
    { "MAX_PUSH_ID without one", 2, BYTES("\0\4\0\x0d\0"), false,
      LUN_H3_FRAME_ERROR },
    { "PRIORITY_UPDATE", 2, BYTES("\0\4\0\x80\x0f\7\0\4\0u=1"), false, 0 },
    { "PRIORITY_UPDATE of no request", 2,
      BYTES("\0\4\0\x80\x0f\7\0\4\1u=1"), false, LUN_H3_ID_ERROR },
    { "the encoder's nonsense", 2, BYTES("\2\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xff\xff\xff"), false, LUN_QPACK_ENCODER_ERROR },
    { "the decoder confirms", 2, BYTES("\3\x80"), false,
      LUN_QPACK_DECODER_ERROR },
    { "the decoder cancels", 2, BYTES("\3\x44\x7f\x80\1"), false, 0 },
    { "DATA before HEADERS", 0, BYTES("\0\1x"), false,
      LUN_H3_FRAME_UNEXPECTED },
    { "SETTINGS in a request", 0, BYTES("\4\0"), false,
      LUN_H3_FRAME_UNEXPECTED },
    { "PUSH_PROMISE", 0, BYTES("\5\0"), false, LUN_H3_FRAME_UNEXPECTED },
    { "an empty header", 0, BYTES("\1\0"), true, LUN_QPACK_FAILED },
    { "a header that is cut off", 0, BYTES("\1\3\0\0\x51"), true,
      LUN_QPACK_FAILED },
    { "a frame that is cut off", 0, BYTES("\1\7\0\0\xd1"), true,
      LUN_H3_FRAME_ERROR },
    { "an end at once", 0, BYTES(""), true, 0 },
    { "an unknown field", 0, BYTES("\1\5\0\0\xff\x80\1"), true,
      LUN_QPACK_FAILED },
};


static void
breaks_rules(void)
{
    size_t         i;
    const breach  *b;

    for (i = 0; i < LUN_ARRAY_LEN(breaches); i++) {
        b = &breaches[i];
        begin_client(0, 0);
        quic_run(p);
        (void) quic_say(p, b->id, b->bytes, b->len, b->fin);
        quic_run(p);
        is_int(p->ended ? (int64_t) p->code : 0, (int64_t) b->code, "%s",
               b->what);
        end_client();
    }
}


/* "a: b" in a request that has all it needs, but for `a`. */
typedef struct {
    const char  *name;
    const char  *value;
    unsigned     status;
} field;

static const field  fields[] = {
    { "x-good", "value", 200 },
    { "connection", "close", 400 },
    { "transfer-encoding", "chunked", 400 },
    { "upgrade", "h2c", 400 },
    { "te", "trailers", 200 },
    { "te", "gzip", 400 },
    { "host", "a", 200 },
    { "host", "b", 400 },
    { "X-Upper", "value", 400 },
    { "x-control", "a\x01" "b", 400 },
};


static size_t
put_literal(char *to, const char *name, const char *value)
{
    size_t  n = strlen(name), m = strlen(value);

    LUN_CHECK(n < 30 && m < 100);
    to[0] = (char) (0x20 | (n < 7 ? n : 7));
    to[1] = (char) (n - 7);
    memcpy(to + (n < 7 ? 1 : 2), name, n);
    n += n < 7 ? 1 : 2;
    to[n] = (char) m;
    memcpy(to + n + 1, value, m);
    return n + 1 + m;
}


static void
checks_fields(void)
{
    char       said[256];
    size_t     i, n;
    exchange  *x;

    static const char  begin[] = "\1\0\0\0\xd1\xd7\xc1\x50\1a";

    for (i = 0; i < LUN_ARRAY_LEN(fields); i++) {
        begin_client(0, 0);
        x = ask("/nothing", NULL);         /* nghttp3 knows the stream */
        n = sizeof(begin) - 1;
        memcpy(said, begin, n);
        n += put_literal(said + n, fields[i].name, fields[i].value);
        said[1] = (char) (n - 2);
        quic_run(p);
        (void) quic_say(p, x->id, said, n, true);
        quic_run(p);
        is_int(x->status, fields[i].status, "%s: %s", fields[i].name,
               fields[i].value);
        ok(x->ended && !p->ended, "nothing else ends");
        end_client();
    }
}


/* --- HTTP/0.9 ------------------------------------------------------------ */

static void
over_hq(void)
{
    exchange  *x;

    quic_alpn = "hq-interop";
    begin_client(0, 0);
    x = ask("/nothing", NULL);
    (void) quic_say(p, x->id, "GET /hel", 8, false);
    (void) quic_say(p, x->id, "lo\r\n", 4, true);
    quic_run(p);
    ok(quic_find(p, x->id)->closed && p->bidi == 1, "hq: answered");
    is_str(x->body, "/hello", "with a body alone");
    end_client();

    begin_client(0, 0);
    (void) quic_say(p, 0, "nonsense", 8, true);
    quic_run(p);
    ok(quic_find(p, 0)->reset_code != 0, "hq: nonsense");
    end_client();
    quic_alpn = "h3";
}


int
main(void)
{
    begin_server("client_header_timeout 7s; postpone_output 0;\n"
                 "server { listen 127.0.0.1:1; http3_hq on; }\n");

    breaks_rules();
    checks_fields();
    over_hq();

    http_end();
    return done_testing();
}
