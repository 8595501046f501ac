/*
 * trace_context.c -- which trace a request is a part of.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/trace_context.h"

#include "base/digest.h"


enum {
    MEMBERS = 32,
    KEY     = 256,
    VALUE   = 256
};


/* Digits are lower case, or it is none: -1. */
static int
digit_of(char c)
{
    if (lun_is_digit(c)) {
        return c - '0';
    }

    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


/* n bytes of two digits each; false: they are none. */
static bool
read_bytes(const char *p, uint8_t *to, size_t n)
{
    int     high, low;
    size_t  i;

    for (i = 0; i < n; i++) {
        high = digit_of(p[2 * i]);
        low = digit_of(p[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }

        to[i] = (uint8_t) (high << 4 | low);
    }

    return true;
}


static bool
is_zero(const uint8_t *p, size_t n)
{
    size_t   i;
    uint8_t  any = 0;

    for (i = 0; i < n; i++) {
        any |= p[i];
    }

    return any == 0;
}


/* VERSION-TRACE-SPAN-FLAGS, and behind a later version's maybe more. */
lun_rc
lun_trace_parent_read(lun_str text, lun_trace_parent *p)
{
    uint8_t           version, flags;
    lun_trace_parent  one;

    if (text.len < LUN_TRACE_PARENT || text.data[2] != '-'
        || text.data[35] != '-' || text.data[52] != '-'
        || !read_bytes(text.data, &version, 1)
        || !read_bytes(text.data + 3, one.trace, LUN_TRACE_ID)
        || !read_bytes(text.data + 36, one.span, LUN_SPAN_ID)
        || !read_bytes(text.data + 53, &flags, 1)
        || version == 0xff
        || is_zero(one.trace, LUN_TRACE_ID) || is_zero(one.span, LUN_SPAN_ID))
    {
        return LUN_ERROR;
    }

    if (text.len > LUN_TRACE_PARENT
        && (version == 0 || text.data[LUN_TRACE_PARENT] != '-'))
    {
        return LUN_ERROR;
    }

    one.sampled = flags & 1;
    *p = one;
    return LUN_OK;
}


char *
lun_trace_parent_write(char *to, const lun_trace_parent *p)
{
    memcpy(to, "00-", 3);
    to = lun_hex(to + 3, p->trace, LUN_TRACE_ID);
    *to++ = '-';
    to = lun_hex(to, p->span, LUN_SPAN_ID);
    *to++ = '-';
    *to++ = '0';
    *to++ = p->sampled ? '1' : '0';

    return to;
}


/* --- tracestate ---------------------------------------------------------- */

static bool
is_key(lun_str key)
{
    char    c;
    size_t  i;

    for (i = 0; i < key.len; i++) {
        c = key.data[i];

        if ((c >= 'a' && c <= 'z') || lun_is_digit(c)) {
            continue;
        }

        if (i == 0 || c == '\0' || strchr("_-*/@", c) == NULL) {
            return false;
        }
    }

    return key.len != 0 && key.len <= KEY;
}


static bool
is_value(lun_str value)
{
    size_t  i;

    for (i = 0; i < value.len; i++) {
        if (value.data[i] < ' ' || value.data[i] > '~' || value.data[i] == '='
            || value.data[i] == ',')
        {
            return false;
        }
    }

    return value.len != 0 && value.len <= VALUE;
}


static bool
is_member(lun_str member)
{
    const char  *mark = lun_str_chr(member, '=');
    size_t       len = mark != NULL ? (size_t) (mark - member.data) : 0;

    return mark != NULL && is_key(lun_str_of(member.data, len))
           && is_value(lun_str_of(mark + 1, member.len - len - 1));
}


bool
lun_trace_state_is_good(lun_str text)
{
    size_t       count = 0;
    lun_str      member;
    const char  *p = text.data, *end = p + text.len, *comma;

    for ( ; p < end; p = comma + 1) {
        comma = memchr(p, ',', (size_t) (end - p));
        comma = comma != NULL ? comma : end;
        member = lun_str_trim(lun_str_of(p, (size_t) (comma - p)));

        if (member.len != 0 && (!is_member(member) || ++count > MEMBERS)) {
            return false;
        }
    }

    return count != 0;
}
