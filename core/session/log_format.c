/*
 * log_format.c -- a list of pieces, run into one line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/log_format.h"

#include "base/escape.h"
#include "base/fmt.h"
#include "session/session.h"


typedef struct {
    unsigned  index;               /* of a variable; 0: text */
    lun_str   text;
} piece;

/* A piece's value, and how long it will be when escaped. */
typedef struct {
    lun_str  text;
    size_t   len;
} part;

static const char  hex_upper[] = "0123456789ABCDEF";


/* `foreign`: bytes beyond ASCII, too. */
static bool
is_escaped(unsigned char c, bool foreign)
{
    return c < ' ' || c == 0x7f || c == '"' || c == '\\'
           || (foreign && c > 0x7f);
}


static size_t
default_len(lun_str s, bool foreign)
{
    size_t  i, n = s.len;

    for (i = 0; i < s.len; i++) {
        if (is_escaped((unsigned char) s.data[i], foreign)) {
            n += 3;
        }
    }

    return n;
}


static char *
put_default(char *p, lun_str s, bool foreign)
{
    size_t         i;
    unsigned char  c;

    for (i = 0; i < s.len; i++) {
        c = (unsigned char) s.data[i];

        if (is_escaped(c, foreign)) {
            *p++ = '\\';
            *p++ = 'x';
            *p++ = hex_upper[c >> 4];
            *p++ = hex_upper[c & 15];

        } else {
            *p++ = (char) c;
        }
    }

    return p;
}


static size_t
escaped_len(lun_str s, lun_log_escape kind)
{
    switch (kind) {

    case LUN_LOG_ESCAPE_DEFAULT:
        return default_len(s, true);

    case LUN_LOG_ESCAPE_ASCII:
        return default_len(s, false);

    case LUN_LOG_ESCAPE_JSON:
        return lun_escape_json_len(s);

    default:
        return s.len;
    }
}


static char *
put_escaped(char *p, lun_str s, size_t len, lun_log_escape kind)
{
    if (len == s.len) {
        return lun_copy_str(p, s);
    }

    return kind == LUN_LOG_ESCAPE_JSON
           ? lun_escape_json(p, s)
           : put_default(p, s, kind == LUN_LOG_ESCAPE_DEFAULT);
}


static part
part_of(lun_session *s, const piece *p, lun_log_escape kind)
{
    part              out;
    const lun_value  *v;

    if (p->index == 0) {
        return (part) { p->text, p->text.len };
    }

    v = lun_var_get_fresh(s, p->index);

    if (v->not_found) {
        out.text = kind == LUN_LOG_ESCAPE_DEFAULT
                   || kind == LUN_LOG_ESCAPE_ASCII ? LUN_STR("-") : LUN_STR("");
        out.len = out.text.len;

    } else {
        out.text = v->text;
        out.len = escaped_len(v->text, kind);
    }

    return out;
}


/*
 * Twice over the pieces: once for the length, so that the line is one
 * allocation of the right size.
 */
lun_str
lun_log_format_line(lun_session *s, const lun_log_format *f, bool foreign)
{
    char            *start, *p;
    part            *parts;
    size_t           i, len = 1;
    const piece     *pieces = f->pieces.items;
    lun_log_escape   escape = f->escape;

    lun_session_check(s);

    if (escape == LUN_LOG_ESCAPE_DEFAULT && !foreign) {
        escape = LUN_LOG_ESCAPE_ASCII;
    }

    parts = lun_pool_alloc(s->pool, f->pieces.count * sizeof(part));

    for (i = 0; i < f->pieces.count; i++) {
        parts[i] = part_of(s, &pieces[i], escape);
        len += parts[i].len;
    }

    p = start = lun_pool_text(s->pool, len);

    for (i = 0; i < f->pieces.count; i++) {
        p = pieces[i].index == 0
            ? lun_copy_str(p, parts[i].text)
            : put_escaped(p, parts[i].text, parts[i].len, escape);
    }

    *p++ = '\n';
    return lun_str_of(start, (size_t) (p - start));
}


lun_log_format *
lun_log_format_new(lun_conf *cf, lun_str name)
{
    lun_log_format  *f = lun_pool_new(cf->pool, lun_log_format);

    f->name = name;
    lun_array_init(&f->pieces, cf->pool, sizeof(piece), 8);

    return f;
}


static bool
is_name_char(char c)
{
    return (lun_lower(c) >= 'a' && lun_lower(c) <= 'z') || lun_is_digit(c)
           || c == '_';
}


/* "text $name ${name}": as scripts have it, but without $1. */
lun_rc
lun_log_format_add(lun_conf *cf, lun_log_format *f, lun_str text)
{
    bool         braces;
    piece       *next;
    const char  *p, *end, *start;

    end = text.data + text.len;

    for (p = text.data; p != end; ) {
        next = lun_array_push(&f->pieces);
        start = p;

        if (*p != '$') {
            while (p != end && *p != '$') {
                p++;
            }

            next->text = lun_str_of(start, (size_t) (p - start));
            continue;
        }

        braces = ++p != end && *p == '{';
        start = p += braces;

        while (p != end && is_name_char(*p)) {
            p++;
        }

        if (p == start || (braces && (p == end || *p != '}'))) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(text));
        }

        next->index = lun_var_index(cf, lun_str_of(start,
                                                   (size_t) (p - start)));
        if (next->index == 0) {
            return LUN_ERROR;
        }

        p += braces;
    }

    return LUN_OK;
}
