/*
 * http_client.c -- any bytes as the answers of servers, cut anywhere, to
 * questions of a client that keeps its connections; servers that refuse, are
 * silent, take little, reset or leave; time that passes, and questions that
 * are taken back.
 *
 * Each question ends once or is taken back; when everything is quiet and time
 * has passed none is open, and no connection is there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "clock.h"
#include "step.h"
#include "client/http_client.h"
#include "net/conn_pool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUESTIONS = 8, LATE = 100 * 1000, BODY = 2000 };

typedef struct {
    lun_http_ask  *ask;            /* NULL: it is over */
    bool           in_pieces;
    size_t         heard;          /* bytes of pieces */
} question;

static const uint8_t    *at, *end;
static question          all[QUESTIONS];
static lun_http_client  *client;

static const char *const  words[] = {
    "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 404 No\r\n",
    "HTTP/1.1 103 Hints\r\n", "HTTP/1.1 204 No\r\n", "HTTP/1.1 101 Up\r\n",
    "Content-Length: 5\r\n", "Content-Length: 0\r\n",
    "Content-Length: 18446744073709551616\r\n", "Content-Length: 2001\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
    "Connection: close\r\n", "Connection: keep-alive, x\r\n", "X: y\r\n",
    "no colon\r\n", " folded\r\n", "\r\n", "\r\n\r\n", "\n", "\r", "hello",
    "5\r\nhello\r\n", "0\r\n\r\n", "0\r\nX: y\r\n\r\n", "7d1\r\n",
    "fffffffffffffff\r\n", "1;a=b\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "5\r\nhello\r\n0\r\n\r\n")
};


static unsigned
next_byte(void)
{
    return at < end ? *at++ : 0;
}


static void
on_answer(void *data, const lun_http_client_answer *a)
{
    question  *q = data;

    LUN_CHECK(q->ask != NULL);
    q->ask = NULL;
    LUN_CHECK(a->body.len <= BODY && q->heard <= BODY);
    LUN_CHECK(a->verdict != LUN_HTTP_ANSWERED || a->status >= 200);
    LUN_CHECK(!q->in_pieces || a->body.len == 0);
    LUN_CHECK(a->http == NULL || a->http->fields.count < 2000);
}


static bool
on_piece(void *data, const lun_http_answer *http, lun_str piece)
{
    question  *q = data;

    LUN_CHECK(q->ask != NULL && http->status >= 200 && piece.len != 0);
    q->heard += piece.len;

    if (piece.data[0] != 'x') {
        return true;
    }

    q->ask = NULL;                 /* that is enough of it */
    return false;
}


static void
ask(unsigned how)
{
    static const char *const  urls[] = {
        "http://127.0.0.1/", "http://127.0.0.1:81/a?b#c", "http://[::1]/",
        "http://x.localhost/", "nothing", "http://127.0.0.1/"
    };
    static const char *const  methods[] = { "", "HEAD", "POST", "G T" };

    size_t     i;
    question  *q;

    for (i = 0; i < QUESTIONS && all[i].ask != NULL; i++) { }

    if (i == QUESTIONS) {
        return;
    }

    q = &all[i];
    *q = (question) { .in_pieces = how & 1 };
    q->ask = lun_http_client_ask(client, &(lun_http_client_question) {
        .url = lun_str_z(urls[how / 4 % LUN_ARRAY_LEN(urls)]),
        .method = lun_str_z(methods[how / 32 % LUN_ARRAY_LEN(methods)]),
        .body = how & 2 ? LUN_STR("what is asked") : LUN_STR(""),
        .idle = how & 128, .piece = how & 1 ? on_piece : NULL,
        .done = on_answer, .data = q });
}


static memory_socket *
some_socket(unsigned which)
{
    size_t  i;

    for (i = 0; i < SOCKETS; i++) {
        if (sockets[i].s != NULL && !sockets[i].closed && which-- == 0) {
            return &sockets[i];
        }
    }

    return NULL;
}


static void
say(memory_socket *s)
{
    size_t       n = next_byte();
    const char  *word;

    if (n < 128) {                 /* that many bytes as they stand */
        n = lun_min(n, (size_t) (end - at));
        put(s, at, n);
        at += n;
        return;
    }

    word = words[n % LUN_ARRAY_LEN(words)];
    n = next_byte();
    put(s, word, n & 128 ? lun_min(n & 127, strlen(word)) : strlen(word));
}


static void
act(void)
{
    unsigned        deed = next_byte(), which = deed >> 4;
    memory_socket  *s = some_socket(which & 7);

    switch (deed & 15) {

    case 0:
    case 1:
        ask(next_byte());
        break;

    case 2:
        if (all[which % QUESTIONS].ask != NULL) {
            lun_http_client_cancel(all[which % QUESTIONS].ask);
            all[which % QUESTIONS].ask = NULL;
        }
        break;

    case 3:
        pass(next_byte() * 100);
        break;

    case 4:
        first_room = next_byte();
        break;

    case 5:
        lun_conn_quit(lp);
        break;

    default:
        if (s == NULL) {
            break;
        }

        if (s->connecting) {
            connected(s, deed & 8 ? 0 : lun_err_of_kind(LUN_ERR_REFUSED));

        } else if ((deed & 15) == 6) {
            s->ended = true;

        } else if ((deed & 15) == 7) {
            s->broken = true;

        } else if ((deed & 15) == 8) {
            s->room += 4096;

        } else {
            say(s);
        }
    }

    if (deed & 128) {
        settle();
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool     begun;
    static lun_log  quiet = { .level = LUN_LOG_STDERR };

    size_t                    i;
    lun_pool                 *pool = lun_pool_new_sized(1024);
    lun_http_client_options   o = { .header_size = 500, .body_size = BODY,
                                    .connect_timeout = 1000,
                                    .answer_timeout = 3000,
                                    .keep_for = 2000 };

    if (!begun) {
        LUN_CHECK(lun_loop_init(lp) == 0);
        lun_log_set_default(&quiet);
        begun = true;
    }

    at = data;
    end = data + size;
    o.keep = next_byte() & 3;
    first_room = 4096;
    client = lun_http_client_new(pool, lp, &o, &quiet);

    while (at < end) {
        act();
    }

    /* Now and then the client ends before all of its questions do. */
    if (size % 4 != 0) {
        settle();

        for (i = 0; i < LATE / 1000; i++) {
            pass(1000);
            settle();
        }

        for (i = 0; i < QUESTIONS; i++) {
            LUN_CHECK(all[i].ask == NULL);
        }

        LUN_CHECK(lun_http_client_open_count(client) == 0);
    }

    lun_pool_free(pool);
    memset(all, 0, sizeof(all));
    settle();
    lun_conn_pool_close_idle(lp);
    settle();
    LUN_CHECK(lun_conn_count(lp) == 0);
    LUN_CHECK(lun_timer_pending(lp) == 0);
    return 0;
}
