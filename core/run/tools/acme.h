/*
 * acme.h -- `lunette acme`: certificates that renew themselves, seen from a
 * terminal.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_ACME_H
#define LUN_RUN_ACME_H

/*
 * lunette acme list | show | renew | revoke [-p prefix] [-c file] [NAME...];
 * argv begins with the word behind "acme".  The exit status.
 */
int lun_acme_tool(int argc, char **argv);

#endif
