/*
 * field_out.h -- an answer's header as HTTP/2 and HTTP/3 have it: names in
 * lower case, nothing that speaks of a connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_FIELD_OUT_H
#define LUN_HTTP_FIELD_OUT_H

#include "format/hpack_table.h"
#include "http/request.h"

/* Views into the request's memory, and into the clock's. */
typedef struct {
    lun_hpack_field  *list;
    size_t            count;
    size_t            room;
    lun_pool         *pool;
} lun_fields;

/* Room for `count` fields, and those of a header that are in no list. */
void lun_fields_init(lun_fields *f, lun_pool *pool, size_t count);

/* ":status". */
void lun_fields_put_status(lun_fields *f, lun_str status);

/* Those of a list that may be said on a connection that is shared. */
void lun_fields_put_list(lun_fields *f, const lun_header_list *list);

/* All of r->out, its status first. */
void lun_fields_put_header(lun_fields *f, lun_request *r);

#endif
