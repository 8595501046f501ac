/*
 * h1_parse.c -- the pure HTTP/1 parser.
 *
 * The end of the line is found first, with memchr over bytes that have not
 * been looked at yet; a whole line is then taken apart in one pass.  Its LF
 * is the sentinel that ends every inner loop, so none counts bytes.  What a
 * byte may be is one table.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/h1_parse.h"


enum {
    METHOD = 1,                    /* A-Z _ - */
    NAME   = 2,                    /* a-z A-Z 0-9 - : an ordinary name */
    TARGET = 4,                    /* nothing to notice in a path */
    SCHEME = 8,
    TEXT   = 16,                   /* no control, no space */

    ANY    = TARGET | TEXT         /* what no URI may hold, too: it is sent */
};

static const uint8_t  bytes[256] = {
    ['!' ... '"'] = ANY, ['#'] = TEXT, ['$'] = ANY, ['%'] = TEXT,
    ['&' ... '*'] = ANY, ['+'] = ANY | SCHEME, [','] = ANY,
    ['-'] = ANY | METHOD | NAME | SCHEME, ['.'] = ANY | SCHEME,
    ['/'] = TEXT, ['0' ... '9'] = ANY | NAME | SCHEME,
    [':' ... '>'] = ANY, ['?'] = TEXT, ['@'] = ANY,
    ['A' ... 'Z'] = ANY | METHOD | NAME | SCHEME,
    ['['] = ANY, ['\\'] = TEXT, [']' ... '^'] = ANY, ['_'] = ANY | METHOD,
    ['`'] = ANY, ['a' ... 'z'] = ANY | NAME | SCHEME, ['{' ... '~'] = ANY,
    [0x80 ... 0xff] = ANY
};

#define ONES               UINT64_C(0x0101010101010101)


static inline bool
is(const char *p, int kind)
{
    return (bytes[(unsigned char) *p] & kind) != 0;
}


static inline lun_str
between(const char *from, const char *to)
{
    return lun_str_of(from, (size_t) (to - from));
}


static inline lun_h1_verdict
end_with(lun_h1_parser *p, lun_h1_verdict verdict)
{
    lun_h1_parser_reset(p);
    return verdict;
}


/*
 * The line is not whole yet: the method must not be wrong already.  Bytes
 * that were seen to be a method are not looked at again.
 */
static lun_h1_verdict
check_beginning(lun_h1_parser *p, const char *data, size_t size)
{
    size_t  i = p->start + p->method;

    while (i < size && is(data + i, METHOD)) {
        i++;
    }

    p->at = size;
    p->method = i - p->start;

    if (i < size && (data[i] != ' ' || p->method == 0)) {
        return end_with(p, LUN_H1_BAD_METHOD);
    }

    return LUN_H1_MORE;
}


/*
 * From the path to the space or the end behind the target.  Everything is
 * remembered that makes the path other than plain.
 */
static const char *
take_path(lun_h1_line *line, const char *p)
{
    const char  *path = p;

    for ( ;; ) {
        while (is(p, TARGET)) {
            p++;
        }

        switch (*p) {

        case '/':
            line->has_special |= p[1] == '/' || p[1] == '.';
            break;

        case '\\':
            line->has_special = true;
            break;

        case '%':
            line->has_escape = true;
            break;

        default:                    /* ? # space, control */
            line->path = between(path, p);
            return p;
        }

        p++;
    }
}


/* The query ends at a '#', which nobody should send; what follows is lost. */
static const char *
take_query(lun_h1_line *line, const char *p)
{
    const char  *query = NULL;

    if (*p == '?') {
        query = ++p;

        while (is(p, TEXT) && *p != '#') {
            p++;
        }

        line->query = between(query, p);
    }

    while (is(p, TEXT)) {
        p++;
    }

    return p;
}


/*
 * "http://host:port" and what follows; NULL if it is not that.  A missing
 * path is "/": the second slash before the host serves, so that the result is
 * a view all the same.
 */
static const char *
take_absolute(lun_h1_line *line, const char *p)
{
    const char  *from = p;

    if (lun_lower(*p) < 'a' || lun_lower(*p) > 'z') {
        return NULL;
    }

    while (is(p, SCHEME)) {
        p++;
    }

    line->scheme = between(from, p);

    if (p[0] != ':' || p[1] != '/' || p[2] != '/') {
        return NULL;
    }

    p += 3;
    from = p;

    while (is(p, TEXT) && *p != '/' && *p != '?' && *p != '#') {
        p++;
    }

    if (p == from) {
        return NULL;
    }

    line->host = between(from, p);

    if (*p == '/') {
        return p;
    }

    line->path = between(from - 1, from);
    line->target = line->path;

    return p;
}


/* "host:port", all that CONNECT may have; NULL if it is not that. */
static const char *
take_authority(lun_h1_line *line, const char *p)
{
    const char  *from = p, *colon = NULL;

    for ( ; is(p, TEXT) && *p != '/' && *p != '?' && *p != '#'; p++) {
        if (*p == ':') {
            colon = p;
        }
    }

    if (*p != ' ' || colon == NULL || colon == from || colon + 1 == p
        || !lun_is_digit(p[-1]))
    {
        return NULL;
    }

    line->host = between(from, p);
    line->target = line->host;
    line->path = LUN_STR("/");

    return p;
}


static lun_h1_verdict
take_number(lun_str *s, unsigned *n)
{
    unsigned  v = 0;

    if (s->len == 0 || !lun_is_digit(s->data[0])) {
        return LUN_H1_BAD;
    }

    for ( /* void */ ; s->len != 0 && lun_is_digit(s->data[0]); s->data++) {
        v = v * 10 + (unsigned) (s->data[0] - '0');
        s->len--;

        if (v > 99) {
            return LUN_H1_BAD;
        }
    }

    *n = v;
    return LUN_H1_DONE;
}


/* Behind the target: "HTTP/1.1", or nothing, which is HTTP/0.9. */
static lun_h1_verdict
take_version(lun_h1_line *line, lun_str s)
{
    unsigned  major, minor;

    if (LUN_LIKELY(s.len == 8 && memcmp(s.data, "HTTP/1.", 7) == 0
                   && lun_is_digit(s.data[7])))
    {
        line->version = 1000 + (unsigned) (s.data[7] - '0');
        return LUN_H1_DONE;
    }

    while (s.len != 0 && s.data[s.len - 1] == ' ') {
        s.len--;
    }

    if (s.len == 0) {
        line->version = 9;
        return LUN_H1_DONE;
    }

    if (!lun_str_starts(s, LUN_STR("HTTP/"))) {
        return LUN_H1_BAD;
    }

    s = between(s.data + 5, s.data + s.len);

    if (lun_str_starts(s, LUN_STR("0"))
        || take_number(&s, &major) != LUN_H1_DONE)
    {
        return LUN_H1_BAD;
    }

    if (major > 1) {
        return LUN_H1_BAD_VERSION;
    }

    if (s.len == 0 || s.data[0] != '.') {
        return LUN_H1_BAD;
    }

    s = between(s.data + 1, s.data + s.len);

    if (take_number(&s, &minor) != LUN_H1_DONE || s.len != 0) {
        return LUN_H1_BAD;
    }

    line->version = 1000 + minor;
    return LUN_H1_DONE;
}


/* A whole line, with its LF: "GET /path?query HTTP/1.1". */
static lun_h1_verdict
parse_whole(lun_h1_line *line, const char *p, const char *end)
{
    const char      *from = p;
    lun_h1_verdict   verdict;

    while (is(p, METHOD)) {
        p++;
    }

    if (p == from || *p != ' ') {
        return LUN_H1_BAD_METHOD;
    }

    line->method = between(from, p);

    while (*p == ' ') {
        p++;
    }

    if (lun_str_eq(line->method, LUN_STR("CONNECT"))) {
        p = take_authority(line, p);

    } else if (*p != '/') {
        p = take_absolute(line, p);
    }

    if (p == NULL) {
        return LUN_H1_BAD;
    }

    from = p;

    if (*p == '/') {
        p = take_path(line, p);
    }

    p = take_query(line, p);

    if (p != from) {
        line->target = between(from, p);
    }

    /* Another control than the line's end stopped one of the loops. */
    if (p != end && *p != ' ') {
        return LUN_H1_BAD;
    }

    while (*p == ' ') {
        p++;
    }

    verdict = take_version(line, between(p, end));

    return verdict == LUN_H1_DONE && line->version == 9
           && !lun_str_eq(line->method, LUN_STR("GET"))
           ? LUN_H1_BAD_OLD_METHOD : verdict;
}


/*
 * Empty lines before a request are passed over (RFC 9112, 2.2).  `at` remembers
 * how far was searched: a line that comes byte by byte is looked at once.
 */
lun_h1_verdict
lun_h1_parse_line(lun_h1_parser *p, const char *data, size_t size,
    lun_h1_line *line)
{
    size_t       from;
    const char  *lf, *end, *start;

    while (p->start < size
           && (data[p->start] == '\r' || data[p->start] == '\n'))
    {
        p->start++;
    }

    from = lun_max(p->at, p->start);

    if (from >= size) {
        return LUN_H1_MORE;
    }

    lf = memchr(data + from, '\n', size - from);

    if (lf == NULL) {
        return check_beginning(p, data, size);
    }

    start = data + p->start;
    end = lf[-1] == '\r' ? lf - 1 : lf;

    *line = (lun_h1_line) {
        .line = between(start, end),
        .size = (size_t) (lf + 1 - data),
    };

    return end_with(p, parse_whole(line, start, end));
}


/*
 * Eight bytes without a control or DEL?  The first sum borrows from bit 7
 * where a byte is below 32, the second where it is 127; other bits of a word
 * with such a byte may be wrong, a word without one is told for certain.
 */
static inline bool
eight_are_text(const char *p)
{
    uint64_t  v, del;

    memcpy(&v, p, sizeof(v));
    del = v ^ 0x7f * ONES;

    return ((((v - 0x20 * ONES) & ~v) | ((del - ONES) & ~del))
            & 0x80 * ONES) == 0;
}


static inline bool
is_text(lun_str s)
{
    const char  *p = s.data, *end = p + s.len;

    while (end - p >= 8 && eight_are_text(p)) {
        p += 8;
    }

    /* Fewer than eight, with some that were looked at. */
    if (end - p < 8 && s.len >= 8 && eight_are_text(end - 8)) {
        return true;
    }

    /* What is left of them; all of it, where a tab is among eight. */
    for ( ; p < end; p++) {
        if (!is(p, TEXT) && *p != ' ' && *p != '\t') {
            return false;
        }
    }

    return true;
}


bool
lun_h1_is_text(lun_str s)
{
    return is_text(s);
}


/* What is behind the colon: nearly always one space, and none at its end. */
static inline lun_str
take_value(const char *p, const char *end)
{
    p += *p == ' ';                /* the line's end is none */

    if (LUN_LIKELY(p < end && *p != ' ' && *p != '\t' && end[-1] != ' '
                   && end[-1] != '\t'))
    {
        return between(p, end);
    }

    return lun_str_trim(between(p, end));
}


/* Up to the colon; NULL if there is none or the name cannot be one. */
static const char *
take_name(lun_h1_header *header, const char *p)
{
    const char  *from = p;

    for ( ;; ) {
        while (is(p, NAME)) {
            p++;
        }

        if (*p == ':') {
            break;
        }

        if (!is(p, TEXT)) {
            return NULL;
        }

        header->underscore |= *p == '_';
        header->odd |= *p != '_';
        p++;
    }

    header->name = between(from, p);
    return p != from ? p : NULL;
}


/*
 * A lone LF ends a line as CRLF does (RFC 9112, 2.2); a name has to be followed
 * by its colon at once, since a space between them is how requests are
 * smuggled.
 */
lun_h1_verdict
lun_h1_parse_header(lun_h1_parser *p, const char *data, size_t size,
    lun_h1_header *header)
{
    const char  *lf, *end, *colon;

    lf = p->at < size ? memchr(data + p->at, '\n', size - p->at) : NULL;

    if (lf == NULL) {
        p->at = size;
        return LUN_H1_MORE;
    }

    end = lf != data && lf[-1] == '\r' ? lf - 1 : lf;
    *header = (lun_h1_header) { .size = (size_t) (lf + 1 - data) };

    if (end == data) {
        return end_with(p, LUN_H1_END);
    }

    colon = take_name(header, data);

    if (colon == NULL) {
        return end_with(p, LUN_H1_BAD);
    }

    header->value = take_value(colon + 1, end);

    return end_with(p, is_text(header->value) ? LUN_H1_DONE : LUN_H1_BAD);
}
