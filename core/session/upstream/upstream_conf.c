/*
 * upstream_conf.c -- upstream { server ...; }, and upstreams that are named
 * without a block.
 *
 *     upstream backend {
 *         server 10.0.0.1:8080 weight=5;
 *         server app.example.com max_fails=3 fail_timeout=30s;
 *         server unix:/run/app.sock backup;
 *     }
 *
 * Which name means a block is known at the end of the protocol's only: until
 * then an address without a port may turn out to be the name of a block further
 * down.  Everything is found by hash; a host is looked up once, however many
 * servers name it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/round_robin.h"

#include "os/path.h"
#include "session/engine.h"
#include "session/upstream/upstream_metrics.h"
#include "session/upstream/upstream_status.h"
#include "session/upstream/upstream_priv.h"

extern lun_module  lun_common_upstreams;


enum { MOST_ADDRS = 128, MOST_PATH = 107 };

typedef struct {
    lun_array  all;                /* of lun_upstream * */
    lun_hash   blocks;             /* by name */
    lun_hash   plain;              /* by "host:port", or "host/default" */
    lun_hash   ported;             /* by host: the first named with a port */
    /* by name: lun_upstream_server_conf, looked up */
    lun_hash   hosts;
    bool       finished;
} upstreams;

typedef lun_upstream_place  place;


static upstreams *
upstreams_of(lun_conf *cf)
{
    upstreams  *us = lun_module_data(cf->engine, &lun_common_upstreams);

    if (us == NULL) {
        us = lun_pool_new(cf->pool, upstreams);

        lun_array_init(&us->all, cf->pool, sizeof(lun_upstream *), 8);
        lun_hash_init(&us->blocks, cf->pool, 0, true);
        lun_hash_init(&us->plain, cf->pool, 0, true);
        lun_hash_init(&us->ported, cf->pool, 0, true);
        lun_hash_init(&us->hosts, cf->pool, 0, true);
        lun_module_set_data(cf->engine, &lun_common_upstreams, us);
    }

    return us;
}


const lun_array *
lun_upstream_all(const lun_engine *e)
{
    static const lun_array  none;
    const upstreams        *us = lun_module_data(e, &lun_common_upstreams);

    return us != NULL ? &us->all : &none;
}


/* --- addresses --- */

static const char *
parse_unix(lun_pool *pool, place *p)
{
    lun_str  text = p->text;

    if (lun_path_native == LUN_PATH_WINDOWS) {
        return "the unix domain sockets are not supported on this platform";
    }

    if (text.len == 5) {
        return "no path in the unix domain socket";
    }

    if (text.len - 5 > MOST_PATH) {
        return "too long path in the unix domain socket";
    }

    p->host = p->text;
    p->numeric = true;
    text.data = lun_pool_strz(pool, text);

    return lun_addr_parse(text, &p->addr) == LUN_OK ? NULL : "invalid host";
}


/* What stands behind the host: nothing, or ":port". */
static const char *
parse_port(lun_str rest, place *p)
{
    uint64_t  n;

    if (rest.len == 0) {
        return NULL;
    }

    if (rest.data[0] != ':') {
        return "invalid host";
    }

    if (lun_str_to_u64(lun_str_of(rest.data + 1, rest.len - 1), &n) != LUN_OK
        || n < 1 || n > 65535)
    {
        return "invalid port";
    }

    p->port = (uint16_t) n;
    p->port_given = true;

    return NULL;
}


const char *
lun_upstream_parse(lun_pool *pool, lun_str text, uint16_t port, place *p)
{
    bool         six = lun_str_starts(text, LUN_STR("["));
    const char  *end, *why;

    *p = (place) { .text = text, .port = port };

    if (lun_str_casestarts(text, LUN_STR("unix:"))) {
        return parse_unix(pool, p);
    }

    if (lun_str_chr(text, '/') != NULL) {
        return "invalid host";         /* a uri where none may be */
    }

    end = lun_str_chr(text, six ? ']' : ':');

    if (six) {
        if (end == NULL) {
            return "invalid host";
        }

        end++;
    }

    p->host = lun_str_of(text.data, end != NULL ? (size_t) (end - text.data)
                                                : text.len);
    why = parse_port(lun_str_of(text.data + p->host.len,
                                text.len - p->host.len), p);

    if (why != NULL) {
        return why;
    }

    if (p->host.len == 0 || (six && p->host.len == 2)) {
        return "no host";
    }

    p->numeric = lun_addr_parse(p->host, &p->addr) == LUN_OK;
    p->addr.port = p->port;

    return six && !p->numeric ? "invalid IPv6 address" : NULL;
}


/* The addresses of a name, with port 0; NULL: it is not known. */
static const lun_upstream_server_conf *
look_up(lun_conf *cf, lun_str host)
{
    size_t                     n = 0;
    lun_addr                   addrs[MOST_ADDRS];
    upstreams                 *us = upstreams_of(cf);
    lun_upstream_server_conf  *found = lun_hash_get(&us->hosts, host);

    if (found != NULL) {
        return found;
    }

    if (lun_addr_lookup(lun_pool_strz(cf->temp, host), 0, addrs, MOST_ADDRS,
                        &n) != 0 || n == 0)
    {
        return NULL;
    }

    found = lun_pool_new(cf->pool, lun_upstream_server_conf);
    lun_upstream_server_addrs(cf->pool, found, addrs, n);
    lun_hash_set(&us->hosts, host, found);

    return found;
}


/*
 * A name is looked up once for a configuration, however often it is named; only
 * ports differ.
 */
bool
lun_upstream_find_addrs(lun_conf *cf, const lun_upstream_place *p,
    lun_upstream_server_conf *s)
{
    size_t                           i, n;
    lun_addr                        *addrs;
    const lun_upstream_server_conf  *found;

    if (p->numeric) {
        lun_upstream_server_addrs(cf->pool, s, &p->addr, 1);
        return true;
    }

    found = look_up(cf, p->host);

    if (found == NULL) {
        return false;
    }

    n = found->count;
    addrs = lun_pool_new_n(cf->temp, lun_addr, n);

    for (i = 0; i < n; i++) {
        addrs[i] = found->addrs[i];
        addrs[i].port = p->port;
    }

    lun_upstream_server_addrs(cf->pool, s, addrs, n);
    return true;
}


/* --- blocks --- */

static lun_upstream *
add(lun_conf *cf, lun_str name)
{
    upstreams     *us = upstreams_of(cf);
    lun_upstream  *u = lun_pool_new(cf->pool, lun_upstream);

    u->name = name;
    u->file = cf->file;
    u->line = cf->end_line;
    u->method = &lun_round_robin;
    u->protocol = lun_str_z(cf->engine->protocol->name);
    u->generation = cf->gen->number;
    lun_array_init(&u->servers, cf->pool, sizeof(lun_upstream_server_conf), 0);

    *(lun_upstream **) lun_array_push(&us->all) = u;
    return u;
}


static lun_rc
set_upstream(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str              name = cf->args[1];
    upstreams           *us = upstreams_of(cf);
    lun_upstream        *u;
    const lun_upstream  *ported = lun_hash_get(&us->ported, name);

    if (lun_hash_get(&us->blocks, name) != NULL) {
        return lun_conf_fail(cf, "duplicate upstream \"%.*s\"", LUN_S(name));
    }

    if (ported != NULL) {
        return lun_conf_fail_bare(cf, "upstream \"%.*s\" may not have port "
                                  "%u in %.*s:%u", LUN_S(name), ported->port,
                                  LUN_S(ported->file), ported->line);
    }

    u = add(cf, name);
    u->block = true;
    lun_upstream_want_metrics(cf, u);
    lun_hash_set(&us->blocks, name, u);

    /* From here on modules ask for the top's conf from inside others. */
    cf->engine->block = cf->block;

    if (lun_conf_read_block(cf, (uint32_t) (uintptr_t) d->data, u, &u->conf)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (u->servers.count == 0 && u->state.len == 0
        && !(u->method->takes & LUN_SERVER_NONE))
    {
        return lun_conf_fail(cf, "no servers are inside upstream");
    }

    return LUN_OK;
}


lun_upstream *
lun_upstream_current(lun_conf *cf)
{
    return cf->block->owner;
}


void
lun_upstream_set_method(lun_conf *cf, const lun_balancer *method)
{
    lun_upstream  *u = lun_upstream_current(cf);

    if (u->method != &lun_round_robin) {
        lun_conf_warn(cf, "load balancing method redefined");
    }

    u->method = method;
}


/* --- without a block --- */

/* What stands there for the first time may be a block's name or a host. */
static lun_rc
finish_plain(lun_conf *cf, lun_upstream *u)
{
    place                      p;
    lun_str                    key;
    upstreams                 *us = upstreams_of(cf);
    lun_upstream_server_conf  *s;

    if (!u->port_given) {
        u->same = lun_hash_get(&us->blocks, u->name);
        key = lun_pool_fmt(cf->temp, "%.*s:%u", LUN_S(u->name), u->port);

        if (u->same == NULL) {
            u->same = lun_hash_get(&us->plain, key);
        }
    }

    if (u->same != NULL) {
        return LUN_OK;
    }

    (void) lun_upstream_parse(cf->pool, u->name, u->port, &p);

    if (p.port == 0 && !lun_str_casestarts(p.host, LUN_STR("unix:"))) {
        return lun_conf_fail_bare(cf, "no port in upstream \"%.*s\" in "
                                  "%.*s:%u", LUN_S(u->name), LUN_S(u->file),
                                  u->line);
    }

    s = lun_array_push(&u->servers);
    s->name = u->name;

    if (!lun_upstream_find_addrs(cf, &p, s)) {
        return lun_conf_fail_bare(cf, "host not found in upstream \"%.*s\" "
                                  "in %.*s:%u", LUN_S(u->name),
                                  LUN_S(u->file), u->line);
    }

    return LUN_OK;
}


/*
 * What stands around a method knows the block's servers, by number or id: a
 * method that chooses others goes with none of it.
 */
static lun_rc
check_around(lun_conf *cf, const lun_upstream *u)
{
    const char  *name = u->sticky != NULL ? "sticky"
                        : u->queue != NULL ? "queue" : NULL;

    if (name == NULL || !(u->method->takes & LUN_SERVER_FOREIGN)) {
        return LUN_OK;
    }

    return lun_conf_fail_bare(cf, "\"%s\" cannot be used with \"%s\" in "
                              "upstream \"%.*s\"", name, u->method->name,
                              LUN_S(u->name));
}


static lun_rc
finish(lun_conf *cf, lun_upstream *u)
{
    if (!u->block && finish_plain(cf, u) != LUN_OK) {
        return LUN_ERROR;
    }

    if (u->same != NULL) {
        return LUN_OK;
    }

    if (check_around(cf, u) != LUN_OK) {
        return LUN_ERROR;
    }

    if ((u->servers.count != 0 || u->state.len != 0)
        && lun_upstream_groups_new(cf, u) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (u->block) {
        lun_upstream_want_server_metrics(cf, u);
    }

    return u->method->init != NULL ? u->method->init(cf, u) : LUN_OK;
}


static lun_upstream *
add_plain(lun_conf *cf, const place *p, lun_str key)
{
    upstreams     *us = upstreams_of(cf);
    lun_upstream  *u = add(cf, p->host);

    u->port = p->port;
    u->port_given = p->port_given;
    lun_hash_set(&us->plain, key, u);

    if (p->port_given) {
        (void) lun_hash_add(&us->ported, p->host, u);
    }

    if (us->finished && finish(cf, u) != LUN_OK) {
        return NULL;
    }

    return u;
}


/*
 * The same address with and without its port is kept apart, since what is shown
 * of it ($proxy_host, logs) is what was written.
 */
lun_upstream *
lun_upstream_get(lun_conf *cf, lun_str address, uint16_t port)
{
    place          p;
    lun_str        key;
    upstreams     *us = upstreams_of(cf);
    const char    *why;
    lun_upstream  *u;

    why = lun_upstream_parse(cf->pool, address, port, &p);

    if (why != NULL) {
        lun_conf_fail(cf, "%s in upstream \"%.*s\"", why, LUN_S(address));
        return NULL;
    }

    u = lun_hash_get(&us->blocks, p.host);

    if (u != NULL && p.port_given) {
        lun_conf_fail(cf, "upstream \"%.*s\" may not have port %u",
                      LUN_S(p.host), p.port);
        return NULL;
    }

    if (u != NULL) {
        return u;
    }

    key = lun_pool_fmt(cf->pool, "%.*s%c%u", LUN_S(p.host),
                       p.port_given ? ':' : '/', p.port);
    u = lun_hash_get(&us->plain, key);

    return u != NULL ? u : add_plain(cf, &p, key);
}


lun_upstream *
lun_upstream_find(lun_session *s, lun_str name)
{
    lun_upstream     *u;
    const upstreams  *us = lun_module_data(s->engine, &lun_common_upstreams);

    lun_session_check(s);

    if (us == NULL) {
        return NULL;
    }

    u = lun_hash_get(&us->blocks, name);
    return u != NULL ? u : lun_hash_get(&us->plain, name);
}


static lun_rc
init(lun_conf *cf)
{
    size_t      i;
    upstreams  *us = upstreams_of(cf);

    us->finished = true;
    lun_upstream_add_status(cf->gen, cf->engine);

    for (i = 0; i < us->all.count; i++) {
        if (finish(cf, *(lun_upstream **) lun_array_at(&us->all, i))
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


#define INNER(level)  (const void *) (uintptr_t) (level)

static const lun_directive  directives[] = {
    { .name = "upstream", .where = LUN_HTTP, .args = 1, .block = true,
      .repeats = true, .set = set_upstream, .data = INNER(LUN_UPSTREAM),
      .values = "name",
      .help = "servers that requests are spread over" },
    { .name = "upstream", .where = LUN_STREAM, .args = 1, .block = true,
      .repeats = true, .set = set_upstream,
      .data = INNER(LUN_STREAM_UPSTREAM),
      .values = "name",
      .help = "servers that requests are spread over" },
    { .name = "server", .where = LUN_ANY_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_upstream_set_server,
      .values = "address [weight=number] [max_conns=number] "
                "[max_fails=number] [fail_timeout=time] [backup] [down] "
                "[resolve] [parameters]",
      .help = "a site, or one server of an upstream" },
    { .name = "state", .where = LUN_ANY_UPSTREAM, .args = 1,
      .set = lun_upstream_set_state,
      .values = "file",
      .help = "a file that has the servers as they are changed" },
    { 0 }
};

/* Always: addresses without a block are finished here, too. */
lun_module  lun_common_upstreams = {
    .name = "upstream",
    .directives = directives,
    .always = true,
    .variables = lun_upstream_variables,
    .init = init,
};
