/*
 * host.h -- "host:port", as a Host field or a server name has it.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_HOST_H
#define LUN_FORMAT_HOST_H

#include "base/str.h"

/*
 * A host: strips the port and one dot at the end, lower-cases into dst (room:
 * host.len).  LUN_ERROR for what cannot be a host: empty, "a..b", white space,
 * / \ ? # @ and what no URI may hold, a port that is not one.  "[::1]:80" keeps
 * its brackets.  *port is 0 without one.
 */
lun_rc lun_host_parse(lun_str host, char *dst, lun_str *name, uint16_t *port);

#endif
