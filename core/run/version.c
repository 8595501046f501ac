/*
 * version.c -- who we are, and what is built in, in the form that programs
 * which drive an nginx read: nginx's names of its modules, `--with` for those
 * that are here and optional there, `--without` for the other way round.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/version.h"

#define PCRE2_CODE_UNIT_WIDTH  8

#include <brotli/encode.h>
#include <luajit.h>
#include <openssl/crypto.h>
#include <pcre2.h>
#include <stdio.h>
#include <zlib-ng.h>
#include <zstd.h>

#include "base/fmt.h"
#include "config/default_paths.h"


/* Our module, and what nginx's configure calls it. */
static const struct {
    const char  *name;
    const char  *theirs;
    bool         usual;            /* nginx builds it unless told not to */
} modules[] = {
    { "ssl", "http_ssl_module", false },
    { "v2", "http_v2_module", false },
    { "v3", "http_v3_module", false },
    { "realip", "http_realip_module", false },
    { "addition", "http_addition_module", false },
    { "sub_filter", "http_sub_module", false },
    { "dav", "http_dav_module", false },
    { "mp4", "http_mp4_module", false },
    { "gunzip", "http_gunzip_module", false },
    { "gzip_static", "http_gzip_static_module", false },
    { "auth_request", "http_auth_request_module", false },
    { "random_index", "http_random_index_module", false },
    { "secure_link", "http_secure_link_module", false },
    { "slice", "http_slice_module", false },
    { "stub_status", "http_stub_status_module", false },
    { "charset", "http_charset_module", true },
    { "gzip", "http_gzip_module", true },
    { "ssi", "http_ssi_module", true },
    { "userid", "http_userid_module", true },
    { "access", "http_access_module", true },
    { "auth_basic", "http_auth_basic_module", true },
    { "mirror", "http_mirror_module", true },
    { "autoindex", "http_autoindex_module", true },
    { "geo", "http_geo_module", true },
    { "map", "http_map_module", true },
    { "split_clients", "http_split_clients_module", true },
    { "referer", "http_referer_module", true },
    { "rewrite", "http_rewrite_module", true },
    { "proxy", "http_proxy_module", true },
    { "fastcgi", "http_fastcgi_module", true },
    { "uwsgi", "http_uwsgi_module", true },
    { "scgi", "http_scgi_module", true },
    { "grpc", "http_grpc_module", true },
    { "memcached", "http_memcached_module", true },
    { "limit_conn", "http_limit_conn_module", true },
    { "limit_req", "http_limit_req_module", true },
    { "empty_gif", "http_empty_gif_module", true },
    { "browser", "http_browser_module", true },
    { "upstream_hash", "http_upstream_hash_module", true },
    { "upstream_ip_hash", "http_upstream_ip_hash_module", true },
    { "upstream_least_conn", "http_upstream_least_conn_module", true },
    { "upstream_random", "http_upstream_random_module", true },
    { "upstream_keepalive", "http_upstream_keepalive_module", true },
    { "upstream_zone", "http_upstream_zone_module", true },
    { "stream", "stream", false },
    { "stream_ssl", "stream_ssl_module", false },
    { "stream_realip", "stream_realip_module", false },
    { "geoip", "http_geoip_module", false },
    { "image_filter", "http_image_filter_module", false },
    { "xslt", "http_xslt_module", false },
    { "stream_geoip", "stream_geoip_module", false },
    { "stream_ssl_preread", "stream_ssl_preread_module", false },
    { "stream_limit_conn", "stream_limit_conn_module", true },
    { "stream_access", "stream_access_module", true },
    { "stream_geo", "stream_geo_module", true },
    { "stream_map", "stream_map_module", true },
    { "stream_split_clients", "stream_split_clients_module", true },
    { "stream_return", "stream_return_module", true },
    { "stream_pass", "stream_pass_module", true },
    { "stream_set", "stream_set_module", true },
    { "stream_upstream_hash", "stream_upstream_hash_module", true },
    { "stream_upstream_least_conn", "stream_upstream_least_conn_module",
      true },
    { "stream_upstream_random", "stream_upstream_random_module", true },
    { "stream_upstream_zone", "stream_upstream_zone_module", true },
};


#ifdef __clang__
#define COMPILER  "clang " __clang_version__
#else
#define COMPILER  "gcc " __VERSION__
#endif

static char  arguments[4096];


void
lun_version_say(void)
{
    fprintf(stderr, "nginx version: %s/%s\n", LUN_PRODUCT, LUN_VERSION);
}


/* Of a program that was built to be installed, where it looks. */
static char *
write_paths(char *p, const char *end)
{
#ifdef LUN_SBIN_PATH
    p = lun_fmt(p, end, " --prefix=%s --sbin-path=%s --conf-path=%s"
                " --error-log-path=%s --http-log-path=%s --pid-path=%s",
                LUN_PREFIX, LUN_SBIN_PATH, LUN_CONF_PATH, LUN_ERROR_LOG_PATH,
                LUN_ACCESS_LOG_PATH, LUN_PID_PATH);
#else
#endif

    return p;
}


lun_str
lun_version_arguments(lun_has_module_fn *has)
{
    bool         here;
    char        *p = arguments;
    size_t       i;
    const char  *end = arguments + sizeof(arguments);

    p = write_paths(p, end);

    for (i = 0; i < LUN_ARRAY_LEN(modules); i++) {
        here = has(modules[i].name);

        if (here != modules[i].usual) {
            p = lun_fmt(p, end, " --%s-%s", here ? "with" : "without",
                        modules[i].theirs);
        }
    }

    /* Debug lines are in every build; programs look for the word. */
    p = lun_fmt(p, end, " --with-debug");

    return lun_str_of(arguments, (size_t) (p - arguments));
}


void
lun_version_say_tools(void)
{
    lun_version_say();
    fprintf(stderr, "built by " COMPILER "\n");
    fprintf(stderr, "built with %s\n", OpenSSL_version(OPENSSL_VERSION));
}


/* A line of ours, behind those that programs read. */
static void
say_libraries(void)
{
    uint32_t  brotli = BrotliEncoderVersion();

    fprintf(stderr, "built with PCRE2 %d.%d, zlib-ng %s, brotli %u.%u.%u, "
            "zstd %s, %s\n", PCRE2_MAJOR, PCRE2_MINOR, zlibng_version(),
            (unsigned) (brotli >> 24), (unsigned) (brotli >> 12 & 0xfff),
            (unsigned) (brotli & 0xfff), ZSTD_versionString(), LUAJIT_VERSION);
}


void
lun_version_say_build(lun_has_module_fn *has)
{
    lun_version_say_tools();

    if (has("ssl")) {
        fprintf(stderr, "TLS SNI support enabled\n");
    }

    fprintf(stderr, "configure arguments:%.*s\n",
            LUN_S(lun_version_arguments(has)));
    say_libraries();
}
