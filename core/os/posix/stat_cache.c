/*
 * stat_cache.c -- files far down, without the walk to them.
 *
 * The kernel looks up every folder of a path anew: 55 of them take four times
 * as long as one.  So a folder that is asked for often is kept open, and its
 * files are asked for from there.  That is right only as long as the folder's
 * path still leads to it, and what could change that is watched:
 *
 *     a folder on the way is renamed, or its rights change     inotify
 *     a link on the way is replaced, renamed, removed          inotify
 *     something is mounted, or no longer                       mountinfo
 *     the folder itself is removed                             it is empty:
 *                                                              not found here
 *
 * The kernel files each of these before the call that does it returns, so one
 * poll() of both, before each answer, leaves no moment for an old one.  After
 * any event all is forgotten, and learnt again from the disk.
 *
 * Only file systems whose changes all pass through this kernel can promise
 * that; on others (NFS, FUSE, ...), without rights to watch, without /proc,
 * or when watches run out, every path is walked as ever.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/stat_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/str.h"
#include "os/posix/file_priv.h"


enum {
    FOLDERS = 64,                  /* a power of two */
    FAR     = 96,                  /* bytes of a path worth keeping */
    STAT_CACHE   = 64,             /* walks before one is kept */
    SELDOM  = 1 << 20,             /* ... after so many failures */
    LINKS   = 16,
    WATCHES = 4096
};

enum { EVENTS = IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB | IN_DONT_FOLLOW };

typedef struct {
    char      *path;               /* NULL: an empty place */
    size_t     len;
    int        fd;                 /* -1: not kept open (yet) */
    unsigned   walks;              /* since it was last tried */
    unsigned   limit;              /* walks until the next try */
    unsigned   credit;             /* asked for so much more than others */
} folder;

static folder   folders[FOLDERS];
static size_t   count, watches;
static int      events = -1, mounts = -1;
static uint64_t moment = 1;
static bool     held;

/* Magic numbers of statfs(2): ext, xfs, btrfs, tmpfs, f2fs, zfs. */
static const uint32_t  local[] = {
    0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x2fc12fc1
};


/* --- watching ------------------------------------------------------------ */

static bool
open_watch(void)
{
    if (events != -1) {
        return true;
    }

    mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    if (mounts == -1) {
        return false;
    }

    events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (events == -1) {
        (void) close(mounts);
        return false;
    }

    return true;
}


/* Nothing has happened to any way that is watched. */
static bool
quiet(void)
{
    struct pollfd  at[] = {
        { .fd = events, .events = POLLIN },
        { .fd = mounts, .events = POLLPRI }
    };

    return poll(at, LUN_ARRAY_LEN(at), 0) == 0;
}


static bool
is_local(const char *path)
{
    size_t         i;
    struct statfs  fs;

    if (statfs(path, &fs) == -1) {
        return false;
    }

    for (i = 0; i < LUN_ARRAY_LEN(local); i++) {
        if (local[i] == (uint32_t) fs.f_type) {
            return true;
        }
    }

    return false;
}


typedef enum { WAY_FOLDER, WAY_LINK, WAY_UNKNOWN } way_kind;

/* First watched, then looked at: what changes in between is an event. */
static way_kind
watch(const char *path)
{
    struct stat  st;

    if (watches == WATCHES
        || inotify_add_watch(events, path, EVENTS) == -1
        || lstat(path, &st) == -1)
    {
        return WAY_UNKNOWN;
    }

    watches++;

    if (S_ISLNK(st.st_mode)) {
        return WAY_LINK;
    }

    return S_ISDIR(st.st_mode) && is_local(path) ? WAY_FOLDER : WAY_UNKNOWN;
}


/*
 * `way` ends with a link that begins at `at`: it becomes what that points to,
 * and `rest` behind.
 */
static bool
follow(char way[PATH_MAX], size_t at, const char *rest)
{
    int      n;
    char     target[PATH_MAX], made[2 * PATH_MAX];
    ssize_t  len;

    len = readlink(way, target, sizeof(target) - 1);

    if (len <= 0) {
        return false;
    }

    target[len] = '\0';
    n = snprintf(made, sizeof(made), "%.*s%s%s",
                 target[0] == '/' ? 0 : (int) at, way, target, rest);

    if (n < 0 || n >= PATH_MAX) {
        return false;
    }

    memcpy(way, made, (size_t) n + 1);
    return true;
}


static bool
is_dots(const char *name)
{
    return name[0] == '.'
           && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}


/* Watches every folder and link on the way to a folder. */
static bool
watch_way(const char *path)
{
    int   links = 0;
    char  way[PATH_MAX], rest[PATH_MAX], *name, *end;

    if (strlen(path) >= PATH_MAX || watch("/") != WAY_FOLDER) {
        return false;
    }

    strcpy(way, path);

    for (name = way + 1; *name != '\0'; ) {
        end = strchrnul(name, '/');
        strcpy(rest, end);
        *end = '\0';

        if (is_dots(name)) {
            return false;
        }

        switch (end == name ? WAY_FOLDER : watch(way)) {

        case WAY_UNKNOWN:
            return false;

        case WAY_FOLDER:
            strcpy(end, rest);
            name = *end == '/' ? end + 1 : end;
            break;

        case WAY_LINK:
            if (links++ == LINKS
                || !follow(way, (size_t) (name - way), rest))
            {
                return false;
            }

            name = way + 1;
        }
    }

    return true;
}


/* --- folders ------------------------------------------------------------- */

static void
let_go(folder *f)
{
    if (f->fd != -1) {
        (void) close(f->fd);
        f->fd = -1;
        count--;
    }

    f->walks = 0;
}


void
lun_stat_cache_clear(void)
{
    size_t  i;

    for (i = 0; i < FOLDERS; i++) {
        if (folders[i].path != NULL) {
            let_go(&folders[i]);
        }
    }

    if (events != -1) {
        (void) close(events);          /* and with it all watches */
        (void) close(mounts);
        events = -1;
        mounts = -1;
        watches = 0;
    }
}


/* Every answer is the kernel's of just now, unless a moment is held. */
void
lun_stat_cache_invalidate(void)
{
    moment++;
}


void
lun_stat_cache_hold(bool on)
{
    held = on;
    moment++;
}


uint64_t
lun_stat_cache_moment(void)
{
    return held ? moment : 0;
}


size_t
lun_stat_cache_count(void)
{
    return count;
}


/* Its place is taken only from one that is asked for less. */
static folder *
place(const char *path, size_t len)
{
    folder  *f = &folders[lun_str_hash(lun_str_of(path, len)) % FOLDERS];

    if (f->path != NULL && f->len == len && memcmp(f->path, path, len) == 0) {
        f->credit += f->credit < STAT_CACHE;
        return f;
    }

    if (f->credit != 0) {
        f->credit--;
        return NULL;
    }

    if (f->path != NULL) {
        let_go(f);
        lun_free(f->path);
    }

    *f = (folder) { .path = lun_malloc(len + 1), .len = len, .fd = -1,
                    .limit = STAT_CACHE };
    memcpy(f->path, path, len);
    f->path[len] = '\0';
    return f;
}


static int
open_watched(const char *path)
{
    int  fd;

    /* What has happened so far concerns the others. */
    if (events != -1 && !quiet()) {
        lun_stat_cache_clear();
    }

    if (!open_watch() || !watch_way(path)) {
        return -1;
    }

    fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    /* Something happened while we looked: it may be anything. */
    if (fd != -1 && !quiet()) {
        (void) close(fd);
        lun_stat_cache_clear();
        return -1;
    }

    return fd;
}


static void
learn(folder *f)
{
    f->walks = 0;
    f->fd = open_watched(f->path);

    if (f->fd != -1) {
        f->limit = STAT_CACHE;
        count++;

    } else if (f->limit < SELDOM) {
        f->limit *= 4;
    }
}


lun_err
lun_stat_cache_get(const lun_native_path *native, const char *path,
    lun_file_info *info)
{
    folder       *f;
    const char   *slash = strrchr(path, '/');
    struct stat   st;

    f = slash != NULL && path[0] == '/' && slash - path >= FAR
        ? place(path, (size_t) (slash - path)) : NULL;

    if (f == NULL) {
        return lun_file_stat(path, info);
    }

    if (f->fd == -1) {
        if (++f->walks == f->limit) {
            learn(f);
        }

    } else if (!quiet()) {
        lun_stat_cache_clear();

    } else if (fstatat(f->fd, slash + 1, &st, 0) == 0) {
        lun_file_fill_info(&st, info);
        return 0;

    } else {
        let_go(f);                     /* perhaps it was removed */
    }

    return lun_file_stat(path, info);
}
