/*
 * h2_conf.h -- settings of HTTP/2.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H2_CONF_H
#define LUN_HTTP_H2_CONF_H

#include "http/module.h"

typedef struct {
    bool      enabled;
    int64_t   concurrent_streams;
    size_t    body_preread_size;
    size_t    chunk_size;
    size_t    recv_buffer_size;
    bool      websockets;
} lun_h2_conf;

extern lun_http_module  lun_http_h2;

#endif
