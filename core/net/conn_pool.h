/*
 * conn_pool.h -- pools of connections to other servers: kept while nobody uses
 * them, for the next who wants the same peer; and, if asked to, counted, so
 * that no more than so many are open at a time.
 *
 * Pools are a loop's, found by name.  A pool lives as long as it has a
 * connection or somebody who waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_POOL_H
#define LUN_CONN_POOL_H

#include "net/conn.h"

typedef struct lun_conn_pool    lun_conn_pool;
typedef struct lun_conn_waiter  lun_conn_waiter;
typedef struct lun_conn_share   lun_conn_share;

/* Somebody who waits for room in a pool; embedded. */
struct lun_conn_waiter {
    lun_list   link;
    void     (*ready)(lun_conn_waiter *w);
};

/* A connection that several use at a time; embedded, and zeroed before. */
struct lun_conn_share {
    lun_list        link;
    lun_conn_pool  *pool;          /* NULL: nobody is told of it */
    lun_conn       *conn;
    char           *label;         /* malloc'ed */
    size_t          label_len;
    uint64_t        most;          /* requests that it may have */
    lun_msec        until;         /* lun_clock.mono: no more after that */
    bool            full;          /* for now it has room for no other */
};

typedef enum {
    LUN_CONN_POOL_REUSED,          /* *conn is a connection */
    LUN_CONN_POOL_CONNECT,         /* counted in: make a connection */
    LUN_CONN_POOL_WAITING,         /* w->ready(w) will come: ask again */
    LUN_CONN_POOL_FULL             /* too many wait already */
} lun_conn_pool_verdict;

/*
 * The pool, or NULL when there is none.  With `size` > 0 it is made if there
 * is none: at most `size` idle connections.  `backlog` >= 0 also limits all
 * its connections to `size`, and those who wait for one to `backlog`.  A pool
 * keeps its limits until it is empty.  With `size` > 0
 * lun_conn_pool_take() or lun_conn_pool_keep() follows, or the pool would
 * stay for nothing.
 */
lun_conn_pool *lun_conn_pool_get(lun_loop *loop, lun_str name, size_t size,
    int64_t backlog);

/* A gauge's cell, in which its idle connections are counted. */
void lun_conn_pool_count_in(lun_conn_pool *pool, uint32_t at);

/*
 * Whose pool it is ("lua tcp socket"; it must stay), for what the debug log
 * says of its idle connections.
 */
void lun_conn_pool_sign(lun_conn_pool *pool, const char *owner);

/*
 * Asks for a connection.  Whoever was told REUSED or CONNECT is counted in
 * until lun_conn_pool_leave() or lun_conn_pool_keep().  In `ready` ask again
 * with `waited`, which cannot be told to wait.
 */
lun_conn_pool_verdict lun_conn_pool_take(lun_conn_pool *pool,
    lun_conn_waiter *w, bool waited, lun_conn **conn, uint64_t *reused);

/* Waits no longer. */
void lun_conn_pool_cancel(lun_conn_pool *pool, lun_conn_waiter *w);

/* The connection that was counted in is gone, or was never made. */
void lun_conn_pool_leave(lun_conn_pool *pool);

/*
 * Gives an open connection, which nobody writes to, to the pool; `reused` is
 * how often it came from there.  `counted`: it was counted in.  It is closed
 * when it has been idle for `limit` ms (0: no limit), when its peer closes it
 * or sends anything, or when the pool has too many.  What the peer sends is
 * c->on_pooled's, if that is set: it uses up c->in, and says whether the
 * connection is any good.
 */
void lun_conn_pool_keep(lun_conn_pool *pool, lun_conn *c, uint64_t reused,
    lun_msec limit, bool counted);

/*
 * A pool of connections to several peers, uncounted, tells them apart by a
 * label: takes the latest of that label, or NULL.  The pool may be gone then.
 */
void lun_conn_pool_keep_as(lun_conn_pool *pool, lun_conn *c, lun_str label,
    uint64_t reused, lun_msec limit);
lun_conn *lun_conn_pool_take_as(lun_conn_pool *pool, lun_str label,
    uint64_t *reused);

/*
 * A connection in use that others may use as well, until it is withdrawn (if
 * it was offered): `most` requests, up to lun_clock.mono `until`.
 */
void lun_conn_pool_offer(lun_conn_pool *pool, lun_conn_share *share,
    lun_str label, uint64_t most, lun_msec until);
void lun_conn_pool_withdraw(lun_conn_share *share);
/* One of that label with room, or NULL. */
lun_conn *lun_conn_pool_join(const lun_conn_pool *pool, lun_str label);

/* Closes all idle ones of the loop. */
void lun_conn_pool_close_idle(lun_loop *loop);

#endif
