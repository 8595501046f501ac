/*
 * version.h -- -v, -V and -h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_VERSION_H
#define LUN_RUN_VERSION_H

#include <stdbool.h>

/* Whether a module of that name is built in. */
typedef bool lun_has_module_fn(const char *name);

void lun_version_say(void);
/* As programs read it: "configure arguments: --with-http_..." */
void lun_version_say_build(lun_has_module_fn *has);
void lun_version_say_help(void);

#endif
