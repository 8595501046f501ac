/*
 * datagram.h -- sessions of datagrams: what one client sends to one address of
 * ours is a connection (net/conn.h), whose input comes from the listener's
 * socket and whose output leaves by it.
 *
 * Of such a connection c->datagram is set.  Each on_read brings one datagram,
 * maybe an empty one (then in.last has not moved); each lun_conn_send() sends
 * one, all of it or nothing.  Datagrams that nobody asks for wait, up to a
 * limit; then they are dropped, as by any network.  There is no end of input.
 *
 * Which worker has a session is written in a zone (datagram_owner.c): a
 * datagram that the system gives to another worker is handed on to that one,
 * whatever generation it is of.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DATAGRAM_H
#define LUN_DATAGRAM_H

#include "net/conn.h"
#include "net/listen.h"
#include "shm/zone.h"

/*
 * What this client sends from now on begins another session.  This one may
 * still send.
 */
void lun_datagram_detach(lun_conn *c);

/*
 * While a configuration is read that listens for datagrams: asks for the zone
 * in which workers find each other's sessions.  LUN_ERROR: *why.
 */
lun_rc lun_datagram_want_zone(lun_zone_set *zones, const char **why);

/*
 * Worker, before lun_listen_start() and after lun_workers_enter(): finds that
 * zone, if there is one, for the loop that has its sessions.  One process alone
 * shares with nobody; it need not call this.
 */
void lun_datagram_share(lun_loop *loop, const lun_zone_set *zones);

/* A loop's: tests, and the dump. */
typedef struct {
    uint64_t  received;            /* from sockets */
    uint64_t  forwarded;           /* to other workers */
    uint64_t  delivered;           /* by other workers */
    uint64_t  dropped;             /* for want of room, here or there */
    size_t    sessions;
    size_t    waiting;             /* bytes that nobody has asked for yet */
} lun_datagram_counters;

const lun_datagram_counters *lun_datagram_count(const lun_loop *loop);

/* --- for listen.c and listen_accept.c --- */

/* Worker: receives at l's socket, of which `fd` is this worker's own, in the
   set's loop. */
lun_err lun_datagram_listen(lun_listener *l, lun_fd fd, const lun_log *log);

/* Receives no more there; sessions stay. */
void lun_datagram_unlisten(lun_listener *l);

/*
 * Closes a socket for datagrams; the one that sessions of the loop still send
 * by stays open until the last of them ends.  As long as no other worker
 * receives there, this one does, for its sessions.  Loop NULL: of none.
 */
void lun_datagram_close(lun_loop *loop, lun_fd fd);

#endif
