/*
 * watch.h -- changes in folders, told through a port.
 *
 * What is told is a hint: a change may be told twice, late, or, when much
 * happens at once or the file system cannot tell (network drives), not at
 * all.  Who must not miss one looks at the files as well, now and then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WATCH_H
#define LUN_WATCH_H

#include "base/str.h"
#include "os/port.h"

typedef struct lun_watch  lun_watch;

/*
 * In `folder`, as it was given to lun_watch_folder(), the entry `name` was
 * written, made, removed or renamed; UTF-8, both valid during the call.  Both
 * are empty when something was missed: look at everything.  Comes from
 * lun_port_wait(); may add folders, may not free the watch.
 */
typedef void lun_watch_fn(void *data, lun_str folder, lun_str name);

/* NULL, and *err, when the system refuses. */
lun_watch *lun_watch_new(lun_port *port, lun_watch_fn *changed, void *data,
    lun_err *err);

/*
 * Watches what is directly in a folder; one that is watched already stays so.
 * A folder that is removed is watched no more, and must be given again.
 */
lun_err lun_watch_folder(lun_watch *w, const char *folder);

/* Nothing is told any more.  Before the port goes. */
void lun_watch_free(lun_watch *w);

#endif
