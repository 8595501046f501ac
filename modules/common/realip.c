/*
 * realip.c -- the client is whom a proxy that we trust says it is.
 *
 *     set_real_ip_from  10.0.0.0/8;
 *     real_ip_header    X-Forwarded-For;
 *     real_ip_recursive on;
 *
 * A list of addresses is read from its end: the last one came from the proxy
 * itself.  Recursive: as long as they are trusted as well, the one before it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/trusted_proxy.h"
#include "net/proxy_protocol.h"
#include "os/cidr.h"


enum { MAX_ADDRS = 64 };           /* of one host name */

typedef enum {
    X_REAL_IP,
    X_FORWARDED_FOR,
    PROXY_PROTOCOL,
    OTHER
} source_kind;

typedef struct {
    source_kind  kind;
    lun_str      name;             /* of OTHER */
} source;

typedef struct {
    lun_array   *from;             /* of lun_cidr */
    source       source;
    bool         recursive;
} realip_conf;

extern lun_http_module  lun_http_realip;


/* --- what is said -------------------------------------------------------- */

static const lun_header *
header_of(const lun_request *r, const source *s)
{
    switch (s->kind) {

    case X_REAL_IP:
        return r->in.known[LUN_HIN_X_REAL_IP];

    case X_FORWARDED_FOR:
        return r->in.known[LUN_HIN_X_FORWARDED_FOR];

    default:
        return lun_header_find(&r->in.list, s->name);
    }
}


static void
set_peer(lun_request *r, const lun_addr *addr)
{
    lun_addr  *own = lun_pool_new(r->pool, lun_addr);

    *own = *addr;
    r->remote = own;
    r->main->remote = own;
}


static lun_verdict
take_proxied(lun_request *r, const realip_conf *conf)
{
    const lun_proxied  *p = r->conn->proxied;

    if (p != NULL && lun_trusted_proxy_has(conf->from, r->remote)) {
        set_peer(r, &p->src);
    }

    return LUN_NEXT;
}


static lun_verdict
on_request(lun_session *s)
{
    lun_request        *r = lun_request_of(s);
    lun_addr            addr = *r->remote;
    const lun_header   *h;
    const realip_conf  *conf = lun_http_conf(r, &lun_http_realip);

    if (conf->from == NULL || r->remote != &r->conn->remote) {
        return LUN_NEXT;
    }

    if (conf->source.kind == PROXY_PROTOCOL) {
        return take_proxied(r, conf);
    }

    h = header_of(r, &conf->source);

    if (h != NULL
        && lun_trusted_proxy_client(&addr, h,
        conf->source.kind == X_FORWARDED_FOR,
                              conf->from, conf->recursive))
    {
        set_peer(r, &addr);
    }

    return LUN_NEXT;
}


/* --- variables ----------------------------------------------------------- */

static void
get_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request     *r = lun_request_of(s);
    char             room[LUN_ADDR_TEXT];
    const lun_addr  *addr = &r->conn->remote;

    (void) data;

    if (addr->family == LUN_AF_UNIX) {
        v->text = LUN_STR("unix:");
        return;
    }

    v->text = lun_pool_str(r->pool, lun_addr_format(addr, false, room,
                                                    sizeof(room)));
}


static void
get_port(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);
    unsigned      port = r->conn->remote.port;

    (void) data;
    v->text = port != 0 ? lun_pool_fmt(r->pool, "%u", port) : LUN_STR("");
}


static const lun_variable  variables[] = {
    { LUN_STR_INIT("realip_remote_addr"), get_addr, NULL, 0, 0, 0 },
    { LUN_STR_INIT("realip_remote_port"), get_port, NULL, 0, 0, 0 },
    { LUN_STR_NULL, NULL, NULL, 0, 0, 0 }
};


/* --- reading ------------------------------------------------------------- */

/* Every address that a name has now. */
static lun_rc
add_host(lun_conf *cf, realip_conf *conf, lun_str host)
{
    size_t     i, count;
    lun_addr   addrs[MAX_ADDRS];
    lun_cidr  *c;

    if (lun_addr_lookup(lun_pool_strz(cf->temp, host), 0, addrs, MAX_ADDRS,
                        &count) != 0 || count == 0)
    {
        return lun_conf_fail(cf, "host not found in set_real_ip_from "
                             "\"%.*s\"", LUN_S(host));
    }

    for (i = 0; i < count; i++) {
        c = lun_array_push(conf->from);
        c->family = addrs[i].family;
        c->bits = addrs[i].family == LUN_AF_INET ? 32 : 128;
        memcpy(c->ip, addrs[i].ip, sizeof(c->ip));
    }

    return LUN_OK;
}


static lun_rc
set_from(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       text = cf->args[1];
    lun_cidr      net;
    realip_conf  *conf = data;

    (void) d;

    if (conf->from == NULL) {
        conf->from = lun_array_new(cf->pool, sizeof(lun_cidr), 2);
    }

    if (lun_cidr_parse(text, &net) != LUN_OK) {
        return add_host(cf, conf, text);
    }

    if (lun_cidr_trim(&net)) {
        lun_conf_warn(cf, "low address bits of %.*s are meaningless",
                      LUN_S(text));
    }

    *(lun_cidr *) lun_array_push(conf->from) = net;
    return LUN_OK;
}


static lun_rc
set_source(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       name = cf->args[1];
    realip_conf  *conf = data;

    (void) d;

    conf->source.name = name;
    conf->source.kind =
        lun_str_eq(name, LUN_STR("X-Real-IP")) ? X_REAL_IP
        : lun_str_eq(name, LUN_STR("X-Forwarded-For")) ? X_FORWARDED_FOR
        : lun_str_eq(name, LUN_STR("proxy_protocol")) ? PROXY_PROTOCOL
        : OTHER;

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "set_real_ip_from", .where = LUN_HTTP_LEVELS, .args = 1,
      .repeats = true, .set = set_from, LUN_FIELD(realip_conf, from) },
    { .name = "real_ip_header", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_source, LUN_FIELD(realip_conf, source),
      .fallback = "X-Real-IP" },
    { .name = "real_ip_recursive", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(realip_conf, recursive),
      .fallback = "off" },
    { 0 }
};

lun_http_module  lun_http_realip = {
    .name = "realip",
    .directives = directives,
    .conf_size = sizeof(realip_conf),
    .variables = variables,
    .on[LUN_POST_READ] = on_request,
    .on[LUN_PREACCESS] = on_request,
};
