/*
 * stat_cache.h -- the state of files that are asked for again and again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_STAT_CACHE_H
#define LUN_OS_STAT_CACHE_H

#include "os/file.h"

/*
 * As lun_file_stat_under(), and sees whatever was done to the file, to any
 * folder or link on the way to it, or to what is mounted, before the bytes
 * were taken from the kernel that the caller answers to.  On Linux folders far
 * down may stay open meanwhile, and are let go when something on the way to
 * them changes.  On Windows those bytes came with the last lun_port_wait() at
 * the latest, and one look serves all who ask until the next.
 */
lun_err lun_stat_cache_get(const lun_native_path *native, const char *path,
    lun_file_info *info);

/* This process itself may have changed files just now. */
void lun_stat_cache_invalidate(void);

/*
 * From true to false whatever asks answers to bytes that had been taken before
 * that: what several requests in one piece of input ask for is looked at once.
 */
void lun_stat_cache_hold(bool on);

/*
 * Who has kept what was said of a file, and this number as it was then, need
 * not ask again while the number is the same.  0: ask each time.
 */
uint64_t lun_stat_cache_moment(void);

/* How many folders are kept open so; for tests. */
size_t lun_stat_cache_count(void);

/* Lets them go. */
void lun_stat_cache_clear(void);

#endif
