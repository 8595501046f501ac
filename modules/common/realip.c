/*
 * realip.c -- the client is whom a proxy that we trust says it is.
 *
 *     set_real_ip_from  10.0.0.0/8;
 *     real_ip_header    X-Forwarded-For;
 *     real_ip_recursive on;
 *
 * A list of addresses is read from its end: the last one came from the proxy
 * itself.  Recursive: as long as they are trusted as well, the one before it.
 * Where the protocol has no headers, the PROXY protocol is asked.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/engine.h"

#include "format/proxy_protocol.h"
#include "config/hosts.h"


enum { MAX_ADDRS = 64 };           /* of one host name */

typedef struct {
    bool         proxied;          /* what the PROXY protocol said */
    lun_str      header;           /* else: its name */
} source;

typedef struct {
    lun_array   *from;             /* of lun_cidr */
    source       source;
    bool         recursive;
} realip_conf;

extern lun_module  lun_common_realip;


/* --- what is said -------------------------------------------------------- */

static bool
find_client(const lun_session *s, const realip_conf *conf, lun_addr *addr)
{
    const lun_proxied   *p = s->conn->proxied;
    const lun_protocol  *protocol = s->engine->protocol;

    if (protocol->forwarded != NULL && !conf->source.proxied) {
        return protocol->forwarded(s, conf->source.header, addr, conf->from,
                                   conf->recursive);
    }

    if (p == NULL || !lun_cidr_any_has(conf->from, addr)) {
        return false;
    }

    *addr = p->src;
    return true;
}


static lun_verdict
on_session(lun_session *s)
{
    lun_addr           *own, addr = *s->remote;
    const realip_conf  *conf = lun_session_conf(s, &lun_common_realip);

    if (conf->from != NULL && s->remote == &s->conn->remote
        && find_client(s, conf, &addr))
    {
        own = lun_pool_new(s->pool, lun_addr);
        *own = addr;
        s->remote = own;
        s->main->remote = own;
    }

    return LUN_NEXT;
}


/* --- variables ----------------------------------------------------------- */

static void
get_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    char             room[LUN_ADDR_TEXT];
    const lun_addr  *addr = &s->conn->remote;

    if (addr->family == LUN_AF_UNIX) {
        v->text = LUN_STR("unix:");
        return;
    }

    v->text = lun_pool_str(s->pool, lun_addr_format(addr, false, room,
                                                    sizeof(room)));
}


static void
get_port(lun_session *s, lun_value *v, uintptr_t data)
{
    unsigned  port = s->conn->remote.port;

    v->text = port != 0 ? lun_pool_fmt(s->pool, "%u", port) : LUN_STR("");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("realip_remote_addr"), .get = get_addr,
      .help = "the connection's own address, before realip" },
    { .name = LUN_STR_INIT("realip_remote_port"), .get = get_port,
      .help = "the connection's own port, before realip" },
    { .name = LUN_STR_NULL }
};


/* --- reading ------------------------------------------------------------- */

/* Every address that a name has now. */
static lun_rc
set_from(lun_conf *cf, const lun_directive *d, void *data)
{
    realip_conf  *conf = data;

    return lun_conf_networks(cf, cf->args[1], "set_real_ip_from",
                             &conf->from);
}


static lun_rc
set_source(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       name = cf->args[1];
    realip_conf  *conf = data;

    conf->source.header = name;
    conf->source.proxied = lun_str_eq(name, LUN_STR("proxy_protocol"));

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "set_real_ip_from", .where = LUN_ANY_LEVELS, .args = 1,
      .repeats = true, .set = set_from, LUN_FIELD(realip_conf, from),
      .values = "address | CIDR | unix:",
      .help = "addresses whose word about the client is believed" },
    { .name = "real_ip_header", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_source, LUN_FIELD(realip_conf, source),
      .fallback = "X-Real-IP",
      .values = "field | X-Real-IP | X-Forwarded-For | proxy_protocol",
      .help = "the header with the client's true address" },
    { .name = "real_ip_recursive", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(realip_conf, recursive),
      .fallback = "off",
      .help = "looks for the last address that is not trusted" },
    { 0 }
};

lun_module  lun_common_realip = {
    .name = "realip",
    .directives = directives,
    .conf_size = sizeof(realip_conf),
    .variables = variables,
    .on[LUN_ACCEPTED] = on_session,
    .on[LUN_PREACCESS] = on_session,
};
