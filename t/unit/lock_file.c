/*
 * claim.c -- a file that only one has at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/claim.h"

#include "tap.h"


int
main(void)
{
    int          i;
    lun_fd       a, b;
    lun_file_info  info;
    const char  *path = "build/claim.lock";

    is_int(lun_claim(path, &a), 0, "nobody has it");
    is_int(lun_err_kind_of(lun_claim(path, &b)), LUN_ERR_BUSY, "one has it");
    is_int(lun_err_kind_of(lun_claim(path, &b)), LUN_ERR_BUSY, "... still");
    lun_claim_end(path, a);
    ok(lun_file_stat(path, &info) != 0, "the file goes with the claim");

    for (i = 0; i < 3; i++) {
        is_int(lun_claim(path, &a), 0, "then another may have it");
        lun_claim_end(path, a);
    }

    ok(lun_claim("build/none/claim.lock", &a) != 0, "no folder, no claim");

    return done_testing();
}
