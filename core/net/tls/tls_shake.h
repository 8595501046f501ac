/*
 * tls_shake.h -- a handshake of a connection, whatever carries it: records
 * (tls.c) or QUIC's packets (net/quic).  What tls.h says of pauses, `after`
 * and so on is done by this room for both.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_SHAKE_H
#define LUN_TLS_SHAKE_H

#include "net/conn_io.h"
#include "net/tls/tls.h"

/* A carrier has it as its first member, or wherever io->shake finds it. */
typedef struct lun_tls_shake  lun_tls_shake;
struct lun_tls_shake {
    lun_conn          *c;
    SSL               *ssl;
    SSL_CTX           *first;      /* what it was made of; may be changed */
    size_t             record;     /* plain bytes of one, where there are any */
    uint32_t           early_most; /* what it says of early data where they are
                                      allowed; 0: as many as are */
    lun_conn_fn       *ask;        /* a callback of OpenSSL waits for this */
    const char        *rejected;   /* why it was refused; NULL: it was not */
    lun_tls_after_fn  *after;      /* NULL: nobody cares, or was called */
    void             (*go_on)(lun_tls_shake *h);   /* paused no more */
    unsigned           handshaking:1;
    unsigned           had_early:1;    /* there were early data */
    unsigned           paused:1;       /* `ask` was called: not yet answered */
    unsigned           handshake_done:1;
    unsigned           last:1;     /* what is sent next is (lun_tls_set_last) */
};

/*
 * For who starts one: an SSL of that context, the connection's; NULL, logged:
 * no memory.  The carrier frees it.
 */
SSL *lun_tls_shake_init(lun_tls_shake *h, lun_conn *c, SSL_CTX *ctx,
    bool server);
/* Frees the SSL; its session is good for another connection. */
void lun_tls_shake_fini(lun_tls_shake *h);

/* The handshake has succeeded: whether it is to wait for an answer. */
bool lun_tls_shake_has_to_wait(lun_tls_shake *h);

/* It has ended, and how: for the log, and counted. */
void lun_tls_shake_end(lun_tls_shake *h, lun_err err);

/* Logs that a function of OpenSSL has failed, for a client as a rule. */
void lun_tls_shake_complain(const lun_tls_shake *h, const char *function);
/* As what an error is logged. */
lun_log_level lun_tls_shake_level(const lun_tls_shake *h, uint64_t error);

#endif
