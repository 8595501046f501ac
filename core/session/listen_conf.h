/*
 * listen_conf.h -- listen: which servers an address has, and its socket; the
 * same for every protocol.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LISTEN_CONF_H
#define LUN_LISTEN_CONF_H

#include "net/dns/resolver.h"
#include "net/listen.h"
#include "session/server.h"

/*
 * What lun_listener.data points to: the servers of the address, or, behind a
 * wildcard address for which others of the same port were asked as well,
 * those of each.
 */
typedef struct lun_listen_addr  lun_listen_addr;
typedef struct {
    lun_addr          addr;
    uint64_t          hash;        /* of addr */
    lun_listen_addr  *listen;
} lun_listen_inner;

struct lun_listen_addr {
    lun_engine        *engine;
    lun_server_map    *servers;
    lun_listen_inner  *inner;      /* sorted by hash */
    size_t             inner_count;
    bool               ssl;
    bool               quic;
    const struct lun_quic_conf  *quic_conf;    /* the protocol's, of it */
    bool               proxy_protocol;
    unsigned           own;        /* bits of the protocol's own words */
};

/* What a protocol has to say of `listen`; its engine's .listening. */
typedef struct lun_listen_protocol {
    lun_listener_fn  *take;        /* its data is a lun_listen_addr */
    lun_listener_adopt_fn  *adopt; /* NULL: it takes no one's connections */
    lun_listener_begin_fn  *begin; /* the same for datagrams; NULL: it has no
                                      parameter `udp` */
    const struct lun_quic_service  *quic;  /* ... for QUIC; NULL: it has no
                                      parameter `quic` */
    uint16_t          port;        /* where none is given; 0: one must be */
    bool              implied;     /* a server without `listen` has one */
    /*
     * Whether that word is one of the protocol's own: asked first, it may set
     * a bit of *own, or *rc to ERROR (reported).
     */
    bool            (*word)(lun_conf *cf, lun_str word, unsigned *own,
                         lun_rc *rc);
    /*
     * What is spoken over TLS with the server that the handshake has chosen,
     * as ALPN has it: each name behind its length, the best first; as it is
     * until the next call.  NULL: what ssl_alpn says.
     */
    lun_str         (*alpn)(const lun_listen_addr *listen,
                         const lun_server *chosen);
    /*
     * A handshake names a host, in lower case, which lives until the callee
     * returns: whose it is, of the connection's address.  NULL:
     * lun_server_find() without a session.
     */
    lun_server     *(*named)(lun_conn *c, lun_str host);
    /*
     * In a handshake: whose variables names of certificates have; given back
     * through the second, unless that is NULL.
     */
    lun_session    *(*session)(lun_conn *c);
    void            (*end_session)(lun_session *s);
    /* What a server says of names, how long it waits for them, and where its
       errors are logged; that is NULL where it is the generation's log. */
    lun_resolver   *(*resolver)(lun_engine *e, const lun_server *server,
                         lun_msec *timeout);
    const lun_log  *(*error_log)(const lun_server *server);
} lun_listen_protocol;

/* The setter; the block's owner is its lun_server. */
lun_set_fn  lun_set_listen;

/* A server block has ended: one that did not say where it listens. */
lun_rc lun_listen_conf_end(lun_conf *cf, lun_server *server);

/* The protocol's block has ended: listeners for all addresses. */
lun_rc lun_listen_conf_finish(lun_conf *cf);

/* Everything has inherited: whoever listens for TLS must be able to. */
lun_rc lun_listen_conf_check(const lun_engine *e);

/* The one that a connection belongs to, by the address that it came to. */
const lun_listen_addr *lun_listen_of(lun_conn *c);

#endif
