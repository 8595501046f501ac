/*
 * sock.c -- sockets: listening, names, and the blocking calls of tools.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sock.h"

#include "os/dir.h"
#include "os/proc.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 10000 };            /* ms; nothing here takes that long */

static const lun_listen_options  plain = { .backlog = 16, .fastopen = -1 };


static lun_addr
addr_of(const char *text)
{
    lun_addr  addr;

    if (lun_addr_parse(lun_str_z(text), &addr) != LUN_OK) {
        ok(0, "cannot parse %s", text);
    }

    return addr;
}


/* A listener on a port that the system chooses. */
static lun_fd
listener(const char *host, lun_addr *addr)
{
    lun_fd       fd;
    lun_err      err;
    const char  *failed = "nothing";

    *addr = addr_of(host);
    err = lun_sock_listen(addr, &plain, &fd, &failed);

    if (!is_int(err, 0, "listens on %s", host)) {
        diag("%s", failed);
        exit(1);
    }

    lun_sock_local(fd, addr);
    return fd;
}


static void
pair(lun_fd *client, lun_fd *server)
{
    lun_fd    fd;
    lun_addr  addr;

    fd = listener("127.0.0.1", &addr);

    if (lun_sock_connect_wait(&addr, LIMIT, client) != 0
        || lun_sock_accept_wait(fd, LIMIT, server) != 0)
    {
        ok(0, "cannot make a pair");
        exit(1);
    }

    lun_sock_close(fd);
}


static void
a_listener_knows_its_name(void)
{
    lun_fd    fd;
    lun_addr  addr;

    fd = listener("127.0.0.1", &addr);
    is_int(addr.family, LUN_AF_INET, "of its family");
    ok(addr.port != 0, "with a port: %u", addr.port);
    is_mem(addr.ip, 4, "\x7f\0\0\x01", 4, "on its address");
    lun_sock_close(fd);

    fd = listener("::1", &addr);
    is_int(addr.family, LUN_AF_INET6, "of the other family");
    ok(addr.port != 0, "with a port: %u", addr.port);
    lun_sock_close(fd);
}


static void
an_address_has_one_listener(void)
{
    lun_fd       fd, second;
    lun_err      err;
    lun_addr     addr;
    const char  *failed;

    fd = listener("127.0.0.1", &addr);
    err = lun_sock_listen(&addr, &plain, &second, &failed);
    is_int(lun_err_kind_of(err), LUN_ERR_ADDR_IN_USE, "not twice");
    is_str(failed, "bind()", "what failed is named");
    is_int(second, LUN_FD_NONE, "and nothing left open");
    is_int(lun_sock_relisten(fd, &plain), 0, "but its options may change");
    lun_sock_close(fd);

    err = lun_sock_listen(&addr, &plain, &second, &failed);
    is_int(err, 0, "and when it is closed, the address is free");
    lun_sock_close(second);

    addr = addr_of("192.0.2.1");
    err = lun_sock_listen(&addr, &plain, &second, &failed);
    is_int(lun_err_kind_of(err), LUN_ERR_ADDR_NOT_AVAILABLE,
           "not on an address of others");
}


static void
both_families_share_a_port(void)
{
    lun_fd       fd, six;
    lun_err      err;
    lun_addr     four, addr;
    const char  *failed;

    const lun_listen_options  only = {
        .backlog = 16, .fastopen = -1, .ipv6only = 1
    };

    fd = listener("0.0.0.0", &four);
    addr = addr_of("::");
    addr.port = four.port;
    err = lun_sock_listen(&addr, &only, &six, &failed);
    is_int(err, 0, "with ipv6only");
    lun_sock_close(six);
    lun_sock_close(fd);
}


/* Who sends is never kept longer than the limit, nor ended by a signal. */
static void
sending_has_a_limit(void)
{
    enum { SHORT = 50, MUCH = 64 << 20 };

    int       turns;
    char     *much = calloc(1, MUCH);
    lun_err   err;
    lun_fd    client, server;
    lun_msec  began;

    pair(&client, &server);
    began = lun_time_monotonic();
    err = lun_sock_send_wait(client, much, MUCH, SHORT);
    is_int(lun_err_kind_of(err), LUN_ERR_TIMEOUT, "nobody reads");
    ok(lun_time_monotonic() - began < LIMIT, "and not for long");

    lun_sock_close(server);

    for (turns = 0, err = 0; turns < 1000 && err == 0; turns++) {
        err = lun_sock_send_wait(client, "x", 1, SHORT);
    }

    ok(err != 0, "nobody is there any more");
    lun_sock_close(client);
    free(much);
}


static void
bytes_go_both_ways(void)
{
    char      buf[16];
    size_t    got;
    lun_fd    client, server;

    pair(&client, &server);

    is_int(lun_err_kind_of(lun_sock_peek(server)), LUN_ERR_AGAIN,
           "nothing to read yet");
    is_int(lun_sock_send_wait(client, "ping", 4, LIMIT), 0, "ping");
    is_int(lun_sock_recv_wait(server, buf, sizeof(buf), LIMIT, &got), 0,
           "arrives");
    is_mem(buf, got, "ping", 4, "as it was sent");

    is_int(lun_sock_send_wait(server, "pong", 4, LIMIT), 0, "pong");
    is_int(lun_sock_recv_wait(client, buf, 2, LIMIT, &got), 0, "arrives");
    is_mem(buf, got, "po", 2, "a part");
    is_int(lun_sock_peek(client), 0, "more is there");
    is_int(lun_sock_recv_wait(client, buf, 9, LIMIT, &got), 0, "the rest");
    is_mem(buf, got, "ng", 2, "follows");

    is_int(lun_err_kind_of(lun_sock_recv_wait(client, buf, 9, 1, &got)),
           LUN_ERR_TIMEOUT, "then the limit passes");

    is_int(lun_sock_nodelay(client, true), 0, "nodelay");
    is_int(lun_sock_keepalive(client, true), 0, "keepalive");

    is_int(lun_sock_shutdown_write(client), 0, "the client is done");
    is_int(lun_sock_recv_wait(server, buf, 9, LIMIT, &got), 0, "the server");
    is_int((int64_t) got, 0, "sees the end");
    is_int(lun_err_kind_of(lun_sock_peek(server)), LUN_ERR_RESET,
           "and peeks at it");
    is_int(lun_sock_send_wait(server, "bye", 3, LIMIT), 0, "answers still");
    is_int(lun_sock_recv_wait(client, buf, 9, LIMIT, &got), 0, "and is");
    is_mem(buf, got, "bye", 3, "heard");

    lun_sock_close(client);
    lun_sock_close(server);
}


static void
an_abort_is_a_reset(void)
{
    char    buf[16];
    size_t  got;
    lun_fd  client, server;

    if (tap_wine()) {
        skip("Wine ends every connection in good order");
        return;
    }

    pair(&client, &server);
    lun_sock_abort(client);
    is_int(lun_err_kind_of(lun_sock_recv_wait(server, buf, 9, LIMIT, &got)),
           LUN_ERR_RESET, "an abort arrives as a reset");
    lun_sock_close(server);
}


static void
nobody_there(void)
{
    lun_fd    fd;
    lun_err   err;
    lun_addr  addr;

    fd = listener("127.0.0.1", &addr);
    is_int(lun_err_kind_of(lun_sock_accept_wait(fd, 1, &fd)), LUN_ERR_AGAIN,
           "nobody has come");

    fd = listener("127.0.0.1", &addr);
    lun_sock_close(fd);
    err = lun_sock_connect_wait(&addr, LIMIT, &fd);
    is_int(lun_err_kind_of(err), LUN_ERR_REFUSED, "nobody listens");
    is_str(lun_err_sock_text(err), "connection refused", "in words");
    is_int(fd, LUN_FD_NONE, "and nothing left open");
}


static void
datagrams(void)
{
    char      buf[16];
    size_t    got;
    lun_fd    a, b;
    lun_addr  addr = addr_of("127.0.0.1");

    is_int(lun_sock_datagram(LUN_AF_INET, &a), 0, "a datagram socket");
    is_int(lun_sock_datagram(LUN_AF_INET, &b), 0, "another");
    is_int(lun_sock_bind(a, &addr), 0, "bound");
    lun_sock_local(a, &addr);
    is_int(lun_sock_connect_datagram(b, &addr), 0, "connected");
    is_int(lun_sock_send_wait(b, "one", 3, LIMIT), 0, "one");
    is_int(lun_sock_send_wait(b, "two", 3, LIMIT), 0, "two");
    is_int(lun_sock_recv_wait(a, buf, sizeof(buf), LIMIT, &got), 0, "come");
    is_mem(buf, got, "one", 3, "one");
    is_int(lun_sock_recv_wait(a, buf, sizeof(buf), LIMIT, &got), 0, "by");
    is_mem(buf, got, "two", 3, "one");

    lun_sock_close(a);
    lun_sock_close(b);
}


static void
unix_sockets(void)
{
    char         path[100], buf[8], far_too_long[200] = "";
    size_t       got;
    lun_fd       fd, client, server;
    lun_err      err;
    lun_addr     addr, peer;
    const char  *failed;

    (void) lun_dir_make_all("build", 0755);
    snprintf(path, sizeof(path), "unix:build/test-sock-%lld",
             (long long) lun_proc_pid());
    addr = addr_of(path);

    err = lun_sock_listen(&addr, &plain, &fd, &failed);

    if (lun_err_kind_of(err) == LUN_ERR_NOT_SUPPORTED) {
        skip("no unix sockets here");
        return;
    }

    is_int(err, 0, "listens on a path");
    ok(lun_sock_original(fd, LUN_AF_INET, &peer) != 0, "nobody was sent there");
    is_int(lun_sock_local(fd, &peer), 0, "has a name");
    ok(lun_addr_eq(&addr, &peer), "which is that path");
    is_int(lun_err_kind_of(lun_sock_listen(&addr, &plain, &client, &failed)),
           LUN_ERR_ADDR_IN_USE, "not twice");

    is_int(lun_sock_connect_wait(&addr, LIMIT, &client), 0, "a client");
    is_int(lun_sock_accept_wait(fd, LIMIT, &server), 0, "comes");
    is_int(lun_sock_local(client, &peer), 0, "it has");
    is_str(peer.path, "", "no name");
    is_int(lun_sock_send_wait(client, "x", 1, LIMIT), 0, "but something");
    is_int(lun_sock_recv_wait(server, buf, 8, LIMIT, &got), 0, "to say");
    is_int((int64_t) got, 1, "that arrives");

    lun_sock_close(client);
    lun_sock_close(server);
    lun_sock_close(fd);
    is_int(lun_file_delete(addr.path), 0, "the path stays until it goes");

    memset(far_too_long, 'x', sizeof(far_too_long) - 1);
    addr.path = far_too_long;
    is_int(lun_err_kind_of(lun_sock_listen(&addr, &plain, &fd, &failed)),
           LUN_ERR_BAD_NAME, "a path that is too long");
}


static void
lookups(void)
{
    size_t    n;
    lun_addr  addrs[8];

    is_int(lun_addr_lookup("127.0.0.2", 80, addrs, 8, &n), 0, "a number");
    is_int((int64_t) n, 1, "is one address");
    is_int(addrs[0].port, 80, "with the port");
    is_int(addrs[0].ip[3], 2, "itself");

    ok(lun_addr_lookup("127.0.0.2:1", 80, addrs, 8, &n) != 0,
       "with a port it is no name");
    is_int((int64_t) n, 0, "and no address");
    is_int(lun_addr_lookup("[::1]", 80, addrs, 8, &n), 0, "one of IPv6");
    ok(n == 1 && addrs[0].family == LUN_AF_INET6 && addrs[0].ip[15] == 1
       && addrs[0].port == 80, "is itself, too");

    is_int(lun_addr_lookup("localhost", 81, addrs, 8, &n), 0, "localhost");
    ok(n >= 1 && addrs[0].port == 81, "has an address");
    ok(addrs[0].family == LUN_AF_INET6 || addrs[0].ip[0] == 127,
       "of this machine");
}


static void
datagrams_say_who_sent_them(void)
{
    char      buf[8];
    lun_fd    a, b;
    size_t    got = 0;
    unsigned  i, tries;
    lun_addr  at_a, at_b, from;

    at_a = at_b = addr_of("127.0.0.1");
    is_int(lun_sock_datagram(LUN_AF_INET, &a), 0, "a socket");
    is_int(lun_sock_datagram(LUN_AF_INET, &b), 0, "and another");
    is_int(lun_sock_bind(a, &at_a), 0, "bound");
    is_int(lun_sock_bind(b, &at_b), 0, "both");
    lun_sock_local(a, &at_a);
    lun_sock_local(b, &at_b);

    is_int(lun_err_kind_of(lun_sock_receive_from(a, buf, sizeof(buf), &got,
                                                 &from)),
           LUN_ERR_AGAIN, "nothing there yet");

    for (i = 0; i < 2; i++) {
        is_int(lun_sock_send_to(b, "ping", 4, &at_a), 0, "sent");

        for (tries = 0; tries < LIMIT; tries++) {
            if (lun_sock_receive_from(a, buf, sizeof(buf), &got, &from) == 0) {
                break;
            }
            lun_time_sleep(1);
        }

        is_mem(buf, got, "ping", 4, "came");
        ok(lun_addr_eq(&from, &at_b), "from there");
    }

    lun_sock_close(a);
    lun_sock_close(b);
}


int
main(void)
{
    lun_sock_init();

    a_listener_knows_its_name();
    an_address_has_one_listener();
    both_families_share_a_port();
    bytes_go_both_ways();
    sending_has_a_limit();
    an_abort_is_a_reset();
    nobody_there();
    datagrams();
    unix_sockets();
    lookups();
    datagrams_say_who_sent_them();

    return done_testing();
}
