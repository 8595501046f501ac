/*
 * modules.h -- the modules, and the order of their handlers and filters.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_H
#define LUN_MODULES_H

#include "http/conf/http.h"
#include "http/module.h"

/*
 * X(module): each is a lun_http_module lun_http_X in a file X.c below this
 * folder, but for
 *
 *   core, blocks, h2         core/http/conf/core_conf.c, conf/http.c,
 *                            core/http/h2/h2_conf.c
 *   instructions, server_instructions, postpone
 *                            core/http/rewrite.c, core/http/postpone.c
 *   upstreams, upreq         core/http/upstream/upstream_conf.c, upreq_vars.c
 *   lua, lua_no_postpone     modules/lua/conf/module.c, run/no_postpone.c
 *   gunzip                   modules/http/gzip/gzip_gunzip.c
 *
 * Where several have a handler in a phase, this is their order; of those who
 * give content the last is `static`.
 */
#define LUN_MODULES(X)                                                        \
    /* the core's own */                                                      \
    X(core) X(h2) X(blocks) X(ssl) X(upstreams) X(lua_no_postpone)            \
    X(instructions) X(upreq) X(postpone)                                      \
    /* which server of an upstream a request goes to */                       \
    X(upstream_least_conn) X(upstream_ip_hash) X(upstream_hash)               \
    X(upstream_random) X(upstream_keepalive) X(upstream_zone)                 \
    /* directives that become instructions or variables */                    \
    X(rewrite) X(set_misc) X(if) X(map) X(geo) X(split_clients)               \
    X(referer) X(secure_link)                                                 \
    /* handlers that come before Lua's */                                     \
    X(realip) X(limit_req) X(limit_conn) X(access) X(auth_basic)              \
    X(auth_request) X(headers_more)                                           \
    X(lua) X(server_instructions) X(echo) X(access_log)                       \
    /* before the content, and those who give it */                           \
    X(try_files) X(mirror) X(empty_gif) X(stub_status) X(proxy)               \
    X(random_index) X(index) X(autoindex) X(gzip_static) X(static)            \
    /* filters only */                                                        \
    X(slice) X(not_modified) X(headers) X(userid) X(gunzip) X(addition)       \
    X(sub_filter) X(charset) X(gzip) X(range)

/* Who sees the header of an answer, in this order; behind the last is the
   protocol. */
#define LUN_HEADER_FILTERS(X)                                                 \
    X(slice) X(not_modified) X(headers_more) X(lua) X(echo) X(headers)        \
    X(userid) X(gunzip) X(addition) X(sub_filter) X(charset) X(gzip)          \
    X(range)

/* The same of its body: a range is cut before anybody changes bytes. */
#define LUN_BODY_FILTERS(X)                                                   \
    X(slice) X(range) X(lua) X(echo) X(headers) X(gunzip) X(addition)         \
    X(sub_filter) X(charset) X(postpone) X(gzip)

#define LUN_MODULE_EXTERN(name)  extern lun_http_module  lun_http_##name;
LUN_MODULES(LUN_MODULE_EXTERN)

/* For lun_http_register(). */
extern const lun_http_module_lists  lun_modules;

#endif
