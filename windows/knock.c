/*
 * knock.c -- an event of the master's, of which each worker has a handle that
 * may set it and no more (furnish() in proc.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/knock.h"

#include "windows/proc_priv.h"


static struct {
    HANDLE         event, wait;
    lun_port      *port;
    lun_knock_fn  *heard;
} door;


static void
on_knock(lun_port *port, void *what, uint32_t bytes)
{
    if (door.event != NULL) {
        door.heard();
    }
}


static VOID CALLBACK
on_os_signal(PVOID data, BOOLEAN timed_out)
{
    lun_port_packet(door.port, on_knock, NULL);
}


HANDLE
lun_knock_event(void)
{
    return door.event;
}


lun_err
lun_knock_open(lun_port *port, lun_knock_fn *heard)
{
    if (door.event != NULL) {
        return 0;
    }

    door.port = port;
    door.heard = heard;
    door.event = CreateEventW(NULL, FALSE, FALSE, NULL);

    return door.event != NULL
           && RegisterWaitForSingleObject(&door.wait, door.event, on_os_signal,
                                          NULL, INFINITE,
                                          WT_EXECUTEINWAITTHREAD)
           ? 0 : (lun_err) GetLastError();
}


void
lun_knock_close(void)
{
    if (door.event != NULL) {
        UnregisterWaitEx(door.wait, INVALID_HANDLE_VALUE);
        CloseHandle(door.event);
        door.event = NULL;
    }
}


void
lun_knock(void)
{
    const lun_slot  *slot = lun_slot_mine();
    HANDLE           event = slot != NULL ? slot->knock : door.event;

    if (event != NULL) {
        SetEvent(event);
    }
}
