/*
 * version.c -- what is built in, in the words of nginx's configure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/version.c"

#include "tap.h"


/* Those that nginx builds only if it is told to. */
static const char *const  optional[] = {
    "http_ssl_module", "http_v2_module", "http_v3_module",
    "http_realip_module", "http_addition_module", "http_sub_module",
    "http_dav_module",
    "http_gunzip_module", "http_gzip_static_module",
    "http_auth_request_module", "http_random_index_module",
    "http_secure_link_module", "http_slice_module", "http_stub_status_module",
    "stream", "stream_ssl_module", "stream_realip_module",
    "stream_ssl_preread_module"
};

/* Those that it builds unless it is told not to. */
static const char *const  usual[] = {
    "http_charset_module", "http_gzip_module", "http_ssi_module",
    "http_userid_module", "http_access_module", "http_auth_basic_module",
    "http_mirror_module", "http_autoindex_module", "http_geo_module",
    "http_map_module", "http_split_clients_module", "http_referer_module",
    "http_rewrite_module", "http_proxy_module", "http_fastcgi_module",
    "http_uwsgi_module", "http_scgi_module", "http_grpc_module",
    "http_memcached_module", "http_limit_conn_module",
    "http_limit_req_module", "http_empty_gif_module", "http_browser_module",
    "http_upstream_hash_module", "http_upstream_ip_hash_module",
    "http_upstream_least_conn_module", "http_upstream_random_module",
    "http_upstream_keepalive_module", "http_upstream_zone_module",
    "stream_limit_conn_module", "stream_access_module", "stream_geo_module",
    "stream_map_module", "stream_split_clients_module",
    "stream_return_module", "stream_pass_module", "stream_set_module",
    "stream_upstream_hash_module", "stream_upstream_least_conn_module",
    "stream_upstream_random_module", "stream_upstream_zone_module"
};


static bool
has_all(const char *name)
{
    return true;
}


static bool
has_none(const char *name)
{
    return false;
}


static bool
has_gzip(const char *name)
{
    return strcmp(name, "gzip") == 0;
}


/* Whether it is one of the words of the text. */
static bool
says(lun_str text, const char *prefix, const char *name)
{
    char  whole[5000], word[64];

    snprintf(whole, sizeof(whole), "%.*s ", LUN_S(text));
    snprintf(word, sizeof(word), " --%s-%s ", prefix, name);
    return strstr(whole, word) != NULL;
}


int
main(void)
{
    size_t       i;
    lun_str      text;
    const char  *at;

    text = lun_version_arguments(has_all);
    ok(lun_str_find(text, LUN_STR("--without")) == NULL, "all are here");

    for (i = 0; i < LUN_ARRAY_LEN(optional); i++) {
        ok(says(text, "with", optional[i]), "with %s", optional[i]);
    }

    for (i = 0; i < LUN_ARRAY_LEN(usual); i++) {
        ok(!says(text, "with", usual[i]), "with %s, silently", usual[i]);
    }

    text = lun_version_arguments(has_none);
    at = lun_str_find(text, LUN_STR("--with-"));
    ok(at != NULL && says(text, "with", "debug")
       && lun_str_find(lun_str_of(at + 1, (size_t) (text.data + text.len - at)
                                          - 1), LUN_STR("--with-")) == NULL,
       "none is here, but debug lines always are");

    for (i = 0; i < LUN_ARRAY_LEN(usual); i++) {
        ok(says(text, "without", usual[i]), "without %s", usual[i]);
    }

    text = lun_version_arguments(has_gzip);
    ok(!says(text, "without", "http_gzip_module")
       && says(text, "without", "http_charset_module"),
       "each is asked for by our name for it");

    return done_testing();
}
