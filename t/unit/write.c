/*
 * write.c -- what a send takes, and whether the system may wait for more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/write.c"

#include "tap.h"


static void
gathers(lun_request *r, int64_t most, size_t slices, size_t bytes,
    bool follows, const char *name)
{
    bool       more;
    size_t     n, total;
    lun_slice  room[LUN_PORT_SLICES];

    n = gather(r, most, room, &total, &more);
    ok(n == slices && total == bytes && more == follows, "%s", name);
}


int
main(void)
{
    lun_pool     *pool = lun_pool_new_sized(1024);
    lun_buf      *memory = lun_buf_new_str(pool, LUN_STR("hello"));
    lun_buf      *file = lun_buf_new_file(pool, 7, 100, 350);
    lun_buf      *end = lun_buf_new_str(pool, LUN_STR("bye"));
    lun_conn      conn = { .eof = 0 };
    lun_request   r = { .output = { .head = memory }, .conn = &conn };

    gathers(&r, 100, 1, 5, false, "all there is");
    gathers(&r, 3, 1, 3, false, "no more than may go");

    memory->next = file;
    gathers(&r, 100, 1, 5, true, "a file follows");

    file->file_pos = file->file_last;
    gathers(&r, 100, 1, 5, false, "a file that is used up does not");

    file->next = end;
    gathers(&r, 100, 2, 8, false, "nor does it stand in the way");

    lun_pool_free(pool);
    return done_testing();
}
