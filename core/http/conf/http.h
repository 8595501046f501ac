/*
 * http.h -- what the roof knows of the http floor.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H
#define LUN_HTTP_H

#include "config/generation.h"

typedef struct lun_module       lun_module;
typedef struct lun_http_module  lun_http_module;

/*
 * The modules of a program; each list ends with NULL and stays.  Filters are
 * modules of the first list, too; only those that a configuration uses run.
 */
typedef struct {
    lun_module *const       *modules;           /* handlers, in this order */
    lun_http_module *const  *header_filters;   /* the first is asked first */
    lun_http_module *const  *body_filters;
} lun_http_module_lists;

/*
 * Adds `http { }` and the directives of the given modules to a schema.  The
 * rest (hooks on the generation) happens when an http block is read.
 */
void lun_http_register(lun_schema *schema, const lun_http_module_lists *l);

/* Requests that this process has in hand. */
size_t lun_http_active(void);

#endif
