/*
 * port_priv.h -- what proc.c and port.c need of each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POSIX_PORT_PRIV_H
#define LUN_POSIX_PORT_PRIV_H

#include "os/port.h"

/*
 * In a forked child: closes its copies of the parent's descriptors.  The
 * memory stays: the child may be deep inside the parent's lun_port_wait().
 */
void lun_port_abandon(lun_port *port);

/* proc.c: the port ends; no signal may be told to it any more. */
void lun_proc_deafen(lun_port *port);

#endif
