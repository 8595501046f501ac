/*
 * safe_open.c -- files under their own names, on whatever system this runs.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/safe_open.c"

#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "os/dir.h"
#include "tap.h"


static char  folder[512];


static lun_safe_path
claim(const char *name, bool strict)
{
    static char  path[1024];

    *lun_fmt(path, path + sizeof(path) - 1, "%s/%s", folder, name) = '\0';

    return (lun_safe_path) { .path = lun_str_z(path), .from = strlen(folder),
                         .strict = strict };
}


static void
make(const char *name)
{
    lun_fd         fd;
    lun_safe_path  c = claim(name, false);

    if (lun_file_open(c.path.data, LUN_FILE_WRITE | LUN_FILE_CREATE, 0644,
                      &fd) != 0
        || lun_file_write(fd, "text", 4, 0) != 0)
    {
        abort();
    }

    lun_file_close(fd);
}


static void
is_there(const char *name, bool strict)
{
    char           *data;
    size_t          size;
    lun_fd          fd;
    lun_safe_path   c = claim(name, strict);
    lun_file_info   info;

    if (is_int(lun_safe_open(&c, LUN_FILE_READ, 0, &fd), 0, "opens %s",
               name))
    {
        lun_file_close(fd);
    }

    is_int(lun_safe_stat(&c, &info), 0, "stats %s", name);
    is_int(info.size, 4, "its size");

    if (is_int(lun_safe_slurp(&c, &data, &size), 0, "reads %s", name)) {
        is_mem(data, size, "text", 4, "its text");
        free(data);
    }
}


static void
is_missing(const char *name, bool strict)
{
    lun_fd          fd;
    lun_safe_path   c = claim(name, strict);
    lun_file_info   info;

    is_int(lun_err_kind_of(lun_safe_open(&c, LUN_FILE_READ, 0, &fd)),
           LUN_ERR_NOT_FOUND, "does not open %s", name);
    is_int(fd, LUN_FD_NONE, "no handle");
    is_int(lun_err_kind_of(lun_safe_stat(&c, &info)), LUN_ERR_NOT_FOUND,
           "does not stat %s", name);
}


/* Where links are not followed: whatever is none opens all the same. */
static void
without_links(void)
{
    lun_fd         fd;
    lun_safe_path  c = claim("a.txt", false);
    lun_file_info  info;

    ok(lun_safe_path_is_plain(&c), "a plain name");
    is_str(lun_safe_path_call(&c, "open()"), "open()", "is opened");

    c.links = LUN_LINKS_REFUSE;
    c.links_from = strlen(folder);
    ok(!lun_safe_path_is_plain(&c), "not where links count");
    is_str(lun_safe_path_call(&c, "open()"), "openat()", "another call");
    is_int(lun_safe_stat(&c, &info), 0, "stats what is no link");
    is_int(info.size, 4, "its size");

    if (is_int(lun_safe_open(&c, LUN_FILE_READ, 0, &fd), 0, "opens it")) {
        lun_file_close(fd);
    }

    c = claim("none", false);
    c.links = LUN_LINKS_OWNER;
    is_int(lun_err_kind_of(lun_safe_stat(&c, &info)), LUN_ERR_NOT_FOUND,
           "what is missing stays that");
}


/* The alias that the system made for a file, if it makes any. */
static void
alias(void)
{
    lun_err        err;
    lun_safe_path  c = claim("LONG~WEO.HTM", false);
    lun_file_info  info;

    err = lun_file_stat(c.path.data, &info);

    if (err == 0) {
        is_missing("LONG~WEO.HTM", false);
        is_missing("LONG~WEO.HTM", true);

    } else {
        ok(1, "no alias by that name here # SKIP");
    }
}


int
main(void)
{
    size_t           i;
    lun_fd           fd;
    lun_safe_path    c;
    const char  *names[] = { "a.txt", "a~1.txt", "long-name.html" };

    snprintf(folder, sizeof(folder), "build/safe_open.test");
    lun_dir_make_all(folder, 0755);

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        make(names[i]);
        is_there(names[i], false);
        is_there(names[i], true);
    }

    is_missing("none", false);
    is_missing("n~1", false);
    is_missing("n~1", true);
    without_links();
    alias();

    c = claim("new~1", false);
    is_int(lun_safe_open(&c, LUN_FILE_APPEND | LUN_FILE_CREATE, 0644, &fd), 0,
           "makes a file with such a name");
    lun_file_close(fd);
    (void) lun_file_delete(c.path.data);

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        c = claim(names[i], false);
        (void) lun_file_delete(c.path.data);
    }

    (void) lun_dir_delete(folder);
    return done_testing();
}
