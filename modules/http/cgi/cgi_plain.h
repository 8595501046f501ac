/*
 * cgi_plain.h -- what uwsgi and SCGI have in common: behind the request's
 * parameters its body goes out as it is, and the answer comes as it is, a
 * header as CGI's or HTTP's and a body up to its length, or the connection's
 * end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_CGI_PLAIN_H
#define LUN_MODULES_CGI_PLAIN_H

#include "http/upstream/upreq_address.h"
#include "modules/http/cgi/cgi_answer.h"
#include "modules/http/cgi/cgi_params.h"

/* The handler's verdict of a request that goes to that address. */
lun_verdict lun_cgi_plain_start(lun_request *r, const lun_upreq_conf *up,
    const lun_upreq_address *address, const lun_upstream_protocol *protocol);

/* For the protocol. */
void lun_cgi_plain_reset(lun_upreq *x);
lun_upstream_verdict lun_cgi_plain_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_cgi_plain_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif
