/*
 * h1.h -- HTTP/1 connections.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H1_H
#define LUN_HTTP_H1_H

#include "http/engine.h"

/* A connection speaks HTTP/1 from now on; its first bytes may be here. */
void lun_h1_start(lun_conn *c);

/* First reads what a proxy has to say; then lun_http_start(). */
void lun_h1_read_proxied(lun_conn *c);

/* ", client: ..." of such a connection, before its first request as well. */
lun_log_context_fn  lun_h1_context;

/* The client is too slow, or has left, before any request. */
lun_conn_fn  lun_h1_give_up, lun_h1_gone_before;

extern const lun_http_protocol  lun_h1_protocol;

#endif
