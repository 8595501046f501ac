/*
 * sock_ask.h -- cosockets: what the rooms of tcp have of each other, beside
 * sock.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_ASK_H
#define LUN_LUA_SOCK_ASK_H

#include "modules/lua/sock/sock.h"

/* For the native table: a command of Redis and its answer; lines; frames. */
int lun_cosock_ask(lua_State *L);
int lun_cosock_receive_line(lua_State *L);
int lun_cosock_receive_frame(lua_State *L);
int lun_cosock_send_frame(lua_State *L);

/*
 * The object at index 1 has no use for its socket any more, which is kept for
 * another object; or stays, where it is not as a new one would be.
 */
void lun_cosock_retire(lua_State *L, lun_cosock *s);

/* Bytes as lun_sock_data() gives them, put together one after the other. */
void lun_sock_gather_none(void);
void lun_sock_gather(const char *data, size_t len);
lun_str lun_sock_gathered(void);

/* First: its limit, and what the session has said before. */
void lun_cosock_before_send(lua_State *L, lun_cosock *s);

/*
 * Sends that on a socket that may be written.  LUN_OK: all of it has gone; else
 * return *n, which is what the call gets now, or when it has waited.
 */
lun_rc lun_cosock_send_data(lua_State *L, lun_co *co, lun_cosock *s,
    lun_str data, int *n);

/* Connected, and nobody ends or writes it; else NULL with *n results. */
lun_cosock *lun_cosock_writable(lua_State *L, int *n);

/* Connected, and nobody reads; else NULL with *n results. */
lun_cosock *lun_cosock_readable(lua_State *L, int *n);

/* Reads what s->want and its kin say; what to return to Lua. */
int lun_cosock_begin_read(lua_State *L, lun_co *co, lun_cosock *s);

/* What has come and was not read; and n bytes of it are. */
lun_str lun_cosock_bytes(const lun_cosock *s);
void lun_cosock_skip(lun_cosock *s, size_t n);

/* Pushes a line of n bytes, and skips it with the `end` bytes behind it. */
void lun_cosock_push_line(lun_cosock *s, lua_State *L, size_t n, size_t end);

/* Of a reader that wants one: results pushed, or 0. */
int lun_cosock_take_reply(lun_cosock *s, lua_State *L);
int lun_cosock_take_frame(lun_cosock *s, lua_State *L);

#endif
