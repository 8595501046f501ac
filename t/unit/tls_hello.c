/*
 * tls_hello.c -- hellos that end at an unreadable page: whole, cut, in
 * pieces, broken.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/tls_hello.c"

#include "tap.h"

enum { ROOM = 4096 };

/* Extensions: type, length, and what they say. */
#define NAME      "\0\0" "\0\x08" "\0\x06" "\0" "\0\x03" "foo"
#define ALPN      "\0\x10" "\0\x0e" "\0\x0c" "\2h2" "\x08http/1.1"
#define VERSIONS  "\0\x2b" "\0\x07" "\6" "\x0a\x0a" "\3\4" "\3\3"
#define DRAFT_28  "\0\x2b" "\0\3" "\2" "\x7f\x1c"
#define UNKNOWN   "\x12\x34" "\0\2" "xy"
#define BYTES(s)  lun_str_of((s), sizeof(s) - 1)


/* A handshake message with these extensions; data NULL: without any. */
static lun_str
message(char *room, uint16_t version, lun_str extensions)
{
    char    *p = room + 4;
    size_t   len;

    *p++ = (char) (version >> 8);
    *p++ = (char) version;
    memset(p, 'r', 32);
    p += 32;
    memcpy(p, "\3sid" "\0\4\x13\1\0\x2f" "\1\0", 12);
    p += 12;

    if (extensions.data != NULL) {
        *p++ = (char) (extensions.len >> 8);
        *p++ = (char) extensions.len;
        memcpy(p, extensions.data, extensions.len);
        p += extensions.len;
    }

    len = (size_t) (p - room) - 4;
    memcpy(room, "\1\0", 2);
    room[2] = (char) (len >> 8);
    room[3] = (char) len;

    return lun_str_of(room, len + 4);
}


/* The same in records of at most n bytes each. */
static lun_str
records(char *room, lun_str text, size_t n)
{
    char    *p = room;
    size_t   len;

    for ( ; text.len != 0; text.data += len, text.len -= len) {
        len = lun_min(n, text.len);
        memcpy(p, "\x16\3\1", 3);
        p[3] = (char) (len >> 8);
        p[4] = (char) len;
        memcpy(p + 5, text.data, len);
        p += 5 + len;
    }

    return lun_str_of(room, (size_t) (p - room));
}


static lun_tls_hello_verdict
parse(lun_str text, lun_tls_hello *hello)
{
    static char  room[ROOM];

    return lun_tls_hello_parse(tap_edge(text.data, text.len), text.len, room,
                               hello);
}


static lun_tls_hello_verdict
parse_one(uint16_t version, lun_str extensions, lun_tls_hello *hello)
{
    char  a[ROOM], b[ROOM];

    return parse(records(b, message(a, version, extensions), ROOM), hello);
}


static void
reads_what_is_asked(void)
{
    lun_tls_hello  h;

    ok(parse_one(0x0303, BYTES(UNKNOWN NAME ALPN VERSIONS), &h)
       == LUN_TLS_HELLO_DONE && h.version == 0x0304
       && lun_str_eq(h.server_name, LUN_STR("foo"))
       && lun_str_eq(h.alpn, BYTES("\2h2\x08http/1.1")),
       "name, protocols, the highest version but GREASE");

    ok(parse_one(0x0303, BYTES(DRAFT_28), &h) == LUN_TLS_HELLO_DONE
       && h.version == 0x0304 && h.server_name.len == 0 && h.alpn.len == 0,
       "a draft of TLS 1.3");

    ok(parse_one(0x0301, LUN_STR_NULL, &h) == LUN_TLS_HELLO_DONE
       && h.version == 0x0301, "no extensions at all");
}


static void
waits_for_the_rest(void)
{
    char           a[ROOM], b[ROOM];
    lun_str        whole;
    size_t         n, size;
    lun_tls_hello  h;

    for (size = 1; size < 140; size++) {
        whole = records(b, message(a, 0x0303, BYTES(NAME ALPN VERSIONS)),
                        size);

        for (n = 0; n < whole.len; n++) {
            if (parse(lun_str_of(whole.data, n), &h) != LUN_TLS_HELLO_MORE) {
                break;
            }
        }

        if (n < whole.len || parse(whole, &h) != LUN_TLS_HELLO_DONE
            || !lun_str_eq(h.server_name, LUN_STR("foo"))
            || h.version != 0x0304 || h.alpn.len != 12)
        {
            break;
        }
    }

    ok(size == 140, "cut at every byte, in records of every size (%zu)", size);
}


static void
refuses_damage(void)
{
    char                   a[ROOM], b[ROOM];
    size_t                 i, n;
    lun_str                text;
    lun_tls_hello          h;
    lun_tls_hello_verdict  rc;

    static const lun_str  bad[] = {
        LUN_STR_INIT("GET / HTTP/1.1\r\n"),
        LUN_STR_INIT("\x15\3\1\0\2\1\0"),          /* an alert */
        LUN_STR_INIT("\x16\2"),                    /* no such version */
        LUN_STR_INIT("\x16\3\1\0\4\2"),            /* a server's hello */
        LUN_STR_INIT("\x80\x1c\2\0\2"),            /* SSL 2: no hello */
        LUN_STR_INIT("\x80\x1c\1\2\0")             /* SSL 2: no version */
    };

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        ok(parse(bad[i], &h) == LUN_TLS_HELLO_NONE, "no hello: %zu", i);
    }

    ok(parse_one(0x0303, BYTES("\0\0\0\x09" "\0\x06\0\0\3foo"), &h)
       == LUN_TLS_HELLO_NONE && lun_str_eq(h.server_name, LUN_STR("foo")),
       "an extension longer than all of them; what it says is known");
    ok(parse_one(0x0303, BYTES("\0\0\0\x08" "\0\x06\0\0\4foo"), &h)
       == LUN_TLS_HELLO_NONE, "a name longer than its list");
    ok(parse_one(0x0303, BYTES("\0\x10\0\4" "\0\2\0\0"), &h)
       == LUN_TLS_HELLO_NONE, "a protocol without a name");
    ok(parse_one(0x0303, BYTES(NAME "\0\x2b" "\0\2" "\1\3"), &h)
       == LUN_TLS_HELLO_NONE && lun_str_eq(h.server_name, LUN_STR("foo")),
       "half a version; what stood before is known");

    /* Any byte of it may be wrong: nothing outside is read. */
    for (i = 0, n = 0; i < 2 * 100; i++) {
        text = records(b, message(a, 0x0303, BYTES(NAME ALPN VERSIONS)), 40);
        b[i / 2 % text.len] ^= i % 2 == 0 ? 0x7f : 0x01;
        rc = parse(text, &h);
        n += rc <= LUN_TLS_HELLO_NONE && h.server_name.len <= text.len;
    }

    ok(n == 200, "any byte of it turned");
}


static void
reads_ssl2(void)
{
    lun_tls_hello  h;

    ok(parse(LUN_STR("\x80\x1c\1\0\2"), &h) == LUN_TLS_HELLO_DONE
       && h.version == 0x0002, "SSL 2");
    ok(parse(LUN_STR("\x80\x1c\1\3\1\0\3"), &h) == LUN_TLS_HELLO_DONE
       && h.version == 0x0301, "a hello of SSL 2 for TLS 1.0");
    ok(parse(LUN_STR("\x80\x1c\1\3"), &h) == LUN_TLS_HELLO_MORE,
       "a hello of SSL 2, cut");
}


int
main(void)
{
    reads_what_is_asked();
    waits_for_the_rest();
    refuses_damage();
    reads_ssl2();
    return done_testing();
}
