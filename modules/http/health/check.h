/*
 * check.h -- Tengine's checks of an upstream: check.c (directives),
 * check_words.c (what each type sends and wants to hear), check_status.c (the
 * page).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CHECK_H
#define LUN_HTTP_CHECK_H

#include "http/module.h"
#include "modules/common/health/health_talk.h"
#include "modules/http/health/health_http.h"
#include "session/engine.h"
#include "session/upstream/upstream_tls.h"

typedef struct lun_check_type  lun_check_type;

/* A check of an upstream: a conf of its block. */
typedef struct {
    bool                     used;
    union {
        lun_health_check     head;
        lun_health_http      http;
        lun_health_talk      talk;
    };
    const lun_check_type    *type;
    lun_msec                 timeout;
    bool                     secure;
    size_t                   in_size;
    lun_upstream_tls         tls;
    lun_str                  send; /* check_http_send; "": GET / */
    uint32_t                 alive;        /* bits: LUN_CHECK_2XX ... */
    int64_t                  requests;     /* of a connection */
    lun_array               *params;       /* of lun_pair; NULL: the usual */

    /* Of check_http_send, as a question. */
    lun_str                  method, uri;
    lun_array                fields;       /* of lun_http_field */
} lun_check;

struct lun_check_type {
    const char  *name;
    /* It is finished but for what only this type has. */
    lun_rc     (*finish)(lun_conf *cf, lun_check *k);
};

#define LUN_CHECK_CLASS(status)  (UINT32_C(1) << (status) / 100)

/* NULL: there is none of that name. */
const lun_check_type *lun_check_type_of(lun_str name);

/* The check of u, which is a block; NULL: it has none. */
const lun_check *lun_check_of(const lun_upstream *u);

/* check_status: answers in "html", "csv" or "json". */
lun_verdict lun_check_status(lun_request *r, lun_str format);

#endif
