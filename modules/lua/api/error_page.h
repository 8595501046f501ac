/*
 * error_page.h -- while scripts are written: a Lua error is shown to whoever
 * writes them, with its stack and the source around each frame.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_ERROR_PAGE_H
#define LUN_LUA_ERROR_PAGE_H

#include "modules/lua/lua.h"

/*
 * Lua of that phase has died of `text`: keeps a page about it for
 * lun_lua_error_page_send(), if the client of ctx may see one.  `co` is the
 * entry, whose stack is still there; NULL: there is none, as the code could
 * not be loaded, or was init_by_lua's.  Runs Lua on the machine's main stack.
 */
void lun_lua_error_page_make(lun_lua_ctx *ctx, uint32_t phase, lun_co *co,
    lun_str text);

/*
 * Answers with the page that was kept, or 500 if there is none.  Nothing of
 * an answer has left.
 */
lun_verdict lun_lua_error_page_send(lun_lua_ctx *ctx);

/*
 * Whether that header (of Accept) names text/html, and not as what is refused.
 * Whether a Host, in lower case and without its port, is a name that no name
 * server outside can give to this machine.
 */
bool lun_lua_error_page_accepts(lun_str accept);
bool lun_lua_error_page_is_local_name(lun_str host);

#endif
