/*
 * lock_file.c -- a file that only one has at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/lock_file.h"

#include "tap.h"


int
main(void)
{
    int             i;
    lun_fd          a, b;
    lun_file_info   info;
    const char     *path = "build/lock_file.lock";

    is_int(lun_lock_file_take(path, &a), 0, "nobody has it");
    is_int(lun_err_kind_of(lun_lock_file_take(path, &b)), LUN_ERR_BUSY,
           "one has it");
    is_int(lun_err_kind_of(lun_lock_file_take(path, &b)), LUN_ERR_BUSY,
           "... still");
    lun_lock_file_drop(path, a);
    ok(lun_file_stat(path, &info) != 0, "the file goes with the lock");

    for (i = 0; i < 3; i++) {
        is_int(lun_lock_file_take(path, &a), 0, "then another may have it");
        lun_lock_file_drop(path, a);
    }

    ok(lun_lock_file_take("build/none/lock_file.lock", &a) != 0,
       "no folder, no lock");

    return done_testing();
}
