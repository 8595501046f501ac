/*
 * listen.h -- the registry of listening sockets.
 *
 * A configuration asks for addresses (lun_listen_want); a hash on (family,
 * type, address, port) makes each question O(1).  On reload an address finds
 * its open listener again by that key, never by an index; only the difference
 * is opened and closed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LISTEN_H
#define LUN_LISTEN_H

#include "base/array.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/log.h"
#include "os/port.h"

typedef struct lun_loop        lun_loop;
typedef struct lun_listener    lun_listener;
typedef struct lun_listen_set  lun_listen_set;
struct lun_conn;
struct lun_quic_service;

/* Called in a worker for each accepted connection; owns fd from then on. */
typedef void lun_listener_fn(lun_listener *l, lun_fd fd, const lun_addr *peer);

/*
 * Called in a worker for each new session of datagrams (net/datagram.h), whose
 * first datagram waits to be asked for: the connection is the callee's.
 */
typedef void lun_listener_begin_fn(lun_listener *l, struct lun_conn *c);

/*
 * As lun_listener_fn, for a connection that another listener has accepted: it
 * is the callee's from then on, bytes that were read as well.
 */
typedef void lun_listener_adopt_fn(lun_listener *l, struct lun_conn *c);

struct lun_listener {
    lun_addr             addr;
    lun_str              text;     /* "0.0.0.0:80", as the log says it */
    lun_listen_options   options;
    lun_str              file;     /* where it was asked for */
    unsigned             line;
    lun_listener_fn     *take;     /* for connections */
    lun_listener_begin_fn  *begin; /* for datagrams: options.datagram */
    lun_listener_adopt_fn  *adopt; /* NULL: it takes none */
    const struct lun_quic_service  *quic;  /* options.quic: net/quic/quic.h */
    void                *data;     /* the http floor's: the address's servers */

    lun_fd               fd;       /* LUN_FD_NONE until opened */
    lun_fd              *fds;      /* reuseport: one per worker, the first is
                                      `fd`; else NULL */
    unsigned             fd_count; /* of fds */
    bool                 inherited;/* from the previous generation */
    bool                 muted;    /* lun_listen_mute() */

    lun_listen_set      *set;      /* the room's own, as is what follows */
    uint64_t             file_id[2];   /* of a unix socket's file */
};

/* A set belongs to one generation and lives in its pool. */
lun_listen_set *lun_listen_set_new(lun_pool *pool);

/*
 * The listener of that address, made if it is new (*fresh).  The address is
 * copied.
 */
lun_listener *lun_listen_want(lun_listen_set *set, const lun_addr *addr,
    bool *fresh);
/* The same for datagrams, which have a port of that number of their own. */
lun_listener *lun_listen_want_datagrams(lun_listen_set *set,
    const lun_addr *addr, bool *fresh);
/* For connections; and for datagrams. */
lun_listener *lun_listen_find(const lun_listen_set *set, const lun_addr *addr);
lun_listener *lun_listen_find_datagrams(const lun_listen_set *set,
    const lun_addr *addr);

size_t lun_listen_count(const lun_listen_set *set);
/* In the order they were asked for. */
lun_listener *lun_listen_at(const lun_listen_set *set, size_t i);

/*
 * Master: opens what `set` wants, taking over sockets of `old` (may be NULL)
 * that it wants as well.  On failure nothing is changed: new sockets are
 * closed, `old` keeps its own; each address that could not be had is logged
 * once, with file and line.  An address in use is tried again twice within
 * 300 ms, for the sake of a server that is just leaving.
 * `workers`: number of sockets for reuseport addresses.  An address keeps
 * being shared (or not) until nobody wants it any more.
 */
lun_rc lun_listen_open(lun_listen_set *set, lun_listen_set *old,
    unsigned workers, const lun_log *log);

/*
 * -t: could each address be had?  One that is in use could, most likely by
 * the server that is to be reloaded, and keeps whom it has: nothing is shared
 * with it.  What cannot be had is logged as above.  Nothing stays open.
 */
lun_rc lun_listen_try(lun_listen_set *set, const lun_log *log);

/*
 * Master: takes lun_listen_open() back: what was opened for `set` is closed,
 * `old` (may be NULL) has its sockets as before.
 */
void lun_listen_undo(lun_listen_set *set, const lun_listen_set *old);

/*
 * Master: the listeners that another program has left open, by their numbers
 * ("6;7;", as nginx gives them to the next program); what is wrong is logged
 * and left out.  Serves as the `old` of lun_listen_open().
 */
lun_listen_set *lun_listen_inherit(lun_pool *pool, lun_str numbers,
    const lun_log *log);

/* Its unix sockets' files are somebody else's as well: they will be left. */
void lun_listen_leave_files(lun_listen_set *set);

/*
 * Windows worker: puts its own handles of the master's sockets into a set that
 * it built from the same configuration text, in the same order.
 */
void lun_listen_adopt(lun_listen_set *set, const lun_fd *fds, size_t count);

/*
 * Master: closes what `old` has and `set` (may be NULL) has not taken over;
 * files of unix sockets that are still ours go as well.
 */
void lun_listen_close_rest(lun_listen_set *old, const lun_listen_set *set);

/*
 * Worker: starts and stops accepting on all of them, in that loop.  A loop
 * that serves two generations in turn stops the old set before it starts the
 * new one.
 * A listener for which there is no file rests for half a second; that is
 * said at most once a second.
 */
lun_rc lun_listen_start(lun_listen_set *set, lun_loop *loop, unsigned worker,
    const lun_log *log);
void lun_listen_stop(lun_listen_set *set);

/*
 * Worker: takes nothing from this one, from the end of the loop's turn on (or,
 * before lun_listen_start(), at all).  Other workers do.
 */
void lun_listen_mute(lun_listener *l);
/* The loop that accepts for it. */
lun_loop *lun_listen_loop(const lun_listener *l);

/* Connections taken per wake-up (multi_accept), before start; else one. */
void lun_listen_batch(lun_listen_set *set, unsigned connections);

/*
 * Debug lines of clients in `networks` (of lun_cidr; NULL: none), which stays,
 * are written whatever levels logs have; before start.
 */
void lun_listen_debug(lun_listen_set *set, const lun_array *networks);
/* For connections: has `log` say so much, if that client is one of them. */
void lun_listen_set_debug(const lun_listener *l, const lun_addr *client,
    lun_log *log);

/*
 * Worker: closes its handles of them, but for what `keep` (may be NULL) has
 * as well, so that an address is free when the master closes its own: of its
 * set when it has stopped for good, of another generation's that it was
 * forked with.
 */
void lun_listen_let_go(lun_listen_set *set, const lun_listen_set *keep);

/*
 * worker_connections; 0: no limit.  When they become scarce idle connections
 * are drained for new ones.  A worker stops accepting while seven eighths of
 * them are busy.
 */
void lun_listen_limit(lun_listen_set *set, size_t connections);

#endif
