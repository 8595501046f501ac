/*
 * intake.h -- what a request's header means, whatever protocol brought it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_INTAKE_H
#define LUN_HTTP_INTAKE_H

#include "http/conf/core_conf.h"
#include "http/engine.h"

/* 0, or a status to answer with; logged. */

/*
 * The host of a request: finds its server.  `what` is said of one that is
 * none.
 */
int lun_http_in_host(lun_request *r, const lun_http_listen *listen,
    lun_str text, const char *what);

/* The path of a target; `plain`: nothing in it needs to be looked at. */
int lun_http_in_path(lun_request *r, const lun_core_conf *conf, lun_str path,
    bool plain);

/* Puts a header whose `known` is not negative where it belongs. */
int lun_http_in_known(lun_request *r, lun_header *h);

/* Reads Content-Length, if there is one. */
int lun_http_in_length(lun_request *r);

/* TRACE, CONNECT: nobody here does them. */
int lun_http_in_method(lun_request *r);

#endif
