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
#include "config/status.h"
#include "net/dns/dns_metrics.h"


enum { MAX_SERVERS = 16, DNS_PORT = 53 };


/* --- the tree ------------------------------------------------------------ */

static bool
write_resolvers(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint32_t           number = lun_status_generation(w)->number;
    lun_metric_info    info;
    lun_metric_series  s;

    static const char *const  queries[] = { "name", "srv", "addr", NULL };
    static const char *const  sent[] = { "a", "aaaa", "srv", "ptr", NULL };
    static const char *const  responses[] = {
        "success", "timedout", "format_error", "server_failure", "not_found",
        "unimplemented", "refused", "other", NULL
    };

    if (!lun_metric_find(&lun_dns_metrics[LUN_DNS_RESOLVERS], number, &info)) {
        return false;
    }

    while (lun_metric_next(&info, number, cursor, &s)) {
        if (lun_str_eq(s.labels[0], LUN_STR("other"))
            || !lun_status_open(w, s.labels[0]))
        {
            continue;
        }

        lun_status_numbers(w, "queries", queries,
                           s.cells + LUN_DNS_QUERIES_NAME);
        lun_status_numbers(w, "sent", sent, s.cells + LUN_DNS_SENT_A);
        lun_status_numbers(w, "responses", responses,
                           s.cells + LUN_DNS_SUCCESS);
        lun_status_close(w);
    }

    return false;
}


/* `name`: that of status_zone, or the first server. */
static void
count_in(lun_conf *cf, lun_resolver_options *o, lun_str name)
{
    if (name.len == 0) {
        return;
    }

    lun_metric_declare(cf->gen->metrics, lun_dns_metrics);
    lun_metric_want(cf->gen->metrics, &lun_dns_metrics[LUN_DNS_RESOLVERS],
                    &name, &o->counts_at);
    lun_status_add(cf->gen, "status/resolvers", write_resolvers, NULL);
}


/* --- the directive ------------------------------------------------------- */

static lun_rc
read_option(lun_conf *cf, lun_str word, lun_resolver_options *o, lun_str *zone,
    bool *known)
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

    *known = lun_str_after(word, LUN_STR("status_zone="), zone);
    return LUN_OK;
}


lun_rc
lun_set_resolver(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool               known;
    size_t             i, n;
    lun_str            zone = LUN_STR(""), first = LUN_STR("");
    lun_addr          *addrs;
    lun_name_servers  *ns = lun_pool_new(cf->pool, lun_name_servers);

    addrs = lun_pool_new_n(cf->pool, lun_addr, MAX_SERVERS);
    ns->options.servers = addrs;
    ns->options.ipv4 = true;
    ns->options.ipv6 = true;
    ns->options.no_hosts = true;

    for (i = 1; i < cf->argc; i++) {
        if (read_option(cf, cf->args[i], &ns->options, &zone, &known)
            != LUN_OK)
        {
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

        first = first.len == 0 ? cf->args[i] : first;
        ns->options.count += n;
    }

    /* Whoever names the servers wants their answers, as with nginx. */
    ns->options.no_hosts &= ns->options.count != 0;

    if (!ns->options.ipv4 && !ns->options.ipv6) {
        return lun_conf_fail(cf, "\"ipv4\" and \"ipv6\" cannot both be "
                             "\"off\"");
    }

    count_in(cf, &ns->options, zone.len != 0 ? zone : first);
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
