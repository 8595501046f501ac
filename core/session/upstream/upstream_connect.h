/*
 * upstream_connect.h -- for protocols: what they do and say alike when they
 * connect to a server that lun_balance has chosen.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_CONNECT_H
#define LUN_UPSTREAM_CONNECT_H

#include "session/script.h"
#include "session/upstream/balance.h"

/* NAME_bind. */
typedef struct {
    lun_script  *address;          /* NULL: off */
    bool         transparent;      /* it may be another machine's */
} lun_upstream_bind;

/* The setter; the field is a lun_upstream_bind *, NULL: nobody says. */
lun_set_fn  lun_set_upstream_bind;

/*
 * Before c, a new connection, connects to b->addr: gives it the address that
 * the balancer or `bind` (may be NULL) names, where it is one of that family.
 * `bind` is asked once for b, or (`each`, NAME_bind_dynamic) for each of its
 * connections.  ERROR: the system refuses it (logged).
 */
lun_rc lun_upstream_bind_local(lun_session *s, lun_balance *b,
    const lun_upstream_bind *bind, bool each, const lun_conn *c);

/*
 * That address, for who binds in its own way; false: the system is to choose.
 */
bool lun_upstream_bind_addr(lun_session *s, lun_balance *b,
    const lun_upstream_bind *bind, bool each, lun_addr *addr);

/*
 * What `bind` says, asked as above; "": nothing.  For who shares connections: a
 * server may tell its clients by their addresses.
 */
lun_str lun_upstream_bind_text(lun_session *s, lun_balance *b,
    const lun_upstream_bind *bind, bool each);

/* The connection to b->addr did not come about: the line in the log. */
void lun_upstream_say_refused(const lun_session *s, const lun_balance *b,
    lun_err err);

#endif
