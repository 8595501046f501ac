/*
 * h3_upstream.c -- what a server of HTTP/3 sends, on the stream of a request or
 * on its own: in one piece and byte by byte the verdict, the status, the body
 * and the error are the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "http/upstream/h3/h3_link_priv.h"
#include "http/upstream/h3/upreq_h3.h"
#include "net/quic/quic_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte of an input. */
enum { OWN = 1, HEAD = 2, TRAILERS = 4, RESET = 8, OPEN = 16 };

/* A connection that sends nothing, and a stream of it. */
typedef struct {
    lun_loop            loop;
    lun_conn            c, own;
    lun_quic_conn       quic;
    lun_h3_link         l;
    lun_h3_link_stream  s;
} connection;

typedef struct {
    bool                  ended;       /* the answer, in whichever way: */
    lun_upstream_verdict  rc;
    unsigned              status;
    char                 *body;
    size_t                body_len;
} answer;


static void
begin(connection *c)
{
    memset(c, 0, sizeof(*c));
    c->loop.posted.tail = &c->loop.posted.head;
    c->loop.running.tail = &c->loop.running.head;
    c->c.mark = c->own.mark = LUN_MARK_CONN;
    c->c.loop = c->own.loop = &c->loop;
    c->c.log.level = LUN_LOG_EMERG;
    c->quic.q.mark = LUN_MARK_QUIC;
    c->quic.q.c = &c->c;
    c->l.q = &c->quic.q;
    c->l.c = &c->c;
    c->l.most = c->l.count = 1;
    lun_list_init(&c->l.wires);
    lun_list_init(&c->l.senders);
    lun_list_init(&c->l.due);
    lun_h3_link_wire_init(&c->s.w, &c->l, LUN_H3_LINK_REQUEST, 0);
    lun_list_init(&c->s.due);
    c->s.conn = &c->own;
}


/* --- its own streams ----------------------------------------------------- */

static uint64_t
say(const char *text, size_t size, size_t step, bool fin)
{
    size_t             at;
    uint64_t           error;
    connection        *c = malloc(sizeof(connection));
    lun_h3_link_wire  *w;

    begin(c);
    w = lun_h3_link_peer_new(&c->l, 3);

    for (at = 0; at < size && c->quic.stage == 0; at += step) {
        lun_h3_link_peer_take(w, text + at, lun_min(step, size - at), false);
    }

    if (fin && c->quic.stage == 0) {
        lun_h3_link_peer_take(w, text, 0, true);
    }

    error = c->quic.stage == 0 ? 0 : c->quic.error.error_code;
    lun_bytes_drop(&c->s.in);
    lun_h3_link_peer_free(w);
    free(c);
    return error;
}


/* --- a request's --------------------------------------------------------- */

static void
forget(lun_upreq *x)
{
    x->answer = (lun_upreq_answer) { .length = -1, .head_length = -1 };
    lun_header_list_init(&x->answer.list, x->r->pool, 4);
    lun_upreq_h3_reset(x);
}


/* Header, then body, of what has come. */
static void
take(lun_upreq *x, answer *a, const char *pos, const char *end)
{
    lun_str        piece = { 0 };
    lun_upreq_h3  *s = x->protocol_data;

    while (!s->header_done) {
        a->rc = lun_upreq_h3_read_header(x, &pos, end);
        a->status = x->answer.status;

        if (a->rc == LUN_UPSTREAM_INTERIM) {
            forget(x);

        } else if (a->rc != LUN_UPSTREAM_DONE) {
            a->ended = a->rc == LUN_UPSTREAM_BAD;
            LUN_CHECK(a->ended || pos == end);
            return;
        }
    }

    while ((a->rc = lun_upreq_h3_read_body(x, &pos, end, &piece))
           == LUN_UPSTREAM_DATA)
    {
        LUN_CHECK(piece.len != 0 && piece.data + piece.len == pos);
        memcpy(a->body + a->body_len, piece.data, piece.len);
        a->body_len += piece.len;
    }

    a->ended = a->rc != LUN_UPSTREAM_MORE;
    LUN_CHECK(a->ended || pos == end);
}


/* How a link tells of the end: by a frame of no meaning, between two others. */
static size_t
end_stream(lun_h3_link_stream *stream, char *text, size_t size, unsigned how)
{
    lun_str      piece;
    const char  *pos = text, *end = text + size;

    while (lun_h3_frames_next(&stream->frames, &pos, end, &piece)
           != LUN_H3_MORE)
    {
        /* the frames are for the answer */
    }

    if (how & OPEN) {
        return size;
    }

    stream->was_reset = (how & RESET) != 0;
    stream->got_all = !stream->was_reset;
    stream->broken = !lun_h3_frames_between(&stream->frames);

    if (!stream->broken) {
        memcpy(text + size, LUN_H3_LINK_MARK, LUN_H3_LINK_MARK_LEN);
        size += LUN_H3_LINK_MARK_LEN;
    }

    return size;
}


static answer
read_answer(const char *data, size_t size, size_t step, unsigned how)
{
    char            *text = malloc(size + LUN_H3_LINK_MARK_LEN);
    size_t           n, at = 0;
    answer           a = { .body = malloc(size + 1) };
    lun_log          log = { .level = LUN_LOG_EMERG };
    connection      *c = malloc(sizeof(connection));
    lun_request      r = { .pool = lun_pool_new_sized(1024), .log = &log };
    lun_upreq_conf   conf = { .buffer_size = 1024 };
    lun_upreq_h3     s = { .stream = &c->s, .head = how & HEAD };
    lun_upreq        x = { .mark = LUN_MARK_UPREQ, .r = &r, .conf = &conf,
                           .protocol_data = &s };

    begin(c);
    memcpy(text, data, size);
    size = end_stream(&c->s, text, size, how);
    s.fields.keep_trailers = how & TRAILERS;
    forget(&x);

    while (at < size && !a.ended) {
        n = lun_min(step, size - at);
        c->s.in.len = size - at - n;
        take(&x, &a, text + at, text + at + n);
        at += n;
    }

    lun_upreq_h3_drop_block(&s);
    lun_pool_free(r.pool);
    free(c);
    free(text);
    return a;
}


static void
compare(const char *text, size_t size, unsigned how)
{
    answer  a = read_answer(text, size, size != 0 ? size : 1, how);
    answer  b = read_answer(text, size, 1, how);

    LUN_CHECK(a.rc == b.rc && a.ended == b.ended && a.status == b.status);
    /* What is too much is refused with the piece that it came in. */
    LUN_CHECK(a.rc == LUN_UPSTREAM_BAD ? a.body_len <= b.body_len
                                       : a.body_len == b.body_len);
    LUN_CHECK(memcmp(a.body, b.body, a.body_len) == 0);
    free(a.body);
    free(b.body);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned     how;
    const char  *text = (const char *) data + 1;

    if (size == 0) {
        return 0;
    }

    how = data[0];
    size--;

    if (how & OWN) {
        LUN_CHECK(say(text, size, size != 0 ? size : 1, how & RESET)
                  == say(text, size, 1, how & RESET));

    } else {
        compare(text, size, how);
    }

    return 0;
}
