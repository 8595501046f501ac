/*
 * watch.h -- lua_code_cache watch: a changed script is noticed, and a new
 * machine takes the place of the one that serves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_WATCH_H
#define LUN_LUA_WATCH_H

#include "modules/lua/lua.h"

typedef struct lun_lua_file  lun_lua_file;

typedef enum {
    LUN_LUA_SCRIPT,                /* of a directive: has to be there */
    LUN_LUA_NAMED,                 /* of one whose path has variables */
    LUN_LUA_MODULE,
    LUN_LUA_DATA                   /* what loadfile and dofile have read */
} lun_lua_file_kind;

/* The generation's; for lun_lua_main.watch.  Ends with its pool. */
lun_lua_watch *lun_lua_watch_new(lun_lua_main *main);

/*
 * From here on changes are looked for, in a worker that is about to run
 * init_worker_by_lua.  What has changed since the master loaded it is loaded
 * anew at once.
 */
void lun_lua_watch_start(lun_lua_watch *w);
/* The worker has been told to quit; harmless when it does not run. */
void lun_lua_watch_stop(lun_lua_watch *w);

/*
 * Before a file is read, so that no change is missed: NULL if nobody watches,
 * or there is no such file.  Then, if it could be compiled: this machine can
 * run it, and no version that it cannot run shall replace it.
 */
lun_lua_file *lun_lua_watch_note(lun_lua_main *main, const char *path,
    lun_lua_file_kind kind);
void lun_lua_watch_good(lun_lua_file *file);

/*
 * Which generation of scripts serves, from 1 (NULL: it); why the last change
 * was not taken, or NULL; when one was last seen, in seconds, or 0.
 */
unsigned lun_lua_watch_status(const lun_lua_watch *w, const char **error,
    double *changed_at);

/*
 * watch_lib.c: lets the machine's require, loadfile and dofile note what they
 * read.
 */
void lun_lua_watch_open(lun_vm *vm);

#endif
