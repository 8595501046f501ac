/*
 * h1.h -- HTTP/1 connections.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H1_H
#define LUN_HTTP_H1_H

#include "http/engine.h"
#include "http/protocol.h"

extern const lun_http_protocol  lun_h1_protocol;

/* When the program starts: lines of the error log as objects of JSON. */
void lun_h1_log_members(void);

#endif
