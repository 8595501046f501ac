/*
 * port.c -- batches, posts, connections: what a port does for many.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/port.h"

#include "port_help.h"


/* Streams that end each other while both have something in one batch. */

static lun_stream  *twins[2];
static int          ended;


static void
destroy(lun_stream *s)
{
    memset(s, 0xee, sizeof(*s));
    free(s);
    ended++;
}


static void
end_both(lun_op *op)
{
    int          i;
    lun_stream  *s = op->stream;

    /* The second to be heard of: cancelled, or with what it had got. */
    if (s->fd == LUN_FD_NONE) {
        destroy(s);
        return;
    }

    calls++;

    for (i = 0; i < 2; i++) {
        lun_port_close(twins[i]);

        if (!lun_port_busy(twins[i])) {
            destroy(twins[i]);
        }
    }
}


static void
a_stream_may_be_freed_within_a_batch(void)
{
    int     i, round;
    char    buf[2][8];
    lun_fd  clients[2];

    for (round = 0; round < 4; round++) {
        for (i = 0; i < 2; i++) {
            twins[i] = malloc(sizeof(lun_stream));
            pair(twins[i], &clients[i]);
        }

        lun_port_wait(port, 0, NULL);
        ended = 0;

        /* In odd rounds the one that is closed has nothing in flight. */
        lun_port_read(twins[0], buf[0], 8, end_both);

        if (round % 2 == 0) {
            lun_port_read(twins[1], buf[1], 8, end_both);
        }

        /* Either may be the first of the batch. */
        say(clients[round / 2], "x");
        say(clients[!(round / 2)], "x");

        is_int(turn(1), 1, "one of the two ends both");

        for (i = 0; i < 100 && ended < 2; i++) {
            lun_port_wait(port, 100, NULL);
        }

        is_int(ended, 2, "and both are gone");
        lun_port_wait(port, 0, NULL);
        lun_sock_close(clients[0]);
        lun_sock_close(clients[1]);
    }

    is_int(calls, 0, "nothing is said of the dead");
}


static char  order[64];


static void
on_fair(lun_op *op)
{
    size_t      n = strlen(order);
    lun_stream *s = op->stream;

    if (op->err || op->result == 0 || n == sizeof(order) - 1) {
        return;
    }

    order[n] = s == twins[0] ? 'a' : 'b';
    order[n + 1] = '\0';
    calls++;
    lun_port_read(s, op->data, 1, on_fair);
}


static void
nobody_starves(void)
{
    int         i;
    char        buf[2];
    lun_fd      clients[2];
    lun_stream  streams[2];

    order[0] = '\0';

    for (i = 0; i < 2; i++) {
        pair(&streams[i], &clients[i]);
        twins[i] = &streams[i];
        streams[i].in.data = &buf[i];
        say(clients[i], "0123456789");
    }

    for (i = 0; i < 2; i++) {
        lun_port_read(&streams[i], &buf[i], 1, on_fair);
    }

    is_int(turn(20), 20, "twenty bytes, one by one");
    ok(strstr(order, "aaaaaa") == NULL && strstr(order, "bbbbbb") == NULL,
       "in turns: %s", order);

    for (i = 0; i < 2; i++) {
        lun_port_close(&streams[i]);
        lun_sock_close(clients[i]);
    }

    calls = 0;
    lun_port_wait(port, 100, NULL);
    ok(!lun_port_busy(&streams[0]) && !lun_port_busy(&streams[1]),
       "both have ended");
}


static void
posted_operations(void)
{
    lun_op  ops[3] = { { .done = on_done }, { .done = on_done },
                       { .done = on_done } };

    lun_port_post(port, &ops[0]);
    is_int(calls, 0, "not from inside the call");
    is_int(turn(1), 1, "but from a wait");
    is_int(last_err, 0, "without an error");

    lun_port_post_remote(port, &ops[0]);
    lun_port_post_remote(port, &ops[1]);
    lun_port_post_remote(port, &ops[2]);
    is_int(calls, 0, "nor those of others");
    is_int(turn(3), 3, "all arrive");
    lun_port_post_remote(port, &ops[1]);
    is_int(turn(1), 1, "and again");

    lun_port_post(port, &ops[0]);
    lun_port_wait(port, LUN_PORT_FOREVER, NULL);
    is_int(turn(1), 1, "a wait for ever does not wait for what is posted");
}


static int  woken;


static void
on_awake(void)
{
    woken++;
    is_int(calls, 0, "awake comes before any done");
}


static void
awake_comes_first(void)
{
    lun_op  op = { .done = on_done };

    woken = 0;
    lun_port_post(port, &op);
    lun_port_wait(port, 0, on_awake);
    is_int(woken, 1, "and once");
    is_int(turn(1), 1, "then done");
}


/* --- accepting --- */

static lun_fd    taken[8];
static int       taken_count;
static lun_addr  taken_peer;


static void
take(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    if (err == 0 && taken_count < 8) {
        taken[taken_count++] = fd;
        taken_peer = *peer;
        calls++;
    }
}


static void
take_one(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    take(a, fd, peer, err);
    a->take = take;
    lun_port_accept_stop(a);
}


static void
connections_are_taken(void)
{
    int           i, before;
    char          buf[8];
    lun_fd        clients[4], extra;
    lun_addr      addr = address;
    lun_stream    s;
    const char   *failed;
    lun_acceptor  a = { .family = LUN_AF_INET, .take = take, .batch = 2 };

    const lun_listen_options  plain = { .backlog = 16, .fastopen = -1 };

    taken_count = 0;
    addr.port = 0;
    is_int(lun_sock_listen(&addr, &plain, &a.fd, &failed), 0, "a listener");
    lun_sock_local(a.fd, &addr);
    is_int(lun_port_accept(port, &a), 0, "accepts");
    ok(a.open, "it is open");

    for (i = 0; i < 4; i++) {
        is_int(lun_sock_connect_wait(&addr, LIMIT, &clients[i]), 0,
               "client %d", i);
    }

    is_int(turn(4), 4, "all are taken");
    lun_sock_local(clients[3], &addr);
    ok(lun_addr_eq(&addr, &taken_peer) || taken_count != 4,
       "with their addresses");
    lun_sock_local(a.fd, &addr);

    memset(&s, 0, sizeof(s));
    is_int(lun_port_attach(port, &s, taken[0], false), 0, "one is used");
    lun_port_read(&s, buf, sizeof(buf), on_done);

    for (i = 0; i < 4; i++) {
        say(clients[i], "me");
    }

    is_int(turn(1), 1, "to read from");
    is_mem(buf, (size_t) last, "me", 2, "its client");
    lun_port_close(&s);

    before = taken_count;
    lun_port_accept_stop(&a);
    ok(!a.open, "stopped");
    is_int(taken_count, before, "nothing was under way");

    is_int(lun_sock_connect_wait(&addr, LIMIT, &extra), 0, "a late client");
    lun_port_wait(port, 0, NULL);
    lun_port_wait(port, 0, NULL);
    is_int(taken_count, before, "is not taken");

    a.take = take_one;
    is_int(lun_port_accept(port, &a), 0, "accepts again");
    is_int(turn(1), 1, "now it is");
    ok(!a.open, "and `take` has stopped it");

    for (i = 1; i < taken_count; i++) {
        lun_sock_close(taken[i]);
    }

    for (i = 0; i < 4; i++) {
        lun_sock_close(clients[i]);
    }

    lun_sock_close(extra);
    lun_sock_close(a.fd);
}


static void
take_error(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    calls++;
    last_err = fd == LUN_FD_NONE ? err : 0;
    lun_port_accept_stop(a);
}


/* Asked again at once, it would be told for ever. */
static void
an_error_that_lasts_is_told_once(void)
{
    int           i;
    lun_acceptor  a = { .family = LUN_AF_INET, .take = take_error };

    is_int(lun_sock_stream(LUN_AF_INET, &a.fd), 0, "no listener");
    is_int(lun_port_accept(port, &a), 0, "is accepted from");

    for (i = 0; i < 10 && calls == 0; i++) {
        lun_port_wait(port, 50, NULL);
    }

    if (calls == 0) {
        skip("Wine waits for one");
        lun_port_accept_stop(&a);
        lun_sock_close(a.fd);
        return;
    }

    is_int(turn(1), 1, "an error comes");
    ok(last_err != 0 && a.stuck, "that will last");
    lun_port_wait(port, 0, NULL);
    lun_port_wait(port, 0, NULL);
    is_int(calls, 0, "stopped, it does not come again");

    is_int(lun_port_accept(port, &a), 0, "started again");
    ok(a.open && !a.stuck, "it is like new");
    is_int(turn(1), 1, "and told again");
    lun_sock_close(a.fd);
}


static void
datagrams(void)
{
    char        buf[16];
    size_t      sent;
    lun_fd      fd, peer;
    lun_addr    here = address, there = address;
    lun_slice   hi = { "hi", 2 };
    lun_stream  s;

    memset(&s, 0, sizeof(s));
    here.port = there.port = 0;

    is_int(lun_sock_datagram(LUN_AF_INET, &peer), 0, "a datagram socket");
    is_int(lun_sock_bind(peer, &there), 0, "bound");
    lun_sock_local(peer, &there);
    is_int(lun_sock_datagram(LUN_AF_INET, &fd), 0, "another");
    is_int(lun_sock_bind(fd, &here), 0, "bound");
    lun_sock_local(fd, &here);
    is_int(lun_sock_connect_datagram(fd, &there), 0, "connected");
    is_int(lun_sock_connect_datagram(peer, &here), 0, "both");
    is_int(lun_port_attach(port, &s, fd, true), 0, "attached");

    say(peer, "one");
    say(peer, "two");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "one comes");
    is_mem(buf, (size_t) last, "one", 3, "alone");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "the other");
    is_mem(buf, (size_t) last, "two", 3, "after it");

    is_int(lun_port_send(&s, &hi, 1, false, &sent), 0, "an answer");
    hears(peer, "hi");

    lun_port_close(&s);
    lun_sock_close(peer);
}


/* Answers each request as a server would: one receive, one send. */

static char  request[64];


static void
on_request(lun_op *op)
{
    size_t     sent;
    lun_slice  slices[2] = { { "head ", 5 }, { "body", 4 } };

    if (op->err || op->result == 0) {
        return;
    }

    calls++;
    (void) lun_port_send(op->stream, slices, 2, false, &sent);
    lun_port_read(op->stream, request, sizeof(request), on_request);
}


static void
budget_of_a_request(void)
{
    int                i;
    char               buf[16];
    size_t             got;
    lun_fd             client;
    lun_stream         s;
    lun_port_counters  was, now;

    enum { REQUESTS = 100 };

    pair(&s, &client);
    lun_port_read(&s, request, sizeof(request), on_request);
    lun_port_wait(port, 0, NULL);
    was = *lun_port_count(port);

    for (i = 0; i < REQUESTS; i++) {
        say(client, "request");

        if (turn(1) != 1
            || lun_sock_recv_wait(client, buf, sizeof(buf), LIMIT, &got) != 0
            || got != 9)
        {
            ok(0, "no answer");
            break;
        }
    }

    now = *lun_port_count(port);
    is_int((int64_t) (now.reads - was.reads), REQUESTS,
           "one receive for each request");
    is_int((int64_t) (now.sends - was.sends), REQUESTS, "one send");
    is_int((int64_t) (now.others - was.others), 0, "nothing else");

    lun_port_close(&s);
    lun_sock_close(client);
    lun_port_wait(port, 100, NULL);
}


/* However the port waits. */
static void
all(void)
{
    a_stream_may_be_freed_within_a_batch();
    nobody_starves();
    posted_operations();
    awake_comes_first();
    connections_are_taken();
    an_error_that_lasts_is_told_once();
    datagrams();
}


int
main(void)
{
    begin();
    all();
    budget_of_a_request();
    end();

    begin();
    lun_port_use_poll(port);
    all();
    end();

    return done_testing();
}
