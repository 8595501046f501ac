/*
 * library.c -- dlopen().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/library.h"

#include <dlfcn.h>
#include <errno.h>


lun_library *
lun_library_open(const char *name, lun_err *err)
{
    void  *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    /* Its own words come without a number; it is not there. */
    *err = library == NULL ? ENOENT : 0;
    return library;
}


void *
lun_library_symbol(lun_library *library, const char *name)
{
    return dlsym(library, name);
}
