/*
 * crypt32.h -- a function of crypt32.dll, which is loaded when it is asked
 * for.
 *
 * Not before: it may bring USER32 along (Wine's does), and with it each worker
 * would take a piece of its session's desktop heap, which is small for
 * services (windows/deps/openssl.sh).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WINDOWS_CRYPT32_H
#define LUN_WINDOWS_CRYPT32_H

#include "windows/win.h"

#include <wincrypt.h>

/* NULL: the library, or the function, is not there (GetLastError()). */
static inline FARPROC
lun_crypt32_symbol(const char *name)
{
    HMODULE  library = LoadLibraryExW(L"crypt32.dll", NULL,
                                      LOAD_LIBRARY_SEARCH_SYSTEM32);

    return library != NULL ? GetProcAddress(library, name) : NULL;
}


/* A pointer `its` to the function of that name. */
#define LUN_CRYPT32(its, name)                                                \
    __typeof__(&name)  its = (void *) lun_crypt32_symbol(#name)

#endif
