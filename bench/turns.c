/*
 * turns.c -- load in short slices: one target, then the next, round by round,
 * so that whatever else the machine does meets all of them alike.
 *
 *     turns ROUNDS MS MARK TARGET...
 *     TARGET:  CONNECTIONS:STATUS:PORT/path      keep-alive connections
 *              new-CONNECTIONS:STATUS:PORT/path  one for each request
 *
 * Each slice prints "TARGET REQUESTS US CPU BODY=COUNT...", CPU being the
 * microseconds that those processes ran meanwhile whose environment says MARK,
 * BODY an answer of a few bytes (a worker's number).  Targets that differ by
 * their path alone share connections, which last for a round: how they lie on
 * workers makes no difference between them.  Every second round goes
 * backwards.  An answer with another status ends it all.  Linux only.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <time.h>

enum {
    MAX_TARGETS = 64,
    MAX_CONNECTIONS = 256,
    MAX_PROCESSES = 512,
    ANSWER = 8192,                 /* the largest */
    SAID = 16,                     /* bytes of a body that is counted */
    MAX_SAID = 64,                 /* different ones */
    PATIENCE = 30000               /* ms without any answer */
};

typedef struct {
    int     fd;                    /* -1: none */
    size_t  len;
    char    answer[ANSWER];
} conn;

typedef struct {
    bool     fresh;
    int      connections, status, port;
    char     request[1024];
    size_t   request_len;
    conn    *pool;
} target;

static target  targets[MAX_TARGETS];
static int     target_count;
static int     processes[MAX_PROCESSES];
static int     process_count;
static int     ep;

/* Short bodies of this slice. */
static struct {
    char  text[SAID];
    long  count;
} said[MAX_SAID];


static void
fail(const target *t, const char *what)
{
    fprintf(stderr, "turns: %s, asked for:\n%s", what, t->request);
    exit(1);
}


static int64_t
now(void)
{
    struct timespec  t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}


/* --- processes --- */

static size_t
read_file(const char *path, char *buf, size_t size)
{
    FILE    *f = fopen(path, "rb");
    size_t   n = 0;

    if (f != NULL) {
        n = fread(buf, 1, size, f);
        fclose(f);
    }

    return n;
}


static void
find_processes(const char *mark)
{
    DIR            *dir = opendir("/proc");
    char            path[300];
    size_t          n;
    struct dirent  *d;
    static char     text[65536];

    while ((d = readdir(dir)) != NULL && process_count < MAX_PROCESSES) {
        snprintf(path, sizeof(path), "/proc/%s/environ", d->d_name);

        if (d->d_name[0] < '1' || d->d_name[0] > '9'
            || atoi(d->d_name) == getpid())
        {
            continue;
        }

        n = read_file(path, text, sizeof(text));

        if (n != 0 && memmem(text, n, mark, strlen(mark) + 1) != NULL) {
            processes[process_count++] = atoi(d->d_name);
        }
    }

    closedir(dir);
}


/* Nanoseconds that all threads of a process have run. */
static int64_t
cpu_of(int pid)
{
    DIR            *dir;
    char            path[320], text[64];
    int64_t         sum = 0;
    struct dirent  *d;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    dir = opendir(path);

    while (dir != NULL && (d = readdir(dir)) != NULL) {
        if (d->d_name[0] == '.') {
            continue;              /* "task/.." is the first thread again */
        }

        snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid,
                 d->d_name);
        text[0] = '\0';
        text[read_file(path, text, sizeof(text) - 1)] = '\0';
        sum += strtoll(text, NULL, 10);
    }

    if (dir != NULL) {
        closedir(dir);
    }

    return sum;
}


static int64_t
cpu(void)
{
    int      i;
    int64_t  sum = 0;

    for (i = 0; i < process_count; i++) {
        sum += cpu_of(processes[i]);
    }

    return sum / 1000;
}


/* --- connections --- */

static void
open_conn(const target *t, conn *c)
{
    int                 on = 1;
    struct epoll_event  ev = { .events = EPOLLIN, .data.ptr = c };
    struct sockaddr_in  to = { .sin_family = AF_INET,
                               .sin_port = htons((uint16_t) t->port) };

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->len = 0;
    c->fd = socket(AF_INET, SOCK_STREAM, 0);

    if (c->fd == -1
        || connect(c->fd, (struct sockaddr *) &to, sizeof(to)) != 0)
    {
        fail(t, "no connection");
    }

    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev);
}


static void
close_conn(conn *c)
{
    if (c->fd != -1) {
        close(c->fd);
        c->fd = -1;
    }
}


static void
ask(const target *t, conn *c)
{
    if (c->fd == -1) {
        open_conn(t, c);
    }

    c->len = 0;

    if (send(c->fd, t->request, t->request_len, MSG_NOSIGNAL)
        != (ssize_t) t->request_len)
    {
        fail(t, "cannot send");
    }
}


static void
note_body(const char *body)
{
    int     i;
    size_t  n = strcspn(body, "\r\n");

    for (i = 0; i < MAX_SAID; i++) {
        if (said[i].count == 0) {
            memcpy(said[i].text, body, n);
            said[i].text[n] = '\0';
        }

        if (strlen(said[i].text) == n && memcmp(said[i].text, body, n) == 0) {
            said[i].count++;
            return;
        }
    }
}


/* Takes what has come; true: the answer is whole. */
static bool
answered(const target *t, conn *c)
{
    char     *head, *length;
    size_t    header, body;
    ssize_t   n;

    n = recv(c->fd, c->answer + c->len, ANSWER - 1 - c->len, 0);

    if (n <= 0) {
        fail(t, n == 0 ? "connection closed" : strerror(errno));
    }

    c->len += (size_t) n;
    c->answer[c->len] = '\0';
    head = strstr(c->answer, "\r\n\r\n");

    if (head == NULL) {
        return false;
    }

    length = strstr(c->answer, "Content-Length: ");

    if (length == NULL || strtol(c->answer + 9, NULL, 10) != t->status) {
        fail(t, c->answer);
    }

    header = (size_t) (head + 4 - c->answer);
    body = strtoul(length + 16, NULL, 10);

    if (c->len < header + body) {
        return false;
    }

    if (body < SAID) {
        note_body(head + 4);
    }

    return true;
}


/* --- slices --- */

/* Asks until the time is over, then waits for what is still out. */
static long
load(const target *t, int64_t end)
{
    int                 i, n, out = t->connections;
    long                done = 0;
    conn               *c;
    struct epoll_event  evs[MAX_CONNECTIONS];

    for (i = 0; i < t->connections; i++) {
        ask(t, &t->pool[i]);
    }

    while (out > 0) {
        n = epoll_wait(ep, evs, MAX_CONNECTIONS, PATIENCE);

        if (n <= 0) {
            fail(t, "no answer");
        }

        for (i = 0; i < n; i++) {
            c = evs[i].data.ptr;

            if (!answered(t, c)) {
                continue;
            }

            done++;

            if (t->fresh) {
                close_conn(c);
            }

            if (now() < end) {
                ask(t, c);

            } else {
                out--;
            }
        }
    }

    return done;
}


static void
report(int i, long done, int64_t took, int64_t spent)
{
    int  k;

    printf("%d %ld %lld %lld", i + 1, done, (long long) took,
           (long long) spent);

    for (k = 0; k < MAX_SAID && said[k].count != 0; k++) {
        printf(" %s=%ld", said[k].text, said[k].count);
    }

    printf("\n");
    fflush(stdout);
}


static void
slice(int i, int64_t us)
{
    int            k;
    long           done;
    int64_t        begin, took, spent;
    const target  *t = &targets[i];

    for (k = 0; k < t->connections && !t->fresh; k++) {
        if (t->pool[k].fd == -1) {
            open_conn(t, &t->pool[k]);
        }
    }

    memset(said, 0, sizeof(said));
    spent = cpu();
    begin = now();
    done = load(t, begin + us);
    took = now() - begin;
    report(i, done, took, cpu() - spent);
}


static void
play(int rounds, int64_t us)
{
    int  i, k, n;

    for (n = 0; n < rounds; n++) {
        for (i = 0; i < target_count; i++) {
            slice(n % 2 ? target_count - 1 - i : i, us);
        }

        for (i = 0; i < target_count; i++) {
            for (k = 0; k < targets[i].connections; k++) {
                close_conn(&targets[i].pool[k]);
            }
        }
    }
}


/* --- targets --- */

static conn *
pool_of(const target *t)
{
    int    i;
    conn  *pool;

    for (i = 0; i < target_count; i++) {
        if (targets[i].port == t->port && targets[i].fresh == t->fresh
            && targets[i].connections == t->connections)
        {
            return targets[i].pool;
        }
    }

    pool = calloc((size_t) t->connections, sizeof(conn));

    for (i = 0; i < t->connections; i++) {
        pool[i].fd = -1;
    }

    return pool;
}


static void
add_target(const char *text)
{
    char    path[700];
    target  t = { .fresh = strncmp(text, "new-", 4) == 0 };

    if (sscanf(text + (t.fresh ? 4 : 0), "%d:%d:%d%699s", &t.connections,
               &t.status, &t.port, path) != 4 || t.connections < 1
        || t.connections > MAX_CONNECTIONS || target_count == MAX_TARGETS)
    {
        fprintf(stderr, "turns: bad target \"%s\"\n", text);
        exit(2);
    }

    t.request_len = (size_t) snprintf(t.request, sizeof(t.request),
                                      "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                                      "%s\r\n", path,
                                      t.fresh ? "Connection: close\r\n" : "");
    t.pool = pool_of(&t);
    targets[target_count++] = t;
}


int
main(int argc, char **argv)
{
    int  i;

    if (argc < 5) {
        fprintf(stderr, "usage: turns ROUNDS MS MARK TARGET...\n");
        return 2;
    }

    for (i = 4; i < argc; i++) {
        add_target(argv[i]);
    }

    ep = epoll_create1(0);
    find_processes(argv[3]);
    play(atoi(argv[1]), (int64_t) atoi(argv[2]) * 1000);
    return 0;
}
