/*
 * nginx_stat.h -- ngx_stat_active and its kin, which libraries read by ffi.C as
 * they stand in OpenResty's builds: pointers to what all workers together have.
 *
 * Nobody tells us when they are read, and what they point to is added up from
 * every worker's cells.  So it is, before Lua goes on, as soon as a script has
 * declared one of them (lua/lunette/nginx_stat.lua).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_NGINX_STAT_H
#define LUN_LUA_NGINX_STAT_H

#include "base/base.h"

extern bool  lun_nginx_stat_wanted;    /* a script of this process reads them */

void lun_nginx_stat_update(void);

/* Before Lua runs. */
static inline void
lun_nginx_stat_look(void)
{
    if (LUN_UNLIKELY(lun_nginx_stat_wanted)) {
        lun_nginx_stat_update();
    }
}

#endif
