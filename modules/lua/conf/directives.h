/*
 * directives.h -- what setters of *_by_lua directives share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_DIRECTIVES_H
#define LUN_LUA_DIRECTIVES_H

#include "modules/lua/lua.h"

/*
 * The chunk of a directive: its raw block, the code in args[at], or (its name
 * ends with _file) the file named there.  d->data is the name that messages
 * use, "content_by_lua".  NULL: reported.
 */
lun_chunk *lun_lua_chunk_of(lun_conf *cf, const lun_directive *d, size_t at);

/* Runs init_worker_by_lua in main->vm, if there is any. */
void lun_lua_run_init_worker(lun_lua_main *main);

/* A dictionary's zone, which has its memory. */
bool lun_lua_is_dict(const lun_zone *zone);

/* lua_shared_dict (dicts.c). */
lun_set_fn  lun_lua_set_shared_dict;

/* sock/sock_ssl_conf.c: after lua_ssl_* have inherited. */
lun_rc lun_lua_ssl_inherited(lun_conf *cf, const void *parent, void *conf);

/* content_by_lua of a stream server; lua_add_variable (stream_phases.c). */
void lun_lua_set_stream_content(lun_conf *cf);
lun_set_fn  lun_lua_set_add_variable;

/* lua_capture_error_log (errlog.c). */
lun_set_fn  lun_lua_set_capture_log;

/* How full dictionaries are. */
extern const lun_metric  lun_lua_dict_metrics[];

#endif
