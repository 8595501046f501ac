/*
 * file_replace.c -- see file_replace.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/file_replace.h"


lun_err
lun_file_replace(const char *path, const char *aside, lun_str text,
    unsigned flags, unsigned access)
{
    lun_fd   fd;
    lun_err  err;

    /* What was left by one that died meanwhile. */
    (void) lun_file_delete(aside);
    err = lun_file_open(aside, LUN_FILE_WRITE | LUN_FILE_CREATE
                        | LUN_FILE_EXCL | flags, access, &fd);

    if (err != 0) {
        return err;
    }

    err = lun_file_write(fd, text.data, text.len, 0);
    lun_file_close(fd);
    return err != 0 ? err : lun_file_rename(aside, path);
}
