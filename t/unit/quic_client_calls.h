/*
 * quic_client_calls.h -- a client that speaks QUIC, for tests: what ngtcp2
 * calls.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_CLIENT_CALLS_H
#define LUN_QUIC_CLIENT_CALLS_H

#include <ngtcp2/ngtcp2_crypto.h>
#include <openssl/ssl.h>

#include "net/quic/quic_path.h"
#include "net/quic/quic_tls.h"
#include "os/random.h"
#include "os/sock.h"
#include "tap.h"


enum { QC_STREAMS = 8, QC_TEXT = 64 * 1024 };

typedef struct {
    int64_t   id;
    char      got[QC_TEXT];
    size_t    len;
    bool      fin, closed;
} quic_client_stream;

typedef struct {
    lun_fd         fd;
    lun_addr       own, peer;
    SSL           *ssl;
    lun_quic_tls   tls;
    ngtcp2_conn   *ng;
    bool           done;           /* the handshake */
    int            error;          /* of ngtcp2; NGTCP2_ERR_DRAINING: it was
                                      closed */
    unsigned       retries, resets;
    size_t         packets;        /* that have come */
    size_t         largest;        /* of them, in bytes */
    size_t         sent;           /* bytes */
    uint8_t        token[256];
    size_t         token_len;
    quic_client_stream  streams[QC_STREAMS];
    size_t         stream_count;
    const char    *text;           /* what it sends on stream 0 */
    size_t         text_len, text_at;
    int64_t        text_id;
} quic_client;


static TAP_UNUSED quic_client_stream *
qc_stream(quic_client *c, int64_t id)
{
    size_t  i;

    for (i = 0; i < c->stream_count; i++) {
        if (c->streams[i].id == id) {
            return &c->streams[i];
        }
    }

    if (c->stream_count == QC_STREAMS) {
        return NULL;
    }

    c->streams[c->stream_count].id = id;
    return &c->streams[c->stream_count++];
}


static int
qc_on_data(ngtcp2_conn *ng, uint32_t flags, int64_t id, uint64_t offset,
    const uint8_t *bytes, size_t n, void *data, void *stream)
{
    quic_client_stream  *s = qc_stream(data, id);

    ngtcp2_conn_extend_max_offset(ng, n);
    ngtcp2_conn_extend_max_stream_offset(ng, id, n);

    if (s != NULL) {
        if (n != 0 && s->len < QC_TEXT) {
            memcpy(s->got + s->len, bytes, lun_min(n, QC_TEXT - s->len));
        }

        s->len += n;
        s->fin = s->fin || (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0;
    }

    return 0;
}


static int
qc_on_closed(ngtcp2_conn *ng, uint32_t flags, int64_t id, uint64_t code,
    void *data, void *stream)
{
    quic_client_stream  *s = qc_stream(data, id);

    if (s != NULL) {
        s->closed = true;
    }

    return 0;
}


static int
qc_on_handshake(ngtcp2_conn *ng, void *data)
{
    ((quic_client *) data)->done = true;
    return 0;
}


static int
qc_on_retry(ngtcp2_conn *ng, const ngtcp2_pkt_hd *hd, void *data)
{
    ((quic_client *) data)->retries++;
    return ngtcp2_crypto_recv_retry_cb(ng, hd, data);
}


static int
qc_on_token(ngtcp2_conn *ng, const uint8_t *token, size_t len, void *data)
{
    quic_client  *c = data;

    if (len <= sizeof(c->token)) {
        memcpy(c->token, token, len);
        c->token_len = len;
    }

    return 0;
}


static int
qc_on_stateless_reset(ngtcp2_conn *ng, const ngtcp2_pkt_stateless_reset2 *sr,
    void *data)
{
    ((quic_client *) data)->resets++;
    return 0;
}


static void
qc_random(uint8_t *to, size_t len, const ngtcp2_rand_ctx *ctx)
{
    lun_random_bytes(to, len);
}


static int
qc_new_id(ngtcp2_conn *ng, ngtcp2_cid *id, ngtcp2_stateless_reset_token *token,
    size_t len, void *data)
{
    lun_random_bytes(id->data, len);
    lun_random_bytes(token->data, sizeof(token->data));
    id->datalen = len;
    return 0;
}


static int
qc_challenge(ngtcp2_conn *ng, ngtcp2_path_challenge_data *to, void *data)
{
    lun_random_bytes(to->data, sizeof(to->data));
    return 0;
}


static const ngtcp2_callbacks  qc_calls = {
    .client_initial = ngtcp2_crypto_client_initial_cb,
    .recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb,
    .handshake_completed = qc_on_handshake,
    .encrypt = ngtcp2_crypto_encrypt_cb,
    .decrypt = ngtcp2_crypto_decrypt_cb,
    .hp_mask = ngtcp2_crypto_hp_mask_cb,
    .recv_stream_data = qc_on_data,
    .stream_close = qc_on_closed,
    .recv_stateless_reset2 = qc_on_stateless_reset,
    .recv_retry = qc_on_retry,
    .recv_new_token = qc_on_token,
    .rand = qc_random,
    .get_new_connection_id2 = qc_new_id,
    .update_key = ngtcp2_crypto_update_key_cb,
    .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
    .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
    .get_path_challenge_data2 = qc_challenge,
    .version_negotiation = ngtcp2_crypto_version_negotiation_cb
};

#endif
