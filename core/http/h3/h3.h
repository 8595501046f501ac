/*
 * h3.h -- HTTP/3 connections (RFC 9114), and HTTP/0.9 over QUIC.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_H
#define LUN_HTTP_H3_H

#include "http/engine.h"
#include "http/protocol.h"
#include "net/quic/quic.h"

extern const lun_http_protocol   lun_h3_protocol, lun_hq_protocol;
extern const lun_quic_service    lun_h3_service;
extern const lun_quic_protocol   lun_h3_quic;     /* what it gives */
extern const lun_metric          lun_h3_metrics[];

#endif
