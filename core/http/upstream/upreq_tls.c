/*
 * upreq_tls.c -- an upstream request whose server speaks TLS: the handshake is
 * one of its stages.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "session/upstream/upstream_connect.h"


static lun_str
name_of(const lun_upreq *x)
{
    return lun_upstream_tls_name(&x->r->session, x->target.tls, x->target.host);
}


lun_str
lun_upreq_conn_key(lun_session *s)
{
    lun_str     key, from;
    lun_upreq  *x = lun_request_of(s)->upreq;

    key = x->protocol->language.data != NULL ? x->protocol->language
                                             : x->protocol->schema;

    if (x->conf->bind != NULL) {
        x->try->addr = x->balance.name;        /* it may depend on that */
        from = lun_upstream_bind_text(s, &x->balance, x->conf->bind,
                                      x->conf->bind_dynamic);
        key = lun_pool_fmt(s->pool, "%.*s %.*s", LUN_S(key), LUN_S(from));
    }

    if (x->target.tls == NULL) {
        return key;
    }

    return lun_pool_fmt(s->pool, "%.*s %.*s", LUN_S(key),
                        LUN_S(lun_upstream_tls_key(s, x->target.tls,
                                                   name_of(x))));
}


static void
on_handshake_done(lun_conn *c)
{
    lun_upreq               *x = lun_upreq_of(c);
    const lun_upstream_tls  *tls = x->target.tls;

    x->r->log->doing = c->state->doing;

    if (!lun_upstream_tls_is_trusted(&x->r->session, c, tls, name_of(x))) {
        lun_upreq_next(x, LUN_TRY_ERROR);
        return;
    }

    lun_upreq_connected(x);
}


/* The room of TLS has said why, unless the connection came with it. */
static void
on_failed(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    if (x->protocol->connect != NULL) {
        x->r->log->doing = c->state->doing;
        lun_upstream_say_refused(&x->r->session, &x->balance, c->err);
    }

    lun_upreq_next(x, LUN_TRY_ERROR);
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq_timed_out(lun_upreq_of(c));
}


static const lun_conn_state  handshaking = {
    .name       = "upstream handshaking",
    .doing      = "SSL handshaking to upstream",
    .on_written = on_handshake_done,
    .on_timeout = on_timeout,
    .on_gone    = on_failed,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, connect_timeout),
};


void
lun_upreq_handshake(lun_upreq *x)
{
    lun_upreq_enter(x, &handshaking);

    if (lun_upstream_tls_start(&x->r->session, x->conn, x->target.tls,
                               name_of(x), x->balance.name) != LUN_OK)
    {
        lun_upreq_end(x, LUN_STATUS + 500);
    }
}
