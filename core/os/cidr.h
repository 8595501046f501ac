/*
 * cidr.h -- networks: "10.0.0.0/8", "2001:db8::/32", "unix:".  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_CIDR_H
#define LUN_OS_CIDR_H

#include "base/array.h"
#include "os/sock.h"

typedef struct {
    lun_family    family;
    unsigned      bits;            /* of ip that count */
    uint8_t       ip[16];
} lun_cidr;

/*
 * An address alone is a network of one.  LUN_ERROR: it is none; a port makes
 * it none, too.
 */
lun_rc lun_cidr_parse(lun_str text, lun_cidr *c);

/* Clears the bits that do not count; whether there were any. */
bool lun_cidr_trim(lun_cidr *c);

/* The IPv4 address that an IPv6 one (::ffff:1.2.3.4) stands for. */
lun_addr lun_addr_unmap(const lun_addr *addr);

/* ::ffff:1.2.3.4 is 1.2.3.4, and in no network of IPv6. */
bool lun_cidr_has(const lun_cidr *c, const lun_addr *addr);

/* Whether one of a list (of lun_cidr) has it. */
bool lun_cidr_any_has(const lun_array *list, const lun_addr *addr);

#endif
