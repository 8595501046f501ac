/*
 * resolver_conf.c -- resolver 127.0.0.1 [::1]:53 valid=30s ipv6=off;
 *
 * A worker makes a resolver when somebody first asks for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/resolver_conf.h"

#include "config/generation.h"
#include "config/hosts.h"


enum { MAX_SERVERS = 16, DNS_PORT = 53 };


static lun_rc
read_option(lun_conf *cf, lun_str word, lun_resolver_options *o, bool *known)
{
    bool     on;
    lun_str  value;

    *known = true;

    if (lun_str_after(word, LUN_STR("valid="), &value)) {
        if (lun_str_to_sec(value, &o->valid) != LUN_OK || o->valid < 1) {
            return lun_conf_fail(cf, "invalid parameter: %.*s",
                                 LUN_S(word));
        }

        return LUN_OK;
    }

    if (lun_str_starts(word, LUN_STR("ipv4="))
        || lun_str_starts(word, LUN_STR("ipv6="))
        || lun_str_starts(word, LUN_STR("local=")))
    {
        on = lun_str_ends(word, LUN_STR("=on"));

        if (!on && !lun_str_ends(word, LUN_STR("=off"))) {
            return lun_conf_fail(cf, "invalid parameter: %.*s",
                                 LUN_S(word));
        }

        if (word.data[0] == 'l') {
            o->no_hosts = !on;     /* and its servers are the system's */

        } else {
            *(word.data[3] == '4' ? &o->ipv4 : &o->ipv6) = on;
        }

        return LUN_OK;
    }

    *known = lun_str_starts(word, LUN_STR("status_zone="));
    return LUN_OK;
}


lun_rc
lun_set_resolver(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool               known;
    size_t             i, n;
    lun_addr          *addrs;
    lun_name_servers  *ns = lun_pool_new(cf->pool, lun_name_servers);

    addrs = lun_pool_new_n(cf->pool, lun_addr, MAX_SERVERS);
    ns->options.servers = addrs;
    ns->options.ipv4 = true;
    ns->options.ipv6 = true;
    ns->options.no_hosts = true;

    for (i = 1; i < cf->argc; i++) {
        if (read_option(cf, cf->args[i], &ns->options, &known) != LUN_OK) {
            return LUN_ERROR;
        }

        if (known) {
            continue;
        }

        if (lun_conf_hosts(cf, cf->args[i], DNS_PORT, "resolver",
                           addrs + ns->options.count,
                           MAX_SERVERS - ns->options.count, &n) != LUN_OK)
        {
            return LUN_ERROR;
        }

        ns->options.count += n;
    }

    /* Whoever names the servers wants their answers, as with nginx. */
    ns->options.no_hosts &= ns->options.count != 0;

    if (!ns->options.ipv4 && !ns->options.ipv6) {
        return lun_conf_fail(cf, "\"ipv4\" and \"ipv6\" cannot both be "
                             "\"off\"");
    }

    *(lun_name_servers **) (void *) ((char *) conf + d->field) = ns;
    return LUN_OK;
}


lun_resolver *
lun_name_servers_resolver(lun_engine *e, lun_name_servers *ns)
{
    lun_generation  *gen = e->gen;

    if (ns == NULL) {
        if (e->system_names == NULL) {
            e->system_names = lun_pool_new(gen->pool, lun_name_servers);
            e->system_names->options.ipv4 = true;
            e->system_names->options.ipv6 = true;
        }

        ns = e->system_names;
    }

    if (ns->resolver == NULL) {
        ns->resolver = lun_resolver_new(gen->pool, gen->loop, &ns->options,
                                        &gen->log);
    }

    return ns->resolver;
}
