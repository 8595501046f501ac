/*
 * err.h -- errors of the system.  A lun_err is the system's own number (errno
 * on Linux, GetLastError on Windows), 0 for success; the log prints it as
 * "(2: No such file or directory)".  Code that decides on an error asks for
 * its kind: each system has one table from numbers to kinds.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_ERR_H
#define LUN_OS_ERR_H

#include "base/str.h"

typedef int  lun_err;

typedef enum {
    LUN_ERR_NONE,
    LUN_ERR_OTHER,
    LUN_ERR_AGAIN,                 /* would block */
    LUN_ERR_CANCELLED,
    LUN_ERR_TIMEOUT,
    LUN_ERR_NOT_FOUND,             /* no such file, no such path */
    LUN_ERR_NOT_DIR,
    LUN_ERR_IS_DIR,
    LUN_ERR_EXISTS,
    LUN_ERR_ACCESS,
    LUN_ERR_BAD_NAME,              /* malformed or too long a path */
    LUN_ERR_LINK,                  /* a symbolic link: too many, or one that
                                      may not be followed */
    LUN_ERR_BUSY,                  /* shared by someone who does not share */
    LUN_ERR_NO_SPACE,
    LUN_ERR_TOO_MANY_FILES,
    LUN_ERR_NO_MEMORY,
    LUN_ERR_ADDR_IN_USE,
    LUN_ERR_ADDR_NOT_AVAILABLE,
    LUN_ERR_REFUSED,
    LUN_ERR_RESET,                 /* reset, aborted, broken pipe */
    LUN_ERR_UNREACHABLE,
    LUN_ERR_NOT_SUPPORTED
} lun_err_kind;

lun_err_kind lun_err_kind_of(lun_err err);

/* The number behind a kind, to report a condition that we found ourselves. */
lun_err lun_err_of_kind(lun_err_kind kind);

/*
 * Its text, in `room` or static: "No such file or directory".  The posix
 * wording on both systems wherever a kind is known, since people grep for it;
 * else the system's own.
 */
lun_str lun_err_text(lun_err err, char *room, size_t size);

/*
 * The words nginx's Lua gives a failed socket: "connection refused", "timeout",
 * "connection reset by peer", ...: lower case, the same on both systems.
 */
const char *lun_err_sock_text(lun_err err);

#endif
