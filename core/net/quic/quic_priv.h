/*
 * quic_priv.h -- what the rooms of QUIC need of each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_PRIV_H
#define LUN_QUIC_PRIV_H

#include <ngtcp2/ngtcp2.h>

#include "base/check.h"
#include "net/conn_io.h"
#include "net/datagram_priv.h"
#include "net/quic/quic.h"
#include "net/quic/quic_cid.h"
#include "net/quic/quic_path.h"
#include "net/quic/quic_tls.h"
#include "net/tls/tls_shake.h"

enum {
    LUN_QUIC_PACKET  = 1500,       /* bytes of one that we send, at most */
    LUN_QUIC_BATCH   = 62 * 1024,  /* bytes that are sent at a time */
    LUN_QUIC_INITIAL = 1200,       /* a client's first is no smaller */
    LUN_QUIC_KEYS    = 32          /* host keys that are remembered */
};

typedef struct lun_quics         lun_quics;
typedef struct lun_quic_conn     lun_quic_conn;
typedef struct lun_quic_closing  lun_quic_closing;
typedef struct lun_quic_qlog     lun_quic_qlog;

/* An id that packets for a connection of this worker may have. */
typedef struct lun_quic_entry  lun_quic_entry;
struct lun_quic_entry {
    lun_quic_entry    *next;       /* in the index */
    lun_list           link;       /* of the connection's, or the closing's */
    lun_quic_conn     *conn;       /* one of these two */
    lun_quic_closing  *closing;
    uint64_t           hash;
    size_t             len;
    uint8_t            id[NGTCP2_MAX_CIDLEN];
};

typedef struct {
    const char  *data;
    size_t       len;
    uint8_t      ecn;
} lun_quic_packet;

/* All of a loop's. */
struct lun_quics {
    lun_loop_part       part;
    lun_loop           *loop;
    lun_datagrams      *datagrams;
    lun_quic_owner      self;

    /* quic_keys.c's: host keys, ours and those of others. */
    lun_list            own;
    lun_quic_ids       *ids;               /* of who has no key of its own */
    void               *keys;              /* in the zone; NULL: alone */
    lun_quic_ids       *others[LUN_QUIC_KEYS + 1];
    uint32_t            others_ready[LUN_QUIC_KEYS];

    lun_quic_entry    **index;
    size_t              index_mask;
    uint8_t             pad[NGTCP2_MAX_CIDLEN];    /* of hashes: clients choose
                                                      ids, not where they go */
    size_t              entries;
    lun_list            conns;
    lun_list            closing;           /* quic_closing.c's */
    size_t              handshakes;        /* in progress */
    size_t              qlogs;             /* files */
    lun_quic_conn      *current;   /* whose protocol is called */
    ngtcp2_tstamp       reset_at;  /* stateless resets: see may_reset() */
    unsigned            resets;
    char               *batch;     /* BATCH bytes to send */
};

typedef enum {
    LUN_QUIC_OPEN,
    LUN_QUIC_GENTLY,               /* closes when nothing is left to send */
    LUN_QUIC_CLOSES,               /* CONNECTION_CLOSE is due */
    LUN_QUIC_OVER                  /* lost() is due, or was called */
} lun_quic_stage;

struct lun_quic_conn {
    lun_quic              q;       /* the protocol's side */
    lun_tls_shake         h;
    lun_quic_tls          tls;
    lun_quics            *all;
    ngtcp2_conn          *ng;      /* NULL: closed */
    lun_datagram_door    *door;    /* it sends by that one's socket */
    lun_datagram_key      first;   /* the addresses that it came with */
    lun_addr              unproved;    /* where the client says that it is now;
                                          family LUN_AF_NONE: it is there */
    const lun_quic_conf  *conf;
    lun_list              link;
    lun_list              ids;     /* of lun_quic_entry */
    lun_quic_qlog        *qlog;    /* NULL: nobody wants it */
    lun_timer             timer;
    lun_timer             retry;   /* after the system took no more */
    lun_task              task;
    ngtcp2_ccerr          error;   /* what CONNECTION_CLOSE says */
    lun_err               err;     /* why it is lost */
    lun_quic_stage        stage;
    unsigned              begun:1;
    unsigned              waits:1;     /* for lun_tls_go_on() */
    unsigned              completing:1;    /* ... before it is complete */
    unsigned              lost:1;      /* lost() was called */
    unsigned              left:1;      /* the client has closed it */
    unsigned              to_complete:1;   /* complete() is due */
    unsigned              ours:1;      /* we are the client: quic_client.c */
    unsigned              counted:1;   /* among the handshakes */
    unsigned              blocked:1;   /* the system took no more */
    char                 *kept;        /* what it did not take */
    size_t                kept_len, kept_segment;
    uint8_t               kept_ecn;
    lun_addr              kept_to, kept_from;
};

/* The connection of a protocol's side of it. */
static inline lun_quic_conn *
lun_quic_conn_of(lun_quic *q)
{
    LUN_CHECK_MARK(q, LUN_MARK_QUIC);
    return lun_container_of(q, lun_quic_conn, q);
}

/* --- quic_route.c -------------------------------------------------------- */

lun_quics *lun_quics_of(lun_loop *loop);

/* Packets with that id are for the connection. */
void lun_quic_add_id(lun_quic_conn *conn, const uint8_t *id, size_t len);
void lun_quic_remove_id(lun_quic_conn *conn, const uint8_t *id, size_t len);
void lun_quic_remove_ids(lun_quics *all, lun_list *ids);

/* --- quic_keys.c --------------------------------------------------------- */

void lun_quic_keys_init(lun_quics *all);
void lun_quic_keys_end(lun_quics *all);

/* What comes to that door is by the key of a file; empty: by the random one. */
void lun_quic_keys_use(lun_quics *all, lun_datagram_door *d, lun_str secret);

/* What the ids and tokens of a door are made by. */
lun_quic_ids *lun_quic_keys_at(const lun_quics *all,
    const lun_datagram_door *d);

/*
 * Whose an id is by the key of that door (`which` 0), or by others that were
 * used by now (1 and so on); false: there are no more keys.
 */
bool lun_quic_keys_owner(lun_quics *all, const lun_datagram_door *d,
    const uint8_t *id, unsigned which, lun_quic_owner *owner);

/* --- quic_new.c ---------------------------------------------------------- */

/*
 * A client's first packet has come: a connection that has read it, or NULL.
 * `original`: the id that its first Initial had, if Retry has changed that;
 * else NULL.  `valid`: a token says that the client is at its address.
 */
lun_quic_conn *lun_quic_conn_new(lun_quics *all, lun_datagram_door *door,
    const lun_datagram_key *key, const ngtcp2_pkt_hd *hd,
    const ngtcp2_cid *original, bool valid);

/* What a client and a server say alike of limits, and of ngtcp2's callbacks. */
void lun_quic_settings(const lun_quic_conf *conf, ngtcp2_settings *s);
void lun_quic_params(const lun_quic_conf *conf, ngtcp2_transport_params *p);
void lun_quic_callbacks(ngtcp2_callbacks *to);

/* --- quic_shake.c -------------------------------------------------------- */

void lun_quic_shake_callbacks(ngtcp2_callbacks *to);

/* For lun_conn_io. */
lun_tls_shake *lun_quic_shake_of(const lun_conn *c);
lun_rc lun_quic_shake_start(lun_conn *c, SSL_CTX *ctx);
/* A client's first word, in a turn of the loop. */
void lun_quic_shake_hands(lun_conn *c);

/* The question of a callback that paused; false: the connection is closed. */
bool lun_quic_shake_ask(lun_quic_conn *conn);
/* It has its answer. */
void lun_quic_shake_go_on(lun_quic_conn *conn);

/* It is no handshake any more. */
void lun_quic_shake_over(lun_quic_conn *conn);

/* --- quic_conn.c --------------------------------------------------------- */

extern const lun_conn_io  lun_quic_io;

/* A packet for it. */
void lun_quic_conn_read(lun_quic_conn *conn, const lun_datagram_key *key,
    const lun_quic_packet *p);

/* A turn is due. */
void lun_quic_conn_wake(lun_quic_conn *conn);

/* It ends without another word: `err`; 0: the peer has closed it. */
void lun_quic_conn_give_up(lun_quic_conn *conn, lun_err err);

/* An error of ngtcp2: the connection closes with what that means. */
void lun_quic_conn_fail(lun_quic_conn *conn, int error);

/* The timer that ngtcp2 wants. */
void lun_quic_conn_set_timer(lun_quic_conn *conn);

/* --- quic_stream.c ------------------------------------------------------- */

/* Its callbacks. */
void lun_quic_stream_callbacks(ngtcp2_callbacks *to);

/* --- quic_migration.c ---------------------------------------------------- */

/* Its callbacks. */
void lun_quic_migration_callbacks(ngtcp2_callbacks *to);

/* A packet was read: c->remote and c->local are where the client is now. */
void lun_quic_migration_follow(lun_quic_conn *conn);

/* --- quic_qlog.c --------------------------------------------------------- */

/* Before there is an `ng`: quic_qlog, if the conf has it; `id` is its name. */
void lun_quic_qlog_begin(lun_quic_conn *conn, const ngtcp2_cid *id);
/* For ngtcp2_settings, if conn->qlog is there. */
void lun_quic_qlog_write(void *conn, uint32_t flags, const void *bytes,
    size_t len);
/* ngtcp2 writes no more. */
void lun_quic_qlog_end(lun_quic_conn *conn);

/* --- quic_out.c ---------------------------------------------------------- */

/* Sends what there is, as much as is allowed. */
void lun_quic_out(lun_quic_conn *conn);

/* One packet without a connection. */
void lun_quic_send(lun_datagram_door *door, const lun_datagram_key *key,
    const uint8_t *data, size_t len);

/* CONNECTION_CLOSE into `to`; its length, or 0. */
size_t lun_quic_farewell(lun_quic_conn *conn, uint8_t *to, size_t size,
    ngtcp2_path_storage *path);

/* --- quic_closing.c ------------------------------------------------------ */

/*
 * The connection is over, and its ids are this room's from now on: for a while
 * packets for them are answered by the farewell (of `len` bytes; 0: not at
 * all).
 */
void lun_quic_closing_new(lun_quic_conn *conn, const uint8_t *farewell,
    size_t len, ngtcp2_duration period);

/* A packet for it. */
void lun_quic_closing_read(lun_quic_closing *closing,
    const lun_datagram_key *key, size_t len);

/* The loop ends. */
void lun_quic_closing_end(lun_quics *all);

/* --- quic_token.c -------------------------------------------------------- */

/* The token of an Initial. */
typedef enum {
    LUN_QUIC_NO_TOKEN,             /* or one that says nothing */
    LUN_QUIC_NEW_TOKEN,            /* the client is where it was */
    LUN_QUIC_RETRY_TOKEN,          /* *original is set */
    LUN_QUIC_BAD_TOKEN             /* of Retry, and wrong */
} lun_quic_token;

lun_quic_token lun_quic_token_read(lun_quics *all,
    const lun_datagram_door *door, const ngtcp2_pkt_hd *hd,
    const lun_addr *remote, ngtcp2_cid *original);

/* Answers an Initial by Retry. */
void lun_quic_token_retry(lun_quics *all, lun_datagram_door *door,
    const lun_datagram_key *key, const ngtcp2_pkt_hd *hd);

/* For the client's next connection: NEW_TOKEN. */
void lun_quic_token_give(lun_quic_conn *conn);

/* A packet of a connection that nobody has: a stateless reset, if it may. */
void lun_quic_token_reset(lun_quics *all, lun_datagram_door *door,
    const lun_datagram_key *key, const uint8_t *id, size_t packet_len);

#endif
