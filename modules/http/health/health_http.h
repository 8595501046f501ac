/*
 * health_http.h -- a health check that is a question of HTTP.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HEALTH_HTTP_H
#define LUN_HEALTH_HTTP_H

#include "client/http_client.h"
#include "modules/common/health/health_checker.h"

enum { LUN_HEALTH_BODY = 256 * 1024 };     /* bytes of it that are looked at */

typedef struct lun_health_http  lun_health_http;

/* What a worker makes of it: in its checker's pool. */
typedef struct {
    lun_http_client_options  client;       /* but for connections that are
                                              kept, which the room sets */
    lun_str                  url;
    lun_str                  method;       /* as a question has it */
    lun_str                  body;
    const lun_array         *fields;       /* of lun_http_field */
} lun_health_http_plan;

/* head.probe is lun_health_http_probe. */
struct lun_health_http {
    lun_health_check   head;
    lun_msec           keepalive;  /* a connection is used for so long, */
    int64_t            requests;   /* or so many times; 0: for one check */
    void             (*plan)(const lun_health_http *k, lun_pool *pool,
                             lun_health_http_plan *plan);
    /* Whether it wants the body of an answer. */
    bool             (*wants_body)(const lun_health_http *k);
    /* NULL: it is as it should be; else what was looked at. */
    const char      *(*judge)(const lun_health_http *k,
                              const lun_http_answer *http, lun_str body);
};

extern const lun_health_probe  lun_health_http_probe;

#endif
