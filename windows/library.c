/*
 * library.c -- LoadLibraryEx(), in folders that nobody else writes to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/library.h"

#include "windows/win.h"


lun_library *
lun_library_open(const char *name, lun_err *err)
{
    HMODULE  library;

    library = LoadLibraryExA(name, NULL, LOAD_LIBRARY_SEARCH_APPLICATION_DIR
                                         | LOAD_LIBRARY_SEARCH_SYSTEM32);
    *err = library == NULL ? (lun_err) GetLastError() : 0;
    return (lun_library *) library;
}


void *
lun_library_symbol(lun_library *library, const char *name)
{
    return (void *) (uintptr_t) GetProcAddress((HMODULE) library, name);
}
