/*
 * sock_ask.h -- cosockets: what the rooms of tcp have of each other, beside
 * sock.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_ASK_H
#define LUN_LUA_SOCK_ASK_H

#include "modules/lua/sock/sock.h"

/* For the native table: a command and its answer. */
int lun_cosock_ask(lua_State *L);

/*
 * The object at index 1 has no use for its socket any more, which is kept for
 * another object, box and all; or stays, where it is not as a new one would be.
 */
void lun_cosock_retire(lua_State *L, lun_cosock *s);

/* Bytes as lun_sock_data() gives them, put together one after the other. */
void lun_sock_gather_none(void);
void lun_sock_gather(const char *data, size_t len);
lun_str lun_sock_gathered(void);

/*
 * Sends that on a socket that may be written.  LUN_OK: all of it has gone; else
 * return *n, which is what the call gets now, or when it has waited.
 */
lun_rc lun_cosock_send_data(lua_State *L, lun_co *co, lun_cosock *s,
    lun_str data, int *n);

/* Connected, and nobody ends or writes it; else NULL with *n results. */
lun_cosock *lun_cosock_writable(lua_State *L, int *n);

/* Reads from one that is, and that nobody reads; what to return to Lua. */
int lun_cosock_receive_reply(lua_State *L, lun_co *co, lun_cosock *s);

/* Pushes a line of n bytes, and skips it with the `end` bytes behind it. */
void lun_cosock_push_line(lun_cosock *s, lua_State *L, size_t n, size_t end);

/* Of a reader that wants one: results pushed, or 0; in sock_tcp_ask.c. */
int lun_cosock_take_reply(lun_cosock *s, lua_State *L);

#endif
