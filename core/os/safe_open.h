/*
 * safe_open.h -- files under names that came from outside.
 *
 * lun_path_check() says what the text of a name may be; what text alone can't
 * tell is found out here, on the open handle: that the file is one on a disk,
 * and that it has this name and was not reached through an alias (8.3).  What
 * fails either looks exactly like a file that is not there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_SAFE_OPEN_H
#define LUN_OS_SAFE_OPEN_H

#include "os/links.h"

typedef struct {
    lun_str   path;                /* checked; ends with a zero byte */
    size_t    from;                /* what stands before it was configured */
    const lun_native_path  *native;    /* a folder that it may begin with, or
                                          NULL */
    bool      strict;              /* doubt whatever fits 8.3 */
    lun_links links;               /* what to do with symbolic links ... */
    size_t    links_from;          /* ... behind this slash; 0: with all */
} lun_safe_path;

/*
 * Where the part begins that has to be looked up, which costs a call or two;
 * path.len: there is none.
 */
size_t lun_safe_path_check_from(const lun_safe_path *c);

/* Neither has to be: whoever opens or stats the path gets the file of that
   name. */
bool lun_safe_path_is_plain(const lun_safe_path *c);

/* For the log, what failed: "openat()" where links are not followed. */
static inline const char *
lun_safe_path_call(const lun_safe_path *c, const char *otherwise)
{
    return c->links == LUN_LINKS_FOLLOW ? otherwise : "openat()";
}


/* As lun_file_open(); never with LUN_FILE_TRUNC, since it looks afterwards. */
lun_err lun_safe_open(const lun_safe_path *c, unsigned flags, unsigned access,
    lun_fd *fd);

/* As lun_file_stat(), and in one call unless there is doubt, or links are not
   followed: then the file must be one that could be read. */
lun_err lun_safe_stat(const lun_safe_path *c, lun_file_info *info);

/* As lun_file_slurp(). */
lun_err lun_safe_slurp(const lun_safe_path *c, char **data, size_t *size);

#endif
