/*
 * h2_exchange.c -- one question over HTTP/2: stream 1 of its connection.
 *
 * The server is told that there is no table for its headers, so a block means
 * the same wherever it stands.  What it sends is given back to its windows at
 * once: how much may come is the answer's to limit.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/h2_exchange.h"

#include "base/check.h"
#include "base/fmt.h"
#include "format/hpack.h"


enum {
    STREAM     = 1,
    SETTING    = 6,                /* bytes */
    IDLE_MOST  = 10000,
    FIRST_ROOM = 1024,
    INTERIM    = 200               /* statuses below it are */
};

#define PREFACE  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


/* --- what is sent -------------------------------------------------------- */

static char *
reserve(lun_h2_exchange *h, size_t n)
{
    if (h->out_room - h->out_len < n) {
        h->out_room = lun_max(lun_max(h->out_room * 2, (size_t) FIRST_ROOM),
                              h->out_len + n);
        h->out = lun_realloc(h->out, h->out_room);
    }

    return h->out + h->out_len;
}


static void
put_frame(lun_h2_exchange *h, unsigned type, unsigned flags, uint32_t stream,
    lun_str content)
{
    char  *p = reserve(h, LUN_FRAME_HEAD + content.len);

    p = lun_frame_put_head(p, content.len, type, flags, stream);
    (void) lun_copy_str(p, content);
    h->out_len += LUN_FRAME_HEAD + content.len;
}


static void
put_number(lun_h2_exchange *h, unsigned type, uint32_t stream, uint32_t n)
{
    char  room[4];

    (void) lun_frame_put_u32(room, n);
    put_frame(h, type, 0, stream, lun_str_of(room, sizeof(room)));
}


static char *
put_setting(char *p, unsigned id, uint32_t value)
{
    *p++ = (char) (id >> 8);
    *p++ = (char) id;
    return lun_frame_put_u32(p, value);
}


/* Of the body what windows let through. */
static void
put_body(lun_h2_exchange *h)
{
    int64_t  n;

    while (!h->sent_all) {
        n = lun_min(lun_min(h->window, h->link_window),
                    lun_min((int64_t) h->body.len, (int64_t) LUN_FRAME_MOST));

        if (n <= 0 && h->body.len != 0) {
            return;
        }

        h->sent_all = (size_t) n == h->body.len;
        put_frame(h, LUN_FRAME_DATA, h->sent_all ? LUN_FRAME_END_STREAM : 0,
                  STREAM, lun_str_of(h->body.data, (size_t) n));
        h->body = lun_str_of(h->body.data + n, h->body.len - (size_t) n);
        h->window -= n;
        h->link_window -= n;
    }
}


static void
put_block(lun_h2_exchange *h, lun_str block)
{
    size_t    n;
    unsigned  type = LUN_FRAME_HEADERS;
    unsigned  flags = h->sent_all ? LUN_FRAME_END_STREAM : 0;

    do {
        n = lun_min(block.len, (size_t) LUN_FRAME_MOST);
        flags |= n == block.len ? LUN_FRAME_END_HEADERS : 0;
        put_frame(h, type, flags, STREAM, lun_str_of(block.data, n));
        block = lun_str_of(block.data + n, block.len - n);
        type = LUN_FRAME_CONTINUATION;
        flags = 0;
    } while (block.len != 0);
}


static void
add_field(lun_array *fields, lun_str name, lun_str value)
{
    lun_http_field  *f = lun_array_push(fields);

    f->name = name;
    f->value = value;
}


static lun_str
lower(lun_pool *pool, lun_str name)
{
    char  *text = lun_pool_text(pool, name.len);

    lun_mem_lower(text, name.data, name.len);
    return lun_str_of(text, name.len);
}


lun_str
lun_h2_exchange_block(lun_pool *pool, const lun_http_question *q)
{
    char            *text, *p;
    size_t           i, size = 0;
    lun_array        all;
    lun_http_field  *f;

    lun_array_init(&all, pool, sizeof(lun_http_field), q->field_count + 6);
    add_field(&all, LUN_STR(":method"), lun_http_question_method(q));
    add_field(&all, LUN_STR(":scheme"), lower(pool, q->url.scheme));
    add_field(&all, LUN_STR(":path"),
              lun_str_starts(q->url.uri, LUN_STR("/")) ? q->url.uri
              : lun_pool_fmt(pool, "/%.*s", LUN_S(q->url.uri)));
    add_field(&all, LUN_STR(":authority"), q->url.authority);

    add_field(&all, LUN_STR("te"), LUN_STR("trailers"));

    if (q->user_agent != NULL) {
        add_field(&all, LUN_STR("user-agent"), lun_str_z(q->user_agent));
    }

    for (i = 0; i < q->field_count; i++) {
        add_field(&all, lower(pool, q->fields[i].name), q->fields[i].value);
    }

    f = all.items;

    for (i = 0; i < all.count; i++) {
        size += lun_hpack_bound(f[i].name, f[i].value);
    }

    text = p = lun_pool_text(pool, size);

    for (i = 0; i < all.count; i++) {
        p = lun_hpack_put(p, f[i].name, f[i].value);
    }

    LUN_CHECK((size_t) (p - text) <= size);
    return lun_str_of(text, (size_t) (p - text));
}


void
lun_h2_exchange_init(lun_h2_exchange *h, lun_str block, lun_str body,
    lun_http_answer *answer)
{
    char  room[3 * SETTING], *p;

    *h = (lun_h2_exchange) {
        .answer = answer, .body = body, .sent_all = body.len == 0,
        .window = LUN_H2_FIRST_WINDOW, .link_window = LUN_H2_FIRST_WINDOW,
        .initial = LUN_H2_FIRST_WINDOW
    };

    lun_frames_init(&h->frames);
    lun_array_init(&answer->fields, answer->pool, sizeof(lun_http_field), 16);
    lun_array_init(&answer->trailers, answer->pool, sizeof(lun_http_field), 4);
    answer->length = -1;

    p = put_setting(room, LUN_H2_HEADER_TABLE_SIZE, 0);
    p = put_setting(p, LUN_H2_ENABLE_PUSH, 0);
    p = put_setting(p, LUN_H2_INITIAL_WINDOW_SIZE, LUN_H2_FIRST_WINDOW);

    (void) lun_copy(reserve(h, sizeof(PREFACE) - 1), PREFACE,
                    sizeof(PREFACE) - 1);
    h->out_len = sizeof(PREFACE) - 1;
    put_frame(h, LUN_FRAME_SETTINGS, 0, 0, lun_str_of(room, sizeof(room)));
    LUN_CHECK(p == room + sizeof(room));
    put_block(h, block);
    put_body(h);
}


void
lun_h2_exchange_fini(lun_h2_exchange *h)
{
    lun_free(h->out);
    lun_free(h->block);
    h->out = h->block = NULL;
}


/* --- header blocks ------------------------------------------------------- */

static bool
read_status(lun_http_answer *a, lun_str value)
{
    uint64_t  n;

    if (a->status != 0 || value.len != 3 || lun_str_to_u64(value, &n) != LUN_OK
        || n < 100)
    {
        return false;
    }

    a->version = 2000;
    a->status = (unsigned) n;
    a->line = lun_pool_str(a->pool, value);
    return true;
}


/* False: no block has that. */
static bool
take_field(lun_http_answer *a, lun_str name, lun_str value)
{
    if (lun_str_starts(name, LUN_STR(":"))) {
        return !a->whole_header && a->fields.count == 0
               && lun_str_eq(name, LUN_STR(":status"))
               && read_status(a, value);
    }

    add_field(a->whole_header ? &a->trailers : &a->fields,
              lun_pool_str(a->pool, name), lun_pool_str(a->pool, value));
    return a->whole_header || a->status != 0;
}


/* MORE: it was interim, or behind the body. */
static lun_http_answer_verdict
end_block(lun_h2_exchange *h)
{
    lun_str            name, value;
    const char        *pos = h->block, *end = h->block + h->block_len;
    lun_http_answer   *a = h->answer;
    lun_hpack_verdict  v;

    while ((v = lun_hpack_next(a->pool, &pos, end, &name, &value))
           == LUN_HPACK_FIELD)
    {
        if (!take_field(a, name, value)) {
            return LUN_HTTP_ANSWER_BAD;
        }
    }

    h->block_len = 0;

    if (v != LUN_HPACK_END || a->status == 0) {
        return LUN_HTTP_ANSWER_BAD;
    }

    if (a->whole_header) {
        h->done = h->ends;
        return h->ends ? LUN_HTTP_ANSWER_DONE : LUN_HTTP_ANSWER_BAD;
    }

    if (a->status < INTERIM) {
        a->fields.count = 0;
        a->status = 0;
        return h->ends || ++h->idle > IDLE_MOST ? LUN_HTTP_ANSWER_BAD
                                                : LUN_HTTP_ANSWER_MORE;
    }

    a->whole_header = true;
    h->done = h->ends;
    return LUN_HTTP_ANSWER_HEAD;
}


static lun_http_answer_verdict
add_block(lun_h2_exchange *h, lun_str piece)
{
    lun_http_answer  *a = h->answer;

    a->header_size += piece.len;

    if (a->header_size > a->header_most) {
        return LUN_HTTP_ANSWER_TOO_LARGE;
    }

    if (h->block_room - h->block_len < piece.len) {
        h->block_room = lun_max(h->block_room * 2, h->block_len + piece.len);
        h->block = lun_realloc(h->block, h->block_room);
    }

    (void) lun_copy_str(h->block + h->block_len, piece);
    h->block_len += piece.len;
    return LUN_HTTP_ANSWER_MORE;
}


/* --- frames -------------------------------------------------------------- */

/* False: no server sends such a frame, or so many. */
static bool
begin_frame(lun_h2_exchange *h)
{
    const lun_frames  *f = &h->frames;

    switch (f->type) {

    case LUN_FRAME_DATA:
        /* An empty one is worth nothing. */
        return f->stream == STREAM && h->answer->whole_header
               && (f->length != 0 || ++h->idle <= IDLE_MOST);

    case LUN_FRAME_HEADERS:
        h->ends = (f->flags & LUN_FRAME_END_STREAM) != 0;
        return f->stream == STREAM;

    case LUN_FRAME_RST_STREAM:
        return f->stream == STREAM;

    case LUN_FRAME_WINDOW_UPDATE:
        return f->stream <= STREAM && ++h->idle <= IDLE_MOST;

    case LUN_FRAME_PUSH_PROMISE:
        return false;

    default:
        return ++h->idle <= IDLE_MOST;
    }
}


static bool
add_window(int64_t *window, int64_t n)
{
    *window += n;
    return *window <= LUN_H2_MAX_WINDOW;
}


static bool
set_setting(lun_h2_exchange *h, const uint8_t *unit)
{
    int64_t   before = h->initial;
    unsigned  id = (unsigned) unit[0] << 8 | unit[1];
    uint32_t  value = lun_frame_u32(unit + 2);

    if (id != LUN_H2_INITIAL_WINDOW_SIZE) {
        return true;
    }

    h->initial = value;
    return value <= LUN_H2_MAX_WINDOW
           && add_window(&h->window, h->initial - before);
}


/* The whole content of a small frame. */
static lun_http_answer_verdict
take_unit(lun_h2_exchange *h)
{
    bool               good = true;
    uint32_t           n;
    const lun_frames  *f = &h->frames;

    switch (f->type) {

    case LUN_FRAME_SETTINGS:
        good = set_setting(h, f->unit);
        break;

    case LUN_FRAME_WINDOW_UPDATE:
        n = lun_frame_u32(f->unit) & LUN_H2_MAX_WINDOW;
        good = n != 0 && add_window(f->stream == 0 ? &h->link_window
                                                   : &h->window, n);
        break;

    case LUN_FRAME_PING:
        if ((f->flags & LUN_FRAME_ACK) == 0) {
            put_frame(h, LUN_FRAME_PING, LUN_FRAME_ACK, 0,
                      lun_str_of((const char *) f->unit, sizeof(f->unit)));
        }

        break;

    case LUN_FRAME_RST_STREAM:
        return LUN_HTTP_ANSWER_CUT;

    case LUN_FRAME_GOAWAY:
        /* Less than our stream: it will not be answered. */
        return (lun_frame_u32(f->unit) & LUN_H2_MAX_WINDOW) < STREAM
               ? LUN_HTTP_ANSWER_CUT : LUN_HTTP_ANSWER_MORE;

    default:
        break;
    }

    return good ? LUN_HTTP_ANSWER_MORE : LUN_HTTP_ANSWER_BAD;
}


static lun_http_answer_verdict
take_piece(lun_h2_exchange *h, lun_str *piece)
{
    lun_http_answer  *a = h->answer;

    if (h->frames.type != LUN_FRAME_DATA) {
        return h->frames.type == LUN_FRAME_HEADERS
               || h->frames.type == LUN_FRAME_CONTINUATION
               ? add_block(h, *piece) : LUN_HTTP_ANSWER_MORE;
    }

    a->body_size += piece->len;

    return a->body_size > a->body_most ? LUN_HTTP_ANSWER_TOO_LARGE
           : piece->len != 0 ? LUN_HTTP_ANSWER_PIECE : LUN_HTTP_ANSWER_MORE;
}


static lun_http_answer_verdict
end_frame(lun_h2_exchange *h)
{
    const lun_frames  *f = &h->frames;

    switch (f->type) {

    case LUN_FRAME_HEADERS:
    case LUN_FRAME_CONTINUATION:
        return (f->flags & LUN_FRAME_END_HEADERS) != 0 ? end_block(h)
                                                       : LUN_HTTP_ANSWER_MORE;

    case LUN_FRAME_DATA:
        h->done = (f->flags & LUN_FRAME_END_STREAM) != 0;

        if (!h->done && f->length != 0) {
            put_number(h, LUN_FRAME_WINDOW_UPDATE, 0, (uint32_t) f->length);
            put_number(h, LUN_FRAME_WINDOW_UPDATE, STREAM,
                       (uint32_t) f->length);
        }

        return h->done ? LUN_HTTP_ANSWER_DONE : LUN_HTTP_ANSWER_MORE;

    case LUN_FRAME_SETTINGS:
        if ((f->flags & LUN_FRAME_ACK) == 0) {
            put_frame(h, LUN_FRAME_SETTINGS, LUN_FRAME_ACK, 0, LUN_STR(""));
        }

        put_body(h);
        return LUN_HTTP_ANSWER_MORE;

    case LUN_FRAME_WINDOW_UPDATE:
        put_body(h);
        return LUN_HTTP_ANSWER_MORE;

    default:
        return LUN_HTTP_ANSWER_MORE;
    }
}


lun_http_answer_verdict
lun_h2_exchange_next(lun_h2_exchange *h, const char **pos, const char *end,
    bool ended, lun_str *piece)
{
    lun_http_answer_verdict  v = LUN_HTTP_ANSWER_MORE;

    if (h->done) {
        return LUN_HTTP_ANSWER_DONE;
    }

    while (v == LUN_HTTP_ANSWER_MORE) {
        switch (lun_frames_next(&h->frames, pos, end, piece)) {

        case LUN_FRAMES_MORE:
            return ended ? LUN_HTTP_ANSWER_CUT : LUN_HTTP_ANSWER_MORE;

        case LUN_FRAMES_BEGIN:
            v = begin_frame(h) ? v : LUN_HTTP_ANSWER_BAD;
            break;

        case LUN_FRAMES_PIECE:
            v = take_piece(h, piece);
            break;

        case LUN_FRAMES_UNIT:
            v = take_unit(h);
            break;

        case LUN_FRAMES_END:
            v = end_frame(h);
            break;

        case LUN_FRAMES_BAD:
            return LUN_HTTP_ANSWER_BAD;
        }
    }

    return v;
}
