/*
 * step.h -- What a handler in a handshake is: where it is configured, how it
 * runs, and what debug lines say of it.  With clients (handshake.c) and with
 * servers (proxy_handshake.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SSL_STEP_H
#define LUN_LUA_SSL_STEP_H

#include "modules/lua/lua.h"

typedef struct {
    uint32_t     phase;
    size_t       chunk;            /* in lun_lua_conf */
    const char  *doing;            /* for the log's lines */
    const char  *name;             /* as debug lines have it */
    const char  *callback;
    const char  *title;            /* NULL: of none that is reused */
} lun_lua_step;

/* Of a context's pool. */
enum { LUN_LUA_STEP_POOL = 2048 };

/* Of a lun_lua_conf; NULL: none. */
lun_chunk *lun_lua_step_chunk(const lun_lua_step *step, const void *conf);

/*
 * Runs it in a new coroutine of ctx.  OK: it has ended, with *rc; AGAIN: it
 * waits, and ctx->ended is called.
 */
lun_rc lun_lua_step_run(lun_chunk *chunk, lun_lua_ctx *ctx, int *rc);

/* Of one that has ended after it had waited. */
int lun_lua_step_result(const lun_lua_ctx *ctx);

/* Says with ngx_lua's words how it ended; returns what rc is to a handshake. */
bool lun_lua_step_end(const lun_lua_step *step, const lun_log *log, int rc,
    bool waited);

#endif /* LUN_LUA_SSL_STEP_H */
