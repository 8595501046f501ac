/*
 * cookie.h -- a client's Cookie field.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_COOKIE_H
#define LUN_FORMAT_COOKIE_H

#include "base/str.h"

/*
 * The value of the first cookie of that name in "a=b; c=d", a view; spaces
 * around the sign are not a part of it.  Names ignore case, as nginx's do.
 * False: there is none.
 */
bool lun_cookie_find(lun_str text, lun_str name, lun_str *value);

#endif
