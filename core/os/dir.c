/*
 * dir.c -- folders, where both systems do the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dir.h"

#include <string.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/proc.h"


lun_err
lun_dir_program(char *path, size_t room)
{
    char     *slash;
    lun_err   err = lun_proc_program(path, room);

    slash = err == 0 ? strrchr(path, '/') : NULL;

    if (slash) {
        *slash = '\0';
    }

    return err;
}


static bool
remove_entry(void *data, const char *name, bool is_dir)
{
    char        *path;
    size_t       size;
    const char  *folder = data;

    size = strlen(folder) + strlen(name) + 2;
    path = lun_malloc(size);
    *lun_fmt(path, path + size - 1, "%s/%s", folder, name) = '\0';
    (void) lun_dir_remove_tree(path);
    lun_free(path);

    return true;
}


lun_err
lun_dir_remove_tree(const char *path)
{
    lun_err  err;

    if (lun_file_delete(path) == 0) {
        return 0;
    }

    err = lun_dir_delete(path);

    if (lun_err_kind_of(err) == LUN_ERR_EXISTS) {
        (void) lun_dir_list(path, remove_entry, (void *) (uintptr_t) path);
        err = lun_dir_delete(path);
    }

    return err;
}
