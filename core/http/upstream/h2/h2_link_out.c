/*
 * h2_link_out.c -- what the streams of a link send, framed and in turn, and
 * the moment at which their handlers are called.
 *
 * A stream's bytes are copied behind what is to be sent already, up to
 * LUN_H2_MOST_WAITING; all that was said in a turn of the loop goes out at its
 * end, with one call.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/h2_link.h"

#include "base/check.h"
#include "net/conn_io.h"
#include "os/file.h"


enum { MOST_ROUNDS = 64 };         /* handlers in a row */


/* --- out ----------------------------------------------------------------- */

static void
on_task(lun_task *task)
{
    lun_h2_link_serve(lun_container_of(task, lun_h2_link, task));
}


void
lun_h2_link_post(lun_h2_link *l)
{
    lun_loop_post(l->c->loop, &l->task, on_task);
}


void
lun_h2_link_say(lun_h2_link *l, unsigned type, unsigned flags,
    uint32_t stream, const void *data, size_t len)
{
    char  head[LUN_FRAME_HEAD];

    (void) lun_frame_put_head(head, len, type, flags, stream);
    lun_bytes_add(&l->out, head, sizeof(head));
    lun_bytes_add(&l->out, data, len);
    lun_h2_link_post(l);
}


static void
fail(lun_h2_link *l)
{
    l->over = true;
    l->share.full = true;

    lun_list_each(&l->streams, it) {
        lun_link_stream_due(lun_container_of(it, lun_link_stream, of_link));
    }

    lun_h2_link_post(l);
}


/* OK: nothing of it is left; AGAIN: it is on its way, or waits. */
static lun_rc
send_bytes(lun_h2_link *l, lun_bytes *b, bool write)
{
    size_t     sent;
    lun_err    err;
    lun_slice  slice;

    if (lun_bytes_left(b) == 0) {
        return LUN_OK;
    }

    slice = (lun_slice) { b->data + b->pos, lun_bytes_left(b) };
    err = lun_conn_send(l->c, &slice, 1, false, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        fail(l);
        return LUN_ERROR;
    }

    b->pos += sent;

    if (lun_bytes_left(b) == 0) {
        b->pos = b->len = 0;
        return LUN_OK;
    }

    if (write) {
        slice = (lun_slice) { b->data + b->pos, lun_bytes_left(b) };
        lun_conn_write(l->c, &slice, 1);
    }

    return LUN_AGAIN;
}


/* What is being written stays where it is: more goes elsewhere meanwhile. */
static void
swap_bytes(lun_h2_link *l)
{
    lun_bytes  b = l->out;

    l->out = l->going;
    l->going = b;
    l->out.pos = l->out.len = 0;
}


bool
lun_h2_link_flush(lun_h2_link *l, bool write)
{
    lun_rc  rc;

    if (lun_conn_writing(l->c) || l->c->gone) {
        return false;
    }

    rc = send_bytes(l, &l->going, write);

    if (rc == LUN_OK) {
        swap_bytes(l);
        rc = send_bytes(l, &l->going, write);
    }

    return rc == LUN_OK;
}


/* --- a stream writes ----------------------------------------------------- */

static size_t
room_left(const lun_h2_link *l)
{
    size_t  used = lun_bytes_left(&l->out);

    return used < LUN_H2_MOST_WAITING ? LUN_H2_MOST_WAITING - used : 0;
}


/* Where a frame's content goes, of `most` bytes; end_frame() says how many. */
static char *
begin_frame(lun_h2_link *l, size_t most)
{
    return lun_bytes_room(&l->out, LUN_FRAME_HEAD + most) + LUN_FRAME_HEAD;
}


static void
end_frame(lun_link_stream *s, size_t n)
{
    lun_h2_link  *l = s->link;

    LUN_CHECK(n != 0 && (int64_t) n <= s->framed);

    s->framed -= (int64_t) n;
    s->sent_all = s->ends && s->framed == 0;
    (void) lun_frame_put_head(l->out.data + l->out.len, n, LUN_FRAME_DATA,
                              s->sent_all ? LUN_FRAME_END_STREAM : 0, s->id);
    l->out.len += LUN_FRAME_HEAD + n;
    s->conn->sent += LUN_FRAME_HEAD;
    lun_h2_link_post(l);
}


void
lun_link_stream_end(lun_link_stream *s)
{
    s->sent_all = true;
    s->conn->sent += LUN_FRAME_HEAD;
    lun_h2_link_say(s->link, LUN_FRAME_DATA, LUN_FRAME_END_STREAM, s->id, NULL,
                    0);
}


/* Bytes that were taken: frames as they are, and what has to become some. */
static size_t
take_memory(lun_link_stream *s, const lun_slice *slice)
{
    size_t        n = slice->len;
    lun_h2_link  *l = s->link;

    /* It goes at once: streams begin in the order of their numbers. */
    if (s->head != 0) {
        LUN_CHECK(n == s->head);
        s->head = 0;
        lun_bytes_add(&l->out, slice->data, n);
        lun_h2_link_post(l);

        if (s->ends && s->framed == 0) {
            lun_link_stream_end(s);
        }

        return n;
    }

    n = lun_min(lun_min(n, (size_t) LUN_FRAME_MOST), room_left(l));

    if (n != 0) {
        memcpy(begin_frame(l, n), slice->data, n);
        end_frame(s, n);
    }

    return n;
}


static lun_err
take_file(lun_link_stream *s, size_t *done)
{
    char     *p;
    size_t    n = lun_min(s->slice.len, (size_t) LUN_FRAME_MOST);
    lun_err   err;

    n = lun_min(n, room_left(s->link));
    p = begin_frame(s->link, n);
    err = lun_file_read(s->file, p, n, s->at, done);

    if (err == 0 && *done != 0) {
        end_frame(s, *done);
    }

    return err;
}


static lun_err
send_now(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    size_t          i, taken = 0, done;
    lun_link_stream  *s = c->io_data;
    lun_h2_link    *l = s->link;

    if (l->over || l->what != NULL) {
        return lun_err_of_kind(LUN_ERR_RESET);
    }

    /* Others have waited for longer. */
    if (!lun_list_empty(&l->turn) && s->head == 0) {
        return lun_err_of_kind(LUN_ERR_AGAIN);
    }

    for (i = 0; i < n; i += done == slices[i].len) {
        done = 0;

        while (done < slices[i].len) {
            lun_slice  rest = { (const char *) slices[i].data + done,
                                slices[i].len - done };
            size_t     one = take_memory(s, &rest);

            done += one;
            taken += one;

            if (one == 0) {
                *sent = taken;
                return taken != 0 ? 0 : lun_err_of_kind(LUN_ERR_AGAIN);
            }
        }
    }

    *sent = taken;
    return 0;
}


static void
wait_for_turn(lun_link_stream *s)
{
    LUN_CHECK(lun_list_empty(&s->turn));

    lun_list_push_back(&s->link->turn, &s->turn);
    lun_h2_link_post(s->link);
}


/* It is done when the first byte was taken: that is in the first piece. */
static void
write_later(lun_conn *c, const lun_slice *slices, size_t n)
{
    lun_link_stream  *s = c->io_data;

    LUN_CHECK(n != 0 && slices[0].len != 0 && s->head == 0);

    s->slice = slices[0];
    wait_for_turn(s);
}


static void
send_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    lun_link_stream  *s = c->io_data;

    s->slice = (lun_slice) { NULL, size };
    s->file = file;
    s->at = at;
    wait_for_turn(s);
}


/* --- a stream reads ------------------------------------------------------ */

/*
 * It ends in a handler's call, but never from in here: whoever asked for input
 * is still at work.
 */
static void
read_more(lun_conn *c)
{
    size_t          n;
    lun_link_stream  *s = c->io_data;
    lun_bytes   *in = &s->in;

    LUN_CHECK(s->filled == 0);

    n = lun_min((size_t) (c->in.end - c->in.last), lun_bytes_left(in));

    if (n != 0) {
        memcpy(c->in.last, in->data + in->pos, n);
        in->pos += n;
        s->filled = n;
    }

    if (n != 0 && lun_bytes_left(in) == 0) {
        lun_bytes_drop(in);
    }

    if (n != 0 || s->link->over) {
        lun_link_stream_due(s);
        lun_h2_link_post(s->link);
    }
}


/* --- the end of a stream ------------------------------------------------- */

static void
on_closed(lun_task *task)
{
    lun_link_stream  *s = lun_container_of(task, lun_link_stream, closing);
    lun_conn         *c = s->conn;

    lun_free(s);
    lun_conn_cancelled(c);
}


static void
end_output(lun_conn *c)
{
    LUN_NEVER("a stream of an upstream request ends with its body");
}


/* It is no stream of the link any more. */
static void
close_stream(lun_conn *c)
{
    lun_link_stream  *s = c->io_data;
    lun_loop       *loop = c->loop;

    LUN_CHECK(lun_list_empty(&s->of_link));

    s->link = NULL;
    lun_bytes_drop(&s->in);

    if (lun_conn_reading(c) || lun_conn_writing(c)) {
        lun_loop_post(loop, &s->closing, on_closed);

    } else {
        lun_free(s);
    }
}


const lun_conn_io  lun_link_stream_io = {
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
error_of(const lun_h2_link *l)
{
    return l->c->err != 0 ? l->c->err : lun_err_of_kind(LUN_ERR_RESET);
}


/* What has come, the end, or an error.  Each call may end stream and link. */
static void
call_handlers(lun_link_stream *s)
{
    size_t        n = s->filled;
    lun_conn     *c = s->conn;
    lun_h2_link  *l = s->link;

    lun_list_remove(&s->due);

    if (n != 0 && lun_conn_reading(c)) {
        s->filled = 0;

        if (s->opened || l->over) {
            lun_link_stream_due(s);      /* once more */
        }

        lun_conn_read_done(c, 0, n);
        return;
    }

    if (s->opened) {
        s->opened = false;

        if (l->over) {
            lun_link_stream_due(s);
        }

        /* What others may send is no news for it. */
        if (lun_link_stream_may_send(s)) {
            s->on_window(c);
        }

        return;
    }

    if (!l->over) {
        return;
    }

    if (lun_conn_reading(c)) {
        if (lun_conn_writing(c)) {
            lun_link_stream_due(s);
        }

        lun_conn_read_done(c, l->c->gone ? error_of(l) : 0, 0);

    } else if (lun_conn_writing(c)) {
        lun_list_remove(&s->turn);
        lun_conn_write_done(c, error_of(l), 0);
    }
}


/* The one that has waited for longest: a frame of it. */
static void
take_turn(lun_h2_link *l)
{
    size_t          n = 0;
    lun_err         err = 0;
    lun_link_stream  *s = lun_container_of(l->turn.next, lun_link_stream, turn);

    lun_list_remove(&s->turn);

    if (s->slice.data == NULL) {
        err = take_file(s, &n);

    } else {
        n = take_memory(s, &s->slice);
    }

    /* It would not be read for another stream either. */
    if (err != 0) {
        lun_h2_link_retire(l);
    }

    lun_conn_write_done(s->conn, err, (int64_t) n);
}


/* False: there is nothing to be done for now. */
static bool
serve_one(lun_h2_link *l)
{
    if (!lun_list_empty(&l->due)) {
        call_handlers(lun_container_of(l->due.next, lun_link_stream, due));
        return true;
    }

    if (!lun_list_empty(&l->turn) && room_left(l) != 0 && !l->over
        && l->what == NULL)
    {
        take_turn(l);
        return true;
    }

    return false;
}


void
lun_h2_link_serve(lun_h2_link *l)
{
    int   n;
    bool  more = true;

    l->serving++;

    for (n = 0; more && n < MOST_ROUNDS && l->c != NULL; n++) {
        more = serve_one(l);
    }

    l->serving--;

    /* A handler has closed the connection; a call around this one sees it. */
    if (l->c == NULL) {
        if (l->serving == 0) {
            lun_free(l);
        }

        return;
    }

    /* Without streams it is kept, and somebody else's. */
    if (l->count == 0) {
        return;
    }

    if (lun_h2_link_flush(l, true)) {
        more |= !lun_list_empty(&l->turn);
    }

    if (more) {
        lun_h2_link_post(l);
    }
}
