/*
 * lease.h -- one process has it, of all that see the word: who does something
 * for everybody.
 *
 * The word holds the owner as in os/lock.h, but nobody waits for it.  A holder
 * that died has it no more: the next who asks takes it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LEASE_H
#define LUN_LEASE_H

#include <stdatomic.h>

#include "base/base.h"

/* In shared memory; zeroed: nobody's. */
typedef struct {
    _Atomic uint64_t  owner;
} lun_lease;

/*
 * True: it is this process's, maybe already.  Where another holds it, that
 * costs a look at the system: whether the other lives.
 */
bool lun_lease_take(lun_lease *lease);

/* Without that look. */
bool lun_lease_is_mine(const lun_lease *lease);

/* Does nothing to a lease that another holds. */
void lun_lease_give(lun_lease *lease);

/* Whose it is, as in os/lock.h: 0: nobody's, or a dead one's. */
uint64_t lun_lease_holder(const lun_lease *lease);

/*
 * The master's, when a worker has died: true if that had it, and it is nobody's
 * now.  `pid` as in os/proc.h.
 */
bool lun_lease_seize(lun_lease *lease, int64_t pid);

#endif
