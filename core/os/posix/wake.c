/*
 * wake.c -- a process wakes another by SIGURG: it means nothing to a process
 * that does not wait for it, so a number that is another's by now does no
 * harm.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/wake.h"

#include <errno.h>
#include <signal.h>

#include "base/check.h"
#include "os/lock.h"
#include "os/posix/proc_priv.h"
#include "os/woken.h"


lun_err
lun_wake_open(lun_wake *w, lun_port *port, lun_wake_fn *woken, void *data)
{
    lun_err  err;

    LUN_CHECK(port != NULL);

    if (!lun_woken_add(w, woken, data)) {
        return EMFILE;
    }

    err = lun_proc_on_wake(lun_woken_call, NULL);

    if (err == 0) {
        atomic_store(&w->owner, lun_lock_self());

    } else {
        (void) lun_woken_remove(w);
    }

    return err;
}


void
lun_wake_close(lun_wake *w)
{
    atomic_store(&w->owner, 0);

    if (lun_woken_remove(w)) {
        (void) lun_proc_on_wake(NULL, NULL);
    }
}


void
lun_wake_send(lun_wake *w)
{
    uint64_t  owner = atomic_load(&w->owner);

    if (owner != 0) {
        (void) kill((pid_t) lun_lock_pid_of(owner), SIGURG);
    }
}
