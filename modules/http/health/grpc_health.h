/*
 * grpc_health.h -- grpc.health.v1.Health/Check, the protocol by which servers
 * of gRPC are asked how they are: its question and its answer as bytes.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GRPC_HEALTH_H
#define LUN_GRPC_HEALTH_H

#include "client/http_answer.h"

#define LUN_GRPC_HEALTH_PATH  "/grpc.health.v1.Health/Check"

/* A message that asks for a service; "": for the server as a whole. */
lun_str lun_grpc_health_question(lun_pool *pool, lun_str service);

/*
 * NULL: it serves, or, if `good` is not 0, has answered with that status of
 * gRPC; else what was looked at.
 */
const char *lun_grpc_health_judge(const lun_http_answer *http, lun_str body,
    int64_t good);

#endif
