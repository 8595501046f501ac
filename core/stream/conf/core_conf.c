/*
 * core_conf.c -- the stream core's settings.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "stream/conf/core_conf.h"

#include "config/log_conf.h"
#include "stream/conf/stream_conf.h"


enum { LEVELS = LUN_STREAM_LEVELS };


static lun_rc
set_error_log(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_stream_core_conf  *core = conf;

    if (core->error_log == NULL) {
        core->error_log = lun_pool_new(cf->pool, lun_log);
    }

    return lun_conf_error_log(cf, core->error_log);
}


#define F(field)  LUN_FIELD(lun_stream_core_conf, field)

/* Sizes of tables that grow by themselves. */
#define IGNORED(name_)                                                        \
    { .name = name_, .where = LUN_STREAM, .args = 1, .set = lun_set_ignored,  \
      .help = "without effect here" }

static const lun_directive  directives[] = {
    { .name = "preread_buffer_size", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(preread_buffer_size), .fallback = "16k",
      .help = "room for what is looked at" },
    { .name = "preread_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(preread_timeout), .fallback = "30s",
      .help = "how long that may take" },
    { .name = "proxy_protocol_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(proxy_protocol_timeout), .fallback = "30s",
      .help = "how long the PROXY header may take to come" },
    { .name = "tcp_nodelay", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(tcp_nodelay), .fallback = "on",
      .help = "sends small pieces at once" },
    { .name = "resolver", .where = LEVELS | LUN_STREAM_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_resolver, F(resolver),
      .values = "address ... [valid=time] [ipv4=on|off] [ipv6=on|off] "
                "[status_zone=zone]",
      .help = "servers that names are looked up at" },
    { .name = "resolver_timeout", .where = LEVELS | LUN_STREAM_UPSTREAM,
      .args = 1, .set = lun_set_msec, F(resolver_timeout), .fallback = "30s",
      .help = "how long that may take" },
    { .name = "error_log", .where = LEVELS, .args = 1, .args_max = 6,
      .repeats = true, .set = set_error_log, F(error_log),
      .values = "file [level] [json] [rotate=size] [rotate=time] [keep=number]",
      .help = "where errors are logged, and from which level on" },
    IGNORED("variables_hash_max_size"),
    IGNORED("variables_hash_bucket_size"),
    IGNORED("server_names_hash_max_size"),
    IGNORED("server_names_hash_bucket_size"),
    { 0 }
};

lun_module  lun_stream_core = {
    .name = "stream_core",
    .always = true,
    .directives = directives,
    .conf_size = sizeof(lun_stream_core_conf),
    .variables = lun_stream_variables,
};
