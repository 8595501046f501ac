/*
 * conn_sock.h -- what the socket of a connection is told, and asked.
 *
 * A connection may have none that is its own (lun_conn_has_socket()): an error
 * of kind LUN_ERR_NOT_SUPPORTED is the answer then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_SOCK_H
#define LUN_CONN_SOCK_H

#include "net/conn.h"

/* Sets an option: 0 or 1, bytes, seconds or probes, as sock.h says. */
lun_err lun_conn_option(const lun_conn *c, lun_sock_option option, int value);
lun_err lun_conn_ask_option(const lun_conn *c, lun_sock_option option,
    int *value);
/* What the system has measured of it, as sock.h says. */
lun_err lun_conn_figures(const lun_conn *c, lun_sock_figures *f);

/* Before lun_conn_connect(): the address that it comes from. */
lun_err lun_conn_bind(const lun_conn *c, const lun_addr *addr);
/* Before that: the address may be another machine's. */
lun_err lun_conn_transparent(const lun_conn *c, lun_family family);

/* As lun_sock_peek(): what has come, encrypted or not, and was not read. */
lun_err lun_conn_peek(const lun_conn *c);

/* Where an accepted one was going, as lun_sock_original(). */
lun_err lun_conn_original(const lun_conn *c, lun_addr *addr);

/* The end of our side, at once: also of what is being written. */
lun_err lun_conn_end_socket(const lun_conn *c);

/* Its number, for the log and for libraries; LUN_FD_NONE: there is none. */
lun_fd lun_conn_fd(const lun_conn *c);

#endif
