/*
 * script.h -- "text with $variables and $1", compiled once, run per request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SCRIPT_H
#define LUN_SCRIPT_H

#include "session/variables.h"

typedef struct lun_script  lun_script;

/*
 * Compiles text that may hold $name, ${name}, $1 ... $9.  NULL: reported
 * ("invalid variable name", "the closing bracket in ...").
 */
lun_script *lun_script_new(lun_conf *cf, lun_str text);

/* The source. */
lun_str lun_script_text(const lun_script *script);

/* The value; constant text is returned as it is, other in s->pool. */
lun_str lun_script_run(lun_session *s, const lun_script *script);

/* The same as _run, with $1 ... $9 escaped for a query string. */
lun_str lun_script_run_escaped(lun_session *s, const lun_script *script);

/* Whether text has a variable in it at all. */
bool lun_script_has_variables(lun_str text);

/* Setters; the field is a lun_script *.  The second's is a size, "10k". */
lun_set_fn  lun_set_script;
lun_set_fn  lun_set_size_script;

/* A directive's own "if"-like truth: not empty and not "0". */
static inline bool
lun_script_true(lun_str s)
{
    return s.len > 1 || (s.len == 1 && s.data[0] != '0');
}

/*
 * In a setter: conditions, one of each argument, as an array of lun_script *;
 * NULL: reported.  The second is a setter, whose field is such an array, and
 * adds to it.  And whether any of them is true, or all: of NULL none is, and
 * none is false.
 */
lun_array *lun_scripts_new(lun_conf *cf);
lun_set_fn  lun_set_scripts;
bool lun_scripts_any(lun_session *s, const lun_array *scripts);
bool lun_scripts_all(lun_session *s, const lun_array *scripts);

#endif
