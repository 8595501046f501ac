/*
 * help.h -- `lunette help`, `lunette help NAME`: what the rows of a name say
 * of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_HELP_H
#define LUN_RUN_HELP_H

#include "config/conf.h"

typedef void lun_help_line_fn(void *data, lun_str line);

/*
 * Says the syntax, default and context of a directive, once for each meaning;
 * ERROR: there is none.  The lines last until the pool ends.
 */
lun_rc lun_help_tell(lun_pool *pool, const lun_schema *s, lun_str name,
    lun_help_line_fn *say, void *data);

/* All names, in their order, some in each line. */
void lun_help_list(lun_pool *pool, const lun_schema *s, lun_help_line_fn *say,
    void *data);

/* "root VALUE;", and the blocks in which a directive may stand. */
lun_str lun_help_syntax(lun_pool *pool, const lun_directive *d);
lun_str lun_help_context(lun_pool *pool, const lun_directive *d);

/*
 * The words behind `help`: names, or a page (commands.c has their options); on
 * standard output.  Returns a status.
 */
int lun_help_main(int argc, char **argv);

#endif
