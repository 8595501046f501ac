/*
 * dial.h -- from "who is asked" to a connection that stands: the address of a
 * name, the socket, a header in front of everything, a handshake.
 *
 *     IDLE -> RESOLVE -> CHOOSE -> CONNECT -> [HEADER ->] [HANDSHAKE ->] UP
 *                          ^          |          |             |
 *                          +----------+----------+-------------+  failed()
 *
 * The machine has no list of servers and no words for a log: its owner does.
 * In CHOOSE it waits for the owner's next address; the owner's failed() says
 * what went wrong, and the owner drops that connection and goes on with
 * another address, or with none.  Nothing of a session or a request is known
 * here: whoever has a loop can dial.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DIAL_H
#define LUN_DIAL_H

#include "net/conn.h"
#include "net/dns/resolver.h"

typedef enum {
    LUN_DIAL_IDLE,
    LUN_DIAL_RESOLVE,              /* waits for addresses of a name */
    LUN_DIAL_CHOOSE,               /* the owner knows them, and is to go on */
    LUN_DIAL_CONNECT,
    LUN_DIAL_HEADER,               /* what goes in front of TLS is written */
    LUN_DIAL_HANDSHAKE,
    LUN_DIAL_UP                    /* the connection is its owner's */
} lun_dial_stage;

/* What has failed; d->stage is where that was. */
typedef enum {
    LUN_DIAL_UNRESOLVED,           /* d->verdict says why */
    LUN_DIAL_NO_SOCKET,            /* d->err: there is no connection */
    LUN_DIAL_UNPREPARED,           /* .prepare() has logged why */
    LUN_DIAL_LOST,                 /* d->conn->err: refused, or reset */
    LUN_DIAL_TIMED_OUT,
    LUN_DIAL_NO_HANDSHAKE,         /* .secure() has logged why */
    LUN_DIAL_BAD_HANDSHAKE,        /* tls.c has logged why */
    LUN_DIAL_UNTRUSTED             /* .trusts() has logged why */
} lun_dial_why;

typedef struct lun_dial       lun_dial;
typedef struct lun_dial_user  lun_dial_user;

struct lun_dial {
    uint32_t              mark;
    lun_dial_stage        stage;
    lun_loop             *loop;
    const lun_log        *log;     /* of connections, and as long as they */
    const lun_dial_user  *user;
    void                 *owner;   /* c->data of a connection, but for the
                                      states of this room */
    const void           *timeouts;        /* c->timeouts; or NULL */
    size_t                in_size; /* of a connection's input buffer */
    lun_slice             header;  /* in front of a handshake; len 0: none */
    bool                  secure;  /* a handshake follows */
    bool                  datagram;
    lun_conn             *conn;    /* CONNECT to UP; NULL: none */
    lun_resolve_request  *query;   /* RESOLVE */
    lun_resolve_verdict   verdict;
    lun_err               err;
};

/*
 * What an owner gives: a const table.  A hook may drop the dial, and the
 * memory that it is in; what it was called for is not touched afterwards.
 */
struct lun_dial_user {
    /* Made by LUN_DIAL_...: the owner's names, words and time limits. */
    const lun_conn_state  *connecting;
    const lun_conn_state  *sending_header;     /* NULL: there is none */
    const lun_conn_state  *handshaking;        /* NULL: never secure */

    /* Addresses, valid during the call, of a name that was asked for. */
    void    (*found)(lun_dial *d, const lun_addr *addrs, size_t count);

    /* The socket is there: where it comes from, its options.  NULL: nothing
       is to be done.  ERROR, logged: it may not be used. */
    lun_rc  (*prepare)(lun_dial *d, lun_conn *c, const lun_addr *addr);

    /* It is connected, and d->secure: starts TLS and its handshake. */
    lun_rc  (*secure)(lun_dial *d, lun_conn *c);

    /* The handshake is done: false, logged, if it is with somebody else. */
    bool    (*trusts)(lun_dial *d, lun_conn *c);

    /*
     * d->conn stands.  Its data is d->owner, and its state still one of this
     * room: the owner enters another.
     */
    void    (*up)(lun_dial *d);

    /*
     * The owner logs it, in its words, and drops the dial: lun_dial_connect()
     * may follow.  c->data of d->conn, if there is one, is d.
     */
    void    (*failed)(lun_dial *d, lun_dial_why why);

    /* c->on_free: c->data is d->owner again. */
    lun_conn_fn  *on_free;
};

/* Rows of the states: the rest of a table is the owner's. */
#define LUN_DIAL_CONNECTING                                                   \
    .on_written = lun_dial_on_connected,                                      \
    .on_timeout = lun_dial_on_timeout,                                        \
    .on_gone    = lun_dial_on_lost
#define LUN_DIAL_SENDING_HEADER                                               \
    .on_written = lun_dial_on_header,                                         \
    .on_timeout = lun_dial_on_timeout,                                        \
    .on_gone    = lun_dial_on_lost
#define LUN_DIAL_HANDSHAKING                                                  \
    .on_written = lun_dial_on_secure,                                         \
    .on_timeout = lun_dial_on_timeout,                                        \
    .on_gone    = lun_dial_on_lost

/* The dial of a connection that is in one of these states. */
static inline lun_dial *
lun_dial_of(const lun_conn *c)
{
    return c->data;
}

/* One that is zeroed: members that may be set follow. */
void lun_dial_init(lun_dial *d, lun_loop *loop, const lun_log *log,
    const lun_dial_user *user, void *owner);

/*
 * Asks for a name's addresses, no longer than `timeout`: found() or failed(),
 * maybe before it returns.  `idle`: a worker that quits does not wait.
 */
void lun_dial_resolve(lun_dial *d, lun_resolver *resolver, lun_str name,
    uint16_t port, lun_msec timeout, bool idle);

/* Connects; there is no connection.  failed() may come before it returns. */
void lun_dial_connect(lun_dial *d, const lun_addr *addr);

/* Takes a connection that was kept, as it stands: up() is not called. */
void lun_dial_use(lun_dial *d, lun_conn *c);

/* The connection, which is no longer the dial's; UP, and then IDLE. */
lun_conn *lun_dial_take(lun_dial *d);

/* Asks for nothing any more, closes what there is; IDLE.  Harmless then. */
void lun_dial_drop(lun_dial *d);

lun_conn_fn  lun_dial_on_connected, lun_dial_on_header, lun_dial_on_secure,
             lun_dial_on_timeout, lun_dial_on_lost;

#endif
