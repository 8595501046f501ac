/*
 * conn.c -- connections.
 *
 *     | lun_conn | input buffer |      one allocation, one size class
 *
 * Freed ones are kept in a list per size class, so that a server that opens
 * and closes a thousand connections a second does not call malloc for them.
 * What the connection asked the port for comes back here and goes on to the
 * handler of the state it is in by then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn.h"

#include "base/check.h"
#include "net/conn_io.h"
#include "net/conn_priv.h"
#include "net/listen.h"


enum {
    MIN_CLASS  = 8,                /* 256 bytes of input */
    CLASSES    = LUN_CONN_CLASSES, /* up to 32 KB; larger ones are not kept */
    KEEP       = 256,              /* connections of a class */
    POOL_SIZE  = 256
};

/* A connection that waits for its next use. */
typedef struct spare  spare;
struct spare {
    spare  *next;
};

/* Numbers are the log's: no two of the process are the same. */
static _Atomic uint64_t  last_number;


/* --- memory -------------------------------------------------------------- */

static char *
own_buffer(lun_conn *c)
{
    return (char *) (c + 1);
}


/* CLASSES or more: none. */
static unsigned
class_of(size_t in_size)
{
    unsigned  class = 0;

    while (class < CLASSES && ((size_t) 1 << (MIN_CLASS + class)) < in_size) {
        class++;
    }

    return class;
}


static lun_conn *
take_memory(lun_loop *loop, size_t in_size)
{
    spare            *s;
    unsigned          class = class_of(in_size);
    lun_conn_spares  *kept;

    if (class == CLASSES) {
        return lun_malloc(sizeof(lun_conn) + in_size);
    }

    kept = &loop->conns.spares[class];
    s = kept->head;

    if (s == NULL) {
        return lun_malloc(sizeof(lun_conn)
                          + ((size_t) 1 << (MIN_CLASS + class)));
    }

    kept->head = s->next;
    kept->count--;
    return (lun_conn *) (void *) s;
}


/* The loop ends. */
static void
free_spares(lun_loop *loop, lun_loop_part *part)
{
    spare     *s;
    unsigned   class;

    part->end = NULL;

    for (class = 0; class < CLASSES; class++) {
        while ((s = loop->conns.spares[class].head) != NULL) {
            loop->conns.spares[class].head = s->next;
            lun_free(s);
        }

        loop->conns.spares[class].count = 0;
    }
}


static void
give_memory(lun_loop *loop, lun_conn *c, size_t in_size)
{
    spare            *s = (spare *) (void *) c;
    unsigned          class = class_of(in_size);
    lun_loop_conns   *all = &loop->conns;
    lun_conn_spares  *kept;

#ifdef LUN_POOL_DEBUG
    class = CLASSES;               /* so that ASan sees a use after the end */
#endif

    kept = &all->spares[lun_min(class, (unsigned) CLASSES - 1)];

    if (class == CLASSES || kept->count == KEEP) {
        lun_free(c);
        return;
    }

    if (all->part.end == NULL) {
        all->part.end = free_spares;
        lun_loop_add_part(loop, &all->part);
    }

    s->next = kept->head;
    kept->head = s;
    kept->count++;
}


static void
free_buffer(lun_conn *c)
{
    if (!c->in_owned && c->in.start != own_buffer(c)) {
        lun_free(c->in.start);
    }
}


/* --- birth --------------------------------------------------------------- */

static void
begin_life(lun_conn *c, size_t in_size, const lun_log *log)
{
    c->own_size = (uint32_t) in_size;
    c->in.start = own_buffer(c);
    c->in.pos = c->in.start;
    c->in.last = c->in.start;
    c->in.end = c->in.start + in_size;

    c->number = ++last_number;
    c->log = *(log != NULL ? log : lun_log_default());
    c->log.conn = c->number;
    c->start_time = lun_clock.mono;

    lun_conn_enlist(c);
}


static lun_conn *
new_over(lun_loop *loop, lun_fd fd, bool datagram, size_t in_size,
    const lun_log *log)
{
    lun_err    err;
    lun_conn  *c;

    c = take_memory(loop, in_size);
    *c = (lun_conn) { .mark = LUN_MARK_CONN, .loop = loop,
                      .datagram = datagram };

    err = lun_port_attach(loop->port, &c->stream, fd, datagram);

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, log, err, "could not watch a connection");
        lun_sock_close(fd);
        give_memory(loop, c, in_size);
        return NULL;
    }

    begin_life(c, in_size, log);
    return c;
}


lun_conn *
lun_conn_new(lun_loop *loop, lun_fd fd, size_t in_size, const lun_log *log)
{
    return new_over(loop, fd, false, in_size, log);
}


lun_conn *
lun_conn_new_bare(lun_loop *loop, size_t in_size, const lun_log *log)
{
    lun_conn  *c = take_memory(loop, in_size);

    *c = (lun_conn) { .mark = LUN_MARK_CONN, .loop = loop,
                      .stream.fd = LUN_FD_NONE };
    begin_life(c, in_size, log);

    return c;
}


lun_conn *
lun_conn_accept(lun_listener *l, lun_fd fd, const lun_addr *peer,
    size_t in_size, const lun_log *log)
{
    lun_conn  *c = new_over(lun_listen_loop(l), fd, false, in_size, log);

    if (c != NULL) {
        c->listener = l;
        c->remote = *peer;
        lun_listen_set_debug(l, &c->remote, &c->log);
        lun_conn_count_client(c);
    }

    return c;
}


static lun_conn *
new_out(lun_loop *loop, lun_family family, bool datagram, size_t in_size,
    const lun_log *log, lun_err *err)
{
    lun_fd     fd;
    lun_conn  *c;

    *err = datagram ? lun_sock_datagram(family, &fd)
                    : lun_sock_stream(family, &fd);

    if (*err != 0) {
        return NULL;
    }

    c = new_over(loop, fd, datagram, in_size, log);

    if (c == NULL) {
        *err = lun_err_of_kind(LUN_ERR_NO_MEMORY);
    }

    return c;
}


lun_conn *
lun_conn_new_out(lun_loop *loop, lun_family family, size_t in_size,
    const lun_log *log, lun_err *err)
{
    return new_out(loop, family, false, in_size, log, err);
}


lun_conn *
lun_conn_new_out_datagram(lun_loop *loop, lun_family family, size_t in_size,
    const lun_log *log, lun_err *err)
{
    return new_out(loop, family, true, in_size, log, err);
}


lun_pool *
lun_conn_memory(lun_conn *c)
{
    if (c->pool == NULL) {
        c->pool = lun_pool_new_sized(POOL_SIZE);
    }

    return c->pool;
}


/* --- states -------------------------------------------------------------- */

void
lun_conn_call(lun_conn *c, lun_conn_fn *handler)
{
    if (handler != NULL) {
        c->loop->conns.latest = c;
        handler(c);
    }
}


static void
on_timer(lun_timer *timer)
{
    lun_conn  *c = lun_container_of(timer, lun_conn, timer);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    lun_conn_call(c, c->state->on_timeout);
}


static const char *
name_of(const lun_conn_state *state)
{
    return state == NULL ? "new" : state->name != NULL ? state->name : "?";
}


void
lun_conn_enter_untimed(lun_conn *c, const lun_conn_state *state)
{
    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(!c->closed);

    if (c->state != state) {
        lun_debug(&c->log, "state: %s -> %s", name_of(c->state),
                  name_of(state));
    }

    c->state = state;
    c->log.doing = state->doing;
}


void
lun_conn_enter(lun_conn *c, const lun_conn_state *state)
{
    lun_conn_enter_untimed(c, state);
    lun_conn_touch(c);
}


void
lun_conn_nodelay(lun_conn *c)
{
    if (!c->nodelay && c->remote.family != LUN_AF_UNIX
        && lun_conn_has_socket(c))
    {
        c->nodelay = 1;
        (void) lun_sock_nodelay(c->stream.fd, true);
    }
}


static lun_msec
limit_at(const lun_conn *c, size_t where)
{
    return *(const lun_msec *) (const void *)
                ((const char *) c->timeouts + where - 1);
}


void
lun_conn_touch(lun_conn *c)
{
    size_t  where = c->state->timeout;

    if (where == 0) {
        lun_timer_stop(&c->timer);
        return;
    }

    lun_conn_limit(c, limit_at(c, where));
}


lun_msec
lun_conn_waited(const lun_conn *c)
{
    LUN_CHECK(c->state->timeout != 0 && lun_timer_runs(&c->timer));

    return lun_clock.mono
           - (c->timer.deadline - limit_at(c, c->state->timeout));
}


void
lun_conn_limit(lun_conn *c, lun_msec limit)
{
    LUN_CHECK(!c->closed);
    lun_timer_start(c->loop, &c->timer, limit, on_timer);
}


/* --- input --------------------------------------------------------------- */

static void end_life(lun_conn *c);


static void
fail_conn(lun_conn *c, lun_err err)
{
    c->err = err;
    c->gone = true;
    lun_conn_call(c, c->state->on_gone);
}


/* A datagram may be empty; of a stream that is the end. */
void
lun_conn_read_done(lun_conn *c, lun_err err, size_t n)
{
    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    c->reading = false;

    if (c->closed) {
        end_life(c);
        return;
    }

    if (err != 0) {
        fail_conn(c, err);

    } else if (n == 0 && !c->datagram) {
        c->eof = true;
        lun_conn_call(c, c->state->on_gone);

    } else {
        c->in.last += n;
        c->received += (int64_t) n;
        LUN_CHECK(c->in.last <= c->in.end);
        lun_conn_call(c, c->state->on_read);
    }
}


static void
on_in(lun_op *op)
{
    lun_conn_read_done(lun_container_of(op, lun_conn, stream.in), op->err,
                       op->err == 0 ? (size_t) op->result : 0);
}


void
lun_conn_want(lun_conn *c)
{
    LUN_CHECK(!c->closed);

    if (c->reading || c->eof || c->gone || c->in.last == c->in.end) {
        return;
    }

    c->reading = true;

    if (c->io != NULL) {
        c->io->read(c);

    } else {
        lun_port_read(&c->stream, c->in.last,
                      (size_t) (c->in.end - c->in.last), on_in);
    }
}


static void
on_watched(lun_op *op)
{
    lun_conn  *c = lun_container_of(op, lun_conn, stream.in);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    c->reading = false;

    if (c->closed) {
        end_life(c);

    } else if (op->err != 0) {
        fail_conn(c, op->err);

    } else {
        lun_conn_call(c, c->state->on_read);
    }
}


void
lun_conn_watch(lun_conn *c)
{
    LUN_CHECK(!c->closed && lun_conn_is_plain(c));

    if (c->reading || c->eof || c->gone) {
        return;
    }

    c->reading = true;
    lun_port_read(&c->stream, c->in.last, 0, on_watched);
}


bool
lun_conn_reading(const lun_conn *c)
{
    return c->reading;
}


void
lun_conn_grow(lun_conn *c, size_t size)
{
    char    *start;
    size_t   have = (size_t) (c->in.last - c->in.pos);

    LUN_CHECK(!c->reading && size >= have);

    start = lun_malloc(size);

    if (have != 0) {
        memcpy(start, c->in.pos, have);
    }

    free_buffer(c);

    c->in_owned = false;
    c->in.start = start;
    c->in.pos = start;
    c->in.last = start + have;
    c->in.end = start + size;
}


void
lun_conn_compact(lun_conn *c)
{
    size_t  have = (size_t) (c->in.last - c->in.pos);

    LUN_CHECK(!c->reading);

    if (c->in.pos != c->in.start && have != 0) {
        memmove(c->in.start, c->in.pos, have);
    }

    c->in.pos = c->in.start;
    c->in.last = c->in.start + have;
}


/* --- output -------------------------------------------------------------- */

void
lun_conn_write_done(lun_conn *c, lun_err err, int64_t n)
{
    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    c->writing = false;

    if (c->closed) {
        end_life(c);
        return;
    }

    if (err != 0) {
        fail_conn(c, err);
        return;
    }

    c->written = n;
    c->sent += n;
    lun_conn_call(c, c->state->on_written);
}


void
lun_conn_cancelled(lun_conn *c)
{
    lun_err  err = lun_err_of_kind(LUN_ERR_CANCELLED);
    bool     writing = c->writing;

    LUN_CHECK(c->closed);

    if (c->reading) {
        lun_conn_read_done(c, err, 0);     /* c is gone, if that was all */
    }

    if (writing) {
        lun_conn_write_done(c, err, 0);
    }
}


static void
on_out(lun_op *op)
{
    lun_conn_write_done(lun_container_of(op, lun_conn, stream.out), op->err,
                        op->err == 0 ? op->result : 0);
}


static void
on_connect(lun_op *op)
{
    lun_conn_write_done(lun_container_of(op, lun_conn, stream.out), op->err,
                        0);
}


void
lun_conn_connect(lun_conn *c, const lun_addr *addr)
{
    LUN_CHECK(!c->closed && !c->writing);

    c->remote = *addr;
    c->writing = true;
    lun_port_connect(&c->stream, addr, on_connect);
}


lun_err
lun_conn_send(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    lun_err  err;

    LUN_CHECK(!c->closed && !c->writing);

    *sent = 0;
    err = c->io != NULL ? c->io->send(c, slices, n, more, sent)
                        : lun_port_send(&c->stream, slices, n, more, sent);

    return lun_conn_sent_now(c, err, *sent);
}


void
lun_conn_write(lun_conn *c, const lun_slice *slices, size_t n)
{
    LUN_CHECK(!c->closed && !c->writing);

    c->writing = true;

    if (c->io != NULL) {
        c->io->write(c, slices, n);

    } else {
        lun_port_write(&c->stream, slices, n, on_out);
    }
}


void
lun_conn_send_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    LUN_CHECK(!c->closed && !c->writing);

    c->writing = true;

    if (c->io != NULL) {
        c->io->send_file(c, file, at, size);

    } else {
        lun_port_send_file(&c->stream, file, at, size, on_out);
    }
}


bool
lun_conn_writing(const lun_conn *c)
{
    return c->writing;
}


int64_t
lun_conn_written(const lun_conn *c)
{
    return c->written;
}


/* --- end ----------------------------------------------------------------- */

lun_err
lun_conn_end(lun_conn *c)
{
    LUN_CHECK(!c->closed && !c->writing);

    if (c->io != NULL) {
        c->io->end(c);
    }

    return c->datagram || !lun_conn_has_socket(c)
           ? 0 : lun_sock_shutdown_write(c->stream.fd);
}


/*
 * Closed, and maybe the last operation has just come back.  A type with
 * operations of its own is done when none of its reads and writes is left.
 */
static void
end_life(lun_conn *c)
{
    lun_loop  *loop = c->loop;

    if (lun_port_busy(&c->stream) || (c->io != NULL
                                      && (c->reading || c->writing)))
    {
        return;
    }

    lun_conn_call(c, c->on_free);

    if (c->pool != NULL) {
        lun_pool_free(c->pool);
    }

    if (loop->conns.latest == c) {
        loop->conns.latest = NULL;
    }

    free_buffer(c);
    c->mark = LUN_MARK_DEAD;
    give_memory(loop, c, c->own_size);
    lun_conn_forget(loop);
}


static void
finish(lun_conn *c, void (*close_stream)(lun_stream *s))
{
    lun_loop  *loop = c->loop;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(!c->closed);

    if (c->io != NULL) {
        c->io->close(c);
    }

    lun_conn_delist(c);
    c->closed = true;
    c->state = NULL;

    lun_timer_stop(&c->timer);
    close_stream(&c->stream);

    end_life(c);
    lun_conn_less(loop);
}


void
lun_conn_close(lun_conn *c)
{
    finish(c, lun_port_close);
}


void
lun_conn_abort(lun_conn *c)
{
    finish(c, lun_port_abort);
}


/* --- what is known of it ------------------------------------------------- */

/* The listener knows it, unless it listens on every address of the machine. */
const lun_addr *
lun_conn_local(lun_conn *c)
{
    const lun_addr  *at = c->listener != NULL ? &c->listener->addr : NULL;

    if (!c->local_known) {
        c->local_known = true;

        if (at != NULL && !lun_addr_is_wildcard(at)) {
            c->local = *at;

        } else if (!lun_conn_has_socket(c)
                   || lun_sock_local(c->stream.fd, &c->local) != 0)
        {
            c->local = (lun_addr) { 0 };
        }
    }

    return &c->local;
}


/* All of it is read from memory that may be spoiled: the rest is said first. */
size_t
lun_conn_report(const lun_loop *loop, char *text, size_t size)
{
    char            *p = text;
    const char      *end = text + size;
    const lun_conn  *latest = loop->conns.latest;

    if (latest == NULL) {
        return (size_t) (lun_fmt(p, end, "no connection was being served")
                         - text);
    }

    p = lun_fmt(p, end, "serving connection *%" PRIu64 "%s%s", latest->number,
                latest->log.doing != NULL ? ", " : "",
                latest->log.doing != NULL ? latest->log.doing : "");

    if (latest->log.context != NULL) {
        p = latest->log.context(latest->log.owner, p, end);
    }

    return (size_t) (p - text);
}
