/*
 * script_path.h -- the path of a file that is made from variables.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SCRIPT_PATH_H
#define LUN_SCRIPT_PATH_H

#include "os/safe_open.h"
#include "session/script.h"
#include "session/session.h"

/*
 * Relative to the prefix, in s->pool.  What its text begins with before its
 * first variable is taken as configured: c->from is where the rest begins.
 * Links are followed.  LUN_ERROR: what its variables have given leads, by "..",
 * out of that beginning; logged.
 */
lun_rc lun_script_path(lun_session *s, const lun_script *script,
    lun_safe_path *c);

/* What came from a client must name a file and nothing else; ERROR: logged. */
lun_rc lun_script_path_check(lun_session *s, lun_str path, size_t from);

#endif
