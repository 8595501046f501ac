/*
 * watch.c -- changes in folders: inotify.
 *
 * Its descriptor is one more thing in the port's epoll set, level-triggered.
 * Folders are known by the number that the kernel gave each: the same folder
 * under another name has the same number, and keeps its first name.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/watch.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/pool.h"
#include "os/posix/port_priv.h"


enum {
    CHANGES = IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE
              | IN_MOVED_FROM | IN_MOVED_TO
};

typedef struct folder  folder;
struct folder {
    folder  *next;
    int      number;
    size_t   len;
    char     name[];
};

struct lun_watch {
    int            fd;
    lun_port      *port;
    lun_watch_fn  *changed;
    void          *data;
    folder        *folders;
};


lun_watch *
lun_watch_new(lun_port *port, lun_watch_fn *changed, void *data, lun_err *err)
{
    lun_watch           *w = lun_calloc(sizeof(lun_watch));
    struct epoll_event   ev = { .events = EPOLLIN };

    w->port = port;
    w->changed = changed;
    w->data = data;
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    if (w->fd == -1) {
        *err = errno;
        lun_free(w);
        return NULL;
    }

    ev.data.u64 = (uint64_t) (uintptr_t) w | LUN_OF_WATCH;

    if (epoll_ctl(port->fd, EPOLL_CTL_ADD, w->fd, &ev) == -1) {
        *err = errno;
        close(w->fd);
        lun_free(w);
        return NULL;
    }

    return w;
}


static folder *
find(lun_watch *w, int number)
{
    folder  *f;

    for (f = w->folders; f != NULL && f->number != number; f = f->next) {
    }

    return f;
}


/* The system has one number for a folder, however often it is named. */
lun_err
lun_watch_folder(lun_watch *w, const char *name)
{
    int      number;
    size_t   len = strlen(name);
    folder  *f;

    number = inotify_add_watch(w->fd, name, CHANGES | IN_ONLYDIR);

    if (number == -1) {
        return errno;
    }

    if (find(w, number) != NULL) {
        return 0;
    }

    f = lun_malloc(sizeof(folder) + len + 1);
    f->number = number;
    f->len = len;
    memcpy(f->name, name, len + 1);
    f->next = w->folders;
    w->folders = f;
    return 0;
}


/* The folder is gone: its number may be another's soon. */
static void
forget(lun_watch *w, int number)
{
    folder  *f, **at;

    for (at = &w->folders; (f = *at) != NULL; at = &f->next) {
        if (f->number == number) {
            *at = f->next;
            lun_free(f);
            return;
        }
    }
}


static void
tell(lun_watch *w, const struct inotify_event *e)
{
    folder  *f = find(w, e->wd);

    if ((e->mask & IN_Q_OVERFLOW) != 0) {
        w->changed(w->data, LUN_STR(""), LUN_STR(""));

    } else if ((e->mask & IN_IGNORED) != 0) {
        forget(w, e->wd);

    } else if (f != NULL && e->len > 0) {
        w->changed(w->data, lun_str_of(f->name, f->len), lun_str_z(e->name));
    }
}


/* One read per wake-up: the rest comes with the next. */
void
lun_watch_event(lun_watch *w)
{
    char     *p, buf[4096] __attribute__((aligned(8)));
    ssize_t   n;

    n = read(w->fd, buf, sizeof(buf));

    for (p = buf; n > 0 && p < buf + n; ) {
        const struct inotify_event  *e = (const void *) p;

        p += sizeof(*e) + e->len;
        tell(w, e);
    }
}


void
lun_watch_free(lun_watch *w)
{
    folder  *f;

    lun_port_strike(w->port, w, (uint64_t) (uintptr_t) w | LUN_OF_WATCH);

    /* A program that was just started may have it open for a moment more. */
    (void) epoll_ctl(w->port->fd, EPOLL_CTL_DEL, w->fd, NULL);
    close(w->fd);

    while ((f = w->folders) != NULL) {
        w->folders = f->next;
        lun_free(f);
    }

    lun_free(w);
}
