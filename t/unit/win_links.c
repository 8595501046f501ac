/*
 * win_links.c -- what of a path is compared with the open file's own name.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/links.c"

#include "os/err.h"
#include "tap.h"


static const struct {
    const char  *path;
    size_t       from;
    const char  *rest;
} cases[] = {
    { "C:/web/a", 0, "/web/a" },
    { "C:\\web\\a", 0, "\\web\\a" },
    { "C:/web/a", 6, "/a" },
    { "C:/web/../html/a", 0, "/html/a" },
    { "C:/web/../html/./a", 0, "/a" },
    { "C:/web/../../a", 0, "/a" },
    { "C:/../a/b", 0, "/a/b" },
    { "C:/web/..a/b", 0, "/web/..a/b" },
    { "C:/web/.../b", 0, "/web/.../b" },
    { "C:/web/a./b", 0, "/web/a./b" },
    { "C:/web//a", 0, "/web//a" },
    { "//server/share/a", 0, "//server/share/a" },
    { "web/a", 0, "web/a" },
    { "../web/a", 0, "/web/a" },
    { "", 0, "" }
};


/* One that is there in every Windows, and the same by a way with dots. */
static void
opens(const char *path, size_t from)
{
    lun_fd  fd;

    if (is_int(lun_links_open(NULL, path, from, LUN_LINKS_REFUSE,
                              LUN_FILE_READ, 0, &fd), 0, "%s opens", path))
    {
        lun_file_close(fd);
    }
}


int
main(void)
{
    size_t  i;
    lun_fd  fd;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        is_str(cases[i].path + begin_at(cases[i].path, cases[i].from),
               cases[i].rest, "%s from %d", cases[i].path,
               (int) cases[i].from);
    }

    opens("C:/windows/system32/kernel32.dll", 0);
    opens("C:/windows/../windows/system32/KERNEL32.dll", 0);
    opens("C:/windows/system32/kernel32.dll", 10);

    is_int(lun_err_kind_of(lun_links_open(NULL, "C:/windows/none", 0,
                                          LUN_LINKS_REFUSE, LUN_FILE_READ, 0,
                                          &fd)),
           LUN_ERR_NOT_FOUND, "what is missing stays that");
    is_int(lun_err_kind_of(ERROR_CANT_RESOLVE_FILENAME), LUN_ERR_LINK,
           "the error has its kind");

    return done_testing();
}
