/*
 * tls_reuse.h -- sessions that were agreed on with servers, for the next
 * connection there.  They are this process's; a context has its own, by key.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_REUSE_H
#define LUN_TLS_REUSE_H

#include "net/tls/tls.h"

/* A context for clients keeps sessions from now on, until the pool ends. */
lun_rc lun_tls_reuse_init(SSL_CTX *ctx, lun_pool *pool);

/*
 * Between lun_tls_start() and lun_tls_handshake(), on a connection of such a
 * context: goes on with the session that the key has, and keeps the one that
 * comes of it there.
 */
void lun_tls_reuse(lun_conn *c, lun_str key);

/* What the connection's key has is not worth keeping. */
void lun_tls_reuse_forget(lun_conn *c);

#endif
