/*
 * bare_relay.c -- the floor under every TCP proxy: bytes between two
 * connections, in as few system calls as the system allows.
 *
 *     bare_relay PORT TO_PORT
 *
 * It knows no timer, no limit, no log and no error: what a session costs here
 * is what the kernel costs.  Like a server it is a process that has a worker.
 * Linux only.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FILES = 65536, ROOM = 16384, EVENTS = 512 };

static char  room[ROOM];
static int   others[FILES];        /* a descriptor's other side; 0: none */


static struct sockaddr_in
local(const char *port)
{
    struct sockaddr_in  a = { .sin_family = AF_INET };

    a.sin_port = htons((uint16_t) atoi(port));
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}


static void
watch(int ep, int fd, uint32_t events)
{
    struct epoll_event  ev = { .events = events, .data.fd = fd };

    if (fd < 0 || fd >= FILES || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev) != 0) {
        perror("bare_relay");
        _exit(1);
    }
}


static void
begin(int ep, int listener, const struct sockaddr_in *to)
{
    int  fd, peer;

    fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);

    if (fd == -1) {
        return;
    }

    peer = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    (void) !connect(peer, (const struct sockaddr *) to, sizeof(*to));
    watch(ep, peer, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    watch(ep, fd, EPOLLIN | EPOLLRDHUP | EPOLLET);
    others[fd] = peer;
    others[peer] = fd;
}


static void
end(int fd)
{
    int  peer = others[fd];

    others[fd] = others[peer] = 0;
    close(fd);
    close(peer);
}


/* A piece; if the other side can't take it, the session has failed. */
static void
pass_on(int fd)
{
    ssize_t  n = recv(fd, room, sizeof(room), 0);

    if (n == 0 || (n == -1 && errno != EAGAIN)
        || (n > 0 && send(others[fd], room, (size_t) n, MSG_NOSIGNAL) != n))
    {
        end(fd);
    }
}


static void
serve(const char *port, const struct sockaddr_in *to)
{
    int                 i, n, fd, on = 1, ep = epoll_create1(0);
    int                 listener = socket(AF_INET, SOCK_STREAM
                                                   | SOCK_NONBLOCK, 0);
    struct epoll_event  events[EVENTS];
    struct sockaddr_in  a = local(port);

    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));

    if (bind(listener, (void *) &a, sizeof(a)) != 0
        || listen(listener, 511) != 0)
    {
        perror("bare_relay");
        _exit(1);
    }

    watch(ep, listener, EPOLLIN);

    for ( ;; ) {
        n = epoll_wait(ep, events, EVENTS, -1);

        for (i = 0; i < n; i++) {
            fd = events[i].data.fd;

            if (fd == listener) {
                begin(ep, listener, to);

            } else if (others[fd] != 0 && (events[i].events & EPOLLIN)) {
                pass_on(fd);
            }
        }
    }
}


int
main(int argc, char **argv)
{
    struct sockaddr_in  to;

    if (argc != 3) {
        fprintf(stderr, "usage: bare_relay PORT TO_PORT\n");
        return 1;
    }

    to = local(argv[2]);

    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(argv[1], &to);
    }

    for ( ;; ) {
        pause();
    }
}
