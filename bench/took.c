/*
 * took.c -- how long a server takes: a command until its end, or until a
 * server answers, or each answer.  Linux only; bench/servers.lua calls it.
 *
 *     took run CMD...                    ms, CPU ms, peak KB, status
 *     took answer ADDR PORT OLD CMD...   starts CMD, leaves it running, and
 *                                        asks until the answer's body is none
 *                                        of OLD ("a,b"): ms, pid, body
 *     took ask ADDR PORT HOST TIMES      a connection each: median us, body
 *
 * A program of its own because the kernel remembers the peak memory of
 * whoever starts a command as the command's: this one is small.  What CMD
 * prints goes to standard error.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PAUSE = 2000,                  /* us between two questions */
    PATIENCE = 180,                /* s */
    MAX_TIMES = 100000
};

static char  answer[4096];


static double
now(void)
{
    struct timespec  t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}


static pid_t
start(char **cmd)
{
    pid_t  pid = fork();

    if (pid == 0) {
        dup2(2, 1);
        execvp(cmd[0], cmd);
        perror(cmd[0]);
        _exit(127);
    }

    return pid;
}


static int
run(char **cmd)
{
    int            status;
    double         begin = now();
    pid_t          pid = start(cmd);
    struct rusage  use;

    if (wait4(pid, &status, 0, &use) != pid) {
        return 1;
    }

    printf("%.2f %.2f %ld %d\n", now() - begin,
           (double) (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3
           + (double) (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3,
           use.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return 0;
}


/* The body of the answer, or NULL if nobody answers (well). */
static char *
ask(const char *addr, int port, const char *host)
{
    int                 fd = socket(AF_INET, SOCK_STREAM, 0);
    char                text[512], *body;
    ssize_t             n = 1;
    size_t              len = 0;
    struct timeval      limit = { .tv_sec = 30 };
    struct sockaddr_in  to = { .sin_family = AF_INET,
                               .sin_port = htons((uint16_t) port) };

    inet_pton(AF_INET, addr, &to.sin_addr);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));

    if (connect(fd, (struct sockaddr *) &to, sizeof(to)) == 0) {
        n = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: %s\r\n"
                     "Connection: close\r\n\r\n", host);
        n = send(fd, text, (size_t) n, MSG_NOSIGNAL);

        while (n > 0 && len < sizeof(answer) - 1) {
            n = recv(fd, answer + len, sizeof(answer) - 1 - len, 0);
            len += n > 0 ? (size_t) n : 0;
        }
    }

    close(fd);
    answer[len] = '\0';
    body = strstr(answer, "\r\n\r\n");

    if (body == NULL || strncmp(answer, "HTTP/1.1 200", 12) != 0) {
        return NULL;
    }

    body += 4;
    body[strcspn(body, "\r\n")] = '\0';
    return body;
}


static int
is_one_of(const char *body, const char *list)
{
    size_t       len = strlen(body);
    const char  *p = list;

    while ((p = strstr(p, body)) != NULL) {
        if ((p == list || p[-1] == ',') && (p[len] == ',' || p[len] == '\0')) {
            return 1;
        }

        p += len;
    }

    return 0;
}


static int
until_answer(const char *addr, int port, const char *old, char **cmd)
{
    char    *body;
    int      status;
    pid_t    pid;
    double   begin = now();

    pid = start(cmd);

    while (now() - begin < PATIENCE * 1e3) {
        body = ask(addr, port, "none");

        if (body != NULL && !is_one_of(body, old)) {
            printf("%.2f %d %s\n", now() - begin, pid, body);
            return 0;
        }

        usleep(PAUSE);

        if (waitpid(pid, &status, WNOHANG) == pid && status != 0) {
            break;
        }
    }

    fprintf(stderr, "no new answer from %s:%d\n", addr, port);
    return 1;
}


static int
by_size(const void *a, const void *b)
{
    double  x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}


static int
each_answer(const char *addr, int port, const char *host, int times)
{
    int            i;
    char          *body = NULL;
    double         begin;
    static double  took[MAX_TIMES];

    if (times < 1 || times > MAX_TIMES) {
        return 2;
    }

    for (i = 0; i < times; i++) {
        begin = now();
        body = ask(addr, port, host);

        if (body == NULL) {
            fprintf(stderr, "no answer from %s:%d\n", addr, port);
            return 1;
        }

        took[i] = now() - begin;
    }

    qsort(took, (size_t) times, sizeof(took[0]), by_size);
    printf("%.1f %s\n", took[times / 2] * 1e3, body);
    return 0;
}


int
main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "run") == 0) {
        return run(argv + 2);
    }

    if (argc > 5 && strcmp(argv[1], "answer") == 0) {
        return until_answer(argv[2], atoi(argv[3]), argv[4], argv + 5);
    }

    if (argc == 6 && strcmp(argv[1], "ask") == 0) {
        return each_answer(argv[2], atoi(argv[3]), argv[4], atoi(argv[5]));
    }

    fprintf(stderr, "usage: took run|answer|ask ...\n");
    return 2;
}
