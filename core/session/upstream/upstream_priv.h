/*
 * upstream_priv.h -- what the rooms share that read `upstream { }`:
 *
 *     upstream_conf    blocks, and addresses without one
 *     upstream_server  the lines of a block
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_PRIV_H
#define LUN_UPSTREAM_PRIV_H

#include "session/upstream/balance.h"

/* s->addrs, looked up if need be; false: no such host. */
bool lun_upstream_find_addrs(lun_conf *cf, const lun_upstream_place *p,
    lun_upstream_server_conf *s);

/* `server`, in an upstream. */
lun_set_fn  lun_upstream_set_server;

#endif
