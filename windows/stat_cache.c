/*
 * stat_cache.c -- one look at a file for all requests that came together.
 *
 * NTFS finds a path by its whole name, so there are no folders to keep open
 * (which would also keep people from renaming them).  But a busy worker takes
 * several requests from the port at once, often for the same files.  All of
 * their bytes had come before the first of them is served: what was changed
 * before they were sent, the first look sees.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/stat_cache.h"

#include <string.h>

#include "base/str.h"


enum {
    PLACES = 64,                   /* a power of two */
    ROOM   = 512                   /* longer paths are looked at each time */
};

static struct {
    uint64_t       turn;           /* it is good in */
    lun_file_info  info;
    char           path[ROOM];
} places[PLACES];

static uint64_t  turn = 1;


lun_err
lun_stat_cache_get(const lun_native_path *native, const char *path,
    lun_file_info *info)
{
    lun_err  err;
    size_t   i, len = strlen(path);

    if (len >= ROOM) {
        return lun_file_stat_under(native, path, info);
    }

    i = lun_str_hash(lun_str_of(path, len)) & (PLACES - 1);

    if (places[i].turn == turn && strcmp(places[i].path, path) == 0) {
        *info = places[i].info;
        return 0;
    }

    err = lun_file_stat_under(native, path, info);

    if (err == 0) {
        places[i].turn = turn;
        places[i].info = *info;
        memcpy(places[i].path, path, len + 1);
    }

    return err;
}


void
lun_stat_cache_invalidate(void)
{
    turn++;
}


/* It is, from one wait to the next. */
void
lun_stat_cache_hold(bool on)
{
}


uint64_t
lun_stat_cache_moment(void)
{
    return turn;
}


size_t
lun_stat_cache_count(void)
{
    return 0;
}


void
lun_stat_cache_clear(void)
{
    turn++;
}
