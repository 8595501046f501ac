/*
 * conn_priv.h -- what conn.c and conn_idle.c share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_PRIV_H
#define LUN_CONN_PRIV_H

#include "net/conn.h"

/* Calls a handler of the connection's state, if it has that; c may be gone. */
void lun_conn_call(lun_conn *c, lun_conn_fn *handler);

/* A new one, busy; one that is being closed: it is in no list any more. */
void lun_conn_enlist(lun_conn *c);
void lun_conn_delist(lun_conn *c);
/* It is a client's: counted, as long as it is open. */
void lun_conn_count_client(lun_conn *c);
/* One of those that were delisted has been freed. */
void lun_conn_forget(lun_loop *loop);
/* Fewer are open or busy than before: tells who wants to know. */
void lun_conn_less(lun_loop *loop);

#endif
