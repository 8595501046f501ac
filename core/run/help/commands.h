/*
 * commands.h -- the words of the command line, as a table: what `-h`, the
 * manual and the completion of shells are made of.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_COMMANDS_H
#define LUN_RUN_COMMANDS_H

#include "base/str.h"
#include "run/help/help.h"

/* What -h prints, to standard error: as nginx's, with the commands. */
void lun_commands_usage(void);

/* The same of one command; false: there is none of that name. */
bool lun_commands_usage_of(const char *name);

/* All commands with their options, as a page in Markdown. */
void lun_commands_manual(lun_pool *pool, lun_help_line_fn *say, void *data);

/*
 * A script that completes the words of the command line, for "bash", "zsh" or
 * "powershell"; false: for another shell, and what there is was said.
 */
bool lun_commands_completion(const char *shell, lun_pool *pool,
    lun_help_line_fn *say, void *data);

#endif
