/*
 * store_conf.h -- store NAME URL ... { }: a store, and `sync=NAME` of what is
 * in it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_CONF_H
#define LUN_STORE_CONF_H

#include "config/generation.h"
#include "store/store.h"

void lun_store_register(lun_schema *schema);

/* The store of that name, which another line may declare. */
lun_store *lun_store_refer(lun_conf *cf, lun_str name);

/* The i-th of them, from 0; NULL: there are fewer. */
lun_store *lun_store_at(const lun_generation *gen, size_t i);

extern const lun_metric  lun_store_metrics[];

#endif
