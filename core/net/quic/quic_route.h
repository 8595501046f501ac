/*
 * quic_route.h -- packets of QUIC find their connections: for the sockets that
 * they come to (net/datagram), and for who sets up workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_ROUTE_H
#define LUN_QUIC_ROUTE_H

#include "net/datagram_priv.h"
#include "shm/zone.h"

/*
 * While a configuration is read that listens for QUIC: asks for the zone that
 * the host key is in.  LUN_ERROR: *why.
 */
lun_rc lun_quic_want_zone(lun_zone_set *zones, const char **why);

/* Worker, after lun_datagram_share(): the key is that of all workers. */
void lun_quic_share(lun_loop *loop, const lun_zone_set *zones);

/* Packets come to that door from now on. */
void lun_quic_listen(lun_datagram_door *d);

/* A packet has come to that door; `ecn`: the two bits of its IP header. */
void lun_quic_received(lun_datagram_door *d, const lun_datagram_key *key,
    const char *data, size_t len, uint8_t ecn);

/* Another worker has handed one on. */
void lun_quic_arrived(lun_datagrams *all, const lun_datagram_key *key,
    const char *data, size_t len, uint8_t ecn);

/* Nothing more is received there: what is left of closed connections goes. */
void lun_quic_leave(lun_datagram_door *d);

#endif
