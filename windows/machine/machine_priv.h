/*
 * machine_priv.h -- the rows of one table, which stand in four files.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MACHINE_PRIV_H
#define LUN_MACHINE_PRIV_H

#include "os/machine.h"

/* machine_files.c: under which names a file is found, and who may change it. */
lun_machine_fn  lun_machine_other_names;
lun_machine_fn  lun_machine_devices;
lun_machine_fn  lun_machine_own_names;
lun_machine_fn  lun_machine_rights;

/* machine_net.c: sockets, and what ends with the master. */
lun_machine_fn  lun_machine_sockets;
lun_machine_fn  lun_machine_exclusive;
lun_machine_fn  lun_machine_unix;
lun_machine_fn  lun_machine_job;

/* machine_extras.c: what nobody needs, but some systems have. */
lun_machine_fn  lun_machine_extras;

#endif
