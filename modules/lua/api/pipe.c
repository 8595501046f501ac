/*
 * pipe.c -- ngx.pipe: programs, and pipes to them.
 *
 * What comes in is handed to Lua as it comes, a piece at a time; lines and
 * the like are made of it there.
 *
 * A program is remembered until it has ended, also without its Lua object;
 * when that goes before, the program is killed.  Its end is one thing and the
 * end of its output another: what it wrote is readable as long as it was not
 * waited for, and to the end where reading had begun by then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/pipe.h"

#include "base/check.h"
#include "modules/lua/api/pipe_end.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"
#include "os/file.h"

typedef struct lun_pipe  program;

struct lun_pipe {
    lun_list       link;           /* in `running`, until it has ended */
    lun_proc       proc;
    int64_t        pid;
    lun_pipe_end  *ends[LUN_PIPE_ENDS];  /* ERR: NULL if merged; all: if gone */
    bool           merged;
    bool           waited;         /* its end was told to Lua */
    bool           ended;
    bool           absent;         /* there was nothing to run: no ends */
    int            code, signal;
    lun_co        *waiter;
    unsigned       boxes;          /* who has it: without any it is killed */
    unsigned       holds;          /* the boxes, the process */
};

static const char  type_name[] = "lunette.pipe";
static lun_list    running = { &running, &running };


static void
put(program *p)
{
    LUN_CHECK(p->holds > 0);

    if (--p->holds == 0) {
        lun_free(p);
    }
}


/* At debug level: what is done with a program. */
static void
log_act(const program *p, const char *act)
{
    lun_debug(NULL, "lua pipe %s process:%" PRIXPTR " pid:%" PRId64, act,
              (uintptr_t) p, p->pid);
}


static program *
program_of(lua_State *L)
{
    return *(program **) luaL_checkudata(L, 1, type_name);
}


static void
free_ends(program *p)
{
    int  i;

    for (i = 0; i < LUN_PIPE_ENDS; i++) {
        lun_pipe_end_free(p->ends[i]);
        p->ends[i] = NULL;
    }
}


/* The argument at `index`: ms, 0 for ever. */
static lun_msec
limit_of(lua_State *L, int index)
{
    return (lun_msec) lun_number_check(L, index, 0, LUN_NUMBER_MOST);
}


/* --- reading and writing --- */

/* (program, 1 or 2, ms): a piece of what comes, or nil and why. */
static int
read_(lua_State *L)
{
    int       which = (int) lun_number_check(L, 2, LUN_PIPE_OUT, LUN_PIPE_ERR);
    lun_co   *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    program  *p = program_of(L);

    LUN_CHECK(which == LUN_PIPE_OUT || which == LUN_PIPE_ERR);

    log_act(p, "read");

    if (which == LUN_PIPE_ERR && p->merged) {
        return lun_pipe_fail(L, p->waited ? "closed" : "merged to stdout");
    }

    if (p->absent) {
        return lun_pipe_fail(L, "closed");
    }

    return lun_pipe_end_read(p->ends[which], co, limit_of(L, 3));
}


/* (program, text, ms): its length, when all of it is taken. */
static int
write_(lua_State *L)
{
    size_t       len;
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    program     *p = program_of(L);
    const char  *text = luaL_checklstring(L, 2, &len);

    log_act(p, "write");

    if (p->absent) {
        return lun_pipe_fail(L, "closed");
    }

    return lun_pipe_end_write(p->ends[LUN_PIPE_IN], co, text, len,
                              limit_of(L, 3));
}


const char *
lun_pipe_shutdown(lun_pipe *p, int which)
{
    LUN_CHECK(which >= 0 && which < LUN_PIPE_ENDS);

    if (p->waited || p->absent) {
        return "closed";
    }

    if (p->ends[which] == NULL) {
        return "merged to stdout";
    }

    lun_pipe_end_close(p->ends[which], "aborted");
    return NULL;
}


/* What a call returns that fails with `why`, if that is not NULL. */
static int
result(lua_State *L, const char *why)
{
    if (why != NULL) {
        return lun_pipe_fail(L, why);
    }

    lua_pushboolean(L, 1);
    return 1;
}


/* (program, 0 ... 2); again and again, if somebody likes. */
static int
shutdown_(lua_State *L)
{
    int  which = (int) lun_number_check(L, 2, 0, LUN_PIPE_ENDS - 1);

    return result(L, lun_pipe_shutdown(program_of(L), which));
}


/* --- its end --- */

static int
push_end(const program *p, lua_State *L)
{
    lua_pushboolean(L, p->code == 0 && p->signal == 0);
    lua_pushstring(L, p->signal != 0 ? "signal" : "exit");
    lua_pushinteger(L, p->signal != 0 ? p->signal : p->code);
    return 3;
}


/* A coroutine that writes hears of it, and may end whoever waits. */
static void
finish_ends(program *p)
{
    int  i;

    p->waited = true;

    for (i = 0; i < LUN_PIPE_ENDS; i++) {
        if (p->ends[i] != NULL) {
            lun_pipe_end_finish(p->ends[i]);
        }
    }
}


static void
on_end(program *p)
{
    lun_co  *co;

    p->ended = true;
    lun_list_remove(&p->link);

    if (p->waiter != NULL) {
        finish_ends(p);
    }

    if (p->waiter != NULL) {
        co = lun_pipe_waiter(&p->waiter);
        lun_co_wake(co, push_end(p, co->L));
    }

    put(p);
}


static void
on_child(int64_t pid, int code, const char *text)
{
    program  *p;

    lun_list_each_safe (&running, it) {
        p = lun_container_of(it, program, link);

        if (p->pid == pid && lun_proc_ended(&p->proc, &p->code, &p->signal)) {
            on_end(p);
            return;
        }
    }
}


static void
on_waiter_gone(void *data)
{
    program  *p = data;

    lun_debug(NULL, "lua pipe proc wait cleanup");
    (void) lun_pipe_waiter(&p->waiter);
}


/* (program, ms): true, "exit", 0 and the like. */
static int
wait_(lua_State *L)
{
    lun_co   *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    program  *p = program_of(L);

    log_act(p, "wait");

    if (p->waited) {
        return lun_pipe_fail(L, "exited");
    }

    if (p->waiter != NULL) {
        return lun_pipe_fail(L, "pipe busy waiting");
    }

    if (p->ended) {
        finish_ends(p);
        return push_end(p, L);
    }

    return lun_pipe_await(&p->waiter, co, limit_of(L, 2), "waiting",
                          on_waiter_gone, p);
}


const char *
lun_pipe_kill(lun_pipe *p, int n)
{
    if (p->ended) {
        return "exited";
    }

    log_act(p, "kill");

    if (lun_proc_send(&p->proc, n) != 0) {
        return lun_proc_alive(p->pid) ? "invalid signal" : "exited";
    }

    return NULL;
}


/* (program, number). */
static int
kill_(lua_State *L)
{
    int  n = (int) lun_number_check(L, 2, INT32_MIN, INT32_MAX);

    return result(L, lun_pipe_kill(program_of(L), n));
}


int64_t
lun_pipe_pid(const lun_pipe *p)
{
    return p->pid;
}


static int
pid_(lua_State *L)
{
    lua_pushnumber(L, (lua_Number) program_of(L)->pid);
    return 1;
}


lun_pipe *
lun_pipe_get(lun_pipe *p)
{
    LUN_CHECK(p->boxes > 0);

    p->boxes++;
    return p;
}


void
lun_pipe_put(lun_pipe *p)
{
    LUN_CHECK(p->boxes > 0);

    if (--p->boxes != 0) {
        return;
    }

    log_act(p, "destroy");

    if (!p->ended) {
        log_act(p, "kill");
        lun_proc_kill(&p->proc);
    }

    free_ends(p);
    put(p);
}


/* Pushes a box with nothing in it. */
static program **
new_box(lua_State *L)
{
    program  **box = lua_newuserdata(L, sizeof(program *));

    *box = NULL;
    luaL_getmetatable(L, type_name);
    lua_setmetatable(L, -2);
    return box;
}


void
lun_pipe_push(lua_State *L, lun_pipe *p)
{
    *new_box(L) = lun_pipe_get(p);
}


static int
on_collect(lua_State *L)
{
    program  **box = lua_touserdata(L, 1), *p = *box;

    if (p != NULL) {
        *box = NULL;
        lun_pipe_put(p);
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

    if (n > LUN_PIPE_ARGS_MOST) {
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


/* All of `fds` are the program's, or closed, when it returns. */
static lun_err
attach(program *p, lun_loop *loop, const lun_fd *fds, size_t size)
{
    int      i;
    lun_err  err = 0, rc = 0;

    static const char *const  names[LUN_PIPE_ENDS] = {
        "stdin", "stdout", "stderr"
    };

    for (i = 0; i < LUN_PIPE_ENDS; i++) {
        if (fds[i] != LUN_FD_NONE) {
            p->ends[i] = lun_pipe_end_new(loop, fds[i], size, names[i],
                                          &rc);
            err = rc != 0 ? rc : err;
        }
    }

    return err;
}


/* There is nothing of that name to run. */
static bool
is_absent(lun_err err)
{
    lun_err_kind  kind = err != 0 ? lun_err_kind_of(err) : LUN_ERR_NONE;

    return kind == LUN_ERR_NOT_FOUND || kind == LUN_ERR_NOT_DIR
           || kind == LUN_ERR_ACCESS;
}


/*
 * ngx_lua learns that in the child, which then ends with 1 as any program: so
 * does one that never began.
 */
static program *
end_absent(program *p)
{
    p->boxes = 1;
    p->holds = 1;
    p->absent = true;
    p->ended = true;
    p->code = 1;
    return p;
}


lun_pipe *
lun_pipe_start(const lun_proc_command *command, bool merge, size_t size,
    lun_err *err)
{
    lun_fd    fds[LUN_PIPE_ENDS];
    program  *p = lun_calloc(sizeof(program));

    p->merged = merge;
    *err = lun_proc_run_piped(command, merge, &p->proc, fds);

    if (is_absent(*err)) {
        lun_log(LUN_LOG_ERR, NULL, *err, "lua pipe child execvp() failed while "
                "executing %s", command->argv[0]);
        *err = 0;
        return end_absent(p);
    }

    if (*err != 0) {
        lun_free(p);
        return NULL;
    }

    p->boxes = 1;
    p->holds = 2;
    p->pid = p->proc.pid;
    lun_list_push_back(&running, &p->link);
    lun_proc_on_child(on_child);
    *err = attach(p, lun_lua_loop(lun_lua_now.ctx), fds, size);

    /* Without a box its end is all that it waits for. */
    if (*err != 0) {
        lun_proc_kill(&p->proc);
        free_ends(p);
        p->boxes = 0;
        put(p);
        return NULL;
    }

    lun_debug(NULL, "lua pipe spawn process:%" PRIXPTR " pid:%" PRId64
              " merge_stderr:%d buffer_size:%zu", (uintptr_t) p, p->pid,
              p->merged, size);
    return p;
}


bool
lun_pipe_can_start(const char **why)
{
    *why = "only a server and its tools have pipes";
    return lun_self.hears_children;
}


/* (argv, environment or nil, whether to merge, buffer size). */
static int
spawn(lua_State *L)
{
    size_t             size = (size_t) lun_number_check(L, 4, 1,
                                                        LUN_PIPE_PIECE_MOST);
    lun_err            err;
    program          **box;
    const char        *why;
    lun_proc_command   command = { .argv = list_of(L, 1) };

    if (!lun_pipe_can_start(&why)) {
        return lun_pipe_fail(L, why);
    }

    if (lua_istable(L, 2)) {
        command.env = list_of(L, 2);
    }

    box = new_box(L);
    *box = lun_pipe_start(&command, lua_toboolean(L, 3), size, &err);
    return *box != NULL ? 1 : lun_pipe_fail_err(L, err);
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
