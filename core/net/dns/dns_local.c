/*
 * dns_local.c -- names that no server is asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dns/dns_local.h"

#include "os/dns.h"


bool
lun_dns_number(lun_str name, uint16_t port, lun_addr *addr)
{
    if (name.len == 0 || lun_addr_parse(name, addr) != LUN_OK
        || addr->family == LUN_AF_UNIX || addr->port != 0)
    {
        return false;
    }

    addr->port = port;
    return true;
}


/*
 * The hosts file; and without one "localhost" is this machine, whatever a name
 * server would say: RFC 6761, 6.3.
 */
size_t
lun_dns_known_here(lun_str name, lun_addr found[LUN_DNS_ADDRS])
{
    size_t  n;

    if (lun_dns_hosts(name, found, LUN_DNS_ADDRS, &n) == 0 && n != 0) {
        return n;
    }

    if (!lun_str_eq(name, LUN_STR("localhost"))
        && !lun_str_ends(name, LUN_STR(".localhost")))
    {
        return 0;
    }

    found[0] = (lun_addr) { .family = LUN_AF_INET, .ip = { 127, 0, 0, 1 } };
    found[1] = (lun_addr) { .family = LUN_AF_INET6, .ip = { [15] = 1 } };
    return 2;
}
