/*
 * upgrade.h -- another program takes over, with the listeners of this one:
 * USR2, on Linux.
 *
 * The new one is a child, told by the variable NGINX which sockets it has, as
 * nginx does it: either may follow the other.  Both serve until one of them
 * is told to quit.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPGRADE_H
#define LUN_UPGRADE_H

#include "run/options.h"
#include "run/pidfile.h"

/*
 * Master: starts the program that it was started from once more; its pid file
 * is put aside.  LUN_ERROR: it was logged why not.
 */
lun_rc lun_upgrade_start(const lun_generation *gen, const lun_options *o,
    lun_pidfile *pid);

/* A child has ended: if it was that program, the pid file is put back. */
bool lun_upgrade_ended(int64_t child, lun_pidfile *pid);

/* The next program, or the one before, lives and has the same listeners. */
bool lun_upgrade_shared(void);

/*
 * What the program before has left, to be taken over; NULL if there was none.
 * The first call answers, others are NULL.
 */
lun_listen_set *lun_upgrade_listeners(lun_pool *pool);

/* Whether there was one: then we are its child, and stay so. */
bool lun_upgrade_inherited(void);

#endif
