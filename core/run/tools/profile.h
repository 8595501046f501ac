/*
 * profile.h -- `lunette profile`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_PROFILE_H
#define LUN_RUN_PROFILE_H

/*
 * lunette profile [--seconds N] [-o FILE] [--folded] [--wait] and the server's
 * -p -c -e -g: tells the running server to begin and to end, reads from its
 * error log what it says (modules/lua/look/profile.h), writes it as a page or
 * as folded text.  The exit status.
 */
int lun_profile_tool(int argc, char **argv);

#endif
