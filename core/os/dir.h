/*
 * dir.h -- folders.  Paths as in file.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_DIR_H
#define LUN_OS_DIR_H

#include "os/file.h"

/* A name in a folder, without "." and ".."; return false to stop. */
typedef bool lun_dir_fn(void *data, const char *name, bool is_dir);

lun_err lun_dir_list(const char *path, lun_dir_fn *each, void *data);
lun_err lun_dir_list_under(const lun_native_path *native, const char *path,
    lun_dir_fn *each, void *data);

/* Makes one folder; every missing one; ERR_EXISTS is success for the latter. */
lun_err lun_dir_make(const char *path, unsigned access);
lun_err lun_dir_make_all(const char *path, unsigned access);
lun_err lun_dir_delete(const char *path);

/*
 * A file, or a folder and all that is in it.  Only what is a folder itself, and
 * has something in it, is entered: a link goes, and not what it leads to.
 */
lun_err lun_dir_remove_tree(const char *path);

/* Bytes that are free, for this user, on the disk that the folder is on. */
lun_err lun_dir_free_space(const char *path, uint64_t *bytes);

/* Absolute, with '/', no slash at its end. */
lun_err lun_dir_current(char *path, size_t room);

/* The folder of this executable, the same way. */
lun_err lun_dir_program(char *path, size_t room);

/* The folder where temporary files go, the same way. */
lun_err lun_dir_temp(char *path, size_t room);

/*
 * Paths that match a pattern with * ? [a-z] in any component, in byte order.
 * Calls each(path, is_dir).  No match is not an error.
 */
lun_err lun_dir_glob(const char *pattern, lun_dir_fn *each, void *data);

#endif
