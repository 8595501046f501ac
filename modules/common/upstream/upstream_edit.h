/*
 * upstream_edit.h -- servers of an upstream are added, changed and removed
 * while serving, as a JSON object says; NGINX Plus' members, and its words for
 * what is wrong.
 *
 * Who edits looks, decides and writes under one lock: of two at once each sees
 * what the other has done.  What is wrong changes nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_EDIT_H
#define LUN_UPSTREAM_EDIT_H

#include "session/upstream/balance.h"

typedef struct {
    unsigned     status;           /* HTTP's */
    const char  *code;             /* "UpstreamBadAddress"; NULL: it is done */
    lun_str      text;             /* what is wrong; or what is to be answered,
                                      in JSON */
    lun_str      server;           /* whose name that is, for the log */
} lun_upstream_edited;

/* Its servers may be changed: else *e says why not. */
bool lun_upstream_edit_may(const lun_upstream *u, lun_upstream_edited *e);

/* All of them, or (id >= 0) one. */
void lun_upstream_edit_show(const lun_upstream *u, lun_pool *pool, int64_t id,
    lun_upstream_edited *e);

void lun_upstream_edit_add(lun_upstream *u, lun_pool *pool, lun_str body,
    lun_upstream_edited *e);
void lun_upstream_edit_change(lun_upstream *u, lun_pool *pool, int64_t id,
    lun_str body, lun_upstream_edited *e);
void lun_upstream_edit_remove(lun_upstream *u, lun_pool *pool, int64_t id,
    lun_upstream_edited *e);

#endif
