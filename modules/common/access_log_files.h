/*
 * access_log_files.h -- open_log_file_cache: log files whose names have
 * variables stay open for the next line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACCESS_LOG_FILES_H
#define LUN_ACCESS_LOG_FILES_H

#include "config/conf.h"
#include "os/safe_open.h"

typedef struct lun_log_cache  lun_log_cache;

/*
 * The setter; the field is a lun_log_cache *, NULL where none was named.  Each
 * worker keeps its own files, which are closed with the configuration.
 */
lun_set_fn  lun_set_log_cache;

/*
 * The file of that name, to be appended to.  *kept: it stays open; else the
 * caller closes it.
 */
lun_err lun_log_cache_open(lun_log_cache *files, const lun_safe_path *c,
    lun_fd *fd, bool *kept);

#endif
