/*
 * upreq_stream.c -- NAME_request_buffering off: the request's body goes to the
 * server while it comes from the client.
 *
 * What has come with the header is taken first: it may be all of it.  Then one
 * piece at a time stays where the client's protocol has read it until the
 * server's connection has taken it; only then is more of it read.  Small
 * chunks that have come together go on as one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "http/body.h"


enum { SMALL = 2048, ROOM = 4 * SMALL };

struct lun_upreq_gathering {
    char     *room;                /* small pieces in one */
    size_t    size;
    lun_str   next;                /* pulled, and to be sent behind them */
};


static bool  continue_beginning(lun_upreq *x);


static void
on_bytes(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    if (x->stage != LUN_UPREQ_NEW) {
        lun_upreq_body_came(x);

    } else if (continue_beginning(x)) {
        lun_upreq_begin(x);
    }
}


static bool
on_gone(lun_request *r)
{
    lun_upreq  *x = r->upreq;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->streamed);

    if (x->stage != LUN_UPREQ_END) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client prematurely closed "
                "connection");
        lun_upreq_end(x, LUN_STATUS + 400);
    }

    return true;
}


static const lun_body_sink  sink = {
    .on_bytes = on_bytes,
    .on_gone  = on_gone,
};


void
lun_upreq_unstream(lun_upreq *x)
{
    if (lun_body_streams(x->r) && x->r->body->sink == &sink) {
        lun_body_close(x->r);
    }
}


/* --- small pieces -------------------------------------------------------- */

/* Behind the `len` bytes that are gathered already. */
static void
append(lun_upreq *x, size_t len, lun_str bytes)
{
    char                        *room;
    struct lun_upreq_gathering  *g = x->gathering;

    if (g == NULL) {
        g = lun_pool_new(x->r->pool, struct lun_upreq_gathering);
        x->gathering = g;
    }

    if (g->size - len < bytes.len) {
        g->size = lun_max(2 * g->size, lun_max(len + bytes.len,
                                               (size_t) ROOM));
        room = lun_pool_text(x->r->pool, g->size);
        memcpy(room, len != 0 ? g->room : "", len);
        g->room = room;
    }

    memcpy(g->room + len, bytes.data, bytes.len);
}


/* Where each chunk is a frame of its own, a few bytes are dear. */
static void
merge(lun_upreq *x, lun_str *bytes)
{
    size_t   len = bytes->len;
    lun_str  more;

    append(x, 0, *bytes);

    while (lun_body_pull(x->r, &more) == LUN_OK && more.len != 0) {

        if (more.len > x->gathering->size - len) {
            x->gathering->next = more;
            break;
        }

        append(x, len, more);
        len += more.len;
    }

    *bytes = lun_str_of(x->gathering->room, len);
}


/* --- pieces -------------------------------------------------------------- */

bool
lun_upreq_has_pulled_all(const lun_upreq *x)
{
    return x->r->body->complete
           && (x->gathering == NULL || x->gathering->next.len == 0);
}


/*
 * Each small chunk of a client's would be a frame, or a call of the system:
 * pieces that are already here are merged.
 */
lun_rc
lun_upreq_pull(lun_upreq *x, lun_str *bytes)
{
    lun_rc                       rc;
    struct lun_upreq_gathering  *g = x->gathering;

    if (g != NULL && g->next.len != 0) {
        *bytes = g->next;
        g->next = LUN_STR_NULL;
        return LUN_OK;
    }

    rc = lun_body_pull(x->r, bytes);

    if (rc == LUN_OK && bytes->len != 0 && bytes->len < SMALL
        && x->r->body->left < 0)
    {
        merge(x, bytes);
    }

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->streamed);

    if (rc == LUN_OK && bytes->len == 0) {
        lun_upreq_unstream(x);

    } else if (rc == LUN_ERROR) {
        lun_upreq_end(x, LUN_STATUS + (int) x->r->body->status);
    }

    return rc;
}


void
lun_upreq_stream(lun_upreq *x, bool needs_length)
{
    const lun_request  *r = x->r;

    LUN_CHECK(x->stage == LUN_UPREQ_NEW);

    x->streamed = !x->conf->request_buffering && x->conf->pass_request_body
                  && !(needs_length && r->in.chunked)
                  && r->parent == NULL && lun_body_untouched(r);
}


/* --- its beginning ------------------------------------------------------- */

/*
 * What has come, as far as client_body_buffer_size goes.  OK: that was all;
 * AGAIN: more is to come; ERROR: it has failed.
 */
static lun_rc
gather_beginning(lun_upreq *x)
{
    lun_rc    rc;
    lun_str   bytes;
    size_t    most = lun_core_conf_of(x->r)->client_body_buffer_size;

    while (x->came.len < most) {
        rc = lun_body_pull(x->r, &bytes);

        if (rc != LUN_OK) {
            return rc;
        }

        if (bytes.len != 0) {
            append(x, x->came.len, bytes);
            x->came = lun_str_of(x->gathering->room, x->came.len + bytes.len);
        }

        if (x->r->body->complete) {
            return LUN_OK;
        }
    }

    return LUN_AGAIN;
}


/*
 * The buffer of the header was full, and the system says that there is more:
 * it will be here at once.
 */
static bool
has_more(const lun_upreq *x)
{
    const lun_request  *r = x->r;

    return r->body->awaited && !r->protocol->frames_body
           && lun_conn_is_plain(r->conn) && r->conn->stream.readable;
}


static lun_verdict
take_beginning(lun_upreq *x)
{
    switch (gather_beginning(x)) {

    case LUN_OK:
        lun_body_keep(x->r, x->came);
        x->streamed = false;
        return LUN_NEXT;

    case LUN_AGAIN:
        if (has_more(x)) {
            return LUN_WAIT;
        }

        x->gathering = NULL;           /* its room is x->came's */
        return LUN_NEXT;

    default:
        x->r->keepalive = 0;
        return LUN_STATUS + (lun_verdict) x->r->body->status;
    }
}


/* False: not yet, or x is over. */
static bool
continue_beginning(lun_upreq *x)
{
    lun_verdict  v = take_beginning(x);

    if (v >= LUN_STATUS) {
        lun_upreq_end(x, v);
    }

    return v == LUN_NEXT;
}


lun_verdict
lun_upreq_take_body(lun_upreq *x)
{
    lun_verdict  v;

    if (lun_body_open(x->r, &sink) != LUN_OK) {
        return LUN_STATUS + 500;
    }

    v = take_beginning(x);

    if (v == LUN_WAIT) {
        lun_upreq_watch_client(x);
    }

    return v;
}
