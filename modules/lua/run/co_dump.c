/*
 * co_dump.c -- `lunette -s dump`: what each coroutine waits for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/thread_priv.h"

#include "base/check.h"
#include "modules/lua/run/vm.h"
#include "session/engine.h"
#include "stream/stream.h"


enum { LEVELS = 16, ROOM = 256 };

static const char *const  kinds[] = {
    [LUN_CO_ENTRY]  = "entry thread",
    [LUN_CO_USER]   = "coroutine",
    [LUN_CO_THREAD] = "light thread"
};


/* " at content_by_lua(nginx.conf:42):3": its script's topmost line. */
static char *
put_place(char *p, const char *end, lua_State *L)
{
    int        level;
    lua_Debug  at;

    for (level = 0; level < LEVELS && lua_getstack(L, level, &at); level++) {
        if (lua_getinfo(L, "Sl", &at) != 0 && at.currentline > 0) {
            return lun_fmt(p, end, " at %s:%d", at.short_src, at.currentline);
        }
    }

    return p;
}


static void
dump_co(const lun_lua_ctx *ctx, const lun_co *co, const lun_log *log)
{
    char      text[ROOM], *p = text, *end = text + ROOM;
    lun_msec  left;

    LUN_CHECK_MARK(co, LUN_MARK_LUA_CO);

    if (co->status == LUN_CO_WAITING) {
        p = lun_fmt(p, end, "waits for %s", co->what);

    } else {
        p = lun_fmt(p, end, "is %s", lun_co_status_name(co));
    }

    p = put_place(p, end, co->L);

    if (lun_timer_runs(&co->timer)) {
        left = co->timer.deadline > lun_clock.mono
               ? co->timer.deadline - lun_clock.mono : 0;
        p = lun_fmt(p, end, ", for another %" PRIu64 ".%03u s",
                    (uint64_t) left / 1000, (unsigned) (left % 1000));
    }

    lun_log(LUN_LOG_NOTICE, log, 0, "dump: lua %s of %s %.*s",
            kinds[co->kind], lun_lua_phase_name(ctx->phase),
            (int) (p - text), text);
}


static void
dump_ctx(const lun_lua_ctx *ctx)
{
    lun_log  log = *ctx->log;

    LUN_CHECK_MARK(ctx, LUN_MARK_LUA_CTX);

    log.forced = true;
    log.level = LUN_LOG_NOTICE;

    lun_list_each(&ctx->cos, it) {
        dump_co(ctx, lun_container_of(it, lun_co, link), &log);
    }
}


static void
dump_vms(const lun_lua_main *main)
{
    lun_list_each(&main->vms, it) {
        const lun_vm  *vm = lun_container_of(it, lun_vm, link);

        lun_list_each(&vm->waiting, at) {
            dump_ctx(lun_container_of(at, lun_lua_ctx, waiting));
        }
    }
}


void
lun_co_dump(const lun_generation *gen)
{
    size_t               i;
    lun_engine          *e;
    const lun_lua_main  *main;

    static const lun_protocol  *const protocols[] = { &lun_http,
                                                      &lun_stream_protocol };

    for (i = 0; i < LUN_ARRAY_LEN(protocols); i++) {
        e = lun_engine_find(gen, protocols[i]);
        main = e != NULL ? lun_module_data(e, &lun_common_lua) : NULL;

        if (main != NULL) {
            dump_vms(main);
        }
    }
}
