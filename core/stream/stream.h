/*
 * stream.h -- what the roof knows of the stream floor.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_H
#define LUN_STREAM_H

#include "session/engine.h"

extern const lun_protocol  lun_stream_protocol;

/* Adds `stream { }` and its modules, a list that ends with NULL and stays. */
void lun_stream_register(lun_schema *schema, lun_module *const *list);

/* Sessions that this process has in hand. */
size_t lun_stream_active(void);

#endif
