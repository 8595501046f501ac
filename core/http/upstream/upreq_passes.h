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
    LUN_PASSES_GRPC
} lun_upreq_speech;

typedef struct lun_upreq_passes {
    const lun_upreq_address  *address;
    const lun_upreq_conf     *conf;        /* its tls is ready if one may be */
    lun_upreq_speech          speaks;
    lun_str                   host;        /* Host; data NULL: the address's */
    lun_array                 fields;      /* of lun_http_field */
} lun_upreq_passes;

#endif
