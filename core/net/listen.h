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

#include "base/hash.h"
#include "base/list.h"
#include "base/log.h"
#include "os/port.h"

typedef struct lun_listener    lun_listener;
typedef struct lun_listen_set  lun_listen_set;

/* Called in a worker for each accepted connection; owns fd from then on. */
typedef void lun_listener_fn(lun_listener *l, lun_fd fd, const lun_addr *peer);

struct lun_listener {
    lun_addr             addr;
    lun_str              text;     /* "0.0.0.0:80", as the log says it */
    lun_listen_options   options;
    lun_str              file;     /* where it was asked for */
    unsigned             line;
    lun_listener_fn     *take;
    void                *data;     /* the http floor's: servers of the address */

    lun_fd               fd;       /* LUN_FD_NONE until opened */
    lun_fd              *fds;      /* reuseport: one per worker, else NULL */
    bool                 inherited;/* from the previous generation */
    lun_acceptor         acceptor; /* a worker's */
};

/* A set belongs to one generation and lives in its pool. */
lun_listen_set *lun_listen_set_new(lun_pool *pool);

/*
 * The listener of that address, made if it is new (*fresh).  The address is
 * copied.
 */
lun_listener *lun_listen_want(lun_listen_set *set, const lun_addr *addr,
    bool *fresh);
lun_listener *lun_listen_find(const lun_listen_set *set, const lun_addr *addr);

size_t lun_listen_count(const lun_listen_set *set);
/* In the order they were asked for. */
lun_listener *lun_listen_at(const lun_listen_set *set, size_t i);

/*
 * Opens what `set` wants, taking over sockets of `old` (may be NULL) that it
 * wants as well.  On failure nothing is changed: new sockets are closed,
 * `old` keeps its own; the error is logged with file and line.
 * `workers`: number of sockets for reuseport addresses.
 */
lun_rc lun_listen_open(lun_listen_set *set, lun_listen_set *old,
    unsigned workers, const lun_log *log);

/* Closes what `old` has and `set` (may be NULL) has not taken over. */
void lun_listen_close_rest(lun_listen_set *old, const lun_listen_set *set);

/* Worker: starts and stops accepting on all of them. */
lun_rc lun_listen_start(lun_listen_set *set, unsigned worker,
    const lun_log *log);
void lun_listen_stop(lun_listen_set *set);

/*
 * Load shedding: a worker whose connections reach the limit stops accepting
 * until some are gone.  Limit 0: none.
 */
void lun_listen_limit(lun_listen_set *set, size_t connections);

#endif
