/*
 * tls_cert.h -- certificates and their keys, as files have them: for contexts,
 * and for single connections, which may share what was read for others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_CERT_H
#define LUN_TLS_CERT_H

#include "base/array.h"
#include "net/tls/tls_ctx.h"

/* The lines of a file of passwords: an array of lun_str, views into it. */
lun_array *lun_tls_passwords(lun_pool *pool, lun_str text);

/*
 * A certificate with its chain, and its key; `passwords` (lun_str) or NULL.
 * ERROR was logged as [emerg].
 */
lun_rc lun_tls_ctx_certificate(SSL_CTX *ctx, const lun_log *log,
    const lun_tls_file *cert, const lun_tls_file *key,
    const lun_array *passwords);

/*
 * Files that were read while serving, `most` of them at a time.  One that
 * nobody has asked for in `inactive` seconds is dropped; one that was read
 * `valid` seconds ago is looked at again, and read again if it has changed.
 * Ends with the pool.
 */
typedef struct lun_tls_cert_cache  lun_tls_cert_cache;
lun_tls_cert_cache *lun_tls_cert_cache_new(lun_pool *pool, size_t most,
    int64_t inactive, int64_t valid);

/*
 * The same for one connection, before or in its handshake; the names are
 * paths, or "data:" and the text itself.  `cache` may be NULL; a key that
 * needs a password is never kept.  ERROR was logged as [error].
 */
lun_rc lun_tls_use_certificate(SSL *ssl, const lun_log *log, lun_str cert,
    lun_str key, const lun_array *passwords, lun_tls_cert_cache *cache);

#endif
