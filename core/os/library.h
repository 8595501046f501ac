/*
 * library.h -- libraries that are there or not: what is optional is looked for
 * when it is asked for, and nothing else of the program needs it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_LIBRARY_H
#define LUN_OS_LIBRARY_H

#include "os/err.h"

typedef struct lun_library  lun_library;

/*
 * By the name of its file, where the system looks for libraries (Windows: in
 * the program's folder and the system's).  It is never closed.  NULL: *err.
 */
lun_library *lun_library_open(const char *name, lun_err *err);

/* NULL: it has none of that name. */
void *lun_library_symbol(lun_library *library, const char *name);

#endif
