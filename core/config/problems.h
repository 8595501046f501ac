/*
 * problems.h -- what is wrong with a configuration, all of it: a reader that
 * goes on behind a refused statement (cf->read_on) counts here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PROBLEMS_H
#define LUN_PROBLEMS_H

#include "config/conf.h"
#include "config/nearest.h"

typedef struct lun_problems  lun_problems;

/* A statement was refused, and reported by who did so. */
void lun_problems_add(lun_conf *cf);
size_t lun_problems_count(const lun_conf *cf);

/*
 * The directive at hand is unknown: remembered for the table, and, with
 * cf->read_on, names that may be meant are told.
 */
void lun_problem_unknown(lun_conf *cf);

/* Whether a directive of that name has Lua between its braces. */
bool lun_problem_is_lua(lun_str name);

/* Tries the names of all directives. */
void lun_problems_nearest(const lun_schema *s, lun_nearest *near);

/* Calls say(data, line) for each line of the table; none: never. */
typedef void lun_problems_line_fn(void *data, lun_str line);
void lun_problems_table(const lun_conf *cf, lun_problems_line_fn *say,
    void *data);

#endif
