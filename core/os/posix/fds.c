/*
 * fds.c -- descriptors, as /proc lists them.
 *
 * A number that was closed may have been given out again: what is behind it
 * belongs to its identity.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/fds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"


#define FOLDER  "/proc/self/fd"

enum { FIRST_ROOM = 64, WHAT_SIZE = 256 };

typedef struct {
    int    fd;
    dev_t  device;
    ino_t  inode;
} entry;

struct lun_fds {
    size_t   count;
    size_t   room;
    entry   *entries;
};


static void
add(lun_fds *fds, int fd)
{
    struct stat  st;

    if (fstat(fd, &st) == -1) {
        return;
    }

    if (fds->count == fds->room) {
        fds->room = lun_max(fds->room * 2, (size_t) FIRST_ROOM);
        fds->entries = lun_realloc(fds->entries, fds->room * sizeof(entry));
    }

    fds->entries[fds->count++] = (entry) {
        .fd = fd, .device = st.st_dev, .inode = st.st_ino
    };
}


lun_fds *
lun_fds_list(void)
{
    int             fd;
    DIR            *dir = opendir(FOLDER);
    lun_fds        *fds;
    struct dirent  *found;

    if (dir == NULL) {
        return NULL;
    }

    fds = lun_calloc(sizeof(lun_fds));

    while ((found = readdir(dir)) != NULL) {
        fd = atoi(found->d_name);  /* "." and ".." are 0 */

        if (fd > STDERR_FILENO && fd != dirfd(dir)) {
            add(fds, fd);
        }
    }

    closedir(dir);
    return fds;
}


void
lun_fds_free(lun_fds *fds)
{
    if (fds != NULL) {
        lun_free(fds->entries);
        lun_free(fds);
    }
}


static bool
has(const lun_fds *fds, const entry *e)
{
    size_t  i;

    for (i = 0; i < fds->count; i++) {
        if (fds->entries[i].fd == e->fd && fds->entries[i].inode == e->inode
            && fds->entries[i].device == e->device)
        {
            return true;
        }
    }

    return false;
}


void
lun_fds_since(const lun_fds *before, lun_fds_fn *each, void *data)
{
    char      what[WHAT_SIZE], name[sizeof(FOLDER) + 16];
    size_t    i;
    ssize_t   n;
    lun_fds  *now = lun_fds_list();

    for (i = 0; now != NULL && i < now->count; i++) {
        if (has(before, &now->entries[i])) {
            continue;
        }

        snprintf(name, sizeof(name), FOLDER "/%d", now->entries[i].fd);
        n = readlink(name, what, sizeof(what) - 1);
        what[lun_max(n, 0)] = '\0';
        each(data, now->entries[i].fd, what);
    }

    lun_fds_free(now);
}
