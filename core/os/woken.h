/*
 * woken.h -- what this process does when it is woken (wake.h): for both
 * systems' wake.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_WOKEN_H
#define LUN_OS_WOKEN_H

#include "os/wake.h"

enum { LUN_WAKES = 4 };            /* that a process may have open */

/* One more, or the same anew; false: there are enough. */
bool lun_woken_add(lun_wake *w, lun_wake_fn *woken, void *data);

/* True: that was the last. */
bool lun_woken_remove(const lun_wake *w);

/* All of them: which was meant is not known.  They may close any. */
void lun_woken_call(void *none);

#endif
