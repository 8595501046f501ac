/*
 * debugger.h -- `lunette debug`: breakpoints in handlers, by the Debug Adapter
 * Protocol.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_DEBUGGER_H
#define LUN_LUA_DEBUGGER_H

#include "modules/lua/run/ctx.h"

/* --- for the command --- */

/*
 * This process has a debugger from now on.  `token` is what a client has to
 * know; NULL: who has started us is trusted.  False: said on standard error
 * why not.
 */
bool lun_lua_debug_use(const char *token);

/*
 * Standard input and output: talks to the client until it has said what is to
 * be served, and has set its breakpoints.  *prefix and *conf are strings of
 * the debugger's, or NULL where it said nothing.  False: it has gone.
 */
bool lun_lua_debug_wait_for_launch(const char **prefix, const char **conf);

/* There is no server: the client is told, and the debugger ends. */
void lun_lua_debug_failed(void);

/* --- for the bridge: does nothing where lun_lua_debugging is false --- */

extern bool  lun_lua_debugging;

/* A machine is there, before any code of the user's; false: logged. */
lun_rc lun_lua_debug_open(lun_vm *vm, const lun_log *log);
/* It is about to be closed. */
void lun_lua_debug_close(const lun_vm *vm);

/* The worker serves; it ends. */
void lun_lua_debug_start(const lun_generation *gen);
void lun_lua_debug_end(void);

/* A coroutine is about to run on. */
void lun_lua_debug_resumed(lun_co *co);

/*
 * Replaces the function at the absolute `index` of L by one that calls it and
 * keeps what an error has passed by.
 */
void lun_lua_debug_wrap(lun_vm *vm, lua_State *L, int index);

#endif
