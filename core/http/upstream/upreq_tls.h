/*
 * upreq_tls.h -- TLS to the servers of an upstream request: its settings, which
 * every module has under a name of its own (proxy_ssl_...), and the handshake.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_TLS_H
#define LUN_HTTP_UPREQ_TLS_H

#include "config/conf.h"
#include "session/script.h"
#include "net/tls/tls_ctx.h"

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
} lun_upreq_tls;

/* A path, as text; variables are refused. */
lun_set_fn  lun_set_upreq_file;

/*
 * After inheritance, where TLS is asked for: makes tls->ctx, or finds the one
 * of the same settings.  `name`: "proxy".
 */
lun_rc lun_upreq_tls_finish_conf(lun_conf *cf, const char *name,
    lun_upreq_tls *tls);

#endif
