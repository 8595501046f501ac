/*
 * hosts.h -- hosts that a configuration names, found while it is read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONF_HOSTS_H
#define LUN_CONF_HOSTS_H

#include "config/conf.h"
#include "os/cidr.h"
#include "os/sock.h"

/*
 * "127.0.0.1:53", "[::1]", "unix:/path", "name", "name:53"; a name by the
 * system's resolver, which may take its time.  At most `room` addresses, with
 * `port` where the text has none.  Fails with "host not found in WHAT".
 */
lun_rc lun_conf_hosts(const lun_conf *cf, lun_str text, uint16_t port,
    const char *what, lun_addr *addrs, size_t room, size_t *count);

/*
 * "10.0.0.0/8", "::1", "unix:", or a name, which is all of its addresses: adds
 * to *list (of lun_cidr), which is made if it is NULL.  Fails with "host not
 * found in WHAT".
 */
lun_rc lun_conf_networks(lun_conf *cf, lun_str text, const char *what,
    lun_array **list);

#endif
