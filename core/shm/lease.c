/*
 * lease.c -- one process has it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/lease.h"

#include "os/lock.h"


bool
lun_lease_take(lun_lease *lease)
{
    uint64_t  owner = atomic_load(&lease->owner);

    return owner == lun_lock_self()
           || ((owner == 0 || !lun_lock_owner_lives(owner))
               && atomic_compare_exchange_strong(&lease->owner, &owner,
                                                 lun_lock_self()));
}


bool
lun_lease_is_mine(const lun_lease *lease)
{
    return atomic_load(&lease->owner) == lun_lock_self();
}


void
lun_lease_give(lun_lease *lease)
{
    uint64_t  owner = lun_lock_self();

    (void) atomic_compare_exchange_strong(&lease->owner, &owner, 0);
}


uint64_t
lun_lease_holder(const lun_lease *lease)
{
    uint64_t  owner = atomic_load(&lease->owner);

    return owner != 0 && lun_lock_owner_lives(owner) ? owner : 0;
}


bool
lun_lease_seize(lun_lease *lease, int64_t pid)
{
    uint64_t  owner = atomic_load(&lease->owner);

    return owner != 0 && lun_lock_pid_of(owner) == pid
           && atomic_compare_exchange_strong(&lease->owner, &owner, 0);
}
