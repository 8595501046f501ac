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
 * C(module): a lun_module lun_common_X in a file X.c below common/, which knows
 * no protocol; it may stand in the lists of several.  `upstreams` is
 * core/session/upstream/upstream_conf.c.  H(module): a lun_http_module
 * lun_http_X in a file X.c below http/, but for
 *
 *   core, blocks, h2, h3     core/http/conf/core_conf.c, conf/http.c,
 *                            core/http/h2/h2_conf.c, h3/h3_conf.c
 *   instructions, server_instructions, postpone
 *                            core/http/rewrite.c, core/http/postpone.c
 *   upreq, caches            core/http/upstream/upreq_vars.c,
 *                            core/http/cache/cache_vars.c
 *   lua, lua_no_postpone     modules/lua/conf/module.c (C), run/http_phases.c
 *                            (H), run/no_postpone.c
 *   gzip_static, brotli_static, zstd_static
 *                            modules/http/compress/compress_static.c
 *
 * Where several have a handler in a phase, this is their order; of those who
 * give content the last is `static`.
 */
#define LUN_HTTP_MODULES(H, C)                                                \
    /* the core's own */                                                      \
    H(core) H(h2) H(h3) H(blocks) C(ssl) H(acme) C(upstreams)                 \
    H(slow_log) H(otel) H(lua_no_postpone) H(coolkit) H(form_input)           \
    H(instructions) H(upreq) H(caches) H(postpone)                            \
    /* which server of an upstream a request goes to */                       \
    C(upstream_least_conn) C(upstream_least_time) C(upstream_ip_hash)         \
    C(upstream_hash) C(upstream_random) H(upstream_sticky)                    \
    C(upstream_queue) H(upstream_keepalive) C(upstream_zone)                  \
    C(upstream_program) H(health_check) H(check)                              \
    /* directives that become instructions or variables */                    \
    H(rewrite) H(set_misc) H(array_var) H(encrypted_session) H(databases)     \
    H(if) C(map) C(keyval) C(geo) C(split_clients) H(referer) H(secure_link)  \
    H(browser) C(geoip) C(geoip2) H(json)                                      \
    /* handlers that come before Lua's */                                     \
    H(body_early_read) C(realip) H(limit_req) C(limit_conn) C(access)         \
    C(metric_zone) H(metric_stages)                                           \
    H(auth_basic) H(auth_negotiate) H(auth_request) H(headers_more)           \
    C(lua) H(lua) H(server_instructions) H(echo) C(access_log)                \
    /* before the content, and those who give it */                           \
    H(srcache) H(try_files) H(mirror) H(empty_gif) H(stub_status)             \
    H(prometheus) H(prometheus_template) H(api) H(status_page)                \
    H(status_zone) H(proxy) H(fastcgi) H(uwsgi) H(scgi) H(memcached) H(memc)  \
    H(redis) H(redis2) H(tunnel)                                              \
    H(rds_json) H(grpc) H(flv) H(mp4) H(dav) H(random_index) H(index)         \
    H(autoindex) H(brotli_static) H(zstd_static) H(gzip_static) H(static)     \
    /* filters only */                                                        \
    H(slice) H(not_modified) H(rds_csv) H(iconv) H(headers) H(userid)         \
    H(gunzip) H(addition) H(sub_filter) H(image_filter) H(xslt) H(charset)    \
    H(ssi) H(xss) H(brotli) H(zstd) H(gzip) H(range)

/* Who sees the header of an answer, in this order; behind the last is the
   protocol. */
#define LUN_HEADER_FILTERS(X)                                                 \
    X(metric_stages) X(slow_log) X(slice) X(srcache) X(not_modified)          \
    X(rds_csv) X(rds_json)                                                    \
    X(iconv) X(headers_more) X(lua) X(echo) X(headers) X(h3) X(userid)        \
    X(gunzip) X(addition) X(sub_filter) X(image_filter) X(xslt) X(charset)    \
    X(ssi) X(xss) X(brotli) X(zstd) X(gzip) X(range)

/* The same of its body: a range is cut before anybody changes bytes. */
#define LUN_BODY_FILTERS(X)                                                   \
    X(slice) X(srcache) X(range) X(rds_csv) X(rds_json) X(iconv) X(lua)       \
    X(echo) X(headers) X(gunzip) X(addition) X(sub_filter) X(image_filter)    \
    X(xslt) X(charset) X(ssi) X(postpone) X(xss) X(brotli) X(zstd) X(gzip)

/*
 * The modules of stream, in the order of their handlers: S(name) is a
 * lun_module lun_stream_X, in modules/stream but for
 *
 *   stream_blocks, stream_core      core/stream/conf/stream_conf.c, core_conf.c
 *   stream_lua, stream_lua_no_postpone      modules/lua/run/stream_phases.c
 */
#define LUN_STREAM_MODULES(S, C)                                              \
    S(core) S(blocks) C(upstreams)                                            \
    C(upstream_least_conn) C(upstream_least_time) C(upstream_hash)            \
    C(upstream_random) C(upstream_zone)                                       \
    C(map) C(keyval) C(geo) C(split_clients)                                  \
    C(geoip) C(geoip2)                                                        \
    C(ssl) S(ssl_phase) S(lua_no_postpone) S(ssl_preread)                     \
    C(realip) C(limit_conn) C(access) C(metric_zone) C(lua) S(lua)            \
    C(access_log)                                                             \
    S(set) S(return) S(pass_module) S(status_zone) S(proxy_module)            \
    S(health_check)

#define LUN_HTTP_EXTERN(name)    extern lun_http_module  lun_http_##name;
#define LUN_COMMON_EXTERN(name)  extern lun_module  lun_common_##name;
LUN_HTTP_MODULES(LUN_HTTP_EXTERN, LUN_COMMON_EXTERN)

#define LUN_STREAM_EXTERN(name)  extern lun_module  lun_stream_##name;
#define LUN_NOTHING(name)
LUN_STREAM_MODULES(LUN_STREAM_EXTERN, LUN_NOTHING)

/* For lun_stream_register(). */
extern lun_module *const  lun_stream_list[];

/* For lun_http_register(). */
extern const lun_http_module_lists  lun_http_lists;

#endif
