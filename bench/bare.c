/*
 * bare.c -- the floor under every server: an epoll loop that parses nothing.
 *
 * It answers each run of bytes that ends in an empty line, or in a FastCGI
 * request's last record, with the same fixed response.  What it costs per
 * request is what the kernel costs; the tables give a server's cost as a
 * multiple of it.  Linux only, one process.
 *
 *     bare PORT [RESPONSE [TO_PORT REQUEST SIZE]]
 *
 * RESPONSE and REQUEST are files.  With a port to ask, each connection has one
 * of its own to there, and a request is answered after REQUEST was sent on
 * that and SIZE bytes have come back: the floor under whoever asks another
 * server.  "GET /echo" begins a WebSocket, whose short frames are echoed.
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

enum { FILES = 65536 };

typedef struct {
    char    data[65536];
    size_t  len;
} text;

static text    response, request;
static int     to_port;            /* 0: nobody is asked */
static size_t  size;               /* of the answer from there */

static int     others[FILES];      /* client and server of each other */
static size_t  missing[FILES];     /* of an answer; 0: it's a client */

static const char  upgrade[] =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
    "Connection: upgrade\r\n\r\n";


static struct sockaddr_in
local(int port)
{
    struct sockaddr_in  sin = { .sin_family = AF_INET };

    sin.sin_port = htons((uint16_t) port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sin;
}


static int
listen_on(int port)
{
    int                 fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int                 on = 1;
    struct sockaddr_in  sin = local(port);

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
watch(int ep, int fd)
{
    int                 on = 1;
    struct epoll_event  ev = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET,
                               .data.fd = fd };

    if (fd < 0 || fd >= FILES) {
        fprintf(stderr, "bare: too many connections\n");
        exit(1);
    }

    others[fd] = -1;
    missing[fd] = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
}


static void
take(int ep, int listener)
{
    int                 to, fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    struct sockaddr_in  sin = local(to_port);

    if (fd == -1) {
        return;
    }

    watch(ep, fd);

    if (to_port != 0) {
        to = socket(AF_INET, SOCK_STREAM, 0);

        if (connect(to, (struct sockaddr *) &sin, sizeof(sin)) != 0) {
            perror("bare");
            exit(1);
        }

        watch(ep, to);
        others[fd] = to;
        others[to] = fd;
        missing[to] = size;
    }
}


static void
end(int fd)
{
    int  other = others[fd];

    others[fd] = -1;
    close(fd);

    if (other != -1) {
        others[other] = -1;
        close(other);
    }
}


static void
give(int fd, const char *data, size_t n)
{
    if (send(fd, data, n, MSG_NOSIGNAL) < 0) {
        end(fd);
    }
}


/* A frame of a client: its payload of less than 126 bytes goes back. */
static void
echo(int fd, char *frame, size_t n)
{
    char    mask[4];
    size_t  i;

    memcpy(mask, frame + 2, sizeof(mask));
    frame[4] = (char) 0x81;
    frame[5] = (char) (n - 6);

    for (i = 0; i < n - 6; i++) {
        frame[6 + i] ^= mask[i % 4];
    }

    give(fd, frame + 4, n - 4);
}


static void
answered(int fd, size_t n)
{
    missing[fd] -= n < missing[fd] ? n : missing[fd];

    if (missing[fd] == 0) {
        missing[fd] = size;
        give(others[fd], response.data, response.len);
    }
}


/* At an empty line, or at an empty record of FastCGI's STDIN (5). */
static int
is_whole(const char *data, size_t n)
{
    return n >= 13 && (memcmp(data + n - 4, "\r\n\r\n", 4) == 0
                       || memcmp(data + n - 8, "\1\5\0\1\0\0", 6) == 0);
}


static void
asked(int fd, char *data, size_t n)
{
    if (n > 6 && data[0] == (char) 0x81) {
        echo(fd, data, n);

    } else if (!is_whole(data, n)) {
        return;                        /* more of it will come */

    } else if (memcmp(data, "GET /echo", 9) == 0) {
        give(fd, upgrade, sizeof(upgrade) - 1);

    } else if (to_port != 0) {
        give(others[fd], request.data, request.len);

    } else {
        give(fd, response.data, response.len);
    }
}


static void
serve(int fd)
{
    char     buf[4096];
    ssize_t  n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        end(fd);

    } else if (n > 0 && missing[fd] != 0) {
        answered(fd, (size_t) n);

    } else if (n > 0) {
        asked(fd, buf, (size_t) n);
    }
}


static void
read_text(text *t, const char *path)
{
    FILE  *f = fopen(path, "rb");

    if (f == NULL) {
        perror(path);
        exit(1);
    }

    t->len = fread(t->data, 1, sizeof(t->data), f);
    fclose(f);
}


static void
read_arguments(int argc, char **argv)
{
    if (argc != 2 && argc != 3 && argc != 6) {
        fprintf(stderr,
                "usage: bare PORT [RESPONSE [TO_PORT REQUEST SIZE]]\n");
        exit(1);
    }

    response.len = (size_t) snprintf(response.data, sizeof(response.data),
        "HTTP/1.1 200 OK\r\nServer: bare\r\n"
        "Date: Sat, 21 Nov 2026 00:00:00 GMT\r\n"
        "Content-Type: text/plain\r\nContent-Length: 3\r\n"
        "Connection: keep-alive\r\n\r\nok\n");

    if (argc > 2) {
        read_text(&response, argv[2]);
    }

    if (argc > 3) {
        to_port = atoi(argv[3]);
        read_text(&request, argv[4]);
        size = (size_t) atoi(argv[5]);
    }
}


int
main(int argc, char **argv)
{
    int                 i, n, ep, listener;
    struct epoll_event  events[512], ev = { .events = EPOLLIN };

    read_arguments(argc, argv);
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
