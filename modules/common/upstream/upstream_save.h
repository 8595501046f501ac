/*
 * upstream_save.h -- the file of an upstream's `state`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_SAVE_H
#define LUN_UPSTREAM_SAVE_H

#include "session/upstream/balance.h"

/*
 * Its servers have changed: the file has them when this returns, if u has one.
 * It is written under another name and renamed.  What fails is logged.
 */
void lun_upstream_save(const lun_upstream *u, const lun_log *log);

#endif
