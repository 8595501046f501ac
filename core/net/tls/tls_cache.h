/*
 * tls_cache.h -- TLS sessions in shared memory: a client may come back to
 * another worker, or after a reload.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_CACHE_H
#define LUN_TLS_CACHE_H

#include "net/tls/tls.h"
#include "shm/zone.h"

struct ssl_session_st;             /* an SSL_SESSION */

extern const lun_zone_kind  lun_tls_cache_kind;
/* The same for what OCSP says of certificates: lun_tls_cache_put() and kin. */
extern const lun_zone_kind  lun_tls_ocsp_kind;

enum { LUN_TLS_SESSION = 4096 };   /* bytes; larger ones are not kept */

/* A session of `len` bytes under an id of at most 32, until `expires` (s). */
void lun_tls_cache_put(const lun_zone *zone, lun_str id, lun_str session,
    int64_t expires);

/* Its size, with a copy in `room`; 0: there is none. */
size_t lun_tls_cache_get(const lun_zone *zone, lun_str id, int64_t now,
    char room[LUN_TLS_SESSION]);

void lun_tls_cache_drop(const lun_zone *zone, lun_str id);

/*
 * Makes the zone the session cache of a context, beside OpenSSL's own if
 * `builtin`.
 */
void lun_tls_cache_use(SSL_CTX *ctx, const lun_zone *zone, bool builtin);

/*
 * OpenSSL's callbacks for a new session and for one that a client has, of a
 * context with or without such a cache: those set in their place call them.
 */
int lun_tls_cache_on_new(SSL *ssl, struct ssl_session_st *session);
struct ssl_session_st *lun_tls_cache_on_get(SSL *ssl,
    const unsigned char *id, int len, int *copy);

#endif
