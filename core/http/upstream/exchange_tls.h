/*
 * exchange_tls.h -- TLS to the servers of an exchange: its settings, which
 * every module has under a name of its own (proxy_ssl_...), and the handshake.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_EXCHANGE_TLS_H
#define LUN_HTTP_EXCHANGE_TLS_H

#include "config/conf.h"
#include "http/text/script.h"
#include "net/tls_ctx.h"

typedef struct {
    uint32_t      protocols;               /* LUN_TLS_... */
    lun_str       ciphers;
    lun_array    *commands;                /* of lun_pair */
    lun_str       certificate;             /* paths; "": none */
    lun_str       certificate_key;
    lun_array    *passwords;               /* of lun_str */
    lun_str       trusted;
    lun_str       crl;
    lun_script   *name;                    /* NULL: the host that is asked */
    bool          server_name;             /* it is told who is meant */
    bool          session_reuse;
    bool          verify;
    int64_t       verify_depth;

    SSL_CTX      *ctx;                     /* NULL: nobody asks for TLS */
} lun_exchange_tls;

/* A path, as text; variables are refused. */
lun_set_fn  lun_set_exchange_file;

/*
 * After inheritance, where TLS is asked for: makes tls->ctx, or finds the one
 * of the same settings.  `name`: "proxy".
 */
lun_rc lun_exchange_tls_settle(lun_conf *cf, const char *name,
    lun_exchange_tls *tls);

#endif
