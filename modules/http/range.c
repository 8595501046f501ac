/*
 * range.c -- parts of an answer: Range, If-Range, 206 and 416.
 *
 * Two filters: the body is cut before anything else looks at it, while the
 * header is checked last, when it is known that nobody changes the body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "os/clock.h"


typedef struct {
    int64_t  start;
    int64_t  end;                  /* behind the last byte */
    lun_str  head;                 /* multipart: what stands before it */
} range;

typedef struct {
    lun_array  ranges;
    int64_t    offset;             /* of the body that has passed */
    lun_str    boundary;           /* "\r\n--0001"; multipart */
} range_state;

/* max_ranges without a word; bytes that a part counts for, beside its own; and
   how much longer than the whole the parts may be. */
enum { UNLIMITED = INT32_MAX, PART_COST = 256, PARTS_FREE = 4096 };

typedef enum {
    RANGES_NONE,                   /* the whole of it is sent */
    RANGES_FINE,
    RANGES_WRONG                   /* 416 */
} range_verdict;

extern lun_http_module  lun_http_range;


/* --- the request --- */

static bool
number(const char **p, const char *end, int64_t *n)
{
    const char  *start = *p;

    for (*n = 0; *p != end && lun_is_digit(**p); (*p)++) {
        if (*n > (INT64_MAX - 9) / 10) {
            return false;
        }

        *n = *n * 10 + (**p - '0');
    }

    return *p != start;
}


static const char *
skip_spaces(const char *p, const char *end)
{
    while (p != end && *p == ' ') {
        p++;
    }

    return p;
}


/* One of "a-b", "a-", "-n".  False: malformed. */
static bool
read_range(const char **p, const char *end, int64_t size, range *out)
{
    int64_t  n;

    *p = skip_spaces(*p, end);

    if (*p != end && **p == '-') {
        (*p)++;

        if (!number(p, end, &n)) {
            return false;
        }

        out->start = n < size ? size - n : 0;
        out->end = n == 0 ? 0 : size;
        *p = skip_spaces(*p, end);
        return true;
    }

    if (!number(p, end, &out->start)) {
        return false;
    }

    *p = skip_spaces(*p, end);

    if (*p == end || *(*p)++ != '-') {
        return false;
    }

    *p = skip_spaces(*p, end);

    if (*p == end || **p == ',') {
        out->end = size;
        return true;
    }

    if (!number(p, end, &n)) {
        return false;
    }

    *p = skip_spaces(*p, end);
    out->end = n >= size ? size : n + 1;

    if (n < out->start) {
        out->end = out->start;     /* empty, and therefore not sent */
    }

    return true;
}


static range_verdict
parse(lun_str text, int64_t size, int64_t most, lun_array *ranges)
{
    range        one;
    bool         unlimited = most == UNLIMITED;
    int64_t      total = 0, spare = 0;
    const char  *p = text.data, *end = text.data + text.len;

    for ( ;; ) {
        one = (range) { 0 };

        if (!read_range(&p, end, size, &one)) {
            return RANGES_WRONG;
        }

        if (one.start < one.end) {
            if (most-- == 0) {
                return RANGES_NONE;
            }

            if (one.end - one.start > INT64_MAX - total) {
                return RANGES_WRONG;
            }

            *(range *) lun_array_push(ranges) = one;
            total += one.end - one.start;

        } else if (one.start == 0) {
            return RANGES_NONE;
        }

        if (p == end) {
            break;
        }

        if (*p++ != ',') {
            return RANGES_WRONG;
        }
    }

    if (ranges->count == 0) {
        return RANGES_WRONG;
    }

    /* Each part has a head of its own, and many small ones are an attack. */
    if (ranges->count > 1 && unlimited) {
        spare = PARTS_FREE - (int64_t) ranges->count * PART_COST;
    }

    return total - size > lun_min(spare, (int64_t) 0) ? RANGES_NONE
                                                      : RANGES_FINE;
}


/* If-Range: a tag or a date that must be the present one. */
static bool
still_the_same(const lun_request *r)
{
    int64_t            sec;
    const lun_header  *h = r->in.known[LUN_HIN_IF_RANGE], *etag;

    if (h == NULL) {
        return true;
    }

    if (h->value.len >= 2 && h->value.data[h->value.len - 1] == '"') {
        etag = r->out.known[LUN_HOUT_ETAG];
        return etag != NULL && lun_str_eq(etag->value, h->value);
    }

    return r->out.last_modified != -1
           && lun_http_date_parse(h->value, &sec) == LUN_OK
           && sec == r->out.last_modified;
}


/* --- the header --- */

static lun_rc
not_satisfiable(lun_request *r)
{
    lun_http_set_out(r, LUN_STR("Content-Range"),
                     lun_pool_fmt(r->pool, "bytes */%" PRId64,
                                  r->out.content_length));
    lun_http_clear_length(r);
    r->refused = 416;              /* what it has been given is kept */
    return LUN_ERROR;
}


static lun_str
range_text(lun_request *r, const range *one, int64_t size)
{
    return lun_pool_fmt(r->pool, "bytes %" PRId64 "-%" PRId64 "/%" PRId64,
                        one->start, one->end - 1, size);
}


static void
single(lun_request *r, range_state *state)
{
    const range  *one = state->ranges.items;

    lun_http_set_out(r, LUN_STR("Content-Range"),
                     range_text(r, one, r->out.content_length));
    r->out.content_offset = one->start;
    r->out.content_length = one->end - one->start;
}


static void
multipart(lun_request *r, range_state *state)
{
    range           *one;
    size_t           i;
    int64_t          len, size = r->out.content_length;
    lun_str          type = LUN_STR("");
    static uint64_t  count;

    state->boundary = lun_pool_fmt(r->pool, "\r\n--%020" PRIu64, ++count);

    if (r->out.content_type.len != 0) {
        type = lun_pool_fmt(r->pool, "Content-Type: %.*s%s%.*s\r\n",
                            LUN_S(r->out.content_type),
                            r->out.charset.len != 0 ? "; charset=" : "",
                            LUN_S(r->out.charset));
    }

    len = (int64_t) state->boundary.len + 4;

    for (i = 0; i < state->ranges.count; i++) {
        one = lun_array_at(&state->ranges, i);
        one->head = lun_pool_fmt(r->pool, "%.*s\r\n%.*sContent-Range: %.*s"
                                 "\r\n\r\n", LUN_S(state->boundary),
                                 LUN_S(type),
                                 LUN_S(range_text(r, one, size)));
        len += (int64_t) one->head.len + one->end - one->start;
    }

    r->out.content_type = lun_pool_fmt(r->pool, "multipart/byteranges; "
                                       "boundary=%.*s",
                                       (int) state->boundary.len - 4,
                                       state->boundary.data + 4);
    r->out.charset = LUN_STR_NULL;
    r->out.charset_wanted = LUN_STR_NULL;
    r->out.content_length = len;

    /* Each part has its own (RFC 9110, 15.3.7.2). */
    lun_http_set_out(r, LUN_STR("Content-Range"), LUN_STR_NULL);
}


/* A part of an answer, of which the client wants what its main one found. */
static lun_rc
part_of_main(lun_request *r)
{
    range_state        *state;
    const range_state  *whole = lun_http_state(r->main, &lun_http_range);

    if (whole != NULL) {
        state = lun_pool_new(r->pool, range_state);
        *state = *whole;
        state->offset = r->out.content_offset;
        lun_http_set_state(r, &lun_http_range, state);
    }

    return lun_http_next_header(r, &lun_http_range);
}


static lun_rc
on_header(lun_request *r)
{
    lun_str            text;
    range_state       *state;
    const lun_header  *h = r->in.known[LUN_HIN_RANGE];

    if (r->slice && r->parent != NULL) {
        return part_of_main(r);
    }

    /* A subrequest's part of an answer is a part of something else. */
    if (!r->allow_ranges || r->version < 1000 || r->out.status != 200
        || r->parent != NULL || r->out.content_length == -1
        || lun_core_conf_of(r)->max_ranges == 0)
    {
        return lun_http_next_header(r, &lun_http_range);
    }

    if (h == NULL
        || !lun_str_caseafter(h->value, LUN_STR("bytes="), &text)
        || text.len == 0
        || !still_the_same(r))
    {
        goto whole;
    }

    state = lun_pool_new(r->pool, range_state);
    state->offset = r->out.content_offset;
    lun_array_init(&state->ranges, r->pool, sizeof(range), 1);

    switch (parse(text, r->out.content_length,
                  r->single_range ? 1 : lun_core_conf_of(r)->max_ranges,
                  &state->ranges))
    {

    case RANGES_WRONG:
        return not_satisfiable(r);

    case RANGES_FINE:
        lun_http_set_state(r, &lun_http_range, state);
        r->out.status = 206;
        r->out.status_line = LUN_STR_NULL;

        if (state->ranges.count == 1) {
            single(r, state);

        } else {
            multipart(r, state);
        }

        return lun_http_next_header(r, &lun_http_range);

    case RANGES_NONE:
        break;
    }

whole:

    lun_http_set_out(r, LUN_STR("Accept-Ranges"), LUN_STR("bytes"));
    return lun_http_next_header(r, &lun_http_range);
}


/* --- the body --- */

/* Narrows a buf whose first byte is at `offset` of the body. */
static void
cut(lun_buf *b, int64_t offset, int64_t start, int64_t end)
{
    int64_t  size = lun_buf_size(b), front, back;

    front = lun_min(lun_max(start - offset, 0), size);
    back = lun_min(lun_max(offset + size - end, 0), size - front);

    if (b->in_file) {
        b->file_pos += front;
        b->file_last -= back;

    } else {
        b->pos += front;
        b->last -= back;
    }
}


static lun_rc
send_single(lun_request *r, range_state *state, lun_buf *in)
{
    bool          last = false;
    int64_t       size;
    lun_buf      *b, *next;
    lun_chain     out;
    const range  *one = state->ranges.items;

    lun_chain_init(&out);

    for (b = in; b != NULL; b = next) {
        next = b->next;
        size = lun_buf_size(b);
        last |= b->eof || b->eof_part;

        if (size != 0) {
            cut(b, state->offset, one->start, one->end);
            state->offset += size;

            /* Behind the part: the answer is complete before its source. */
            if (lun_buf_size(b) == 0 && !b->eof && !b->eof_part && !b->flush
                && !b->recycled)
            {
                continue;
            }
        }

        lun_chain_push(&out, b);
    }

    return out.head != NULL || last
           ? lun_http_next_body(r, &lun_http_range, out.head) : LUN_OK;
}


static lun_buf *
part_of(lun_request *r, const lun_buf *whole, int64_t offset, const range *one)
{
    lun_buf  *b = lun_buf_new(r->pool);

    *b = *whole;
    b->next = NULL;
    b->tag = NULL;
    b->eof = b->eof_part = b->recycled = 0;
    cut(b, offset, one->start, one->end);

    return b;
}


/* Parts may come in any order, so the body must be one buf. */
static lun_rc
send_multipart(lun_request *r, range_state *state, lun_buf *in)
{
    size_t        i;
    lun_buf      *b;
    lun_chain     out;
    const range  *one;

    for (b = in; b != NULL && lun_buf_size(b) == 0; b = b->next) {
        /* nothing but flags */
    }

    if (b == NULL) {
        return lun_http_next_body(r, &lun_http_range, in);
    }

    lun_chain_init(&out);

    for (i = 0; i < state->ranges.count; i++) {
        one = lun_array_at(&state->ranges, i);

        if (one->start < state->offset
            || one->end > state->offset + lun_buf_size(b))
        {
            lun_log(LUN_LOG_ALERT, r->log, 0, "range in overlapped buffers");
            return LUN_ERROR;
        }

        lun_chain_push(&out, lun_buf_new_str(r->pool, one->head));
        lun_chain_push(&out, part_of(r, b, state->offset, one));
    }

    state->offset += lun_buf_size(b);

    b = lun_buf_new_str(r->pool, lun_pool_fmt(r->pool, "%.*s--\r\n",
                                              LUN_S(state->boundary)));
    b->eof = 1;
    lun_chain_push(&out, b);

    return lun_http_next_body(r, &lun_http_range, out.head);
}


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    range_state  *state = lun_http_state(r, &lun_http_range);

    if (state == NULL || in == NULL) {
        return lun_http_next_body(r, &lun_http_range, in);
    }

    return state->ranges.count == 1 ? send_single(r, state, in)
                                    : send_multipart(r, state, in);
}


lun_http_module  lun_http_range = {
    .name = "range",
    .keeps_state = true,
    .always = true,
    .header_filter = on_header,
    .body_filter = on_body,
};
