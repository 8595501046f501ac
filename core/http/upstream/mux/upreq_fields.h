/*
 * upreq_fields.h -- fields as HTTP/2 and HTTP/3 have them alike, of a request
 * and of its answer: how they are compressed is each one's own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_FIELDS_H
#define LUN_HTTP_UPREQ_FIELDS_H

#include "http/upstream/upreq.h"

/* --- of a request --- */

/* One more field, whose name gets small letters; ":name" needs a value. */
void lun_upreq_fields_add(lun_pool *pool, lun_array *fields, lun_str name,
    lun_str value);
/* Whether a field of HTTP/1 with that name has no business in them. */
bool lun_upreq_fields_is_barred(lun_str name);
/* Whether that TE may be passed on, as "trailers": a client takes them. */
bool lun_upreq_fields_take_trailers(const lun_request *r);

/* --- of an answer --- */

typedef struct {
    bool     keep_trailers;        /* somebody wants them */
    bool     in_trailers;
    size_t   size;                 /* of a block's, so far */
} lun_upreq_fields;

/* A block begins: with trailers, or a header. */
void lun_upreq_fields_begin(lun_upreq *x, lun_upreq_fields *f, bool trailers);
/* One of its fields, views of memory that stays.  ERROR: logged. */
lun_rc lun_upreq_fields_take(lun_upreq *x, lun_upreq_fields *f, lun_str name,
    lun_str value);

#endif
