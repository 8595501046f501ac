/*
 * proxy_protocol.c -- reading the PROXY protocol's header, and writing it.
 *
 * Version 1 is a line of text, version 2 a signature and a length with binary
 * addresses behind it and, behind those, TLVs: type, length, value.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/proxy_protocol.h"

#include "base/check.h"
#include "base/fmt.h"


enum {
    LONGEST_LINE = 107,            /* of version 1, says its description */
    HEAD         = 16,             /* of version 2, before the addresses */
    SSL_HEAD     = 5,              /* client's flags, and verify */
    TLV_SSL      = 0x20
};

static const char  signature[] = "\r\n\r\n\0\r\nQUIT\n";

enum { SIGNATURE = sizeof(signature) - 1 };


static unsigned
byte_at(const char *p)
{
    return (unsigned char) *p;
}


static uint16_t
number_at(const char *p)
{
    return (uint16_t) (byte_at(p) << 8 | byte_at(p + 1));
}


/* --- version 1 ----------------------------------------------------------- */

/* The next word of a line, whose words one space parts. */
static lun_str
take_word(lun_str *line)
{
    lun_str      word = *line;
    const char  *space = lun_str_chr(*line, ' ');

    if (space != NULL) {
        word.len = (size_t) (space - word.data);
        line->len -= word.len + 1;
        line->data = space + 1;

    } else {
        line->len = 0;
    }

    return word;
}


static bool
read_address(lun_str text, lun_addr *addr)
{
    return lun_addr_parse(text, addr) == LUN_OK && addr->port == 0
           && (addr->family == LUN_AF_INET || addr->family == LUN_AF_INET6);
}


static bool
read_port(lun_str text, lun_addr *addr)
{
    uint64_t  port;

    if (lun_str_to_u64(text, &port) != LUN_OK || port > 65535) {
        return false;
    }

    addr->port = (uint16_t) port;
    return true;
}


/* "TCP4 192.0.2.1 192.0.2.2 1234 80", "UNKNOWN anything" */
static bool
read_line(lun_str line, lun_proxied *p)
{
    lun_str     kind = take_word(&line), src, dst;
    lun_family  family = LUN_AF_INET;

    if (lun_str_starts(kind, LUN_STR("UNKNOWN"))) {
        return true;
    }

    if (lun_str_eq(kind, LUN_STR("TCP6"))) {
        family = LUN_AF_INET6;

    } else if (!lun_str_eq(kind, LUN_STR("TCP4"))) {
        return false;
    }

    p->known = true;
    src = take_word(&line);
    dst = take_word(&line);

    /* Where it went may be of the other family: proxies translate. */
    return read_address(src, &p->src) && p->src.family == family
           && read_address(dst, &p->dst)
           && read_port(take_word(&line), &p->src)
           && read_port(line, &p->dst);
}


/* Behind "PROXY ": whether it may become one of the words that stand there. */
static bool
begins_kind(lun_str text)
{
    size_t                i;
    static const lun_str  kinds[] = {
        LUN_STR_INIT("TCP4 "), LUN_STR_INIT("TCP6 "), LUN_STR_INIT("UNKNOWN")
    };

    for (i = 0; i < LUN_ARRAY_LEN(kinds); i++) {
        if (memcmp(kinds[i].data, text.data, lun_min(kinds[i].len, text.len))
            == 0)
        {
            return true;
        }
    }

    return false;
}


/*
 * A wrong beginning is refused at the first byte that shows it: a client that
 * speaks HTTP to this port shall not wait for a time-out.
 */
static lun_proxied_verdict
parse_text(const char *data, size_t len, lun_proxied *p, size_t *used)
{
    size_t       most = lun_min(len, (size_t) LONGEST_LINE);
    lun_str      word = LUN_STR("PROXY ");
    const char  *end;

    if (memcmp(data, word.data, lun_min(len, word.len)) != 0
        || (len > word.len
            && !begins_kind(lun_str_of(data + word.len, len - word.len))))
    {
        return LUN_PROXIED_BAD;
    }

    end = memchr(data, '\n', most);

    if (end == NULL) {
        return most < LONGEST_LINE ? LUN_PROXIED_MORE : LUN_PROXIED_BAD;
    }

    *used = (size_t) (end + 1 - data);

    if (end[-1] != '\r'
        || !read_line(lun_str_of(data + word.len, *used - word.len - 2), p))
    {
        return LUN_PROXIED_BAD;
    }

    return LUN_PROXIED_DONE;
}


/* --- version 2 ----------------------------------------------------------- */

unsigned
lun_proxy_protocol_version(const char *data, size_t len)
{
    return len > SIGNATURE && memcmp(data, signature, SIGNATURE) == 0
           ? byte_at(data + SIGNATURE) >> 4 : 0;
}


static lun_proxied_verdict
read_addresses(const char *at, size_t len, lun_family family, lun_proxied *p)
{
    size_t  ip = family == LUN_AF_INET ? 4 : 16, all = 2 * ip + 4;

    if (len < all) {
        return LUN_PROXIED_BAD;
    }

    p->known = true;
    p->src.family = p->dst.family = family;
    memcpy(p->src.ip, at, ip);
    memcpy(p->dst.ip, at + ip, ip);
    p->src.port = number_at(at + 2 * ip);
    p->dst.port = number_at(at + 2 * ip + 2);
    p->tlvs = lun_str_of(at + all, len - all);

    return LUN_PROXIED_DONE;
}


/*
 * Connections of the proxy's own (LOCAL), datagrams and other families are
 * passed over: they name nobody.
 */
static lun_proxied_verdict
parse_binary(const char *data, size_t len, lun_proxied *p, size_t *used)
{
    size_t  size;

    if (len < HEAD) {
        return LUN_PROXIED_MORE;
    }

    if (byte_at(data + SIGNATURE) >> 4 != 2) {
        return LUN_PROXIED_BAD;
    }

    size = number_at(data + SIGNATURE + 2);

    if (len - HEAD < size) {
        return LUN_PROXIED_MORE;
    }

    *used = HEAD + size;

    if (byte_at(data + SIGNATURE) != 0x21) {
        return LUN_PROXIED_DONE;
    }

    switch (byte_at(data + SIGNATURE + 1)) {

    case 0x11:
        return read_addresses(data + HEAD, size, LUN_AF_INET, p);

    case 0x21:
        return read_addresses(data + HEAD, size, LUN_AF_INET6, p);

    default:
        return LUN_PROXIED_DONE;
    }
}


lun_proxied_verdict
lun_proxy_protocol_parse(const char *data, size_t len, lun_proxied *p,
    size_t *used)
{
    memset(p, 0, sizeof(*p));

    if (len == 0) {
        return LUN_PROXIED_MORE;
    }

    if (memcmp(data, signature, lun_min(len, (size_t) SIGNATURE)) != 0) {
        return parse_text(data, len, p, used);
    }

    return len < SIGNATURE ? LUN_PROXIED_MORE
                           : parse_binary(data, len, p, used);
}


/* --- TLVs ---------------------------------------------------------------- */

static const struct {
    lun_str   name;
    unsigned  type;
} names[] = {
    { LUN_STR_INIT("alpn"), 0x01 },
    { LUN_STR_INIT("authority"), 0x02 },
    { LUN_STR_INIT("unique_id"), 0x05 },
    { LUN_STR_INIT("ssl"), TLV_SSL },
    { LUN_STR_INIT("netns"), 0x30 },
    { LUN_STR_INIT("ssl_version"), 0x21 },
    { LUN_STR_INIT("ssl_cn"), 0x22 },
    { LUN_STR_INIT("ssl_cipher"), 0x23 },
    { LUN_STR_INIT("ssl_sig_alg"), 0x24 },
    { LUN_STR_INIT("ssl_key_alg"), 0x25 }
};


static lun_tlv_verdict
find(lun_str tlvs, unsigned type, lun_str *value)
{
    size_t  size;

    while (tlvs.len != 0) {
        if (tlvs.len < 3 || tlvs.len - 3 < number_at(tlvs.data + 1)) {
            return LUN_TLV_BROKEN;
        }

        size = number_at(tlvs.data + 1);

        if (byte_at(tlvs.data) == type) {
            *value = lun_str_of(tlvs.data + 3, size);
            return LUN_TLV_FOUND;
        }

        tlvs = lun_str_of(tlvs.data + 3 + size, tlvs.len - 3 - size);
    }

    return LUN_TLV_NONE;
}


/* 0x100: there is none of that name. */
static unsigned
type_of(lun_str name, lun_str number)
{
    size_t    i;
    uint64_t  type;

    if (lun_str_after(number, LUN_STR("0x"), &number)) {
        return lun_str_hex_to_u64(number, &type) == LUN_OK && type < 0x100
               ? (unsigned) type : 0x100;
    }

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_eq(name, names[i].name)) {
            return names[i].type;
        }
    }

    return 0x100;
}


/* Inside of the one of TLS there are TLVs again. */
static lun_tlv_verdict
enter_ssl(lun_str *tlvs, uint32_t *verify)
{
    lun_str          ssl;
    lun_tlv_verdict  v = find(*tlvs, TLV_SSL, &ssl);

    if (v != LUN_TLV_FOUND) {
        return v;
    }

    if (ssl.len < SSL_HEAD) {
        return LUN_TLV_BROKEN;
    }

    *verify = (uint32_t) number_at(ssl.data + 1) << 16
              | number_at(ssl.data + 3);
    *tlvs = lun_str_of(ssl.data + SSL_HEAD, ssl.len - SSL_HEAD);

    return LUN_TLV_FOUND;
}


/*
 * "ssl_..." are values within a value (PP2_TYPE_SSL), which is entered first.
 */
lun_tlv_verdict
lun_proxy_protocol_tlv(lun_str tlvs, lun_str name, char room[LUN_TLV_ROOM],
    lun_str *value)
{
    lun_str          rest = name;
    unsigned         type;
    uint32_t         verify = 0;
    lun_tlv_verdict  v;

    if (lun_str_after(name, LUN_STR("ssl_"), &rest)) {
        v = enter_ssl(&tlvs, &verify);

        if (v != LUN_TLV_FOUND) {
            return v;
        }

        if (lun_str_eq(rest, LUN_STR("verify"))) {
            *value = lun_str_of(room, (size_t) (lun_fmt_u64(room, verify)
                                                - room));
            return LUN_TLV_FOUND;
        }
    }

    type = type_of(name, rest);
    return type < 0x100 ? find(tlvs, type, value) : LUN_TLV_UNKNOWN;
}


/* --- writing ------------------------------------------------------------- */

/* Brackets are for where a port follows. */
static lun_str
bare(lun_str text)
{
    return lun_str_starts(text, LUN_STR("["))
           ? lun_str_of(text.data + 1, text.len - 2) : text;
}


static size_t
write_line(char *room, bool known, const lun_addr *src, const lun_addr *dst)
{
    char         from[LUN_ADDR_TEXT], to[LUN_ADDR_TEXT];
    lun_str      a, b;
    const char  *end = room + LUN_PROXY_PROTOCOL_ROOM;

    if (!known) {
        return (size_t) (lun_fmt(room, end, "PROXY UNKNOWN\r\n") - room);
    }

    a = bare(lun_addr_format(src, false, from, sizeof(from)));
    b = bare(lun_addr_format(dst, false, to, sizeof(to)));

    return (size_t) (lun_fmt(room, end, "PROXY TCP%c %.*s %.*s %u %u\r\n",
                             src->family == LUN_AF_INET ? '4' : '6',
                             LUN_S(a), LUN_S(b), src->port, dst->port)
                     - room);
}


static char *
put_port(char *p, uint16_t port)
{
    *p++ = (char) (port >> 8);
    *p++ = (char) port;
    return p;
}


static size_t
write_binary(char *room, bool known, const lun_addr *src, const lun_addr *dst)
{
    char    *p = memcpy(room, signature, SIGNATURE);
    size_t   n = !known ? 0 : src->family == LUN_AF_INET ? 4 : 16;

    p += SIGNATURE;
    *p++ = 0x21;                   /* version 2, on behalf of somebody */
    *p++ = (char) (n == 0 ? 0x00 : n == 4 ? 0x11 : 0x21);
    p = put_port(p, (uint16_t) (n == 0 ? 0 : 2 * n + 4));

    if (n != 0) {
        p = lun_copy(p, (const char *) src->ip, n);
        p = lun_copy(p, (const char *) dst->ip, n);
        p = put_port(p, src->port);
        p = put_port(p, dst->port);
    }

    return (size_t) (p - room);
}


static bool
is_internet(const lun_addr *addr)
{
    return addr->family == LUN_AF_INET || addr->family == LUN_AF_INET6;
}


/* Of two families: a line can name both, as nginx does; the binary can't. */
size_t
lun_proxy_protocol_write(char room[LUN_PROXY_PROTOCOL_ROOM], unsigned version,
    const lun_addr *src, const lun_addr *dst)
{
    bool  known = is_internet(src) && is_internet(dst);

    LUN_CHECK(version == 1 || version == 2);

    return version == 1 ? write_line(room, known, src, dst)
           : write_binary(room, known && src->family == dst->family, src, dst);
}
