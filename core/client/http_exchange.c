/*
 * http_exchange.c -- a question on a connection that stands: it is sent, its
 * answer read, and the connection kept or closed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/http_client_priv.h"

#include "net/conn_pool.h"


enum { FIRST_BODY = 4096 };        /* bytes */


/* --- memory and log ------------------------------------------------------ */

static lun_http_ask *
ask_of(lun_errand *e)
{
    return lun_container_of(e, lun_http_ask, errand);
}


static void
free_ask(lun_errand *e)
{
    lun_http_ask  *a = ask_of(e);

    if (a->h2 != NULL) {
        lun_h2_exchange_fini(a->h2);
    }

    lun_free(a->going);
    lun_free(a->body);
}


void
lun_http_ask_on_free(lun_conn *c)
{
    lun_http_ask  *a = c->data;

    lun_errand_put(&a->errand);
}


char *
lun_http_ask_put_context(void *owner, char *p, const char *end)
{
    const lun_http_ask  *a = owner;

    if (a->role[0] != '\0') {
        p = lun_fmt(p, end, ", %s: %.*s", a->role, LUN_S(a->url.host));
    }

    return a->context != NULL ? a->context(a->context_owner, p, end) : p;
}


const char *
lun_http_ask_peer(const lun_http_ask *a)
{
    return a->client->o.peer != NULL ? a->client->o.peer : "HTTP server";
}


/* --- the end ------------------------------------------------------------- */

void
lun_http_ask_close(lun_http_ask *a, unsigned outcome)
{
    lun_client_count_end(outcome, lun_clock.mono - a->errand.started);
    lun_errand_end(&a->errand);
    lun_loop_unpost(&a->task);
    lun_list_remove(&a->link);
    a->client->count--;
    lun_dial_drop(&a->dial);
}


static void
finish_ask(lun_http_ask *a, lun_http_client_verdict verdict)
{
    lun_http_client_answer  answer = { .verdict = verdict };

    /* In done() the client may end, and in it nothing of this question is. */
    lun_http_ask_close(a, verdict);

    if (a->http.whole_header) {
        answer.http = &a->http;
        answer.status = a->http.status;
    }

    answer.body = lun_str_of(a->body != NULL ? a->body : "", a->body_len);
    a->done(a->data, &answer);
    lun_errand_put(&a->errand);
}


static void
on_task(lun_task *task)
{
    lun_http_ask  *a = lun_container_of(task, lun_http_ask, task);

    finish_ask(a, a->verdict);
}


/* ... but not in the call that asks. */
void
lun_http_ask_fail(lun_http_ask *a, lun_http_client_verdict verdict)
{
    a->verdict = verdict;

    if (a->starting) {
        lun_loop_post(a->client->loop, &a->task, on_task);

    } else {
        finish_ask(a, verdict);
    }
}


static void
time_out(lun_http_ask *a)
{
    lun_log(LUN_LOG_ERR, &a->errand.log, 0, "%s timed out",
            lun_http_ask_peer(a));
    finish_ask(a, LUN_HTTP_TIMED_OUT);
}


static void
on_late(lun_errand *e)
{
    time_out(ask_of(e));
}


const lun_errand_kind  lun_http_ask_kind = {
    .name    = "question",
    .open_at = &lun_client_open_at,
    .late    = on_late,
    .free    = free_ask,
};


/* --- connections that are kept ------------------------------------------- */

static lun_conn_pool *
pool_of(const lun_http_client *client, size_t size)
{
    char   room[64], *p;

    p = lun_fmt(room, room + sizeof(room), "http client %" PRIu64,
                client->number);
    return lun_conn_pool_get(client->loop,
                             lun_str_of(room, (size_t) (p - room)), size, -1);
}


/* Who may go on with a connection asks the same host at the same address. */
lun_str
lun_http_ask_label(const lun_http_ask *a)
{
    char  room[LUN_ADDR_TEXT];

    return lun_pool_fmt(a->errand.pool, "%.*s %.*s %.*s", LUN_S(a->url.scheme),
                        LUN_S(a->url.host),
                        LUN_S(lun_addr_format(&a->addrs[a->next - 1], true,
                                              room, sizeof(room))));
}


/* False: there is none. */
bool
lun_http_ask_use_kept(lun_http_ask *a)
{
    lun_conn               *c = NULL;
    lun_conn_pool          *pool = NULL;
    const lun_http_client  *client = a->client;

    if (client->o.keep != 0 && !a->fresh) {
        pool = pool_of(client, 0);
    }

    if (pool != NULL) {
        c = lun_conn_pool_take_as(pool, lun_http_ask_label(a), &a->reused);
    }

    if (c == NULL) {
        return false;
    }

    lun_errand_hold(&a->errand);
    a->kept = true;
    c->log = a->errand.log;
    c->log.conn = c->number;
    lun_dial_use(&a->dial, c);
    lun_http_ask_exchange(a);
    return true;
}


static void
keep_conn(lun_http_ask *a)
{
    lun_conn         *c = a->dial.conn;
    lun_http_client  *client = a->client;

    if (client->o.keep == 0 || !a->http.persistent || c->eof || c->gone
        || c->in.pos != c->in.last || lun_conn_writing(c)
        || a->sent != a->text.len)
    {
        return;
    }

    (void) lun_dial_take(&a->dial);
    c->on_free = NULL;
    lun_conn_pool_keep_as(pool_of(client, client->o.keep), c,
                          lun_http_ask_label(a), a->reused,
                          client->o.keep_for);
    lun_errand_put(&a->errand);
}


/* --- the answer ---------------------------------------------------------- */

/* False: the question is over. */
static bool
take_piece(lun_http_ask *a, lun_str piece)
{
    size_t  room;

    if (a->piece != NULL) {
        if (a->piece(a->data, &a->http, piece)) {
            return true;
        }

        lun_http_ask_close(a, LUN_HTTP_CANCELLED);
        lun_errand_put(&a->errand);
        return false;
    }

    if (a->body_room - a->body_len < piece.len) {
        room = lun_max(a->body_room * 2, (size_t) FIRST_BODY);
        a->body_room = lun_max(room, a->body_len + piece.len);
        a->body = lun_realloc(a->body, a->body_room);
    }

    memcpy(a->body + a->body_len, piece.data, piece.len);
    a->body_len += piece.len;
    return true;
}


/* A server may close what was kept just when it is used: it heard nothing. */
static bool
ask_anew(lun_http_ask *a)
{
    if (!a->kept || a->heard || !a->safe) {
        return false;
    }

    lun_debug(&a->errand.log, "kept connection was closed: once more");
    lun_dial_drop(&a->dial);
    a->fresh = true;
    a->kept = false;
    a->next--;
    lun_http_ask_connect(a);
    return true;
}


/* ... while the answer, or what is missing of it, was waited for. */
static void
lose_answer(lun_http_ask *a, const lun_conn *c)
{
    if (ask_anew(a)) {
        return;
    }

    if (c->err != 0) {
        lun_log(LUN_LOG_ERR, &a->errand.log, c->err, "recv() failed");

    } else {
        lun_log(LUN_LOG_ERR, &a->errand.log, 0,
                "%s prematurely closed connection", lun_http_ask_peer(a));
    }

    finish_ask(a, LUN_HTTP_LOST);
}


static void  send_rest(lun_http_ask *a);


static lun_http_answer_verdict
next_part(lun_http_ask *a, const char **pos, const char *end, bool ended,
    lun_str *piece)
{
    return a->h2 != NULL ? lun_h2_exchange_next(a->h2, pos, end, ended, piece)
                         : lun_http_answer_next(&a->http, pos, end, ended,
                                                piece);
}


/* Reads what has come. */
static void
read_answer(lun_conn *c, bool ended)
{
    lun_str                   piece;
    const char               *pos;
    lun_http_ask             *a = c->data;
    lun_http_answer_verdict   verdict;

    for ( ;; ) {
        pos = c->in.pos;
        piece = LUN_STR_NULL;
        verdict = next_part(a, &pos, c->in.last, ended, &piece);
        c->in.pos += pos - c->in.pos;

        switch (verdict) {

        case LUN_HTTP_ANSWER_HEAD:
            break;

        case LUN_HTTP_ANSWER_PIECE:
            if (!take_piece(a, piece)) {
                return;
            }

            break;

        case LUN_HTTP_ANSWER_DONE:
            keep_conn(a);
            finish_ask(a, LUN_HTTP_ANSWERED);
            return;

        case LUN_HTTP_ANSWER_MORE:
            if (!lun_conn_reading(c)) {
                lun_conn_compact(c);
            }

            send_rest(a);          /* of HTTP/2 there may be more now */
            lun_conn_want(c);
            return;

        case LUN_HTTP_ANSWER_CUT:
            lose_answer(a, c);
            return;

        case LUN_HTTP_ANSWER_BAD:
            lun_log(LUN_LOG_ERR, &a->errand.log, 0, "%s sent invalid response",
                    lun_http_ask_peer(a));
            finish_ask(a, LUN_HTTP_INVALID);
            return;

        case LUN_HTTP_ANSWER_TOO_LARGE:
            lun_log(LUN_LOG_ERR, &a->errand.log, 0,
                    "%s sent too large response", lun_http_ask_peer(a));
            finish_ask(a, LUN_HTTP_TOO_LARGE);
            return;
        }
    }
}


static void
on_read(lun_conn *c)
{
    lun_http_ask  *a = c->data;

    a->heard = true;
    read_answer(c, false);
}


/* Also after a send that failed: a server may have said why before. */
static void
on_gone(lun_conn *c)
{
    if (c->err != 0) {
        lose_answer(c->data, c);

    } else {
        read_answer(c, true);
    }
}


static void
on_slow(lun_conn *c)
{
    time_out(c->data);
}


void
lun_http_ask_quit(lun_http_ask *a)
{
    if (a->idle) {
        finish_ask(a, LUN_HTTP_STOPPED);
    }
}


static void
on_quit(lun_conn *c)
{
    lun_http_ask_quit(c->data);
}


static void  on_sent(lun_conn *c);

static const lun_conn_state  exchanging = {
    .name       = "http client exchanging",
    .doing      = "waiting for an answer",
    .on_written = on_sent,
    .on_read    = on_read,
    .on_gone    = on_gone,
    .on_timeout = on_slow,
    .on_quit    = on_quit,
    .timeout    = LUN_TIMEOUT(lun_http_ask_limits, answer),
};


/* --- the question -------------------------------------------------------- */

/* What has gathered of an exchange is sent next. */
static void
take_out(lun_http_ask *a)
{
    lun_h2_exchange  *h = a->h2;

    lun_free(a->going);
    a->going = h->out;
    a->text = lun_str_of(h->out, h->out_len);
    a->sent = 0;
    h->out = NULL;
    h->out_len = h->out_room = 0;
}


static void
send_rest(lun_http_ask *a)
{
    lun_slice  rest;

    if (lun_conn_writing(a->dial.conn)) {
        return;
    }

    if (a->h2 != NULL && a->sent == a->text.len && a->h2->out_len != 0) {
        take_out(a);
    }

    rest = (lun_slice) { a->text.data + a->sent, a->text.len - a->sent };

    if (rest.len != 0) {
        lun_conn_write(a->dial.conn, &rest, 1);
    }
}


static void
on_sent(lun_conn *c)
{
    lun_http_ask  *a = c->data;

    a->sent += (size_t) lun_conn_written(c);
    send_rest(a);
}


void
lun_http_ask_exchange(lun_http_ask *a)
{
    lun_conn  *c = a->dial.conn;

    if (a->client->o.http2) {
        a->h2 = lun_pool_new(a->errand.pool, lun_h2_exchange);
        lun_h2_exchange_init(a->h2, a->block, a->question_body, &a->http);
    }

    a->sent = 0;
    lun_conn_enter(c, &exchanging);
    lun_timer_set_idle(&c->timer, a->idle);
    send_rest(a);
    lun_conn_want(c);
}
