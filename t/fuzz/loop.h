/*
 * loop.h -- the loop of a test that serves, `lp`.
 *
 * A target that has a whole generation (whole.h) defines LUN_FUZZ_LOOP as the
 * worker's: that one has the lists of connections.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_LOOP_H
#define LUN_FUZZ_LOOP_H

#include "net/loop.h"

#ifndef LUN_FUZZ_LOOP
static lun_loop                                      served_loop;
#define LUN_FUZZ_LOOP                                (&served_loop)
#endif

static __attribute__((unused)) lun_loop *const       lp = LUN_FUZZ_LOOP;

#endif
