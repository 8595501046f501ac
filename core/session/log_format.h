/*
 * log_format.h -- the line of a log: text and variables, escaped.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_FORMAT_H
#define LUN_LOG_FORMAT_H

#include "session/variables.h"

typedef enum {
    LUN_LOG_ESCAPE_DEFAULT,        /* \xXX; "-" for what is not there */
    LUN_LOG_ESCAPE_JSON,           /* as in a JSON string */
    LUN_LOG_ESCAPE_NONE,
    LUN_LOG_ESCAPE_ASCII           /* as _DEFAULT, of ASCII alone */
} lun_log_escape;

typedef struct {
    lun_str         name;
    lun_array       pieces;        /* log_format.c's */
    lun_log_escape  escape;
} lun_log_format;

lun_log_format *lun_log_format_new(lun_conf *cf, lun_str name);

/* More text behind what it has: $name, ${name}. */
lun_rc lun_log_format_add(lun_conf *cf, lun_log_format *f, lun_str text);

/*
 * The line, in s->pool, with its line feed.  Not `foreign`: _DEFAULT leaves
 * bytes beyond ASCII as they are.
 */
lun_str lun_log_format_line(lun_session *s, const lun_log_format *f,
    bool foreign);

#endif
