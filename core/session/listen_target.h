/*
 * listen_target.h -- "*:80", "[::1]:8000-8010", "name:80", "unix:/path".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LISTEN_TARGET_H
#define LUN_LISTEN_TARGET_H

#include "config/conf.h"
#include "os/sock.h"

enum { LUN_LISTEN_ADDRS = 64 };

/* Each of the addresses, with each of the ports. */
typedef struct {
    lun_addr   addrs[LUN_LISTEN_ADDRS];
    size_t     count;
    uint16_t   first;
    uint16_t   last;
} lun_listen_target;

/* `port` where the text has none; 0: it must.  ERROR: reported. */
lun_rc lun_listen_target_read(lun_conf *cf, lun_str text, uint16_t port,
    lun_listen_target *t);

#endif
