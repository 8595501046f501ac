/*
 * schema.h -- all directives of a program, by name.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SCHEMA_H
#define LUN_SCHEMA_H

#include "base/pool.h"

typedef struct lun_directive  lun_directive;
typedef struct lun_conf_part  lun_conf_part;
typedef struct lun_schema     lun_schema;

lun_schema *lun_schema_new(lun_pool *pool);     /* a part twice is one */
void lun_schema_add(lun_schema *s, lun_conf_part *part);
size_t lun_schema_count(const lun_schema *s);

/* All rows of a name, with the name of their part; every name, once. */
typedef void lun_schema_row_fn(void *data, const lun_directive *d,
    const char *part);
typedef void lun_schema_name_fn(void *data, lun_str name);
void lun_schema_rows(const lun_schema *s, lun_str name,
    lun_schema_row_fn *each, void *data);
void lun_schema_names(const lun_schema *s, lun_schema_name_fn *each,
    void *data);

/*
 * A protocol has a block in the main one, `level`; `levels` are that and those
 * inside.  Settings of its directives begin there: a part that stands in
 * several protocols has its defaults in each.
 */
void lun_schema_add_protocol(lun_schema *s, uint32_t level, uint32_t levels);

#endif
