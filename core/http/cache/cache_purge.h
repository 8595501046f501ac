/*
 * cache_purge.h -- what is purged of a cache, by whoever may say so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CACHE_PURGE_H
#define LUN_HTTP_CACHE_PURGE_H

#include "http/cache/cache_conf.h"

/* That of this zone; NULL: there is none. */
lun_cache *lun_cache_find(const lun_generation *gen, lun_str name);

/*
 * Drops the answers of a key, or, if it ends with "*", all whose key begins so:
 * the status to answer with.  204; 404: there was none; 500: it is purged, but
 * a restart will not know, which is logged.
 */
unsigned lun_cache_purge_key(const lun_cache *cache, lun_str key,
    lun_pool *temp, const lun_log *log);

#endif
