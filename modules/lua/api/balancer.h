/*
 * balancer.h -- balancer_by_lua, for module.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_BALANCER_H
#define LUN_LUA_BALANCER_H

#include "modules/lua/lua.h"

/* balancer_by_lua_block and _file. */
lun_set_fn  lun_lua_set_balancer;

#endif
