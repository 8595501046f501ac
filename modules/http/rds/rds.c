/*
 * rds.c -- reads the results of databases as they pass: see rds_priv.h.
 *
 * Each step fills a few bytes, or a text of its own, then says which is next;
 * a value goes on to the writer in pieces if it is long.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/rds/rds_priv.h"

#include "base/fmt.h"


enum { VERSION = 3, NOTHING = 0xffffffff };    /* 0.0.3; the length of NULL */

enum { HEAD, ERRSTR, COUNTS, COLUMN, NAME, ROW, LENGTH, VALUE, DONE };

enum {
    HEAD_SIZE = 12, COUNTS_SIZE = 18, COLUMN_SIZE = 6, ROW_SIZE = 1,
    LENGTH_SIZE = 4
};


void
lun_rds_put(lun_rds *s, lun_str text)
{
    lun_filter_buf_put(&s->out, text.data, text.len);
}


void
lun_rds_put_number(lun_rds *s, uint64_t n)
{
    char   room[24], *end;

    end = lun_fmt(room, room + sizeof(room), "%" PRIu64, n);
    lun_filter_buf_put(&s->out, room, (size_t) (end - room));
}


/* --- the reader ---------------------------------------------------------- */

/* In the order that the first byte has said. */
static uint64_t
number_at(const lun_rds *s, size_t at, size_t size)
{
    size_t    i;
    uint64_t  n = 0;

    for (i = 0; i < size; i++) {
        n = n << 8
            | (uint8_t) s->held[s->big_end ? at + i : at + size - 1 - i];
    }

    return n;
}


static void
want_bytes(lun_rds *s, int step, size_t n)
{
    s->step = step;
    s->to = s->held;
    s->have = 0;
    s->want = n;
}


static lun_rc
refuse(lun_rds *s, const char *why)
{
    lun_log(LUN_LOG_ERR, s->out.r->log, 0, "rds: %s", why);
    return LUN_ERROR;
}


/* A text of its own. */
static lun_rc
want_text(lun_rds *s, int step, size_t len, lun_str *text)
{
    s->step = step;
    s->to = lun_pool_alloc_try(s->out.r->pool, len + 1);

    if (s->to == NULL) {
        return refuse(s, "no memory for a text");
    }

    s->have = 0;
    s->want = len;
    *text = lun_str_of(s->to, len);
    return LUN_OK;
}


static lun_rc
end_head(lun_rds *s)
{
    uint64_t  version;

    s->big_end = s->held[0] != 0;
    version = number_at(s, 1, 4);

    if (version != VERSION) {
        return refuse(s, "it is not of version 0.0.3");
    }

    if (number_at(s, 5, 1) != 0) {
        return refuse(s, "result type must be 0 for now");
    }

    s->errcode = (uint16_t) number_at(s, 8, 2);
    return want_text(s, ERRSTR, (size_t) number_at(s, 10, 2), &s->errstr);
}


static void
want_column(lun_rds *s)
{
    if (s->column < s->count) {
        want_bytes(s, COLUMN, COLUMN_SIZE);
        return;
    }

    s->writer->head(s);

    if (s->count == 0) {
        s->writer->end(s);
        want_bytes(s, DONE, 0);
        return;
    }

    want_bytes(s, ROW, ROW_SIZE);
}


static lun_rc
end_counts(lun_rds *s)
{
    s->affected = number_at(s, 0, 8);
    s->insert_id = number_at(s, 8, 8);
    s->count = (size_t) number_at(s, 16, 2);

    if (s->count > LUN_RDS_COLUMNS) {
        return refuse(s, "too many columns");
    }

    s->columns = lun_pool_alloc_try(s->out.r->pool,
                                    (s->count + 1) * sizeof(lun_rds_column));

    if (s->columns == NULL) {
        return refuse(s, "no memory for columns");
    }

    want_column(s);
    return LUN_OK;
}


static lun_rc
end_column(lun_rds *s)
{
    size_t           len = (size_t) number_at(s, 4, 2);
    lun_rds_column  *c = &s->columns[s->column];

    s->names += len;

    if (s->names > LUN_RDS_NAMES) {
        return refuse(s, "names of columns are too long");
    }

    c->kind = (lun_rds_kind) (number_at(s, 0, 2) >> 14);
    return want_text(s, NAME, len, &c->name);
}


static lun_rc
end_row_flag(lun_rds *s)
{
    if (s->held[0] == 0) {
        s->writer->end(s);
        want_bytes(s, DONE, 0);
        return LUN_OK;
    }

    s->writer->row(s);
    s->any_row = true;
    s->column = 0;
    want_bytes(s, LENGTH, LENGTH_SIZE);
    return LUN_OK;
}


static void
end_field(lun_rds *s)
{
    if (++s->column < s->count) {
        want_bytes(s, LENGTH, LENGTH_SIZE);
        return;
    }

    s->writer->row_end(s);
    want_bytes(s, ROW, ROW_SIZE);
}


/* The next piece of a value; an empty one is whole at once. */
static void
want_value(lun_rds *s)
{
    want_bytes(s, VALUE, lun_min((size_t) s->left, sizeof(s->held)));
}


static lun_rc
end_length(lun_rds *s)
{
    s->left = (uint32_t) number_at(s, 0, 4);
    s->pieces = false;

    if (s->left == NOTHING) {
        s->writer->null(s);
        end_field(s);
        return LUN_OK;
    }

    want_value(s);
    return LUN_OK;
}


static lun_rc
end_value(lun_rds *s)
{
    s->left -= (uint32_t) s->want;
    s->writer->value(s, lun_str_of(s->held, s->want), !s->pieces,
                     s->left == 0);
    s->pieces = true;

    if (s->left == 0) {
        end_field(s);

    } else {
        want_value(s);
    }

    return LUN_OK;
}


/*
 * One step after the other, each of which knows how many bytes the next one
 * wants.
 */
static lun_rc
end_step(lun_rds *s)
{
    switch (s->step) {

    case HEAD:
        return end_head(s);

    case ERRSTR:
        want_bytes(s, COUNTS, COUNTS_SIZE);
        return LUN_OK;

    case COUNTS:
        return end_counts(s);

    case COLUMN:
        return end_column(s);

    case NAME:
        s->column++;
        want_column(s);
        return LUN_OK;

    case ROW:
        return end_row_flag(s);

    case LENGTH:
        return end_length(s);

    default:
        return end_value(s);
    }
}


void
lun_rds_init(lun_rds *s)
{
    want_bytes(s, HEAD, HEAD_SIZE);
}


bool
lun_rds_is_whole(const lun_rds *s)
{
    return s->step == DONE;
}


/* --- the filter ---------------------------------------------------------- */

lun_rc
lun_rds_take(void *state, lun_str *text)
{
    size_t    n;
    lun_rds  *s = state;

    /* A few bytes may become many: a NULL has its column's name before it. */
    while (text->len != 0 && !lun_filter_buf_is_full(&s->out)) {
        if (s->step == DONE) {
            return refuse(s, "bytes behind the last row");
        }

        n = lun_min(text->len, s->want - s->have);
        memcpy(s->to + s->have, text->data, n);
        s->have += n;
        *text = lun_str_of(text->data + n, text->len - n);

        /* A text without bytes is there as soon as it is wanted. */
        while (s->step != DONE && s->have == s->want) {
            if (end_step(s) != LUN_OK) {
                return LUN_ERROR;
            }
        }
    }

    return LUN_OK;
}


lun_rc
lun_rds_close(void *state, lun_buf *b)
{
    lun_rds  *s = state;

    if ((b->eof || b->eof_part) && !lun_rds_is_whole(s)) {
        return refuse(s, "it is cut off");
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


lun_rds *
lun_rds_start(lun_request *r, lun_http_module *m,
    const lun_rds_options *options)
{
    lun_rds  *s;

    if (!lun_str_eq(r->out.content_type,
                    LUN_STR("application/x-resty-dbd-stream")))
    {
        return NULL;
    }

    r->out.content_type = options->type;
    r->out.charset = LUN_STR_NULL;
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_clear_etag(r);

    if (r->header_only) {
        return NULL;
    }

    s = lun_pool_new(r->pool, lun_rds);
    s->writer = options->writer;
    lun_filter_buf_init(&s->out, r, lun_max(options->buffer, (size_t) 64), 32);
    lun_rds_init(s);
    lun_http_set_state(r, m, s);
    r->filter_need_in_memory = 1;

    return s;
}
