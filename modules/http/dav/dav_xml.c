/*
 * dav_xml.c -- the XML that clients of WebDAV send.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_xml.h"


void
lun_dav_xml_init(lun_dav_xml *x, lun_str text)
{
    *x = (lun_dav_xml) { .p = text.data, .end = text.data + text.len };

    if (lun_str_starts(text, LUN_STR("\xef\xbb\xbf"))) {
        x->p += 3;
    }
}


bool
lun_dav_xml_is(const lun_dav_xml *x, const char *name)
{
    return lun_str_eq(x->ns, LUN_STR("DAV:"))
           && lun_str_eq(x->name, lun_str_z(name));
}


static lun_str
rest_of(const lun_dav_xml *x)
{
    return lun_str_of(x->p, (size_t) (x->end - x->p));
}


static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}


static void
skip_space(lun_dav_xml *x)
{
    while (x->p < x->end && is_space(*x->p)) {
        x->p++;
    }
}


/* Behind what ends a comment, or the like. */
static bool
skip_to(lun_dav_xml *x, lun_str mark)
{
    const char  *at = lun_str_find(rest_of(x), mark);

    if (at == NULL) {
        return false;
    }

    x->p = at + mark.len;
    return true;
}


static bool
is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
           || c == ':' || ((unsigned char) c) >= 0x80;
}


/* Maybe with a prefix, of which there is one at most. */
static bool
read_name(lun_dav_xml *x, lun_str *name)
{
    unsigned     colons = 0;
    const char  *from = x->p;

    while (x->p < x->end
           && (is_name_char(*x->p)
               || (x->p > from && (lun_is_digit(*x->p) || *x->p == '-'
                                   || *x->p == '.'))))
    {
        colons += *x->p == ':';
        x->p++;
    }

    *name = lun_str_of(from, (size_t) (x->p - from));

    return name->len != 0 && colons <= 1 && name->data[0] != ':'
           && name->data[name->len - 1] != ':';
}


/* "&amp;" and its kin, "&#38;": what means the same wherever it is copied. */
static bool
skip_reference(lun_dav_xml *x)
{
    size_t   i, digits = 0;
    lun_str  rest = rest_of(x);

    static const lun_str  known[] = {
        LUN_STR_INIT("&amp;"), LUN_STR_INIT("&lt;"), LUN_STR_INIT("&gt;"),
        LUN_STR_INIT("&quot;"), LUN_STR_INIT("&apos;")
    };

    for (i = 0; i < LUN_ARRAY_LEN(known); i++) {
        if (lun_str_starts(rest, known[i])) {
            x->p += known[i].len;
            return true;
        }
    }

    if (!lun_str_starts(rest, LUN_STR("&#"))) {
        return false;
    }

    for (i = 2; i < rest.len && lun_is_digit(rest.data[i]); i++) {
        digits++;
    }

    if (digits == 0 || digits > 7 || i == rest.len || rest.data[i] != ';') {
        return false;
    }

    x->p += i + 1;
    return true;
}


/* Characters up to one of two, which is not read. */
static bool
skip_text(lun_dav_xml *x, char end)
{
    while (x->p < x->end && *x->p != '<' && *x->p != end) {
        if (*x->p == '&') {
            if (!skip_reference(x)) {
                return false;
            }

        } else if ((unsigned char) *x->p < 0x20 && !is_space(*x->p)) {
            return false;

        } else {
            x->p++;
        }
    }

    return true;
}


static bool
read_value(lun_dav_xml *x, lun_str *value)
{
    char         quote;
    const char  *from;

    if (x->p == x->end || (*x->p != '"' && *x->p != '\'')) {
        return false;
    }

    quote = *x->p++;
    from = x->p;

    if (!skip_text(x, quote) || x->p == x->end || *x->p != quote) {
        return false;
    }

    *value = lun_str_of(from, (size_t) (x->p++ - from));
    return true;
}


/* A prefix stands for something (Namespaces in XML, 2.2). */
static bool
add_space(lun_dav_xml *x, lun_str prefix, lun_str uri)
{
    if (x->space_count == LUN_DAV_XML_SPACES
        || (prefix.len != 0 && uri.len == 0))
    {
        return false;
    }

    x->spaces[x->space_count++] = (lun_dav_xml_space) {
        .prefix = prefix, .uri = uri, .depth = x->depth
    };

    return true;
}


/*
 * Of attributes only namespaces matter.  Entities of the document's own are
 * refused, so there is nothing to blow up.
 */
static bool
read_attributes(lun_dav_xml *x)
{
    lun_str  name, value, prefix;

    for ( ;; ) {
        skip_space(x);

        if (x->p == x->end || *x->p == '>' || *x->p == '/') {
            return x->p < x->end;
        }

        if (!read_name(x, &name)) {
            return false;
        }

        skip_space(x);

        if (x->p == x->end || *x->p++ != '=') {
            return false;
        }

        skip_space(x);

        if (!read_value(x, &value)) {
            return false;
        }

        prefix = LUN_STR("");

        if ((lun_str_eq(name, LUN_STR("xmlns"))
             || lun_str_after(name, LUN_STR("xmlns:"), &prefix))
            && !add_space(x, prefix, value))
        {
            return false;
        }
    }
}


/* False: the prefix was never said to be one. */
static bool
resolve(lun_dav_xml *x, lun_str name)
{
    unsigned     i;
    lun_str      prefix = LUN_STR("");
    const char  *colon = lun_str_chr(name, ':');

    x->name = name;

    if (colon != NULL) {
        prefix = lun_str_of(name.data, (size_t) (colon - name.data));
        x->name = lun_str_of(colon + 1, name.len - prefix.len - 1);
    }

    for (i = x->space_count; i > 0; i--) {
        if (lun_str_eq(x->spaces[i - 1].prefix, prefix)) {
            x->ns = x->spaces[i - 1].uri;
            return true;
        }
    }

    x->ns = LUN_STR("");
    return colon == NULL;
}


static lun_dav_xml_event
open_element(lun_dav_xml *x)
{
    lun_str  name;

    if (x->depth == LUN_DAV_XML_DEPTH || (x->depth == 0 && x->rooted)
        || !read_name(x, &name))
    {
        return LUN_DAV_XML_BAD;
    }

    x->rooted = true;
    x->names[x->depth++] = name;

    if (!read_attributes(x) || !resolve(x, name)) {
        return LUN_DAV_XML_BAD;
    }

    if (*x->p == '/') {
        x->p++;
        x->closing = true;
    }

    if (x->p == x->end || *x->p++ != '>') {
        return LUN_DAV_XML_BAD;
    }

    x->inner[x->depth - 1] = x->p;
    return LUN_DAV_XML_OPEN;
}


static lun_dav_xml_event
close_element(lun_dav_xml *x, const char *end)
{
    const char  *from = x->inner[x->depth - 1];

    x->content = lun_str_of(from, (size_t) (end - from));
    x->closed = true;

    return LUN_DAV_XML_CLOSE;
}


static lun_dav_xml_event
read_end(lun_dav_xml *x)
{
    lun_str      name;
    const char  *from = x->p - 2;

    if (x->depth == 0 || !read_name(x, &name)
        || !lun_str_eq(name, x->names[x->depth - 1]))
    {
        return LUN_DAV_XML_BAD;
    }

    skip_space(x);

    if (x->p == x->end || *x->p++ != '>') {
        return LUN_DAV_XML_BAD;
    }

    return close_element(x, from);
}


/* What CLOSE was said of is left. */
static void
leave(lun_dav_xml *x)
{
    x->closed = false;

    while (x->space_count > 0
           && x->spaces[x->space_count - 1].depth == x->depth)
    {
        x->space_count--;
    }

    x->depth--;
}


/* Behind "<": what is no element.  False: it is one. */
static bool
skip_other(lun_dav_xml *x, bool *bad)
{
    size_t  i;

    static const struct {
        lun_str  begin, end;
        bool     inside;           /* an element, only */
    } others[] = {
        { LUN_STR_INIT("!--"), LUN_STR_INIT("-->"), false },
        { LUN_STR_INIT("?"), LUN_STR_INIT("?>"), false },
        { LUN_STR_INIT("![CDATA["), LUN_STR_INIT("]]>"), true }
    };

    for (i = 0; i < LUN_ARRAY_LEN(others); i++) {
        if (lun_str_starts(rest_of(x), others[i].begin)) {
            x->p += others[i].begin.len;
            *bad = (others[i].inside && x->depth == 0)
                   || !skip_to(x, others[i].end);
            return true;
        }
    }

    return false;
}


lun_dav_xml_event
lun_dav_xml_next(lun_dav_xml *x)
{
    bool         bad;
    const char  *from;

    if (x->closed) {
        leave(x);
    }

    if (x->closing) {
        x->closing = false;
        return close_element(x, x->inner[x->depth - 1]);
    }

    for ( ;; ) {
        from = x->p;

        if (!skip_text(x, '<')) {
            return LUN_DAV_XML_BAD;
        }

        while (x->depth == 0 && from < x->p) {
            if (!is_space(*from++)) {
                return LUN_DAV_XML_BAD;        /* text around the root */
            }
        }

        if (x->p == x->end) {
            return x->depth == 0 && x->rooted ? LUN_DAV_XML_END
                                              : LUN_DAV_XML_BAD;
        }

        x->p++;

        if (skip_other(x, &bad)) {
            if (bad) {
                return LUN_DAV_XML_BAD;
            }

        } else if (x->p < x->end && *x->p == '/') {
            x->p++;
            return read_end(x);

        } else {
            return open_element(x);
        }
    }
}
