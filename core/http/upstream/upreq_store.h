/*
 * upreq_store.h -- NAME_store: answers that become files of the site; part of
 * lun_upreq_conf, and rows of a directive table.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_STORE_H
#define LUN_HTTP_UPREQ_STORE_H

#include "http/file/file_aside.h"
#include "session/script.h"

typedef struct lun_upreq_conf   lun_upreq_conf;
typedef struct lun_upreq_hooks  lun_upreq_hooks;

/* A NAME_store. */
typedef struct {
    bool         on;
    lun_script  *path;             /* NULL: that of the request's file */
} lun_upreq_store;

lun_set_fn  lun_set_upreq_store;       /* lun_upreq_store * */
extern const lun_upreq_hooks  lun_upreq_store_hooks;

#define LUN_UPSTREAM_STORE_ROWS(prefix, type, up)                             \
    { LUN_UPSTREAM_ROW(prefix, "store", type, up.store, lun_set_upreq_store), \
      .values = "on | off | path",                                            \
      .help = "keeps answers as files of the site, or of that name",          \
      .args = 1 },                                                            \
    { LUN_UPSTREAM_ROW(prefix, "store_access", type, up.store_access,         \
                       lun_set_access),                                       \
      .values = "users:permissions ...",                                      \
      .help = "who may read and write these files",                           \
      .args = 1, .args_max = 3, .fallback = "user:rw" }

#endif
