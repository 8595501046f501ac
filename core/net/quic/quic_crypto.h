/*
 * quic_crypto.h -- keys and packets by OpenSSL, for ngtcp2's crypto helpers,
 * whose head says what each function does.  These are the ones that it keeps
 * to itself, and expects of a TLS library all the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_CRYPTO_H
#define LUN_QUIC_CRYPTO_H

#include <ngtcp2/ngtcp2_crypto.h>

#include "base/base.h"

/*
 * Before the first connection: OpenSSL has what every one needs.  Again is
 * harmless.  ERROR: no memory.
 */
lun_rc lun_quic_crypto_init(void);

ngtcp2_crypto_ctx *ngtcp2_crypto_ctx_initial(ngtcp2_crypto_ctx *ctx);
ngtcp2_crypto_aead *ngtcp2_crypto_aead_aes_128_gcm(ngtcp2_crypto_aead *aead);
ngtcp2_crypto_aead *ngtcp2_crypto_aead_retry(ngtcp2_crypto_aead *aead);
ngtcp2_crypto_md *ngtcp2_crypto_md_sha256(ngtcp2_crypto_md *md);

int ngtcp2_crypto_cipher_ctx_encrypt_init(ngtcp2_crypto_cipher_ctx *cipher_ctx,
    const ngtcp2_crypto_cipher *cipher, const uint8_t *key);
void ngtcp2_crypto_cipher_ctx_free(ngtcp2_crypto_cipher_ctx *cipher_ctx);

int ngtcp2_crypto_random(uint8_t *data, size_t datalen);

/* quic_tls.c's: `tls` is a lun_quic_tls. */
int ngtcp2_crypto_set_local_transport_params(void *tls, const uint8_t *buf,
    size_t len);
int ngtcp2_crypto_set_remote_transport_params(ngtcp2_conn *conn, void *tls);

#endif
