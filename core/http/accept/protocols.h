/*
 * protocols.h -- which protocol a connection speaks: the one that TLS has
 * agreed on, or the one that its first bytes are of.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_PROTOCOLS_H
#define LUN_HTTP_PROTOCOLS_H

#include "http/engine.h"
#include "http/protocol.h"

/* For lun_listen_protocol.alpn. */
lun_str lun_http_alpn(const lun_listen_addr *listen, const lun_server *chosen);

/* After a handshake: what both sides have agreed on is spoken from here on. */
void lun_http_begin_agreed(lun_conn *c);

/* Without TLS: what is spoken is seen when something has come. */
void lun_http_begin_plain(lun_conn *c);

/* Of those who do not say what they speak. */
const lun_http_protocol *lun_http_default_protocol(void);

#endif
