/*
 * proxied.c -- the PROXY protocol's header is taken off a connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/proxied.h"

#include "base/check.h"
#include "format/proxy_protocol.h"


static lun_str
first_line(const lun_conn *c)
{
    const char  *p = c->in.pos;

    while (p < c->in.last && *p != '\r' && *p != '\n') {
        p++;
    }

    return lun_str_of(c->in.pos, (size_t) (p - c->in.pos));
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


lun_rc
lun_proxied_read(lun_conn *c)
{
    size_t       used = 0;
    unsigned     version;
    lun_proxied  p;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    switch (lun_proxy_protocol_parse(c->in.pos,
                                     (size_t) (c->in.last - c->in.pos), &p,
                                     &used))
    {

    case LUN_PROXIED_MORE:
        if (c->in.last < c->in.end) {
            return LUN_AGAIN;
        }

        lun_log(LUN_LOG_ERR, &c->log, 0, "header is too large");
        return LUN_ERROR;

    case LUN_PROXIED_BAD:
        version = lun_proxy_protocol_version(c->in.pos, (size_t) (c->in.last
                                                                - c->in.pos));

        if (version != 0 && version != 2) {
            lun_log(LUN_LOG_ERR, &c->log, 0, "unknown PROXY protocol "
                    "version: %u", version);

        } else {
            lun_log(LUN_LOG_ERR, &c->log, 0, "broken header: \"%.*s\"",
                    LUN_S(first_line(c)));
        }

        return LUN_ERROR;

    default:
        break;
    }

    c->in.pos += used;
    c->received -= (int64_t) used;     /* the proxy's, not the client's */

    if (p.known) {
        keep(c, &p);
    }

    return LUN_OK;
}
