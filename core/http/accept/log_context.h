/*
 * log_context.h -- what lines of the error log say of whom they are about.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_LOG_CONTEXT_H
#define LUN_HTTP_LOG_CONTEXT_H

#include "http/engine.h"

/* Of a connection (its owner), and of a main request (its own). */
lun_log_context_fn  lun_http_context, lun_request_context;

#endif
