/*
 * tls_hello.c -- a ClientHello: RFC 8446, section 4.1.2.
 *
 * First the handshake message is made whole, of as many records as it takes;
 * then its fields are walked with a cursor that cannot leave it.  A record
 * longer than TLS allows is taken as it is: it is not ours to refuse.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/tls_hello.h"


enum {
    HANDSHAKE = 0x16, CLIENT_HELLO = 1, SSL2_LENGTH = 0x80,
    SSL2_HEADER = 5, MESSAGE_HEADER = 4, RANDOM = 32,
    EXT_SERVER_NAME = 0, EXT_ALPN = 16, EXT_VERSIONS = 43,
    HOST_NAME = 0, DRAFT = 0x7f, TLS_1_3 = 0x0304
};

typedef struct {
    const unsigned char  *p, *end;
} cursor;


static cursor
cursor_of(const void *data, size_t len)
{
    const unsigned char  *p = data;

    return (cursor) { p, p + len };
}


static size_t
left(const cursor *c)
{
    return (size_t) (c->end - c->p);
}


/* A number of n bytes; false: it is cut. */
static bool
take_number(cursor *c, unsigned n, uint32_t *value)
{
    if (left(c) < n) {
        return false;
    }

    for (*value = 0; n > 0; n--) {
        *value = *value << 8 | *c->p++;
    }

    return true;
}


/* What stands behind its own length, a number of n bytes. */
static bool
take_part(cursor *c, unsigned n, cursor *part)
{
    uint32_t  len;

    if (!take_number(c, n, &len) || left(c) < len) {
        return false;
    }

    *part = cursor_of(c->p, len);
    c->p += len;
    return true;
}


static lun_str
text_of(const cursor *c)
{
    return lun_str_of((const char *) c->p, left(c));
}


/* --- the message --------------------------------------------------------- */

/*
 * The payload of one record more; MORE: it is cut, and *part is what there is
 * of it.
 */
static lun_tls_hello_verdict
take_record(cursor *c, cursor *part)
{
    uint32_t  type, version, len;

    if (left(c) == 0) {
        return LUN_TLS_HELLO_MORE;
    }

    if (*c->p != HANDSHAKE || (left(c) > 1 && c->p[1] != 3)) {
        return LUN_TLS_HELLO_NONE;
    }

    if (!take_number(c, 1, &type) || !take_number(c, 2, &version)
        || !take_number(c, 2, &len))
    {
        return LUN_TLS_HELLO_MORE;
    }

    *part = cursor_of(c->p, lun_min((size_t) len, left(c)));
    c->p += left(part);
    return left(part) == len ? LUN_TLS_HELLO_DONE : LUN_TLS_HELLO_MORE;
}


/* The size of the message with its header, of which `c` has the beginning. */
static lun_tls_hello_verdict
message_size(cursor c, size_t *size)
{
    uint32_t  type, len;

    if (take_number(&c, 1, &type) && type != CLIENT_HELLO) {
        return LUN_TLS_HELLO_NONE;
    }

    if (!take_number(&c, 3, &len)) {
        return LUN_TLS_HELLO_MORE;
    }

    *size = len + MESSAGE_HEADER;
    return LUN_TLS_HELLO_DONE;
}


/* Of one record a view; of several, a copy. */
static lun_tls_hello_verdict
take_message(cursor c, char *room, cursor *message)
{
    cursor                 part = { NULL, NULL }, have = { NULL, NULL };
    size_t                 size = 0, len = 0;
    lun_tls_hello_verdict  record, rc;

    for ( ;; ) {
        record = take_record(&c, &part);

        if (record == LUN_TLS_HELLO_NONE) {
            return record;
        }

        if (len == 0) {
            have = part;

        } else if (left(&part) != 0) {
            if (have.p != (unsigned char *) room) {
                memcpy(room, have.p, len);
            }

            memcpy(room + len, part.p, left(&part));
            have = cursor_of(room, len + left(&part));
        }

        len = left(&have);
        part = (cursor) { NULL, NULL };
        rc = message_size(have, &size);

        if (rc == LUN_TLS_HELLO_NONE
            || (rc == LUN_TLS_HELLO_DONE && len >= size))
        {
            *message = cursor_of(have.p, lun_min(len, size));
            return rc;
        }

        if (record == LUN_TLS_HELLO_MORE) {
            return LUN_TLS_HELLO_MORE;
        }
    }
}


/* --- extensions ---------------------------------------------------------- */

static bool
read_server_name(cursor c, lun_tls_hello *hello)
{
    cursor    list, name;
    uint32_t  type;

    if (!take_part(&c, 2, &list)) {
        return false;
    }

    while (left(&list) != 0) {
        if (!take_number(&list, 1, &type) || !take_part(&list, 2, &name)) {
            return false;
        }

        if (type == HOST_NAME) {
            hello->server_name = text_of(&name);
            return true;
        }
    }

    return true;
}


static bool
read_alpn(cursor c, lun_tls_hello *hello)
{
    cursor  list, rest, name;

    if (!take_part(&c, 2, &list)) {
        return false;
    }

    for (rest = list; left(&rest) != 0; ) {
        if (!take_part(&rest, 1, &name) || left(&name) == 0) {
            return false;
        }
    }

    hello->alpn = text_of(&list);
    return true;
}


/* Drafts of TLS 1.3 count as what they became; values of no meaning don't. */
static bool
read_versions(cursor c, lun_tls_hello *hello)
{
    cursor    list;
    uint32_t  version;

    if (!take_part(&c, 1, &list)) {
        return false;
    }

    while (take_number(&list, 2, &version)) {
        if (version >> 8 == DRAFT) {
            version = TLS_1_3;
        }

        if (version >> 8 == 3) {
            hello->version = lun_max(hello->version, (uint16_t) version);
        }
    }

    return left(&list) == 0;
}


static bool
read_extension(uint32_t type, cursor c, lun_tls_hello *hello)
{
    switch (type) {

    case EXT_SERVER_NAME:
        return read_server_name(c, hello);

    case EXT_ALPN:
        return read_alpn(c, hello);

    case EXT_VERSIONS:
        return read_versions(c, hello);
    }

    return true;
}


/* --- the whole ----------------------------------------------------------- */

/* One that is cut is read as far as it goes; false: it was, or is damaged. */
static bool
take_extension(cursor *all, lun_tls_hello *hello)
{
    bool      whole;
    cursor    part;
    uint32_t  type, len;

    if (!take_number(all, 2, &type) || !take_number(all, 2, &len)) {
        return false;
    }

    whole = len <= left(all);
    part = cursor_of(all->p, lun_min((size_t) len, left(all)));
    all->p += left(&part);

    return read_extension(type, part, hello) && whole;
}


static bool
read_hello(cursor c, lun_tls_hello *hello)
{
    cursor    part, all;
    uint32_t  version;

    c.p += MESSAGE_HEADER;

    if (!take_number(&c, 2, &version) || left(&c) < RANDOM) {
        return false;
    }

    hello->version = (uint16_t) version;
    c.p += RANDOM;

    if (!take_part(&c, 1, &part)               /* session id */
        || !take_part(&c, 2, &part)            /* cipher suites */
        || !take_part(&c, 1, &part))           /* compression methods */
    {
        return false;
    }

    if (left(&c) == 0) {
        return true;                           /* none but in old versions */
    }

    if (!take_part(&c, 2, &all)) {
        return false;
    }

    while (left(&all) != 0) {
        if (!take_extension(&all, hello)) {
            return false;
        }
    }

    return true;
}


/* Two bytes of length, the message's type, the version: all that is asked. */
static lun_tls_hello_verdict
read_ssl2(cursor c, lun_tls_hello *hello)
{
    unsigned  major;

    if (left(&c) < SSL2_HEADER) {
        return LUN_TLS_HELLO_MORE;
    }

    major = c.p[3];

    if (c.p[2] != CLIENT_HELLO || (major != 0 && major != 3)) {
        return LUN_TLS_HELLO_NONE;
    }

    hello->version = (uint16_t) (major << 8 | c.p[4]);
    return LUN_TLS_HELLO_DONE;
}


lun_tls_hello_verdict
lun_tls_hello_parse(const char *data, size_t len, char *room,
    lun_tls_hello *hello)
{
    cursor                 c = cursor_of(data, len), message;
    lun_tls_hello_verdict  rc;

    memset(hello, 0, sizeof(lun_tls_hello));

    if (len != 0 && (*c.p & SSL2_LENGTH)) {
        return read_ssl2(c, hello);
    }

    rc = take_message(c, room, &message);

    if (rc == LUN_TLS_HELLO_DONE && !read_hello(message, hello)) {
        return LUN_TLS_HELLO_NONE;
    }

    return rc;
}
