/*
 * conn_pool.c -- pools of connections to 127.0.0.1.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/conn_pool.c"

#include "loop_help.h"
#include "tap.h"


#define P                  LUN_STR("peer:1")

static lun_addr      where;
static lun_acceptor  acceptor;
static lun_conn     *servers[16];
static int           server_count, written, woken;


static void  on_written(lun_conn *c)  { written++; }

static const lun_conn_state  quiet = { .doing = "testing",
                                       .on_written = on_written };


static void
on_taken(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    if (err == 0) {
        servers[server_count] = lun_conn_new(lp, fd, 256, NULL);
        lun_conn_enter(servers[server_count++], &quiet);
    }
}


#define turn_until(x)                                                         \
    for (int turns_ = 0; turns_ < 50 && !(x); turns_++) {                     \
        lun_loop_turn(lp, 50);                                                \
    }


static lun_conn *
connect_one(void)
{
    int        n = server_count;
    lun_err    err;
    lun_conn  *c = lun_conn_new_out(lp, LUN_AF_INET, 256, NULL, &err);

    written = 0;
    lun_conn_enter(c, &quiet);
    lun_conn_connect(c, &where);
    turn_until(written == 1 && server_count == n + 1);
    return c;
}


static void
close_servers(void)
{
    while (server_count > 0) {
        lun_conn_close(servers[--server_count]);
    }

    lun_loop_turn(lp, 0);
}


static void
listen_here(void)
{
    const char         *failed;
    lun_listen_options  options = { .backlog = -1, .fastopen = -1 };

    lun_addr_parse(LUN_STR("127.0.0.1"), &where);
    lun_sock_listen(&where, &options, &acceptor.fd, &failed);
    lun_sock_local(acceptor.fd, &where);
    acceptor.family = LUN_AF_INET;
    acceptor.take = on_taken;
    is_int(lun_port_accept(lp->port, &acceptor), 0, "listens");
}


static void
keeps_the_latest(void)
{
    uint64_t        reused = 99;
    lun_conn       *a, *b, *c;
    lun_conn_pool  *pool;

    ok(lun_conn_pool_get(lp, P, 0, -1) == NULL, "no pool yet");
    a = connect_one();
    b = connect_one();
    pool = lun_conn_pool_get(lp, P, 2, -1);
    lun_conn_pool_keep(pool, a, 0, 0, false);
    lun_conn_pool_keep(pool, b, 5, 0, false);
    ok(lun_conn_pool_get(lp, P, 7, -1) == pool, "found by its name");

    is_int(lun_conn_pool_take(pool, NULL, false, &c, &reused),
           LUN_CONN_POOL_REUSED, "reused");
    ok(c == b, "the one that was kept last");
    is_int((int64_t) reused, 6, "once more");
    lun_conn_pool_keep(pool, c, reused, 0, true);

    c = connect_one();
    lun_conn_pool_keep(pool, c, 0, 0, false);
    is_int((int64_t) pool->idle_count, 2, "no more than its size");
    lun_loop_turn(lp, 0);
    is_int((int64_t) lun_conn_count(lp) - server_count, 2,
           "the oldest is gone");

    lun_conn_pool_close_idle(lp);
    lun_loop_turn(lp, 0);
    ok(lun_conn_pool_get(lp, P, 0, -1) == NULL, "and so is the empty pool");
    close_servers();
}


static void
tells_peers_apart(void)
{
    uint64_t        reused = 99;
    lun_conn       *a = connect_one(), *b = connect_one();
    lun_conn_pool  *pool = lun_conn_pool_get(lp, P, 2, -1);

    lun_conn_pool_keep_as(pool, a, LUN_STR("a"), 3, 0);
    lun_conn_pool_keep_as(pool, b, LUN_STR("b"), 0, 0);

    ok(lun_conn_pool_take_as(pool, LUN_STR("c"), &reused) == NULL, "not kept");
    ok(lun_conn_pool_take_as(pool, LUN_STR("a"), &reused) == a, "by its label");
    is_int((int64_t) reused, 4, "and once more");

    lun_conn_pool_keep_as(pool, a, LUN_STR("a"), reused, 0);
    lun_conn_pool_keep_as(pool, connect_one(), LUN_STR("c"), 0, 0);
    ok(lun_conn_pool_take_as(pool, LUN_STR("b"), &reused) == NULL,
       "the oldest has to go, whoever comes");

    a = lun_conn_pool_take_as(pool, LUN_STR("a"), &reused);
    lun_conn_close(a);
    a = lun_conn_pool_take_as(pool, LUN_STR("c"), &reused);
    lun_conn_close(a);
    ok(lun_conn_pool_get(lp, P, 0, -1) == pool
       && lun_conn_pool_get(lp, P, 9, -1) == pool && pool->size == 9,
       "an empty pool is there, and becomes as large as it is wanted");
    close_servers();
}


static void
drops_what_cannot_be_used(void)
{
    size_t          n;
    lun_slice       slice = { "x", 1 };
    lun_conn_pool  *pool = lun_conn_pool_get(lp, P, 10, -1);

    lun_conn_pool_keep(pool, connect_one(), 0, 0, false);
    lun_conn_pool_keep(pool, connect_one(), 0, 0, false);
    lun_conn_pool_keep(pool, connect_one(), 0, 1, false);
    is_int((int64_t) pool->idle_count, 3, "three");
    turn_until(pool->idle_count == 2);
    is_int((int64_t) pool->idle_count, 2, "one was idle for too long");

    lun_conn_close(servers[0]);
    servers[0] = servers[2];
    server_count = 2;
    turn_until(pool->idle_count == 1);
    is_int((int64_t) pool->idle_count, 1, "one was closed by its peer");

    lun_conn_send(servers[1], &slice, 1, false, &n);
    turn_until(lun_conn_pool_get(lp, P, 0, -1) == NULL);
    ok(lun_conn_pool_get(lp, P, 0, -1) == NULL,
       "one said what nobody asked for");
    close_servers();
    is_int((int64_t) lun_conn_count(lp), 0, "no connection is left");
}


static void  on_ready(lun_conn_waiter *w)  { woken++; }

static void
knows_what_is_shared(void)
{
    lun_conn_share  a = { .conn = connect_one() };
    lun_conn_pool  *pool = lun_conn_pool_get(lp, P, 2, -1);

    a.conn->requests = 1;
    lun_conn_pool_offer(pool, &a, LUN_STR("a"), 2, lun_clock.mono + 1000);

    ok(lun_conn_pool_join(pool, LUN_STR("b")) == NULL, "not to that peer");
    ok(lun_conn_pool_join(pool, LUN_STR("a")) == a.conn, "room for one more");
    a.full = true;
    ok(lun_conn_pool_join(pool, LUN_STR("a")) == NULL, "no room");
    a.full = false;
    a.conn->requests = 2;
    ok(lun_conn_pool_join(pool, LUN_STR("a")) == NULL, "as many as it may");
    a.conn->requests = 1;
    a.until = lun_clock.mono - 1;
    ok(lun_conn_pool_join(pool, LUN_STR("a")) == NULL, "too old for more");

    lun_conn_pool_withdraw(&a);
    lun_conn_pool_withdraw(&a);
    ok(lun_conn_pool_get(lp, P, 0, -1) == NULL, "the pool ends with it");
    lun_conn_close(a.conn);
}


static void
limits_and_queues(void)
{
    lun_conn         *c;
    uint64_t          reused;
    lun_conn_waiter   w[3] = { { .ready = on_ready }, { .ready = on_ready },
                               { .ready = on_ready } };
    lun_conn_pool    *pool = lun_conn_pool_get(lp, P, 1, 2);

    is_int(lun_conn_pool_take(pool, &w[0], false, &c, &reused),
           LUN_CONN_POOL_CONNECT, "the first may connect");
    is_int(lun_conn_pool_take(pool, &w[0], false, &c, &reused),
           LUN_CONN_POOL_WAITING, "the second waits");
    is_int(lun_conn_pool_take(pool, &w[1], false, &c, &reused),
           LUN_CONN_POOL_WAITING, "the third as well");
    is_int(lun_conn_pool_take(pool, &w[2], false, &c, &reused),
           LUN_CONN_POOL_FULL, "for more there is no room");

    lun_conn_pool_keep(pool, connect_one(), 0, 0, true);
    is_int(woken, 1, "one is woken when a connection is kept");
    is_int(lun_conn_pool_take(pool, &w[0], true, &c, &reused),
           LUN_CONN_POOL_REUSED, "and gets that one");
    lun_conn_close(c);
    lun_conn_pool_leave(pool);
    is_int(woken, 2, "the next when it has gone");
    is_int(lun_conn_pool_take(pool, &w[1], true, &c, &reused),
           LUN_CONN_POOL_CONNECT, "who connects");

    is_int(lun_conn_pool_take(pool, &w[2], false, &c, &reused),
           LUN_CONN_POOL_WAITING, "one waits");
    lun_conn_pool_cancel(pool, &w[2]);
    lun_conn_pool_leave(pool);
    is_int(woken, 2, "and no longer");
    ok(lun_conn_pool_get(lp, P, 0, -1) == NULL, "nothing is left of the pool");
    close_servers();
}


int
main(void)
{
    lun_sock_init();
    lun_loop_init(lp);
    listen_here();

    keeps_the_latest();
    tells_peers_apart();
    drops_what_cannot_be_used();
    knows_what_is_shared();
    limits_and_queues();

    lun_loop_fini(lp);
    return done_testing();
}
