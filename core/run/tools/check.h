/*
 * check.h -- `lunette check`: what this machine gives.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CHECK_TOOL_H
#define LUN_CHECK_TOOL_H

/*
 * lunette check [-p prefix] [-c file] [-e file]: prints a table on standard
 * output. What is written for it lies in a folder of its own in the prefix's
 * logs, or where temporary files go, and is deleted.
 *
 * The exit status: 0, or 1 if something will not work.
 */
int lun_check_tool(int argc, char **argv);

#endif
