/*
 * addr.h -- addresses as text and as keys.  Pure: no name is looked up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_ADDR_H
#define LUN_FORMAT_ADDR_H

#include "base/str.h"

typedef enum {
    LUN_AF_NONE,
    LUN_AF_INET,
    LUN_AF_INET6,
    LUN_AF_UNIX
} lun_family;

typedef struct {
    lun_family    family;
    uint16_t      port;            /* host order */
    uint32_t      scope;           /* IPv6 zone */
    uint8_t       ip[16];          /* 4 or 16 of them, network order */
    const char   *path;            /* AF_UNIX; zero-terminated, not owned */
} lun_addr;

enum { LUN_ADDR_TEXT = 128 };

/*
 * Numeric only: "1.2.3.4", "1.2.3.4:80", "::1", "[::1]:80", "unix:/path" (the
 * path is used as it stands in `text`: it must be followed by a zero byte).
 * Without a port, port is 0.  LUN_ERROR for anything else.
 */
lun_rc lun_addr_parse(lun_str text, lun_addr *addr);

/* "1.2.3.4:80", "[::1]:80", "unix:/path"; without the port if !port. */
lun_str lun_addr_format(const lun_addr *addr, bool port, char *room,
    size_t size);

bool lun_addr_eq(const lun_addr *a, const lun_addr *b);
uint64_t lun_addr_hash(const lun_addr *a);
bool lun_addr_is_wildcard(const lun_addr *a);

#endif
