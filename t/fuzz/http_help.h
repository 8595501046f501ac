/*
 * http_help.h -- for targets that serve a request in memory: a generation of
 * a given text and modules, and its server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_HTTP_HELP_H
#define LUN_FUZZ_HTTP_HELP_H

#include "base/check.h"
#include "http/conf/http.h"
#include "http/engine.h"
#include "net/listen_priv.h"
#include "t/fuzz/loop.h"


/* Each byte is looked at, so that ASan sees whose it is. */
static inline void
read_all(lun_str s)
{
    size_t                  i;
    static volatile char    sink;

    for (i = 0; i < s.len; i++) {
        sink = s.data[i];
    }

    (void) sink;
}


/* Without a protocol yet. */
static inline lun_generation *
bare_generation(void)
{
    lun_pool        *pool = lun_pool_new_sized(16384);
    lun_generation  *gen = lun_pool_new(pool, lun_generation);

    gen->mark = LUN_MARK_GENERATION;
    gen->pool = pool;
    gen->prefix = LUN_STR("/none/");
    gen->conf_prefix = LUN_STR("/none/conf/");
    gen->loop = lp;
    gen->listeners = lun_listen_set_new(pool);
    gen->listeners->loop = gen->loop;
    gen->zones = lun_zone_set_new(pool);
    lun_array_init(&gen->folders, pool, sizeof(const char *), 4);
    gen->schema = lun_schema_new(pool);

    return gen;
}


static inline lun_generation *
generation(const lun_http_module_lists *modules)
{
    lun_generation  *gen = bare_generation();

    lun_http_register(gen->schema, modules);
    return gen;
}


static inline void
end_generation(lun_generation *gen)
{
    gen->mark = LUN_MARK_DEAD;
    lun_pool_free(gen->pool);
}


static inline lun_rc
read_conf(lun_generation *gen, lun_str conf, lun_log *log)
{
    size_t               i;
    lun_rc               rc;
    const lun_gen_hook  *hook;
    lun_conf_file        file = { .path = LUN_STR_INIT("/none/conf/main"),
                                  .text = conf };
    lun_conf_snapshot    snapshot = { .files = &file, .file_count = 1 };
    lun_conf             cf = {
        .gen = gen, .pool = gen->pool, .log = log, .schema = gen->schema,
        .prefix = gen->prefix, .conf_prefix = gen->conf_prefix,
        .temp = lun_pool_new_sized(16384), .snapshot = &snapshot
    };

    gen->top = lun_block_new(&cf, NULL, LUN_MAIN);
    rc = lun_conf_read_file(&cf, file.path, gen->top);

    if (rc == LUN_OK) {
        rc = lun_block_inherit(&cf, gen->top);
    }

    for (i = 0; rc == LUN_OK && i < gen->on_init.count; i++) {
        hook = lun_array_at(&gen->on_init, i);
        rc = hook->run(gen, hook->data);
    }

    for (i = 0; rc == LUN_OK && i < gen->on_zones.count; i++) {
        hook = lun_array_at(&gen->on_zones, i);
        rc = hook->run(gen, hook->data);
    }

    lun_pool_free(cf.temp);
    return rc;
}


/* The server, as the http block's only one. */
static inline lun_server *
the_server(const lun_generation *gen)
{
    const lun_block  *http = lun_http_engine_of(gen)->block, *b;

    for (b = http->first_child; b->where != LUN_SERVER; b = b->sibling) { }

    return b->owner;
}


/* A GET for that server, before its first phase. */
static inline lun_request *
new_request(lun_generation *gen, lun_conn *c, const lun_http_protocol *protocol)
{
    lun_server   *server = the_server(gen);
    lun_request  *r = lun_request_new(lun_http_engine_of(gen), c, protocol);

    r->method = LUN_GET;
    r->method_name = LUN_STR("GET");
    r->version = 1001;
    r->server = server;
    r->conf = server->conf;
    r->location = lun_http_server_of(server)->self;
    r->in.host = LUN_STR("host");
    return r;
}

/* --- a protocol's functions where there is nothing to do --- */

static inline void
nothing(lun_request *r)
{
}


static inline lun_rc
no_body(lun_request *r, lun_str *bytes)
{
    *bytes = LUN_STR_NULL;
    return LUN_OK;
}

#endif
