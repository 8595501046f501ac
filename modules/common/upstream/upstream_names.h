/*
 * upstream_names.h -- servers whose names are looked up while serving:
 * server app.example.com resolve;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_NAMES_H
#define LUN_UPSTREAM_NAMES_H

#include "modules/common/upstream/upstream_table.h"
#include "session/module.h"

/* Whose servers these are, in a zone: "http backend". */
lun_str lun_upstream_owner(lun_pool *pool, const lun_engine *e,
    const lun_upstream *u);

/*
 * The protocol's block is read: u->names and u->refresh if it has such
 * servers.
 */
lun_rc lun_upstream_names_new(lun_conf *cf, lun_upstream *u);

/* All that was said is inherited: is there a resolver? */
lun_rc lun_upstream_names_check(lun_upstream *u);

/* For who holds the table's lock; false: there is no room. */
bool lun_upstream_names_open(lun_upstream *u, lun_upstream_table *t,
    uint64_t generation);

#endif
