/*
 * fold.h -- letters that are one to a file system which ignores case.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_FOLD_H
#define LUN_OS_FOLD_H

#include "base/pool.h"

/*
 * Letters beyond ASCII, as upper case; of the same length.  ASCII stays, to
 * be compared caselessly, and so does what is no UTF-8.  `s` itself if
 * there is nothing but that.
 */
lun_str lun_fold(lun_pool *pool, lun_str s);

#endif
