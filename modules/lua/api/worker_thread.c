/*
 * worker_thread.c -- ngx.run_worker_thread: a function of a module, in a
 * thread.
 *
 * It runs in a machine of its own, which has the part of the API that needs
 * no request (lua/lunette/worker_thread.lua).  Arguments and results are
 * copied.  A machine serves one job at a time, and keeps what its modules
 * keep; it is made when there is none to spare,
 * lua_worker_thread_vm_pool_size at most.
 *
 * The caller may be gone before the job has ended; nothing ends a job.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/native.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "net/thread_pool.h"

/* KB: less garbage than that is left to the machine's own collector. */
enum { MOST_DEPTH = 100, GARBAGE_KEPT = 1024 };

typedef struct {
    lun_list       link;           /* in main->apart_spares, or in `out` */
    lun_job        job;
    lua_State     *L;
    lun_lua_main  *main;           /* NULL: the generation has ended */
    lun_co        *co;             /* who waits; or NULL */
    int            args;
    int            kept;           /* KB, after the last collection */
    bool           ok;
} thread_vm;

/* Those that have a job. */
static lun_list  out = { &out, &out };


/* --- copies --- */

static const char *
type_name(int type)
{
    switch (type) {
    case LUA_TFUNCTION:
        return "LUA_TFUNCTION";
    case LUA_TUSERDATA:
        return "LUA_TUSERDATA";
    case LUA_TTHREAD:
        return "LUA_TTHREAD";
    default:
        return "LUA_TCDATA";
    }
}


static const char *copy(lua_State *from, int at, lua_State *to, int depth);


/*
 * Two states share no values, so everything is copied; metatables stay behind.
 */
static const char *
copy_table(lua_State *from, int at, lua_State *to, int depth)
{
    const char  *why;

    if (depth >= MOST_DEPTH) {
        return "suspicious circular references, "
               "table depth exceed max depth: 100";
    }

    if (!lua_checkstack(from, 4)) {
        return "stack overflow";
    }

    lua_newtable(to);
    lua_pushnil(from);

    while (lua_next(from, at) != 0) {
        why = copy(from, lua_gettop(from) - 1, to, depth + 1);

        if (why == NULL) {
            why = copy(from, lua_gettop(from), to, depth + 1);
        }

        if (why != NULL) {
            return why;
        }

        lua_rawset(to, -3);
        lua_pop(from, 1);
    }

    return NULL;
}


/*
 * Pushes on `to` what `from` has there; or says why not, and leaves something
 * on both stacks.
 */
static const char *
copy(lua_State *from, int at, lua_State *to, int depth)
{
    size_t       len;
    const char  *text;

    if (!lua_checkstack(to, 4)) {
        return "stack overflow";
    }

    switch (lua_type(from, at)) {

    case LUA_TNIL:
        lua_pushnil(to);
        return NULL;

    case LUA_TBOOLEAN:
        lua_pushboolean(to, lua_toboolean(from, at));
        return NULL;

    case LUA_TNUMBER:
        /* style: number, it stays one of Lua's */
        lua_pushnumber(to, lua_tonumber(from, at));
        return NULL;

    case LUA_TSTRING:
        text = lua_tolstring(from, at, &len);
        lua_pushlstring(to, text, len);
        return NULL;

    case LUA_TLIGHTUSERDATA:
        lua_pushlightuserdata(to, lua_touserdata(from, at));
        return NULL;

    case LUA_TTABLE:
        return copy_table(from, at, to, depth);

    default:
        (void) lua_pushfstring(to, "unsupported Lua type: %s",
                               type_name(lua_type(from, at)));
        return lua_tostring(to, -1);
    }
}


/* Copies `n` values from `at` on. */
static const char *
copy_all(lua_State *from, int at, int n, lua_State *to)
{
    int          i;
    const char  *why;

    for (i = 0; i < n; i++) {
        why = copy(from, at + i, to, 0);

        if (why != NULL) {
            return why;
        }
    }

    return NULL;
}


/* --- machines --- */

static void
take_path(lua_State *L, lua_State *to, const char *field)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, field);
    lua_getglobal(to, "package");
    lua_pushstring(to, lua_tostring(L, -1));
    lua_setfield(to, -2, field);
    lua_pop(to, 1);
    lua_pop(L, 2);
}


/* NULL, and the reason on top of L. */
static thread_vm *
open_vm(lua_State *L, lun_lua_main *main)
{
    thread_vm  *m;
    lua_State  *state = lun_vm_open_state();

    if (state == NULL) {
        lua_pushliteral(L, "no memory");
        return NULL;
    }

    take_path(L, state, "path");
    take_path(L, state, "cpath");
    lua_getglobal(state, "require");
    lua_pushliteral(state, "lunette.worker_thread");

    if (lua_pcall(state, 1, 0, 0) != 0) {
        lua_pushstring(L, lua_tostring(state, -1));
        lua_close(state);
        return NULL;
    }

    m = lun_calloc(sizeof(thread_vm));
    m->L = state;
    m->main = main;
    main->thread_count++;
    return m;
}


static thread_vm *
take_vm(lua_State *L, lun_lua_main *main)
{
    thread_vm  *m;

    if (!lun_list_empty(&main->thread_spares)) {
        m = lun_container_of(main->thread_spares.next, thread_vm, link);
        lun_list_remove(&m->link);

    } else if (main->thread_count >= (uint64_t) main->top->block.thread_max) {
        lua_pushliteral(L, "no available Lua vm");
        return NULL;

    } else {
        m = open_vm(L, main);
    }

    if (m != NULL) {
        lun_list_push_back(&out, &m->link);
    }

    return m;
}


static void
close_vm(thread_vm *m)
{
    lun_list_remove(&m->link);

    if (m->L != NULL) {
        lua_close(m->L);
    }

    lun_free(m);
}


/* It may have nothing to do for long: what a job has left goes now. */
static void
clean(thread_vm *m)
{
    int  was, now;

    lua_settop(m->L, 0);
    now = lua_gc(m->L, LUA_GCCOUNT, 0);

    if (now <= 2 * m->kept + GARBAGE_KEPT) {
        return;
    }

    /* Each collection halves the buffer that long texts were made in. */
    do {
        was = now;
        (void) lua_gc(m->L, LUA_GCCOLLECT, 0);
        now = lua_gc(m->L, LUA_GCCOUNT, 0);
    } while (was - now > GARBAGE_KEPT);

    m->kept = now;
}


static void
put_back(thread_vm *m)
{
    if (m->main == NULL) {
        close_vm(m);
        return;
    }

    clean(m);
    lun_list_remove(&m->link);
    lun_list_push_back(&m->main->thread_spares, &m->link);
}


/* --- a job --- */

/* module, function, arguments: what the function returns. */
static int
call(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_pushvalue(L, 2);
    lua_gettable(L, -2);
    lua_replace(L, 2);
    lua_pop(L, 1);
    lua_call(L, lua_gettop(L) - 2, LUA_MULTRET);
    return lua_gettop(L) - 1;
}


static void
on_work(lun_job *job)
{
    thread_vm  *m = lun_container_of(job, thread_vm, job);

    m->ok = lua_pcall(m->L, m->args, LUA_MULTRET, 0) == 0;
}


/* The results of the call, on the caller's stack: how many. */
static int
hand_over(thread_vm *m, lua_State *L)
{
    int          at = lua_gettop(L), n = lua_gettop(m->L);
    lun_str      text;
    const char  *why;

    lua_pushboolean(L, m->ok);

    if (!m->ok) {
        text = lun_co_error_text(m->L);
        lua_pushlstring(L, text.data, text.len);
        return 2;
    }

    why = copy_all(m->L, 1, n, L);

    if (why != NULL) {
        lua_pushfstring(L, "%s in the return value", why);
        lua_replace(L, at + 2);
        lua_pushboolean(L, 0);
        lua_replace(L, at + 1);
        lua_settop(L, at + 2);
    }

    return lua_gettop(L) - at;
}


static void
on_done(lun_job *job)
{
    int         n = 0;
    lun_co     *co;
    thread_vm  *m = lun_container_of(job, thread_vm, job);

    co = m->co;

    if (co != NULL) {
        n = hand_over(m, co->L);
    }

    put_back(m);

    if (co != NULL) {
        lun_co_wake(co, n);
    }
}


static void
on_cancel(void *data)
{
    ((thread_vm *) data)->co = NULL;
}


static lun_thread_pool *
find_thread_pool(const lun_generation *gen, lun_str name)
{
    size_t            i;
    lun_thread_pool  *tp;

    for (i = 0; gen->thread_pools != NULL
         && i < gen->thread_pools->count; i++) {
        tp = *(lun_thread_pool **) lun_array_at(gen->thread_pools, i);

        if (lun_str_eq(tp->name, name)) {
            return tp;
        }
    }

    return NULL;
}


/* The reason is on top. */
static int
fail(lua_State *L)
{
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}


/* What is wrong with the arguments; NULL: nothing, and there is the pool. */
static const char *
check_args(lua_State *L, const lun_generation *gen, lun_thread_pool **tp)
{
    lun_str                   name;
    int                       i;
    static const char *const  names[] = {
        "threadpool", "module name", "function name"
    };

    if (lua_gettop(L) < 3) {
        return "expecting at least 3 arguments";
    }

    for (i = 0; i < 3; i++) {
        if (!lua_isstring(L, i + 1)) {
            return lua_pushfstring(L, "%s should be a string", names[i]);
        }
    }

    name.data = lua_tolstring(L, 1, &name.len);
    *tp = find_thread_pool(gen, name);

    return *tp != NULL ? NULL
           : lua_pushfstring(L, "thread pool %s not found", name.data);
}


/* Starts it with the arguments that L has; or why not. */
static const char *
start(lua_State *L, thread_vm *m, lun_thread_pool *tp, const lun_log *log)
{
    const char  *why;

    m->args = lua_gettop(L) - 1;
    m->job.work = on_work;
    m->job.done = on_done;
    lua_pushcfunction(m->L, call);
    why = copy_all(L, 2, m->args, m->L);

    if (why != NULL) {
        return lua_pushfstring(L, "%s in the argument", why);
    }

    return lun_thread_pool_add(tp, m->main->gen->loop, &m->job, log) == LUN_OK
           ? NULL : "ngx_thread_task_post failed";
}


/*
 * ngx.run_worker_thread(pool, module, function, ...): yields; where handlers
 * may wait.
 */
static int
run_worker_thread(lua_State *L)
{
    lun_co           *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    thread_vm        *m;
    lun_thread_pool  *tp = NULL;
    const char       *why = check_args(L, co->ctx->main->gen, &tp);

    if (why != NULL) {
        lua_pushstring(L, why);
        return fail(L);
    }

    m = take_vm(L, co->ctx->main);
    if (m == NULL) {
        return fail(L);
    }

    m->co = co;
    why = start(L, m, tp, co->ctx->log);

    if (why != NULL) {
        lua_pushstring(L, why);
        put_back(m);
        return fail(L);
    }

    return lun_co_wait(co, "ngx.run_worker_thread", on_cancel, m);
}


/* --- ends --- */

void
lun_lua_worker_thread_drain(const lun_lua_main *main)
{
    size_t            i;
    const lun_array  *thread_pools = main->gen->thread_pools;

    for (i = 0; thread_pools != NULL && i < thread_pools->count; i++) {
        lun_thread_pool_drain(*(lun_thread_pool **) lun_array_at(thread_pools,
                                                                 i));
    }
}


void
lun_lua_worker_thread_close(lun_lua_main *main)
{
    lun_list  *link;

    lun_lua_worker_thread_drain(main);

    while (!lun_list_empty(&main->thread_spares)) {
        close_vm(lun_container_of(main->thread_spares.next, thread_vm,
                                       link));
    }

    /*
     * Their `done` is on its way, if the loop turns again: no thread has them
     * any more, and nobody is there to take what they have.
     */
    for (link = out.next; link != &out; link = link->next) {
        thread_vm  *m = lun_container_of(link, thread_vm, link);

        if (m->main == main) {
            lua_close(m->L);
            m->L = NULL;
            m->co = NULL;
            m->main = NULL;
        }
    }
}


static const luaL_Reg  functions[] = {
    { "run_worker_thread", run_worker_thread },
    { NULL, NULL }
};


void
lun_lua_worker_thread_open(lua_State *L)
{
    luaL_register(L, NULL, functions);
}
