/*
 * quic_client.h -- a client that speaks QUIC, for tests: ngtcp2's, over a
 * socket of its own, moved by hand.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_CLIENT_H
#define LUN_QUIC_CLIENT_H

#include "quic_client_calls.h"


/* A socket of a fresh port. */
static TAP_UNUSED void
qc_bind(quic_client *c, const lun_addr *peer)
{
    c->own = *peer;
    c->own.port = 0;

    if (lun_sock_datagram(c->own.family, &c->fd) != 0
        || lun_sock_bind(c->fd, &c->own) != 0
        || lun_sock_local(c->fd, &c->own) != 0)
    {
        ok(0, "no socket for a client");
        exit(1);
    }
}


/* Begins; `alpn` as TLS has it, its length first. */
static TAP_UNUSED void
qc_begin(quic_client *c, SSL_CTX *ctx, const lun_addr *peer, uint32_t version,
    const char *alpn)
{
    uint8_t                  token[sizeof(c->token)];
    size_t                   token_len = c->token_len;
    ngtcp2_cid               ids[2] = { { .datalen = 8 }, { .datalen = 18 } };
    ngtcp2_settings          settings;
    ngtcp2_path_storage      path;
    ngtcp2_transport_params  params;

    memcpy(token, c->token, token_len);
    memset(c, 0, sizeof(*c));
    memcpy(c->token, token, token_len);
    c->peer = *peer;
    c->text_id = -1;
    qc_bind(c, peer);
    lun_random_bytes(ids[0].data, 8);
    lun_random_bytes(ids[1].data, 18);

    ngtcp2_settings_default(&settings);
    settings.initial_ts = lun_quic_now();
    settings.token = token_len != 0 ? token : NULL;
    settings.tokenlen = token_len;
    ngtcp2_transport_params_default(&params);
    params.initial_max_streams_uni = 8;
    params.initial_max_stream_data_bidi_local = 256 * 1024;
    params.initial_max_stream_data_uni = 256 * 1024;
    params.initial_max_data = 1024 * 1024;

    lun_quic_path_set(&path, &c->own, &c->peer);

    if (ngtcp2_conn_client_new(&c->ng, &ids[1], &ids[0], &path.path, version,
                               &qc_calls, &settings, &params, NULL, c) != 0)
    {
        ok(0, "no client");
        exit(1);
    }

    c->ssl = SSL_new(ctx);
    SSL_set_connect_state(c->ssl);
    SSL_set_alpn_protos(c->ssl, (const unsigned char *) alpn,
                        (unsigned) strlen(alpn));
    SSL_set_tlsext_host_name(c->ssl, "localhost");
    (void) lun_quic_tls_init(&c->tls, c->ssl, c->ng);
}


static TAP_UNUSED void
qc_end(quic_client *c)
{
    ngtcp2_conn_del(c->ng);
    SSL_free(c->ssl);
    lun_quic_tls_fini(&c->tls);
    lun_sock_close(c->fd);
}


static TAP_UNUSED void
qc_close(quic_client *c, uint64_t code)
{
    uint8_t              room[1500];
    ngtcp2_ccerr         error;
    ngtcp2_ssize         n;
    ngtcp2_pkt_info      info;
    ngtcp2_path_storage  path;

    ngtcp2_path_storage_zero(&path);
    ngtcp2_ccerr_default(&error);
    ngtcp2_ccerr_set_application_error(&error, code, NULL, 0);
    n = ngtcp2_conn_write_connection_close(c->ng, &path.path, &info, room,
                                           sizeof(room), &error,
                                           lun_quic_now());
    if (n > 0) {
        (void) lun_sock_send_to(c->fd, room, (size_t) n, &c->peer);
    }
}


static TAP_UNUSED void
qc_send(quic_client *c)
{
    uint8_t              room[1500];
    uint32_t             flags;
    ngtcp2_vec           vec;
    ngtcp2_ssize         n, used;
    ngtcp2_pkt_info      info;
    ngtcp2_path_storage  path;

    for ( ;; ) {
        ngtcp2_path_storage_zero(&path);
        vec = (ngtcp2_vec) { 0 };

        if (c->text_id >= 0) {
            vec.base = (uint8_t *) (uintptr_t) (c->text + c->text_at);
            vec.len = c->text_len - c->text_at;
        }

        used = -1;
        flags = c->text_id >= 0 ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0;
        n = ngtcp2_conn_writev_stream(c->ng, &path.path, &info, room,
                                      sizeof(room), &used, flags, c->text_id,
                                      &vec, c->text_id >= 0 ? 1 : 0,
                                      lun_quic_now());
        if (used >= 0) {
            c->text_at += (size_t) used;

            if (c->text_at == c->text_len) {
                c->text_id = -1;
            }
        }

        if (n == NGTCP2_ERR_STREAM_DATA_BLOCKED
            || n == NGTCP2_ERR_STREAM_SHUT_WR)
        {
            n = ngtcp2_conn_write_pkt(c->ng, &path.path, &info, room,
                                      sizeof(room), lun_quic_now());
        }

        if (n <= 0) {
            c->error = n < 0 ? (int) n : c->error;
            return;
        }

        c->sent += (size_t) n;
        (void) lun_sock_send_to(c->fd, room, (size_t) n, &c->peer);
    }
}


/* Reads what has come, sends what there is. */
static TAP_UNUSED void
qc_turn(quic_client *c)
{
    int                  rc;
    char                 room[65536];
    size_t               len;
    lun_addr             from;
    ngtcp2_pkt_info      info = { 0 };
    ngtcp2_path_storage  path;

    while (c->error == 0
           && lun_sock_receive_from(c->fd, room, sizeof(room), &len, &from)
              == 0)
    {
        c->packets++;
        c->largest = lun_max(c->largest, len);
        lun_quic_path_set(&path, &c->own, &c->peer);
        rc = ngtcp2_conn_read_pkt(c->ng, &path.path, &info,
                                  (const uint8_t *) room, len,
                                  lun_quic_now());
        if (rc != 0) {
            c->error = rc;
        }
    }

    if (c->error == 0 && ngtcp2_conn_get_expiry2(c->ng) <= lun_quic_now()) {
        c->error = ngtcp2_conn_handle_expiry(c->ng, lun_quic_now());
    }

    if (c->error == 0) {
        qc_send(c);
    }
}


/* A stream whose text goes out whole. */
static TAP_UNUSED int64_t
qc_ask(quic_client *c, const char *text, size_t len)
{
    int64_t  id = -1;

    if (ngtcp2_conn_open_bidi_stream(c->ng, &id, NULL) == 0) {
        c->text = text;
        c->text_len = len;
        c->text_at = 0;
        c->text_id = id;
    }

    return id;
}

#endif
