/*
 * quic_new.c -- a connection is made of a client's first packet: what it is
 * told of limits, and which callbacks of ngtcp2 are whose.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include <ngtcp2/ngtcp2_crypto.h>

#include "base/check.h"
#include "net/conn_metrics.h"
#include "net/conn_priv.h"
#include "net/listen_priv.h"
#include "os/random.h"


enum {
    IN_SIZE     = 256,             /* of an input buffer that nobody uses */
    WINDOW      = 256 * 1024,      /* of a connection, to begin with */
    WINDOW_MOST = 16 * 1024 * 1024,
    LARGEST     = 15 * 1024,       /* bytes of a packet: four in a batch */
    STREAM_MOST = 6,               /* a stream's window grows so many times */
    MOST_IDS    = 8                /* of the other side: ngtcp2 has room for as
                                      many */
};


/* --- ngtcp2's callbacks: the connection's --------------------------------- */

static void
on_random(uint8_t *to, size_t len, const ngtcp2_rand_ctx *ctx)
{
    lun_random_bytes(to, len);
}


/* One of ours, with the token by which a client knows a reset. */
static lun_rc
make_id(const lun_quic_conn *conn, ngtcp2_cid *id, uint8_t *token)
{
    const lun_quics  *all = conn->all;
    lun_quic_ids     *ids = lun_quic_keys_at(all, conn->door);

    lun_quic_cid_make(ids, &all->self, id->data);
    id->datalen = LUN_QUIC_CID;

    return ngtcp2_crypto_generate_stateless_reset_token(
               token, lun_quic_reset_secret(ids), LUN_QUIC_SECRET, id) == 0
           ? LUN_OK : LUN_ERROR;
}


static int
on_new_id(ngtcp2_conn *ng, ngtcp2_cid *id,
    ngtcp2_stateless_reset_token *token, size_t len, void *data)
{
    lun_quic_conn  *conn = data;

    LUN_CHECK(len == LUN_QUIC_CID);

    if (make_id(conn, id, token->data) != LUN_OK) {
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }

    lun_quic_add_id(conn, id->data, len);
    return 0;
}


static int
on_remove_id(ngtcp2_conn *ng, const ngtcp2_cid *id, void *data)
{
    lun_quic_remove_id(data, id->data, id->datalen);
    return 0;
}


static int
on_challenge(ngtcp2_conn *ng, ngtcp2_path_challenge_data *to, void *data)
{
    lun_random_bytes(to->data, sizeof(to->data));
    return 0;
}


void
lun_quic_callbacks(ngtcp2_callbacks *to)
{
    *to = (ngtcp2_callbacks) {
        .encrypt = ngtcp2_crypto_encrypt_cb,
        .decrypt = ngtcp2_crypto_decrypt_cb,
        .hp_mask = ngtcp2_crypto_hp_mask_cb,
        .rand = on_random,
        .update_key = ngtcp2_crypto_update_key_cb,
        .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
        .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
        .get_path_challenge_data2 = on_challenge
    };

    lun_quic_shake_callbacks(to);
    lun_quic_stream_callbacks(to);
}


/* --- birth --------------------------------------------------------------- */

static const ngtcp2_cc_algo  algorithms[] = {
    [LUN_QUIC_CUBIC] = NGTCP2_CC_ALGO_CUBIC,
    [LUN_QUIC_BBR]   = NGTCP2_CC_ALGO_BBR,
    [LUN_QUIC_RENO]  = NGTCP2_CC_ALGO_RENO
};


void
lun_quic_settings(const lun_quic_conf *conf, ngtcp2_settings *s)
{
    static const uint32_t  versions[] = { NGTCP2_PROTO_VER_V2,
                                          NGTCP2_PROTO_VER_V1 };

    /* Tunnels, Ethernet, large frames of a data centre, this machine. */
    static const uint16_t  sizes[] = { 1340, 1400, 1452, 8900, LARGEST };

    ngtcp2_settings_default(s);
    s->max_tx_udp_payload_size = LARGEST;
    s->pmtud_probes = sizes;
    s->pmtud_probeslen = LUN_ARRAY_LEN(sizes);
    s->cc_algo = algorithms[conf->cc];
    s->initial_ts = lun_quic_now();
    s->handshake_timeout = (ngtcp2_duration) conf->handshake_timeout
                           * NGTCP2_MILLISECONDS;
    s->max_window = WINDOW_MOST;
    s->max_stream_window = conf->stream_window * STREAM_MOST;
    s->available_versions = versions;
    s->available_versionslen = LUN_ARRAY_LEN(versions);
    s->preferred_versions = versions + 1;      /* the client's, if it may be */
    s->preferred_versionslen = 1;
}


void
lun_quic_params(const lun_quic_conf *conf, ngtcp2_transport_params *p)
{
    ngtcp2_transport_params_default(p);
    p->initial_max_streams_bidi = conf->streams_bidi;
    p->initial_max_streams_uni = conf->streams_uni;
    p->initial_max_stream_data_bidi_remote = conf->stream_window;
    p->initial_max_stream_data_bidi_local = conf->stream_window;
    p->initial_max_stream_data_uni = conf->stream_window;
    p->initial_max_data = lun_max((uint64_t) WINDOW,
                                  (uint64_t) conf->stream_window * 2);
    p->max_idle_timeout = (ngtcp2_duration) conf->idle_timeout
                          * NGTCP2_MILLISECONDS;
    p->active_connection_id_limit = lun_min(lun_max(conf->cid_limit, 2u),
                                            (unsigned) MOST_IDS);
    p->grease_quic_bit = 1;
}


/* What its token says of the client, for ngtcp2. */
static void
use_token(const ngtcp2_pkt_hd *hd, ngtcp2_settings *s)
{
    s->token = hd->token;
    s->tokenlen = hd->tokenlen;
    s->token_type = hd->token[0] == NGTCP2_CRYPTO_TOKEN_MAGIC_REGULAR
                    ? NGTCP2_TOKEN_TYPE_NEW_TOKEN : NGTCP2_TOKEN_TYPE_RETRY;
}


/*
 * The client knows its first packet's destination id, or that of before Retry:
 * it is sent back authenticated, so that nobody on the way can have changed it
 * (RFC 9000, 7.3).
 */
static lun_rc
make_ng(lun_quic_conn *conn, const ngtcp2_pkt_hd *hd,
    const ngtcp2_cid *original, bool valid)
{
    ngtcp2_cid               id;
    ngtcp2_settings          settings;
    ngtcp2_callbacks         callbacks;
    ngtcp2_path_storage      path;
    ngtcp2_transport_params  params;

    lun_quic_settings(conn->conf, &settings);

    if (valid) {
        use_token(hd, &settings);
    }

    lun_quic_qlog_begin(conn, original != NULL ? original : &hd->dcid);
    settings.qlog_write = conn->qlog != NULL ? lun_quic_qlog_write : NULL;
    lun_quic_params(conn->conf, &params);
    params.stateless_reset_token_present = 1;
    lun_quic_callbacks(&callbacks);
    lun_quic_migration_callbacks(&callbacks);
    callbacks.get_new_connection_id2 = on_new_id;
    callbacks.remove_connection_id = on_remove_id;

    params.original_dcid = original != NULL ? *original : hd->dcid;
    params.original_dcid_present = 1;

    if (original != NULL) {
        params.retry_scid = hd->dcid;
        params.retry_scid_present = 1;
    }

    if (make_id(conn, &id, params.stateless_reset_token) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_quic_path_set(&path, &conn->first.local, &conn->first.remote);

    if (ngtcp2_conn_server_new(&conn->ng, &hd->scid, &id, &path.path,
                               hd->version, &callbacks, &settings, &params,
                               NULL, conn) != 0)
    {
        return LUN_ERROR;
    }

    lun_quic_add_id(conn, id.data, id.datalen);
    lun_quic_add_id(conn, hd->dcid.data, hd->dcid.datalen);
    return LUN_OK;
}


static lun_conn *
make_conn(lun_quics *all, lun_listener *l, const lun_datagram_key *key)
{
    lun_conn       *c;
    const lun_log  *log = l->quic->log != NULL ? l->quic->log(l) : NULL;

    c = lun_conn_new_bare(all->loop, IN_SIZE, log);
    c->listener = l;
    c->remote = key->remote;
    lun_listen_set_debug(l, &c->remote, &c->log);
    c->local = key->local;
    c->local_known = true;
    lun_metric_add(lun_conn_accepted_at, 1);
    lun_conn_count_client(c);

    return c;
}


/*
 * It counts as a handshake in progress until it is complete: that is what
 * `quic_retry auto` goes by.
 */
lun_quic_conn *
lun_quic_conn_new(lun_quics *all, lun_datagram_door *door,
    const lun_datagram_key *key, const ngtcp2_pkt_hd *hd,
    const ngtcp2_cid *original, bool valid)
{
    lun_listener   *l = door->listener;
    lun_conn       *c = make_conn(all, l, key);
    lun_quic_conn  *conn = lun_pool_new(lun_conn_memory(c), lun_quic_conn);

    conn->q.mark = LUN_MARK_QUIC;
    conn->q.c = c;
    conn->all = all;
    conn->door = door;
    conn->first = *key;
    conn->conf = l->quic->conf(l);
    conn->counted = 1;
    all->handshakes++;
    door->sessions++;
    ngtcp2_ccerr_default(&conn->error);
    lun_list_init(&conn->ids);
    lun_list_push_back(&all->conns, &conn->link);
    c->io = &lun_quic_io;
    c->io_data = conn;

    if (make_ng(conn, hd, original, valid) != LUN_OK) {
        lun_log(LUN_LOG_ALERT, &c->log, 0, "could not make a QUIC connection");
        lun_conn_close(c);
        return NULL;
    }

    if (l->quic->accept(l, &conn->q) != LUN_OK) {
        ngtcp2_ccerr_set_transport_error(&conn->error, NGTCP2_INTERNAL_ERROR,
                                         NULL, 0);
        conn->stage = LUN_QUIC_CLOSES;
        lun_conn_close(c);
        return NULL;
    }

    LUN_CHECK(conn->q.protocol != NULL && conn->h.ssl != NULL);
    lun_listen_taken(l->set);
    return conn;
}
