/*
 * phases.h -- the runner, and the module's handlers and filters.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_PHASES_H
#define LUN_LUA_PHASES_H

#include "modules/lua/lua.h"

/*
 * Runs a chunk that may wait, and comes back to it when the handler is asked
 * again.
 */
lun_verdict lun_lua_run_phase(lun_session *s, uint32_t phase,
    lun_chunk *chunk);

/* The same for either place of a phase: after other modules, or before. */
lun_verdict lun_lua_at_rewrite(lun_request *r, bool no_postpone);
lun_verdict lun_lua_at_access(lun_request *r, bool no_postpone);
lun_verdict lun_lua_at_precontent(lun_request *r, bool no_postpone);

lun_phase_fn  lun_lua_on_log;

/*
 * The client has left while Lua waits: ngx.on_abort's function says what then,
 * or the run ends.
 */
void lun_lua_abandon(lun_lua_ctx *ctx);

/* filters.c */
lun_header_filter_fn  lun_lua_header_filter;
lun_body_filter_fn    lun_lua_body_filter;
bool                  lun_lua_body_is_idle(const lun_request *r);

/* set_by_lua.c: the setter of set_by_lua, _block and _file. */
lun_set_fn  lun_lua_set_set;

#endif
