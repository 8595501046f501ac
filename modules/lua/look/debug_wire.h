/*
 * debug_wire.h -- the debugger's client: a connection on loopback, or whoever
 * has started this process, on standard input and output.
 *
 * A thread reads what it says; all functions here are the loop's thread's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_DEBUG_WIRE_H
#define LUN_LUA_DEBUG_WIRE_H

#include "os/port.h"

typedef enum {
    LUN_DEBUG_NOTHING,
    LUN_DEBUG_OPENED,              /* somebody has connected */
    LUN_DEBUG_TEXT,                /* a message */
    LUN_DEBUG_CLOSED               /* nothing comes any more */
} lun_debug_news;

/* Once in a process, one of the two. */
lun_err lun_debug_wire_stdio(void);
lun_err lun_debug_wire_listen(const lun_addr *addr);

/* Where it listens; the port is the system's choice if it was 0. */
lun_err lun_debug_wire_address(lun_addr *addr);

/*
 * What has come, one at a time; a text is the caller's to free.  After
 * LUN_DEBUG_CLOSED the next one may connect.
 */
lun_debug_news lun_debug_wire_take(char **text, size_t *len);

/* Until there is something to take. */
void lun_debug_wire_wait(void);

/* From now on `come` is called from that port when there is. */
void lun_debug_wire_tell(lun_port *port, void (*come)(void));

/* One message; one that can't be sent ends the connection. */
void lun_debug_wire_send(const char *text, size_t len);

/* Who has connected may stay: before that it has ten seconds. */
void lun_debug_wire_trust(void);

/* Ends the connection, soon. */
void lun_debug_wire_hang_up(void);

/* Nothing is heard or said any more. */
void lun_debug_wire_close(void);

#endif
