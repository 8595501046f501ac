/*
 * store_fetch.h -- what a store itself has of a key, for who wants to wait.
 *
 * Each worker has a connection of its own for that, made when it is first asked
 * for: what a worker asks does not stand behind what another tells.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_FETCH_H
#define LUN_STORE_FETCH_H

#include "store/store_link.h"

typedef enum {
    LUN_STORE_DONE,
    LUN_STORE_NOT_THERE            /* it is away */
} lun_store_verdict;

typedef struct lun_store_fetch  lun_store_fetch;

/*
 * DONE: what it has, valid during the call; NULL: it has nothing of that key,
 * or nothing that is still good.
 */
typedef void lun_store_fetched_fn(void *data, lun_store_verdict verdict,
    const lun_shdict_change *c);

/* Asks for a key of the zone; done() comes once, and not in this call. */
lun_store_fetch *lun_store_fetch_start(lun_store_zone *z, lun_loop *loop,
    const lun_log *log, lun_str key, lun_store_fetched_fn *done, void *data);

/* The configuration ends: whoever still waits is told that it is away. */
void lun_store_fetch_end(lun_store *s);

/* done() will not come. */
void lun_store_fetch_cancel(lun_store_fetch *f);

#endif
