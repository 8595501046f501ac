/*
 * h1_proxied.c -- what a proxy says first, on a connection of a listener that
 * asks for it (`listen ... proxy_protocol`): whom it speaks for.
 *
 * It is kept with the connection; whether it is believed is realip's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept.h"
#include "http/h1/h1.h"
#include "http/h1/h1_priv.h"

#include "net/proxy_protocol.h"


static void
refuse(lun_conn *c)
{
    lun_log(LUN_LOG_ERR, &c->log, 0, "broken header: \"%.*s\"",
            LUN_S(lun_h1_first_line(c)));
    lun_conn_close(c);
}


/* The header's bytes will be overwritten by what comes next. */
static void
keep(lun_conn *c, const lun_proxied *p)
{
    lun_pool     *pool = lun_conn_memory(c);
    lun_proxied  *own = lun_pool_new(pool, lun_proxied);

    *own = *p;
    own->tlvs = lun_pool_str(pool, p->tlvs);
    c->proxied = own;
}


static void
read_header(lun_conn *c)
{
    size_t       used = 0;
    lun_proxied  p;

    switch (lun_proxy_protocol_parse(c->in.pos,
                                     (size_t) (c->in.last - c->in.pos), &p,
                                     &used))
    {

    case LUN_PROXIED_MORE:
        if (c->in.last < c->in.end) {
            lun_conn_want(c);
            return;
        }

        lun_log(LUN_LOG_ERR, &c->log, 0, "header is too large");
        lun_conn_close(c);
        return;

    case LUN_PROXIED_BAD:
        refuse(c);
        return;

    case LUN_PROXIED_DONE:
        break;
    }

    c->in.pos += used;

    if (p.known) {
        keep(c, &p);
    }

    lun_http_start(c);
}


static const lun_conn_state  reading_header = {
    .name       = "h1 reading header",
    .doing      = "reading PROXY protocol",
    .on_read    = read_header,
    .on_timeout = lun_h1_give_up,
    .on_gone    = lun_h1_gone_before,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


void
lun_h1_read_proxied(lun_conn *c)
{
    lun_conn_enter(c, &reading_header);
    lun_conn_want(c);
}
