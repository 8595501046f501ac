/*
 * fmt.c -- the one formatter.  printf does the work; what is added is the
 * bound that is an address, no zero byte, and the exact cut at the end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/fmt.h"

#include <stdio.h>

#include "base/check.h"
#include "base/pool.h"


static const char  pairs[] =
    "00010203040506070809" "10111213141516171819"
    "20212223242526272829" "30313233343536373839"
    "40414243444546474849" "50515253545556575859"
    "60616263646566676869" "70717273747576777879"
    "80818283848586878889" "90919293949596979899";


/*
 * printf wants one byte more than the text, for its zero.  Text that needs
 * the last byte of the room is therefore made elsewhere and copied.
 */
static char *
fmt_exact(char *p, size_t room, size_t len, const char *fmt, va_list args)
{
    char  *text;
    char   small[512];

    text = len < sizeof(small) ? small : lun_malloc(len + 1);

    vsnprintf(text, len + 1, fmt, args);
    memcpy(p, text, room);

    if (text != small) {
        lun_free(text);
    }

    return p + room;
}


char *
lun_vfmt(char *p, const char *end, const char *fmt, va_list args)
{
    int      n;
    size_t   room;
    va_list  again;

    if (p >= end) {
        return p;
    }

    room = (size_t) (end - p);

    va_copy(again, args);
    n = vsnprintf(p, room, fmt, args);

    if (n < 0) {
        p[0] = '?';                     /* a text that cannot be encoded */
        p += 1;

    } else if ((size_t) n < room) {
        p += n;

    } else {
        p = fmt_exact(p, room, (size_t) n, fmt, again);
    }

    va_end(again);
    return p;
}


char *
lun_fmt(char *p, const char *end, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    p = lun_vfmt(p, end, fmt, args);
    va_end(args);

    return p;
}


/* Two digits a step, from the right. */
char *
lun_fmt_u64(char *p, uint64_t n)
{
    char    *q;
    size_t   len;
    char     text[20];

    /* Most are parts of addresses, statuses, lengths of short texts. */
    if (n < 10) {
        *p = (char) ('0' + n);
        return p + 1;
    }

    if (n < 100) {
        return lun_copy(p, pairs + n * 2, 2);
    }

    if (n < 1000) {
        *p = (char) ('0' + n / 100);
        return lun_copy(p + 1, pairs + n % 100 * 2, 2);
    }

    q = text + sizeof(text);

    while (n >= 100) {
        q -= 2;
        memcpy(q, pairs + n % 100 * 2, 2);
        n /= 100;
    }

    if (n >= 10) {
        q -= 2;
        memcpy(q, pairs + n * 2, 2);

    } else {
        *--q = (char) ('0' + n);
    }

    len = (size_t) (text + sizeof(text) - q);
    memcpy(p, q, len);

    return p + len;
}


static inline char *
put_octet(char *p, unsigned n)
{
    if (n < 10) {
        *p = (char) ('0' + n);
        return p + 1;
    }

    if (n >= 100) {
        *p++ = (char) ('0' + n / 100);
    }

    return lun_copy(p, pairs + n % 100 * 2, 2);
}


/* Every connection and every listen has one: it is worth some lines. */
char *
lun_fmt_ipv4(char *p, const uint8_t *ip)
{
    int  i;

    for (i = 0; i < 3; i++) {
        p = put_octet(p, ip[i]);
        *p++ = '.';
    }

    return put_octet(p, ip[3]);
}


char *
lun_fmt_hex(char *p, uint64_t n)
{
    int                shift;
    static const char  digits[] = "0123456789abcdef";

    /* Where its first digit is. */
    shift = (63 - __builtin_clzll(n | 1)) & ~3;

    for ( /* void */ ; shift >= 0; shift -= 4) {
        *p++ = digits[(n >> shift) & 15];
    }

    return p;
}


char *
lun_fmt_pad(char *p, uint64_t n, int width)
{
    size_t  len;
    char    text[20];

    len = (size_t) (lun_fmt_u64(text, n) - text);

    while (width > (int) len) {
        *p++ = '0';
        width--;
    }

    return lun_copy(p, text, len);
}
