/*
 * conn_pool.c -- pools of connections to other servers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_pool.h"

#include "base/check.h"
#include "base/fmt.h"
#include "net/tls/tls.h"
#include "shm/metric.h"


enum { BUCKETS = 64 };

struct lun_conn_pool {
    lun_list   by_name;
    uint64_t   hash;
    lun_list   idle;               /* of kept; the latest first */
    lun_list   spares;             /* of kept: for those that come next */
    lun_list   shares;             /* in use, with room for others */
    size_t     idle_count;
    uint32_t   idle_at;            /* a cell that has that, too */
    size_t     open;               /* in use and idle */
    size_t     size;
    int64_t    backlog;            /* -1: connections are not limited */
    lun_list   waiters;
    int64_t    waiting;
    const char  *owner;            /* in the debug log */
    size_t     len;
    char       name[];
};

/* An idle connection: its data. */
typedef struct {
    lun_list        link;
    lun_conn       *conn;
    lun_conn_pool  *pool;
    uint64_t        reused;
    size_t          label_room;
    size_t          label_len;
    char            label[];
} kept;

/* Those of a loop. */
struct lun_conn_pools {
    lun_loop_part  part;
    lun_list       by_name[BUCKETS];
};


/* --- pools --------------------------------------------------------------- */

static void
free_spares(lun_conn_pool *pool)
{
    kept  *k;

    while (!lun_list_empty(&pool->spares)) {
        k = lun_container_of(pool->spares.next, kept, link);
        lun_list_remove(&k->link);
        lun_free(k);
    }
}


static bool
is_unused(const lun_conn_pool *pool)
{
    return pool->open == 0 && pool->waiting == 0;
}


static void
free_if_unused(lun_conn_pool *pool)
{
    if (is_unused(pool)) {
        lun_debug(NULL, "%s keepalive: free connection pool for \"%.*s\"",
                  pool->owner, (int) pool->len, pool->name);
        lun_list_remove(&pool->by_name);
        free_spares(pool);
        lun_free(pool);
    }
}


/* Empty ones are kept for who comes back, but not all names that ever were. */
static void
free_empty(lun_list *bucket)
{
    lun_list_each_safe(bucket, it) {
        free_if_unused(lun_container_of(it, lun_conn_pool, by_name));
    }
}


/* One that still has somebody ends with him, found by nobody any more. */
static void
end_pools(lun_loop *loop, lun_loop_part *part)
{
    size_t  i;

    for (i = 0; i < BUCKETS; i++) {
        free_empty(&loop->pools->by_name[i]);

        while (!lun_list_empty(&loop->pools->by_name[i])) {
            lun_list_remove(loop->pools->by_name[i].next);
        }
    }

    lun_free(loop->pools);
    loop->pools = NULL;
}


static struct lun_conn_pools *
pools_of(lun_loop *loop)
{
    size_t  i;

    if (loop->pools == NULL) {
        loop->pools = lun_calloc(sizeof(struct lun_conn_pools));
        loop->pools->part.end = end_pools;
        lun_loop_add_part(loop, &loop->pools->part);

        for (i = 0; i < BUCKETS; i++) {
            lun_list_init(&loop->pools->by_name[i]);
        }
    }

    return loop->pools;
}


static lun_conn_pool *
find_pool(lun_list *bucket, lun_str name, uint64_t hash)
{
    lun_conn_pool  *pool;

    lun_list_each(bucket, it) {
        pool = lun_container_of(it, lun_conn_pool, by_name);

        if (pool->hash == hash
            && lun_str_eq(lun_str_of(pool->name, pool->len), name))
        {
            return pool;
        }
    }

    return NULL;
}


static lun_conn_pool *
new_pool(lun_list *bucket, lun_str name, uint64_t hash)
{
    lun_conn_pool  *pool = lun_calloc(sizeof(lun_conn_pool) + name.len);

    pool->hash = hash;
    pool->owner = "peer";
    pool->len = name.len;
    memcpy(pool->name, name.data, name.len);
    lun_list_init(&pool->idle);
    lun_list_init(&pool->spares);
    lun_list_init(&pool->shares);
    lun_list_init(&pool->waiters);
    lun_list_push_front(bucket, &pool->by_name);

    return pool;
}


lun_conn_pool *
lun_conn_pool_get(lun_loop *loop, lun_str name, size_t size, int64_t backlog)
{
    uint64_t        hash = lun_str_hash(name);
    lun_list       *bucket = &pools_of(loop)->by_name[hash % BUCKETS];
    lun_conn_pool  *pool = find_pool(bucket, name, hash);

    if (size == 0 || (pool != NULL && !is_unused(pool))) {
        return pool;
    }

    if (pool == NULL) {
        free_empty(bucket);
        pool = new_pool(bucket, name, hash);
    }

    pool->size = size;
    pool->backlog = backlog;

    return pool;
}


void
lun_conn_pool_count_in(lun_conn_pool *pool, uint32_t at)
{
    if (pool->idle_at != at) {
        lun_metric_sub(pool->idle_at, pool->idle_count);
        lun_metric_add(at, pool->idle_count);
        pool->idle_at = at;
    }
}


void
lun_conn_pool_sign(lun_conn_pool *pool, const char *owner)
{
    pool->owner = owner;
}


/* --- counting ------------------------------------------------------------ */

static void
stop_waiting(lun_conn_pool *pool, lun_conn_waiter *w)
{
    LUN_CHECK(pool->waiting > 0);

    lun_list_remove(&w->link);
    pool->waiting--;
}


/* There is an idle one, or room for one more. */
static bool
has_room(const lun_conn_pool *pool)
{
    return pool->idle_count != 0 || pool->backlog < 0
           || pool->open < pool->size;
}


/* The one who has waited for longest. */
static void
wake_one(lun_conn_pool *pool)
{
    lun_conn_waiter  *w;

    if (pool->waiting != 0 && has_room(pool)) {
        w = lun_container_of(pool->waiters.next, lun_conn_waiter, link);
        stop_waiting(pool, w);
        w->ready(w);                   /* the pool may be gone now */
    }
}


/* It stays, even if it is empty: connections come back. */
static void
leave_open(lun_conn_pool *pool)
{
    LUN_CHECK(pool->open > 0);
    pool->open--;
    wake_one(pool);
}


void
lun_conn_pool_leave(lun_conn_pool *pool)
{
    LUN_CHECK(pool->open > 0);
    pool->open--;

    if (pool->waiting != 0) {
        wake_one(pool);

    } else {
        free_if_unused(pool);
    }
}


void
lun_conn_pool_cancel(lun_conn_pool *pool, lun_conn_waiter *w)
{
    stop_waiting(pool, w);
    free_if_unused(pool);
}


/* --- idle ones ----------------------------------------------------------- */

/* Takes it out of its pool; it still counts as open. */
static lun_conn *
unlink_kept(kept *k)
{
    lun_conn  *c = k->conn;

    LUN_CHECK(k->pool->idle_count > 0 && c->data == k);

    lun_list_remove(&k->link);
    k->pool->idle_count--;
    lun_metric_sub(k->pool->idle_at, 1);
    lun_list_push_front(&k->pool->spares, &k->link);
    c->data = NULL;
    lun_timer_set_idle(&c->timer, false);
    lun_conn_set_pooled(c, false);

    return c;
}


static void
drop(lun_conn *c)
{
    kept           *k = c->data;
    lun_conn_pool  *pool = k->pool;

    lun_conn_close(unlink_kept(k));
    lun_conn_pool_leave(pool);
}


/* The peer has closed it. */
static void
on_unusable(lun_conn *c)
{
    kept  *k = c->data;

    lun_debug(&c->log, "%s keepalive close handler: fd:%" PRIdPTR,
              k->pool->owner, c->stream.fd);
    drop(c);
}


/* The peer says what nobody has asked for. */
static void
on_heard(lun_conn *c)
{
    if (c->on_pooled == NULL || !c->on_pooled(c)) {
        on_unusable(c);
        return;
    }

    if (!lun_conn_reading(c)) {
        lun_conn_compact(c);
    }

    lun_conn_want(c);
}


static void
on_too_old(lun_conn *c)
{
    kept  *k = c->data;

    lun_debug(&c->log, "%s keepalive max idle timeout", k->pool->owner);
    on_unusable(c);
}


static const lun_conn_state  keeping = {
    .name       = "pool keeping",
    .doing      = "keeping a connection to a peer",
    .on_read    = on_heard,
    .on_gone    = on_unusable,
    .on_timeout = on_too_old,
    .on_drain   = on_unusable,
    .on_quit    = on_unusable,
};


/* To the one who takes it next it is nobody's. */
static const lun_conn_state  taken = {
    .name       = "pool taken",
    .doing      = "taking a connection to a peer",
};


/* Takes it out of its pool, for somebody to use. */
static lun_conn *
take_kept(kept *k, uint64_t *reused)
{
    lun_conn  *c;

    *reused = k->reused + 1;
    c = unlink_kept(k);

    /* Its timer runs on: one that is moved costs less than two that are
       started, and in this state it says nothing. */
    lun_conn_enter_untimed(c, &taken);

    return c;
}


/*
 * Who has waited is called when there is room and asks within that call: it is
 * not told to wait again.
 */
lun_conn_pool_verdict
lun_conn_pool_take(lun_conn_pool *pool, lun_conn_waiter *w, bool waited,
    lun_conn **conn, uint64_t *reused)
{
    kept  *k;

    if (pool->idle_count != 0) {
        k = lun_container_of(pool->idle.next, kept, link);
        *conn = take_kept(k, reused);
        return LUN_CONN_POOL_REUSED;
    }

    if (waited || has_room(pool)) {
        pool->open++;
        return LUN_CONN_POOL_CONNECT;
    }

    if (pool->waiting >= pool->backlog) {
        return LUN_CONN_POOL_FULL;
    }

    lun_list_push_back(&pool->waiters, &w->link);
    pool->waiting++;
    return LUN_CONN_POOL_WAITING;
}


lun_conn *
lun_conn_pool_take_as(lun_conn_pool *pool, lun_str label, uint64_t *reused)
{
    kept      *k;
    lun_conn  *c;

    lun_list_each(&pool->idle, it) {
        k = lun_container_of(it, kept, link);

        if (lun_str_eq(lun_str_of(k->label, k->label_len), label)) {
            c = take_kept(k, reused);
            leave_open(pool);
            return c;
        }
    }

    return NULL;
}


void
lun_conn_pool_keep(lun_conn_pool *pool, lun_conn *c, uint64_t reused,
    lun_msec limit, bool counted)
{
    LUN_CHECK(!counted || pool->open > 0);

    pool->open -= counted;
    lun_conn_pool_keep_as(pool, c, LUN_STR(""), reused, limit);
}


/* One comes as another goes, and they are as long as each other. */
static kept *
new_kept(lun_conn_pool *pool, size_t label_len)
{
    kept  *k;

    if (!lun_list_empty(&pool->spares)) {
        k = lun_container_of(pool->spares.next, kept, link);
        lun_list_remove(&k->link);

        if (k->label_room >= label_len) {
            return k;
        }

        lun_free(k);
    }

    k = lun_calloc(sizeof(kept) + label_len);
    k->label_room = label_len;

    return k;
}


void
lun_conn_pool_keep_as(lun_conn_pool *pool, lun_conn *c, lun_str label,
    uint64_t reused, lun_msec limit)
{
    kept  *k = new_kept(pool, label.len);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(!lun_conn_writing(c));

    k->conn = c;
    k->pool = pool;
    k->reused = reused;
    k->label_len = label.len;
    (void) lun_copy_str(k->label, label);
    pool->open++;

    /* Whoever had it may be gone before it is used again. */
    c->data = k;
    c->on_free = NULL;
    c->timeouts = NULL;
    c->log = *lun_log_default();
    c->log.conn = c->number;
    c->remote.path = c->remote.path != NULL ? "" : NULL;
    lun_conn_set_pooled(c, true);

    lun_list_push_front(&pool->idle, &k->link);
    pool->idle_count++;
    lun_metric_add(pool->idle_at, 1);

    if (limit != 0) {
        lun_conn_enter_untimed(c, &keeping);
        lun_timer_set_idle(&c->timer, true);
        lun_conn_limit(c, limit);

    } else {
        lun_conn_enter(c, &keeping);
    }

    if (!lun_conn_reading(c)) {
        lun_conn_compact(c);           /* there must be room to hear from it */
    }

    lun_conn_want(c);

    /* The next to take it would have them for an answer. */
    if (c->on_pooled == NULL && lun_tls_unread(c)) {
        on_unusable(c);

    } else if (pool->idle_count > pool->size) {
        k = lun_container_of(pool->idle.prev, kept, link);
        drop(k->conn);

    } else {
        wake_one(pool);
    }
}


/* --- those that several use ---------------------------------------------- */

void
lun_conn_pool_offer(lun_conn_pool *pool, lun_conn_share *share, lun_str label,
    uint64_t most, lun_msec until)
{
    LUN_CHECK(share->pool == NULL && share->conn != NULL);

    share->label = lun_malloc(label.len + 1);
    share->label_len = label.len;
    (void) lun_copy_str(share->label, label);
    share->most = most;
    share->until = until;
    share->pool = pool;
    lun_list_push_front(&pool->shares, &share->link);
    pool->open++;
}


void
lun_conn_pool_withdraw(lun_conn_share *share)
{
    lun_conn_pool  *pool = share->pool;

    if (pool == NULL) {
        return;
    }

    share->pool = NULL;
    lun_list_remove(&share->link);
    lun_free(share->label);
    lun_conn_pool_leave(pool);
}


lun_conn *
lun_conn_pool_join(const lun_conn_pool *pool, lun_str label)
{
    const lun_conn_share  *share;

    lun_list_each(&pool->shares, it) {
        share = lun_container_of(it, lun_conn_share, link);

        if (!share->full && share->conn->requests < share->most
            && lun_clock.mono <= share->until
            && lun_str_eq(lun_str_of(share->label, share->label_len), label))
        {
            return share->conn;
        }
    }

    return NULL;
}


/* --- all of them --------------------------------------------------------- */

void
lun_conn_pool_close_idle(lun_loop *loop)
{
    size_t          i;
    lun_conn_pool  *pool;

    for (i = 0; loop->pools != NULL && i < BUCKETS; i++) {
        lun_list_each_safe(&loop->pools->by_name[i], it) {
            pool = lun_container_of(it, lun_conn_pool, by_name);
            pool->open++;              /* so that it is there to the end */

            while (pool->idle_count != 0) {
                drop(lun_container_of(pool->idle.next, kept, link)->conn);
            }

            lun_conn_pool_leave(pool);
        }
    }
}
