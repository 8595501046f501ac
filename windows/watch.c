/*
 * watch.c -- changes in folders: ReadDirectoryChangesW, whose answers come
 * through the port.
 *
 * A folder that is not watched any more lives until its last packet has come:
 * the kernel writes into its buffer until then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/watch.h"

#include "windows/win.h"

#include <stdlib.h>

#include "base/pool.h"


enum {
    ROOM = 8 * 1024,               /* for one answer; 64k at most over a net */
    SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
    CHANGES = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_SIZE
              | FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_CREATION
};

typedef struct folder  folder;
struct folder {
    OVERLAPPED   ov;               /* what a packet points to */
    HANDLE       handle;
    lun_watch   *watch;            /* NULL: to be freed with its packet */
    folder      *next;
    char        *name;
    DWORD        buffer[ROOM / sizeof(DWORD)];
};

struct lun_watch {
    lun_port      *port;
    lun_watch_fn  *changed;
    void          *data;
    folder        *folders;
};


lun_watch *
lun_watch_new(lun_port *port, lun_watch_fn *changed, void *data, lun_err *err)
{
    lun_watch  *w = lun_calloc(sizeof(lun_watch));

    w->port = port;
    w->changed = changed;
    w->data = data;
    return w;
}


static void
free_folder(folder *f)
{
    if (f->handle != INVALID_HANDLE_VALUE) {
        CloseHandle(f->handle);
    }

    free(f->name);
    lun_free(f);
}


/* It is gone, or cannot be watched: out of the list. */
static void
forget(folder *f)
{
    folder  **at;

    for (at = &f->watch->folders; *at != f; at = &(*at)->next) {
    }

    *at = f->next;
    free_folder(f);
}


static lun_err
ask(folder *f)
{
    memset(&f->ov, 0, sizeof(f->ov));
    return ReadDirectoryChangesW(f->handle, f->buffer, ROOM, FALSE, CHANGES,
                                 NULL, &f->ov, NULL)
           ? 0 : (lun_err) GetLastError();
}


/* Entries are chained by their distance; the last has none. */
static void
send_all(folder *f)
{
    char                           name[3 * 256];
    size_t                         units;
    const char                    *p = (const char *) f->buffer;
    lun_watch                     *w = f->watch;
    const FILE_NOTIFY_INFORMATION  *e;

    do {
        e = (const void *) p;
        units = lun_min(e->FileNameLength / sizeof(wchar_t), (size_t) 256);
        w->changed(w->data, lun_str_z(f->name),
                   lun_str_of(name, lun_wide_to(name, e->FileName, units)));
        p += e->NextEntryOffset;
    } while (e->NextEntryOffset != 0);
}


static void
on_packet(lun_port *port, void *what, uint32_t bytes)
{
    folder     *f = lun_container_of(what, folder, ov);
    lun_watch  *w = f->watch;

    if (w == NULL) {
        free_folder(f);
        return;
    }

    if (f->ov.Internal == 0 && bytes != 0) {
        send_all(f);

    } else {
        /* More than the buffer could hold, or the folder has gone. */
        w->changed(w->data, LUN_STR(""), LUN_STR(""));
    }

    if (f->ov.Internal != 0 || ask(f) != 0) {
        forget(f);
    }
}


static lun_err
open_folder(folder *f, lun_port *port)
{
    lun_err        err;
    lun_wide_path  w;

    err = lun_wide_path_under(&w, NULL, f->name, 0);

    if (err) {
        return err;
    }

    f->handle = CreateFileW(w.text, FILE_LIST_DIRECTORY, SHARE_ALL, NULL,
                            OPEN_EXISTING,
                            FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED,
                            NULL);
    err = f->handle != INVALID_HANDLE_VALUE ? 0 : (lun_err) GetLastError();
    lun_wide_end(&w);

    if (err == 0) {
        err = lun_port_bind(port, f->handle, on_packet);
    }

    return err != 0 ? err : ask(f);
}


lun_err
lun_watch_folder(lun_watch *w, const char *name)
{
    folder   *f;
    lun_err   err;

    for (f = w->folders; f != NULL; f = f->next) {
        if (strcmp(f->name, name) == 0) {
            return 0;
        }
    }

    f = lun_calloc(sizeof(folder));
    f->handle = INVALID_HANDLE_VALUE;
    f->watch = w;
    f->name = _strdup(name);
    err = f->name != NULL ? open_folder(f, w->port) : ERROR_NOT_ENOUGH_MEMORY;

    if (err) {
        free_folder(f);
        return err;
    }

    f->next = w->folders;
    w->folders = f;
    return 0;
}


void
lun_watch_free(lun_watch *w)
{
    folder  *f;

    while ((f = w->folders) != NULL) {
        w->folders = f->next;
        f->watch = NULL;
        CloseHandle(f->handle);
        f->handle = INVALID_HANDLE_VALUE;
    }

    lun_free(w);
}
