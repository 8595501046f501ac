/*
 * resp.c -- replies of a Redis server, value by value.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/resp.h"

#include "base/fmt.h"


enum { MOST_PARTS = 1 << 30 };     /* of one array */

/* What stands behind a value's line. */
typedef enum { ALONE, BYTES, PARTS } rest_kind;


/* The line behind the first byte of a value, without its end. */
static lun_resp_verdict
read_line(const char *pos, const char *end, lun_str *line)
{
    size_t       have = (size_t) (end - pos);
    const char  *lf = memchr(pos, '\n', lun_min(have, (size_t) LUN_RESP_LINE));

    if (lf == NULL) {
        return have < LUN_RESP_LINE ? LUN_RESP_MORE : LUN_RESP_BAD;
    }

    if (lf - pos < 2 || lf[-1] != '\r') {
        return LUN_RESP_BAD;
    }

    *line = lun_str_of(pos + 1, (size_t) (lf - pos) - 2);
    return LUN_RESP_VALUE;
}


static rest_kind
rest_of(char kind)
{
    switch (kind) {

    case '$':
    case '!':
    case '=':
        return BYTES;

    case '*':
    case '%':
    case '~':
    case '>':
        return PARTS;

    default:
        return ALONE;
    }
}


/* A value that its line says. */
static bool
read_alone(char kind, lun_str line, lun_resp_value *v)
{
    switch (kind) {

    case '+':
    case ',':
    case '(':
        v->kind = LUN_RESP_TEXT;
        v->text = line;
        return true;

    case '-':
        v->kind = LUN_RESP_ERROR;
        v->text = line;
        return true;

    case ':':
        v->kind = LUN_RESP_NUMBER;
        return lun_str_to_i64(line, &v->number) == LUN_OK;

    case '#':
        v->kind = LUN_RESP_NUMBER;
        v->number = lun_str_eq(line, LUN_STR("t"));
        return v->number || lun_str_eq(line, LUN_STR("f"));

    case '_':
        v->kind = LUN_RESP_NIL;
        return line.len == 0;

    default:
        return false;
    }
}


/* It is behind its arrays that have no more parts to come. */
static void
leave_arrays(lun_resp *p, lun_resp_value *v)
{
    while (p->depth != 0 && --p->left[p->depth - 1] == 0) {
        p->depth--;
    }

    v->last = p->depth == 0;
}


static lun_resp_verdict
read_parts(lun_resp *p, char kind, int64_t count, lun_resp_value *v)
{
    if (count == -1 && kind == '*') {
        v->kind = LUN_RESP_NIL;
        leave_arrays(p, v);
        return LUN_RESP_VALUE;
    }

    if (count < 0 || count > MOST_PARTS) {
        return LUN_RESP_BAD;
    }

    v->kind = LUN_RESP_ARRAY;
    v->push = kind == '>';
    v->number = kind == '%' ? 2 * count : count;

    if (v->number == 0) {
        leave_arrays(p, v);
        return LUN_RESP_VALUE;
    }

    if (p->depth == LUN_RESP_DEPTH) {
        return LUN_RESP_BAD;
    }

    p->left[p->depth++] = v->number;
    return LUN_RESP_VALUE;
}


/* *pos is where its bytes begin. */
static lun_resp_verdict
read_bytes(lun_resp *p, char kind, int64_t size, const char **pos,
    const char *end, lun_resp_value *v)
{
    enum { FORMAT = 4 };           /* "txt:" of a verbatim string */

    if (size == -1 && kind == '$') {
        v->kind = LUN_RESP_NIL;
        return LUN_RESP_VALUE;
    }

    if (size < 0 || (uint64_t) size > p->text_most) {
        return LUN_RESP_BAD;
    }

    if (end - *pos < size + 2) {
        p->needs = (size_t) size + 2;
        return LUN_RESP_MORE;
    }

    v->kind = kind == '!' ? LUN_RESP_ERROR : LUN_RESP_TEXT;
    v->text = lun_str_of(*pos, (size_t) size);
    *pos += size;

    if ((*pos)[0] != '\r' || (*pos)[1] != '\n') {
        return LUN_RESP_BAD;
    }

    *pos += 2;

    if (kind == '=') {
        if (size < FORMAT) {
            return LUN_RESP_BAD;
        }

        v->text.data += FORMAT;
        v->text.len -= FORMAT;
    }

    return LUN_RESP_VALUE;
}


lun_resp_verdict
lun_resp_next(lun_resp *p, const char **pos, const char *end,
    lun_resp_value *v)
{
    char              kind;
    int64_t           n;
    lun_str           line;
    const char       *at;
    lun_resp_verdict  rc;

    *v = (lun_resp_value) { .depth = p->depth };
    p->needs = 0;

    if (*pos == end) {
        return LUN_RESP_MORE;
    }

    rc = read_line(*pos, end, &line);

    if (rc != LUN_RESP_VALUE) {
        return rc;
    }

    kind = **pos;
    at = line.data + line.len + 2;

    if (rest_of(kind) == ALONE) {
        rc = read_alone(kind, line, v) ? LUN_RESP_VALUE : LUN_RESP_BAD;

    } else if (lun_str_to_i64(line, &n) != LUN_OK) {
        return LUN_RESP_BAD;

    } else if (rest_of(kind) == PARTS) {
        rc = read_parts(p, kind, n, v);

        if (rc == LUN_RESP_VALUE) {
            *pos = at;
        }

        return rc;

    } else {
        rc = read_bytes(p, kind, n, &at, end, v);
        p->needs += p->needs != 0 ? (size_t) (at - *pos) : 0;
    }

    if (rc == LUN_RESP_VALUE) {
        *pos = at;
        leave_arrays(p, v);
    }

    return rc;
}


size_t
lun_resp_head(char *to, char kind, uint64_t n)
{
    return (size_t) (lun_fmt(to, to + LUN_RESP_HEAD, "%c%" PRIu64 "\r\n", kind,
                             n) - to);
}
