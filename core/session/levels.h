/*
 * levels.h -- the blocks of the language in which a directive may stand, of
 * all protocols: a module that makes sense in several has one table for all.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LEVELS_H
#define LUN_LEVELS_H

#include "config/conf.h"

/* Beside LUN_MAIN = 0x0001. */
enum {
    LUN_EVENTS       = 0x0002,
    LUN_HTTP         = 0x0004,
    LUN_SERVER       = 0x0008,
    LUN_LOCATION     = 0x0010,
    LUN_SERVER_IF    = 0x0020,     /* "if" in a server */
    LUN_LOCATION_IF  = 0x0040,     /* "if" in a location */
    LUN_LIMIT_EXCEPT = 0x0080,
    LUN_UPSTREAM     = 0x0100,
    LUN_HTTP_LEVELS  = LUN_HTTP | LUN_SERVER | LUN_LOCATION
};

#endif
