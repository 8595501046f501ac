/*
 * slots.h -- what a row says in .data whose directive has no effect here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SLOTS_H
#define LUN_SLOTS_H

#include "config/conf.h"

/*
 * For lun_set_ignored and lun_set_no_effect.  What is said is looked at all
 * the same; the second warns, but not of "off" and 0, which is how it is.
 */
typedef struct {
    lun_set_fn  *read;             /* the setter it would have; NULL: any */
    const char  *why;              /* NULL: the system has no such thing */
} lun_no_effect;

extern const lun_no_effect  lun_ignored_flag, lun_ignored_num,
    lun_ignored_size, lun_ignored_msec;

#endif
