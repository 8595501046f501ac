/*
 * quic_route.c -- whose a packet is.
 *
 *     an id of a connection that is here   > the connection
 *     of one that another process has      > a letter to that one
 *     an Initial that nobody knows         > a new connection, or Retry
 *     anything else                        > a stateless reset, or nothing
 *
 * Until a client uses an id of ours, its packets are known by the one that it
 * chose, and which worker has them is written in the table of datagrams
 * (net/datagram_owner.c), by their addresses, as long as the connection lives:
 * a first packet may come twice, and late.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_route.h"

#include <ngtcp2/ngtcp2_crypto.h>

#include "base/check.h"
#include "net/conn_metrics.h"
#include "net/listen_priv.h"
#include "net/quic/quic_priv.h"
#include "os/lock.h"
#include "os/random.h"


enum {
    FIRST_ROOM = 64,               /* of the index */
    INVALID_TOKEN = 0xb,           /* RFC 9000, 20.1 */
    BUSY       = 256               /* handshakes: quic_retry auto */
};


/* --- a loop's ------------------------------------------------------------ */

static void
end_quics(lun_loop *loop, lun_loop_part *part)
{
    lun_quics  *all = lun_container_of(part, lun_quics, part);

    /* Connections have been closed before; what they left is not. */
    lun_quic_closing_end(all);
    lun_quic_keys_end(all);
    lun_free(all->index);
    lun_free(all->batch);
    lun_free(all);
    loop->quics = NULL;
}


lun_quics *
lun_quics_of(lun_loop *loop)
{
    lun_quics  *all = loop->quics;

    if (all == NULL) {
        all = loop->quics = lun_calloc(sizeof(lun_quics));
        all->loop = loop;
        all->datagrams = lun_datagrams_of(loop);
        all->batch = lun_malloc(LUN_QUIC_BATCH);
        lun_list_init(&all->conns);
        lun_list_init(&all->closing);
        lun_random_bytes(all->pad, sizeof(all->pad));
        lun_quic_keys_init(all);
        all->self.row = LUN_QUIC_NO_ROW;
        all->self.process = lun_lock_self();
        all->part.end = end_quics;
        lun_loop_add_part(loop, &all->part);
    }

    return all;
}


void
lun_quic_listen(lun_datagram_door *d)
{
    const lun_listener  *l = d->listener;

    if (l->quic != NULL) {
        lun_quic_keys_use(lun_quics_of(d->all->loop), d,
                          l->quic->conf(l)->host_key);
    }
}


/* --- the index ----------------------------------------------------------- */

static uint64_t
hash_of(const lun_quics *all, const uint8_t *id, size_t len)
{
    char    bytes[NGTCP2_MAX_CIDLEN];
    size_t  i;

    for (i = 0; i < len; i++) {
        bytes[i] = (char) (id[i] ^ all->pad[i]);
    }

    return lun_str_hash(lun_str_of(bytes, len));
}


static lun_quic_entry **
find_entry(const lun_quics *all, const uint8_t *id, size_t len)
{
    uint64_t          hash;
    lun_quic_entry  **e;

    if (all->index == NULL || len > NGTCP2_MAX_CIDLEN) {
        return NULL;               /* other versions may have longer ones */
    }

    hash = hash_of(all, id, len);

    for (e = &all->index[hash & all->index_mask]; *e != NULL; e = &(*e)->next)
    {
        if ((*e)->hash == hash && (*e)->len == len
            && memcmp((*e)->id, id, len) == 0)
        {
            return e;
        }
    }

    return NULL;
}


static void
grow_index(lun_quics *all)
{
    size_t            i, room;
    lun_quic_entry  **old = all->index, **fresh, *e, *next;

    room = old != NULL ? (all->index_mask + 1) * 2 : FIRST_ROOM;
    fresh = lun_calloc(room * sizeof(lun_quic_entry *));

    for (i = 0; old != NULL && i <= all->index_mask; i++) {
        for (e = old[i]; e != NULL; e = next) {
            next = e->next;
            e->next = fresh[e->hash & (room - 1)];
            fresh[e->hash & (room - 1)] = e;
        }
    }

    all->index = fresh;
    all->index_mask = room - 1;
    lun_free(old);
}


void
lun_quic_add_id(lun_quic_conn *conn, const uint8_t *id, size_t len)
{
    lun_quics        *all = conn->all;
    lun_quic_entry   *e, **at;

    LUN_CHECK(len <= NGTCP2_MAX_CIDLEN);

    if (find_entry(all, id, len) != NULL) {
        return;                    /* a client's, of another connection */
    }

    if (all->index == NULL || all->entries > all->index_mask) {
        grow_index(all);
    }

    e = lun_calloc(sizeof(lun_quic_entry));
    e->conn = conn;
    e->hash = hash_of(all, id, len);
    e->len = len;
    memcpy(e->id, id, len);

    at = &all->index[e->hash & all->index_mask];
    e->next = *at;
    *at = e;
    all->entries++;
    lun_list_push_back(&conn->ids, &e->link);
}


static void
remove_entry(lun_quics *all, lun_quic_entry **at)
{
    lun_quic_entry  *e = *at;

    *at = e->next;
    all->entries--;
    lun_list_remove(&e->link);
    lun_free(e);
}


void
lun_quic_remove_id(lun_quic_conn *conn, const uint8_t *id, size_t len)
{
    lun_quic_entry  **at = find_entry(conn->all, id, len);

    if (at != NULL && (*at)->conn == conn) {
        remove_entry(conn->all, at);
    }
}


void
lun_quic_remove_ids(lun_quics *all, lun_list *ids)
{
    lun_quic_entry  *e;

    while (!lun_list_empty(ids)) {
        e = lun_container_of(ids->next, lun_quic_entry, link);
        remove_entry(all, find_entry(all, e->id, e->len));
    }
}


/* --- new connections ----------------------------------------------------- */

static bool
wants_retry(const lun_quics *all, const lun_quic_conf *conf)
{
    return conf->retry == LUN_QUIC_RETRY_ON
           || (conf->retry == LUN_QUIC_RETRY_AUTO && all->handshakes >= BUSY);
}


static void
refuse(lun_datagram_door *d, const lun_datagram_key *key,
    const ngtcp2_pkt_hd *hd, uint64_t code)
{
    uint8_t       room[LUN_QUIC_PACKET];
    ngtcp2_ssize  n;

    n = ngtcp2_crypto_write_connection_close(room, sizeof(room), hd->version,
                                             &hd->scid, &hd->dcid, code, NULL,
                                             0);
    if (n > 0) {
        lun_quic_send(d, key, room, (size_t) n);
    }
}


/*
 * Nothing is kept of a client before this: a packet that is too short, or
 * without a token where one is wanted, costs one look, and at most one answer
 * that is smaller than it.
 */
static void
begin(lun_quics *all, lun_datagram_door *d, const lun_datagram_key *key,
    const lun_quic_packet *p)
{
    bool                  valid = false;
    ngtcp2_cid            original;
    ngtcp2_pkt_hd         hd;
    lun_quic_conn        *conn;
    const ngtcp2_cid     *was = NULL;
    const lun_quic_conf  *conf = d->listener->quic->conf(d->listener);

    if (p->len < LUN_QUIC_INITIAL
        || ngtcp2_accept(&hd, (const uint8_t *) p->data, p->len) != 0)
    {
        return;
    }

    switch (lun_quic_token_read(all, d, &hd, &key->remote, &original)) {

    case LUN_QUIC_BAD_TOKEN:
        refuse(d, key, &hd, INVALID_TOKEN);
        return;

    case LUN_QUIC_RETRY_TOKEN:
        was = &original;
        valid = true;
        break;

    case LUN_QUIC_NEW_TOKEN:
        valid = true;
        break;

    case LUN_QUIC_NO_TOKEN:
        if (wants_retry(all, conf)) {
            lun_quic_token_retry(all, d, key, &hd);
            return;
        }

        break;
    }

    conn = lun_quic_conn_new(all, d, key, &hd, was, valid);

    if (conn != NULL) {
        lun_quic_conn_read(conn, key, p);
    }
}


static void
count_drop(lun_quics *all)
{
    all->datagrams->counters.dropped++;
    lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_DROPPED, 1);
}


static void
count_forward(lun_quics *all)
{
    all->datagrams->counters.forwarded++;
    lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_FORWARDED, 1);
}


/* A long packet of an id that is not ours: the client's first ones. */
static void
route_first(lun_quics *all, lun_datagram_door *d, const lun_datagram_key *key,
    const lun_quic_packet *p)
{
    bool  open;

    open = d != NULL && d->listener != NULL && d->listener->quic != NULL
           && lun_listen_may_take(d->listener->set);

    switch (lun_datagram_forward(all->datagrams, key,
                                 LUN_DATAGRAM_QUIC | p->ecn,
                                 lun_str_of(p->data, p->len), open))
    {
    case LUN_DATAGRAM_FORWARDED:
        count_forward(all);
        return;

    case LUN_DATAGRAM_DROPPED:
        break;

    case LUN_DATAGRAM_OURS:
        if (open) {
            begin(all, d, key, p);
            return;
        }

        break;
    }

    count_drop(all);
}


/* --- packets ------------------------------------------------------------- */

/* A version that we do not speak: those that we do. */
static void
negotiate(lun_datagram_door *d, const lun_datagram_key *key,
    const ngtcp2_version_cid *v, size_t len)
{
    static const uint32_t  ours[] = { NGTCP2_PROTO_VER_V1,
                                      NGTCP2_PROTO_VER_V2 };

    uint8_t       room[LUN_QUIC_INITIAL], unused;
    ngtcp2_ssize  n;

    if (len < LUN_QUIC_INITIAL) {
        return;                    /* no more goes back than has come */
    }

    lun_random_bytes(&unused, 1);
    n = ngtcp2_pkt_write_version_negotiation(room, sizeof(room), unused,
                                             v->scid, v->scidlen, v->dcid,
                                             v->dcidlen, ours,
                                             LUN_ARRAY_LEN(ours));
    if (n > 0) {
        lun_quic_send(d, key, room, (size_t) n);
    }
}


/* True: another process has it. */
static bool
hand_on(lun_quics *all, const lun_datagram_door *d,
    const lun_datagram_key *key, const uint8_t *id, const lun_quic_packet *p)
{
    unsigned        which;
    lun_quic_owner  owner;

    for (which = 0; lun_quic_keys_owner(all, d, id, which, &owner); which++) {

        if (owner.process == all->self.process) {
            return false;          /* it was ours, and is no more */
        }

        if (owner.row == LUN_QUIC_NO_ROW) {
            continue;
        }

        switch (lun_datagram_forward_to(all->datagrams, key,
                                        LUN_DATAGRAM_QUIC | p->ecn,
                                        lun_str_of(p->data, p->len),
                                        owner.row, owner.process))
        {
        case LUN_DATAGRAM_FORWARDED:
            count_forward(all);
            return true;

        case LUN_DATAGRAM_DROPPED:
            count_drop(all);
            return true;

        case LUN_DATAGRAM_OURS:
            break;                 /* nobody is in that row */
        }
    }

    return false;
}


/* `handed`: by another worker, which hands nothing on again. */
static void
route(lun_quics *all, lun_datagram_door *d, const lun_datagram_key *key,
    const lun_quic_packet *p, bool handed)
{
    int                  rc;
    bool                 is_long;
    lun_quic_entry     **e;
    ngtcp2_version_cid   v;

    if (p->len == 0) {
        return;                    /* ngtcp2 insists on a byte */
    }

    rc = ngtcp2_pkt_decode_version_cid(&v, (const uint8_t *) p->data, p->len,
                                       LUN_QUIC_CID);

    if (rc == NGTCP2_ERR_VERSION_NEGOTIATION) {
        if (d != NULL && d->listener != NULL) {
            negotiate(d, key, &v, p->len);
        }

        return;
    }

    if (rc != 0) {
        return;
    }

    e = find_entry(all, v.dcid, v.dcidlen);

    if (e != NULL && (*e)->conn != NULL) {
        lun_quic_conn_read((*e)->conn, key, p);
        return;
    }

    if (e != NULL) {
        lun_quic_closing_read((*e)->closing, key, p->len);
        return;
    }

    is_long = ((uint8_t) p->data[0] & 0x80) != 0;

    if (!handed && v.dcidlen == LUN_QUIC_CID
        && hand_on(all, d, key, v.dcid, p))
    {
        return;
    }

    if (is_long) {
        route_first(all, d, key, p);

    } else if (d != NULL) {
        lun_quic_token_reset(all, d, key, v.dcid, p->len);
    }
}


void
lun_quic_received(lun_datagram_door *d, const lun_datagram_key *key,
    const char *data, size_t len, uint8_t ecn)
{
    lun_quic_packet  p = { data, len, ecn };

    route(lun_quics_of(d->all->loop), d, key, &p, false);
}


void
lun_quic_arrived(lun_datagrams *all, const lun_datagram_key *key,
    const char *data, size_t len, uint8_t ecn)
{
    lun_quic_packet  p = { data, len, ecn };

    route(lun_quics_of(all->loop), lun_datagram_door_at(all, &key->local),
          key, &p, true);
}
