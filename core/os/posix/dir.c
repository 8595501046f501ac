/*
 * dir.c -- folders on Linux.  Patterns are core/os/glob.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/pool.h"


/* File systems need not say what an entry is, and a link may be anything. */
static bool
entry_is_dir(DIR *dir, const struct dirent *entry)
{
    struct stat  st;

    if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) {
        return entry->d_type == DT_DIR;
    }

    return fstatat(dirfd(dir), entry->d_name, &st, 0) == 0
           && S_ISDIR(st.st_mode);
}


static bool
is_dots(const char *name)
{
    return name[0] == '.'
           && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}


/* readdir() says by errno alone whether it failed or is done. */
lun_err
lun_dir_list(const char *path, lun_dir_fn *each, void *data)
{
    DIR            *dir;
    lun_err         err;
    struct dirent  *entry;

    dir = opendir(path);
    if (dir == NULL) {
        return errno;
    }

    for ( ;; ) {
        errno = 0;
        entry = readdir(dir);

        if (entry == NULL) {
            err = errno;
            break;
        }

        if (!is_dots(entry->d_name)
            && !each(data, entry->d_name, entry_is_dir(dir, entry)))
        {
            err = 0;
            break;
        }
    }

    (void) closedir(dir);
    return err;
}


lun_err
lun_dir_list_under(const lun_native_path *native, const char *path,
    lun_dir_fn *each, void *data)
{
    return lun_dir_list(path, each, data);
}


lun_err
lun_dir_make(const char *path, unsigned access)
{
    return mkdir(path, (mode_t) access) == -1 ? errno : 0;
}


static lun_err
make_one(const char *path, unsigned access)
{
    lun_err        err;
    lun_file_info  info;

    err = lun_dir_make(path, access);

    /* Also for what is there but not ours to make: EROFS, EACCES. */
    if (err && lun_file_stat(path, &info) == 0) {
        return info.is_dir ? 0 : ENOTDIR;
    }

    return err;
}


lun_err
lun_dir_make_all(const char *path, unsigned access)
{
    char     *copy, *p;
    lun_err   err = make_one(path, access);

    /* Most often it is the last one that is missing. */
    if (err != ENOENT) {
        return err;
    }

    copy = lun_malloc(strlen(path) + 1);
    strcpy(copy, path);
    err = 0;

    for (p = copy; *p && err == 0; p++) {
        if (*p == '/' && p != copy && p[-1] != '/') {
            *p = '\0';
            err = make_one(copy, access);
            *p = '/';
        }
    }

    if (err == 0) {
        err = make_one(copy, access);
    }

    lun_free(copy);
    return err;
}


lun_err
lun_dir_delete(const char *path)
{
    return rmdir(path) == -1 ? errno : 0;
}


lun_err
lun_dir_current(char *path, size_t room)
{
    if (getcwd(path, room) == NULL) {
        return errno;
    }

    if (strcmp(path, "/") == 0) {
        path[0] = '\0';
    }

    return 0;
}


lun_err
lun_dir_free_space(const char *path, uint64_t *bytes)
{
    struct statvfs  st;

    if (statvfs(path, &st) == -1) {
        return errno;
    }

    *bytes = (uint64_t) st.f_bavail * st.f_frsize;
    return 0;
}


lun_err
lun_dir_temp(char *path, size_t room)
{
    size_t       len;
    const char  *dir = getenv("TMPDIR");

    if (dir == NULL || dir[0] != '/') {
        dir = "/tmp";
    }

    for (len = strlen(dir); len > 1 && dir[len - 1] == '/'; len--) {
        /* the slash at its end */
    }

    if (len >= room) {
        return ENAMETOOLONG;
    }

    memcpy(path, dir, len);
    path[len] = '\0';
    return 0;
}
