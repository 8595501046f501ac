/*
 * quic.c -- packets of one connection, over a socket of its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <ngtcp2/ngtcp2_crypto.h>
#include <openssl/ssl.h>
#include <stdio.h>

#include "net/quic/quic_path.h"
#include "net/quic/quic_tls.h"
#include "os/random.h"
#include "os/sock.h"
#include "t/lib/http3_client/client.h"


enum { PACKET = 1500, REBIND = 20 };

static lun_fd         fd = LUN_FD_NONE;
static lun_addr       own;
static ngtcp2_conn   *quic;
static SSL           *ssl;
static lun_quic_tls   tls;
static unsigned       packets;
static uint64_t       deadline;        /* of lun_quic_now() */
static bool           ready;           /* the handshake is complete */
bool                  over;

/* --early: what the first connection has learned for the second. */
static SSL_SESSION   *session;
static uint8_t        params_then[512];
static size_t         params_then_len;


static int
on_stream_data(ngtcp2_conn *q, uint32_t flags, int64_t id, uint64_t offset,
    const uint8_t *bytes, size_t n, void *data, void *stream)
{
    return http_data(id, bytes, n,
                     (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0)
           ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}


static int
on_acked(ngtcp2_conn *q, int64_t id, uint64_t offset, uint64_t n, void *data,
    void *stream)
{
    http_acked(id, n);
    return 0;
}


static int
on_stream_close(ngtcp2_conn *q, uint32_t flags, int64_t id, uint64_t code,
    void *data, void *stream)
{
    exchange  *x = find_exchange(id);

    if (x != NULL) {
        x->closed = true;
        x->code = flags & NGTCP2_STREAM_CLOSE_FLAG_APP_ERROR_CODE_SET ? code
                                                                      : 0;
    }

    http_closed(id, code);
    return 0;
}


static int
on_stream_reset(ngtcp2_conn *q, int64_t id, uint64_t size, uint64_t code,
    void *data, void *stream)
{
    http_reset(id);
    return 0;
}


static int
on_stop_sending(ngtcp2_conn *q, int64_t id, uint64_t code, void *data,
    void *stream)
{
    http_stopped(id);
    return 0;
}


static int
on_more_room(ngtcp2_conn *q, int64_t id, uint64_t most, void *data,
    void *stream)
{
    http_may_send(id);
    return 0;
}


static int
on_handshake(ngtcp2_conn *q, void *data)
{
    ready = true;

    if (!opt.early) {
        begin_http();

    } else if (params_then_len != 0
               && SSL_get_early_data_status(ssl) != SSL_EARLY_DATA_ACCEPTED)
    {
        quit(FAILED, "early data were not accepted");
    }

    return 0;
}


static int
on_session(SSL *s, SSL_SESSION *fresh)
{
    if (session != NULL) {
        return 0;
    }

    session = fresh;
    return 1;
}


static void
on_rand(uint8_t *to, size_t n, const ngtcp2_rand_ctx *ctx)
{
    lun_random_bytes(to, n);
}


static int
on_new_id(ngtcp2_conn *q, ngtcp2_cid *id, ngtcp2_stateless_reset_token *token,
    size_t n, void *data)
{
    lun_random_bytes(id->data, n);
    lun_random_bytes(token->data, sizeof(token->data));
    id->datalen = n;
    return 0;
}


static int
on_challenge(ngtcp2_conn *q, ngtcp2_path_challenge_data *to, void *data)
{
    lun_random_bytes(to->data, sizeof(to->data));
    return 0;
}


static const ngtcp2_callbacks  calls = {
    .client_initial = ngtcp2_crypto_client_initial_cb,
    .recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb,
    .handshake_completed = on_handshake,
    .encrypt = ngtcp2_crypto_encrypt_cb,
    .decrypt = ngtcp2_crypto_decrypt_cb,
    .hp_mask = ngtcp2_crypto_hp_mask_cb,
    .recv_stream_data = on_stream_data,
    .acked_stream_data_offset = on_acked,
    .stream_close = on_stream_close,
    .stream_reset = on_stream_reset,
    .stream_stop_sending = on_stop_sending,
    .extend_max_stream_data = on_more_room,
    .recv_retry = ngtcp2_crypto_recv_retry_cb,
    .rand = on_rand,
    .get_new_connection_id2 = on_new_id,
    .update_key = ngtcp2_crypto_update_key_cb,
    .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
    .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
    .get_path_challenge_data2 = on_challenge,
    .version_negotiation = ngtcp2_crypto_version_negotiation_cb
};


/* A socket of a fresh port. */
static void
open_socket(void)
{
    if (fd != LUN_FD_NONE) {
        lun_sock_close(fd);
    }

    if (lun_sock_datagram(opt.peer.family, &fd) != 0
        || lun_sock_connect_datagram(fd, &opt.peer) != 0
        || lun_sock_local(fd, &own) != 0)
    {
        quit(FAILED, "no socket");
    }
}


static void
begin_tls(void)
{
    char      alpn[64];
    SSL_CTX  *ctx = SSL_CTX_new(TLS_client_method());

    if (opt.cert != NULL
        && (SSL_CTX_use_certificate_chain_file(ctx, opt.cert) != 1
            || SSL_CTX_use_PrivateKey_file(ctx, opt.key != NULL ? opt.key
                                                : opt.cert,
                                           SSL_FILETYPE_PEM) != 1))
    {
        quit(FAILED, "no certificate");
    }

    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_sess_set_new_cb(ctx, on_session);
    ssl = SSL_new(ctx);
    SSL_set_connect_state(ssl);

    if (session != NULL) {
        SSL_set_session(ssl, session);
    }

    alpn[0] = (char) strlen(opt.alpn);
    (void) snprintf(alpn + 1, sizeof(alpn) - 1, "%s", opt.alpn);
    SSL_set_alpn_protos(ssl, (const unsigned char *) alpn,
                        (unsigned) strlen(alpn));

    if (opt.sni != NULL) {
        SSL_set_tlsext_host_name(ssl, opt.sni);
    }
}


static void
connect_quic(void)
{
    ngtcp2_cid               ids[2] = { { .datalen = 8 }, { .datalen = 18 } };
    ngtcp2_settings          settings;
    ngtcp2_path_storage      path;
    ngtcp2_transport_params  params;

    open_socket();
    lun_random_bytes(ids[0].data, 8);
    lun_random_bytes(ids[1].data, 18);

    ngtcp2_settings_default(&settings);
    settings.initial_ts = lun_quic_now();
    ngtcp2_transport_params_default(&params);
    params.initial_max_streams_uni = 8;
    params.initial_max_stream_data_bidi_local = opt.slow ? 1000 : 256 * 1024;
    params.initial_max_stream_data_uni = 256 * 1024;
    params.initial_max_data = 1024 * 1024;

    lun_quic_path_set(&path, &own, &opt.peer);

    if (ngtcp2_conn_client_new(&quic, &ids[1], &ids[0], &path.path,
                               NGTCP2_PROTO_VER_V1, &calls, &settings,
                               &params, NULL, NULL) != 0)
    {
        quit(FAILED, "no QUIC");
    }

    begin_tls();

    if (lun_quic_tls_init(&tls, ssl, quic) != LUN_OK) {
        quit(FAILED, "no TLS");
    }

    if (session != NULL
        && (SSL_set_quic_tls_early_data_enabled(ssl, 1) != 1
            || ngtcp2_conn_decode_and_set_0rtt_transport_params(
                   quic, params_then, params_then_len) != 0))
    {
        quit(FAILED, "no early data");
    }
}


static void
shake_hands(void)
{
    while (!ready && !over) {
        turn(UINT64_MAX);
    }

    if (over) {
        quit(FAILED, "no handshake");
    }
}


/* A connection whose only purpose is a session for the next one. */
static void
learn_session(void)
{
    ngtcp2_ssize  n;

    connect_quic();
    shake_hands();

    while (session == NULL && !over) {
        turn(UINT64_MAX);
    }

    n = ngtcp2_conn_encode_0rtt_transport_params(quic, params_then,
                                                 sizeof(params_then));
    params_then_len = n > 0 ? (size_t) n : 0;
    say_goodbye();
    ngtcp2_conn_del(quic);
    lun_quic_tls_fini(&tls);
    tls = (lun_quic_tls) { 0 };
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(ssl);                 /* and the session stays good */
    ready = over = false;
}


void
begin_quic(void)
{
    deadline = lun_quic_now() + (uint64_t) (opt.max_time * 1e9);

    if (opt.early) {
        learn_session();
        connect_quic();
        begin_http();

    } else {
        connect_quic();
        shake_hands();
    }

    /* Who says nothing from a new port is not heard of again: it only reads. */
    if (opt.rebind) {
        ngtcp2_conn_set_keep_alive_timeout(quic, 20 * NGTCP2_MILLISECONDS);
    }
}


static void
send_all(void)
{
    int                  fin;
    int64_t              id;
    uint8_t              room[PACKET];
    nghttp3_vec          vec[8];
    nghttp3_ssize        slices;
    ngtcp2_ssize         n, used;
    ngtcp2_pkt_info      info;
    ngtcp2_path_storage  path;

    for ( ;; ) {
        ngtcp2_path_storage_zero(&path);
        slices = http_next(&id, &fin, vec, 8);

        if (slices < 0) {
            quit(FAILED, nghttp3_strerror((int) slices));
        }

        n = ngtcp2_conn_writev_stream(quic, &path.path, &info, room,
                                      sizeof(room), &used,
                                      NGTCP2_WRITE_STREAM_FLAG_MORE
                                      | (fin ? NGTCP2_WRITE_STREAM_FLAG_FIN
                                             : 0u),
                                      id, (const ngtcp2_vec *) (void *) vec,
                                      (size_t) slices, lun_quic_now());

        switch (n) {

        case NGTCP2_ERR_STREAM_DATA_BLOCKED:
            http_blocked(id);
            continue;

        case NGTCP2_ERR_STREAM_SHUT_WR:
        case NGTCP2_ERR_STREAM_NOT_FOUND:
            http_stopped(id);
            continue;

        case NGTCP2_ERR_WRITE_MORE:
            http_went(id, (size_t) used);
            continue;
        }

        if (used >= 0) {
            http_went(id, (size_t) used);
        }

        if (n < 0) {
            over = true;
        }

        if (n <= 0) {
            return;
        }

        (void) lun_sock_send_to(fd, room, (size_t) n, &opt.peer);
        ngtcp2_conn_update_pkt_tx_time(quic, lun_quic_now());
    }
}


static void
read_packet(const char *bytes, size_t n)
{
    ngtcp2_pkt_info      info = { 0 };
    ngtcp2_path_storage  path;

    lun_quic_path_set(&path, &own, &opt.peer);

    if (ngtcp2_conn_read_pkt(quic, &path.path, &info, (const uint8_t *) bytes,
                             n, lun_quic_now()) != 0)
    {
        over = true;
    }

    if (opt.rebind && ++packets % REBIND == 0) {
        lun_addr  before = own;

        open_socket();
        own = before;              /* the client itself does not know it */
    }
}


void
turn(uint64_t end)
{
    char           bytes[65536];
    size_t         n = 0;
    lun_msec       limit;
    ngtcp2_tstamp  now, due;

    send_all();
    now = lun_quic_now();

    if (now >= deadline) {
        quit(TIMED_OUT, "timed out");
    }

    due = lun_min(lun_min(ngtcp2_conn_get_expiry2(quic), deadline), end);
    limit = due <= now ? 0 : (lun_msec) ((due - now) / 1000000 + 1);

    if (!over && limit != 0
        && lun_sock_recv_wait(fd, bytes, sizeof(bytes), limit, &n) == 0
        && n != 0)
    {
        read_packet(bytes, n);
    }

    if (!over && ngtcp2_conn_get_expiry2(quic) <= lun_quic_now()
        && ngtcp2_conn_handle_expiry(quic, lun_quic_now()) != 0)
    {
        over = true;
    }
}


/* --- for HTTP ------------------------------------------------------------ */

bool
open_stream(exchange *x)
{
    return ngtcp2_conn_open_bidi_stream(quic, &x->id, NULL) == 0;
}


int64_t
open_uni(void)
{
    int64_t  id;

    if (ngtcp2_conn_open_uni_stream(quic, &id, NULL) != 0) {
        quit(FAILED, "the server allows no streams");
    }

    return id;
}


void
give_room(int64_t id, size_t n)
{
    (void) ngtcp2_conn_extend_max_stream_offset(quic, id, n);
    ngtcp2_conn_extend_max_offset(quic, n);
}


void
cancel_stream(int64_t id, uint64_t code)
{
    (void) ngtcp2_conn_shutdown_stream(quic, 0, id, code);
}


void
stop_reading(int64_t id, uint64_t code)
{
    (void) ngtcp2_conn_shutdown_stream_read(quic, 0, id, code);
}


void
stop_writing(int64_t id, uint64_t code)
{
    (void) ngtcp2_conn_shutdown_stream_write(quic, 0, id, code);
}


/* --- the end ------------------------------------------------------------- */

void
say_goodbye(void)
{
    uint8_t              room[PACKET];
    ngtcp2_ccerr         error;
    ngtcp2_ssize         n;
    ngtcp2_pkt_info      info;
    ngtcp2_path_storage  path;

    ngtcp2_path_storage_zero(&path);
    ngtcp2_ccerr_default(&error);
    ngtcp2_ccerr_set_application_error(&error, NGHTTP3_H3_NO_ERROR, NULL, 0);
    n = ngtcp2_conn_write_connection_close(quic, &path.path, &info, room,
                                           sizeof(room), &error,
                                           lun_quic_now());
    if (n > 0) {
        (void) lun_sock_send_to(fd, room, (size_t) n, &opt.peer);
    }
}


void
print_end(void)
{
    const ngtcp2_ccerr  *why = ngtcp2_conn_get_ccerr(quic);

    if (over) {
        printf("connection: %s 0x%x\n",
               why->type == NGTCP2_CCERR_TYPE_APPLICATION ? "application"
                                                          : "transport",
               (unsigned) why->error_code);
    } else {
        printf("connection: open\n");
    }
}
