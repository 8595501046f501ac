/*
 * upstream_names.h -- servers that change while we serve: those whose names
 * are looked up (server app.example.com resolve;), and those that somebody has
 * added, changed or removed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_NAMES_H
#define LUN_UPSTREAM_NAMES_H

#include "modules/common/upstream/upstream_list.h"
#include "modules/common/upstream/upstream_table.h"
#include "session/module.h"

/* Whose servers these are, in a zone: "http backend". */
lun_str lun_upstream_owner(lun_pool *pool, const lun_engine *e,
    const lun_upstream *u);

/*
 * The protocol's block is read: u->names and u->refresh if it has a zone, so
 * that its servers may change.
 */
lun_rc lun_upstream_names_new(lun_conf *cf, lun_upstream *u);

/* All that was said is inherited: is there a resolver? */
lun_rc lun_upstream_names_check(lun_upstream *u);

/*
 * Its lines as they are now, of lun_upstream_server_conf, in the pool: those of
 * the configuration, or what was changed of them.  *next_id (may be NULL): an
 * id that none of them has had.
 */
const lun_array *lun_upstream_lines_now(const lun_upstream *u, lun_pool *pool,
    int64_t *next_id);

/* Rises with each change of them, or of another upstream's. */
uint64_t lun_upstream_lines_version(const lun_upstream *u);

/*
 * For who changes them: between _begin and _end nobody else does.  _write says
 * what they are from now on; false: there is no room.  Nobody has to be told.
 */
void lun_upstream_change_begin(const lun_upstream *u);
const lun_array *lun_upstream_change_lines(const lun_upstream *u,
    lun_pool *pool, int64_t *next_id);
bool lun_upstream_change_write(const lun_upstream *u, lun_pool *pool,
    const lun_array *lines, int64_t next_id);
void lun_upstream_change_end(const lun_upstream *u);

/* For who holds the table's lock; false: there is no room. */
bool lun_upstream_names_open(lun_upstream *u, lun_upstream_table *t,
    uint64_t generation);

#endif
