/*
 * upstream_server.c -- server 10.0.0.1:8080 weight=5 max_fails=3;
 *
 * What the words behind the address mean is the methods' to say: a method
 * that does not know some of them refuses the line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_priv.h"

#include "session/engine.h"
#include "session/upstream/round_robin.h"


/* --- the words ----------------------------------------------------------- */

static bool
read_weight(lun_str value, lun_upstream_server_conf *s)
{
    return lun_str_to_i64(value, &s->weight) == LUN_OK
           && s->weight > 0 && s->weight <= INT32_MAX;
}


static bool
read_max_conns(lun_str value, lun_upstream_server_conf *s)
{
    return lun_str_to_i64(value, &s->max_conns) == LUN_OK
           && s->max_conns >= 0;
}


static bool
read_max_fails(lun_str value, lun_upstream_server_conf *s)
{
    return lun_str_to_i64(value, &s->max_fails) == LUN_OK
           && s->max_fails >= 0;
}


static bool
read_fail_timeout(lun_str value, lun_upstream_server_conf *s)
{
    return lun_str_to_sec(value, &s->fail_timeout) == LUN_OK;
}


static bool
read_slow_start(lun_str value, lun_upstream_server_conf *s)
{
    return lun_str_to_msec(value, &s->slow_start) == LUN_OK
           && s->slow_start <= INT32_MAX;
}


static bool
read_route(lun_str value, lun_upstream_server_conf *s)
{
    s->route = value;
    return value.len != 0;
}


static bool
read_service(lun_str value, lun_upstream_server_conf *s)
{
    s->service = value;
    return value.len != 0;
}


static bool
read_resolve(lun_str value, lun_upstream_server_conf *s)
{
    return s->resolve = true;
}


static bool
read_down(lun_str value, lun_upstream_server_conf *s)
{
    return s->down = true;
}


static bool
read_drain(lun_str value, lun_upstream_server_conf *s)
{
    return s->drain = true;
}


static bool
read_backup(lun_str value, lun_upstream_server_conf *s)
{
    return s->backup = true;
}


static const struct {
    lun_str    name;               /* one with a value ends with '=' */
    bool     (*read)(lun_str value, lun_upstream_server_conf *s);
    unsigned   needs;              /* of the method's `takes` */
} words[] = {
    { LUN_STR_INIT("weight="), read_weight, 0 },
    { LUN_STR_INIT("max_conns="), read_max_conns, 0 },
    { LUN_STR_INIT("max_fails="), read_max_fails, 0 },
    { LUN_STR_INIT("fail_timeout="), read_fail_timeout, 0 },
    { LUN_STR_INIT("slow_start="), read_slow_start, LUN_SERVER_SLOW_START },
    { LUN_STR_INIT("route="), read_route, 0 },
    { LUN_STR_INIT("service="), read_service, 0 },
    { LUN_STR_INIT("resolve"), read_resolve, 0 },
    { LUN_STR_INIT("down"), read_down, 0 },
    { LUN_STR_INIT("drain"), read_drain, 0 },
    { LUN_STR_INIT("backup"), read_backup, LUN_SERVER_BACKUP },
};


lun_upstream_word_verdict
lun_upstream_server_word(const lun_upstream *u, lun_str word,
    lun_upstream_server_conf *s)
{
    size_t   i, n;
    lun_str  name;

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        name = words[i].name;
        n = name.len;

        if (name.data[n - 1] == '=' ? !lun_str_starts(word, name)
                                    : !lun_str_eq(word, name))
        {
            continue;
        }

        if (!words[i].read(lun_str_of(word.data + n, word.len - n), s)) {
            break;
        }

        return (words[i].needs & ~u->method->takes) == 0
               ? LUN_UPSTREAM_WORD_OK : LUN_UPSTREAM_WORD_NOT_HERE;
    }

    return LUN_UPSTREAM_WORD_BAD;
}


static lun_rc
read_word(lun_conf *cf, lun_str word, lun_upstream_server_conf *s)
{
    switch (lun_upstream_server_word(lun_upstream_current(cf), word, s)) {

    case LUN_UPSTREAM_WORD_OK:
        return LUN_OK;

    case LUN_UPSTREAM_WORD_NOT_HERE:
        return lun_conf_fail(cf, "balancing method does not support "
                             "parameter \"%.*s\"", LUN_S(word));

    default:
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }
}


/* --- the address --------------------------------------------------------- */

/* NULL: it may be one that is looked up while we serve, or need not be. */
static const char *
check_service(const lun_upstream_place *p, const lun_upstream_server_conf *s)
{
    if (s->service.len == 0) {
        return NULL;
    }

    if (!s->resolve) {
        return "requires \"resolve\" parameter";
    }

    if (p->numeric) {
        return "requires domain name";
    }

    return p->port_given ? "may not have port" : NULL;
}


/* NULL, or what is wrong. */
static const char *
find_address(lun_conf *cf, const lun_upstream_place *p,
    lun_upstream_server_conf *s)
{
    if (p->port == 0 && p->addr.family != LUN_AF_UNIX
        && s->service.len == 0)
    {
        return "no port";
    }

    s->resolve &= !p->numeric;

    if (!s->resolve) {
        return lun_upstream_find_addrs(cf, p, s) ? NULL : "host not found";
    }

    s->host = p->host;
    s->port = p->port;

    return NULL;
}


/*
 * Parameters before the address: `resolve` and `service` decide whether it is
 * looked up now.
 */
lun_rc
lun_upstream_set_server(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t                     i;
    const char                *why;
    lun_upstream              *u = lun_upstream_current(cf);
    lun_upstream_place         p;
    lun_upstream_server_conf  *s = lun_array_push(&u->servers);

    s->name = cf->args[1];
    s->id = (int64_t) u->servers.count - 1;
    lun_upstream_server_defaults(s);

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, cf->args[i], s) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    why = lun_upstream_parse(cf->pool, s->name,
                             cf->engine->protocol->upstream_port, &p);

    if (why == NULL) {
        why = check_service(&p, s);

        if (why != NULL) {
            return lun_conf_fail(cf, "service upstream server \"%.*s\" %s",
                                 LUN_S(s->name), why);
        }

        why = find_address(cf, &p, s);
    }

    return why == NULL ? LUN_OK
           : lun_conf_fail(cf, "%s in upstream \"%.*s\"", why,
                           LUN_S(s->name));
}
