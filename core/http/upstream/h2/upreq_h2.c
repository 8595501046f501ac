/*
 * upreq_h2.c -- an upstream request has a stream of a connection to a server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/upreq_h2.h"

#include "base/check.h"
#include "http/upstream/h2/upreq_h2_priv.h"


static void
on_window(lun_conn *c)
{
    lun_upreq_resume_sending(c->data);
}


lun_conn *
lun_upreq_h2_join(lun_upreq *x, lun_conn *c)
{
    lun_h2_link   *l = lun_h2_link_of(c);
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    LUN_CHECK(s->stream == NULL);

    lun_upreq_offer(x, &l->share);

    s->stream = lun_h2_link_open(l, x->conf->buffer_size, x->r->log,
                                 on_window);
    return s->stream->conn;
}


lun_conn *
lun_upreq_h2_part(lun_upreq *x)
{
    lun_upreq_h2   *s = lun_upreq_h2_of(x);
    lun_link_stream  *stream = s->stream;

    LUN_CHECK(stream != NULL);

    s->stream = NULL;
    return lun_h2_link_part(stream, x->try->status == 504);
}
