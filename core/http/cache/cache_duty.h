/*
 * cache_duty.h -- what has to be done for a cache beside requests, by one of
 * the workers (net/duty.h).
 *
 * Loading: what is on the disk becomes known; from the list that was written
 * beside the files when the server ended, or by looking at all of them.
 * Cleaning: what nobody has asked for in a while goes, and what is too much.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CACHE_DUTY_H
#define LUN_HTTP_CACHE_DUTY_H

#include "config/generation.h"
#include "http/cache/cache_conf.h"

/* Of a lun_cache. */
extern const lun_duty_kind  lun_cache_duty_kind;

/* What each worker does for it: hooks of a generation. */
lun_rc lun_cache_begin(lun_generation *gen, void *cache);
lun_rc lun_cache_end(lun_generation *gen, void *cache);

/*
 * What is purged (lun_cache_index_mark()) outlives the server: the marks are
 * written beside the files; and read, into an index that has none.
 */
lun_err lun_cache_save_marks(const lun_cache *cache);
void lun_cache_read_marks(const lun_cache *cache);

/* Removes what was used longest ago, while it is too much: so many at most. */
void lun_cache_trim(const lun_cache *cache, unsigned most);

#endif
