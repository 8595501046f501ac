/*
 * proxied.h -- what a proxy says first, on a connection of a listener that
 * asks for it (`listen ... proxy_protocol`): whom it speaks for.
 *
 * It is kept with the connection; whether it is believed is realip's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PROXIED_H
#define LUN_PROXIED_H

#include "net/conn.h"

/*
 * Looks at what has come.  OK: c->in.pos is behind the header, and c->proxied
 * is set if that names a client.  AGAIN: more is to be read.  ERROR: it is no
 * such header, or has no room (logged).
 */
lun_rc lun_proxied_read(lun_conn *c);

#endif
