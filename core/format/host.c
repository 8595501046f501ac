/*
 * host.c -- "host:port".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/host.h"


enum {
    NAME    = 1,                   /* in a host that is not a literal */
    LITERAL = 2,                   /* in [2001:db8::1] */
    BOTH    = NAME | LITERAL
};

static const uint8_t  bytes[256] = {
    ['!'] = NAME, ['$' ... '-'] = NAME, ['.'] = BOTH, ['0' ... '9'] = BOTH,
    [':'] = LITERAL, [';'] = NAME, ['='] = NAME, ['A' ... 'F'] = BOTH,
    ['G' ... 'Z'] = NAME, ['_'] = NAME, ['a' ... 'f'] = BOTH,
    ['g' ... 'z'] = NAME, ['~'] = NAME
};


static bool
is(char c, int kind)
{
    return (bytes[(unsigned char) c] & kind) != 0;
}


/* "" or ":" and digits. */
static lun_rc
take_port(lun_str s, uint16_t *port)
{
    uint64_t  n = 0;

    *port = 0;

    if (s.len == 0) {
        return LUN_OK;
    }

    if (s.data[0] != ':') {
        return LUN_ERROR;
    }

    s = lun_str_of(s.data + 1, s.len - 1);

    if (s.len != 0 && (lun_str_to_u64(s, &n) != LUN_OK || n > 65535)) {
        return LUN_ERROR;
    }

    *port = (uint16_t) n;
    return LUN_OK;
}


/* "[v1f.name]", of addresses to come: where its name begins, or 0. */
static size_t
skip_version(lun_str s)
{
    size_t  i = 2;

    if (s.len < 3 || (s.data[1] != 'v' && s.data[1] != 'V')) {
        return 0;
    }

    while (i < s.len && s.data[i] != '.' && is(s.data[i], LITERAL)
           && s.data[i] != ':')
    {
        i++;
    }

    return i > 2 && i + 1 < s.len && s.data[i] == '.' && s.data[i + 1] != ']'
           ? i + 1 : 0;
}


/* The length of the literal with its brackets, or 0. */
static size_t
literal_len(lun_str s)
{
    size_t  i = skip_version(s);

    if (i != 0) {
        while (i < s.len && (is(s.data[i], NAME) || s.data[i] == ':')) {
            i++;
        }

        return i < s.len && s.data[i] == ']' ? i + 1 : 0;
    }

    i = 1;

    while (i < s.len && is(s.data[i], LITERAL)
           && (s.data[i] != '.' || s.data[i - 1] != '.'))
    {
        i++;
    }

    return i > 1 && i < s.len && s.data[i] == ']' ? i + 1 : 0;
}


/* The length of the name, or 0; a dot may be last, but not follow a dot. */
static size_t
name_len(lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len && is(s.data[i], NAME); i++) {
        if (i != 0 && s.data[i] == '.' && s.data[i - 1] == '.') {
            return 0;
        }
    }

    return i;
}


/*
 * A trailing dot means the same host (RFC 3986, 3.2.2), and is not part of the
 * name that servers are found by.
 */
lun_rc
lun_host_parse(lun_str host, char *dst, lun_str *name, uint16_t *port)
{
    size_t  len;

    if (host.len == 0) {
        return LUN_ERROR;
    }

    len = host.data[0] == '[' ? literal_len(host) : name_len(host);

    if (len == 0
        || take_port(lun_str_of(host.data + len, host.len - len), port)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (host.data[len - 1] == '.') {
        len--;
    }

    if (len == 0) {
        return LUN_ERROR;
    }

    lun_mem_lower(dst, host.data, len);
    *name = lun_str_of(dst, len);

    return LUN_OK;
}
