/*
 * win_stat_cache.c -- one look at a file serves a turn, and no more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/stat_cache.c"

#include <stdlib.h>

#include "os/port.h"
#include "os/proc.h"
#include "tap.h"


static char  path[ROOM + 100];


static void
write_file(size_t size)
{
    lun_fd  fd;

    if (lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_TRUNC,
                      0644, &fd) != 0
        || lun_file_write(fd, "twelve bytes", size, 0) != 0)
    {
        abort();
    }

    lun_file_close(fd);
}


static int
size_now(void)
{
    lun_file_info  info;

    return lun_stat_cache_get(NULL, path, &info) == 0 ? (int) info.size : -1;
}


static void
turns(void)
{
    lun_err    err;
    lun_port  *port = lun_port_new(&err);

    snprintf(path, sizeof(path), "stat-cache-%u", (unsigned) lun_proc_pid());
    write_file(3);
    ok(size_now() == 3, "the first look");

    write_file(5);
    ok(size_now() == 3, "serves all that came together");
    lun_port_wait(port, 0, NULL);
    ok(size_now() == 5, "and none that came later");

    write_file(7);
    lun_stat_cache_invalidate();
    ok(size_now() == 7, "nor after a change that we made ourselves");

    lun_file_delete(path);
    lun_port_wait(port, 0, NULL);
    ok(size_now() == -1, "a file that has gone is gone");
    write_file(2);
    ok(size_now() == 2, "that there is none is not remembered");

    lun_file_delete(path);
    lun_port_free(port);
}


static void
long_paths(void)
{
    char    folder[sizeof(path)];
    size_t  n = (size_t) snprintf(folder, sizeof(folder), "stat-cache-%u",
                                  (unsigned) lun_proc_pid());

    snprintf(path, sizeof(path), "%s", folder);

    while (n < ROOM) {
        n += (size_t) snprintf(path + n, sizeof(path) - n, "%s", "/.");
    }

    snprintf(path + n, sizeof(path) - n, "%s", "/../x");
    ok(size_now() == -1, "a path too long to be kept is looked at");
}


int
main(void)
{
    turns();
    long_paths();
    return done_testing();
}
