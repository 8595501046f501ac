/*
 * pump.c -- the load of bench/stream, and the server behind it.
 *
 *     pump WORK SERVER_PORT PROXY_PORT AMOUNT
 *
 * one       AMOUNT bytes from the client to the server, over one connection
 * both      the same, and as many the other way at the same time
 * sessions  AMOUNT times: connect, 100 bytes there and back, close
 * idle      AMOUNT connections that have said a byte; then waits for the end
 *           of its input
 * udp       AMOUNT datagrams of 100 bytes there and back, 16 clients in turn
 *
 * Says "done" when all has arrived; dies of anything else.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 65536, WORD = 100, CLIENTS = 16, EVENTS = 256 };

static char  room[PIECE];


static void
check(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}


static struct sockaddr_in
local(int port)
{
    struct sockaddr_in  a = { .sin_family = AF_INET };

    a.sin_port = htons((uint16_t) port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}


static int
open_socket(int type, int port, int bound)
{
    int                 fd = socket(AF_INET, type, 0), on = 1;
    struct sockaddr_in  a = local(port);

    check(fd >= 0, "socket()");

    if (!bound) {
        check(connect(fd, (void *) &a, sizeof(a)) == 0, "connect()");
        return fd;
    }

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    check(bind(fd, (void *) &a, sizeof(a)) == 0, "bind()");

    if (type == SOCK_STREAM) {
        check(listen(fd, 4096) == 0, "listen()");
    }

    return fd;
}


static void
take(int fd, long n)
{
    ssize_t  got;

    while (n > 0) {
        got = recv(fd, room, (size_t) (n < PIECE ? n : PIECE), 0);
        check(got > 0, "recv()");
        n -= got;
    }
}


static void
give(int fd, long n)
{
    ssize_t  sent;

    while (n > 0) {
        sent = send(fd, room, (size_t) (n < PIECE ? n : PIECE), MSG_NOSIGNAL);
        check(sent > 0, "send()");
        n -= sent;
    }
}


/* Gives and takes as much at the same time. */
static void
give_and_take(int fd, long n)
{
    int    status;
    pid_t  writer = fork();

    if (writer == 0) {
        give(fd, n);
        _exit(0);
    }

    take(fd, n);
    waitpid(writer, &status, 0);
    check(status == 0, "the writer");
}


/* --- the server ---------------------------------------------------------- */

static void
echo_all(int door)
{
    int                 i, n, fd, poll = epoll_create1(0);
    ssize_t             got;
    struct epoll_event  e = { .events = EPOLLIN, .data.fd = door };
    struct epoll_event  events[EVENTS];

    epoll_ctl(poll, EPOLL_CTL_ADD, door, &e);

    for ( ;; ) {
        n = epoll_wait(poll, events, EVENTS, -1);

        for (i = 0; i < n; i++) {
            fd = events[i].data.fd;

            if (fd == door) {
                e.data.fd = accept(door, NULL, NULL);
                check(e.data.fd >= 0, "accept()");
                epoll_ctl(poll, EPOLL_CTL_ADD, e.data.fd, &e);
                continue;
            }

            got = recv(fd, room, PIECE, 0);

            if (got <= 0) {
                close(fd);

            } else {
                (void) !send(fd, room, (size_t) got, MSG_NOSIGNAL);
            }
        }
    }
}


static void
echo_datagrams(int fd)
{
    ssize_t             n;
    socklen_t           len;
    struct sockaddr_in  from;

    for ( ;; ) {
        len = sizeof(from);
        n = recvfrom(fd, room, PIECE, 0, (void *) &from, &len);
        check(n >= 0, "recvfrom()");
        sendto(fd, room, (size_t) n, 0, (void *) &from, len);
    }
}


static void
serve(const char *work, int fd, long amount)
{
    if (strcmp(work, "udp") == 0) {
        echo_datagrams(fd);

    } else if (strcmp(work, "one") == 0) {
        fd = accept(fd, NULL, NULL);
        take(fd, amount);
        give(fd, 1);
        take(fd, 1);

    } else if (strcmp(work, "both") == 0) {
        fd = accept(fd, NULL, NULL);
        give_and_take(fd, amount);
        give(fd, 1);
        take(fd, 1);

    } else {
        echo_all(fd);
    }
}


/* --- the clients --------------------------------------------------------- */

static void
run_sessions(int port, long amount)
{
    int  fd;

    while (amount-- > 0) {
        fd = open_socket(SOCK_STREAM, port, 0);
        give(fd, WORD);
        take(fd, WORD);
        close(fd);
    }
}


static void
run_idle(int port, long amount)
{
    int  fd;

    while (amount-- > 0) {
        fd = open_socket(SOCK_STREAM, port, 0);
        give(fd, 1);
        take(fd, 1);
    }
}


static void
run_datagrams(int port, long amount)
{
    int   i, fds[CLIENTS];

    for (i = 0; i < CLIENTS; i++) {
        fds[i] = open_socket(SOCK_DGRAM, port, 0);
    }

    for (i = 0; amount-- > 0; i = (i + 1) % CLIENTS) {
        check(send(fds[i], room, WORD, 0) == WORD, "send()");
        check(recv(fds[i], room, PIECE, 0) == WORD, "recv()");
    }
}


static void
run(const char *work, int port, long amount)
{
    int  fd;

    if (strcmp(work, "sessions") == 0) {
        run_sessions(port, amount);

    } else if (strcmp(work, "idle") == 0) {
        run_idle(port, amount);

    } else if (strcmp(work, "udp") == 0) {
        run_datagrams(port, amount);

    } else {
        fd = open_socket(SOCK_STREAM, port, 0);

        if (strcmp(work, "one") == 0) {
            give(fd, amount);

        } else {
            give_and_take(fd, amount);
        }

        take(fd, 1);               /* the server has it all */
    }
}


int
main(int argc, char **argv)
{
    int            door;
    long           amount;
    pid_t          server;
    const char    *work = argv[1];
    struct rlimit  files;

    if (argc != 5) {
        fprintf(stderr, "pump WORK SERVER_PORT PROXY_PORT AMOUNT\n");
        return 2;
    }

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);

    amount = atol(argv[4]);
    door = open_socket(strcmp(work, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM,
                       atoi(argv[2]), 1);
    server = fork();

    if (server == 0) {
        serve(work, door, amount);
        _exit(0);
    }

    close(door);
    run(work, atoi(argv[3]), amount);
    printf("done\n");
    fflush(stdout);

    if (strcmp(work, "idle") == 0) {
        (void) !read(0, room, 1);
    }

    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return 0;
}
