/*
 * path.c -- which of core/os/path.c's rules are this system's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/path.h"


const lun_path_rules  lun_path_native = LUN_PATH_WINDOWS;
