/*
 * geo.c -- a variable whose value depends on an address.
 *
 *     geo $country {
 *         default        zz;
 *         include        conf/geo.conf;
 *         127.0.0.0/24   us;
 *         2001:db8::/32  uk;
 *         proxy          10.0.0.0/8;
 *         delete         127.0.0.0/24;
 *     }
 *     geo $arg_ip $where { ranges; 10.0.0.0-10.0.0.255 here; }
 *
 * Networks are two radix trees, the longest that fits counts; ranges are
 * geo_ranges.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geo_priv.h"

#include "base/radix.h"
#include "os/cidr.h"
#include "session/engine.h"


typedef struct {
    /* a variable with an address; 0: the client's */
    unsigned      source;
    bool          by_range;
    bool          begun;           /* a line has been read */
    lun_radix     inet;            /* of lun_str */
    lun_radix     inet6;
    lun_array     ranges;          /* of lun_geo_range */
    const lun_str  *fallback;      /* of ranges */
    lun_array     proxies;         /* of lun_cidr */
    bool          recursive;
    lun_variable *variable;
} geo;


/* --- finding ------------------------------------------------------------- */

/* What is no address is 255.255.255.255. */
static lun_addr
address_of(lun_session *s, const geo *g)
{
    lun_addr             addr;
    const lun_value     *v;
    const lun_protocol  *p = s->engine->protocol;

    if (g->source != 0) {
        v = lun_var_get_fresh(s, g->source);

        if (v->not_found || lun_addr_parse(v->text, &addr) != LUN_OK) {
            memset(addr.ip, 0xff, sizeof(addr.ip));
            addr.family = LUN_AF_INET;
        }

    } else {
        addr = *s->remote;
    }

    if (g->proxies.count != 0 && p->forwarded != NULL) {
        (void) p->forwarded(s, LUN_STR("X-Forwarded-For"), &addr, &g->proxies,
                            g->recursive);
    }

    return lun_addr_unmap(&addr);
}


static const lun_str *
find(const geo *g, const lun_addr *addr)
{
    const lun_str  *value;

    if (!g->by_range) {
        return addr->family == LUN_AF_INET6
               ? lun_radix_find(&g->inet6, addr->ip, 128)
               : lun_radix_find(&g->inet, addr->ip, 32);
    }

    value = addr->family != LUN_AF_INET ? NULL
            : lun_geo_find_range(&g->ranges, lun_geo_number(addr->ip));

    return value != NULL ? value : g->fallback;
}


static void
get_geo(lun_session *s, lun_value *v, uintptr_t data)
{
    const geo      *g = (const geo *) data;
    lun_addr        addr = address_of(s, g);
    const lun_str  *value;

    /* Who comes through a socket in the file system has none. */
    if (addr.family == LUN_AF_UNIX) {
        memset(addr.ip, 0xff, sizeof(addr.ip));
        addr.family = LUN_AF_INET;
    }

    value = find(g, &addr);
    v->text = value != NULL ? *value : LUN_STR("");
}


/* --- reading ------------------------------------------------------------- */

static const lun_str *
keep(lun_conf *cf, lun_str text)
{
    lun_str  *own = lun_pool_new(cf->pool, lun_str);

    *own = text;
    return own;
}


static lun_rc
read_net(lun_conf *cf, lun_str text, lun_cidr *net)
{
    if (lun_cidr_parse(text, net) != LUN_OK || net->family == LUN_AF_UNIX) {
        return lun_conf_fail(cf, "invalid network \"%.*s\"", LUN_S(text));
    }

    if (lun_cidr_trim(net)) {
        lun_conf_warn(cf, "low address bits of %.*s are meaningless",
                      LUN_S(text));
    }

    return LUN_OK;
}


static const void **
slot_of(geo *g, const lun_cidr *net)
{
    return lun_radix_slot(net->family == LUN_AF_INET ? &g->inet : &g->inet6,
                          net->ip, net->bits);
}


static lun_rc
add_net(lun_conf *cf, geo *g, lun_str text, const lun_str *value)
{
    lun_cidr         net;
    const void     **slot;
    const lun_str   *old;

    if (read_net(cf, text, &net) != LUN_OK) {
        return LUN_ERROR;
    }

    slot = slot_of(g, &net);
    old = *slot;

    if (old != NULL) {
        lun_conf_warn(cf, "duplicate network \"%.*s\", value: \"%.*s\", old "
                      "value: \"%.*s\"", LUN_S(text), LUN_S(*value),
                      LUN_S(*old));
    }

    *slot = value;
    return LUN_OK;
}


static lun_rc
delete_net(lun_conf *cf, geo *g, lun_str text)
{
    lun_cidr      net;
    const void  **slot;

    if (read_net(cf, text, &net) != LUN_OK) {
        return LUN_ERROR;
    }

    slot = slot_of(g, &net);

    if (*slot == NULL) {
        lun_conf_warn(cf, "no network \"%.*s\" to delete", LUN_S(text));
    }

    *slot = NULL;
    return LUN_OK;
}


/* Of networks it is the one of all addresses. */
static lun_rc
set_default(lun_conf *cf, geo *g, const lun_str *value)
{
    if (g->by_range) {
        if (g->fallback != NULL) {
            lun_conf_warn(cf, "duplicate default geo range value: \"%.*s\", "
                          "old value: \"%.*s\"", LUN_S(*value),
                          LUN_S(*g->fallback));
        }

        g->fallback = value;
        return LUN_OK;
    }

    if (add_net(cf, g, LUN_STR("0.0.0.0/0"), value) != LUN_OK) {
        return LUN_ERROR;
    }

    return add_net(cf, g, LUN_STR("::/0"), value);
}


static lun_rc
add_proxy(lun_conf *cf, geo *g, lun_str text)
{
    lun_cidr  net;

    if (read_net(cf, text, &net) != LUN_OK) {
        return LUN_ERROR;
    }

    *(lun_cidr *) lun_array_push(&g->proxies) = net;
    return LUN_OK;
}


/* LUN_AGAIN: it is none of the single words. */
static lun_rc
read_word(lun_conf *cf, geo *g, lun_str word)
{
    if (lun_str_eq(word, LUN_STR("ranges"))) {
        if (g->begun) {
            return lun_conf_fail(cf, "the \"ranges\" directive must be the "
                                 "first directive inside \"geo\" block");
        }

        g->by_range = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("proxy_recursive"))) {
        g->recursive = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("volatile"))) {
        g->variable->flags |= LUN_VAR_VOLATILE;
        return LUN_OK;
    }

    return LUN_AGAIN;
}


/*
 * Words that are alone come first ("ranges", "proxy_recursive"); `ranges` has
 * to stand before any network, as in nginx.
 */
static lun_rc
read_line(lun_conf *cf, void *data)
{
    geo            *g = data;
    lun_rc          rc;
    lun_str         key = cf->args[0];
    const lun_str  *value;

    rc = cf->argc == 1 ? read_word(cf, g, key) : LUN_AGAIN;
    g->begun |= !g->by_range;

    if (rc != LUN_AGAIN) {
        return rc;
    }

    if (cf->argc != 2) {
        return lun_conf_fail(cf, "invalid number of the geo parameters");
    }

    if (lun_str_eq(key, LUN_STR("proxy"))) {
        return add_proxy(cf, g, cf->args[1]);
    }

    if (lun_str_eq(key, LUN_STR("delete"))) {
        return g->by_range ? lun_geo_delete_range(cf, &g->ranges, cf->args[1])
                           : delete_net(cf, g, cf->args[1]);
    }

    value = keep(cf, cf->args[1]);

    if (lun_str_eq(key, LUN_STR("default"))) {
        return set_default(cf, g, value);
    }

    return g->by_range ? lun_geo_add_range(cf, &g->ranges, key, value)
                       : add_net(cf, g, key, value);
}


/* Without a source the client's address is asked for. */
static lun_rc
set_geo(lun_conf *cf, const lun_directive *d, void *conf)
{
    geo           *g = lun_pool_new(cf->pool, geo);
    lun_str        name;
    lun_variable  *v;

    if (cf->argc == 3
        && (lun_var_name(cf, cf->args[1], &name) != LUN_OK
            || (g->source = lun_var_index(cf, name)) == 0))
    {
        return LUN_ERROR;
    }

    if (lun_var_name(cf, cf->args[cf->argc - 1], &name) != LUN_OK
        || (v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE)) == NULL)
    {
        return LUN_ERROR;
    }

    g->variable = v;
    v->get = get_geo;
    v->data = (uintptr_t) g;

    lun_radix_init(&g->inet, cf->pool);
    lun_radix_init(&g->inet6, cf->pool);
    lun_array_init(&g->ranges, cf->pool, sizeof(lun_geo_range), 0);
    lun_array_init(&g->proxies, cf->pool, sizeof(lun_cidr), 0);

    return lun_conf_read_lines(cf, read_line, g, true);
}


static const lun_directive  directives[] = {
    { .name = "geo", .where = LUN_ANY_PROTOCOL, .args = 1, .args_max = 2,
      .block = true, .repeats = true, .set = set_geo,
      .values = "[$address] $variable",
      .help = "a variable that depends on the client's address" },
    { 0 }
};

lun_module  lun_common_geo = {
    .name = "geo",
    .directives = directives,
};
