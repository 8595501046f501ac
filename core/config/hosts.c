/*
 * hosts.c -- hosts by their names.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/hosts.h"


enum { MOST = 16 };                /* addresses of one name */


/* "name" or "name:53"; the name ends with a zero byte. */
static bool
split(const lun_conf *cf, lun_str text, const char **name, uint16_t *port)
{
    uint64_t     n;
    const char  *colon = lun_str_chr(text, ':');
    lun_str      number;

    if (colon != NULL) {
        number = lun_str_of(colon + 1,
                            (size_t) (text.data + text.len - colon) - 1);

        if (lun_str_to_u64(number, &n) != LUN_OK || n < 1 || n > 65535) {
            return false;
        }

        *port = (uint16_t) n;
        text.len = (size_t) (colon - text.data);
    }

    *name = lun_pool_strz(cf->temp, text);
    return text.len != 0;
}


/*
 * A number needs no look-up, and asks no name server while the configuration is
 * read; names are asked of the system, once.
 */
lun_rc
lun_conf_hosts(const lun_conf *cf, lun_str text, uint16_t port,
    const char *what, lun_addr *addrs, size_t room, size_t *count)
{
    size_t       i, n = 1;
    lun_addr     found[MOST];
    const char  *name = lun_pool_strz(cf->pool, text);

    text = lun_str_of(name, text.len);

    if (lun_addr_parse(text, &found[0]) != LUN_OK
        && (!split(cf, text, &name, &port)
            || lun_addr_lookup(name, port, found, MOST, &n) != 0 || n == 0))
    {
        return lun_conf_fail(cf, "%s in %s \"%.*s\"",
                             text.len == 0 ? "no host" : "host not found",
                             what, LUN_S(text));
    }

    *count = lun_min(n, room);

    for (i = 0; i < *count; i++) {
        addrs[i] = found[i];

        if (addrs[i].port == 0) {
            addrs[i].port = port;
        }
    }

    return LUN_OK;
}


static lun_rc
add_addresses(lun_conf *cf, lun_str host, const char *what, lun_array *list)
{
    size_t     i, count;
    lun_addr   addrs[MOST];
    lun_cidr  *c;

    if (lun_addr_lookup(lun_pool_strz(cf->temp, host), 0, addrs, MOST, &count)
            != 0
        || count == 0)
    {
        return lun_conf_fail(cf, "host not found in %s \"%.*s\"", what,
                             LUN_S(host));
    }

    for (i = 0; i < count; i++) {
        c = lun_array_push(list);
        c->family = addrs[i].family;
        c->bits = addrs[i].family == LUN_AF_INET ? 32 : 128;
        memcpy(c->ip, addrs[i].ip, sizeof(c->ip));
    }

    return LUN_OK;
}


lun_rc
lun_conf_networks(lun_conf *cf, lun_str text, const char *what,
    lun_array **list)
{
    lun_cidr  net;

    if (*list == NULL) {
        *list = lun_array_new(cf->pool, sizeof(lun_cidr), 2);
    }

    if (lun_cidr_parse(text, &net) != LUN_OK) {
        return add_addresses(cf, text, what, *list);
    }

    if (lun_cidr_trim(&net)) {
        lun_conf_warn(cf, "low address bits of %.*s are meaningless",
                      LUN_S(text));
    }

    *(lun_cidr *) lun_array_push(*list) = net;
    return LUN_OK;
}
