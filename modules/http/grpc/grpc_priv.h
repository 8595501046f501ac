/*
 * grpc_priv.h -- what the files of grpc share: grpc.c (directives, the
 * handler), grpc_request.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_GRPC_PRIV_H
#define LUN_MODULES_GRPC_PRIV_H

#include "http/module.h"
#include "http/upstream/h2/upreq_h2.h"
#include "http/upstream/upreq_address.h"

/* A grpc_set_header. */
typedef struct {
    lun_str      name;             /* lower case */
    lun_script  *value;
} lun_grpc_header;

typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no grpc_pass */
    lun_array          *set;       /* of lun_grpc_header; NULL: none */
} lun_grpc_conf;

/* An upstream request in gRPC. */
typedef struct {
    lun_upreq_h2   h2;             /* stays in front */
    lun_upreq_url  url;
} lun_grpc_state;

extern lun_http_module          lun_http_grpc;
extern const lun_upstream_protocol  lun_grpc_protocol;

#endif
