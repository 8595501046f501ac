/*
 * datagram.c -- datagrams from anybody, and answers to them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/datagram.h"

#include "os/time.h"
#include "tap.h"


enum { LIMIT = 10000, MANY = 100, ROOM = 70000 };

static lun_port  *port;

/* What has come. */
static struct {
    int       count;
    int       errors;
    size_t    len;                 /* of the last */
    char      data[ROOM];
    lun_addr  from, to;
    bool      in_order;            /* each begins with its number */
    int       stop_after;
} seen;


static void
on_datagram(lun_receiver *r, const lun_datagram *d, lun_err err)
{
    if (d == NULL) {
        seen.errors++;
        return;
    }

    if (d->len != 0 && (uint8_t) d->data[0] != seen.count) {
        seen.in_order = false;
    }

    seen.count++;
    seen.len = d->len;
    memcpy(seen.data, d->data, d->len);
    seen.from = d->from;
    seen.to = d->to;

    if (seen.count == seen.stop_after) {
        lun_datagram_stop(r);
    }
}


static void
forget_seen(void)
{
    memset(&seen, 0, sizeof(seen));
    seen.in_order = true;
}


static int
turn(int n)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (seen.count < n && seen.errors == 0 && lun_time_monotonic() < end) {
        lun_port_wait(port, 100, NULL);
    }

    return seen.count;
}


static lun_addr
addr_of(const char *text, uint16_t with_port)
{
    lun_addr  a;

    lun_addr_parse(lun_str_z(text), &a);
    a.port = with_port;
    return a;
}


/* A socket to receive from at that address, and the address with its port. */
static lun_receiver
receiver_at(const char *text, lun_addr *addr)
{
    const char    *failed;
    lun_receiver   r = { .take = on_datagram };

    const lun_listen_options  opt = { .datagram = 1, .ipv6only = 1 };

    *addr = addr_of(text, 0);

    if (lun_sock_listen(addr, &opt, &r.fd, &failed) != 0
        || lun_sock_local(r.fd, addr) != 0
        || lun_datagram_receive(port, &r) != 0)
    {
        ok(0, "cannot receive at %s", text);
        exit(1);
    }

    lun_datagram_stop(&r);
    return r;
}


/* Somebody who sends, bound to an address of his. */
static lun_fd
sender(const char *text, lun_addr *own)
{
    lun_fd  fd;

    *own = addr_of(text, 0);

    if (lun_sock_datagram(own->family, &fd) != 0 || lun_sock_bind(fd, own) != 0
        || lun_sock_local(fd, own) != 0)
    {
        ok(0, "cannot send");
        exit(1);
    }

    return fd;
}


static void
send_text(lun_fd fd, const lun_addr *to, const char *text, size_t len)
{
    is_int(lun_sock_send_to(fd, text, len, to), 0, "%zu bytes are sent", len);
}


static size_t
hear(lun_fd fd, char *room, size_t size, lun_addr *from)
{
    size_t    got;
    lun_err   err;
    lun_msec  end = lun_time_monotonic() + LIMIT;

    do {
        err = lun_sock_receive_from(fd, room, size, &got, from);

        if (err == 0) {
            return got;
        }

        lun_time_sleep(1);
    } while (lun_err_kind_of(err) == LUN_ERR_AGAIN
             && lun_time_monotonic() < end);

    return SIZE_MAX;
}


static void
receives_and_answers(void)
{
    char          room[16];
    lun_fd        one, two;
    lun_addr      here, first, second, from;
    lun_receiver  r = receiver_at("127.0.0.1", &here);

    const lun_slice  answer[] = { { "ans", 3 }, { "", 0 }, { "wer", 3 } };

    one = sender("127.0.0.1", &first);
    two = sender("127.0.0.1", &second);
    lun_datagram_receive(port, &r);

    forget_seen();
    send_text(one, &here, "\0one", 4);
    is_int(turn(1), 1, "it has come");
    is_mem(seen.data, seen.len, "\0one", 4, "whole");
    ok(lun_addr_eq(&seen.from, &first), "from whom it is");
    is_int(seen.to.family, LUN_AF_NONE, "to the address of the socket");

    send_text(two, &here, "", 0);
    is_int(turn(2), 2, "an empty one has come");
    is_int((int64_t) seen.len, 0, "empty");
    ok(lun_addr_eq(&seen.from, &second), "from somebody else");

    is_int(lun_datagram_send(r.fd, answer, 3, &second, NULL), 0, "answered");
    is_int((int64_t) hear(two, room, sizeof(room), &from), 6, "it is heard");
    is_mem(room, 6, "answer", 6, "as one");
    ok(lun_addr_eq(&from, &here), "from where he had sent to");

    lun_datagram_stop(&r);
    ok(!r.open, "stopped");
    lun_datagram_stop(&r);
    is_int(seen.count, 2, "and nothing more came");

    lun_sock_close(one);
    lun_sock_close(two);
    lun_sock_close(r.fd);
}


/* More than a batch, and each in its turn. */
static void
receives_many(void)
{
    int           i;
    char          text[8] = "x";
    lun_fd        fd;
    lun_addr      here, own;
    lun_receiver  r = receiver_at("127.0.0.1", &here);

    fd = sender("127.0.0.1", &own);
    forget_seen();

    for (i = 0; i < MANY; i++) {
        text[0] = (char) i;
        (void) lun_sock_send_to(fd, text, sizeof(text), &here);
    }

    lun_datagram_receive(port, &r);
    is_int(turn(MANY), MANY, "all have come");
    ok(seen.in_order, "in the order in which they were sent");

    forget_seen();
    seen.stop_after = 2;

    for (i = 0; i < 2; i++) {
        text[0] = (char) i;
        (void) lun_sock_send_to(fd, text, sizeof(text), &here);
    }

    is_int(turn(2), 2, "two more");
    ok(!r.open, "the second stops the receiver");

    lun_sock_close(fd);
    lun_sock_close(r.fd);
}


static void
receives_large_ones(void)
{
    char         *big = lun_calloc(ROOM);
    lun_fd        fd;
    lun_addr      here, own;
    lun_receiver  r = receiver_at("127.0.0.1", &here);

    memset(big + 1, 'b', ROOM - 1);
    fd = sender("127.0.0.1", &own);
    lun_datagram_receive(port, &r);

    forget_seen();
    send_text(fd, &here, big, 60000);
    is_int(turn(1), 1, "a large one has come");
    is_mem(seen.data, seen.len, big, 60000, "all of it");

    is_int(lun_err_kind_of(lun_sock_send_to(fd, big, ROOM, &here)) != 0, 1,
           "what is larger than any datagram is not sent");

    lun_datagram_stop(&r);
    lun_sock_close(fd);
    lun_sock_close(r.fd);
    lun_free(big);
}


/* Wine takes no source for what is sent; then only the port is right. */
static void
knows_its_address(const char *any, const char *target, bool first)
{
    char          room[16];
    lun_fd        fd;
    lun_addr      here, own, from;
    lun_receiver  r = receiver_at(any, &here);

    const lun_slice  answer = { "answer", 6 };

    fd = sender(any, &own);
    here = addr_of(target, here.port);
    lun_datagram_receive(port, &r);

    forget_seen();
    send_text(fd, &here, "\0", 1);
    is_int(turn(1), 1, "one has come to %s", target);

    seen.to.port = here.port;
    ok(lun_addr_eq(&seen.to, &here), "which it knows");

    is_int(lun_datagram_send(r.fd, &answer, 1, &seen.from, &seen.to), 0,
           "an answer");
    is_int((int64_t) hear(fd, room, sizeof(room), &from), 6, "is heard");
    ok(first ? lun_addr_eq(&from, &here) : from.port == here.port,
       "from that address");

    lun_datagram_stop(&r);
    lun_sock_close(fd);
    lun_sock_close(r.fd);
}


/* A socket for datagrams is nobody else's, and its buffers may change. */
static void
is_exclusive(void)
{
    int           before = 0, after = 0;
    lun_fd        fd;
    lun_err       err;
    lun_addr      here;
    const char   *failed;
    lun_receiver  r = receiver_at("127.0.0.1", &here);

    lun_listen_options  opt = { .datagram = 1 };

    err = lun_sock_listen(&here, &opt, &fd, &failed);
    is_int(lun_err_kind_of(err), LUN_ERR_ADDR_IN_USE, "the address is taken");
    is_str(failed, "bind()", "bind() said so");

    (void) lun_sock_ask(r.fd, LUN_SOCK_RCVBUF, &before);
    opt.rcvbuf = 16384;
    is_int(lun_sock_relisten(r.fd, &opt), 0, "another buffer");
    (void) lun_sock_ask(r.fd, LUN_SOCK_RCVBUF, &after);
    ok(after != before && after >= 16384, "%d bytes, not %d", after, before);

    lun_sock_close(r.fd);
}


int
main(void)
{
    lun_err  err;

    lun_sock_init();
    port = lun_port_new(&err);

    receives_and_answers();
    receives_many();
    receives_large_ones();
    knows_its_address("0.0.0.0", "127.0.0.1", true);
    knows_its_address("0.0.0.0", "127.0.0.2", false);
    knows_its_address("::", "::1", true);
    is_exclusive();

    lun_port_free(port);
    return done_testing();
}
