/*
 * tls_ctx.h -- contexts: what certificates, keys and settings make of TLS.
 *
 * A file is named by `name`, for messages; `text` is what was read of it, or
 * has no data when it could not be read: OpenSSL then says why.  Whoever
 * fails has logged it, as [emerg], in nginx's words.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_CTX_H
#define LUN_TLS_CTX_H

#include "base/array.h"
#include "log/log_file.h"
#include "net/tls/tls.h"

enum {
    LUN_TLS_SSL2  = 0x01,          /* known by name, never spoken */
    LUN_TLS_SSL3  = 0x02,
    LUN_TLS_1_0   = 0x04,
    LUN_TLS_1_1   = 0x08,
    LUN_TLS_1_2   = 0x10,
    LUN_TLS_1_3   = 0x20
};

typedef struct {
    lun_str  name;
    lun_str  text;
} lun_tls_file;

/* Whether a name is "data:" and the *text itself. */
bool lun_tls_inline(lun_str name, lun_str *text);
/* Such a name as logs may show it: no key, and no text of several lines. */
lun_str lun_tls_loggable(lun_str name);
/* Whether it is that of a key elsewhere: "store:URI", "engine:...". */
bool lun_tls_is_stored(lun_str name);

/* Whether it is that of a certificate whose key is in the same place. */
bool lun_tls_has_own_key(lun_str name);
/* Whether it names whom this machine trusts. */
bool lun_tls_is_system(lun_str name);

/*
 * OpenSSL's default provider is in use from now on, also if somebody loads
 * another before there is a context: a library that does so counts on it.
 */
void lun_tls_use_provider(void);

/* Ends with the pool.  It speaks the given protocols. */
SSL_CTX *lun_tls_ctx_new(lun_pool *pool, const lun_log *log,
    uint32_t protocols);

/* The same for one connection, whose version is not chosen yet. */
void lun_tls_allow(SSL *ssl, uint32_t protocols);

lun_rc lun_tls_ctx_ciphers(SSL_CTX *ctx, const lun_log *log, lun_str ciphers,
    bool prefer_own);
/* Certificates go out compressed; a [warn] where none becomes smaller. */
void lun_tls_ctx_compress(SSL_CTX *ctx, const lun_log *log);
/*
 * Shows the peer what is said of its certificate's status, which goes out with
 * it, and so not compressed.  False: no memory.
 */
bool lun_tls_staple(SSL *ssl, lun_str answer);
/* The secrets of its connections are written there, for who looks into them. */
lun_rc lun_tls_ctx_key_log(SSL_CTX *ctx, const lun_log *log,
    lun_log_file *file);
lun_rc lun_tls_ctx_curves(SSL_CTX *ctx, const lun_log *log, lun_str curves);
lun_rc lun_tls_ctx_dhparam(SSL_CTX *ctx, const lun_log *log,
    const lun_tls_file *file);
/* ssl_conf_command. */
lun_rc lun_tls_ctx_command(SSL_CTX *ctx, const lun_log *log, lun_str name,
    lun_str value);
/* Whether its value is a path. */
bool lun_tls_command_has_path(lun_str name);

/*
 * Trusts what stands in the file, or whom this machine trusts, if it is called
 * "system" and was not read; `named`: peers are told of those in a file.
 */
lun_rc lun_tls_ctx_trust(SSL_CTX *ctx, const lun_log *log,
    const lun_tls_file *file, bool named);
/* Trusts whom this machine trusts: reads the system's store. */
lun_rc lun_tls_ctx_trust_system(SSL_CTX *ctx, const lun_log *log);
lun_rc lun_tls_ctx_crl(SSL_CTX *ctx, const lun_log *log,
    const lun_tls_file *file);

/* Asks the peer for a certificate; what is wrong with it is for later. */
void lun_tls_ctx_verify(SSL_CTX *ctx);

/* Sessions of contexts with other certificates are not accepted. */
lun_rc lun_tls_ctx_name(SSL_CTX *ctx, const lun_log *log, lun_str name);

#endif
