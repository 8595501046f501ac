/*
 * wake.c -- a process wakes another by an event of his, of which it gets a
 * handle by asking the system: nothing has a name that a third could guess.
 *
 * Workers run under one account, so each may do that to the others.  The
 * handles are kept; there are few processes to wake.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/wake.h"

#include "windows/win.h"

#include "os/lock.h"
#include "os/woken.h"


enum { PEERS = 256 };              /* two generations of 120 workers */

/* Others', by who they are. */
static struct {
    uint64_t  owner;
    HANDLE    event;
} peers[PEERS];

static unsigned  next_peer;

/* Ours.  The event stays, once made: others have handles of it. */
static struct {
    HANDLE     event;
    HANDLE     wait;               /* NULL: none is open */
    lun_port  *port;
} self;


static void
on_woken(lun_port *port, void *what, uint32_t bytes)
{
    lun_woken_call(NULL);
}


static VOID CALLBACK
on_os_signal(PVOID data, BOOLEAN timed_out)
{
    lun_port_packet(self.port, on_woken, NULL);
}


/*
 * One event for all wakes of the process, registered once with the system's
 * wait thread.
 */
lun_err
lun_wake_open(lun_wake *w, lun_port *port, lun_wake_fn *woken, void *data)
{
    lun_err  err;

    if (!lun_woken_add(w, woken, data)) {
        return ERROR_TOO_MANY_OPEN_FILES;
    }

    self.port = port;

    if (self.event == NULL) {
        self.event = CreateEventW(NULL, FALSE, FALSE, NULL);
    }

    if (self.event == NULL
        || (self.wait == NULL
            && !RegisterWaitForSingleObject(&self.wait, self.event,
                                            on_os_signal, NULL, INFINITE,
                                            WT_EXECUTEINWAITTHREAD)))
    {
        err = (lun_err) GetLastError();
        self.wait = NULL;
        (void) lun_woken_remove(w);
        return err;
    }

    atomic_store(&w->handle, (intptr_t) self.event);
    atomic_store(&w->owner, lun_lock_self());
    return 0;
}


void
lun_wake_close(lun_wake *w)
{
    atomic_store(&w->owner, 0);

    if (lun_woken_remove(w)) {
        UnregisterWaitEx(self.wait, INVALID_HANDLE_VALUE);
        self.wait = NULL;
    }
}


/* Another's event, as this process has it; NULL: he is not there. */
static HANDLE
fetch_event(uint64_t owner, HANDLE his)
{
    HANDLE  process, event;

    process = OpenProcess(PROCESS_DUP_HANDLE, FALSE,
                          (DWORD) lun_lock_pid_of(owner));

    if (process == NULL) {
        return NULL;
    }

    /* A number may be another process's by now, with other handles. */
    if (!lun_lock_owner_lives(owner)
        || !DuplicateHandle(process, his, GetCurrentProcess(), &event,
                            EVENT_MODIFY_STATE, FALSE, 0))
    {
        event = NULL;
    }

    CloseHandle(process);
    return event;
}


static HANDLE
event_of(uint64_t owner, HANDLE his)
{
    HANDLE    event;
    unsigned  i;

    for (i = 0; i < PEERS; i++) {
        if (peers[i].owner == owner) {
            return peers[i].event;
        }
    }

    event = fetch_event(owner, his);

    if (event != NULL) {
        i = next_peer++ % PEERS;

        if (peers[i].event != NULL) {
            CloseHandle(peers[i].event);
        }

        peers[i].owner = owner;
        peers[i].event = event;
    }

    return event;
}


void
lun_wake_send(lun_wake *w)
{
    HANDLE    event;
    uint64_t  owner = atomic_load(&w->owner);

    if (owner == 0) {
        return;
    }

    event = event_of(owner, (HANDLE) atomic_load(&w->handle));

    if (event != NULL) {
        SetEvent(event);
    }
}
