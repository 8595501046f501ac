/*
 * open_file_cache.h -- what looks at the disk have found, taken for true for
 * as long as `open_file_cache_valid` says: files with their descriptors or
 * bytes, folders, and failures.
 *
 * There is one cache for each `open_file_cache` directive and worker.  Without
 * one each request looks for itself (file_cache.h).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OPEN_FILE_CACHE_H
#define LUN_OPEN_FILE_CACHE_H

#include "http/file/file_cache.h"

/* The setter; the field is a lun_open_files *, NULL where none was named. */
lun_set_fn  lun_set_open_file_cache;

/* As lun_safe_stat(), by what the settings of the request's location keep. */
lun_err lun_open_file_stat(lun_request *r, const lun_safe_path *c,
    lun_file_info *info);

/*
 * As lun_file_cache_open(), likewise; what is served is valid as long as the
 * request.
 */
lun_err lun_open_file(lun_request *r, const lun_safe_path *c,
    lun_static_file *f, const char **failed);

#endif
