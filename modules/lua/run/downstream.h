/*
 * downstream.h -- the client of a stream session while Lua has its connection:
 * what it is told, what of it is read, and when it leaves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_DOWNSTREAM_H
#define LUN_LUA_DOWNSTREAM_H

#include "modules/lua/run/ctx.h"

/* A context's, from its first phase on that may wait. */
typedef struct lun_lua_downstream {
    lun_lua_ctx  *ctx;
    lun_buf      *first;           /* said, and not sent yet */
    lun_buf     **tail;
    const char   *lost;            /* why nothing can be sent; NULL: it can */
    bool          writing;         /* the system has what is at `first` */
    bool          ending;          /* Lua has ended, this is still to leave */
    bool          consumed;        /* a socket has taken some of its input */
    bool          shaking;         /* hands: nothing is sent until that ends */
    bool          unusable;        /* ... which has failed, or was given up */
} lun_lua_downstream;

/* The connection's events are Lua's from now on: before a phase starts. */
void lun_lua_downstream_take(lun_lua_ctx *ctx);

/* See side.h. */
lun_rc lun_lua_downstream_output(lun_lua_ctx *ctx, lun_buf *first);
bool lun_lua_downstream_pending(const lun_lua_ctx *ctx);

/* A handshake in the middle of a session has ended; NULL: well. */
void lun_lua_downstream_shaken(lun_lua_ctx *ctx, const char *why);

/* All its coroutines wait: with lua_check_client_abort, so does this. */
void lun_lua_downstream_watch(lun_lua_ctx *ctx);

#endif
