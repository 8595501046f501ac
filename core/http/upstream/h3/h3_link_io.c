/*
 * h3_link_io.c -- a stream of a link as a connection: what is written to it is
 * queued for QUIC, what came waits to be read, and the moment at which its
 * handlers are called is the end of a turn of the loop.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h3/h3_link_priv.h"

#include "base/check.h"
#include "net/conn_io.h"
#include "os/file.h"


enum {
    MOST_UNSENT = 65536,           /* bytes of a stream: then it waits */
    MOST_UNACKED = 4 << 20,        /* ... and of those that the server has not
                                      acknowledged, in their order */
    PIECE       = 16384,           /* of a file, at a time */
    MOST_ROUNDS = 64               /* handlers in a row */
};


/* --- turns ---------------------------------------------------------------- */

static void
on_task(lun_task *task)
{
    lun_h3_link_serve(lun_container_of(task, lun_h3_link, task));
}


void
lun_h3_link_post(lun_h3_link *l)
{
    lun_loop_post(l->c->loop, &l->task, on_task);
}


void
lun_h3_link_due(lun_h3_link_stream *s)
{
    lun_h3_link  *l = s->w.link;

    if (s->conn != NULL && lun_list_empty(&s->due)) {
        lun_list_push_back(&l->due, &s->due);
        lun_h3_link_post(l);
    }
}


/* --- what comes ----------------------------------------------------------- */

/* Whether whatever comes next begins a frame. */
static void
follow(lun_h3_link_stream *s, const char *pos, const char *end)
{
    lun_str  piece;

    while (lun_h3_frames_next(&s->frames, &pos, end, &piece) != LUN_H3_MORE) {
        /* what is in them is for whoever reads */
    }
}


/*
 * Between two frames one more can be told; within one only an error, which
 * whoever reads gets when all that came is read.
 */
void
lun_h3_link_tell(lun_h3_link_stream *s)
{
    if (s->conn == NULL) {
        return;
    }

    if (lun_h3_frames_between(&s->frames)) {
        lun_bytes_add(&s->in, LUN_H3_LINK_MARK, LUN_H3_LINK_MARK_LEN);

    } else {
        s->broken = true;
    }

    lun_h3_link_due(s);
}


void
lun_h3_link_take(lun_h3_link_stream *s, const char *bytes, size_t n, bool fin)
{
    if (s->conn == NULL) {         /* nobody reads it: it was stopped */
        s->got_all |= fin;
        return;
    }

    lun_bytes_add(&s->in, bytes, n);
    s->real += n;
    follow(s, bytes, bytes + n);

    if (fin) {
        s->got_all = true;
        lun_h3_link_tell(s);
    }

    lun_h3_link_due(s);
}


bool
lun_h3_link_has_ended(const lun_h3_link_stream *s, size_t here)
{
    return s->got_all && !s->broken && lun_bytes_left(&s->in) == 0
           && s->filled == 0 && here <= LUN_H3_LINK_MARK_LEN;
}


/* The server may send as much again. */
static void
give_back(lun_h3_link_stream *s, size_t n)
{
    n = lun_min(n, s->real);
    s->real -= n;

    if (n != 0 && s->w.in_quic && !s->got_all) {
        lun_quic_consumed(s->w.link->q, s->w.id, n);
    }
}


static void
read_more(lun_conn *c)
{
    size_t               n;
    lun_h3_link_stream  *s = c->io_data;

    LUN_CHECK(s->filled == 0);

    n = lun_min((size_t) (c->in.end - c->in.last), lun_bytes_left(&s->in));

    if (n != 0) {
        memcpy(c->in.last, s->in.data + s->in.pos, n);
        s->in.pos += n;
        s->filled = n;
        give_back(s, n);

        if (lun_bytes_left(&s->in) == 0) {
            lun_bytes_drop(&s->in);
        }
    }

    /* Also its end: call_handlers() finds out what there is to tell. */
    lun_h3_link_due(s);
}


/* --- what goes ------------------------------------------------------------ */

/* It ends once, with the last byte, or without one. */
static void
end_request(lun_h3_link_stream *s)
{
    if (s->last && s->owed == 0 && !s->w.ends) {
        s->w.ends = true;
        lun_h3_link_may_send(&s->w);
    }
}


void
lun_h3_link_owe(lun_h3_link_stream *s, int64_t size, bool last)
{
    LUN_CHECK(size >= 0 && !s->last);

    s->owed += size;
    s->last = last;
    end_request(s);
}


static size_t
room_left(const lun_h3_link_stream *s)
{
    const lun_h3_queue  *q = &s->w.queue;

    return q->unsent < MOST_UNSENT && q->unacked < MOST_UNACKED
           ? MOST_UNSENT - q->unsent : 0;
}


static void
queued(lun_h3_link_stream *s, size_t n)
{
    LUN_CHECK((int64_t) n <= s->owed);

    s->owed -= (int64_t) n;
    end_request(s);
    lun_h3_link_may_send(&s->w);
}


static bool
is_lost(const lun_h3_link_stream *s)
{
    return s->w.link->over || s->broken || s->w.id < 0;
}


/* Nobody takes it; why, is for whoever reads to find out. */
static bool
is_unwanted(const lun_h3_link_stream *s)
{
    return s->was_stopped || lun_h3_link_was_reset(s) || !s->w.in_quic;
}


/* How many of these bytes were taken; what nobody wants is taken, too. */
static size_t
take_memory(lun_h3_link_stream *s, const lun_slice *slice)
{
    size_t  one, n = 0, most = lun_min(slice->len, room_left(s));

    if (is_unwanted(s)) {
        s->owed -= (int64_t) slice->len;
        return slice->len;
    }

    for ( ; n < most; n += one) {
        one = lun_min(most - n, lun_max(lun_h3_queue_left(&s->w.queue),
                                        (size_t) PIECE));
        memcpy(lun_h3_queue_room(&s->w.queue, one),
               (const char *) slice->data + n, one);
        lun_h3_queue_add(&s->w.queue, one);
    }

    if (n != 0) {
        queued(s, n);
    }

    return n;
}


static lun_err
take_file(lun_h3_link_stream *s, size_t *done)
{
    char     *p;
    size_t    n = lun_min(lun_min(s->slice.len, (size_t) PIECE),
                          room_left(s));
    lun_err   err;

    if (is_unwanted(s)) {
        *done = s->slice.len;
        s->owed -= (int64_t) *done;
        return 0;
    }

    p = lun_h3_queue_room(&s->w.queue, n);
    err = lun_file_read(s->file, p, n, s->at, done);

    if (err == 0 && *done != 0) {
        lun_h3_queue_add(&s->w.queue, *done);
        queued(s, *done);
    }

    return err;
}


static lun_err
send_now(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    size_t               i, one;
    lun_h3_link_stream  *s = c->io_data;

    if (is_lost(s)) {
        return lun_err_of_kind(LUN_ERR_RESET);
    }

    for (i = 0; i < n; i++) {
        one = take_memory(s, &slices[i]);
        *sent += one;

        if (one < slices[i].len) {
            return *sent != 0 ? 0 : lun_err_of_kind(LUN_ERR_AGAIN);
        }
    }

    return 0;
}


/* It is done when some of the first piece was taken. */
static void
write_later(lun_conn *c, const lun_slice *slices, size_t n)
{
    lun_h3_link_stream  *s = c->io_data;

    LUN_CHECK(n != 0 && slices[0].len != 0 && !s->waits);

    s->slice = slices[0];
    s->waits = true;
    lun_h3_link_due(s);
}


static void
send_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    lun_h3_link_stream  *s = c->io_data;

    LUN_CHECK(size != 0 && !s->waits);

    s->slice = (lun_slice) { NULL, size };
    s->file = file;
    s->at = at;
    s->waits = true;
    lun_h3_link_due(s);
}


/* --- the end of a stream ------------------------------------------------- */

static void
free_stream(lun_h3_link_stream *s)
{
    lun_list_remove(&s->w.of_link);
    lun_list_remove(&s->w.sender);
    lun_h3_queue_fini(&s->w.queue);
    lun_free(s);
}


/* A read or a write was posted, and nobody is to be told by its state. */
typedef struct {
    lun_task   task;
    lun_conn  *conn;
} leaving;


static void
on_left(lun_task *task)
{
    leaving   *at = lun_container_of(task, leaving, task);
    lun_conn  *c = at->conn;

    lun_free(at);
    lun_conn_cancelled(c);
}


static void
end_output(lun_conn *c)
{
    LUN_NEVER("a stream of an upstream request ends with its body");
}


/* Nobody uses it; QUIC may still have to send what was queued. */
static void
close_stream(lun_conn *c)
{
    leaving             *at;
    lun_h3_link_stream  *s = c->io_data;

    LUN_CHECK(lun_list_empty(&s->due));

    s->conn = NULL;
    s->waits = false;
    lun_bytes_drop(&s->in);

    if (lun_conn_reading(c) || lun_conn_writing(c)) {
        at = lun_calloc(sizeof(leaving));
        at->conn = c;
        lun_loop_post(c->loop, &at->task, on_left);
    }

    if (!s->w.in_quic) {
        free_stream(s);

    } else {
        s->w.link->left++;
    }
}


const lun_conn_io  lun_h3_link_io = {
    .traits = LUN_IO_SHARED,
    .read = read_more,
    .send = send_now,
    .write = write_later,
    .send_file = send_file,
    .end = end_output,
    .close = close_stream
};


/* --- handlers ------------------------------------------------------------ */

static lun_err
error_of(const lun_h3_link_stream *s)
{
    const lun_conn  *c = s->w.link->c;

    return c->err != 0 ? c->err : lun_err_of_kind(LUN_ERR_RESET);
}


/* True: a handler was called, and the stream may be gone. */
static bool
tell_reader(lun_h3_link_stream *s)
{
    size_t     n = s->filled;
    lun_conn  *c = s->conn;

    if (!lun_conn_reading(c)) {
        return false;
    }

    if (n == 0 && lun_bytes_left(&s->in) != 0) {
        read_more(c);              /* it came after it was asked for */
        n = s->filled;
    }

    if (n != 0) {
        s->filled = 0;
        lun_conn_read_done(c, 0, n);
        return true;
    }

    if (s->got_all && !s->broken) {
        lun_conn_read_done(c, 0, 0);
        return true;
    }

    if (is_lost(s) || lun_h3_link_was_reset(s)) {
        lun_conn_read_done(c, error_of(s), 0);
        return true;
    }

    return false;
}


static bool
tell_writer(lun_h3_link_stream *s)
{
    size_t   n = 0;
    lun_err  err = 0;

    if (!s->waits || (room_left(s) == 0 && !is_lost(s) && !is_unwanted(s))) {
        return false;
    }

    if (is_lost(s)) {
        err = error_of(s);

    } else if (s->slice.data == NULL) {
        err = take_file(s, &n);

    } else {
        n = take_memory(s, &s->slice);
    }

    s->waits = false;
    lun_conn_write_done(s->conn, err, (int64_t) n);
    return true;
}


/* One call: a stream may be gone after it, and is due again if it is not. */
static void
call_handlers(lun_h3_link_stream *s)
{
    lun_list_remove(&s->due);

    if (s->waits) {
        lun_list_push_back(&s->w.link->due, &s->due);
    }

    if (!tell_reader(s)) {
        lun_list_remove(&s->due);
        (void) tell_writer(s);
    }
}


void
lun_h3_link_serve(lun_h3_link *l)
{
    int  n;

    l->serving++;

    for (n = 0; n < MOST_ROUNDS && l->c != NULL && !lun_list_empty(&l->due);
         n++)
    {
        call_handlers(lun_container_of(l->due.next, lun_h3_link_stream, due));
    }

    l->serving--;

    if (l->c == NULL) {
        if (l->serving == 0) {
            lun_free(l);
        }

        return;
    }

    if (!lun_list_empty(&l->due)) {
        lun_h3_link_post(l);

    } else if (l->count == 0 && (l->over || l->goes_away)) {
        lun_conn_read_done(l->c, 0, 0);    /* for whoever keeps it */
    }
}
