/*
 * claim.h -- files under names that came from outside.
 *
 * lun_path_judge() says what the text of a name may be; what text alone can't
 * tell is settled here, on the open handle: that the file is one on a disk,
 * and that it has this name and was not reached through an alias (8.3).  What
 * fails either looks exactly like a file that is not there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_CLAIM_H
#define LUN_OS_CLAIM_H

#include "os/links.h"

typedef struct {
    lun_str   path;                /* judged; ends with a zero byte */
    size_t    from;                /* what stands before it was configured */
    bool      strict;              /* doubt whatever fits 8.3 */
    lun_links links;               /* what to do with symbolic links ... */
    size_t    links_from;          /* ... behind this slash; 0: with all */
} lun_claim;

/*
 * Where the part begins that has to be looked up, which costs a call or two;
 * path.len: there is none.
 */
size_t lun_claim_doubt(const lun_claim *c);

/* Neither has to be: whoever opens or stats the path gets what is claimed. */
bool lun_claim_is_plain(const lun_claim *c);

/* For the log, what failed: "openat()" where links are not followed. */
static inline const char *
lun_claim_call(const lun_claim *c, const char *otherwise)
{
    return c->links == LUN_LINKS_FOLLOW ? otherwise : "openat()";
}


/* As lun_file_open(); never with LUN_FILE_TRUNC, since it looks afterwards. */
lun_err lun_claim_open(const lun_claim *c, unsigned flags, unsigned access,
    lun_fd *fd);

/* As lun_file_stat(), and in one call unless there is doubt, or links are not
   followed: then the file must be one that could be read. */
lun_err lun_claim_stat(const lun_claim *c, lun_file_info *info);

/* As lun_file_slurp(). */
lun_err lun_claim_slurp(const lun_claim *c, char **data, size_t *size);

#endif
