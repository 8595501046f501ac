/*
 * path.c -- which of core/os/path.c's rules are this system's.  A path is
 * native as it is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/path.h"

#include "os/native_path.h"


const lun_path_rules  lun_path_native = LUN_PATH_POSIX;


void
lun_native_path_init(lun_native_path *native, lun_pool *pool, lun_str text,
    const lun_native_path *under)
{
    *native = (lun_native_path) { .text = text };
}


void
lun_native_path_keep(const lun_native_path *prefix)
{
}
