/*
 * peer.h -- pools of connections to other servers: kept while nobody uses
 * them, for the next who wants the same peer; and, if asked to, counted, so
 * that no more than so many are open at a time.
 *
 * Pools are this process's, found by name.  A pool lives as long as it has a
 * connection or somebody who waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PEER_H
#define LUN_PEER_H

#include "net/conn.h"

typedef struct lun_peer_pool    lun_peer_pool;
typedef struct lun_peer_waiter  lun_peer_waiter;

/* Somebody who waits for room in a pool; embedded. */
struct lun_peer_waiter {
    lun_list   link;
    void     (*ready)(lun_peer_waiter *w);
};

typedef enum {
    LUN_PEER_REUSED,               /* *conn is a connection */
    LUN_PEER_CONNECT,              /* counted in: make a connection */
    LUN_PEER_WAITING,              /* w->ready(w) will come: ask again */
    LUN_PEER_FULL                  /* too many wait already */
} lun_peer_verdict;

/*
 * The pool, or NULL when there is none.  With `size` > 0 it is made if there
 * is none: at most `size` idle connections.  `backlog` >= 0 also limits all
 * its connections to `size`, and those who wait for one to `backlog`.  A pool
 * keeps the limits that it was made with.  With `size` > 0 lun_peer_take() or
 * lun_peer_keep() follows, or the pool would stay for nothing.
 */
lun_peer_pool *lun_peer_pool_get(lun_str name, size_t size, int64_t backlog);

/*
 * Whose pool it is ("lua tcp socket"; it must stay), for what the debug log
 * says of its idle connections.
 */
void lun_peer_pool_sign(lun_peer_pool *pool, const char *owner);

/*
 * Asks for a connection.  Whoever was told REUSED or CONNECT is counted in
 * until lun_peer_leave() or lun_peer_keep().  In `ready` ask again with
 * `waited`, which cannot be told to wait.
 */
lun_peer_verdict lun_peer_take(lun_peer_pool *pool, lun_peer_waiter *w,
    bool waited, lun_conn **conn, uint64_t *reused);

/* Waits no longer. */
void lun_peer_cancel(lun_peer_pool *pool, lun_peer_waiter *w);

/* The connection that was counted in is gone, or was never made. */
void lun_peer_leave(lun_peer_pool *pool);

/*
 * Gives an open connection, which nobody writes to, to the pool; `reused` is
 * how often it came from there.  `counted`: it was counted in.  It is closed
 * when it has been idle for `limit` ms (0: no limit), when its peer closes it
 * or sends anything, or when the pool has too many.
 */
void lun_peer_keep(lun_peer_pool *pool, lun_conn *c, uint64_t reused,
    lun_msec limit, bool counted);

/*
 * A pool of connections to several peers, uncounted, tells them apart by a
 * label: takes the latest of that label, or NULL.  The pool may be gone then.
 */
void lun_peer_keep_as(lun_peer_pool *pool, lun_conn *c, lun_str label,
    uint64_t reused, lun_msec limit);
lun_conn *lun_peer_take_as(lun_peer_pool *pool, lun_str label,
    uint64_t *reused);

/* Closes all idle ones of the process. */
void lun_peer_close_idle(void);

#endif
