/*
 * errlog.h -- lua_capture_error_log: the last lines of the error log, kept in
 * memory for ngx.errlog.
 *
 * Each worker has what it wrote itself.  A line that finds no room drives out
 * the oldest.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_ERRLOG_H
#define LUN_LUA_ERRLOG_H

#include "base/log.h"

typedef struct lun_lua_errlog  lun_lua_errlog;

/*
 * From now on lines are kept in that one; the one of another generation gets
 * none any more.  NULL: that of nobody.  After end() it may be freed.
 */
void lun_lua_errlog_begin(lun_lua_errlog *log);
void lun_lua_errlog_end(lun_lua_errlog *log);

/* --- for lua/ngx/errlog.lua --- */

/* LUN_ERROR: there is no lua_capture_error_log. */
LUN_EXPORT int lun_ffi_errlog_set_level(int level);

/*
 * Takes the oldest line.  Returns its length, 0: there is none, -1: no
 * lua_capture_error_log.  `room` is of LUN_LOG_LINE bytes.
 */
LUN_EXPORT int lun_ffi_errlog_take(char *room, int *level, double *when);

/* A line as it stands, in the log of whoever's turn it is. */
LUN_EXPORT void lun_ffi_errlog_raw(int level, const char *text, size_t len);

#endif
