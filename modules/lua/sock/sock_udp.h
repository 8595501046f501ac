/*
 * sock_udp.h -- ngx.socket.udp: its functions for the native table on top.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_UDP_H
#define LUN_LUA_SOCK_UDP_H

#include "modules/lua/lua.h"

void lun_udp_open(lua_State *L);

#endif
