/*
 * http_answer.c -- reading an answer.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/http_answer.h"

#include "base/check.h"


enum { STATUS, FIELDS, COUNTED, CHUNKED, TO_THE_END, DONE };

enum { SWITCHING = 101, FINAL = 200, NO_CONTENT = 204, NOT_MODIFIED = 304 };


static lun_str
find_field(const lun_array *fields, lun_str name)
{
    size_t                 i;
    const lun_http_field  *f;

    for (i = 0; i < fields->count; i++) {
        f = lun_array_at(fields, i);

        if (lun_str_caseeq(f->name, name)) {
            return f->value;
        }
    }

    return LUN_STR_NULL;
}


lun_str
lun_http_answer_field(const lun_http_answer *a, lun_str name)
{
    return find_field(&a->fields, name);
}


lun_str
lun_http_answer_trailer(const lun_http_answer *a, lun_str name)
{
    lun_str  value = find_field(&a->trailers, name);

    return value.data != NULL ? value : find_field(&a->fields, name);
}


int64_t
lun_http_answer_grpc(const lun_http_answer *a)
{
    int64_t  n;
    lun_str  text = lun_http_answer_trailer(a, LUN_STR("grpc-status"));

    return text.data != NULL && lun_str_to_i64(text, &n) == LUN_OK && n >= 0
           ? n : -1;
}


/* --- what the header says ------------------------------------------------ */

static bool
has_token(lun_str list, lun_str token)
{
    size_t       n;
    const char  *comma;

    for ( ;; ) {
        comma = lun_str_chr(list, ',');
        n = comma != NULL ? (size_t) (comma - list.data) : list.len;

        if (lun_str_caseeq(lun_str_trim(lun_str_of(list.data, n)), token)) {
            return true;
        }

        if (comma == NULL) {
            return false;
        }

        list = lun_str_of(comma + 1, list.len - n - 1);
    }
}


/* Whether the field says so in any of its lines. */
static bool
says(const lun_http_answer *a, lun_str name, lun_str token)
{
    size_t                 i;
    const lun_http_field  *f;

    for (i = 0; i < a->fields.count; i++) {
        f = lun_array_at(&a->fields, i);

        if (lun_str_caseeq(f->name, name) && has_token(f->value, token)) {
            return true;
        }
    }

    return false;
}


/* False: its lines do not say one thing. */
static bool
find_framing(lun_http_answer *a, bool *chunked, int64_t *length)
{
    size_t                 i;
    uint64_t               n;
    const lun_http_field  *f;

    *chunked = false;
    *length = -1;

    for (i = 0; i < a->fields.count; i++) {
        f = lun_array_at(&a->fields, i);

        if (lun_str_caseeq(f->name, LUN_STR("Transfer-Encoding"))) {
            if (*chunked || a->version < 1001
                || !lun_str_caseeq(f->value, LUN_STR("chunked")))
            {
                return false;
            }

            *chunked = true;

        } else if (lun_str_caseeq(f->name, LUN_STR("Content-Length"))) {
            if (*length != -1 || lun_str_to_u64(f->value, &n) != LUN_OK
                || n > INT64_MAX)
            {
                return false;
            }

            *length = (int64_t) n;
        }
    }

    return !*chunked || *length == -1;
}


static lun_http_answer_verdict
end_header(lun_http_answer *a)
{
    bool  chunked;

    if (a->status < FINAL) {
        if (a->status == SWITCHING) {
            return LUN_HTTP_ANSWER_BAD;        /* nobody has asked for it */
        }

        a->fields.count = 0;
        a->state = STATUS;
        return LUN_HTTP_ANSWER_MORE;
    }

    if (!find_framing(a, &chunked, &a->length)) {
        return LUN_HTTP_ANSWER_BAD;
    }

    a->persistent = a->version >= 1001
                    ? !says(a, LUN_STR("Connection"), LUN_STR("close"))
                    : says(a, LUN_STR("Connection"), LUN_STR("keep-alive"));

    if (a->bodiless || a->status == NO_CONTENT || a->status == NOT_MODIFIED
        || a->length == 0)
    {
        a->state = DONE;

    } else if (chunked) {
        a->state = CHUNKED;

    } else if (a->length > 0) {
        a->state = COUNTED;
        a->left = (uint64_t) a->length;

    } else {
        a->state = TO_THE_END;
        a->persistent = false;
    }

    a->whole_header = true;
    return a->state == COUNTED && a->left > a->body_most
           ? LUN_HTTP_ANSWER_TOO_LARGE : LUN_HTTP_ANSWER_HEAD;
}


/* --- the header ---------------------------------------------------------- */

/* MORE: or the line is used up. */
static lun_http_answer_verdict
use_line(lun_http_answer *a, const char **pos, size_t size)
{
    *pos += size;
    a->header_size += size;
    return a->header_size > a->header_most ? LUN_HTTP_ANSWER_TOO_LARGE
                                           : LUN_HTTP_ANSWER_MORE;
}


static lun_http_answer_verdict
wait_for_line(const lun_http_answer *a, const char *pos, const char *end,
    bool ended)
{
    return a->header_size + (size_t) (end - pos) > a->header_most
           ? LUN_HTTP_ANSWER_TOO_LARGE
           : ended ? LUN_HTTP_ANSWER_CUT : LUN_HTTP_ANSWER_MORE;
}


static lun_http_answer_verdict
read_status(lun_http_answer *a, const char **pos, const char *end, bool ended)
{
    lun_h1_status  s;

    switch (lun_h1_parse_status(&a->parser, *pos, (size_t) (end - *pos), &s)) {

    case LUN_H1_DONE:
        a->version = s.version;
        a->status = s.status;
        a->line = lun_pool_str(a->pool, s.line);
        a->state = FIELDS;
        return use_line(a, pos, s.size);

    case LUN_H1_MORE:
        return wait_for_line(a, *pos, end, ended);

    default:
        return LUN_HTTP_ANSWER_BAD;
    }
}


static lun_http_answer_verdict
read_field(lun_http_answer *a, const char **pos, const char *end, bool ended)
{
    lun_h1_header             h;
    lun_http_field           *f;
    lun_http_answer_verdict   v;

    switch (lun_h1_parse_header(&a->parser, *pos, (size_t) (end - *pos), &h)) {

    case LUN_H1_DONE:
        f = lun_array_push(&a->fields);
        f->name = lun_pool_str(a->pool, h.name);
        f->value = lun_pool_str(a->pool, h.value);
        return use_line(a, pos, h.size);

    case LUN_H1_END:
        v = use_line(a, pos, h.size);
        return v == LUN_HTTP_ANSWER_MORE ? end_header(a) : v;

    case LUN_H1_MORE:
        return wait_for_line(a, *pos, end, ended);

    default:
        return LUN_HTTP_ANSWER_BAD;
    }
}


/* MORE: no line is left that is whole. */
static lun_http_answer_verdict
read_header(lun_http_answer *a, const char **pos, const char *end, bool ended)
{
    const char               *before;
    lun_http_answer_verdict   v;

    if (a->fields.pool == NULL) {
        lun_array_init(&a->fields, a->pool, sizeof(lun_http_field), 16);
        a->length = -1;
    }

    do {
        before = *pos;
        v = a->state == STATUS ? read_status(a, pos, end, ended)
                               : read_field(a, pos, end, ended);
    } while (v == LUN_HTTP_ANSWER_MORE && *pos != before);

    return v;
}


/* --- the body ------------------------------------------------------------ */

static lun_http_answer_verdict
add_piece(lun_http_answer *a, lun_str piece)
{
    a->body_size += piece.len;
    return a->body_size > a->body_most ? LUN_HTTP_ANSWER_TOO_LARGE
                                       : LUN_HTTP_ANSWER_PIECE;
}


static lun_http_answer_verdict
read_counted(lun_http_answer *a, const char **pos, const char *end,
    lun_str *piece)
{
    size_t  n = (size_t) lun_min(a->left, (uint64_t) (end - *pos));

    if (n == 0) {
        return LUN_HTTP_ANSWER_MORE;
    }

    *piece = lun_str_of(*pos, n);
    *pos += n;
    a->left -= n;
    a->state = a->left == 0 ? DONE : COUNTED;
    return add_piece(a, *piece);
}


static lun_http_answer_verdict
read_chunked(lun_http_answer *a, const char **pos, const char *end,
    lun_str *piece)
{
    switch (lun_chunked_next(&a->chunked, pos, end, piece)) {

    case LUN_CHUNKED_DATA:
        return add_piece(a, *piece);

    case LUN_CHUNKED_MORE:
        return LUN_HTTP_ANSWER_MORE;

    case LUN_CHUNKED_DONE:
        a->state = DONE;
        return LUN_HTTP_ANSWER_DONE;

    default:
        return LUN_HTTP_ANSWER_BAD;
    }
}


static lun_http_answer_verdict
read_to_the_end(lun_http_answer *a, const char **pos, const char *end,
    bool ended, lun_str *piece)
{
    *piece = lun_str_of(*pos, (size_t) (end - *pos));
    *pos = end;

    if (piece->len != 0) {
        return add_piece(a, *piece);
    }

    a->state = ended ? DONE : TO_THE_END;
    return ended ? LUN_HTTP_ANSWER_DONE : LUN_HTTP_ANSWER_MORE;
}


/*
 * The end of the connection is that of the body only where nothing else says
 * where it ends; anywhere else it means that the answer was cut short.
 */
lun_http_answer_verdict
lun_http_answer_next(lun_http_answer *a, const char **pos, const char *end,
    bool ended, lun_str *piece)
{
    lun_http_answer_verdict  v;

    LUN_CHECK(a->pool != NULL && *pos <= end);

    switch (a->state) {

    case STATUS:
    case FIELDS:
        return read_header(a, pos, end, ended);

    case COUNTED:
        v = read_counted(a, pos, end, piece);
        break;

    case CHUNKED:
        v = read_chunked(a, pos, end, piece);
        break;

    case TO_THE_END:
        return read_to_the_end(a, pos, end, ended, piece);

    default:
        return LUN_HTTP_ANSWER_DONE;
    }

    return v == LUN_HTTP_ANSWER_MORE && ended ? LUN_HTTP_ANSWER_CUT : v;
}
