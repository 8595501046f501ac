/*
 * var_settle.h -- variables that only a connection itself can tell, for who
 * is to know them when that may be gone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_VAR_SETTLE_H
#define LUN_VAR_SETTLE_H

#include "session/variables.h"

/* Among lun_variable.flags: it asks the socket, or TLS. */
enum { LUN_VAR_OF_SOCKET = 0x20 };

/*
 * Each of these that the configuration names, and that has no value yet, gets
 * it, as one that stays: also if it is volatile.
 */
void lun_var_settle(lun_session *s);

#endif
