/*
 * mux_conn.c -- a stream as a connection.
 *
 * What the port would complete is completed here, in the stream's steps, where
 * all handlers run.  A read copies from the body window into the connection's
 * buffer, as HTTP/2's frames and those of QUIC have no room of their own that
 * could be given away; only what was copied opens the window again.  A write
 * makes the caller's memory the request's output, and is through when frames
 * have taken all of it: the stream's turn, the client's window and the socket
 * hold back whoever writes.  Nothing is sent at once, for the same reason.
 *
 * Whoever takes the stream over says how long it waits for the client:
 * send_timeout counts only for what is left when the request is over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/mux_conn.h"

#include "base/check.h"
#include "http/body.h"
#include "http/output.h"
#include "http/write.h"
#include "net/conn_io.h"


enum { INPUT_SIZE = 4096 };

struct lun_mux_conn {
    lun_conn        *c;
    lun_str          here;             /* of the body, and not read yet */
    lun_buf          out;              /* the write in flight */
    lun_buf          end;              /* what is behind all */
};


static lun_mux_stream *
stream_of(const lun_conn *c)
{
    lun_mux_stream  *s = c->io_data;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);
    LUN_CHECK(s->conn->c == c);
    return s;
}


/* --- reading ------------------------------------------------------------- */

/* Bytes, the end, or the loss of the stream. */
static bool
may_read(const lun_mux_stream *s)
{
    return s->conn->here.len != 0 || s->body.len != 0 || s->in_closed
           || s->closed || s->mux->broken;
}


static void
read_later(lun_conn *c)
{
    lun_mux_stream  *s = stream_of(c);

    if (may_read(s)) {
        lun_mux_ready(s);
    }
}


/* The window's bytes stay where they are until the next take. */
static size_t
copy_body(lun_mux_stream *s, char *to, size_t room)
{
    size_t    n;
    lun_str  *here = &s->conn->here;

    LUN_CHECK(room != 0);

    if (here->len == 0 && s->body.len != 0) {
        *here = lun_body_window_take(&s->body, true);
        s->body.held = 0;
    }

    n = lun_min(room, here->len);

    if (n != 0) {
        memcpy(to, here->data, n);
        here->data += n;
        here->len -= n;
    }

    return n;
}


static void
complete_read(lun_mux_stream *s)
{
    size_t     n;
    lun_conn  *c = s->conn->c;

    if (!c->reading || !may_read(s)) {
        return;
    }

    n = copy_body(s, c->in.last, (size_t) (c->in.end - c->in.last));
    lun_mux_used(s, n);
    lun_conn_read_done(c, n == 0 && !s->in_closed
                          ? lun_err_of_kind(LUN_ERR_RESET) : 0, n);
}


/* --- writing ------------------------------------------------------------- */

static bool
may_write(const lun_mux_stream *s)
{
    return lun_mux_may_send(s) && !s->out_closed && !s->ended;
}


/* No answer's output, for which others wait: r->blocked stays as it is. */
static void
queue_output(lun_mux_stream *s, lun_buf *b)
{
    lun_chain_push(&s->r->output, b);
    s->mux->kind->may_send(s);
}


/* Nothing is taken before it is asked for by a write. */
static lun_err
send_nothing(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    return lun_err_of_kind(may_write(stream_of(c)) ? LUN_ERR_AGAIN
                                                   : LUN_ERR_RESET);
}


/* The first piece; those behind it follow with the next write. */
static void
write_later(lun_conn *c, const lun_slice *slices, size_t n)
{
    lun_mux_stream  *s = stream_of(c);
    lun_buf         *out = &s->conn->out;

    LUN_CHECK(n != 0 && slices->len != 0);

    if (!may_write(s)) {
        lun_mux_ready(s);
        return;
    }

    *out = (lun_buf) { .flush = 1 };
    out->start = out->pos = (char *) (uintptr_t) slices->data;
    out->end = out->last = out->pos + slices->len;
    queue_output(s, out);
}


static void
complete_write(lun_mux_stream *s)
{
    int64_t         n;
    lun_conn       *c = s->conn->c;
    const lun_buf  *out = &s->conn->out;

    if (!c->writing) {
        return;
    }

    if (!may_write(s)) {
        lun_http_unwrite(s->r);
        lun_conn_write_done(c, lun_err_of_kind(LUN_ERR_RESET), 0);

    } else if (s->r->output.head == NULL) {
        n = out->last - out->start;
        lun_conn_write_done(c, 0, n);
    }
}


static void
send_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    LUN_NEVER("nobody who takes a stream over sends files");
}


/* END_STREAM, in a frame of its own. */
static void
end_output(lun_conn *c)
{
    lun_mux_stream  *s = stream_of(c);

    if (may_write(s)) {
        s->ended = 1;
        s->conn->end = (lun_buf) { .eof = 1 };
        queue_output(s, &s->conn->end);
    }
}


/* --- the connection ------------------------------------------------------ */

/* Nothing of it is in flight for whoever frees it. */
static void
forget_ops(lun_conn *c)
{
    c->reading = 0;
    c->writing = 0;
}


static const lun_conn_io  stream_io = {
    .traits    = LUN_IO_SHARED,
    .read      = read_later,
    .send      = send_nothing,
    .write     = write_later,
    .send_file = send_file,
    .end       = end_output,
    .close     = forget_ops,
};


static void
on_read(lun_conn *c)
{
    lun_request  *r = stream_of(c)->r;

    r->takeover->on_read(r);
}


static void
on_written(lun_conn *c)
{
    lun_request  *r = stream_of(c)->r;

    r->takeover->on_written(r);
}


/* If nobody minds, the rest of the stream tells. */
static void
on_gone(lun_conn *c)
{
    lun_request  *r = stream_of(c)->r;

    (void) r->takeover->on_gone(r);
}


static const lun_conn_state  taken_over = {
    .name       = "stream taken over",
    .on_read    = on_read,
    .on_written = on_written,
    .on_gone    = on_gone,
};

static const lun_conn_state  over = {
    .name       = "stream over",
};


lun_conn *
lun_mux_hand_over(lun_request *r)
{
    lun_conn        *c;
    lun_mux_stream  *s = r->stream;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);
    LUN_CHECK(r->in.tunnel && s->conn == NULL);

    c = lun_conn_new_bare(r->conn->loop, INPUT_SIZE, &s->log);
    c->log.conn = s->log.conn;
    c->io = &stream_io;
    c->io_data = s;
    c->remote = r->conn->remote;
    c->local = *lun_conn_local(r->conn);
    c->local_known = 1;

    s->conn = lun_pool_new(r->pool, struct lun_mux_conn);
    s->conn->c = c;

    r->limit_rate = 0;                 /* of answers */
    r->rate_known = 1;
    r->write_delay = 0;
    lun_timer_stop(&s->send_timer);
    lun_conn_enter(c, &taken_over);
    lun_mux_open_window(s);

    return c;
}


void
lun_mux_make_room(lun_request *r, size_t size)
{
    const lun_mux_stream  *s = r->stream;
    lun_conn              *c = s->conn->c;

    LUN_CHECK_MARK(s, LUN_MARK_MUX_STREAM);

    if (size > (size_t) (c->in.end - c->in.start)) {
        lun_conn_grow(c, size);

    } else {
        lun_conn_compact(c);
    }
}


/* --- its end ------------------------------------------------------------- */

void
lun_mux_conn_step(lun_mux_stream *s)
{
    complete_write(s);
    complete_read(s);
}


void
lun_mux_conn_lose(lun_mux_stream *s)
{
    lun_conn  *c = s->conn->c;

    lun_http_unwrite(s->r);
    forget_ops(c);

    if (!c->gone) {
        c->gone = 1;
        c->err = lun_err_of_kind(LUN_ERR_RESET);
        on_gone(c);
    }
}


/*
 * What is on its way goes out, as from a socket: its memory is the request's.
 * Of one that was given up it is cut off.
 */
void
lun_mux_conn_finish(lun_mux_stream *s)
{
    lun_conn     *c = s->conn->c;
    lun_request  *r = s->r;

    if (r->aborted) {
        lun_http_unwrite(r);

    } else {
        end_output(c);
        lun_mux_limit_output(s);
    }

    forget_ops(c);
    lun_conn_enter(c, &over);
    r->takeover = NULL;
}


lun_conn *
lun_mux_conn_release(lun_mux_stream *s)
{
    lun_conn  *c = s->conn->c;

    s->conn = NULL;
    return c;
}


/* --- the answer's header ------------------------------------------------- */

lun_rc
lun_mux_answer_connect(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->out.status == 101) {
        lun_http_set_out(r, LUN_STR("Sec-WebSocket-Accept"), LUN_STR_NULL);
        lun_http_clear_length(r);
        return LUN_OK;
    }

    if (r->tunnels) {
        return LUN_OK;
    }

    /* A header filter's: lun_http_send_header() has let another one pass. */
    return r->out.status / 100 != 2 ? LUN_OK : LUN_ERROR;
}
