/*
 * upreq_send.c -- the request on its way to the server.
 *
 * Its bufs are only looked at: x->at says how far it is, so that the next
 * server gets them from the beginning.  The server may answer at any moment,
 * before it has all of it as well.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"


enum { FILE_STEP = 2 * 1024 * 1024 };


static void
on_gone(lun_conn *c)
{
    lun_upreq_lost(c->data);
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq  *x = c->data;

    if (!x->starving) {
        lun_upreq_timed_out(x);
        return;
    }

    lun_log(LUN_LOG_INFO, x->r->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    lun_upreq_end(x, LUN_STATUS + 408);
}


static const lun_conn_state  sending = {
    .name       = "upstream sending",
    .doing      = "sending request to upstream",
    .on_read    = lun_upreq_on_header,
    .on_written = lun_upreq_on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, send_timeout),
};


/* --- what is to go ------------------------------------------------------- */

static size_t
gather(const lun_upreq *x, lun_slice slices[LUN_PORT_SLICES], bool *more)
{
    size_t          n = 0;
    int64_t         done = x->at_done;
    const lun_buf  *b;

    for (b = x->at; b != NULL && !b->in_file && n < LUN_PORT_SLICES;
         b = b->next)
    {
        if (lun_buf_size(b) > done) {
            slices[n].data = b->pos + done;
            slices[n++].len = (size_t) (lun_buf_size(b) - done);
        }

        done = 0;
    }

    *more = b != NULL;
    return n;
}


static void
advance(lun_upreq *x, int64_t n)
{
    int64_t  left;

    while (x->at != NULL) {
        left = lun_buf_size(x->at) - x->at_done;

        if (n < left) {
            x->at_done += n;
            return;
        }

        n -= left;
        x->at = x->at->next;
        x->at_done = 0;
    }
}


/* OK: go on; AGAIN: it is on its way; ERROR: lost. */
static lun_rc
send_memory(lun_upreq *x)
{
    bool       more;
    size_t     n, sent;
    lun_err    err;
    lun_slice  slices[LUN_PORT_SLICES];

    n = gather(x, slices, &more);

    if (n == 0) {
        advance(x, 0);
        return LUN_OK;
    }

    err = lun_conn_send(x->conn, slices, n, more, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        return LUN_ERROR;
    }

    x->request_sent = 1;
    advance(x, (int64_t) sent);

    n = gather(x, slices, &more);

    if (n == 0 || (err == 0 && n == LUN_PORT_SLICES)) {
        return LUN_OK;
    }

    lun_conn_write(x->conn, slices, n);
    return LUN_AGAIN;
}


static lun_rc
send_file(lun_upreq *x)
{
    int64_t  left = lun_buf_size(x->at) - x->at_done;

    if (left == 0) {
        advance(x, 0);
        return LUN_OK;
    }

    lun_conn_send_file(x->conn, x->at->file, x->at->file_pos + x->at_done,
                       (size_t) lun_min(left, (int64_t) FILE_STEP));
    return LUN_AGAIN;
}


/* --- sending ------------------------------------------------------------- */

/* All of it is out: the rest is the server's part. */
static void
all_sent(lun_upreq *x)
{
    x->request_done = 1;

    if (!x->header_done) {
        lun_upreq_enter(x, &lun_upreq_reading_header);
    }

    lun_conn_want(x->conn);
}


/* What is queued.  OK: it is out. */
static lun_rc
send_queued(lun_upreq *x)
{
    lun_rc  rc = LUN_OK;

    while (rc == LUN_OK && x->at != NULL) {
        rc = x->at->in_file ? send_file(x) : send_memory(x);
    }

    if (rc == LUN_ERROR) {
        lun_upreq_lost(x);
        return rc;
    }

    if (rc == LUN_AGAIN) {
        if (!x->header_done) {
            lun_upreq_enter(x, &sending);
        }

        lun_conn_want(x->conn);
    }

    return rc;
}


/* The client is slower than the server. */
static void
starve(lun_upreq *x)
{
    if (!x->header_done) {
        lun_upreq_enter(x, &sending);
        lun_conn_limit(x->conn, lun_core_conf_of(x->r)->client_body_timeout);
        lun_conn_want(x->conn);
    }
}


void
lun_upreq_send_on(lun_upreq *x)
{
    lun_rc  rc;

    while (send_queued(x) == LUN_OK) {

        if (!x->streamed || x->stream_end) {
            all_sent(x);
            return;
        }

        rc = lun_upreq_feed(x);

        if (rc == LUN_AGAIN) {
            starve(x);
        }

        if (rc != LUN_OK) {
            return;
        }
    }
}


void
lun_upreq_on_written(lun_conn *c)
{
    lun_upreq  *x = c->data;

    x->r->log->doing = c->state->doing;
    x->request_sent = 1;
    advance(x, lun_conn_written(c));
    lun_upreq_send_on(x);
}


void
lun_upreq_send(lun_upreq *x)
{
    lun_upreq_enter(x, &sending);
    lun_upreq_send_on(x);
}
