/*
 * subreq.h -- ngx.location.capture and capture_multi.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SUBREQ_H
#define LUN_LUA_SUBREQ_H

#include "modules/lua/lua.h"

/* Whether the coroutine waits for subrequests: it must not be killed. */
bool lun_lua_is_capturing(const lun_co *co);

#endif
