/*
 * fds.c -- handles.  No call lists those of a process, but they are small
 * multiples of four, and it is known how many there are.  Wine says 0: there
 * the lowest free number is always the next one, so that gaps are small.
 *
 * Events, threads and keys come and go as the system's libraries like, and
 * so do devices that these open: only sockets, pipes and files on a disk are
 * ours for sure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/fds.h"

#include "windows/win.h"

#include <stdio.h>

#include "base/pool.h"


enum { STEP = 4, HIGHEST = 1 << 20, GAP = 1024, FIRST_ROOM = 128 };

struct lun_fds {
    size_t      count;
    size_t      room;
    uintptr_t  *handles;           /* in ascending order */
};


static void
add(lun_fds *fds, uintptr_t h)
{
    if (fds->count == fds->room) {
        fds->room = lun_max(fds->room * 2, (size_t) FIRST_ROOM);
        fds->handles = lun_realloc(fds->handles,
                                   fds->room * sizeof(uintptr_t));
    }

    fds->handles[fds->count++] = h;
}


lun_fds *
lun_fds_list(void)
{
    DWORD       all, flags;
    size_t      gap = 0;
    lun_fds    *fds;
    uintptr_t   h;

    if (!GetProcessHandleCount(GetCurrentProcess(), &all)) {
        return NULL;
    }

    fds = lun_calloc(sizeof(lun_fds));

    for (h = STEP; h < HIGHEST; h += STEP) {
        if (GetHandleInformation((HANDLE) h, &flags)) {
            add(fds, h);
            gap = 0;
        } else {
            gap++;
        }

        if (all != 0 ? fds->count == all : gap == GAP) {
            break;
        }
    }

    return fds;
}


void
lun_fds_free(lun_fds *fds)
{
    if (fds != NULL) {
        lun_free(fds->handles);
        lun_free(fds);
    }
}


static bool
has(const lun_fds *fds, uintptr_t h)
{
    size_t  low = 0, high = fds->count, mid;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (fds->handles[mid] == h) {
            return true;
        }

        if (fds->handles[mid] < h) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }

    return false;
}


static bool
is_file_object(HANDLE h)
{
    union {
        PUBLIC_OBJECT_TYPE_INFORMATION  type;
        char                            room[1024];
    } u;

    ULONG  n;

    return NtQueryObject(h, ObjectTypeInformation, &u, sizeof(u), &n) >= 0
           && u.type.TypeName.Length == 4 * sizeof(wchar_t)
           && wcsncmp(u.type.TypeName.Buffer, L"File", 4) == 0;
}


/* Names a file object, "" if it is none of ours. */
static void
describe(HANDLE h, char *what, size_t size)
{
    int      type, len = sizeof(type);
    DWORD    n, flags;
    wchar_t  path[256];

    what[0] = '\0';

    if (getsockopt((SOCKET) h, SOL_SOCKET, SO_TYPE, (char *) &type, &len)
        == 0)
    {
        snprintf(what, size, "socket");

    } else if (GetNamedPipeInfo(h, &flags, NULL, NULL, NULL)) {
        snprintf(what, size, "pipe");

    } else if (GetFileType(h) == FILE_TYPE_DISK) {
        n = GetFinalPathNameByHandleW(h, path, LUN_ARRAY_LEN(path), 0);
        n = n < LUN_ARRAY_LEN(path) ? n : 0;
        snprintf(what, size, "file");

        if (n != 0 && 3 * n < size) {
            what[lun_wide_to(what, path, n)] = '\0';
        }
    }
}


void
lun_fds_since(const lun_fds *before, lun_fds_fn *each, void *data)
{
    char      what[1024];
    size_t    i;
    HANDLE    h;
    lun_fds  *now = lun_fds_list();

    for (i = 0; now != NULL && i < now->count; i++) {
        h = (HANDLE) now->handles[i];

        if (has(before, now->handles[i]) || !is_file_object(h)) {
            continue;
        }

        describe(h, what, sizeof(what));

        if (what[0] != '\0') {
            each(data, (lun_fd) h, what);
        }
    }

    lun_fds_free(now);
}
