/*
 * open_file_cache.c -- which looks at the disk are careful enough to be
 * believed by others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/file/open_file_cache.c"

#include "tap.h"


int
main(void)
{
    lun_safe_path  c = { .path = LUN_STR("/srv/file.txt") };
    size_t         from = lun_safe_path_check_from(&c);
    entry          e = { .proven = from };

    ok(is_as_careful(&e, &c, 0), "a look like this one");

    e.proven = from - 3;
    ok(is_as_careful(&e, &c, 0), "a file that a strict look has found");

    e.err = lun_err_of_kind(LUN_ERR_NOT_FOUND);
    ok(!is_as_careful(&e, &c, 0), "one that a strict look has not found");

    e.proven = from;
    ok(is_as_careful(&e, &c, 0), "one that a look like this has not found");

    e = (entry) { .proven = from, .links = LUN_LINKS_REFUSE };
    ok(!is_as_careful(&e, &c, 0), "another word on links");

    return done_testing();
}
