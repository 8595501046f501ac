/*
 * modules.h -- the list of modules.  Its order is the order of handlers within
 * a phase (in SERVER_REWRITE the last comes first) and of the filters.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_H
#define LUN_MODULES_H

#include "http/module.h"

/* X(module): each is a lun_http_module lun_http_X in a file of that name. */
#define LUN_MODULES(X)                                                        \
    /* the core's own */                                                      \
    X(core) X(h2) X(blocks) X(ssl) X(upstreams) X(lua_early) X(rewrite)       \
    X(exchange)                                                               \
    /* which server of an upstream a request goes to */                       \
    X(upstream_least_conn) X(upstream_ip_hash) X(upstream_hash)               \
    X(upstream_random) X(upstream_keepalive) X(upstream_zone)                 \
    /* directives that become instructions or variables */                    \
    X(rewrites) X(set_misc) X(if) X(map) X(geo) X(split_clients)              \
    X(referer) X(secure_link)                                                 \
    /* filters and handlers that come before Lua's */                         \
    X(realip) X(slice) X(not_modified) X(range_body)                          \
    X(limit_req) X(limit_conn) X(access) X(auth_basic) X(auth_request)        \
    X(headers_more) X(lua) X(echo)                                            \
    X(access_log)                                                             \
    /* before the content, and those who give it: the last is static */       \
    X(try_files) X(mirror) X(empty_gif) X(stub_status)                        \
    X(proxy)                                                                  \
    X(random_index) X(index) X(autoindex)                                     \
    X(gzip_static) X(static)                                                  \
    /* filters that come after Lua's, in this order */                        \
    X(headers) X(userid)                                                      \
    X(gunzip) X(addition) X(sub_filter) X(charset)                            \
    X(postpone) X(gzip) X(range)

#define LUN_MODULE_EXTERN(name)  extern lun_http_module  lun_http_##name;
LUN_MODULES(LUN_MODULE_EXTERN)

/* For lun_http_register(); ends with NULL. */
extern lun_http_module *const  lun_modules[];

#endif
