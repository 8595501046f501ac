/*
 * tunnel.c -- CONNECT: what a client wants to be connected to, and is.
 *
 *     server { listen 3128; resolver 127.0.0.1; tunnel_pass; }
 *
 * From the connection on it is core/http/upstream's tunnel.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_rows.h"


typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no tunnel_pass */
} tunnel_conf;

extern lun_http_module  lun_http_tunnel;

static const lun_enum  tries[] = {
    { "error", LUN_TRY_ERROR },
    { "timeout", LUN_TRY_TIMEOUT },
    { "denied", LUN_TRY_DENIED },
    { "off", LUN_TRY_OFF },
    { NULL, 0 }
};


/* --- the protocol, which says nothing ------------------------------------ */

static lun_rc
make_nothing(lun_upreq *x, lun_buf **head)
{
    *head = lun_buf_new(x->r->pool);
    return LUN_OK;
}


static void
forget_nothing(lun_upreq *x)
{
}


static const lun_upstream_protocol  protocol = {
    .schema     = LUN_STR_INIT("tunnel://"),
    .tls_schema = LUN_STR_INIT("tunnel://"),
    .tunnels    = true,
    .make       = make_nothing,
    .reset      = forget_nothing,
};


/* --- the handler --------------------------------------------------------- */

static lun_verdict
on_content(lun_session *session)
{
    lun_request        *r = lun_request_of(session);
    const tunnel_conf  *conf = lun_http_conf(r, &lun_http_tunnel);

    if (conf->address == NULL || !lun_http_has_content(r, &lun_http_tunnel)) {
        return LUN_NEXT;
    }

    if (r->method != LUN_CONNECT || !lun_body_may_hand_over(r)
        || r->parent != NULL)
    {
        return LUN_STATUS + 405;
    }

    return lun_upreq_ask(r, &conf->up, conf->address, &protocol, NULL);
}


/* --- the configuration --------------------------------------------------- */

/* Of the server that the block is in: its clients may ask for it. */
static void
take_connect(lun_conf *cf)
{
    lun_http_server  *server;
    const lun_block  *b = cf->block;

    while (b->where != LUN_SERVER) {
        b = b->parent;
    }

    server = b->owner;
    server->takes_connect = true;

    if (b == cf->block) {
        server->self->answers = &lun_http_tunnel;

    } else {
        lun_http_set_content(cf, &lun_http_tunnel);
    }
}


static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       to = LUN_STR("$host:$request_port");
    tunnel_conf  *conf = data;

    take_connect(cf);
    conf->address = lun_pool_new(cf->pool, lun_upreq_address);

    return lun_upreq_read_address(cf, cf->argc == 2 ? cf->args[1] : to,
                                  lun_upreq_no_schemes, false, conf->address);
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    tunnel_conf  *conf = data;

    return lun_upreq_finish_conf(cf, "tunnel", &conf->up, NULL);
}


static const lun_directive  directives[] = {
    { .name = "tunnel_pass",
      .where = LUN_SERVER | LUN_LOCATION | LUN_LOCATION_IF, .args_max = 1,
      .set = set_pass, LUN_FIELD(tunnel_conf, address),
      .values = "[address]",
      .help = "does CONNECT: to there, or to whom the client names" },
    LUN_UPSTREAM_CONN_ROWS_OF("tunnel_", tunnel_conf, up, tries, "16k"),
    { 0 }
};

lun_http_module  lun_http_tunnel = {
    .name = "tunnel",
    .directives = directives,
    .conf_size = sizeof(tunnel_conf),
    .inherited = inherited,
    .on[LUN_CONTENT] = on_content,
};
