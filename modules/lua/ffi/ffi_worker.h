/*
 * ffi_worker.h -- the room of a privileged agent.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FFI_WORKER_H
#define LUN_FFI_WORKER_H

#include "modules/lua/lua.h"

/* Whether this is an agent, with as many connections as it may have: logged. */
bool lun_lua_agent_is_full(const lun_lua_ctx *ctx);

#endif
