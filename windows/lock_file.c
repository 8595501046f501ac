/*
 * lock_file.c -- a file that says whose something is: it is open, and shared
 * with nobody, and goes when it is closed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/lock_file.h"

#include "windows/win.h"


lun_err
lun_lock_file_take(const char *path, lun_fd *lock)
{
    HANDLE         h;
    lun_err        err;
    lun_wide_path  w;

    err = lun_wide_path_under(&w, NULL, path, 0);

    if (err != 0) {
        return err;
    }

    h = CreateFileW(w.text, GENERIC_READ | GENERIC_WRITE | DELETE, 0, NULL,
                    OPEN_ALWAYS,
                    FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    err = h != INVALID_HANDLE_VALUE ? 0 : (lun_err) GetLastError();
    lun_wide_end(&w);

    if (err == 0) {
        *lock = (lun_fd) h;
    }

    return err;
}


void
lun_lock_file_drop(const char *path, lun_fd lock)
{
    CloseHandle((HANDLE) lock);
}
