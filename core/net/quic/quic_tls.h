/*
 * quic_tls.h -- the handshake of TLS in QUIC's crypto frames: between OpenSSL
 * (SSL_set_quic_tls_cbs) and ngtcp2.
 *
 * ngtcp2's callbacks for it are those of its own crypto helpers:
 * recv_crypto_data is ngtcp2_crypto_recv_crypto_data_cb, and so on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_TLS_H
#define LUN_QUIC_TLS_H

#include <ngtcp2/ngtcp2.h>
#include <openssl/types.h>

#include "base/base.h"

enum { LUN_QUIC_PARAMS = 512 };    /* bytes of our transport parameters */

typedef struct lun_quic_tls  lun_quic_tls;

struct lun_quic_tls {
    SSL          *ssl;             /* the caller's */
    ngtcp2_conn  *conn;
    /*
     * OpenSSL has said that the handshake is complete: whether it is for us.
     * False: later, by lun_quic_tls_complete().  NULL: it is.
     */
    bool        (*completed)(lun_quic_tls *t);
    /* A callback of OpenSSL waits; or a failure, for the log. */
    void        (*paused)(lun_quic_tls *t);
    void        (*failed)(lun_quic_tls *t, const char *function);

    char         *in;              /* crypto bytes that OpenSSL has not yet */
    size_t        in_pos, in_len, in_room;
    unsigned      reads, writes;   /* OpenSSL's present levels */
    bool          done;            /* all of the handshake */
    bool          broken;
    size_t        params_len;
    uint8_t       params[LUN_QUIC_PARAMS];     /* OpenSSL reads them later */
};

/*
 * An SSL in accept or connect state; `conn` is told of it.  The struct stays
 * where it is.  ERROR: no memory.
 */
lun_rc lun_quic_tls_init(lun_quic_tls *t, SSL *ssl, ngtcp2_conn *conn);
void lun_quic_tls_fini(lun_quic_tls *t);

/* What paused it can go on: 0 or an error of ngtcp2. */
int lun_quic_tls_go_on(lun_quic_tls *t);
/* What completed() waited for has come. */
void lun_quic_tls_complete(lun_quic_tls *t);

#endif
