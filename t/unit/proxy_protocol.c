/*
 * proxy_protocol.c -- headers that end at an unreadable page.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/proxy_protocol.c"

#include "tap.h"

#define SIGN   "\r\n\r\n\0\r\nQUIT\n"
#define INET   "\xc0\0\2\1" "\xc0\0\2\2" "\x04\xd2" "\0\x50"
#define BYTES(s)  { sizeof(s) - 1, (s) }


static lun_proxied_verdict
parse(lun_str text, lun_proxied *p, size_t *used)
{
    return lun_proxy_protocol_parse(tap_edge(text.data, text.len), text.len, p,
                                    used);
}


static void
reads_headers(void)
{
    static const struct {
        lun_str      text;
        const char  *src, *dst;    /* NULL: it names nobody */
    } cases[] = {
        { BYTES("PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\n"),
          "192.0.2.1:1234", "192.0.2.2:80" },
        { BYTES("PROXY TCP6 2001:db8::1 ::2 1234 80\r\n"),
          "[2001:db8::1]:1234", "[::2]:80" },
        { BYTES("PROXY TCP6 2001:db8::1 192.0.2.2 1234 80\r\n"),
          "[2001:db8::1]:1234", "192.0.2.2:80" },
        { BYTES("PROXY UNKNOWN\r\n"), NULL, NULL },
        { BYTES("PROXY UNKNOWN whatever 1\r\n"), NULL, NULL },
        { BYTES(SIGN "\x21\x11\0\x0c" INET), "192.0.2.1:1234",
          "192.0.2.2:80" },
        { BYTES(SIGN "\x21\x11\0\x10" INET "\1\0\1x"), "192.0.2.1:1234",
          "192.0.2.2:80" },
        { BYTES(SIGN "\x21\x21\0\x24" "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2" "\x04\xd2" "\0\x50"),
          "[2001:db8::1]:1234", "[::2]:80" },
        { BYTES(SIGN "\x20\x00\0\0"), NULL, NULL },
        { BYTES(SIGN "\x20\x11\0\x0c" INET), NULL, NULL },
        { BYTES(SIGN "\x21\x12\0\x0c" INET), NULL, NULL },
        { BYTES(SIGN "\x21\x31\0\1x"), NULL, NULL },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        char         src[LUN_ADDR_TEXT], dst[LUN_ADDR_TEXT];
        size_t       used = 0, n;
        lun_str      text = cases[i].text;
        lun_proxied  p;

        for (n = 0; n < text.len; n++) {
            if (parse(lun_str_of(text.data, n), &p, &used)
                != LUN_PROXIED_MORE)
            {
                break;
            }
        }

        is_int((long long) n, (long long) text.len, "case %zu: any part of it "
               "is not enough", i);
        ok(parse(text, &p, &used) == LUN_PROXIED_DONE && used == text.len
           && p.known == (cases[i].src != NULL), "all of it is");

        if (p.known) {
            ok(lun_str_eq(lun_addr_format(&p.src, true, src, sizeof(src)),
                          lun_str_z(cases[i].src))
               && lun_str_eq(lun_addr_format(&p.dst, true, dst, sizeof(dst)),
                             lun_str_z(cases[i].dst)), "%s, %s",
               cases[i].src, cases[i].dst);
        }
    }
}


static void
refuses(void)
{
    static char           endless[200];
    static const lun_str  cases[] = {
        BYTES("GET / HTTP/1.1\r\n"), BYTES("P\r"), BYTES("\r\n\r\nx"),
        BYTES("PROXY TCP5 192.0.2.1 192.0.2.2 1234 80\r\n"),
        BYTES("PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\n"),
        BYTES("PROXY TCP4 192.0.2.1 192.0.2.2 1234\r\n"),
        BYTES("PROXY TCP4 192.0.2.1 192.0.2.2 1234 65536\r\n"),
        BYTES("PROXY TCP4 192.0.2.1 192.0.2.2 1234 80 1\r\n"),
        BYTES("PROXY TCP4 192.0.2.1:1 192.0.2.2 1234 80\r\n"),
        BYTES("PROXY TCP4 ::1 ::2 1234 80\r\n"),
        BYTES("PROXY TCP4  192.0.2.2 1234 80\r\n"),
        BYTES("PROXY TCP4\r\n"), BYTES("PROXY \r\n"), BYTES("PROXY \n"),
        BYTES(SIGN "\x31\x11\0\x0c" INET),
        BYTES(SIGN "\x21\x11\0\x0b" INET),
        BYTES(SIGN "\x21\x21\0\x0c" INET),
    };

    size_t       i, used;
    lun_proxied  p;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        is_int(parse(cases[i], &p, &used), LUN_PROXIED_BAD, "case %zu", i);
    }

    is_int(parse(LUN_STR("PROXY TCPX"), &p, &used), LUN_PROXIED_BAD,
           "a word that cannot become one of those that may be there");
    is_int(parse(LUN_STR("PROXY UNKNOW"), &p, &used), LUN_PROXIED_MORE,
           "one that can");

    memset(endless, ' ', sizeof(endless));
    memcpy(endless, "PROXY UNKNOWN", 13);
    is_int(parse(lun_str_of(endless, 106), &p, &used), LUN_PROXIED_MORE,
           "a line may be long");
    is_int(parse(lun_str_of(endless, 107), &p, &used), LUN_PROXIED_BAD,
           "but not without end");
}


static void
finds_tlvs(void)
{
    static const lun_str  tlvs = BYTES(
        "\x01\0\2h2" "\xea\0\3abc"
        "\x20\0\x0f" "\1\0\0\1\0" "\x21\0\7TLSv1.3" "\x04\0\0");
    static const struct {
        const char       *name, *value;
        lun_tlv_verdict   verdict;
    } cases[] = {
        { "alpn", "h2", LUN_TLV_FOUND },
        { "0x1", "h2", LUN_TLV_FOUND },
        { "0xEA", "abc", LUN_TLV_FOUND },
        { "0x04", "", LUN_TLV_FOUND },
        { "ssl_version", "TLSv1.3", LUN_TLV_FOUND },
        { "ssl_0x21", "TLSv1.3", LUN_TLV_FOUND },
        { "ssl_verify", "256", LUN_TLV_FOUND },
        { "authority", NULL, LUN_TLV_NONE },
        { "ssl_cn", NULL, LUN_TLV_NONE },
        { "nothing", NULL, LUN_TLV_UNKNOWN },
        { "0x100", NULL, LUN_TLV_UNKNOWN },
        { "0x", NULL, LUN_TLV_UNKNOWN },
    };

    char     room[LUN_TLV_ROOM];
    lun_str  value, edge = lun_str_of(tap_edge(tlvs.data, tlvs.len), tlvs.len);

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        lun_tlv_verdict  v;

        v = lun_proxy_protocol_tlv(edge, lun_str_z(cases[i].name), room,
                                   &value);
        ok(v == cases[i].verdict
           && (v != LUN_TLV_FOUND
               || lun_str_eq(value, lun_str_z(cases[i].value))),
           "%s", cases[i].name);
    }

    edge.len--;
    is_int(lun_proxy_protocol_tlv(edge, LUN_STR("0x04"), room, &value),
           LUN_TLV_BROKEN, "one that is cut off");
    is_int(lun_proxy_protocol_tlv(lun_str_of("\x20\0\1x", 4),
                                  LUN_STR("ssl_cn"), room, &value),
           LUN_TLV_BROKEN, "one of TLS that is too short");
}


/* What is written is read as the same. */
static void
writes_headers(void)
{
    static const struct {
        const char  *src, *dst;
        lun_str      line;
    } cases[] = {
        { "192.0.2.1:1234", "192.0.2.2:80",
          BYTES("PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\n") },
        { "[2001:db8::1]:1234", "[::2]:80",
          BYTES("PROXY TCP6 2001:db8::1 ::2 1234 80\r\n") },
        { "192.0.2.1:1234", "[::2]:80",
          BYTES("PROXY TCP4 192.0.2.1 ::2 1234 80\r\n") },
        { "[2001:db8::1]:1234", "192.0.2.2:80",
          BYTES("PROXY TCP6 2001:db8::1 192.0.2.2 1234 80\r\n") },
    };

    char  room[LUN_PROXY_PROTOCOL_ROOM];

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        size_t       n, used;
        lun_addr     src, dst;
        lun_proxied  p;

        (void) lun_addr_parse(lun_str_z(cases[i].src), &src);
        (void) lun_addr_parse(lun_str_z(cases[i].dst), &dst);

        n = lun_proxy_protocol_write(room, 1, &src, &dst);
        ok(lun_str_eq(lun_str_of(room, n), cases[i].line), "version 1: %.*s",
           (int) cases[i].line.len - 2, cases[i].line.data);

        n = lun_proxy_protocol_write(room, 2, &src, &dst);
        is_int(parse(lun_str_of(room, n), &p, &used), LUN_PROXIED_DONE,
               "version 2 is read");
        is_int((int) used, (int) n, "to its end");
        ok(src.family != dst.family
           ? !p.known
           : lun_addr_eq(&p.src, &src) && lun_addr_eq(&p.dst, &dst),
           "and says the same");
    }
}


int
main(void)
{
    writes_headers();
    reads_headers();
    refuses();
    finds_tlvs();

    return done_testing();
}
