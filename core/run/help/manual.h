/*
 * manual.h -- the pages of the manual that tables write: conf/manual.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_MANUAL_H
#define LUN_RUN_MANUAL_H

#include "config/nearest.h"
#include "run/help/help.h"

/* Every directive by module, as a page in Markdown. */
void lun_manual_directives(lun_pool *pool, const lun_schema *s,
    lun_help_line_fn *say, void *data);

/*
 * Every variable, by where there is one of that name; with a `name`, without
 * its '$', only what is said of that, if there is one.  False: nothing was
 * said, or no configuration could be read (which was logged).
 */
bool lun_manual_variables(lun_pool *pool, lun_str name, lun_help_line_fn *say,
    void *data);

/*
 * Every function of the Lua API; with a `name`, what is said of that function,
 * module or topic; as above.
 */
bool lun_manual_api(const char *name, lun_help_line_fn *say, void *data);

/* What people look for, in their words, as a page. */
bool lun_manual_topics(lun_help_line_fn *say, void *data);

/* Tries the names of these; they last until the pool ends. */
void lun_manual_variables_nearest(lun_pool *pool, lun_nearest *near);
void lun_manual_api_nearest(lun_pool *pool, lun_nearest *near);

#endif
