/*
 * sock_inside.h -- options of cosockets, and what is inside of them; for
 * scripts, and for libraries that ask by FFI.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_INSIDE_H
#define LUN_LUA_SOCK_INSIDE_H

#include "modules/lua/sock/sock.h"

/* --- by FFI, with what a socket's table has at LUN_COSOCK_BOX --- */

/* The socket; NULL: it is none.  And a box more of it, pushed. */
lun_cosock *lun_cosock_in(const void *box);
void lun_cosock_push(lua_State *L, lun_cosock *s);

/* An option by its name, of a connected socket.  NULL, or why not. */
const char *lun_cosock_set_option(const lun_cosock *s, const char *name,
    int value);
const char *lun_cosock_get_option(const lun_cosock *s, const char *name,
    int *value);

/* --- lua_CFunctions of the native table --- */

/* (object, name, value): true; (object, name): the value. */
int lun_cosock_lua_set_option(lua_State *L);
int lun_cosock_lua_get_option(lua_State *L);

/* (object, INSIDE_...): a number or a light userdata; nil and why. */
int lun_cosock_lua_inside(lua_State *L);

#endif
