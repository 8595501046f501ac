/*
 * sema.h -- semaphores, for those who have no Lua object of one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SEMA_H
#define LUN_LUA_SEMA_H

#include "modules/lua/lua.h"

typedef struct lun_sema  lun_sema;

/* The caller's, who says lun_sema_put() in the end. */
lun_sema *lun_sema_new(int n);
lun_sema *lun_sema_get(lun_sema *s);
void lun_sema_put(lun_sema *s);
/* The same, when what held it was collected: the debug log says so. */
void lun_sema_collected(lun_sema *s);

/* Pushes a userdata, as the functions of `lunette.native` take it. */
void lun_sema_push(lua_State *L, lun_sema *s);

/* Takes one, if there is one and nobody waits. */
bool lun_sema_take(lun_sema *s);
void lun_sema_post(lun_sema *s, int n);

/* Below zero: so many wait. */
int64_t lun_sema_count(const lun_sema *s);

#endif
