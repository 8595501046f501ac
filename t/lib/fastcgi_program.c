/*
 * fastcgi_program.c -- a FastCGI program for specs: one connection at a time,
 * one request on each, as php-cgi does.
 *
 *     fastcgi_program -b 127.0.0.1:9000
 *     fastcgi_program -b /path/of/a/socket
 *
 * What it does is said by QUERY_STRING, words divided by '&':
 *
 *     pid         its process number, and which of its requests this is
 *     show=NAME   a parameter
 *     body        how many bytes of standard input came, and their sum
 *     big=N       N bytes
 *     sleep=N     N ms before the answer
 *     error=TEXT  to standard error of the request
 *     accel=URI   X-Accel-Redirect
 *     die=N       ends with that code instead of answering
 *     last        answers, then ends
 *
 * and before that by its environment: FASTCGI_SAY=TEXT is written to standard
 * error, FASTCGI_EXIT=N ends it at once, FASTCGI_LATE=N lets it listen N ms
 * later.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/proc.h"
#include "os/sock.h"
#include "os/time.h"


enum { LIMIT = 60000, HEAD = 8, MOST = 32768 };
enum { END = 3, PARAMS = 4, STDIN = 5, STDOUT = 6, STDERR = 7 };

typedef struct {
    lun_fd       fd;
    lun_pool    *pool;
    char        *params;
    size_t       params_len;
    uint64_t     body;             /* bytes, and their sum */
    uint64_t     sum;
    bool         failed;           /* the server has gone */
} request;

static unsigned  served;


/* --- records ------------------------------------------------------------- */

static bool
receive(request *q, void *buf, size_t size)
{
    char    *p = buf;
    size_t   n;

    for ( ; size != 0; size -= n, p += n) {
        if (lun_sock_recv_wait(q->fd, p, size, LIMIT, &n) != 0 || n == 0) {
            return false;
        }
    }

    return true;
}


static void
say(request *q, unsigned type, const char *data, size_t n)
{
    char  head[HEAD] = { 1, (char) type, 0, 1, (char) (n >> 8), (char) n };

    q->failed = q->failed
                || lun_sock_send_wait(q->fd, head, HEAD, LIMIT) != 0
                || (n != 0 && lun_sock_send_wait(q->fd, data, n, LIMIT) != 0);
}


static void
say_text(request *q, unsigned type, lun_str text)
{
    if (text.len != 0) {
        say(q, type, text.data, lun_min(text.len, (size_t) MOST));
    }
}


static bool
take_record(request *q, unsigned type, size_t n)
{
    char    *data = lun_pool_text(q->pool, n + 1);
    size_t   i;

    if (!receive(q, data, n)) {
        return false;
    }

    if (type == PARAMS && n != 0) {
        q->params = lun_realloc(q->params, q->params_len + n);
        memcpy(q->params + q->params_len, data, n);
        q->params_len += n;
    }

    for (i = 0; type == STDIN && i < n; i++) {
        q->sum += (unsigned char) data[i];
        q->body++;
    }

    return true;
}


static bool
read_request(request *q)
{
    size_t    n, pad;
    char      rest[256];
    uint8_t   h[HEAD];

    do {
        lun_pool_reset(q->pool);

        if (!receive(q, h, HEAD)) {
            return false;
        }

        n = (size_t) h[4] << 8 | h[5];
        pad = h[6];

        if (!take_record(q, h[1], n) || !receive(q, rest, pad)) {
            return false;
        }
    } while (h[1] != STDIN || n != 0);

    return true;
}


static size_t
length_at(const char **p)
{
    const uint8_t  *b = (const uint8_t *) *p;

    *p += b[0] & 0x80 ? 4 : 1;
    return b[0] & 0x80 ? (size_t) (b[0] & 0x7f) << 24 | (size_t) b[1] << 16
                         | (size_t) b[2] << 8 | b[3]
                       : b[0];
}


static lun_str
param(const request *q, lun_str name)
{
    size_t       n, v;
    const char  *p = q->params, *end = p + q->params_len;

    while (p < end) {
        n = length_at(&p);
        v = length_at(&p);

        if (lun_str_eq(lun_str_of(p, n), name)) {
            return lun_str_of(p + n, v);
        }

        p += n + v;
    }

    return LUN_STR("");
}


/* --- what is asked for --------------------------------------------------- */

/* "name" or "name=value" among the words of the query. */
static bool
asked(const request *q, const char *name, lun_str *value)
{
    lun_str      rest = param(q, LUN_STR("QUERY_STRING")), word, n;
    const char  *mark;

    n = lun_str_z(name);

    while (rest.len != 0) {
        mark = lun_str_chr(rest, '&');
        word = rest;
        word.len = mark != NULL ? (size_t) (mark - rest.data) : rest.len;
        rest = lun_str_of(rest.data + word.len + (mark != NULL),
                          rest.len - word.len - (mark != NULL));

        if (lun_str_starts(word, n)
            && (word.len == n.len || word.data[n.len] == '='))
        {
            *value = lun_str_of(word.data + n.len, word.len - n.len);

            if (value->len != 0) {
                value->data++;
                value->len--;
            }

            return true;
        }
    }

    return false;
}


static uint64_t
number(lun_str text)
{
    uint64_t  n;

    return lun_str_to_u64(text, &n) == LUN_OK ? n : 0;
}


static void
say_much(request *q, uint64_t n)
{
    size_t       piece;
    static char  data[MOST];

    memset(data, 'x', sizeof(data));

    for ( ; n != 0 && !q->failed; n -= piece) {
        piece = (size_t) lun_min(n, (uint64_t) MOST);
        say(q, STDOUT, data, piece);
    }
}


static void
say_body(request *q)
{
    lun_str  v;

    if (asked(q, "pid", &v)) {
        say_text(q, STDOUT, lun_pool_fmt(q->pool, "%" PRId64 " %u\n",
                                         lun_proc_pid(), served));
    }

    if (asked(q, "show", &v)) {
        say_text(q, STDOUT, lun_pool_fmt(q->pool, "%.*s=%.*s\n", LUN_S(v),
                                         LUN_S(param(q, v))));
    }

    if (asked(q, "body", &v)) {
        say_text(q, STDOUT, lun_pool_fmt(q->pool, "%" PRIu64 " %" PRIu64 "\n",
                                         q->body, q->sum));
    }

    if (asked(q, "big", &v)) {
        say_much(q, number(v));
    }
}


static void
answer(request *q)
{
    lun_str  v;

    served++;

    if (asked(q, "sleep", &v)) {
        lun_time_sleep(number(v));
    }

    if (asked(q, "die", &v)) {
        exit((int) number(v));
    }

    if (asked(q, "error", &v)) {
        say_text(q, STDERR, v);
    }

    if (asked(q, "accel", &v)) {
        say_text(q, STDOUT, lun_pool_fmt(q->pool, "X-Accel-Redirect: %.*s\n",
                                         LUN_S(v)));
    }

    say_text(q, STDOUT, LUN_STR("Content-Type: text/plain\r\n\r\n"));
    say_body(q);
    say(q, STDOUT, "", 0);
    say(q, END, "\0\0\0\0\0\0\0\0", 8);
}


/* --- the program --------------------------------------------------------- */

static uint64_t
env_number(const char *name)
{
    const char  *text = lun_env_get(name);

    return text != NULL ? number(lun_str_z(text)) : 0;
}


static lun_fd
open_listener(const char *place)
{
    lun_fd               fd;
    lun_err              err;
    lun_addr             addr;
    const char          *failed = "";
    lun_listen_options   opt = { .backlog = 100, .fastopen = -1 };

    if (place[0] == '/') {
        addr = (lun_addr) { .family = LUN_AF_UNIX, .path = place };

    } else if (lun_addr_parse(lun_str_z(place), &addr) != LUN_OK) {
        fprintf(stderr, "%s is no address\n", place);
        exit(2);
    }

    err = lun_sock_listen(&addr, &opt, &fd, &failed);

    if (err != 0) {
        fprintf(stderr, "%s failed (%d)\n", failed, (int) err);
        exit(2);
    }

    return fd;
}


int
main(int argc, char **argv)
{
    lun_fd       listener;
    lun_str      v;
    request      q;
    const char  *text;
    bool         last;

    argv = lun_proc_init(&argc, argv);
    lun_sock_init();
    text = lun_env_get("FASTCGI_SAY");

    if (text != NULL) {
        fprintf(stderr, "%s\n", text);
    }

    if (lun_env_get("FASTCGI_EXIT") != NULL) {
        return (int) env_number("FASTCGI_EXIT");
    }

    lun_time_sleep(env_number("FASTCGI_LATE"));

    if (argc != 3 || strcmp(argv[1], "-b") != 0) {
        fprintf(stderr, "usage: fastcgi_program -b ADDRESS\n");
        return 2;
    }

    listener = open_listener(argv[2]);

    for (last = false; !last; ) {
        q = (request) { .pool = lun_pool_new_sized(65536) };

        if (lun_sock_accept_wait(listener, 1000, &q.fd) == 0) {
            if (read_request(&q)) {
                answer(&q);
                last = asked(&q, "last", &v);
            }

            lun_sock_close(q.fd);
        }

        lun_free(q.params);
        lun_pool_free(q.pool);
    }

    return 0;
}
