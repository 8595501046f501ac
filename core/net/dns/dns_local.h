/*
 * dns_local.h -- names that no server is asked for: numbers, and those of this
 * machine.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DNS_LOCAL_H
#define LUN_DNS_LOCAL_H

#include "format/dns_parse.h"

/* An address as a name, without a port: with that port, then. */
bool lun_dns_number(lun_str name, uint16_t port, lun_addr *addr);

/*
 * What the hosts file, or what is true of any machine, says of a name in its
 * normal form: the number of addresses.
 */
size_t lun_dns_known_here(lun_str name, lun_addr found[LUN_DNS_ADDRS]);

#endif
