/*
 * loop.h -- the loop of a test that serves, `lp`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_LOOP_H
#define LUN_FUZZ_LOOP_H

#include "net/loop.h"

static lun_loop                                      served_loop;
static __attribute__((unused)) lun_loop *const       lp = &served_loop;

#endif
