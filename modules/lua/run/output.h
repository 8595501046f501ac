/*
 * output.h -- what handlers say, on its way to the filters.
 *
 * Text is gathered in the context and handed on when control comes back from
 * Lua, when enough has come together, or at once where a Lua filter wants to
 * see each piece.  The header goes out with the first piece.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_OUTPUT_H
#define LUN_LUA_OUTPUT_H

#include "modules/lua/lua.h"

enum { LUN_LUA_GATHER = 4096 };    /* bytes that are handed on at once */

/* Sends the header, or (HTTP/1.0) begins to buffer; twice is once. */
lun_rc lun_lua_send_header(lun_lua_ctx *ctx);

/* Adds a copy of the text to what is gathered. */
void lun_lua_gather(lun_lua_ctx *ctx, const char *data, size_t len);

/* Hands on what is gathered; nothing to do is LUN_OK.  AGAIN counts as OK. */
lun_rc lun_lua_send(lun_lua_ctx *ctx);

/* Header if need be, what is gathered, and the end of the answer. */
lun_rc lun_lua_send_eof(lun_lua_ctx *ctx);

/*
 * What was handed on has left; `why` not NULL: it never will.  Wakes those in
 * ngx.flush(true).
 */
void lun_lua_drained(lun_lua_ctx *ctx, const char *why);

/* Whether Lua looks at the output on its way: not from a trace, then. */
bool lun_lua_has_filters(const lun_request *r);


#endif
