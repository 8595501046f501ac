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
        return lun_conf_fail(cf, "host not found in %s \"%.*s\"", what,
                             LUN_S(text));
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
