/*
 * filter_buf.c -- what a body filter says in words of its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/filter_buf.h"

#include "base/check.h"
#include "http/module.h"
#include "os/file.h"


enum { FILE_PIECE = 32768 };

/* A buf is in chains of others while it is sent: it stands in line here. */
struct lun_filter_room {
    lun_filter_room  *next;
    lun_buf          *buf;
};


void
lun_filter_buf_init(lun_filter_buf *s, lun_request *r, size_t size,
    int64_t most)
{
    *s = (lun_filter_buf) { .r = r, .size = size, .most = lun_max(most, 1) };
    s->last = &s->first;
    lun_chain_init(&s->out);
    lun_chain_init(&s->in);
}


/* --- what is said -------------------------------------------------------- */

/* They are sent in the order in which they were filled. */
static void
collect_sent(lun_filter_buf *s)
{
    lun_filter_room  *room;

    while ((room = s->first) != NULL && room->buf != s->buf
           && room->buf->pos == room->buf->last)
    {
        s->first = room->next;

        if (s->first == NULL) {
            s->last = &s->first;
        }

        room->next = s->spares;
        s->spares = room;
        s->busy--;
    }
}


bool
lun_filter_buf_is_full(lun_filter_buf *s)
{
    bool  room = s->buf != NULL && s->buf->last != s->buf->end;

    if (s->busy < s->most + room) {
        return false;
    }

    collect_sent(s);
    return s->busy >= s->most + room && !s->r->unheld;
}


/*
 * What the client has taken is used again before anything new is made: a filter
 * needs a few buffers only.
 */
static lun_buf *
take_buf(lun_filter_buf *s)
{
    lun_buf          *b;
    lun_filter_room  *room;

    collect_sent(s);
    room = s->spares;

    if (room != NULL) {
        s->spares = room->next;

    } else {
        room = lun_pool_new(s->r->pool, lun_filter_room);
        room->buf = lun_buf_new_room(s->r->pool, s->size);
    }

    room->next = NULL;
    *s->last = room;
    s->last = &room->next;
    s->busy++;

    b = room->buf;
    b->pos = b->last = b->start;
    b->flush = b->eof = b->eof_part = 0;
    b->temporary = 1;

    return b;
}


static void
put_out(lun_filter_buf *s)
{
    if (s->buf != NULL && s->buf->last != s->buf->pos) {
        lun_chain_push(&s->out, s->buf);
        s->buf = NULL;
    }
}


char *
lun_filter_buf_room(lun_filter_buf *s, size_t *size)
{
    if (s->buf != NULL && s->buf->last == s->buf->end) {
        put_out(s);
    }

    if (s->buf == NULL) {
        s->buf = take_buf(s);
    }

    *size = (size_t) (s->buf->end - s->buf->last);
    return s->buf->last;
}


void
lun_filter_buf_wrote(lun_filter_buf *s, size_t len)
{
    s->buf->last += len;
}


void
lun_filter_buf_put(lun_filter_buf *s, const char *data, size_t len)
{
    char    *room;
    size_t   n;

    while (len > 0) {
        room = lun_filter_buf_room(s, &n);
        n = lun_min(n, len);
        memcpy(room, data, n);
        lun_filter_buf_wrote(s, n);
        data += n;
        len -= n;
    }
}


/* Flags go with a buf that has nothing else, and is never filled. */
void
lun_filter_buf_close(lun_filter_buf *s, lun_buf *b)
{
    lun_buf  *end;

    LUN_CHECK(b != NULL);

    b->pos = b->last;
    b->file_pos = b->file_last;
    if (s->silent) {
        b->flush = 0;              /* of nothing */
    }

    if (!b->flush && !b->eof && !b->eof_part) {
        return;
    }

    put_out(s);
    end = lun_buf_new(s->r->pool);
    end->flush = b->flush;
    end->eof = b->eof;
    end->eof_part = b->eof_part;
    lun_chain_push(&s->out, end);
}


lun_buf *
lun_filter_buf_take_full(lun_filter_buf *s)
{
    lun_buf  *head = s->out.head;

    lun_chain_init(&s->out);

    return head;
}


lun_buf *
lun_filter_buf_take(lun_filter_buf *s)
{
    put_out(s);
    return lun_filter_buf_take_full(s);
}


/* --- what comes ---------------------------------------------------------- */

void
lun_filter_buf_add(lun_filter_buf *s, lun_buf *in)
{
    lun_buf  *next;

    for ( ; in != NULL; in = next) {
        next = in->next;
        s->r->eof_came |= in->eof || in->eof_part;
        lun_chain_push(&s->in, in);
    }
}


void
lun_filter_buf_hold(lun_filter_buf *s)
{
    bool      holds = s->in.head != NULL;
    uint8_t  *count = s->whole ? &s->r->held_whole : &s->r->held;

    if (holds != s->holds) {
        s->holds = holds;
        *count = (uint8_t) (*count + (holds ? 1 : -1));
    }
}


static lun_rc
read_piece(lun_filter_buf *s, lun_buf *b)
{
    size_t   done, want;
    lun_err  err;

    want = (size_t) lun_min(b->file_last - b->file_pos, (int64_t) FILE_PIECE);

    if (want == 0) {
        return LUN_OK;
    }

    if (s->piece == NULL) {
        s->piece = lun_pool_text(s->r->pool, FILE_PIECE);
    }

    err = lun_file_read(b->file, s->piece, want, b->file_pos, &done);

    if (err != 0 || done != want) {
        lun_log(LUN_LOG_ALERT, s->r->log, err, "read() returned only %zu bytes "
                "instead of %zu", done, want);
        return LUN_ERROR;
    }

    s->read = lun_str_of(s->piece, want);
    return LUN_OK;
}


lun_rc
lun_filter_buf_text(lun_filter_buf *s, lun_str *text)
{
    lun_buf  *b = s->in.head;

    if (b->in_file) {
        if (s->read.len == 0 && read_piece(s, b) != LUN_OK) {
            return LUN_ERROR;
        }

        *text = s->read;

    } else if (b->pos != b->last) {
        *text = lun_str_of(b->pos, (size_t) (b->last - b->pos));

    } else {                       /* one of flags alone has no bytes at all */
        *text = LUN_STR("");
    }

    return LUN_OK;
}


void
lun_filter_buf_used(lun_filter_buf *s, size_t n)
{
    lun_buf  *b = s->in.head;

    if (n == 0) {
        return;                    /* there may be no bytes to point at */
    }

    if (b->in_file) {
        s->read = lun_str_of(s->read.data + n, s->read.len - n);
        b->file_pos += (int64_t) n;

    } else {
        b->pos += n;
    }
}


/*
 * A buf whose last byte is used is closed at once: it is its maker's again,
 * who may fill it as soon as he looks.
 */
static lun_rc
take_first(lun_filter_buf *s, const lun_filter *f, void *state)
{
    size_t    n;
    lun_str   text;
    lun_buf  *b = s->in.head;

    if (lun_filter_buf_text(s, &text) != LUN_OK) {
        return LUN_ERROR;
    }

    if (f->step != 0) {
        text.len = lun_min(text.len, f->step);
    }

    n = text.len;

    if (n != 0 && f->take(state, &text) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_filter_buf_used(s, n - text.len);

    if (lun_buf_size(b) != 0) {
        return LUN_OK;
    }

    (void) lun_chain_shift(&s->in);
    return f->close(state, b);
}


static lun_rc
give_up(lun_filter_buf *s)
{
    lun_chain_init(&s->in);
    lun_filter_buf_hold(s);

    return LUN_ERROR;
}


lun_rc
lun_filter_buf_run(lun_filter_buf *s, const lun_filter *f, void *state,
    lun_buf *in)
{
    bool      pushed = in == NULL;
    lun_rc    rc = LUN_OK;
    lun_buf  *out;

    lun_filter_buf_add(s, in);

    if (in == NULL && s->silent) {
        return LUN_OK;
    }

    if (in == NULL && lun_http_next_body(s->r, f->module, NULL) == LUN_ERROR) {
        return give_up(s);
    }

    do {
        while (s->in.head != NULL && !lun_filter_buf_is_full(s)) {
            if (take_first(s, f, state) != LUN_OK) {
                return give_up(s);
            }
        }

        out = f->full_only ? lun_filter_buf_take_full(s)
                           : lun_filter_buf_take(s);

        if (out != NULL) {
            rc = lun_http_next_body(s->r, f->module, out);
            pushed = false;
        }

        /* What is too little to be worth a send must not be waited for. */
        if (rc != LUN_ERROR && !pushed && lun_filter_buf_is_full(s)) {
            rc = lun_http_next_body(s->r, f->module, NULL);
            pushed = true;
        }

        if (rc == LUN_ERROR) {
            return give_up(s);
        }

    } while (s->in.head != NULL && !lun_filter_buf_is_full(s));

    lun_filter_buf_hold(s);
    return s->in.head != NULL ? LUN_AGAIN : rc;
}
