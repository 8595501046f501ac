/*
 * upstream_best.h -- for methods: the best server of a group, by a comparison;
 * those of which there are several take turns.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_BEST_H
#define LUN_UPSTREAM_BEST_H

#include "session/upstream/round_robin.h"

/* Below 0: a is better than b; 0: as good.  `data` is the caller's. */
typedef int lun_best_fn(const lun_upstream_server *a,
    const lun_upstream_server *b, const void *data);

/* A method's get. */
lun_balance_verdict lun_best_get(lun_session *s, lun_balance *b,
    lun_best_fn *compare, const void *data);

#endif
