/*
 * pipe.c -- ngx.pipe: programs, and pipes to them.
 *
 * What comes in is handed to Lua as it comes, a buffer at a time; lines and
 * the like are made of it there.  A read or write that has run out of time
 * stays with the system: what it brings is kept for the next one.
 *
 * A program is remembered until it has ended, also without its Lua object;
 * when that goes before, the program is killed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/native.h"
#include "modules/lua/thread.h"
#include "os/file.h"
#include "os/proc.h"

enum { STD_IN, STD_OUT, STD_ERR, ENDS };

enum { MOST_ARGS = 4096, BUFFER_MOST = 1 << 20 };

typedef struct program  program;

typedef struct {
    lun_stream  stream;
    program    *owner;
    lun_co     *waiter;
    char       *buf;               /* what came, or goes out */
    size_t      have;              /* bytes in it */
    size_t      done;              /* bytes of it that went out */
    bool        over;              /* its end was seen, or an error */
    lun_err     err;
} pipe_end;

struct program {
    lun_list   link;               /* in `running`, until it has ended */
    lun_proc   proc;
    int64_t    pid;
    pipe_end   ends[ENDS];
    size_t     buffer_size;
    bool       merged;
    bool       closed;             /* waited for, or collected */
    bool       ended;
    int        code, signal;
    lun_co    *waiter;
    unsigned   holds;              /* the box, the process, operations */
};

static const char  type_name[] = "lunette.pipe";
static lun_list    running = { &running, &running };


static void
put(program *p)
{
    int  i;

    if (--p->holds == 0) {
        for (i = 0; i < ENDS; i++) {
            lun_free(p->ends[i].buf);
        }

        lun_free(p);
    }
}


static program *
program_of(lua_State *L)
{
    return *(program **) luaL_checkudata(L, 1, type_name);
}


static int
fail(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}


static int
fail_err(lua_State *L, lun_err err)
{
    char     room[128];
    lun_str  text;

    if (err == 0 || lun_err_kind_of(err) == LUN_ERR_RESET) {
        return fail(L, "closed");
    }

    text = lun_err_text(err, room, sizeof(room));
    lua_pushnil(L);
    lua_pushlstring(L, text.data, text.len);
    return 2;
}


/* --- those who wait --- */

static lun_co *
take_waiter(lun_co **waiter)
{
    lun_co  *co = *waiter;

    *waiter = NULL;
    lun_timer_stop(&co->timer);
    return co;
}


/* The place of the waiter is what waits: for any of the three kinds. */
static void
on_timeout(lun_timer *timer)
{
    lun_co  *co = lun_container_of(timer, lun_co, timer);

    (void) take_waiter(co->cancel_data);
    lun_co_wake(co, fail(co->L, "timeout"));
}


static void
on_cancel(void *data)
{
    (void) take_waiter(data);
}


/* limit 0: for ever. */
static int
wait_at(lun_co **waiter, lun_co *co, lua_Number limit)
{
    *waiter = co;

    if (limit > 0) {
        lun_timer_start(&co->timer, (lun_msec) limit, on_timeout);
    }

    return lun_co_wait(co, on_cancel, waiter);
}


static void
close_end(pipe_end *e)
{
    lun_co  *co;

    if (e->waiter != NULL) {
        co = take_waiter(&e->waiter);
        lun_co_wake(co, fail(co->L, "aborted"));
    }

    lun_port_close(&e->stream);
}


static void
close_all(program *p)
{
    int  i;

    p->closed = true;

    for (i = 0; i < ENDS; i++) {
        close_end(&p->ends[i]);
    }
}


/* --- reading --- */

static int
push_piece(pipe_end *e, lua_State *L)
{
    if (e->have == 0) {
        return fail_err(L, e->err);
    }

    lua_pushlstring(L, e->buf, e->have);
    e->have = 0;
    return 1;
}


static void
on_read(lun_op *op)
{
    lun_co    *co;
    pipe_end  *e = op->data;
    program   *p = e->owner;

    e->have = op->err == 0 ? (size_t) op->result : 0;
    e->over = e->have == 0;
    e->err = op->err;

    if (e->waiter != NULL) {
        co = take_waiter(&e->waiter);
        lun_co_wake(co, push_piece(e, co->L));
    }

    put(p);
}


/* Why an end can't be used now; NULL: it can. */
static const char *
objection(const program *p, int which)
{
    const pipe_end  *e = &p->ends[which];

    if (p->closed) {
        return "closed";
    }

    if (which == STD_ERR && p->merged) {
        return "merged to stdout";
    }

    return e->stream.fd == LUN_FD_NONE ? "closed" : NULL;
}


/* (program, 1 or 2, ms): a piece of what comes, or nil and why. */
static int
read_(lua_State *L)
{
    int          which = (int) luaL_checkinteger(L, 2);
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    program     *p = program_of(L);
    pipe_end    *e = &p->ends[which];
    const char  *why = objection(p, which);

    if (why != NULL) {
        return fail(L, why);
    }

    if (e->waiter != NULL) {
        return fail(L, "pipe busy reading");
    }

    if (e->have != 0 || e->over) {
        return push_piece(e, L);
    }

    if (!e->stream.in.busy) {
        p->holds++;
        lun_port_read(&e->stream, e->buf, p->buffer_size, on_read);
    }

    return wait_at(&e->waiter, co, luaL_checknumber(L, 3));
}


/* --- writing --- */

static void  on_written(lun_op *op);


static void
write_on(pipe_end *e)
{
    lun_slice  slice = { e->buf + e->done, e->have - e->done };

    e->owner->holds++;
    lun_port_write(&e->stream, &slice, 1, on_written);
}


static void
on_written(lun_op *op)
{
    lun_co    *co;
    pipe_end  *e = op->data;
    program   *p = e->owner;

    e->done += (size_t) op->result;

    /* Nobody wants the rest of what has run out of time. */
    if (e->waiter == NULL) {
        put(p);
        return;
    }

    if (op->err == 0 && e->done < e->have) {
        write_on(e);
        put(p);
        return;
    }

    co = take_waiter(&e->waiter);

    if (op->err != 0) {
        lun_co_wake(co, fail_err(co->L, op->err));

    } else {
        lua_pushinteger(co->L, (lua_Integer) e->have);
        lun_co_wake(co, 1);
    }

    put(p);
}


/* (program, text, ms): its length, when all of it is taken. */
static int
write_(lua_State *L)
{
    size_t       len;
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    program     *p = program_of(L);
    pipe_end    *e = &p->ends[STD_IN];
    const char  *text = luaL_checklstring(L, 2, &len);
    const char  *why = objection(p, STD_IN);

    if (why != NULL) {
        return fail(L, why);
    }

    if (e->waiter != NULL || e->stream.out.busy) {
        return fail(L, "pipe busy writing");
    }

    if (len == 0) {
        lua_pushinteger(L, 0);
        return 1;
    }

    lun_free(e->buf);
    e->buf = lun_malloc(len);
    memcpy(e->buf, text, len);
    e->have = len;
    e->done = 0;
    write_on(e);

    return wait_at(&e->waiter, co, luaL_checknumber(L, 3));
}


/* --- its end --- */

static int
push_end(program *p, lua_State *L)
{
    lua_pushboolean(L, p->code == 0 && p->signal == 0);
    lua_pushstring(L, p->signal != 0 ? "signal" : "exit");
    lua_pushinteger(L, p->signal != 0 ? p->signal : p->code);
    close_all(p);
    return 3;
}


static void
on_child(int64_t pid)
{
    lun_co   *co;
    program  *p;

    lun_list_each_safe (&running, it) {
        p = lun_container_of(it, program, link);

        if (p->pid != pid || !lun_proc_ended(&p->proc, &p->code, &p->signal)) {
            continue;
        }

        p->ended = true;
        lun_list_remove(&p->link);

        if (p->waiter != NULL) {
            co = take_waiter(&p->waiter);
            lun_co_wake(co, push_end(p, co->L));
        }

        put(p);
        return;
    }
}


/* (program, ms): true, "exit", 0 and the like. */
static int
wait_(lua_State *L)
{
    lun_co   *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    program  *p = program_of(L);

    if (p->closed) {
        return fail(L, "exited");
    }

    if (p->waiter != NULL) {
        return fail(L, "pipe busy waiting");
    }

    return p->ended ? push_end(p, L)
                    : wait_at(&p->waiter, co, luaL_checknumber(L, 2));
}


/* (program, number). */
static int
kill_(lua_State *L)
{
    program  *p = program_of(L);

    if (p->ended) {
        return fail(L, "exited");
    }

    if (lun_proc_send(&p->proc, (int) luaL_checkinteger(L, 2)) != 0) {
        return fail(L, "invalid signal");
    }

    lua_pushboolean(L, 1);
    return 1;
}


/* (program, 0 ... 2). */
static int
shutdown_(lua_State *L)
{
    int          which = (int) luaL_checkinteger(L, 2);
    program     *p = program_of(L);
    const char  *why = objection(p, which);

    if (why != NULL) {
        return fail(L, why);
    }

    close_end(&p->ends[which]);
    lua_pushboolean(L, 1);
    return 1;
}


static int
pid_(lua_State *L)
{
    lua_pushnumber(L, (lua_Number) program_of(L)->pid);
    return 1;
}


static int
on_collect(lua_State *L)
{
    program  **box = lua_touserdata(L, 1), *p = *box;

    if (p != NULL) {
        *box = NULL;

        if (!p->ended) {
            lun_proc_kill(&p->proc);
        }

        close_all(p);
        put(p);
    }

    return 0;
}


/* --- starting --- */

/* The strings of the table at `index`, and NULL; they stay the table's. */
static const char *const *
list_of(lua_State *L, int index)
{
    size_t        i, n = lua_objlen(L, index);
    const char  **list;

    if (n > MOST_ARGS) {
        luaL_error(L, "too many arguments");
    }

    list = lua_newuserdata(L, (n + 1) * sizeof(char *));

    for (i = 0; i < n; i++) {
        lua_rawgeti(L, index, (int) i + 1);
        list[i] = luaL_checkstring(L, -1);
        lua_pop(L, 1);
    }

    list[n] = NULL;
    return list;
}


static lun_err
attach(program *p, const lun_fd *fds)
{
    int        i;
    lun_err    err = 0, rc;
    pipe_end  *e;

    for (i = 0; i < ENDS; i++) {
        e = &p->ends[i];
        e->owner = p;
        e->stream.fd = LUN_FD_NONE;

        if (fds[i] == LUN_FD_NONE) {
            continue;
        }

        rc = lun_port_attach_pipe(lun_loop_port(), &e->stream, fds[i]);
        e->stream.in.data = e->stream.out.data = e;

        if (rc != 0) {
            lun_file_close(fds[i]);
            err = rc;
        }
    }

    return err;
}


/* (argv, environment or nil, whether to merge, buffer size). */
static int
spawn(lua_State *L)
{
    lua_Number         size = luaL_checknumber(L, 4);
    lun_fd             fds[ENDS];
    lun_err            err;
    program           *p, **box;
    lun_proc_command   command = { .argv = list_of(L, 1) };

    if (lun_worker.quit == NULL) {
        return fail(L, "only a server has pipes");
    }

    if (lua_istable(L, 2)) {
        command.env = list_of(L, 2);
    }

    box = lua_newuserdata(L, sizeof(program *));
    *box = NULL;
    luaL_getmetatable(L, type_name);
    lua_setmetatable(L, -2);

    p = lun_calloc(sizeof(program));
    p->merged = lua_toboolean(L, 3);
    p->buffer_size = (size_t) lun_min(size, (lua_Number) BUFFER_MOST);
    err = lun_proc_run_piped(&command, p->merged, &p->proc, fds);

    if (err != 0) {
        lun_free(p);
        return fail_err(L, err);
    }

    *box = p;
    p->holds = 2;
    p->pid = p->proc.pid;
    p->ends[STD_OUT].buf = lun_malloc(p->buffer_size);
    p->ends[STD_ERR].buf = lun_malloc(p->buffer_size);
    lun_list_push_back(&running, &p->link);
    lun_worker.child_ended = on_child;
    err = attach(p, fds);

    if (err != 0) {
        lun_proc_kill(&p->proc);
        close_all(p);
        return fail_err(L, err);
    }

    return 1;
}


static const luaL_Reg  functions[] = {
    { "pipe_spawn", spawn },
    { "pipe_read", read_ },
    { "pipe_write", write_ },
    { "pipe_wait", wait_ },
    { "pipe_kill", kill_ },
    { "pipe_shutdown", shutdown_ },
    { "pipe_pid", pid_ },
    { NULL, NULL }
};


void
lun_lua_pipe_open(lua_State *L)
{
    lun_lua_type(L, type_name, on_collect);
    luaL_register(L, NULL, functions);
}
