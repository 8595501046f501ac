/*
 * tls_inside.c -- TLS inside of another connection.
 *
 * The connection that speaks TLS has no socket.  What it would ask the port to
 * read and write is asked of `under`, and what the port would complete
 * (c->stream.in, c->stream.out) is completed here, so tls.c and tls_out.c know
 * no difference.  An `under` that speaks TLS as well encrypts in the buffers
 * that all connections share: ours are empty by then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_priv.h"

#include "base/check.h"


struct lun_tls_inside {
    lun_conn  *under;
    lun_conn  *c;
    char      *to;                 /* where the read in flight goes */
    size_t     size;
    lun_task   task;
};


/* --- what the port would do ---------------------------------------------- */

/* Our connection may be gone afterwards. */
static void
complete_op(lun_op *op, lun_err err, int64_t result)
{
    op->busy = false;
    op->err = err;
    op->result = result;
    op->done(op);
}


static void
complete_read(lun_tls_inside *i)
{
    size_t     n;
    lun_conn  *under = i->under;

    lun_loop_unpost(&i->task);
    n = lun_min(i->size, (size_t) (under->in.last - under->in.pos));

    if (n != 0) {
        memcpy(i->to, under->in.pos, n);
        under->in.pos += n;
    }

    if (under->in.pos == under->in.last && !lun_conn_reading(under)) {
        under->in.pos = under->in.last = under->in.start;
    }

    complete_op(&i->c->stream.in, n == 0 ? under->err : 0, (int64_t) n);
}


static void
on_task(lun_task *task)
{
    complete_read(lun_container_of(task, lun_tls_inside, task));
}


void
lun_tls_inside_read(lun_tls_inside *i, char *to, size_t size, lun_op_fn *done)
{
    lun_op    *op = &i->c->stream.in;
    lun_conn  *under = i->under;

    LUN_CHECK(!op->busy && size != 0);

    op->busy = true;
    op->done = done;
    i->to = to;
    i->size = size;

    if (under->in.pos != under->in.last || under->eof || under->gone) {
        lun_loop_post(under->loop, &i->task, on_task);
        return;
    }

    lun_conn_want(under);
}


lun_err
lun_tls_inside_send(lun_tls_inside *i, const lun_slice *slice, bool more,
    size_t *sent)
{
    return lun_conn_send(i->under, slice, 1, more, sent);
}


void
lun_tls_inside_write(lun_tls_inside *i, const lun_slice *slice,
    lun_op_fn *done)
{
    lun_op  *op = &i->c->stream.out;

    LUN_CHECK(!op->busy);

    op->busy = true;
    op->done = done;
    lun_conn_write(i->under, slice, 1);
}


/* --- the connection under it --------------------------------------------- */

static void
on_read(lun_conn *under)
{
    lun_tls_inside  *i = under->data;

    /* What was asked for by who had it before waits until it is wanted. */
    if (i->c->stream.in.busy) {
        complete_read(i);
    }
}


static void
on_written(lun_conn *under)
{
    lun_tls_inside  *i = under->data;

    complete_op(&i->c->stream.out, 0, lun_conn_written(under));
}


static void
on_gone(lun_conn *under)
{
    lun_tls_inside  *i = under->data;

    if (i->c->stream.out.busy && !lun_conn_writing(under)) {
        complete_op(&i->c->stream.out, under->err, 0);

    } else if (i->c->stream.in.busy && !lun_conn_reading(under)) {
        complete_read(i);
    }
}


/* No time limit: that of the connection inside is the one that counts. */
static const lun_conn_state  carrying = {
    .name       = "carrying TLS",
    .doing      = "carrying TLS",
    .on_read    = on_read,
    .on_written = on_written,
    .on_gone    = on_gone,
};


/* --- life ---------------------------------------------------------------- */

/*
 * The connection below carries records from here on; whoever used it uses the
 * new one.
 */
lun_conn *
lun_tls_start_inside(lun_conn *under, size_t in_size, SSL_CTX *ctx, bool server)
{
    lun_conn        *c;
    lun_tls_inside  *i;

    LUN_CHECK(!under->closed && !lun_conn_writing(under)
              && (lun_conn_is_plain(under)
                  || (under->io->traits & LUN_IO_PACKETS) == 0));

    c = lun_conn_new_bare(under->loop, in_size, &under->log);
    i = lun_pool_new(lun_conn_memory(c), lun_tls_inside);
    i->under = under;
    i->c = c;

    if (lun_tls_begin(c, i, ctx, server) != LUN_OK) {
        lun_conn_close(c);
        return NULL;
    }

    c->remote = under->remote;
    c->local = *lun_conn_local(under);
    c->local_known = true;
    lun_conn_nodelay(under);
    under->data = i;
    under->on_free = NULL;
    lun_conn_enter(under, &carrying);
    return c;
}


static void
end_inside(lun_conn *c)
{
    const lun_tls  *t = c->io_data;

    lun_tls_end(c);

    if (!lun_conn_writing(t->inside->under)) {
        (void) lun_conn_end(t->inside->under);
    }
}


/* What it still writes is ours. */
static void
on_under_free(lun_conn *under)
{
    lun_tls_inside  *i = under->data;

    if (i->c->closed) {
        lun_conn_read_done(i->c, 0, 0);

    } else {
        i->c->reading = 0;             /* at once: whoever closes c goes on */
    }
}


static void
close_inside(lun_conn *c)
{
    const lun_tls   *t = c->io_data;
    lun_tls_inside  *i = t->inside;

    lun_tls_close(c);
    lun_loop_unpost(&i->task);
    c->stream.in.busy = false;
    c->stream.out.busy = false;
    c->reading = 1;                    /* until it is freed */
    c->writing = 0;
    i->under->on_free = on_under_free;
    lun_conn_close(i->under);
}


const lun_conn_io  lun_tls_inside_io = {
    .traits    = LUN_IO_SECURE | LUN_IO_SHARED,
    .read      = lun_tls_read,
    .send      = lun_tls_send,
    .write     = lun_tls_write,
    .send_file = lun_tls_send_file,
    .end       = end_inside,
    .close     = close_inside,
    .shake     = lun_tls_shake_at,
};
