/*
 * dns.c -- the system's name servers and hosts: whatever they are, they have
 * the shape that the resolver relies on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dns.h"

#include "tap.h"


enum { ROOM = 8 };


static void
servers(void)
{
    size_t    i, n, all;
    lun_err   err;
    lun_addr  addrs[ROOM];

    err = lun_dns_servers(addrs, ROOM, &all);

    ok(err == 0 || lun_err_kind_of(err) == LUN_ERR_NOT_FOUND,
       "asks for the servers");
    ok(all <= ROOM, "as many as there is room for");

    for (i = 0; i < all; i++) {
        ok(addrs[i].port == 53 && (addrs[i].family == LUN_AF_INET
                                   || addrs[i].family == LUN_AF_INET6),
           "an address with the port of DNS");
    }

    (void) lun_dns_servers(addrs, 0, &n);
    is_int((int64_t) n, 0, "none when there is no room");
    (void) lun_dns_servers(addrs, 1, &n);
    is_int((int64_t) n, all ? 1 : 0, "one when there is room for one");
}


static void
hosts(void)
{
    size_t    n;
    lun_addr  addrs[ROOM];

    is_int(lun_dns_hosts(LUN_STR("no-such-host.invalid"), addrs, ROOM, &n), 0,
           "a name that is not there");
    is_int((int64_t) n, 0, "has no address");

    is_int(lun_dns_hosts(LUN_STR("LOCALHOST"), addrs, ROOM, &n), 0,
           "a name that may be there");

    if (n == 0) {
        skip("no localhost in the hosts file");
        return;
    }

    ok(addrs[0].port == 0
       && ((addrs[0].family == LUN_AF_INET && addrs[0].ip[0] == 127)
           || (addrs[0].family == LUN_AF_INET6 && addrs[0].ip[15] == 1)),
       "is this machine, in any case");
}


int
main(void)
{
    lun_sock_init();
    servers();
    hosts();

    return done_testing();
}
