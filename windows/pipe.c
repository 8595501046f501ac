/*
 * pipe.c -- pipes to programs.
 *
 * Anonymous pipes know no completion port, so each is a named one with a name
 * that nobody else can have: ours is its only instance, and taken at once.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/proc_priv.h"

#include <stdio.h>

#include "os/random.h"


enum { PIPE_SIZE = 64 * 1024 };


/*
 * Anonymous pipes can't be overlapped: one with a name that nobody can guess,
 * of one instance.
 */
lun_err
lun_proc_pipe(lun_fd *ours, lun_fd *theirs, bool we_read)
{
    HANDLE    h;
    DWORD     mode;
    wchar_t   name[96];
    uint64_t  salt[2];

    lun_random_bytes(salt, sizeof(salt));
    _snwprintf(name, 96, L"\\\\.\\pipe\\" LUN_PRODUCT "-%lu-%I64x%I64x",
               GetCurrentProcessId(), salt[0], salt[1]);

    mode = we_read ? PIPE_ACCESS_INBOUND : PIPE_ACCESS_OUTBOUND;
    h = CreateNamedPipeW(name, mode | FILE_FLAG_OVERLAPPED
                               | FILE_FLAG_FIRST_PIPE_INSTANCE,
                         PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1,
                         PIPE_SIZE, PIPE_SIZE, 0, NULL);

    if (h == INVALID_HANDLE_VALUE) {
        return (lun_err) GetLastError();
    }

    *ours = (lun_fd) h;
    h = CreateFileW(name, we_read ? GENERIC_WRITE : GENERIC_READ, 0, NULL,
                    OPEN_EXISTING, 0, NULL);

    if (h == INVALID_HANDLE_VALUE) {
        return (lun_err) GetLastError();
    }

    *theirs = (lun_fd) h;
    return 0;
}
