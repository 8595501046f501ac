/*
 * dns_wire.h -- carries DNS messages to name servers and back.  Knows nothing
 * of what is in them, retries nothing, and forgets what it has sent.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DNS_WIRE_H
#define LUN_DNS_WIRE_H

#include "base/log.h"
#include "net/loop.h"

typedef struct lun_dns_wire  lun_dns_wire;

/* A message has come from that server (an index); valid during the call. */
typedef void lun_dns_message_fn(void *owner, size_t server,
    const uint8_t *data, size_t len);

/*
 * Copies the addresses.  Sockets are opened when they are needed first.  A
 * wire of another process (inherited by a fork) must not be used.
 */
lun_dns_wire *lun_dns_wire_new(lun_loop *loop, const lun_addr *servers,
    size_t count, const lun_log *log, lun_dns_message_fn *on_message,
    void *owner);

/* on_message is not called any more. */
void lun_dns_wire_free(lun_dns_wire *wire);

/*
 * Sends it, if it can be sent now: one datagram, or over a connection of its
 * own.  What fails is logged; the answer then just does not come.
 */
void lun_dns_wire_send(lun_dns_wire *wire, size_t server,
    const uint8_t *query, size_t len);
void lun_dns_wire_send_tcp(lun_dns_wire *wire, size_t server,
    const uint8_t *query, size_t len);

#endif
