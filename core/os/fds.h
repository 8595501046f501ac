/*
 * fds.h -- what this process has open: files, sockets, pipes.  For who looks,
 * at an end, for what somebody forgot to close.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_FDS_H
#define LUN_OS_FDS_H

#include "os/file.h"

typedef struct lun_fds  lun_fds;

/*
 * What is open now, without the standard streams, which come and go with who
 * started us.  The caller's to free; NULL: the system does not say.
 */
lun_fds *lun_fds_list(void);
void lun_fds_free(lun_fds *fds);         /* NULL is none */

/*
 * Calls each(data, fd, what) for what is open now and was not in `before`.
 * `what` is a word or a path, "socket:[4711]"; it lasts until `each` returns,
 * which must open and close nothing.
 */
typedef void lun_fds_fn(void *data, lun_fd fd, const char *what);
void lun_fds_since(const lun_fds *before, lun_fds_fn *each, void *data);

#endif
