/*
 * links.c -- whether a path led through a link.
 *
 * What opens is asked for its own name: if no link was followed, that ends as
 * the path does.  Nothing can change between the question and the use.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/links.h"

#include "windows/win.h"


static bool
is_slash(char c)
{
    return c == '/' || c == '\\';
}


/* Folders up, which a configured path may have, are in no file's own name. */
static bool
is_dots(const char *name, size_t len)
{
    return (len == 1 && name[0] == '.')
           || (len == 2 && name[0] == '.' && name[1] == '.');
}


/* What the own name can be compared with: behind `from`, drive and dots. */
static size_t
begin_at(const char *path, size_t from)
{
    size_t  i, begin;

    if (from == 0 && path[0] != '\0' && path[1] == ':') {
        from = 2;
    }

    for (begin = i = from; path[i] != '\0'; i++) {
        if (!is_slash(path[i])) {
            continue;
        }

        if (is_dots(path + from, i - from)) {
            begin = i;
        }

        from = i + 1;
    }

    return begin;
}


lun_err
lun_links_open(const lun_native_path *native, const char *path, size_t from,
    lun_links links, unsigned flags, unsigned access, lun_fd *fd)
{
    lun_err  err;

    err = lun_file_open_under(native, path, flags, access, fd);

    if (err != 0) {
        return err;
    }

    if (lun_file_is_named(*fd, path, begin_at(path, from))) {
        return 0;
    }

    lun_file_close(*fd);
    *fd = LUN_FD_NONE;

    return ERROR_CANT_RESOLVE_FILENAME;
}
