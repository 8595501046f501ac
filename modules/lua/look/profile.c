/*
 * profile.c -- stacks of Lua, by how often they are seen and how long they
 * wait.
 *
 * LuaJIT looks a hundred times in a second of the process's own time (on
 * Windows, of the clock's): it raises a flag that interpreter and compiled
 * code look at where a function is entered, and calls us there.  What the
 * server itself does between two handlers raises the flag as well: it is told
 * apart by how soon the call comes after Lua was entered, and is counted as
 * "(server)".
 *
 * A coroutine's time of waiting is taken from where it yields to where it runs
 * again.  Nothing here is a profile of the C functions below a handler.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/profile.h"

#include <luajit.h>

#include "base/check.h"
#include "base/hash.h"
#include "http/conf/location.h"
#include "modules/lua/run/thread_priv.h"
#include "modules/lua/run/vm.h"
#include "os/proc.h"
#include "os/time.h"
#include "session/engine.h"
#include "stream/stream.h"


enum {
    STACKS   = 4096,               /* different ones; what is more is "other" */
    FRAMES   = 60,                 /* of a stack: the innermost */
    TEXT     = 3072,               /* of a stack, below a log line's length */
    AT_ENTRY = 30,                 /* us: what the server did is told by then */
    LONGEST  = 60 * 1000           /* ms */
};

/* 10 ms: setitimer() takes no shorter one in practice, nor does Windows. */
#define MODE  "fi10"

typedef struct {
    lun_str   text;
    uint64_t  samples;
    uint64_t  waited;              /* us */
} stack;

bool  lun_lua_profiling;

static struct {
    lun_pool      *pool;           /* of everything below */
    lun_vm        *vm;
    lun_generation *gen;
    lun_hash       stacks;
    stack          other;
    uint64_t       samples, server;
    uint64_t       entered;        /* us: when Lua was entered last */
    uint64_t       began;          /* us */
    unsigned       run;            /* counts profiles: waits of older ones */
    lun_timer      timer;
} at;


/* --- stacks -------------------------------------------------------------- */

static stack *
stack_of(const char *text, size_t len)
{
    lun_str   key = lun_str_of(text, len);
    stack    *s = lun_hash_get(&at.stacks, key);

    if (s != NULL) {
        return s;
    }

    if (at.stacks.count == STACKS) {
        return &at.other;
    }

    s = lun_pool_new(at.pool, stack);
    s->text = lun_pool_str(at.pool, key);
    lun_hash_set(&at.stacks, s->text, s);
    return s;
}


/* A frame's text ends a frame or a line nowhere but at its end. */
static char *
put_frame(char *p, const char *end, lun_str text)
{
    size_t  i;

    for (i = 0; i < text.len && p < end; i++) {
        *p++ = text.data[i] == ';' || (unsigned char) text.data[i] < ' '
               ? '_' : text.data[i];
    }

    return p;
}


/* "content_by_lua* /api;": for whom it runs, below all of its frames. */
static char *
put_root(char *p, const char *end, const lun_lua_ctx *ctx)
{
    const lun_request  *r = ctx->request;

    p = lun_fmt(p, end, "%s", lun_lua_phase_name(ctx->phase));

    if (r != NULL && r->location != NULL) {
        p = lun_fmt(p, end, " ");
        p = put_frame(p, end, r->location->name);
    }

    return p;
}


/* What the virtual machine was at beside running Lua. */
static const char *
state_name(int state)
{
    switch (state) {

    case 'G':
        return ";(garbage collector)";

    case 'J':
        return ";(compiler)";

    case 'C':
        return ";(C function)";

    default:
        return "";
    }
}


/* A function of C has an address for a name, which tells nothing. */
static char *
put_frames(char *p, const char *end, lua_State *L, const char *format,
    int depth)
{
    size_t       n, left;
    const char  *at_frame = luaJIT_profile_dumpstack(L, format, depth, &left);

    while (left != 0) {
        for (n = 0; n < left && at_frame[n] != ';'; n++) { }

        p = lun_fmt(p, end, ";");
        p = n != 0 && at_frame[0] == '@'
            ? lun_fmt(p, end, "(C)")
            : put_frame(p, end, lun_str_of(at_frame, n));

        at_frame += n;
        left -= n;

        if (left != 0) {
            at_frame++;            /* the ';' */
            left--;
        }
    }

    return p;
}


static char *
put_stack(char *p, const char *end, const lun_lua_ctx *ctx, lua_State *L)
{
    if (ctx != NULL) {
        p = put_root(p, end, ctx);
    }

    /* Functions by file and name; the innermost once more, by its line. */
    p = put_frames(p, end, L, "pFZ;", -FRAMES);
    return put_frames(p, end, L, "pl", 1);
}


/* Called by LuaJIT in the middle of a function: may neither yield nor throw. */
static void
on_sample(void *data, lua_State *L, int samples, int state)
{
    char  text[TEXT], *p, *end = text + TEXT;

    at.samples += (uint64_t) samples;

    if (state == 'C'
        && lun_time_monotonic_us() - at.entered < AT_ENTRY)
    {
        at.server += (uint64_t) samples;
        return;
    }

    p = put_stack(text, end, lun_lua_now.ctx, L);
    p = lun_fmt(p, end, "%s", state_name(state));
    stack_of(text, (size_t) (p - text))->samples += (uint64_t) samples;
}


void
lun_lua_profile_entered(void)
{
    at.entered = lun_time_monotonic_us();
}


/* --- waits --------------------------------------------------------------- */

void
lun_lua_profile_wait(lun_co *co)
{
    char  text[TEXT], *p, *end = text + TEXT;

    if (co->vm != at.vm) {
        return;
    }

    p = put_stack(text, end, co->ctx, co->L);
    p = lun_fmt(p, end, ";%s", co->what);
    co->profiled.run = at.run;
    co->profiled.stack = stack_of(text, (size_t) (p - text));
    co->profiled.since = lun_time_monotonic_us();
}


void
lun_lua_profile_resumed(lun_co *co)
{
    stack  *s = co->profiled.stack;

    if (co->profiled.run == at.run) {
        s->waited += lun_time_monotonic_us() - co->profiled.since;
        co->profiled.run = 0;
    }
}


/* --- its beginning and its end ------------------------------------------- */

static lun_lua_main *
main_of(const lun_generation *gen)
{
    size_t         i;
    lun_engine    *e;
    lun_lua_main  *main;

    static const lun_protocol  *const protocols[] = { &lun_http,
                                                      &lun_stream_protocol };

    for (i = 0; i < LUN_ARRAY_LEN(protocols); i++) {
        e = lun_engine_find(gen, protocols[i]);
        main = e != NULL ? lun_module_data(e, &lun_common_lua) : NULL;

        if (main != NULL && main->vm != NULL && main->vm->L != NULL) {
            return main;
        }
    }

    return NULL;
}


static void
log_stack(const stack *s, const lun_log *log)
{
    if (s->samples != 0) {
        lun_log(LUN_LOG_NOTICE, log, 0, "profile: cpu %" PRIu64 " %.*s",
                s->samples, LUN_S(s->text));
    }

    if (s->waited != 0) {
        lun_log(LUN_LOG_NOTICE, log, 0, "profile: wait %" PRIu64 " %.*s",
                s->waited, LUN_S(s->text));
    }
}


static void
log_stacks(const lun_log *log)
{
    stack           server = { .text = LUN_STR("(server)"),
                               .samples = at.server };
    lun_hash_slot  *slot;

    for (slot = NULL; (slot = lun_hash_next(&at.stacks, slot)) != NULL; ) {
        log_stack(slot->value, log);
    }

    log_stack(&at.other, log);
    log_stack(&server, log);
}


static lun_log
log_of(const lun_generation *gen)
{
    lun_log  log = gen->log;

    log.forced = true;
    log.level = LUN_LOG_NOTICE;
    return log;
}


/* A function of lunette.heap: its text is left on the stack; false: logged. */
static bool
ask_heap(const char *name, const lun_log *log)
{
    bool             good;
    lua_State       *L = at.vm->L;
    lun_lua_current  was = lun_lua_enter(at.vm->home);

    lua_getglobal(L, "require");
    lua_pushliteral(L, "lunette.heap");
    good = lun_vm_call(L, 1, 1) == 0;

    if (good) {
        lua_getfield(L, -1, name);
        lua_remove(L, -2);
        good = lun_vm_call(L, 0, 1) == 0;
    }

    lun_lua_now = was;

    if (!good) {
        lun_log(LUN_LOG_ERR, log, 0, "profile: %.*s",
                LUN_S(lun_co_error_text(L)));
        lua_pop(L, 1);
    }

    return good;
}


/* Tables that have grown, a line each. */
static void
log_heap(const lun_log *log)
{
    size_t       n;
    const char  *p;

    if (!ask_heap("finish", log)) {
        return;
    }

    for (p = lua_tostring(at.vm->L, -1); p != NULL && *p != '\0'; p += n) {
        n = strcspn(p, "\n");
        lun_log(LUN_LOG_NOTICE, log, 0, "profile: heap %.*s", (int) n, p);
        n += p[n] == '\n';
    }

    lua_pop(at.vm->L, 1);
}


static void
end_profile(bool closes)
{
    lun_log  log = log_of(at.gen);

    lun_lua_profiling = false;
    lun_timer_stop(&at.timer);

    luaJIT_profile_stop(at.vm->L);

    log_stacks(&log);

    if (!closes) {
        log_heap(&log);
    }

    lun_log(LUN_LOG_NOTICE, &log, 0, "profile: ends, %" PRIu64 " samples in %"
            PRIu64 " ms", at.samples,
            (lun_time_monotonic_us() - at.began) / 1000);

    lun_pool_free(at.pool);
    at.pool = NULL;
}


static void
on_longest(lun_timer *timer)
{
    end_profile(false);
}


void
lun_lua_profile_close(const lun_vm *vm)
{
    if (lun_lua_profiling && at.vm == vm) {
        end_profile(true);
    }
}


static void
begin_profile(lun_generation *gen, lun_vm *vm)
{
    lun_log  log = log_of(gen);

    at.pool = lun_pool_new_sized(16 * 1024);
    at.vm = vm;
    at.gen = gen;
    at.other = (stack) { .text = LUN_STR("other") };
    at.samples = at.server = 0;
    at.began = at.entered = lun_time_monotonic_us();
    at.run++;
    lun_hash_init(&at.stacks, at.pool, STACKS, false);

    if (ask_heap("begin", &log)) {
        lua_pop(vm->L, 1);
    }

    lun_log(LUN_LOG_NOTICE, &log, 0, "profile: begins, of worker %d",
            lun_self.number);

    luaJIT_profile_start(vm->L, MODE, on_sample, NULL);
    lun_lua_profiling = true;
    at.timer.idle = true;
    lun_timer_start(gen->loop, &at.timer, LONGEST, on_longest);
}


void
lun_lua_profile_toggle(const lun_generation *gen)
{
    lun_log        log = log_of(gen);
    lun_lua_main  *main = main_of(gen);

    if (lun_lua_profiling) {
        end_profile(false);
        return;
    }

    if (main == NULL) {
        lun_log(LUN_LOG_NOTICE, &log, 0, "profile: begins, of nothing");
        lun_log(LUN_LOG_NOTICE, &log, 0, "profile: ends, no machine of Lua "
                "that serves all requests (lua_code_cache off has none)");
        return;
    }

    begin_profile(main->gen, main->vm);
}
