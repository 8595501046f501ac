/*
 * escape.c -- see escape.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/escape.h"

#include "base/fmt.h"


static char
json_letter(char c)
{
    switch (c) {

    case '\n':
        return 'n';

    case '\r':
        return 'r';

    case '\t':
        return 't';

    case '\b':
        return 'b';

    case '\f':
        return 'f';

    case '"':
    case '\\':
        return c;

    default:
        return '\0';
    }
}


size_t
lun_escape_json_len(lun_str s)
{
    size_t  i, n = s.len;

    for (i = 0; i < s.len; i++) {
        if (json_letter(s.data[i]) != '\0') {
            n++;

        } else if ((unsigned char) s.data[i] < ' ') {
            n += 5;
        }
    }

    return n;
}


char *
lun_escape_json(char *p, lun_str s)
{
    char               letter;
    size_t             i;
    static const char  hex[] = "0123456789ABCDEF";

    for (i = 0; i < s.len; i++) {
        letter = json_letter(s.data[i]);

        if (letter != '\0') {
            *p++ = '\\';
            *p++ = letter;

        } else if ((unsigned char) s.data[i] < ' ') {
            p = lun_copy_str(p, LUN_STR("\\u00"));
            *p++ = hex[(unsigned char) s.data[i] >> 4];
            *p++ = hex[s.data[i] & 15];

        } else {
            *p++ = s.data[i];
        }
    }

    return p;
}


static lun_str
entity_of(char c)
{
    switch (c) {

    case '<':
        return LUN_STR("&lt;");

    case '>':
        return LUN_STR("&gt;");

    case '&':
        return LUN_STR("&amp;");

    case '"':
        return LUN_STR("&quot;");

    default:
        return LUN_STR_NULL;
    }
}


size_t
lun_escape_html_len(lun_str s)
{
    size_t   i, n = s.len;
    lun_str  entity;

    for (i = 0; i < s.len; i++) {
        entity = entity_of(s.data[i]);
        n += entity.len != 0 ? entity.len - 1 : 0;
    }

    return n;
}


char *
lun_escape_html(char *p, lun_str s)
{
    size_t   i;
    lun_str  entity;

    for (i = 0; i < s.len; i++) {
        entity = entity_of(s.data[i]);

        if (entity.len != 0) {
            p = lun_copy_str(p, entity);

        } else {
            *p++ = s.data[i];
        }
    }

    return p;
}


lun_str
lun_escape_json_new(lun_pool *pool, lun_str s)
{
    char    *text;
    size_t   len = lun_escape_json_len(s);

    if (len == s.len) {
        return s;
    }

    text = lun_pool_text(pool, len);
    (void) lun_escape_json(text, s);
    return lun_str_of(text, len);
}


lun_str
lun_escape_html_new(lun_pool *pool, lun_str s)
{
    char    *text;
    size_t   len = lun_escape_html_len(s);

    if (len == s.len) {
        return s;
    }

    text = lun_pool_text(pool, len);
    (void) lun_escape_html(text, s);
    return lun_str_of(text, len);
}
