/*
 * http.h -- what the roof knows of the http floor.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H
#define LUN_HTTP_H

#include "config/generation.h"

typedef struct lun_http_module  lun_http_module;

/*
 * Adds `http { }` and the directives of the given modules to a schema.  The
 * list ends with NULL; its order is the order of handlers and filters.  The
 * rest (hooks on the generation) happens when an http block is read.
 */
void lun_http_register(lun_schema *schema, lun_http_module *const *modules);

/* Worker, told to quit: idle connections are closed, others not kept. */
void lun_http_quit(lun_generation *gen);

/* Requests that this process has in hand. */
size_t lun_http_active(void);

#endif
