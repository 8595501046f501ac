/*
 * upreq_passes.h -- where the requests of a location go, for who asks these
 * servers without a request: health checks.
 *
 * What a directive says with variables is some request's, and not here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_PASSES_H
#define LUN_HTTP_UPREQ_PASSES_H

#include "client/http_answer.h"
#include "http/upstream/upreq_address.h"

typedef enum {
    LUN_PASSES_HTTP,
    LUN_PASSES_OTHER               /* no HTTP of any version */
} lun_upreq_speech;

typedef struct lun_upreq_passes {
    const lun_upreq_address  *address;
    const lun_upreq_conf     *conf;        /* its tls is ready if one may be */
    lun_upreq_speech          speaks;
    const char               *name;        /* "fastcgi": of its directives */
    lun_str                   host;        /* Host; data NULL: the address's */
    lun_array                 fields;      /* of lun_http_field */
} lun_upreq_passes;

/* No fields so far.  False: there is no address, so the location does not pass
   requests on by these directives. */
static inline bool
lun_upreq_passes_to(lun_upreq_passes *to, lun_pool *pool,
    const lun_upreq_address *address, const lun_upreq_conf *conf,
    lun_upreq_speech speaks, const char *name)
{
    *to = (lun_upreq_passes) {
        .address = address, .conf = conf, .speaks = speaks, .name = name
    };

    lun_array_init(&to->fields, pool, sizeof(lun_http_field), 4);
    return address != NULL;
}

#endif
