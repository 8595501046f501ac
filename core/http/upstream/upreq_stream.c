/*
 * upreq_stream.c -- NAME_request_buffering off: the request's body goes to the
 * server while it comes from the client.
 *
 * One piece at a time stays where the client's protocol has read it until the
 * server's connection has taken it; only then is more of it read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "http/body.h"


static void
on_bytes(lun_request *r)
{
    lun_upreq_body_came(r->upreq);
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


lun_rc
lun_upreq_pull(lun_upreq *x, lun_str *bytes)
{
    lun_rc  rc = lun_body_pull(x->r, bytes);

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


lun_rc
lun_upreq_take_body(lun_upreq *x)
{
    return lun_body_open(x->r, &sink);
}
