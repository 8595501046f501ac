/*
 * upstream_status.h -- upstreams in the tree: status/http/upstreams, and the
 * same of stream.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_STATUS_H
#define LUN_UPSTREAM_STATUS_H

#include "config/status.h"
#include "session/session.h"

/* The upstreams of that engine, all blocks. */
void lun_upstream_add_status(lun_generation *gen, lun_engine *e);

#endif
