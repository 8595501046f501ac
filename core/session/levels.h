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
    LUN_HTTP_LEVELS  = LUN_HTTP | LUN_SERVER | LUN_LOCATION,

    LUN_STREAM          = 0x0200,
    LUN_STREAM_SERVER   = 0x0400,
    LUN_STREAM_UPSTREAM = 0x0800,
    LUN_STREAM_LEVELS   = LUN_STREAM | LUN_STREAM_SERVER,

    LUN_ACME_ISSUER     = 0x1000,  /* in http */
    LUN_STORE           = 0x2000,  /* in main, http and stream */
    LUN_OTEL_EXPORTER   = 0x4000,  /* in http */

    /* For directives of modules that stand in both. */
    LUN_ANY_PROTOCOL    = LUN_HTTP | LUN_STREAM,
    LUN_ANY_SERVER      = LUN_SERVER | LUN_STREAM_SERVER,
    LUN_ANY_UPSTREAM    = LUN_UPSTREAM | LUN_STREAM_UPSTREAM,
    LUN_ANY_LEVELS      = LUN_HTTP_LEVELS | LUN_STREAM_LEVELS
};

#endif
