/*
 * loop_help.h -- the loop of a test, `lp`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOOP_HELP_H
#define LUN_LOOP_HELP_H

#include "net/loop.h"
#include "tap.h"

static lun_loop                       test_loop;
static TAP_UNUSED lun_loop *const     lp = &test_loop;

#endif
