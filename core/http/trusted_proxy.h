/*
 * trusted_proxy.h -- back through the proxies that we trust, along what they
 * say of whom they speak for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_TRUSTED_PROXY_H
#define LUN_HTTP_TRUSTED_PROXY_H

#include "http/headers.h"
#include "os/sock.h"

bool lun_trusted_proxy_has(const lun_array *from, const lun_addr *addr);

/*
 * *addr is who speaks; it becomes whom he speaks for, if `from` (of lun_cidr)
 * has him: the last word of h->value, or, when `all` headers of the name
 * count as one list, of the last of them.  Recursive: as long as that one is
 * trusted as well, the word before.  False: *addr is what it was.
 */
bool lun_trusted_proxy_client(lun_addr *addr, const lun_header *h, bool all,
    const lun_array *from, bool recursive);

#endif
