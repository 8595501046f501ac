/*
 * filter_buf.c -- what a body filter says in words of its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/filter_buf.h"

#include "os/file.h"


enum { FILE_PIECE = 32768 };

/* A buf is in chains of others while it is sent: it stands in line here. */
struct lun_filter_room {
    lun_filter_room  *next;
    lun_buf          *buf;
};


void
lun_filter_buf_init(lun_filter_buf *s, lun_request *r, size_t size)
{
    s->r = r;
    s->size = size;
    s->buf = NULL;
    s->first = NULL;
    s->last = &s->first;
    lun_chain_init(&s->out);
}


/*
 * The one that was filled before all others if it has been sent, or a new one:
 * they are sent in the order in which they were filled.
 */
static lun_buf *
take_buf(lun_filter_buf *s)
{
    lun_buf          *b;
    lun_filter_room  *room = s->first;

    if (room != NULL && room->buf->pos == room->buf->last) {
        s->first = room->next;

        if (s->first == NULL) {
            s->last = &s->first;
        }

    } else {
        room = lun_pool_new(s->r->pool, lun_filter_room);
        room->buf = lun_buf_new_room(s->r->pool, s->size);
    }

    room->next = NULL;
    *s->last = room;
    s->last = &room->next;

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

    b->pos = b->last;
    b->file_pos = b->file_last;

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


lun_rc
lun_filter_buf_read(lun_request *r, lun_buf *b, char **piece, lun_str *text)
{
    size_t   done, want;
    lun_err  err;

    *text = LUN_STR("");

    if (!b->in_file) {
        if (b->pos != b->last) {   /* one of flags alone has no bytes at all */
            *text = lun_str_of(b->pos, (size_t) (b->last - b->pos));
            b->pos = b->last;
        }

        return LUN_OK;
    }

    want = (size_t) lun_min(b->file_last - b->file_pos, (int64_t) FILE_PIECE);

    if (want == 0) {
        return LUN_OK;
    }

    if (*piece == NULL) {
        *piece = lun_pool_text(r->pool, FILE_PIECE);
    }

    err = lun_file_read(b->file, *piece, want, b->file_pos, &done);

    if (err != 0 || done != want) {
        lun_log(LUN_LOG_ALERT, r->log, err, "read() returned only %zu bytes "
                "instead of %zu", done, want);
        return LUN_ERROR;
    }

    b->file_pos += (int64_t) want;
    *text = lun_str_of(*piece, want);
    return LUN_OK;
}
