/*
 * proxy_tls.c -- proxy_ssl: TLS to the server, behind a PROXY header that goes
 * in front of it as it is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/stream/proxy/proxy_priv.h"


static lun_str
name_of(lun_stream_proxy *p)
{
    return lun_upstream_tls_name(&p->s->session, &p->conf->tls, p->host);
}


/* --- the handshake ------------------------------------------------------- */

static void
on_done(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    LUN_CHECK(p->peer == c);

    p->s->log->doing = c->state->doing;

    if (lun_upstream_tls_is_trusted(&p->s->session, c, &p->conf->tls,
                                    name_of(p)))
    {
        lun_stream_proxy_connected(p);

    } else {
        lun_stream_proxy_next(p);
    }
}


/* The room of TLS has said why. */
static void
on_failed(lun_conn *c)
{
    lun_stream_proxy_next(lun_stream_proxy_of(c));
}


/* nginx's stream proxy does not speak of it. */
static void
on_timeout(lun_conn *c)
{
    lun_stream_proxy_next(lun_stream_proxy_of(c));
}


static const lun_conn_state  handshaking = {
    .name       = "upstream handshaking",
    .doing      = "SSL handshaking to upstream",
    .on_written = on_done,
    .on_timeout = on_timeout,
    .on_gone    = on_failed,
    .timeout    = LUN_TIMEOUT(lun_stream_proxy_conf, connect_timeout),
};


static void
begin(lun_stream_proxy *p)
{
    lun_conn  *c = p->peer;

    LUN_CHECK(p->peer != NULL && p->header.len == 0);

    lun_conn_enter(c, &handshaking);
    p->s->log->doing = handshaking.doing;

    if (lun_upstream_tls_start(&p->s->session, c, &p->conf->tls, name_of(p),
                               p->balance.name) != LUN_OK)
    {
        lun_stream_proxy_end(p, LUN_STATUS + 500, LUN_BALANCE_FAILED);
    }
}


/* --- the header in front of it ------------------------------------------- */

static void  on_header_written(lun_conn *c);
static void  on_header_failed(lun_conn *c);

static const lun_conn_state  sending_header = {
    .name       = "upstream PROXY header",
    .doing      = "sending PROXY protocol header to upstream",
    .on_written = on_header_written,
    .on_timeout = lun_stream_proxy_timed_out,
    .on_gone    = on_header_failed,
    .timeout    = LUN_TIMEOUT(lun_stream_proxy_conf, connect_timeout),
};


static void
on_header_failed(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    p->s->log->doing = c->state->doing;
    lun_log(LUN_LOG_ERR, p->s->log, c->err, "send() failed");
    lun_stream_proxy_next(p);
}


static void
on_header_written(lun_conn *c)
{
    lun_stream_proxy  *p = lun_stream_proxy_of(c);

    LUN_CHECK(p->peer == c && p->header.len != 0);

    p->header.data += lun_conn_written(c);
    p->header.len -= (size_t) lun_conn_written(c);

    if (p->header.len == 0) {
        begin(p);

    } else {
        lun_conn_write(c, &p->header, 1);
    }
}


void
lun_stream_proxy_handshake(lun_stream_proxy *p)
{
    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(p->peer != NULL);

    if (p->header.len == 0) {
        begin(p);
        return;
    }

    lun_conn_enter(p->peer, &sending_header);
    lun_conn_write(p->peer, &p->header, 1);
}
