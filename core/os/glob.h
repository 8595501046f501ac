/*
 * glob.h -- names against patterns.  Pure; lun_dir_glob (dir.h) walks.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_GLOB_H
#define LUN_OS_GLOB_H

#include "base/str.h"

/*
 * Whether a name, without slashes, fits: `*` any bytes, `?` one character,
 * [a-z], [!a-z] or [^a-z] one byte of (not of) a set; a backslash makes the
 * next byte plain.  A dot at the start of the name must be written out.  A
 * '[' that is never closed is itself.
 */
bool lun_glob_match(lun_str pattern, lun_str name, bool caseless);

/* Whether it has any of * ? [ at all. */
bool lun_glob_is_pattern(lun_str text);

#endif
