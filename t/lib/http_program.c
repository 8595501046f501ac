/*
 * http_program.c -- a program of HTTP for specs: a thread for each connection,
 * one request on each.
 *
 *     PORT=8000 http_program [ARGUMENT] ...
 *
 * listens at 127.0.0.1 and that port, or at the socket that PORT names.  What
 * it answers is said by the query, words divided by '&':
 *
 *     pid          its process number
 *     env=NAME     what its environment has there
 *     arg=N        that argument of its own
 *     header=NAME  what the request has there
 *     dir          its working folder has a file "here"?
 *     say=TEXT     a line of its standard output, error=TEXT of the other
 *     flood=N      N lines of standard output
 *     child        starts another program, which sleeps, and says its number
 *     take=N       takes N MB of memory
 *     sleep=N      N ms before the answer
 *     die=N        ends with that code instead of answering
 *
 * and before that by its environment: PROGRAM_EXIT=N ends it at once,
 * PROGRAM_LATE=N lets it listen N ms later, PROGRAM_STUBBORN lets it not hear
 * that it is to end, PROGRAM_SLEEP=N lets it do nothing else for N ms.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/sock.h"
#include "os/thread.h"
#include "os/time.h"


enum { LIMIT = 60000, ROOM = 16384 };

#ifdef SIGBREAK
static const int  told = SIGBREAK;
#else
static const int  told = SIGTERM;
#endif

static int           arg_count;
static char        **args;
static atomic_int    in_hand;
static atomic_bool   ending;


/* --- what is asked ------------------------------------------------------- */

/* The value of a word; false: it is not there. */
static bool
asked(lun_str query, const char *name, lun_str *value)
{
    size_t       n = strlen(name);
    lun_str      word;
    const char  *end;

    while (query.len != 0) {
        end = lun_str_chr(query, '&');
        word = lun_str_of(query.data, end != NULL
                                      ? (size_t) (end - query.data)
                                      : query.len);
        query.len -= word.len + (end != NULL);
        query.data += word.len + (end != NULL);

        if (word.len >= n && memcmp(word.data, name, n) == 0
            && (word.len == n || word.data[n] == '='))
        {
            *value = word.len == n ? LUN_STR("")
                     : lun_str_of(word.data + n + 1, word.len - n - 1);
            return true;
        }
    }

    return false;
}


static uint64_t
number(lun_str v)
{
    int64_t  n;

    return lun_str_to_i64(v, &n) == LUN_OK && n >= 0 ? (uint64_t) n : 0;
}


static uint64_t
env_number(const char *name)
{
    const char  *text = lun_env_get(name);

    return text != NULL ? number(lun_str_z(text)) : 0;
}


static lun_str
header(lun_pool *pool, lun_str request, lun_str name)
{
    lun_str      v = LUN_STR("");
    const char  *end;
    lun_str      sign = lun_pool_fmt(pool, "\r\n%.*s: ", LUN_S(name));
    const char  *at = lun_str_casefind(request, sign);

    if (at != NULL) {
        at += sign.len;
        end = at + strcspn(at, "\r");
        v = lun_str_of(at, (size_t) (end - at));
    }

    return v;
}


/* --- what it does -------------------------------------------------------- */

static int64_t
start_child(void)
{
    char              path[4096] = "";
    char            **ours = lun_env_all();
    size_t            i, n = 0;
    lun_proc          proc;
    const char      **env;
    lun_proc_command  command = { .argv = (const char *[]) { path, NULL } };

    while (ours[n] != NULL) {
        n++;
    }

    env = lun_malloc((n + 2) * sizeof(char *));

    for (i = 0; i < n; i++) {
        env[i] = ours[i];
    }

    env[n] = "PROGRAM_SLEEP=60000";
    env[n + 1] = NULL;
    command.env = env;

    if (lun_proc_program(path, sizeof(path)) != 0
        || lun_proc_run(&command, &proc) != 0)
    {
        proc.pid = -1;
    }

    lun_free(env);
    return proc.pid;
}


static void
take_memory(uint64_t mb)
{
    size_t  n = (size_t) mb * 1024 * 1024;
    char   *p = malloc(n);

    if (p == NULL) {
        fprintf(stderr, "no memory\n");
        exit(9);
    }

    memset(p, 1, n);
}


static void
act(lun_str query)
{
    lun_str   v;
    uint64_t  i;

    if (asked(query, "say", &v)) {
        printf("%.*s\n", LUN_S(v));
    }

    if (asked(query, "error", &v)) {
        fprintf(stderr, "%.*s\n", LUN_S(v));
    }

    if (asked(query, "flood", &v)) {
        for (i = 0; i < number(v); i++) {
            fprintf(stderr, "line %u\n", (unsigned) i);
        }
    }

    (void) fflush(NULL);

    if (asked(query, "take", &v)) {
        take_memory(number(v));
    }

    if (asked(query, "sleep", &v)) {
        lun_time_sleep(number(v));
    }

    if (asked(query, "die", &v)) {
        exit((int) number(v));
    }
}


static lun_str
text_of(lun_pool *pool, lun_str query, lun_str request)
{
    size_t         n;
    lun_str        v;
    const char    *text;
    lun_file_info  info;

    if (asked(query, "env", &v)) {
        text = lun_env_get(lun_pool_strz(pool, v));
        return lun_str_z(text != NULL ? text : "none");
    }

    if (asked(query, "arg", &v)) {
        n = (size_t) number(v);
        return lun_str_z(n < (size_t) arg_count ? args[n] : "none");
    }

    if (asked(query, "header", &v)) {
        return header(pool, request, v);
    }

    if (asked(query, "dir", &v)) {
        return lun_file_stat("here", &info) == 0 ? LUN_STR("here")
                                                 : LUN_STR("elsewhere");
    }

    if (asked(query, "child", &v)) {
        return lun_pool_fmt(pool, "%" PRId64, start_child());
    }

    return lun_pool_fmt(pool, "%" PRId64, lun_proc_pid());
}


/* --- connections --------------------------------------------------------- */

static lun_str
read_request(lun_fd fd, char *room)
{
    size_t  n = 0, got;

    room[0] = '\0';

    while (n < ROOM - 1 && strstr(room, "\r\n\r\n") == NULL) {
        if (lun_sock_recv_wait(fd, room + n, ROOM - 1 - n, LIMIT, &got) != 0
            || got == 0)
        {
            break;
        }

        n += got;
        room[n] = '\0';
    }

    return lun_str_of(room, n);
}


static void
answer(lun_pool *pool, lun_fd fd, lun_str request)
{
    lun_str      query = LUN_STR(""), text;
    const char  *mark = lun_str_chr(request, '?');

    if (mark != NULL) {
        query = lun_str_of(mark + 1, strcspn(mark + 1, " "));
    }

    act(query);
    text = text_of(pool, query, request);
    text = lun_pool_fmt(pool, "HTTP/1.1 200 OK\r\nContent-Length: %u\r\n"
                        "Connection: close\r\n\r\n%.*s",
                        (unsigned) text.len, LUN_S(text));
    (void) lun_sock_send_wait(fd, text.data, text.len, LIMIT);
}


static void
serve(void *data)
{
    char      room[ROOM] = "";
    lun_fd    fd = (lun_fd) (intptr_t) data;
    lun_str   request = read_request(fd, room);
    lun_pool *pool = lun_pool_new_sized(4096);

    if (request.len != 0) {
        answer(pool, fd, request);
    }

    lun_sock_close(fd);
    lun_pool_free(pool);
    atomic_fetch_sub(&in_hand, 1);
}


/* In order: what is in hand is answered. */
static void
on_told(int number)
{
    atomic_store(&ending, true);
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

    } else {
        (void) lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
        addr.port = (uint16_t) number(lun_str_z(place));
    }

    err = lun_sock_listen(&addr, &opt, &fd, &failed);

    if (err != 0) {
        fprintf(stderr, "%s failed (%d)\n", failed, (int) err);
        exit(2);
    }

    return fd;
}


static void
run(lun_fd listener)
{
    lun_fd  fd;

    while (!atomic_load(&ending)) {
        if (lun_sock_accept_wait(listener, 50, &fd) == 0) {
            atomic_fetch_add(&in_hand, 1);

            if (lun_thread_start(serve, (void *) (intptr_t) fd) != 0) {
                atomic_fetch_sub(&in_hand, 1);
                lun_sock_close(fd);
            }
        }
    }

    lun_sock_close(listener);

    while (atomic_load(&in_hand) != 0) {
        lun_time_sleep(5);
    }
}


int
main(int argc, char **argv)
{
    const char  *port;

    argv = lun_proc_init(&argc, argv);
    arg_count = argc;
    args = argv;
    lun_sock_init();

    if (lun_env_get("PROGRAM_EXIT") != NULL) {
        return (int) env_number("PROGRAM_EXIT");
    }

    lun_time_sleep(env_number("PROGRAM_SLEEP"));
    (void) signal(told, lun_env_get("PROGRAM_STUBBORN") != NULL ? SIG_IGN
                                                                : on_told);
    lun_time_sleep(env_number("PROGRAM_LATE"));
    port = lun_env_get("PORT");

    if (port == NULL) {
        fprintf(stderr, "PORT is not set\n");
        return 2;
    }

    run(open_listener(port));
    return 0;
}
