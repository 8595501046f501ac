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

#include "http/cache/cache_conf.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_rows.h"
#include "modules/http/cgi/cgi_answer.h"
#include "modules/http/cgi/cgi_params.h"

/* First in the conf of its module. */
typedef struct {
    lun_upreq_conf      up;
    lun_cache_conf      cache;
    lun_upreq_address  *address;   /* NULL: no NAME_pass */
    lun_cgi_params      params;
} lun_cgi_plain_conf;

#define LUN_CGI_PLAIN_ROWS(prefix, set_pass)                                \
    { .name = prefix "pass", .where = LUN_LOCATION | LUN_LOCATION_IF,       \
      .args = 1, .set = set_pass, .values = "address",                      \
      LUN_FIELD(lun_cgi_plain_conf, address),                               \
      .help = "the server that answers" },                                  \
    { .name = prefix "param", .where = LUN_HTTP_LEVELS, .args = 2,          \
      .args_max = 3, .repeats = true, .set = lun_set_cgi_param,             \
      .values = "name value [if_not_empty]",                                \
      LUN_FIELD(lun_cgi_plain_conf, params.list),                           \
      .help = "a parameter for the program, and its value" }

/* The content handler of m. */
lun_verdict lun_cgi_plain_content(lun_request *r, const lun_http_module *m,
    const lun_upstream_protocol *protocol);

/* What m's .inherited does; `hidden`: as lun_upreq_finish_conf() has it. */
lun_rc lun_cgi_plain_finish_conf(lun_conf *cf, const lun_http_module *m,
    lun_cgi_plain_conf *conf, const lun_str *hidden);

/* For the protocol. */
void lun_cgi_plain_reset(lun_upreq *x);
lun_upstream_verdict lun_cgi_plain_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_cgi_plain_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif
