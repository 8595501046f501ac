/*
 * h2.h -- HTTP/2 connections.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H2_H
#define LUN_HTTP_H2_H

#include "http/engine.h"
#include "http/protocol.h"

extern const lun_http_protocol  lun_h2_protocol;
extern const lun_metric         lun_h2_metrics[];

#endif
