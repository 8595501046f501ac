/*
 * pipe_end.c -- our end of a pipe to a program.
 *
 * Reading: the system fills `piece`, at most one operation at a time.  A
 * coroutine that waits gets the piece as it is; without one it is appended to
 * `kept`, where the next read finds it.  After the program's end the rest is
 * fetched in advance: it is what a pipe can hold, and no more.
 *
 * Writing: `piece` is what the system works on.  A write that begins while
 * another, given up, is still on its way back from the system waits in
 * `queued`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/pipe_end.h"

#include "modules/lua/run/ctx.h"

#include "base/check.h"
#include "base/pool.h"
#include "os/file.h"

/* Bytes fetched in advance: /proc/sys/fs/pipe-max-size, as it mostly is. */
enum { KEPT_MOST = 1 << 20 };

struct lun_pipe_end {
    lun_stream  stream;
    const char *name;              /* the program's, in lines of the log */
    lun_co     *waiter;
    char       *piece;             /* what comes, or goes out */
    size_t      size;              /* bytes of it */
    size_t      done;              /* bytes of it that went out */
    char       *kept;              /* what came and nobody has got yet */
    size_t      kept_len;
    char       *queued;            /* a text to write after `piece` */
    size_t      queued_len;
    bool        read;              /* somebody has asked for what comes */
    bool        over;              /* its end was seen, or an error */
    bool        closed;
    bool        finished;          /* the program has ended */
    bool        freed;             /* goes with its last operation */
    lun_err     err;               /* why it is over, 0: its end */
};


int
lun_pipe_fail(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}


lun_str
lun_pipe_err_text(lun_err err, char *room, size_t size)
{
    return lun_err_kind_of(err) == LUN_ERR_RESET
           ? LUN_STR("closed") : lun_err_text(err, room, size);
}


int
lun_pipe_fail_err(lua_State *L, lun_err err)
{
    char     room[128];
    lun_str  text = lun_pipe_err_text(err, room, sizeof(room));

    lua_pushnil(L);
    lua_pushlstring(L, text.data, text.len);
    return 2;
}


/* --- those who wait --- */

lun_co *
lun_pipe_waiter(lun_co **place)
{
    lun_co  *co = *place;

    LUN_CHECK(co != NULL);

    *place = NULL;
    lun_timer_stop(&co->timer);
    return co;
}


static void
on_timeout(lun_timer *timer)
{
    lun_co  *co = lun_container_of(timer, lun_co, timer);

    co->cancel(co->cancel_data);
    lun_co_wake(co, lun_pipe_fail(co->L, "timeout"));
}


int
lun_pipe_await(lun_co **place, lun_co *co, lun_msec limit, const char *what,
    lun_co_cancel_fn *cancel, void *data)
{
    LUN_CHECK(*place == NULL);

    *place = co;

    if (limit != 0) {
        lun_debug(NULL, "lua pipe add timer for %s: %" PRIu64 "(ms)", what,
                  (uint64_t) limit);
        lun_timer_start(lun_lua_loop(co->ctx), &co->timer, limit, on_timeout);
    }

    return lun_co_wait(co, "ngx.pipe", cancel, data);
}


/* --- its life --- */

static void
free_memory(lun_pipe_end *e)
{
    lun_free(e->piece);
    lun_free(e->kept);
    lun_free(e->queued);
    lun_free(e);
}


lun_pipe_end *
lun_pipe_end_new(lun_loop *loop, lun_fd fd, size_t size, const char *name,
    lun_err *err)
{
    lun_pipe_end  *e = lun_calloc(sizeof(lun_pipe_end));

    *err = lun_port_attach_pipe(loop->port, &e->stream, fd);

    if (*err != 0) {
        lun_file_close(fd);
        lun_free(e);
        return NULL;
    }

    e->stream.in.data = e->stream.out.data = e;
    e->size = size;
    e->name = name;
    return e;
}


/* Nothing comes any more, and nothing goes: what is kept stays. */
static void
close_stream(lun_pipe_end *e)
{
    lun_port_close(&e->stream);
    lun_free(e->queued);
    e->queued = NULL;
}


void
lun_pipe_end_close(lun_pipe_end *e, const char *why)
{
    lun_co  *co;

    e->closed = true;
    e->kept_len = 0;
    close_stream(e);

    if (e->waiter != NULL) {
        co = lun_pipe_waiter(&e->waiter);
        lun_co_wake(co, lun_pipe_fail(co->L, why));
    }
}


void
lun_pipe_end_free(lun_pipe_end *e)
{
    if (e == NULL) {
        return;
    }

    lun_pipe_end_close(e, "closed");

    if (lun_port_busy(&e->stream)) {
        e->freed = true;

    } else {
        free_memory(e);
    }
}


/* The last thing that is done with it when an operation has come back. */
static bool
is_gone(lun_pipe_end *e)
{
    if (!e->freed || lun_port_busy(&e->stream)) {
        return false;
    }

    free_memory(e);
    return true;
}


/* --- reading --- */

static void
keep(lun_pipe_end *e, size_t len)
{
    if (len == 0) {
        return;
    }

    e->kept = lun_realloc(e->kept, e->kept_len + len);
    memcpy(e->kept + e->kept_len, e->piece, len);
    e->kept_len += len;
}


/* What there is now, as Lua gets it. */
static int
push_kept(lun_pipe_end *e, lua_State *L)
{
    if (e->kept_len != 0) {
        lua_pushlstring(L, e->kept, e->kept_len);
        lun_free(e->kept);
        e->kept = NULL;
        e->kept_len = 0;
        return 1;
    }

    if (e->err != 0) {
        return lun_pipe_fail_err(L, e->err);
    }

    (void) lun_pipe_fail(L, "closed");
    lua_pushboolean(L, 1);
    return 3;
}


static void  fetch(lun_pipe_end *e);


static void
on_read(lun_op *op)
{
    size_t         n;
    lun_co        *co;
    lun_pipe_end  *e = op->data;

    if (is_gone(e) || e->closed) {
        return;
    }

    n = op->err == 0 ? (size_t) op->result : 0;

    if (n == 0) {
        e->over = true;
        e->err = lun_err_kind_of(op->err) == LUN_ERR_RESET ? 0 : op->err;
        close_stream(e);
    }

    co = e->waiter != NULL ? lun_pipe_waiter(&e->waiter) : NULL;

    /* Lua gets it before the next piece comes to the same place. */
    if (co == NULL) {
        keep(e, n);

    } else if (n != 0) {
        lua_pushlstring(co->L, e->piece, n);
    }

    if (e->finished && !e->over && e->kept_len < KEPT_MOST) {
        fetch(e);
    }

    if (co != NULL) {
        lun_co_wake(co, n != 0 ? 1 : push_kept(e, co->L));
    }
}


static void
fetch(lun_pipe_end *e)
{
    if (e->piece == NULL) {
        e->piece = lun_malloc(e->size);
    }

    lun_port_read(&e->stream, e->piece, e->size, on_read);
}


static void
on_reader_gone(void *data)
{
    lun_pipe_end  *e = data;

    lun_debug(NULL, "lua pipe proc read %s cleanup", e->name);
    (void) lun_pipe_waiter(&e->waiter);
}


int
lun_pipe_end_read(lun_pipe_end *e, lun_co *co, lun_msec limit)
{
    if (e->closed) {
        return lun_pipe_fail(co->L, "closed");
    }

    if (e->waiter != NULL) {
        return lun_pipe_fail(co->L, "pipe busy reading");
    }

    e->read = true;

    if (e->kept_len != 0 || e->over) {
        return push_kept(e, co->L);
    }

    if (!e->stream.in.busy) {
        fetch(e);
    }

    lun_debug(NULL, "lua pipe read yielding");
    return lun_pipe_await(&e->waiter, co, limit, "reading", on_reader_gone, e);
}


void
lun_pipe_end_finish(lun_pipe_end *e)
{
    e->finished = true;

    if (!e->read) {
        lun_pipe_end_close(e, "closed");

    } else if (!e->over && !e->closed && !e->stream.in.busy) {
        fetch(e);
    }
}


/* --- writing --- */

static void  on_written(lun_op *op);


static void
write_rest(lun_pipe_end *e)
{
    lun_slice  slice = { e->piece + e->done, e->size - e->done };

    lun_port_write(&e->stream, &slice, 1, on_written);
}


static void
write_text(lun_pipe_end *e, char *text, size_t len)
{
    lun_free(e->piece);
    e->piece = text;
    e->size = len;
    e->done = 0;
    write_rest(e);
}


static void
on_written(lun_op *op)
{
    char          *text;
    lun_co        *co;
    lun_pipe_end  *e = op->data;

    if (is_gone(e) || e->closed) {
        return;
    }

    /* It was given up, and the next one has begun. */
    if (e->queued != NULL) {
        text = e->queued;
        e->queued = NULL;
        write_text(e, text, e->queued_len);
        return;
    }

    e->done += (size_t) op->result;

    if (e->waiter == NULL) {
        return;
    }

    if (op->err == 0 && e->done < e->size) {
        write_rest(e);
        return;
    }

    co = lun_pipe_waiter(&e->waiter);

    if (op->err != 0) {
        lun_log(LUN_LOG_INFO, NULL, op->err, "lua pipe write data error "
                "pipe:%" PRIXPTR, (uintptr_t) e);
        lun_co_wake(co, lun_pipe_fail_err(co->L, op->err));

    } else {
        lua_pushinteger(co->L, (lua_Integer) e->size);
        lun_co_wake(co, 1);
    }
}


/* Nobody wants the rest of it written any more. */
static void
on_writer_gone(void *data)
{
    lun_pipe_end  *e = data;

    lun_debug(NULL, "lua pipe proc write cleanup");
    (void) lun_pipe_waiter(&e->waiter);

    if (e->queued != NULL) {
        lun_free(e->queued);
        e->queued = NULL;

    } else {
        lun_port_cancel_write(&e->stream);
    }
}


/*
 * The text is copied, since the script's string may be collected while the
 * program does not read.
 */
int
lun_pipe_end_write(lun_pipe_end *e, lun_co *co, const char *text, size_t len,
    lun_msec limit)
{
    char  *copy;

    if (e->closed) {
        return lun_pipe_fail(co->L, "closed");
    }

    if (e->waiter != NULL) {
        return lun_pipe_fail(co->L, "pipe busy writing");
    }

    if (len == 0) {
        lua_pushinteger(co->L, 0);
        return 1;
    }

    copy = lun_malloc(len);
    memcpy(copy, text, len);

    if (e->stream.out.busy) {
        e->queued = copy;
        e->queued_len = len;

    } else {
        write_text(e, copy, len);
    }

    lun_debug(NULL, "lua pipe write yielding");
    return lun_pipe_await(&e->waiter, co, limit, "writing", on_writer_gone, e);
}
