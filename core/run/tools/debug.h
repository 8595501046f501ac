/*
 * debug.h -- `lunette debug`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_DEBUG_H
#define LUN_RUN_DEBUG_H

/* A server of one process, by the words of its command line. */
typedef int lun_debug_serve_fn(int argc, char **argv);

/*
 * lunette debug [--stdio | --listen ADDRESS:PORT] and the server's -p -c -e -g:
 * serves in this process, with a debugger (modules/lua/look/debugger.h) for
 * who has started it, or for a client on loopback that knows the token.  The
 * exit status.
 */
int lun_debug_tool(int argc, char **argv, lun_debug_serve_fn *serve);

#endif
