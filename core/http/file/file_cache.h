/*
 * file_cache.h -- small files, kept in memory and checked against the disk by
 * at most one stat per request (os/stat_cache.h): a changed file is seen at
 * once, an unchanged one costs no open, read and close.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FILE_CACHE_H
#define LUN_FILE_CACHE_H

#include "http/request.h"
#include "os/safe_open.h"

enum {
    LUN_CACHED_FILE  = 64 * 1024,          /* larger ones are not kept */
    LUN_CACHED_FILES = 4096,
    LUN_CACHED_BYTES = 32 * 1024 * 1024
};

/* The type that a file was last served with, and by which settings. */
typedef struct {
    lun_str        text;
    const void    *conf;
    uint32_t       generation;
} lun_static_type;

/* What is served; valid as long as the pool that it was opened for. */
typedef struct {
    lun_file_info  info;
    lun_str        data;           /* in memory, or */
    lun_fd         fd;             /* open; LUN_FD_NONE: in memory */
    lun_str        etag;           /* with its quotes; "" unless in memory */
    bool           direct;         /* read past the page cache */

    lun_static_type  *type;        /* NULL unless in memory; the caller's */
} lun_static_file;

/*
 * Opens a file, or finds it here.  A directory or a device is not opened: see
 * f->info.  *failed names the call that failed.
 */
lun_err lun_file_cache_open(lun_pool *pool, const lun_safe_path *c,
    lun_static_file *f, const char **failed);

/* It is still that file, and nothing was written to it. */
bool lun_file_is_unchanged(const lun_file_info *was, const lun_file_info *is);

/* How many are kept, and how large they are together. */
size_t lun_file_cache_count(void);
size_t lun_file_cache_bytes(void);

/* Forgets all that nobody uses. */
void lun_file_cache_clear(void);

#endif
