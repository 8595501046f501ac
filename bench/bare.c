/*
 * bare.c -- the floor under every server: an epoll loop that parses nothing.
 *
 * It answers each run of bytes that ends in an empty line with the same
 * fixed response.  What it costs per request is what the kernel costs; the
 * tables give a server's cost as a multiple of it.  Linux only, one process.
 *
 *     bare PORT [response bytes in a file]
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static char    response[65536];
static size_t  response_len;


static int
listen_on(int port)
{
    int                 fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int                 on = 1;
    struct sockaddr_in  sin = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t) port) };

    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));

    if (bind(fd, (struct sockaddr *) &sin, sizeof(sin)) != 0
        || listen(fd, 511) != 0)
    {
        perror("bare");
        exit(1);
    }

    return fd;
}


static void
take(int ep, int listener)
{
    int                 fd, on = 1;
    struct epoll_event  ev = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET };

    fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd == -1) {
        return;
    }

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ev.data.fd = fd;
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
}


static void
serve(int fd)
{
    char     buf[4096];
    ssize_t  n = recv(fd, buf, sizeof(buf), 0);

    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) {
            close(fd);
        }
        return;
    }

    if (n >= 4 && memcmp(buf + n - 4, "\r\n\r\n", 4) == 0
        && send(fd, response, response_len, MSG_NOSIGNAL) < 0)
    {
        close(fd);
    }
}


static void
read_response(const char *path)
{
    FILE  *f;

    if (path == NULL) {
        response_len = (size_t) snprintf(response, sizeof(response),
            "HTTP/1.1 200 OK\r\nServer: bare\r\n"
            "Date: Sat, 21 Nov 2026 00:00:00 GMT\r\n"
            "Content-Type: text/plain\r\nContent-Length: 3\r\n"
            "Connection: keep-alive\r\n\r\nok\n");
        return;
    }

    f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    response_len = fread(response, 1, sizeof(response), f);
    fclose(f);
}


int
main(int argc, char **argv)
{
    int                 i, n, ep, listener;
    struct epoll_event  events[512], ev = { .events = EPOLLIN };

    if (argc < 2) {
        fprintf(stderr, "usage: bare PORT [FILE]\n");
        return 1;
    }

    read_response(argc > 2 ? argv[2] : NULL);
    listener = listen_on(atoi(argv[1]));
    ep = epoll_create1(0);
    ev.data.fd = listener;
    epoll_ctl(ep, EPOLL_CTL_ADD, listener, &ev);

    for ( ;; ) {
        n = epoll_wait(ep, events, 512, -1);

        for (i = 0; i < n; i++) {
            if (events[i].data.fd == listener) {
                take(ep, listener);
            } else {
                serve(events[i].data.fd);
            }
        }
    }
}
