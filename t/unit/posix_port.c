/*
 * posix_port.c -- events of sockets that are closed here and open elsewhere:
 * a program that was just started has a copy of each until its exec().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/posix/port.c"

#include <sys/socket.h>

#include "tap.h"


enum { WAITS = 3 };

static lun_port  *port;
static int        calls;


static void
on_done(lun_op *op)
{
    calls++;
}


static void
wait_a_while(void)
{
    int  i;

    for (i = 0; i < WAITS; i++) {
        lun_port_wait(port, 10, NULL);
    }
}


/* One end of a pair is s's; the other is the result. */
static int
attach(lun_stream *s)
{
    int  fds[2];

    memset(s, 0, sizeof(*s));
    ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0
       && lun_port_attach(port, s, fds[0], false) == 0, "a stream");
    wait_a_while();
    return fds[1];
}


/* The memory is another's when the event comes. */
static void
test_gone(void)
{
    int         copy, client;
    lun_stream  s;

    client = attach(&s);
    copy = dup((int) s.fd);
    lun_port_close(&s);

    memset(&s, 0, sizeof(s));
    s.fd = LUN_FD_NONE;
    s.in.busy = true;
    s.in.stream = &s;
    s.in.done = on_done;

    ok(write(client, "x", 1) == 1, "the copy hears something");
    wait_a_while();
    close(client);
    wait_a_while();
    ok(calls == 0, "nobody else does");
    close(copy);
}


/* Another stream has the descriptor when the event comes. */
static void
test_other(void)
{
    int          copy, client, other;
    char         room[8];
    lun_fd       fd;
    lun_stream   first, second;

    client = attach(&first);
    fd = first.fd;
    copy = dup((int) fd);
    lun_port_close(&first);

    other = attach(&second);
    ok(second.fd == fd, "the descriptor is used again");
    lun_port_read(&second, room, sizeof(room), on_done);

    ok(write(client, "x", 1) == 1, "the copy hears something");
    wait_a_while();
    ok(calls == 0 && !second.readable, "the other stream does not");

    ok(write(other, "y", 1) == 1, "the stream hears something");
    wait_a_while();
    ok(calls == 1 && second.in.result == 1 && room[0] == 'y', "so it does");

    lun_port_close(&second);
    close(client);
    close(other);
    close(copy);
}


/* Many descriptors, closed in the order of opening and in the other one. */
static void
test_many(void)
{
    int                i, clients[200];
    static lun_stream  streams[200];

    for (i = 0; i < 200; i++) {
        int  fds[2];

        LUN_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds)
                  == 0 && lun_port_attach(port, &streams[i], fds[0], false)
                  == 0);
        clients[i] = fds[1];
    }

    calls = 0;

    for (i = 0; i < 200; i++) {
        char  room[1];

        lun_port_read(&streams[i], room, 0, on_done);
        LUN_CHECK(write(clients[i], "x", 1) == 1);
    }

    for (i = 0; i < 100; i++) {
        lun_port_close(&streams[199 - i]);
    }

    wait_a_while();
    ok(calls == 200, "each is answered once: %d", calls);

    for (i = 0; i < 200; i++) {
        close(clients[i]);
    }

    for (i = 0; i < 100; i++) {
        lun_port_close(&streams[i]);
    }
}


/* Each datagram that has left would be an event: who sends does not ask. */
static void
test_datagrams(void)
{
    int                 fds[2];
    char                byte;
    lun_slice           one = { "x", 1 };
    lun_stream          s = { .fd = LUN_FD_NONE };
    struct epoll_event  ev;

    LUN_CHECK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, fds) == 0);
    ok(lun_port_attach(port, &s, fds[0], true) == 0, "a stream of datagrams");
    wait_a_while();

    lun_port_write(&s, &one, 1, on_done);
    calls = 0;
    wait_a_while();
    ok(calls == 1 && recv(fds[1], &byte, 1, 0) == 1, "one has left");
    is_int(epoll_wait(port->fd, &ev, 1, 0), 0, "which is no event");

    while (s.writable) {
        size_t  sent;

        (void) lun_port_send(&s, &one, 1, false, &sent);
    }

    lun_port_write(&s, &one, 1, on_done);
    wait_a_while();
    ok(calls == 1, "when the socket is full, it waits");

    while (recv(fds[1], &byte, 1, 0) == 1) { }

    wait_a_while();
    ok(calls == 2 && recv(fds[1], &byte, 1, 0) == 1,
       "and goes when there is room");

    lun_port_close(&s);
    close(fds[1]);
}


int
main(void)
{
    lun_err  err;

    port = lun_port_new(&err);
    test_gone();
    test_other();
    calls = 0;
    test_many();
    test_datagrams();
    lun_port_free(port);
    return done_testing();
}
