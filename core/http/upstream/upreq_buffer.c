/*
 * upreq_buffer.c -- where the body of an answer is on its way through.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_buffer.h"

#include "base/check.h"
#include "http/upstream/upreq_priv.h"


enum { BEYOND = 64 };              /* bytes of the ring */

/* A part of the body: in memory, or in the temporary file. */
typedef struct piece  piece;
struct piece {
    lun_buf    buf;
    piece     *link;
    uint64_t   mark;               /* the place in the ring behind it */
    size_t     size;               /* in memory; what it counts as busy */
};

struct lun_upreq_buffer {
    char        *ring;             /* NULL: none yet */
    size_t       ring_size;
    uint64_t     ring_head;        /* bytes given back, and read */
    uint64_t     ring_tail;
    const char  *read_at;          /* what is being looked at, and */
    uint64_t     read_mark;        /* its place; NULL: not the ring */
    piece       *busy;             /* handed out */
    piece      **busy_last;
    piece       *waiting;          /* to be handed out */
    piece      **waiting_last;
    piece       *used;             /* used up, maybe still linked */
    piece       *spares;
    size_t       busy_bytes;
    lun_fd       file;             /* LUN_FD_NONE: none */
    lun_str      file_path;
    int64_t      file_size;
};

typedef struct lun_upreq_buffer  buffer;


static buffer *
buffer_of(lun_upreq *x)
{
    buffer  *b = x->buffer;

    if (b == NULL) {
        b = lun_pool_new(x->r->pool, buffer);
        b->file = LUN_FD_NONE;
        b->busy_last = &b->busy;
        b->waiting_last = &b->waiting;
        x->buffer = b;
    }

    return b;
}


/* --- the ring ------------------------------------------------------------ */

/* Of a ring; less will do if less is to come. */
static size_t
most_of_ring(const lun_upreq *x)
{
    const lun_upreq_conf  *conf = x->conf;

    return x->buffered ? (size_t) conf->buffers.num * conf->buffers.size
                       : conf->buffer_size;
}


static void
make_ring(const lun_upreq *x, buffer *b)
{
    int64_t  left;

    LUN_CHECK(b->ring == NULL);

    b->ring_size = most_of_ring(x);

    /* No more than is to come, and that not to the last byte: a read that has
       filled the room may have left something.  A 101 may name a length that
       is not the tunnel's. */
    if (x->answer.length >= 0 && !x->answer.framed && x->tunnel == NULL) {
        left = lun_max(x->answer.length - x->try->response_length,
                       (int64_t) 0);
        b->ring_size = (size_t) lun_min((uint64_t) b->ring_size,
                                        (uint64_t) left + BEYOND);
    }

    b->ring = lun_pool_alloc(x->r->pool, b->ring_size);
}


/*
 * The ring is used from its start again whenever it is empty, so most answers
 * touch the same few pages.
 */
bool
lun_upreq_room_next(lun_upreq *x)
{
    size_t   at, room;
    buffer  *b = buffer_of(x);

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(b->ring_head <= b->ring_tail);

    if (b->ring == NULL) {
        make_ring(x, b);
    }

    if (b->busy == NULL && b->waiting == NULL) {
        b->ring_head = 0;
        b->ring_tail = 0;
    }

    at = (size_t) (b->ring_tail % b->ring_size);
    room = lun_min(b->ring_size - at,
                   b->ring_size - (size_t) (b->ring_tail - b->ring_head));

    if (room == 0) {
        return false;
    }

    lun_upreq_restore_input(x);
    lun_upreq_set_input(x, b->ring + at, room);
    return true;
}


size_t
lun_upreq_free_size(const lun_upreq *x)
{
    const buffer  *b = x->buffer;

    if (b == NULL) {
        return most_of_ring(x);
    }

    return b->busy != NULL || b->waiting != NULL ? 0
           : b->ring != NULL ? b->ring_size : most_of_ring(x);
}


char *
lun_upreq_free_room(lun_upreq *x, size_t size)
{
    buffer  *b = buffer_of(x);

    LUN_CHECK(b->busy == NULL && b->waiting == NULL);

    if (b->ring == NULL) {
        make_ring(x, b);
    }

    LUN_CHECK(size <= b->ring_size);
    b->ring_head = 0;
    b->ring_tail = 0;

    return b->ring;
}


/* --- pieces -------------------------------------------------------------- */

static piece *
new_piece(const lun_upreq *x, buffer *b)
{
    piece  *p = b->spares;

    if (p != NULL) {
        b->spares = p->link;

    } else {
        p = lun_pool_alloc(x->r->pool, sizeof(piece));
    }

    memset(p, 0, sizeof(piece));
    *b->waiting_last = p;
    b->waiting_last = &p->link;

    return p;
}


static piece *
last_waiting(const buffer *b)
{
    return b->waiting == NULL ? NULL
           : lun_container_of(b->waiting_last, piece, link);
}


/* A piece is no longer than a buffer, so that some of them can wait. */
static size_t
room_in(const lun_upreq *x, const piece *p, const char *at)
{
    if (p == NULL || p->buf.in_file || p->buf.last != at
        || p->size >= x->conf->buffers.size)
    {
        return 0;
    }

    return x->conf->buffers.size - p->size;
}


void
lun_upreq_arrived(lun_upreq *x, const char *pos, size_t n)
{
    buffer  *b = buffer_of(x);

    b->read_at = pos;
    b->read_mark = b->ring_tail;
    b->ring_tail += n;
}


/*
 * Pieces are as large as one of `buffers`, as filters, and their users, know
 * them; `mark` says up to where the ring is free when the piece has gone.
 */
void
lun_upreq_add(lun_upreq *x, lun_str bytes)
{
    size_t       n;
    char        *at = (char *) (uintptr_t) bytes.data;
    buffer      *b = buffer_of(x);
    piece       *p = last_waiting(b);
    const char  *end = at + bytes.len;

    LUN_CHECK(x->try != NULL);

    while (at != end) {
        n = room_in(x, p, at);

        if (n == 0) {
            p = new_piece(x, b);
            p->buf.start = p->buf.pos = p->buf.last = at;
            p->buf.temporary = 1;
            n = x->conf->buffers.size;
        }

        n = lun_min(n, (size_t) (end - at));
        at += n;
        p->buf.last = p->buf.end = at;
        p->size += n;
        p->mark = b->read_at == NULL ? 0
                  : b->read_mark + (uint64_t) (at - b->read_at);
    }
}


static bool
is_used_up(const piece *p)
{
    return lun_buf_size(&p->buf) == 0;
}


/*
 * A buf that is used up may still be linked among those that follow it: it is
 * used again when nothing waits for the client.
 */
static void
recycle(const lun_upreq *x, buffer *b)
{
    piece  *p;

    if (x->r->parent != NULL || lun_http_pending(x->r)) {
        return;
    }

    while ((p = b->used) != NULL) {
        b->used = p->link;
        p->link = b->spares;
        b->spares = p;
    }
}


/* Pieces go in order, so the ring's head only moves forward. */
void
lun_upreq_collect(lun_upreq *x)
{
    piece   *p;
    buffer  *b = x->buffer;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (b == NULL) {
        return;
    }

    while ((p = b->busy) != NULL && is_used_up(p)) {
        b->busy = p->link;
        b->busy_bytes -= p->size;
        b->ring_head = lun_max(b->ring_head, p->mark);

        p->link = b->used;
        b->used = p;
    }

    if (b->busy == NULL) {
        b->busy_last = &b->busy;
    }

    recycle(x, b);
}


/*
 * A client that has taken all so far may get half of the ring at once: the
 * other half is there for what the server sends meanwhile.
 */
static size_t
most_busy(const lun_upreq *x, const buffer *b)
{
    if (b->ring == NULL) {
        return SIZE_MAX;
    }

    if (x->r->parent != NULL || lun_http_pending(x->r)) {
        return x->conf->busy_size;
    }

    return lun_max(x->conf->busy_size, b->ring_size / 2);
}


/*
 * No more than NAME_busy_buffers_size is on its way to the client: the rest of
 * the ring is for the server.  One piece always goes, however large.
 */
lun_buf *
lun_upreq_hand_out(lun_upreq *x, bool all, lun_buf **last)
{
    piece      *p;
    buffer     *b = x->buffer;
    size_t      most;
    lun_chain   out;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    *last = NULL;

    if (b == NULL) {
        return NULL;
    }

    most = all ? SIZE_MAX : most_busy(x, b);
    lun_chain_init(&out);

    while ((p = b->waiting) != NULL
           && (b->busy_bytes == 0 || b->busy_bytes + p->size <= most))
    {
        b->waiting = p->link;
        p->link = NULL;
        *b->busy_last = p;
        b->busy_last = &p->link;
        b->busy_bytes += p->size;

        *last = &p->buf;
        lun_chain_push(&out, &p->buf);
    }

    if (b->waiting == NULL) {
        b->waiting_last = &b->waiting;
    }

    return out.head;
}


bool
lun_upreq_waits(const lun_upreq *x)
{
    return x->buffer != NULL && x->buffer->waiting != NULL;
}


void
lun_upreq_forget_buffer(lun_upreq *x)
{
    buffer  *b = x->buffer;

    if (b == NULL) {
        return;
    }

    b->ring = NULL;
    b->ring_head = 0;
    b->ring_tail = 0;
    b->busy = NULL;
    b->busy_last = &b->busy;
    b->busy_bytes = 0;
    b->waiting = NULL;
    b->waiting_last = &b->waiting;
    b->used = NULL;
    b->spares = NULL;
}


/* --- the temporary file -------------------------------------------------- */

bool
lun_upreq_may_spool(const lun_upreq *x)
{
    return x->buffered && lun_upreq_waits(x)
           && (uint64_t) x->buffer->file_size < x->conf->max_temp_size;
}


static void
close_file(void *data)
{
    buffer  *b = data;

    lun_file_close(b->file);
    (void) lun_file_delete(b->file_path.data);
}


static lun_rc
open_file(const lun_upreq *x, buffer *b)
{
    lun_request  *r = x->r;

    LUN_CHECK(b->file == LUN_FD_NONE);

    if (lun_temp_path_open_for(r, x->conf->temp_path, &b->file, &b->file_path)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_pool_on_end(r->pool, close_file, b);
    lun_log(LUN_LOG_WARN, r->log, 0, "an upstream response is buffered to a "
            "temporary file %.*s", LUN_S(b->file_path));

    return LUN_OK;
}


static lun_rc
write_file(const lun_upreq *x, buffer *b, const char *data, size_t size)
{
    size_t   n;
    lun_err  err;

    LUN_CHECK(b->file != LUN_FD_NONE);

    while (size != 0) {
        n = lun_min(size, x->conf->temp_write_size);
        err = lun_file_write(b->file, data, n, b->file_size);

        if (err != 0) {
            lun_log(LUN_LOG_CRIT, x->r->log, err, "write() \"%.*s\" failed",
                    LUN_S(b->file_path));
            return LUN_ERROR;
        }

        b->file_size += (int64_t) n;
        data += n;
        size -= n;
    }

    return LUN_OK;
}


/* A piece of memory becomes one of the file. */
static lun_rc
move_out(const lun_upreq *x, buffer *b, piece *p)
{
    int64_t  from = b->file_size;

    LUN_CHECK(p->buf.pos <= p->buf.last);

    if (write_file(x, b, p->buf.pos, (size_t) (p->buf.last - p->buf.pos))
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    p->buf = (lun_buf) { .file = b->file, .in_file = 1, .file_pos = from,
                         .file_last = b->file_size };
    p->size = 0;
    p->mark = 0;

    return LUN_OK;
}


/* Neighbours in the file are one piece. */
static void
join(buffer *b)
{
    piece  *p, *next;

    for (p = b->waiting; p != NULL && (next = p->link) != NULL; ) {
        if (!p->buf.in_file || !next->buf.in_file
            || p->buf.file_last != next->buf.file_pos)
        {
            p = next;
            continue;
        }

        p->buf.file_last = next->buf.file_last;
        p->link = next->link;

        if (p->link == NULL) {
            b->waiting_last = &p->link;
        }

        next->link = b->spares;
        b->spares = next;
    }
}


lun_rc
lun_upreq_spool(lun_upreq *x)
{
    piece     *p;
    buffer    *b = buffer_of(x);
    uint64_t   mark = b->ring_head;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (b->file == LUN_FD_NONE && open_file(x, b) != LUN_OK) {
        return LUN_ERROR;
    }

    for (p = b->waiting; p != NULL; p = p->link) {
        if (!p->buf.in_file && move_out(x, b, p) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    join(b);

    /* All of the ring behind what is handed out is free. */
    for (p = b->busy; p != NULL; p = p->link) {
        mark = lun_max(mark, p->mark);
    }

    b->ring_tail = mark;
    return LUN_OK;
}
