/*
 * accept.h -- new connections, up to the first byte of their conversation.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_ACCEPT_H
#define LUN_HTTP_ACCEPT_H

#include "http/engine.h"

/* For lun_listener.take; its data is a lun_listen_addr. */
lun_listener_fn  lun_http_accept;
lun_listener_adopt_fn  lun_http_adopt;

/* Its own first bytes come next: those of a PROXY header are through. */
void lun_http_start(lun_conn *c);

/* For states: the client is too slow, or has left, before any request. */
lun_conn_fn  lun_http_give_up, lun_http_gone_before;

/*
 * For states, told to quit: one that is idle is closed.  If it has come to its
 * state just now, its next request may be on the way: it has half a second, or
 * five if there was none yet, and that request is its last.
 */
lun_conn_fn  lun_http_close_idle;
/* For states: its place is wanted; keepalive_min_timeout may keep it. */
lun_conn_fn  lun_http_drain_idle;

#endif
