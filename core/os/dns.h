/*
 * dns.h -- the system's name servers and hosts file.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_DNS_H
#define LUN_OS_DNS_H

#include "os/sock.h"

/* Name servers in their order, port 53; at most `room`. */
lun_err lun_dns_servers(lun_addr *addrs, size_t room, size_t *count);

/* From the hosts file, caseless; count 0 when it is not there. */
lun_err lun_dns_hosts(lun_str name, lun_addr *addrs, size_t room,
    size_t *count);

#endif
