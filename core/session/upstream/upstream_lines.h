/*
 * upstream_lines.h -- the servers of an upstream as text, as they stand in a
 * zone and in the file of `state`:
 *
 *     server 127.0.0.1:8080 weight=5 slow_start=30000ms; # 3
 *
 * The number is the server's id.  A name is one that the configuration has as
 * well: what it means is known from there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_LINES_H
#define LUN_UPSTREAM_LINES_H

#include "session/upstream/balance.h"

enum { LUN_UPSTREAM_ROUTE = 64 };  /* bytes */

/* Whether a text can stand in a line as a name or route. */
bool lun_upstream_lines_takes(lun_str text);

/* Of n servers, in the pool. */
lun_str lun_upstream_lines_write(lun_pool *pool,
    const lun_upstream_server_conf *s, size_t n);

/*
 * Adds servers to an array of lun_upstream_server_conf, which live as long as
 * the pool and u.  NULL, or what is wrong in line *line.  One of a name has
 * addresses if u->servers has it, else a count of 0.
 */
const char *lun_upstream_lines_read(lun_pool *pool, const lun_upstream *u,
    lun_str text, lun_array *to, unsigned *line);

/*
 * One address: sets s->name, and what it stands for, as above.  NULL, or what
 * is wrong.
 */
const char *lun_upstream_lines_address(lun_pool *pool, const lun_upstream *u,
    lun_str text, lun_upstream_server_conf *s);

#endif
