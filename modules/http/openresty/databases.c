/*
 * databases.c -- directives of drizzle and postgres, which speak to databases
 * from the configuration: scripts do that here, and each says how.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"


static lun_rc
refuse(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_conf_fail(cf, "\"%s\" is not supported: scripts speak to %s",
                         d->name, (const char *) d->data);
}


enum {
    ALL = LUN_HTTP_LEVELS | LUN_UPSTREAM | LUN_SERVER_IF | LUN_LOCATION_IF
};

#define NAME(text, instead)                                                   \
    { .name = text, .where = ALL, .args_max = LUN_ARGS_ANY, .set = refuse,    \
      .data = instead, .values = "...", .help = "not supported: " instead }

#define DRIZZLE(text)   NAME("drizzle_" text, "MySQL by resty.mysql")
#define POSTGRES(text)  NAME("postgres_" text, "PostgreSQL by pgmoon")

static const lun_directive  directives[] = {
    DRIZZLE("server"), DRIZZLE("keepalive"), DRIZZLE("query"),
    DRIZZLE("dbname"), DRIZZLE("pass"), DRIZZLE("connect_timeout"),
    DRIZZLE("send_query_timeout"), DRIZZLE("recv_cols_timeout"),
    DRIZZLE("recv_rows_timeout"), DRIZZLE("module_header"),
    DRIZZLE("buffer_size"), DRIZZLE("status"),
    POSTGRES("server"), POSTGRES("keepalive"), POSTGRES("pass"),
    POSTGRES("query"), POSTGRES("rewrite"), POSTGRES("output"),
    POSTGRES("set"), POSTGRES("escape"), POSTGRES("connect_timeout"),
    POSTGRES("result_timeout"),
    { 0 }
};

lun_http_module  lun_http_databases = {
    .name = "databases",
    .directives = directives,
};
