/*
 * upreq_resolve.c -- which servers are behind the name that a request goes to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"


static void
first_server(lun_upreq *x)
{
    if (x->conf->next_tries != 0
        && (int64_t) x->balance.tries > x->conf->next_tries)
    {
        x->balance.tries = (unsigned) x->conf->next_tries;
    }

    lun_upreq_watch_client(x);
    lun_upreq_go(x, LUN_UPREQ_CHOOSE);
}


static void
begin_with(lun_upreq *x, lun_rc rc)
{
    if (rc != LUN_OK) {
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    first_server(x);
}


static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_upreq  *x = data;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    x->query = NULL;

    if (verdict != LUN_RESOLVED || count == 0) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "%.*s could not be resolved "
                "(%d: %s)", LUN_S(x->target.host), (int) verdict,
                lun_resolve_text(verdict));
        lun_upreq_end(x, LUN_STATUS + 502);
        return;
    }

    begin_with(x, lun_balance_addrs(&x->r->session, x->target.host, addrs,
                                    count, &x->balance));
}


/* "unix:/path" or digits need no resolver. */
static bool
is_address(lun_upreq *x, lun_addr *addr)
{
    lun_str  text = lun_str_z(lun_pool_strz(x->r->pool, x->target.host));

    if (lun_addr_parse(text, addr) != LUN_OK) {
        return false;
    }

    addr->port = x->target.port;
    return true;
}


static void
find_servers(lun_upreq *x)
{
    lun_str                  name;
    lun_addr                 addr;
    lun_upstream            *u = x->target.upstream;
    lun_resolve_request     *query;
    const lun_upreq_target  *to = &x->target;

    LUN_CHECK(x->query == NULL);

    /* A name made of variables may be that of a block. */
    if (u == NULL) {
        name = !to->port_given ? to->host
               : lun_pool_fmt(x->r->pool, "%.*s:%u", LUN_S(to->host),
                              to->port);
        u = lun_upstream_find(&x->r->session, name);
    }

    if (u != NULL) {
        begin_with(x, lun_balance_begin(&x->r->session, u, &x->balance));
        return;
    }

    if (to->port == 0 && !lun_str_starts(to->host, LUN_STR("unix:"))) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "no port in upstream \"%.*s\"",
                LUN_S(to->host));
        lun_upreq_end(x, LUN_STATUS + 500);
        return;
    }

    if (is_address(x, &addr)) {
        begin_with(x, lun_balance_addrs(&x->r->session, to->host, &addr, 1,
                                        &x->balance));
        return;
    }

    if (lun_core_conf_of(x->r)->resolver == NULL) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "no resolver defined to resolve "
                "%.*s", LUN_S(to->host));
        lun_upreq_end(x, LUN_STATUS + 502);
        return;
    }

    query = lun_resolve(lun_http_resolver(lun_http_generation(x->r),
                                          lun_core_conf_of(x->r)),
                        to->host, to->port, on_resolved, x);

    if (query != NULL) {
        x->query = query;
        lun_resolve_limit(query, lun_core_conf_of(x->r)->resolver_timeout);
        lun_upreq_watch_client(x);
    }
}


void
lun_upreq_resolve(lun_upreq *x)
{
    LUN_CHECK(x->stage == LUN_UPREQ_RESOLVE);

    if (lun_upreq_remake(x) != LUN_OK) {
        lun_upreq_end(x, LUN_STATUS + 500);

    } else {
        find_servers(x);
    }
}
