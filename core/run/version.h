/*
 * version.h -- -v and -V.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_VERSION_H
#define LUN_RUN_VERSION_H

#include "base/str.h"

/* Whether a module of that name is built in. */
typedef bool lun_has_module_fn(const char *name);

void lun_version_say(void);

/* And with what it was built (resty -v). */
void lun_version_say_tools(void);

/* " --with-http_ssl_module --without-...", of static memory. */
lun_str lun_version_arguments(lun_has_module_fn *has);
/* As programs read it: "configure arguments: --with-http_..." */
void lun_version_say_build(lun_has_module_fn *has);

#endif
