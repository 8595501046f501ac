/*
 * addr.c -- addresses as text and as keys.  Pure: no system call, no names.
 *
 * IPv6 is written as RFC 5952 asks for: lower case, the longest run of two or
 * more zero groups as "::".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/addr.h"

#include "base/fmt.h"


enum { GROUPS = 8 };


/* A decimal of at most `digits` digits; moves *p over it. */
static bool
read_decimal(const char **p, const char *end, int digits, unsigned max,
    unsigned *n)
{
    const char  *start = *p;

    for (*n = 0; *p < end && lun_is_digit(**p); (*p)++) {
        if (*p - start == digits) {
            return false;
        }

        *n = *n * 10 + (unsigned) (**p - '0');
    }

    return *p != start && *n <= max;
}


static bool
read_ipv4(const char **p, const char *end, uint8_t *ip)
{
    int       i;
    unsigned  n;

    for (i = 0; i < 4; i++) {
        if (i && (*p == end || *(*p)++ != '.')) {
            return false;
        }

        if (!read_decimal(p, end, 3, 255, &n)) {
            return false;
        }

        ip[i] = (uint8_t) n;
    }

    return true;
}


/* At the end, or ":port" up to it. */
static bool
read_port(const char **p, const char *end, uint16_t *port)
{
    unsigned  n;

    if (*p == end) {
        return true;
    }

    if (*(*p)++ != ':' || !read_decimal(p, end, 5, 65535, &n) || n == 0) {
        return false;
    }

    *port = (uint16_t) n;
    return *p == end;
}


static int
hex_digit(char c)
{
    return lun_is_digit(c) ? c - '0'
           : lun_lower(c) >= 'a' && lun_lower(c) <= 'f'
             ? lun_lower(c) - 'a' + 10 : -1;
}


/* One group of up to four digits, big-endian at ip. */
static bool
read_group(const char **p, const char *end, uint8_t *ip)
{
    int       n, digit;
    unsigned  value = 0;

    for (n = 0; *p < end && (digit = hex_digit(**p)) >= 0; n++, (*p)++) {
        value = value << 4 | (unsigned) digit;
    }

    ip[0] = (uint8_t) (value >> 8);
    ip[1] = (uint8_t) value;

    return n > 0 && n <= 4;
}


/* Whether the group that begins here is the first number of an IPv4 tail. */
static bool
is_dotted(const char *p, const char *end)
{
    while (p < end && lun_is_digit(*p)) {
        p++;
    }

    return p < end && *p == '.';
}


/* Opens the gap of "::" that stands after `before` of `have` groups. */
static bool
spread(uint8_t *ip, int have, int before)
{
    int  missing = GROUPS - have;

    if (before < 0 || missing == 0) {
        return before < 0 && missing == 0;
    }

    memmove(ip + (before + missing) * 2, ip + before * 2,
            (size_t) (have - before) * 2);
    memset(ip + before * 2, 0, (size_t) missing * 2);

    return true;
}


/*
 * RFC 4291, 2.2: up to eight groups, one "::" anywhere, and maybe a dotted IPv4
 * address in the place of the last two.
 */
static bool
read_ipv6(const char **p, const char *end, uint8_t *ip)
{
    int  have = 0, gap = -1;

    if (end - *p >= 2 && (*p)[0] == ':' && (*p)[1] == ':') {
        gap = 0;
        *p += 2;
    }

    while (have < GROUPS && *p < end && hex_digit(**p) >= 0) {

        if (have <= GROUPS - 2 && is_dotted(*p, end)) {
            if (!read_ipv4(p, end, ip + have * 2)) {
                return false;
            }

            have += 2;
            break;
        }

        if (!read_group(p, end, ip + have * 2)) {
            return false;
        }

        have++;

        if (end - *p >= 2 && (*p)[0] == ':' && (*p)[1] == ':' && gap < 0) {
            gap = have;
            *p += 2;

        } else if (end - *p >= 2 && (*p)[0] == ':' && hex_digit((*p)[1]) >= 0
                   && have < GROUPS)
        {
            (*p)++;

        } else {
            break;
        }
    }

    return spread(ip, have, gap);
}


/* "%3" after an address: the number of an interface. */
static bool
read_scope(const char **p, const char *end, uint32_t *scope)
{
    unsigned  n;

    if (*p == end || **p != '%') {
        return true;
    }

    (*p)++;

    if (!read_decimal(p, end, 9, 999999999, &n)) {
        return false;
    }

    *scope = n;
    return true;
}


static bool
parse_ipv6(const char *p, const char *end, lun_addr *addr)
{
    bool  bracket = *p == '[';

    p += bracket;

    if (!read_ipv6(&p, end, addr->ip) || !read_scope(&p, end, &addr->scope)) {
        return false;
    }

    addr->family = LUN_AF_INET6;

    if (!bracket) {
        return p == end;
    }

    return p < end && *p++ == ']' && read_port(&p, end, &addr->port);
}


/*
 * More than one colon can only be IPv6 without brackets, and thus without a
 * port.
 */
lun_rc
lun_addr_parse(lun_str text, lun_addr *addr)
{
    bool         fine;
    const char  *p = text.data, *end = p + text.len, *colon;

    memset(addr, 0, sizeof(*addr));

    if (text.len == 0) {
        return LUN_ERROR;
    }

    if (lun_str_casestarts(text, LUN_STR("unix:"))) {
        addr->family = LUN_AF_UNIX;
        addr->path = p + 5;
        fine = text.len > 5 && memchr(p, '\0', text.len) == NULL;

    } else {
        colon = lun_str_chr(text, ':');

        if (*p == '[' || (colon && memchr(colon + 1, ':',
                                          (size_t) (end - colon - 1))))
        {
            fine = parse_ipv6(p, end, addr);

        } else {
            addr->family = LUN_AF_INET;
            fine = read_ipv4(&p, end, addr->ip)
                   && read_port(&p, end, &addr->port);
        }
    }

    if (!fine) {
        memset(addr, 0, sizeof(*addr));
    }

    return fine ? LUN_OK : LUN_ERROR;
}


/* --- writing --- */

static char *
write_text(char *p, const char *end, const char *text, const char *text_end)
{
    return lun_copy(p, text, lun_min((size_t) (text_end - text),
                                     (size_t) (end - p)));
}


static char *
write_ipv4(char *p, const char *end, const uint8_t *ip)
{
    char  text[LUN_FMT_IPV4];

    return write_text(p, end, text, lun_fmt_ipv4(text, ip));
}


static char *
write_port(char *p, const char *end, uint16_t port)
{
    char  text[8];

    text[0] = ':';
    return write_text(p, end, text, lun_fmt_u64(text + 1, port));
}


/* The longest run of zero groups, the first of equals; its length. */
static int
longest_zeros(const uint8_t *ip, int *at)
{
    int  i, n = 0, best = 0;

    for (i = 0; i < GROUPS; i++) {
        n = ip[i * 2] || ip[i * 2 + 1] ? 0 : n + 1;

        if (n > best) {
            best = n;
            *at = i - n + 1;
        }
    }

    return best;
}


static char *
write_ipv6(char *p, const char *end, const uint8_t *ip)
{
    int   i, at = GROUPS, zeros, groups = GROUPS;
    bool  dotted;

    zeros = longest_zeros(ip, &at);

    if (zeros < 2) {
        at = GROUPS;
    }

    /* ::ffff:1.2.3.4 and ::1.2.3.4 */
    dotted = at == 0 && (zeros == 6 || (zeros == 5 && ip[10] == 0xff
                                        && ip[11] == 0xff));
    if (dotted) {
        groups = GROUPS - 2;
    }

    for (i = 0; i < groups; i++) {
        if (i == at) {
            p = lun_fmt(p, end, "::");
            i += zeros - 1;
            continue;
        }

        p = lun_fmt(p, end, "%s%x", i && i != at + zeros ? ":" : "",
                    ip[i * 2] << 8 | ip[i * 2 + 1]);
    }

    if (dotted) {
        p = lun_fmt(p, end, "%s", zeros == 5 ? ":" : "");
        p = write_ipv4(p, end, ip + 12);
    }

    return p;
}


lun_str
lun_addr_format(const lun_addr *addr, bool port, char *room, size_t size)
{
    char  *p = room, *end = room + size;

    switch (addr->family) {

    case LUN_AF_INET:
        p = write_ipv4(p, end, addr->ip);
        break;

    case LUN_AF_INET6:
        p = port ? lun_fmt(p, end, "[") : p;
        p = write_ipv6(p, end, addr->ip);
        p = port ? lun_fmt(p, end, "]") : p;
        break;

    case LUN_AF_UNIX:
        p = lun_fmt(p, end, "unix:%s", addr->path ? addr->path : "");
        port = false;
        break;

    case LUN_AF_NONE:
        port = false;
        break;
    }

    if (port) {
        p = write_port(p, end, addr->port);
    }

    return lun_str_of(room, (size_t) (p - room));
}


/* --- keys --- */

static size_t
ip_size(const lun_addr *a)
{
    return a->family == LUN_AF_INET ? 4 : a->family == LUN_AF_INET6 ? 16 : 0;
}


bool
lun_addr_eq(const lun_addr *a, const lun_addr *b)
{
    if (a->family != b->family) {
        return false;
    }

    if (a->family == LUN_AF_UNIX) {
        return strcmp(a->path, b->path) == 0;
    }

    return a->port == b->port && a->scope == b->scope
           && memcmp(a->ip, b->ip, ip_size(a)) == 0;
}


uint64_t
lun_addr_hash(const lun_addr *a)
{
    char   key[24];
    char  *p = key;

    if (a->family == LUN_AF_UNIX) {
        return lun_str_hash(lun_str_z(a->path));
    }

    *p++ = (char) a->family;
    p = lun_copy(p, &a->port, sizeof(a->port));
    p = lun_copy(p, &a->scope, sizeof(a->scope));
    p = lun_copy(p, a->ip, ip_size(a));

    return lun_str_hash(lun_str_of(key, (size_t) (p - key)));
}


bool
lun_addr_is_wildcard(const lun_addr *a)
{
    static const uint8_t  zero[16];

    return ip_size(a) && memcmp(a->ip, zero, ip_size(a)) == 0;
}
