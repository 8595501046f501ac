/*
 * quic_token.c -- what proves that a client is where it says (RFC 9000, 8.1),
 * and what tells it that a connection is gone (10.3).  All workers of all
 * generations have the same secrets: the host key's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include <ngtcp2/ngtcp2_crypto.h>

#include "base/check.h"
#include "os/random.h"


enum {
    RESETS    = 100,               /* in a second, of this worker */
    SHORTEST  = 41,                /* bytes: RFC 9000, 10.3 */
    RESET_LEN = 40                 /* what we send, if that is no more than
                                      what came */
};

static const ngtcp2_duration  retry_life = 10 * NGTCP2_SECONDS;
static const ngtcp2_duration  token_life = 24 * 3600 * NGTCP2_SECONDS;


/* Ports change when a translator forgets; who asks for Retry is asked anew. */
static void
set_remote(ngtcp2_path_storage *to, const lun_addr *remote)
{
    lun_quic_path_set(to, remote, remote);
}


/* Tokens are for other machines, and for after a start: no monotonic clock. */
static ngtcp2_tstamp
token_time(void)
{
    return (ngtcp2_tstamp) lun_time_wall() * NGTCP2_MILLISECONDS;
}


static const uint8_t *
secret_at(const lun_quics *all, const lun_datagram_door *door)
{
    return lun_quic_token_secret(lun_quic_keys_at(all, door));
}


/*
 * A token of Retry that is wrong is refused (RFC 9000, 8.1.2); one of an
 * earlier connection that is wrong, or old, is as good as none (8.1.3).
 */
lun_quic_token
lun_quic_token_read(lun_quics *all, const lun_datagram_door *door,
    const ngtcp2_pkt_hd *hd, const lun_addr *remote, ngtcp2_cid *original)
{
    ngtcp2_path_storage   path;
    const ngtcp2_addr    *a = &path.path.remote;
    const uint8_t        *secret = secret_at(all, door);

    if (hd->tokenlen == 0) {
        return LUN_QUIC_NO_TOKEN;
    }

    set_remote(&path, remote);

    switch (hd->token[0]) {

    case NGTCP2_CRYPTO_TOKEN_MAGIC_RETRY2:
        return ngtcp2_crypto_verify_retry_token2(
                   original, hd->token, hd->tokenlen, secret, LUN_QUIC_SECRET,
                   hd->version, a->addr, a->addrlen, &hd->dcid, retry_life,
                   token_time()) == 0
               ? LUN_QUIC_RETRY_TOKEN : LUN_QUIC_BAD_TOKEN;

    case NGTCP2_CRYPTO_TOKEN_MAGIC_REGULAR:
        return ngtcp2_crypto_verify_regular_token(
                   hd->token, hd->tokenlen, secret, LUN_QUIC_SECRET, a->addr,
                   a->addrlen, token_life, token_time()) == 0
               ? LUN_QUIC_NEW_TOKEN : LUN_QUIC_NO_TOKEN;
    }

    return LUN_QUIC_NO_TOKEN;
}


/*
 * Nothing is kept: all that is needed to go on is in the token, which comes
 * back with the client's next packet.
 */
void
lun_quic_token_retry(lun_quics *all, lun_datagram_door *door,
    const lun_datagram_key *key, const ngtcp2_pkt_hd *hd)
{
    uint8_t               room[LUN_QUIC_PACKET];
    uint8_t               token[NGTCP2_CRYPTO_MAX_RETRY_TOKENLEN2];
    ngtcp2_cid            id = { .datalen = LUN_QUIC_CID };
    ngtcp2_ssize          n;
    ngtcp2_path_storage   path;
    const ngtcp2_addr    *a = &path.path.remote;

    lun_quic_cid_make(lun_quic_keys_at(all, door), &all->self, id.data);
    set_remote(&path, &key->remote);
    n = ngtcp2_crypto_generate_retry_token2(
            token, secret_at(all, door), LUN_QUIC_SECRET, hd->version,
            a->addr, a->addrlen, &id, &hd->dcid, token_time());

    if (n > 0) {
        n = ngtcp2_crypto_write_retry(room, sizeof(room), hd->version,
                                      &hd->scid, &id, &hd->dcid, token,
                                      (size_t) n);
    }

    if (n > 0) {
        lun_quic_send(door, key, room, (size_t) n);
    }
}


void
lun_quic_token_give(lun_quic_conn *conn)
{
    uint8_t             token[NGTCP2_CRYPTO_MAX_REGULAR_TOKENLEN];
    ngtcp2_ssize        n;
    const ngtcp2_addr  *a = &ngtcp2_conn_get_path2(conn->ng)->remote;

    n = ngtcp2_crypto_generate_regular_token(
            token, secret_at(conn->all, conn->door), LUN_QUIC_SECRET,
            a->addr, a->addrlen, token_time());

    if (n > 0) {
        (void) ngtcp2_conn_submit_new_token(conn->ng, token, (size_t) n);
    }
}


static bool
may_reset(lun_quics *all)
{
    ngtcp2_tstamp  now = lun_quic_now();

    if (now - all->reset_at >= NGTCP2_SECONDS) {
        all->reset_at = now;
        all->resets = 0;
    }

    return all->resets++ < RESETS;
}


void
lun_quic_token_reset(lun_quics *all, lun_datagram_door *door,
    const lun_datagram_key *key, const uint8_t *id, size_t packet_len)
{
    size_t                        len;
    uint8_t                       room[RESET_LEN], noise[RESET_LEN];
    ngtcp2_cid                    cid;
    ngtcp2_ssize                  n;
    ngtcp2_stateless_reset_token  token;

    /* Shorter than what came, so that two of us do not go on for ever. */
    if (packet_len <= SHORTEST || !may_reset(all)) {
        return;
    }

    len = lun_min((size_t) RESET_LEN, packet_len - 1)
          - NGTCP2_STATELESS_RESET_TOKENLEN;
    lun_random_bytes(noise, len);
    ngtcp2_cid_init(&cid, id, LUN_QUIC_CID);

    if (ngtcp2_crypto_generate_stateless_reset_token(
            token.data, lun_quic_reset_secret(lun_quic_keys_at(all, door)),
            LUN_QUIC_SECRET, &cid) != 0)
    {
        return;
    }

    n = ngtcp2_pkt_write_stateless_reset2(room, sizeof(room), &token, noise,
                                          len);
    if (n > 0) {
        lun_quic_send(door, key, room, (size_t) n);
    }
}
