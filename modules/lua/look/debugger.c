/*
 * debugger.c -- see debugger.h.
 *
 * Three parties, all in the loop's thread:
 *
 * - the session (lua/lunette/dap.lua) speaks the protocol. It has a Lua state
 *   of its own, since it is there before any machine and after each of them;
 * - an agent in each machine (lua/lunette/dap_agent.lua) knows where to stop,
 *   and what is to be seen. It runs in a thread that no hook looks at;
 * - this room: the hook, which asks the agent only about lines that may have a
 *   breakpoint; coroutines that stand; and words from one to the other.
 *
 * A coroutine stands by yielding out of the hook, as one that waits for a
 * timer, and the worker goes on. Where that is not possible (init_by_lua, a
 * filter, log_by_lua; a callback of C such as string.gsub's), the worker stands
 * with it and hears its debugger alone.
 *
 * What a session and an agent tell each other is JSON.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/debugger.h"

#include <luajit.h>

#include <stdio.h>

#include "base/check.h"
#include "base/pool.h"
#include "modules/lua/look/debug_sight.h"
#include "modules/lua/look/debug_wire.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/thread_priv.h"
#include "modules/lua/run/vm.h"
#include "os/proc.h"
#include "os/time.h"

enum {
    LINES     = 4096,              /* bits: a line number's rest */
    IDS       = 1 << 22,           /* of an agent: threads, frames, values */
    AGENTS    = 500,               /* IDS * AGENTS fits in the protocol's int */
    EVALUATE  = 5000               /* ms: for what a client wants evaluated */
};

#define WAITS  "the debugger"

typedef struct {
    lun_list    link;              /* in at.agents */
    lun_vm     *vm;
    lua_State  *L;                 /* its thread */
    int         self;              /* registry: that thread, ... */
    int         handle;            /* registry: the agent's functions */
    unsigned    number;
    bool        stepping;          /* asks about each line */
    bool        hooked;
    uint64_t    lines[LINES / 64];
} agent;

static struct {
    lua_State  *S;                 /* the session's */
    int         session;           /* registry of S: its functions */
    lun_list    agents;
    unsigned    numbers;
    unsigned    busy;              /* agents and session run: no breakpoints */
    lun_msec    limit;             /* for EVALUATE; 0: nothing is evaluated */
    lua_State  *blocked;           /* the worker stands in it */
    lua_State  *returned;          /* a function of it has just returned, ... */
    int         into;              /* ... into this line */
    bool        gone;              /* the client of a launch has left */
    bool        launched;          /* the session knows that it is served */
    bool        ended;
} at;

bool  lun_lua_debugging;


/* --- calls --------------------------------------------------------------- */

/* Pushes the function of a table of functions in the registry. */
static void
push_function(lua_State *L, int table, const char *name)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, table);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}


static bool
call(lua_State *L, int args, int results)
{
    bool  good;

    at.busy++;
    good = lun_vm_call(L, args, results) == 0;
    at.busy--;

    if (!good) {
        lun_log(LUN_LOG_ERR, NULL, 0, "debugger: %.*s",
                LUN_S(lun_co_error_text(L)));
        lua_pop(L, 1);
    }

    return good;
}


/* The session's function, with a number and a text or neither. */
static void
tell_session(const char *name, int number, const char *text, size_t len)
{
    push_function(at.S, at.session, name);
    lua_pushinteger(at.S, number);

    if (text != NULL) {
        lua_pushlstring(at.S, text, len);
    } else {
        lua_pushnil(at.S);
    }

    (void) call(at.S, 2, 0);
}


static agent *
agent_of(const lun_vm *vm)
{
    lun_list_each(&at.agents, it) {
        agent  *a = lun_container_of(it, agent, link);

        if (a->vm == vm) {
            return a;
        }
    }

    return NULL;
}


static agent *
agent_by_number(unsigned number)
{
    lun_list_each(&at.agents, it) {
        agent  *a = lun_container_of(it, agent, link);

        if (a->number == number) {
            return a;
        }
    }

    return NULL;
}


/* --- standing ------------------------------------------------------------ */

/* Its request has ended while it stood. */
static void
on_cancel(void *data)
{
    lun_co  *co = data;
    agent   *a = agent_of(co->vm);

    if (a != NULL) {
        push_function(a->L, a->handle, "gone");
        lua_pushthread(co->L);
        lua_xmove(co->L, a->L, 1);
        (void) call(a->L, 1, 0);
    }
}


static void  hear(void);


static void
block(lua_State *L)
{
    lun_lua_current  was = lun_lua_now;

    at.blocked = L;

    while (at.blocked == L) {
        lun_debug_wire_wait();
        hear();
    }

    lun_lua_now = was;
}


static lun_co *
yieldable_co(lua_State *L)
{
    lun_co  *co = lun_lua_now.co;

    return co != NULL && co->L == L && lua_isyieldable(L) ? co : NULL;
}


/* stand(): a coroutine that an error has passed by, or whose worker stands. */
static int
stand(lua_State *L)
{
    lun_co  *co = yieldable_co(L);

    if (co != NULL) {
        return lun_co_wait(co, WAITS, on_cancel, co);
    }

    block(L);
    return 0;
}


/* --- the hook ------------------------------------------------------------ */

static bool
may_stop_at(const agent *a, int line)
{
    unsigned  bit = (unsigned) line % LINES;

    return a->stepping || (a->lines[bit / 64] >> bit % 64 & 1) != 0;
}


/*
 * LuaJIT tells of a line once more when a function that it calls returns, and
 * when a coroutine goes on in the middle of it.
 */
static void
expect_again(lua_State *L, int level)
{
    lua_Debug  now;

    at.returned = L;
    at.into = 0;

    for ( ; lua_getstack(L, level, &now) != 0; level++) {
        if (lua_getinfo(L, "l", &now) != 0 && now.currentline > 0) {
            at.into = now.currentline;
            return;
        }
    }
}


void
lun_lua_debug_resumed(lun_co *co)
{
    if (co->stood_at != 0) {
        at.returned = co->L;
        at.into = co->stood_at;
        co->stood_at = 0;

    } else {
        expect_again(co->L, 0);
    }
}


/* Whether the agent wants L to stand at that line; it has told the client. */
static bool
is_to_stop(agent *a, lua_State *L, int line, bool again)
{
    bool             stop;
    lun_lua_current  was = lun_lua_now;

    push_function(a->L, a->handle, "on_line");
    lua_pushthread(L);
    lua_xmove(L, a->L, 1);
    lua_pushinteger(a->L, line);
    lua_pushboolean(a->L, yieldable_co(L) != NULL);
    lua_pushboolean(a->L, again);

    if (!call(a->L, 4, 1)) {
        return false;
    }

    stop = lua_toboolean(a->L, -1);
    lua_pop(a->L, 1);
    lun_lua_now = was;
    return stop;
}


static void
on_hook(lua_State *L, lua_Debug *now)
{
    bool     again;
    agent   *a;
    lun_co  *co;

    if (at.busy != 0) {
        if (at.limit != 0 && lun_time_monotonic() > at.limit) {
            at.limit = 0;
            (void) luaL_error(L, "it took longer than %d s", EVALUATE / 1000);
        }

        return;
    }

    if (now->event == LUA_HOOKRET) {
        expect_again(L, 1);
        return;
    }

    again = at.returned == L && at.into == now->currentline;
    at.returned = NULL;
    a = lun_lua_now.ctx != NULL ? agent_of(lun_lua_now.ctx->vm) : NULL;

    if (a == NULL || !may_stop_at(a, now->currentline)
        || !is_to_stop(a, L, now->currentline, again))
    {
        return;
    }

    co = yieldable_co(L);

    if (co != NULL) {
        co->stood_at = now->currentline;
        (void) lun_co_wait(co, WAITS, on_cancel, co);  /* does not return */
    }

    block(L);
}


/* LuaJIT calls no hooks in what it has compiled. */
static void
set_hook(agent *a, bool on)
{
    if (a->hooked == on) {
        return;
    }

    a->hooked = on;
    (void) luaJIT_setmode(a->vm->L, 0, LUAJIT_MODE_ENGINE
                          | (on ? LUAJIT_MODE_OFF : LUAJIT_MODE_ON));

    if (on) {
        (void) luaJIT_setmode(a->vm->L, 0,
                              LUAJIT_MODE_ENGINE | LUAJIT_MODE_FLUSH);
        (void) lua_sethook(a->vm->L, on_hook,
                            LUA_MASKLINE | LUA_MASKRET, 0);

    } else {
        (void) lua_sethook(a->vm->L, NULL, 0, 0);
    }
}


/* --- functions of agents ------------------------------------------------- */

static agent *
self(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}


/* event(json) */
static int
event(lua_State *L)
{
    size_t       len;
    const char  *text = luaL_checklstring(L, 1, &len);

    tell_session("on_event", (int) self(L)->number, text, len);
    return 0;
}


/* go(thread): it stands, and goes on. */
static int
go(lua_State *L)
{
    lun_co     *co;
    lua_State  *T = lua_tothread(L, 1);

    luaL_argcheck(L, T != NULL, 1, "thread expected");

    if (at.blocked == T) {
        at.blocked = NULL;
        return 0;
    }

    co = lun_debug_co_of(self(L)->vm, L, T);

    if (co != NULL && co->status == LUN_CO_WAITING
        && strcmp(co->what, WAITS) == 0)
    {
        lun_co_wake(co, 0);
    }

    return 0;
}


/* filter(lines, stepping, hooked): which lines are asked about. */
static int
filter(lua_State *L)
{
    int        i, n;
    agent     *a = self(L);
    unsigned   bit;

    luaL_checktype(L, 1, LUA_TTABLE);
    memset(a->lines, 0, sizeof(a->lines));

    for (i = 1, n = (int) lua_objlen(L, 1); i <= n; i++) {
        lua_rawgeti(L, 1, i);
        bit = (unsigned) lun_number_at(L, -1, 0, INT32_MAX) % LINES;
        a->lines[bit / 64] |= UINT64_C(1) << bit % 64;
        lua_pop(L, 1);
    }

    a->stepping = lua_toboolean(L, 2);
    set_hook(a, a->stepping || n != 0);
    return 0;
}


/* limit(on): from now on, or no more, what runs has not much time. */
static int
limit(lua_State *L)
{
    agent  *a = self(L);

    at.limit = lua_toboolean(L, 1) ? lun_time_monotonic() + EVALUATE : 0;

    if (at.limit != 0 && !a->hooked) {
        (void) lua_sethook(a->vm->L, on_hook,
                            LUA_MASKLINE | LUA_MASKRET, 0);

    } else if (at.limit == 0 && !a->hooked) {
        (void) lua_sethook(a->vm->L, NULL, 0, 0);
    }

    return 0;
}


/* as(thread): what is called from now on is called for its request. */
static int
as(lua_State *L)
{
    lun_co     *co;
    lua_State  *T = lua_tothread(L, 1);

    luaL_argcheck(L, T != NULL, 1, "thread expected");
    co = lun_debug_co_of(self(L)->vm, L, T);

    if (co != NULL) {
        (void) lun_lua_enter(co->ctx);
    }

    return 0;
}


/* --- functions of the session -------------------------------------------- */

/* send(text) */
static int
send_text(lua_State *L)
{
    size_t       len;
    const char  *text = luaL_checklstring(L, 1, &len);

    lun_debug_wire_send(text, len);
    return 0;
}


static int
trust(lua_State *L)
{
    lun_debug_wire_trust();
    return 0;
}


static int
hang_up(lua_State *L)
{
    lun_debug_wire_hang_up();
    return 0;
}


/* quit(): the server, at the end of its loop's turn. */
static int
quit(lua_State *L)
{
    at.gone = true;

    if (lun_self.quit != NULL) {
        lun_self.quit();
    }

    return 0;
}


/* agents(): their numbers. */
static int
agents(lua_State *L)
{
    int  n = 0;

    lua_newtable(L);

    lun_list_each(&at.agents, it) {
        lua_pushinteger(L, (lua_Integer) lun_container_of(it, agent,
                                                          link)->number);
        lua_rawseti(L, -2, ++n);
    }

    return 1;
}


/*
 * ask(number, command, json): the agent's answer as JSON, or nil and why not.
 * What it wakes is resumed when the session has ended its turn: somebody's
 * context is entered, so the scheduler waits for the loop.
 */
static int
ask(lua_State *L)
{
    bool             good;
    size_t           len;
    const char      *command = luaL_checkstring(L, 2);
    const char      *text = luaL_checklstring(L, 3, &len);
    agent           *a = agent_by_number((unsigned) lun_number_at(L, 1, 0,
                                                                  AGENTS));
    lun_lua_current  was;

    if (a == NULL) {
        lua_pushnil(L);
        lua_pushliteral(L, "it is gone");
        return 2;
    }

    push_function(a->L, a->handle, "handle");
    lua_pushstring(a->L, command);
    lua_pushlstring(a->L, text, len);

    was = lun_lua_enter(a->vm->home);
    good = call(a->L, 2, 2);
    lun_lua_now = was;

    if (!good) {
        lua_pushnil(L);
        lua_pushliteral(L, "a mistake of the debugger's; the error log has it");
        return 2;
    }

    lua_pushstring(L, lua_tostring(a->L, -2));
    lua_pushstring(L, lua_tostring(a->L, -1));
    lua_pop(a->L, 2);
    return 2;
}


/* --- words from the client ----------------------------------------------- */

static void
hear(void)
{
    char            *text;
    size_t           len;
    lun_debug_news   what;

    while ((what = lun_debug_wire_take(&text, &len)) != LUN_DEBUG_NOTHING) {
        switch (what) {

        case LUN_DEBUG_OPENED:
            tell_session("on_open", 0, NULL, 0);
            break;

        case LUN_DEBUG_TEXT:
            tell_session("on_text", 0, text, len);
            lun_free(text);
            break;

        default:
            tell_session("on_close", 0, NULL, 0);
            break;
        }
    }
}


/* --- beginnings and ends ------------------------------------------------- */

static lun_rc
require_table(lua_State *L, const char *name)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, name);
    return lun_vm_call(L, 1, 1) == 0 ? LUN_OK : LUN_ERROR;
}


/* Calls the function `name` of the module on top with what is pushed after. */
static void
push_new(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}


bool
lun_lua_debug_use(const char *token)
{
    static const luaL_Reg  functions[] = {
        { "send", send_text }, { "trust", trust }, { "hang_up", hang_up },
        { "quit", quit }, { "agents", agents }, { "ask", ask },
        { NULL, NULL }
    };

    LUN_CHECK(at.S == NULL);

    at.S = lun_vm_open_state();
    lun_list_init(&at.agents);

    if (at.S != NULL && require_table(at.S, "lunette.dap") == LUN_OK) {
        push_new(at.S, "new");
        lua_newtable(at.S);
        luaL_register(at.S, NULL, functions);
        lua_pushinteger(at.S, IDS);
        lua_setfield(at.S, -2, "ids");
        lua_pushstring(at.S, token);
        lua_setfield(at.S, -2, "token");

        if (lun_vm_call(at.S, 1, 1) == 0) {
            at.session = luaL_ref(at.S, LUA_REGISTRYINDEX);
            lun_lua_debugging = true;
            return true;
        }
    }

    fprintf(stderr, LUN_PRODUCT " debug: %.*s\n", at.S == NULL ? 9
            : (int) lun_co_error_text(at.S).len,
            at.S == NULL ? "no memory" : lun_co_error_text(at.S).data);
    return false;
}


/* A field of the session's table `launched`, or NULL. */
static const char *
launched(const char *field)
{
    const char  *text;

    lua_rawgeti(at.S, LUA_REGISTRYINDEX, at.session);
    lua_getfield(at.S, -1, "launched");
    text = NULL;

    if (lua_istable(at.S, -1)) {
        lua_getfield(at.S, -1, field);
        text = lua_tostring(at.S, -1);     /* the table keeps it */
        lua_pop(at.S, 1);
    }

    lua_pop(at.S, 2);
    return text;
}


bool
lun_lua_debug_wait_for_launch(const char **prefix, const char **conf)
{
    while (launched("ready") == NULL && !at.gone) {
        lun_debug_wire_wait();
        hear();
    }

    *prefix = launched("prefix");
    *conf = launched("conf");
    return !at.gone;
}


void
lun_lua_debug_failed(void)
{
    tell_session("on_failed", 0, NULL, 0);
    lun_debug_wire_close();
}


lun_rc
lun_lua_debug_open(lun_vm *vm, const lun_log *log)
{
    agent      *a;
    lua_State  *L = vm->L;

    static const luaL_Reg  functions[] = {
        { "event", event }, { "go", go }, { "filter", filter },
        { "limit", limit }, { "as", as }, { "stand", stand }, { NULL, NULL }
    };

    if (!lun_lua_debugging) {
        return LUN_OK;
    }

    a = lun_calloc(sizeof(agent));
    a->vm = vm;
    a->number = 1 + at.numbers++ % AGENTS;
    a->L = lua_newthread(L);
    a->self = luaL_ref(L, LUA_REGISTRYINDEX);

    if (require_table(L, "lunette.dap_agent") == LUN_OK) {
        push_new(L, "new");
        lua_newtable(L);
        lua_pushlightuserdata(L, a);
        luaL_openlib(L, NULL, functions, 1);
        lua_pushlightuserdata(L, vm);
        luaL_openlib(L, NULL, lun_debug_sights, 1);
        lua_pushinteger(L, (lua_Integer) a->number * IDS);

        if (lun_vm_call(L, 2, 1) == 0) {
            a->handle = luaL_ref(L, LUA_REGISTRYINDEX);
            lun_list_push_back(&at.agents, &a->link);
            tell_session("on_agent", (int) a->number, NULL, 0);
            return LUN_OK;
        }
    }

    lun_log(LUN_LOG_EMERG, log, 0, "debugger: %.*s",
            LUN_S(lun_co_error_text(L)));
    lua_pop(L, 1);
    lun_free(a);
    return LUN_ERROR;
}


void
lun_lua_debug_close(const lun_vm *vm)
{
    agent  *a = lun_lua_debugging ? agent_of(vm) : NULL;

    if (a == NULL) {
        return;
    }

    (void) lua_sethook(vm->L, NULL, 0, 0);
    lun_list_remove(&a->link);
    tell_session("on_agent_gone", (int) a->number, NULL, 0);
    lun_free(a);
}


void
lun_lua_debug_start(const lun_generation *gen)
{
    if (!lun_lua_debugging) {
        return;
    }

    lun_debug_wire_tell(gen->loop->port, hear);

    if (!at.launched) {
        at.launched = true;
        tell_session("on_started", 0, NULL, 0);
    }
}


void
lun_lua_debug_end(void)
{
    if (lun_lua_debugging && !at.ended) {
        at.ended = true;
        tell_session("on_end", 0, NULL, 0);
        lun_debug_wire_close();
    }
}


void
lun_lua_debug_wrap(lun_vm *vm, lua_State *L, int index)
{
    agent  *a = agent_of(vm);

    if (a == NULL) {
        return;
    }

    push_function(a->L, a->handle, "wrap");
    lua_pushvalue(L, index);
    lua_xmove(L, a->L, 1);

    if (call(a->L, 1, 1)) {
        lua_xmove(a->L, L, 1);
        lua_replace(L, index);
    }
}
