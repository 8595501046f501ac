/*
 * cert.h -- `lunette cert`: a certificate for development, in one command.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CERT_TOOL_H
#define LUN_CERT_TOOL_H

/*
 * lunette cert [-o DIR] [-k KIND] [-d DAYS] [--ca DIR] [--install] [NAME...]:
 * writes NAME.crt and NAME.key, signed by itself or by an authority that is
 * made in DIR, and kept there for the next ones.  argv begins with the first
 * word behind "cert".  The exit status.
 */
int lun_cert_tool(int argc, char **argv);

#endif
