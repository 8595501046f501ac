/*
 * cached.h -- an answer of a cache, ready to be sent: its head, and its body in
 * memory or in an open file.
 *
 * Small ones stay in the worker's memory, by the version that the index has of
 * them: as long as it is the same, the disk is not looked at.  A few that are
 * not that small stay open for some seconds, where the system allows it.  What
 * is opened has been checked: it is as long as it should be, and its own; and
 * that it is the body which was stored, where it is small or was not yet
 * checked by anybody since the server has begun.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CACHED_H
#define LUN_HTTP_CACHED_H

#include "base/list.h"
#include "cache/cache_file.h"
#include "http/cache/cache_conf.h"

enum {
    LUN_CACHED_ANSWER  = 64 * 1024,        /* larger files are not kept */
    LUN_CACHED_ANSWERS = 4096,
    LUN_CACHED_MEMORY  = 32 * 1024 * 1024,
    LUN_CACHED_FILES   = 64,               /* that stay open */
    LUN_CACHED_FILE    = 1024 * 1024,      /* larger ones do not */
    LUN_CACHED_OPEN    = 10000,            /* ms */
    LUN_CACHED_CHECK   = 16 * 1024 * 1024  /* larger bodies are not read */
};

typedef struct lun_cached  lun_cached;
struct lun_cached {
    lun_cache_head    head;        /* texts are views of `bytes` */
    size_t            head_size;
    lun_str           body;        /* fd LUN_FD_NONE: all of it */
    lun_fd            fd;          /* from head_size on */
    int64_t           size;        /* of the file */
    uint64_t          device, id;  /* it and no other: as in lun_file_info */
    int64_t           mtime;
    uint32_t          mtime_ns;

    /* The room's own. */
    lun_list          link;
    lun_cached       *next;
    const void       *index;
    lun_cache_key     key;
    uint64_t          version;
    lun_msec          used;        /* last, of an open file */
    unsigned          users;
    bool              kept;
    char             *bytes;
};

/*
 * That version of a key's file (0: whichever is there; it is not kept), for as
 * long as the pool lives.  `check`: its body is read, too, unless it is very
 * large.  NULL: there is none, or it is no good, which is logged.
 */
lun_cached *lun_cached_open(lun_pool *pool, const lun_cache *cache,
    const lun_cache_key *key, uint64_t version, bool check,
    const lun_log *log);

/* Closes files that nobody has asked for lately (0: all); now and then. */
void lun_cached_close_idle(lun_msec idle);

/* "PATH/c/29/b7...29c" in the pool. */
lun_str lun_cached_path(lun_pool *pool, const lun_cache *cache,
    const lun_cache_key *key);

/* How much is kept. */
size_t lun_cached_count(void);

#endif
