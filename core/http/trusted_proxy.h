/*
 * trusted_proxy.h -- back through the proxies that we trust, along what they
 * say of whom they speak for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_TRUSTED_PROXY_H
#define LUN_HTTP_TRUSTED_PROXY_H

#include "http/request.h"

/*
 * *addr is who speaks; it becomes whom that speaks for, if `from` (of
 * lun_cidr) has it: the last word of the request's header of that name
 * (X-Forwarded-For: all of that name are one list, whose last word it is).
 * Recursive: as long as that one is trusted as well, the word before.  False:
 * *addr is what it was.
 */
bool lun_trusted_proxy_client(const lun_session *s, lun_str header,
    lun_addr *addr, const lun_array *from, bool recursive);

#endif
