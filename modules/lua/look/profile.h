/*
 * profile.h -- where Lua spends its time: `lunette profile`, `-s profile`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_PROFILE_H
#define LUN_LUA_PROFILE_H

#include "modules/lua/run/ctx.h"

/*
 * Starts sampling the machine of this generation's requests (HTTP's if there
 * is one, else stream's), or ends it: then each stack that was seen is a line
 * of the error log,
 *
 *     profile: cpu SAMPLES STACK
 *     profile: wait MICROSECONDS STACK
 *     profile: heap ENTRIES WHERE
 *
 * with the frames of a stack joined by ';', the outermost first, as flame
 * graphs take them, and where tables have grown (lua/lunette/heap.lua);
 * "profile: begins, ..." and "profile: ends, ..." enclose them.  Without a
 * second call it ends by itself after a minute.
 */
void lun_lua_profile_toggle(const lun_generation *gen);

/* The machine is about to be closed: a profile of it ends. */
void lun_lua_profile_close(const lun_vm *vm);

/* --- for the scheduler, while lun_lua_profiling --- */

/* Lua begins to run for some context: ctx.h declares the two. */

/* A coroutine begins to wait; one runs, which may have waited. */
void lun_lua_profile_wait(lun_co *co);
void lun_lua_profile_resumed(lun_co *co);

#endif
