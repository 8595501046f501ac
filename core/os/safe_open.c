/*
 * safe_open.c -- open first, then ask what it was that opened.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/safe_open.h"

#include "os/path.h"


size_t
lun_safe_path_check_from(const lun_safe_path *c)
{
    return lun_path_check_from(c->path, c->from, c->strict, lun_path_native);
}


bool
lun_safe_path_is_plain(const lun_safe_path *c)
{
    return c->links == LUN_LINKS_FOLLOW
        && lun_safe_path_check_from(c) == c->path.len;
}


lun_err
lun_safe_open(const lun_safe_path *c, unsigned flags, unsigned access,
    lun_fd *fd)
{
    size_t   at;
    lun_err  err;

    err = c->links == LUN_LINKS_FOLLOW
          ? lun_file_open_under(c->native, c->path.data, flags, access, fd)
          : lun_links_open(c->native, c->path.data, c->links_from, c->links,
                           flags, access, fd);
    at = lun_safe_path_check_from(c);

    if (err != 0) {
        /* A short name may look like a link, and must not tell. */
        return lun_err_kind_of(err) == LUN_ERR_LINK && at < c->path.len
               ? lun_err_of_kind(LUN_ERR_NOT_FOUND) : err;
    }

    if (lun_file_on_disk(*fd)
        && (at == c->path.len
            || lun_file_is_named(*fd, c->path.data, at)))
    {
        return 0;
    }

    lun_file_close(*fd);
    *fd = LUN_FD_NONE;

    return lun_err_of_kind(LUN_ERR_NOT_FOUND);
}


lun_err
lun_safe_stat(const lun_safe_path *c, lun_file_info *info)
{
    lun_fd   fd;
    lun_err  err;

    if (lun_safe_path_is_plain(c)) {
        return lun_file_stat_under(c->native, c->path.data, info);
    }

    *info = (lun_file_info) { 0 };
    err = lun_safe_open(c, LUN_FILE_DIR, 0, &fd);

    if (err == 0) {
        err = lun_file_info_of(fd, info);
        lun_file_close(fd);
    }

    return err;
}


lun_err
lun_safe_slurp(const lun_safe_path *c, char **data, size_t *size)
{
    lun_fd   fd;
    lun_err  err;

    *data = NULL;
    *size = 0;
    err = lun_safe_open(c, LUN_FILE_READ, 0, &fd);

    if (err == 0) {
        err = lun_file_slurp_fd(fd, data, size);
        lun_file_close(fd);
    }

    return err;
}
