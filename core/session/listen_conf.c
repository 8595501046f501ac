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

#include "session/listen_conf.h"

#include <stdlib.h>

#include "base/check.h"
#include "config/generation.h"
#include "net/datagram.h"
#include "net/quic/quic_route.h"
#include "os/path.h"
#include "os/user.h"
#include "session/listen_target.h"
#include "session/server_tls.h"


enum { BACKLOG = 511, ADDR_NAME = LUN_ADDR_TEXT + 4 };

typedef struct {
    lun_listen_addr      listen;   /* what a listener's data points to */
    lun_addr             addr;
    lun_str              name;     /* see name_of() */
    lun_str              text;
    lun_listen_options   options;
    lun_server          *main;     /* the default server */
    lun_server_link     *servers;
    lun_server_link    **last;
    lun_str              file;
    unsigned             line;
    unsigned             protocols;    /* of all listens; protocols_of() */
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
    bool                proxy_protocol;
    unsigned            own;
} request;


static addresses *
addresses_of(lun_conf *cf)
{
    addresses   *as;
    lun_engine  *e = cf->engine;

    if (e->addresses != NULL) {
        return e->addresses;
    }

    as = e->addresses = lun_pool_new(cf->pool, addresses);
    lun_hash_init(&as->by_text, cf->pool, 0, false);
    lun_array_init(&as->order, cf->pool, sizeof(address *), 4);

    return as;
}


/* --- the parameters --- */

static lun_rc
bad_option(lun_conf *cf, const char *name, lun_str value)
{
    return lun_conf_fail(cf, "invalid %s \"%.*s\"", name, LUN_S(value));
}


/* "30m::10": each of three may be left out, but not all of them. */
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


static lun_rc
read_word(lun_conf *cf, lun_str word, request *q)
{
    lun_rc       rc = LUN_OK;
    const char  *equals = lun_str_chr(word, '=');

    /* `set` is for what may be said once of an address: it is the socket's. */
    if (cf->engine->listening->word(cf, word, &q->own, &rc)) {
        return rc;
    }

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

    if (lun_str_eq(word, LUN_STR("multipath"))) {
        q->options.multipath = 1;
        q->set = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("ssl"))) {
        q->ssl = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("udp"))
        && cf->engine->listening->begin != NULL)
    {
        q->options.datagram = 1;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("quic"))
        && cf->engine->listening->quic != NULL)
    {
        q->options.datagram = q->options.quic = 1;
        return LUN_OK;
    }

    if (equals == NULL) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    return read_pair(cf, word, (size_t) (equals - word.data), q);
}


/* What is of connections alone. */
static lun_rc
check_datagrams(lun_conf *cf, const request *q)
{
    size_t  i;

    const struct {
        const char  *name;
        bool         given;
    } words[] = {
        { "backlog", q->options.backlog != BACKLOG },
        { "fastopen", q->options.fastopen != -1 },
        { "deferred", q->options.deferred },
        { "multipath", q->options.multipath },
        { "ssl", q->ssl },
        { "http2", q->own != 0 },
        { "so_keepalive", q->options.keepalive },
        { "proxy_protocol", q->proxy_protocol },
    };

    for (i = 0; q->options.datagram && i < LUN_ARRAY_LEN(words); i++) {
        if (words[i].given) {
            return lun_conf_fail(cf, "\"listen\" directive \"%s\" parameter is "
                                 "incompatible with \"%s\"",
                                 words[i].name,
                                 q->options.quic ? "quic" : "udp");
        }
    }

    return LUN_OK;
}


/* --- servers of an address --- */

/* How an address is found: the same for datagrams is another one. */
static lun_str
name_of(const lun_addr *addr, bool datagram, char room[ADDR_NAME])
{
    lun_str  text = lun_addr_format(addr, true, room, LUN_ADDR_TEXT);

    if (!datagram) {
        return text;
    }

    memmove(room + 4, text.data, text.len);
    memcpy(room, "udp ", 4);
    return lun_str_of(room, text.len + 4);
}


/*
 * Addresses are told apart by their text, with UDP's apart from TCP's, since
 * several servers may share one.
 */
static address *
address_of(lun_conf *cf, const lun_addr *addr, bool datagram)
{
    char        room[ADDR_NAME];
    lun_str     name;
    address    *a;
    addresses  *as = addresses_of(cf);

    name = name_of(addr, datagram, room);
    a = lun_hash_get(&as->by_text, name);

    if (a != NULL) {
        return a;
    }

    a = lun_pool_new(cf->pool, address);
    a->listen.engine = cf->engine;
    a->addr = *addr;
    a->name = lun_pool_str(cf->pool, name);
    a->text = datagram ? lun_str_of(a->name.data + 4, a->name.len - 4)
                       : a->name;
    a->last = &a->servers;
    a->file = cf->file;
    a->line = cf->line;

    lun_hash_add(&as->by_text, a->name, a);
    *(address **) lun_array_push(&as->order) = a;

    return a;
}


/* What is spoken there, as bits; 0: this listen does not say. */
static unsigned
protocols_of(const request *q)
{
    return (q->ssl ? 1u : 0) | (q->proxy_protocol ? 2u : 0) | q->own << 2;
}


static lun_rc
join(lun_conf *cf, lun_server *server, const lun_addr *addr, const request *q)
{
    address          *a = address_of(cf, addr, q->options.datagram);
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

    if (protocols_of(q) != 0 && a->protocols != 0
        && protocols_of(q) != a->protocols)
    {
        lun_conf_warn(cf, "protocol options redefined for %.*s",
                      LUN_S(a->text));
    }

    a->protocols |= protocols_of(q);
    a->listen.proxy_protocol |= q->proxy_protocol;
    a->listen.own |= q->own;
    a->listen.quic = a->listen.quic || q->options.quic;
    a->listen.ssl = a->listen.ssl || q->ssl || q->options.quic;

    server->ssl |= q->ssl;

    if (q->options.quic && server->quic_port == 0) {
        server->quic_port = addr->port;
    }

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
    size_t              i;
    request             q = new_request();
    uint32_t            port;
    lun_server         *server = cf->block->owner;
    lun_listen_target   t;

    if (lun_listen_target_read(cf, cf->args[1], cf->engine->listening->port, &t)
        != LUN_OK) {
        return LUN_ERROR;
    }

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, cf->args[i], &q) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (check_datagrams(cf, &q) != LUN_OK) {
        return LUN_ERROR;
    }

    /* A server without a name is counted by the first of its addresses. */
    if (!server->listens) {
        server->address = cf->args[1];
        server->listens = true;
    }

    for (i = 0; i < t.count; i++) {
        if (q.options.datagram && t.addrs[i].family == LUN_AF_UNIX) {
            return lun_conf_fail(cf, "no datagrams come to \"%.*s\"",
                                 LUN_S(cf->args[1]));
        }

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

    if (!cf->engine->listening->implied) {
        return lun_conf_fail_bare(cf, "no \"listen\" is defined for server in "
                                  "%.*s:%u", LUN_S(server->block->file),
                                  server->block->line);
    }

    addr.port = lun_path_native == LUN_PATH_WINDOWS || lun_user_is_root()
                ? 80 : 8000;

    return join(cf, server, &addr, &q);
}


/* --- listeners --- */

static address *
wildcard_of(const addresses *as, const address *a)
{
    char      room[ADDR_NAME];
    lun_addr  any = { .family = a->addr.family, .port = a->addr.port };

    if (a->addr.family == LUN_AF_UNIX || lun_addr_is_wildcard(&a->addr)) {
        return NULL;
    }

    return lun_hash_get(&as->by_text, name_of(&any, a->options.datagram,
                                              room));
}


static lun_rc
open_listener(lun_conf *cf, address *a)
{
    bool             fresh, datagram = a->options.datagram;
    const char      *why;
    lun_listener    *l;
    lun_listen_set  *set = cf->gen->listeners;

    l = datagram ? lun_listen_want_datagrams(set, &a->addr, &fresh)
                 : lun_listen_want(set, &a->addr, &fresh);

    if ((datagram && lun_datagram_want_zone(cf->gen->zones, &why) != LUN_OK)
        || (a->options.quic
            && lun_quic_want_zone(cf->gen->zones, &why) != LUN_OK))
    {
        return lun_conf_fail_bare(cf, "%s", why);
    }

    if (!fresh) {
        return lun_conf_fail_bare(cf, "another protocol listens to %.*s, too, "
                                  "in %.*s:%u", LUN_S(a->text),
                                  LUN_S(a->file), a->line);
    }

    l->options = a->options;
    l->options.reuseport |= a->options.quic;   /* each worker its own */
    l->file = a->file;
    l->line = a->line;
    l->take = cf->engine->listening->take;
    l->adopt = cf->engine->listening->adopt;
    l->begin = cf->engine->listening->begin;
    l->quic = a->options.quic ? cf->engine->listening->quic : NULL;
    l->data = &a->listen;

    return LUN_OK;
}


static void
put_behind(lun_conf *cf, address *wildcard, address *a)
{
    size_t           n = wildcard->listen.inner_count;
    lun_listen_inner  *inner = wildcard->listen.inner;

    if (n == wildcard->inner_room) {
        wildcard->inner_room = lun_max(n * 2, (size_t) 4);
        inner = lun_pool_new_n(cf->pool, lun_listen_inner,
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
    const lun_listen_inner  *x = a, *y = b;

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
                  sizeof(lun_listen_inner), by_hash);
        }
    }
}


/*
 * An address that a wildcard of the same port covers gets no socket of its own,
 * even with `bind`: connections are told apart afterwards, by where they came
 * to.
 */
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

        } else if (open_listener(cf, a) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    sort_inner(as);
    return LUN_OK;
}


/* --- TLS --- */

static lun_rc
not_ready(const lun_server *server, const address *a)
{
    lun_log(LUN_LOG_EMERG, NULL, 0, "no \"ssl_certificate\" is defined for "
            "the \"listen ... %s\" directive in %.*s:%u",
            a->listen.quic ? "quic" : "ssl", LUN_S(server->block->file),
            server->block->line);
    return LUN_ERROR;
}


static lun_rc
check_quic(const lun_engine *e, const address *a)
{
    const lun_server  *server = a->main;

    if (!a->listen.quic || e->tls->ready_for_quic(server)) {
        return LUN_OK;
    }

    lun_log(LUN_LOG_EMERG, NULL, 0, "\"ssl_protocols\" must enable TLSv1.3 "
            "for the \"listen ... quic\" directive in %.*s:%u",
            LUN_S(server->block->file), server->block->line);
    return LUN_ERROR;
}


/*
 * Names without a certificate of their own get the default server's; where
 * that refuses everybody, each must have one, or refuse as well.
 */
static lun_rc
check_address(const lun_engine *e, const address *a)
{
    bool                    strict = false;
    const lun_server_link  *link;

    if (!a->listen.ssl) {
        return LUN_OK;
    }

    if (e->tls == NULL || !e->tls->ready(a->main, &strict)) {
        return not_ready(a->main, a);
    }

    for (link = a->servers; strict && link != NULL; link = link->next) {
        if (!e->tls->ready(link->server, &strict)) {
            return not_ready(link->server, a);
        }

        strict = true;
    }

    return check_quic(e, a);
}


lun_rc
lun_listen_conf_check(const lun_engine *e)
{
    size_t            i;
    const addresses  *as = e->addresses;

    for (i = 0; as != NULL && i < as->order.count; i++) {
        if (check_address(e, *(address **) lun_array_at(&as->order, i))
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* --- while serving --- */

/*
 * Thousands of addresses may stand behind one wildcard: they are sorted by
 * hash, and the local address is asked of the system only if there are any.
 */
const lun_listen_addr *
lun_listen_of(lun_conn *c)
{
    size_t                  low, high, at;
    uint64_t                hash;
    const lun_addr         *local;
    const lun_listen_addr  *listen = c->listener->data;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(c->listener != NULL);

    if (listen->inner_count == 0) {
        return listen;
    }

    local = lun_conn_local(c);
    hash = lun_addr_hash(local);

    for (low = 0, high = listen->inner_count; low < high; ) {
        at = (low + high) / 2;

        if (listen->inner[at].hash < hash) {
            low = at + 1;

        } else {
            high = at;
        }
    }

    for ( ; low < listen->inner_count && listen->inner[low].hash == hash;
         low++)
    {
        if (lun_addr_eq(&listen->inner[low].addr, local)) {
            return listen->inner[low].listen;
        }
    }

    return listen;
}
