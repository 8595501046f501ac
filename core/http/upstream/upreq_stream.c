/*
 * upreq_stream.c -- NAME_request_buffering off: the request's body is read
 * from the client while it is sent to the server.
 *
 * One piece at a time stays where the client's connection has read it until
 * the server's has taken it; only then is there room for more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "http/body.h"


enum { ROOM = 16384 };

struct lun_upreq_stream {
    size_t  used;                  /* bytes of the client's connection */
    bool    waits;                 /* for the client */
};


/* --- one piece ----------------------------------------------------------- */

/* Of what has come.  AGAIN: there is none; ERROR: the request is over. */
static lun_rc
next_chunk(lun_upreq *x, lun_str *data)
{
    lun_conn     *c = x->r->conn;
    lun_body     *b = x->r->body;
    const char   *pos = c->in.pos;

    switch (lun_chunked_next(&b->chunked, &pos, c->in.last, data)) {

    case LUN_CHUNKED_DATA:
        if (lun_body_too_large(x->r, data->len)) {
            lun_upreq_end(x, LUN_STATUS + 413);
            return LUN_ERROR;
        }

        x->stream->used = (size_t) (pos - c->in.pos);
        return LUN_OK;

    case LUN_CHUNKED_DONE:
        b->complete = true;
        c->in.pos += pos - c->in.pos;
        return LUN_AGAIN;

    case LUN_CHUNKED_MORE:
        c->in.pos += pos - c->in.pos;
        return LUN_AGAIN;

    default:
        lun_log(LUN_LOG_ERR, x->r->log, 0, "client sent invalid chunked body");
        lun_upreq_end(x, LUN_STATUS + 400);
        return LUN_ERROR;
    }
}


static lun_rc
next_piece(lun_upreq *x, lun_str *data)
{
    lun_conn  *c = x->r->conn;
    lun_body  *b = x->r->body;
    size_t     n = (size_t) (c->in.last - c->in.pos);

    if (x->r->in.chunked) {
        return next_chunk(x, data);
    }

    n = (size_t) lun_min((int64_t) n, b->left);

    if (n == 0) {
        return LUN_AGAIN;
    }

    x->stream->used = n;
    *data = lun_str_of(c->in.pos, n);
    return LUN_OK;
}


/* --- the client's side --------------------------------------------------- */

static void
on_read(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    if (x->stream->waits) {
        lun_upreq_body_came(x);
    }
}


static bool
on_gone(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    if (x->stage != LUN_UPREQ_END) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed "
                "connection");
        lun_upreq_end(x, LUN_STATUS + 400);
    }

    return true;
}


static const lun_takeover  takeover = {
    .on_read = on_read,
    .on_gone = on_gone,
};


void
lun_upreq_unstream(lun_upreq *x)
{
    if (x->stream != NULL && x->r->takeover == &takeover) {
        lun_body_take_back(x->r);
    }
}


/* AGAIN, or ERROR: it has left, and the request is over. */
static lun_rc
ask_client(lun_upreq *x)
{
    lun_request  *r = x->r;
    lun_conn     *c = r->conn;

    if (r->aborted || c->eof || c->gone) {
        (void) on_gone(r);
        return LUN_ERROR;
    }

    x->stream->waits = true;

    if (!lun_conn_reading(c)) {
        r->protocol->make_room(r, ROOM);
        lun_conn_want(c);
    }

    return LUN_AGAIN;
}


lun_rc
lun_upreq_pull(lun_upreq *x, lun_str *data)
{
    lun_rc                    rc;
    lun_request              *r = x->r;
    struct lun_upreq_stream  *s = x->stream;

    s->waits = false;

    if (s->used != 0) {
        r->conn->in.pos += s->used;
        lun_body_took(r, s->used);
        s->used = 0;
    }

    rc = r->body->complete ? LUN_AGAIN : next_piece(x, data);

    if (rc == LUN_AGAIN && r->body->complete) {
        *data = LUN_STR_NULL;
        lun_upreq_unstream(x);
        return LUN_OK;
    }

    return rc == LUN_AGAIN ? ask_client(x) : rc;
}


void
lun_upreq_stream(lun_upreq *x, bool needs_length)
{
    lun_request  *r = x->r;

    if (x->conf->request_buffering || !x->conf->pass_request_body
        || (needs_length && r->in.chunked)
        || r->parent != NULL || r->protocol->hand_over == NULL
        || !lun_body_untouched(r))
    {
        return;
    }

    x->streamed = true;
    x->stream = lun_pool_new(r->pool, struct lun_upreq_stream);
}


lun_rc
lun_upreq_take_body(lun_upreq *x)
{
    return lun_body_hand_over(x->r, &takeover);
}
