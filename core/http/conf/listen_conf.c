/*
 * listen_conf.c -- listen: which servers an address has, and its socket.
 *
 * Addresses are gathered by their text while servers are read.  In the end
 * each gets a listener, except one whose port is also listened to on the
 * wildcard address: a second socket could not be bound there, so connections
 * of the wildcard's are told apart by the address that they came to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/http_conf.h"

#include <stdlib.h>

#include "http/accept.h"
#include "os/path.h"
#include "os/user.h"


enum { BACKLOG = 511, MAX_ADDRS = 64 };

typedef struct {
    lun_http_listen      listen;   /* what a listener's data points to */
    lun_addr             addr;
    lun_str              text;
    lun_listen_options   options;
    lun_server          *main;     /* the default server */
    lun_server_link     *servers;
    lun_server_link    **last;
    lun_str              file;
    unsigned             line;
    bool                 set;      /* some listen has given options */
    bool                 main_set; /* ... has said default_server */
    size_t               inner_room;
} address;

typedef struct {
    lun_hash   by_text;            /* of address */
    lun_array  order;              /* of address * */
} addresses;

/* One listen directive. */
typedef struct {
    lun_listen_options  options;
    bool                set;
    bool                is_default;
    bool                ssl;
    bool                http2;
    bool                proxy_protocol;
} request;

/* What "8000-8010" stands for. */
typedef struct {
    lun_addr   addrs[MAX_ADDRS];
    size_t     count;
    uint16_t   first;
    uint16_t   last;
} target;


static addresses *
addresses_of(lun_conf *cf)
{
    addresses        *as;
    lun_http_engine  *e = lun_http_engine_of(cf->gen);

    if (e->servers != NULL) {
        return e->servers;
    }

    as = e->servers = lun_pool_new(cf->pool, addresses);
    lun_hash_init(&as->by_text, cf->pool, 0, false);
    lun_array_init(&as->order, cf->pool, sizeof(address *), 4);

    return as;
}


/* --- the address --- */

static lun_rc
bad_target(lun_conf *cf, const char *why)
{
    return lun_conf_fail(cf, "%s in \"%.*s\" of the \"listen\" directive",
                         why, LUN_S(cf->args[1]));
}


static bool
read_port(lun_str s, uint16_t *port)
{
    uint64_t  n;

    if (lun_str_to_u64(s, &n) != LUN_OK || n < 1 || n > 65535) {
        return false;
    }

    *port = (uint16_t) n;
    return true;
}


static bool
read_ports(lun_str s, target *t)
{
    const char  *dash = lun_str_chr(s, '-');

    if (dash == NULL) {
        t->last = 0;
        return read_port(s, &t->first) && (t->last = t->first) != 0;
    }

    return read_port(lun_str_of(s.data, (size_t) (dash - s.data)), &t->first)
           && read_port(lun_str_of(dash + 1, s.len - 1
                                             - (size_t) (dash - s.data)),
                        &t->last)
           && t->first <= t->last;
}


static lun_rc
read_unix(lun_conf *cf, lun_str text, target *t)
{
    if (lun_path_native == LUN_PATH_WINDOWS) {
        return bad_target(cf, "the unix domain sockets are not supported "
                          "on this platform");
    }

    if (text.len == 5) {
        return bad_target(cf, "no path in the unix domain socket");
    }

    if (text.len - 5 > 107) {
        return bad_target(cf, "too long path in the unix domain socket");
    }

    t->count = 1;
    t->addrs[0].family = LUN_AF_UNIX;
    t->addrs[0].path = lun_pool_strz(cf->pool, lun_str_of(text.data + 5,
                                                          text.len - 5));
    return LUN_OK;
}


static lun_rc
read_inet6(lun_conf *cf, lun_str text, target *t)
{
    lun_str      rest;
    const char  *close = lun_str_chr(text, ']');

    if (close == NULL) {
        return bad_target(cf, "invalid host");
    }

    rest = lun_str_of(close + 1, text.len - (size_t) (close + 1 - text.data));

    if (rest.len != 0) {
        if (rest.data[0] != ':' || !read_ports(lun_str_of(rest.data + 1,
                                                          rest.len - 1), t))
        {
            return bad_target(cf, "invalid port");
        }
    }

    text.len -= rest.len;

    if (lun_addr_parse(text, &t->addrs[0]) != LUN_OK
        || t->addrs[0].family != LUN_AF_INET6)
    {
        return bad_target(cf, "invalid IPv6 address");
    }

    t->count = 1;
    return LUN_OK;
}


static lun_rc
look_up(lun_conf *cf, lun_str host, target *t)
{
    if (host.len == 0) {
        return bad_target(cf, "no host");
    }

    if (lun_str_eq(host, LUN_STR("*"))) {
        t->count = 1;
        t->addrs[0].family = LUN_AF_INET;
        return LUN_OK;
    }

    if (lun_addr_parse(host, &t->addrs[0]) == LUN_OK
        && t->addrs[0].family == LUN_AF_INET)
    {
        t->count = 1;
        return LUN_OK;
    }

    if (lun_addr_lookup(lun_pool_strz(cf->temp, host), 0, t->addrs, MAX_ADDRS,
                        &t->count) != 0 || t->count == 0)
    {
        return bad_target(cf, "host not found");
    }

    return LUN_OK;
}


static lun_rc
read_target(lun_conf *cf, lun_str text, target *t)
{
    const char  *colon;

    t->count = 0;
    t->first = t->last = 80;
    memset(t->addrs, 0, sizeof(t->addrs[0]));

    if (lun_str_casestarts(text, LUN_STR("unix:"))) {
        return read_unix(cf, text, t);
    }

    if (lun_str_starts(text, LUN_STR("["))) {
        return read_inet6(cf, text, t);
    }

    colon = lun_str_chr(text, ':');

    if (colon != NULL) {
        if (!read_ports(lun_str_of(colon + 1, text.len - 1
                                   - (size_t) (colon - text.data)), t))
        {
            return bad_target(cf, "invalid port");
        }

        text.len = (size_t) (colon - text.data);

    } else if (read_ports(text, t)) {
        text = LUN_STR("*");

    } else if (text.len != 0 && lun_is_digit(text.data[0])
               && lun_str_chr(text, '.') == NULL)
    {
        return bad_target(cf, "invalid port");
    }

    return look_up(cf, text, t);
}


/* --- the parameters --- */

static lun_rc
bad_option(lun_conf *cf, const char *name, lun_str value)
{
    return lun_conf_fail(cf, "invalid %s \"%.*s\"", name, LUN_S(value));
}


static lun_rc
read_keepalive(lun_conf *cf, lun_str value, lun_listen_options *o)
{
    int         *fields[] = { &o->keepidle, &o->keepintvl, &o->keepcnt };
    size_t       i;
    int64_t      n;
    lun_str      part, rest = value;
    const char  *colon;

    o->keepalive = 1;

    if (lun_str_eq(value, LUN_STR("on"))) {
        return LUN_OK;
    }

    if (lun_str_eq(value, LUN_STR("off"))) {
        o->keepalive = 0;
        return LUN_OK;
    }

    for (i = 0; i < 3; i++) {
        colon = lun_str_chr(rest, ':');
        part = colon != NULL ? lun_str_of(rest.data,
                                          (size_t) (colon - rest.data))
                             : rest;

        if (part.len != 0) {
            if ((i < 2 ? lun_str_to_sec(part, &n) : lun_str_to_i64(part, &n))
                != LUN_OK || n <= 0 || n > INT32_MAX)
            {
                break;
            }

            *fields[i] = (int) n;
        }

        if (colon == NULL) {
            if (value.len > 2) {
                return LUN_OK;
            }

            break;
        }

        rest = lun_str_of(colon + 1, rest.len - part.len - 1);
    }

    return lun_conf_fail(cf, "invalid so_keepalive value: \"%.*s\"",
                         LUN_S(value));
}


static bool
to_int(lun_str s, int *n)
{
    int64_t  i;

    if (lun_str_to_i64(s, &i) != LUN_OK || i < 0 || i > INT32_MAX) {
        return false;
    }

    *n = (int) i;
    return true;
}


static bool
to_bytes(lun_str s, int *n)
{
    uint64_t  i;

    if (lun_str_to_size(s, &i) != LUN_OK || i > INT32_MAX) {
        return false;
    }

    *n = (int) i;
    return true;
}


/* "name=value". */
static lun_rc
read_pair(lun_conf *cf, lun_str word, size_t name_len, request *q)
{
    lun_str              name, value;
    lun_listen_options  *o = &q->options;

    name = lun_str_of(word.data, name_len);
    value = lun_str_of(word.data + name_len + 1, word.len - name_len - 1);
    q->set = true;

    if (lun_str_eq(name, LUN_STR("backlog"))) {
        return to_int(value, &o->backlog) && o->backlog != 0
               ? LUN_OK : bad_option(cf, "backlog", word);
    }

    if (lun_str_eq(name, LUN_STR("fastopen"))) {
        return to_int(value, &o->fastopen)
               ? LUN_OK : bad_option(cf, "fastopen", word);
    }

    if (lun_str_eq(name, LUN_STR("rcvbuf"))) {
        return to_bytes(value, &o->rcvbuf)
               ? LUN_OK : bad_option(cf, "rcvbuf", word);
    }

    if (lun_str_eq(name, LUN_STR("sndbuf"))) {
        return to_bytes(value, &o->sndbuf)
               ? LUN_OK : bad_option(cf, "sndbuf", word);
    }

    if (lun_str_eq(name, LUN_STR("so_keepalive"))) {
        return read_keepalive(cf, value, o);
    }

    if (lun_str_eq(name, LUN_STR("accept_filter"))) {
        lun_conf_warn(cf, "accept filters \"%.*s\" are not supported on this "
                      "platform, ignored", LUN_S(value));
        return LUN_OK;
    }

    if (lun_str_eq(name, LUN_STR("ipv6only"))) {
        o->ipv6only = lun_str_eq(value, LUN_STR("on"));
        return o->ipv6only || lun_str_eq(value, LUN_STR("off"))
               ? LUN_OK : bad_option(cf, "ipv6only flags", value);
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


/* What needs a part of nginx that is not here. */
static const struct {
    lun_str      name;
    const char  *module;
} missing[] = {
    { LUN_STR_INIT("quic"), "ngx_http_v3_module" }
};


static lun_rc
read_word(lun_conf *cf, lun_str word, request *q)
{
    size_t       i;
    const char  *equals = lun_str_chr(word, '=');

    if (lun_str_eq(word, LUN_STR("default_server"))
        || lun_str_eq(word, LUN_STR("default")))
    {
        q->is_default = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("bind"))) {
        q->set = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("deferred"))) {
        q->options.deferred = 1;
        q->set = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("proxy_protocol"))) {
        q->proxy_protocol = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("reuseport"))) {
        q->options.reuseport = 1;
        q->set = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("http2"))) {
        lun_conf_warn(cf, "the \"listen ... http2\" directive is deprecated, "
                      "use the \"http2\" directive instead");
        q->http2 = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("ssl"))) {
        q->ssl = true;
        return LUN_OK;
    }

    for (i = 0; i < LUN_ARRAY_LEN(missing); i++) {
        if (lun_str_eq(word, missing[i].name)) {
            return lun_conf_fail(cf, "the \"%.*s\" parameter requires %s",
                                 LUN_S(word), missing[i].module);
        }
    }

    if (equals == NULL) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    return read_pair(cf, word, (size_t) (equals - word.data), q);
}


/* --- servers of an address --- */

static address *
address_of(lun_conf *cf, const lun_addr *addr)
{
    char        room[LUN_ADDR_TEXT];
    lun_str     text;
    address    *a;
    addresses  *as = addresses_of(cf);

    text = lun_addr_format(addr, true, room, sizeof(room));
    a = lun_hash_get(&as->by_text, text);

    if (a != NULL) {
        return a;
    }

    a = lun_pool_new(cf->pool, address);
    a->listen.engine = lun_http_engine_of(cf->gen);
    a->addr = *addr;
    a->text = lun_pool_str(cf->pool, text);
    a->last = &a->servers;
    a->file = cf->file;
    a->line = cf->line;

    lun_hash_add(&as->by_text, a->text, a);
    *(address **) lun_array_push(&as->order) = a;

    return a;
}


static lun_rc
join(lun_conf *cf, lun_server *server, const lun_addr *addr, const request *q)
{
    address          *a = address_of(cf, addr);
    lun_server_link  *link;

    /* A server's listens follow one another: only the last can be its own. */
    if (a->servers != NULL
        && lun_container_of(a->last, lun_server_link, next)->server == server)
    {
        return lun_conf_fail(cf, "a duplicate listen %.*s", LUN_S(a->text));
    }

    if (q->set && a->set) {
        return lun_conf_fail(cf, "duplicate listen options for %.*s",
                             LUN_S(a->text));
    }

    if (q->is_default && a->main_set) {
        return lun_conf_fail(cf, "a duplicate default server for %.*s",
                             LUN_S(a->text));
    }

    if (q->set || a->servers == NULL) {
        a->options = q->options;
        a->set = q->set;
    }

    if (q->is_default || a->servers == NULL) {
        a->main = server;
        a->main_set = q->is_default;
    }

    a->listen.proxy_protocol |= q->proxy_protocol;
    a->listen.http2 |= q->http2;
    a->listen.ssl = a->listen.ssl || q->ssl;

    link = lun_pool_new(cf->pool, lun_server_link);
    link->server = server;
    *a->last = link;
    a->last = &link->next;

    return LUN_OK;
}


static request
new_request(void)
{
    return (request) {
        .options.backlog = BACKLOG,
        .options.fastopen = -1,
        .options.ipv6only = 1,
    };
}


lun_rc
lun_set_listen(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t       i;
    target       t;
    request      q = new_request();
    uint32_t     port;
    lun_server  *server = cf->block->owner;

    (void) d;
    (void) conf;

    if (read_target(cf, cf->args[1], &t) != LUN_OK) {
        return LUN_ERROR;
    }

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, cf->args[i], &q) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    server->listens = true;

    for (i = 0; i < t.count; i++) {
        for (port = t.first; port <= t.last; port++) {

            if (t.addrs[i].family != LUN_AF_UNIX) {
                t.addrs[i].port = (uint16_t) port;
            }

            if (join(cf, server, &t.addrs[i], &q) != LUN_OK) {
                return LUN_ERROR;
            }

            if (t.addrs[i].family == LUN_AF_UNIX) {
                break;
            }
        }
    }

    return LUN_OK;
}


lun_rc
lun_listen_conf_end(lun_conf *cf, lun_server *server)
{
    request   q = new_request();
    lun_addr  addr = { .family = LUN_AF_INET };

    if (server->listens) {
        return LUN_OK;
    }

    addr.port = lun_path_native == LUN_PATH_WINDOWS || lun_user_is_root()
                ? 80 : 8000;

    return join(cf, server, &addr, &q);
}


/* --- listeners --- */

static address *
wildcard_of(const addresses *as, const address *a)
{
    char      room[LUN_ADDR_TEXT];
    lun_addr  any = { .family = a->addr.family, .port = a->addr.port };

    if (a->addr.family == LUN_AF_UNIX || lun_addr_is_wildcard(&a->addr)) {
        return NULL;
    }

    return lun_hash_get(&as->by_text, lun_addr_format(&any, true, room,
                                                      sizeof(room)));
}


static void
open_listener(lun_conf *cf, address *a)
{
    bool           fresh;
    lun_listener  *l = lun_listen_want(cf->gen->listeners, &a->addr, &fresh);

    l->options = a->options;
    l->file = a->file;
    l->line = a->line;
    l->take = lun_http_accept;
    l->data = &a->listen;
}


static void
put_behind(lun_conf *cf, address *wildcard, address *a)
{
    size_t           n = wildcard->listen.inner_count;
    lun_http_inner  *inner = wildcard->listen.inner;

    if (n == wildcard->inner_room) {
        wildcard->inner_room = lun_max(n * 2, (size_t) 4);
        inner = lun_pool_new_n(cf->pool, lun_http_inner,
                               wildcard->inner_room);

        if (n != 0) {
            memcpy(inner, wildcard->listen.inner, n * sizeof(*inner));
        }

        wildcard->listen.inner = inner;
    }

    inner[n].addr = a->addr;
    inner[n].hash = lun_addr_hash(&a->addr);
    inner[n].listen = &a->listen;
    wildcard->listen.inner_count++;
}


static int
by_hash(const void *a, const void *b)
{
    const lun_http_inner  *x = a, *y = b;

    return x->hash < y->hash ? -1 : x->hash > y->hash;
}


static void
sort_inner(const addresses *as)
{
    size_t    i;
    address  *a;

    for (i = 0; i < as->order.count; i++) {
        a = *(address **) lun_array_at(&as->order, i);

        if (a->listen.inner_count > 1) {
            qsort(a->listen.inner, a->listen.inner_count,
                  sizeof(lun_http_inner), by_hash);
        }
    }
}


lun_rc
lun_listen_conf_finish(lun_conf *cf)
{
    size_t      i;
    address    *a, *wildcard;
    addresses  *as = addresses_of(cf);

    for (i = 0; i < as->order.count; i++) {
        a = *(address **) lun_array_at(&as->order, i);

        a->listen.servers = lun_server_map_new(cf->pool);
        lun_server_map_set_default(a->listen.servers, a->main);

        if (lun_server_conf_names(cf, a->listen.servers, a->servers, a->text)
            != LUN_OK)
        {
            return LUN_ERROR;
        }

        wildcard = wildcard_of(as, a);

        if (wildcard != NULL) {
            put_behind(cf, wildcard, a);

        } else {
            open_listener(cf, a);
        }
    }

    sort_inner(as);
    return LUN_OK;
}


/* --- TLS --- */

static lun_rc
not_ready(const lun_server *server)
{
    lun_log(LUN_LOG_EMERG, NULL, 0, "no \"ssl_certificate\" is defined for "
            "the \"listen ... ssl\" directive in %.*s:%u",
            LUN_S(server->block->file), server->block->line);
    return LUN_ERROR;
}


/*
 * Names without a certificate of their own get the default server's; where
 * that refuses everybody, each must have one, or refuse as well.
 */
static lun_rc
check_address(const lun_http_engine *e, const address *a)
{
    bool                    strict = false;
    const lun_server_link  *link;

    if (!a->listen.ssl) {
        return LUN_OK;
    }

    if (e->tls == NULL || !e->tls->ready(a->main, &strict)) {
        return not_ready(a->main);
    }

    for (link = a->servers; strict && link != NULL; link = link->next) {
        if (!e->tls->ready(link->server, &strict)) {
            return not_ready(link->server);
        }

        strict = true;
    }

    return LUN_OK;
}


lun_rc
lun_listen_conf_check(const lun_http_engine *e)
{
    size_t            i;
    const addresses  *as = e->servers;

    for (i = 0; as != NULL && i < as->order.count; i++) {
        if (check_address(e, *(address **) lun_array_at(&as->order, i))
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}
