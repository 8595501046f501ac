/*
 * log_context.h -- what lines of the error log say of whom they are about.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_LOG_CONTEXT_H
#define LUN_HTTP_LOG_CONTEXT_H

#include "base/log_json.h"
#include "http/engine.h"

/* Of a connection (its owner), and of a main request (its own). */
lun_log_context_fn  lun_http_context, lun_request_context;

/* The same as members of JSON. */
lun_log_members_fn  lun_http_members, lun_request_members;

/*
 * `-s dump`: a line of a main request and of its subrequests, at the level of
 * a notice whatever level its log has.
 */
void lun_http_dump(const lun_request *r);

#endif
