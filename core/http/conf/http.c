/*
 * http.c -- the http block: servers and locations as modules' directives, and
 * what follows when all of it is read.
 *
 * Reading makes the tree of blocks.  At its end names, addresses, phases and
 * filters are lined up; when the tree has inherited, each server and location
 * learns where its conf is, and every variable must have a meaning.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/http.h"

#include "http/accept/accept.h"
#include "http/accept/place.h"
#include "http/accept/protocols.h"
#include "http/accept/server_metrics.h"
#include "http/conf/core_conf.h"
#include "http/conf/http_conf.h"
#include "http/h3/h3.h"


static lun_set_fn  set_http, set_server;

static const lun_directive  directives[] = {
    { .name = "http", .where = LUN_MAIN, .block = true, .set = set_http,
      .help = "the block of HTTP" },
    { .name = "server", .where = LUN_HTTP, .block = true, .repeats = true,
      .set = set_server,
      .help = "a site, or one server of an upstream" },
    { .name = "location", .where = LUN_SERVER | LUN_LOCATION, .args = 1,
      .args_max = 2, .block = true, .repeats = true,
      .set = lun_set_location,
      .values = "[= | ~ | ~* | ^~] uri | @name",
      .help = "what holds for a part of the site" },
    { .name = "listen", .where = LUN_SERVER, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_set_listen,
      .values = "address[:port] | port | unix:path [default_server] [ssl] "
                "[quic] [parameters]",
      .help = "an address that is listened at" },
    { .name = "server_name", .where = LUN_SERVER, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_set_server_name,
      .values = "name ...",
      .help = "names of the site" },
    { 0 }
};

lun_http_module  lun_http_blocks = {
    .name = "http",
    .directives = directives,
};


/* "http2". */
static bool
read_listen_word(lun_conf *cf, lun_str word, unsigned *own, lun_rc *rc)
{
    if (lun_str_eq(word, LUN_STR("http2"))) {
        lun_conf_warn(cf, "the \"listen ... http2\" directive is deprecated, "
                      "use the \"http2\" directive instead");
        *own |= LUN_HTTP_LISTEN_H2;
        return true;
    }

    return false;
}


static lun_resolver *
resolver_of(lun_engine *e, const lun_server *server, lun_msec *timeout)
{
    const lun_core_conf  *core = server->conf[lun_http_core.index];

    *timeout = core->resolver_timeout;
    return lun_name_servers_resolver(e, core->resolver);
}


static const lun_log *
error_log_of(const lun_server *server)
{
    const lun_core_conf  *core = server->conf[lun_http_core.index];

    return core->error_log;
}


static const lun_listen_protocol  listening = {
    .take = lun_http_accept,
    .adopt = lun_http_adopt,
    .quic = &lun_h3_service,
    .port = 80,
    .implied = true,
    .word = read_listen_word,
    .alpn = lun_http_alpn,
    .session = lun_http_handshake_session,
    .end_session = lun_http_end_handshake_session,
    .resolver = resolver_of,
    .error_log = error_log_of,
};


/* Where each server's and location's conf is, once it stays there. */
static void
finish_locations(lun_block *b)
{
    lun_block        *child;
    lun_location     *loc;
    lun_http_server  *server;

    if (b->owner != NULL && b->where == LUN_SERVER) {
        server = b->owner;
        server->conf = server->self->conf = b->confs;

    } else if (b->owner != NULL
               && (b->where & (LUN_LOCATION | LUN_SERVER_IF | LUN_LOCATION_IF
                               | LUN_LIMIT_EXCEPT)))
    {
        loc = b->owner;
        loc->block = b;
        loc->conf = b->confs;
    }

    for (child = b->first_child; child != NULL; child = child->sibling) {
        finish_locations(child);
    }
}


lun_rc
lun_http_finish_conf(lun_engine *e)
{
    finish_locations(e->block);
    return LUN_OK;
}


static lun_rc
read_http(lun_conf *cf, lun_http_engine *e)
{
    lun_block  *block;

    lun_var_add_table(cf, lun_core_variables);
    lun_var_add_table(cf, lun_family_variables);

    if (lun_conf_read_block(cf, LUN_HTTP, NULL, &block) != LUN_OK) {
        return LUN_ERROR;
    }

    e->block = block;

    if (lun_listen_conf_finish(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    return lun_http_engine_read(cf, block);
}


static lun_rc
set_http(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rc            rc;
    lun_http_engine  *e = lun_http_engine_new(cf);

    e->listening = &listening;
    rc = read_http(cf, e);
    cf->engine = NULL;

    return rc;
}


static lun_rc
set_server(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_http_server  *server = lun_pool_new(cf->pool, lun_http_server);

    /* From here on modules ask for the conf of http from inside others. */
    lun_http_engine_of(cf->gen)->block = cf->block;

    server->name = LUN_STR("");
    server->self = lun_pool_new(cf->pool, lun_location);
    server->self->match = LUN_MATCH_NONE;
    server->self->name = LUN_STR("");

    if (lun_conf_read_block(cf, LUN_SERVER, server, &server->block)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    server->self->block = server->block;

    if (server->locations != NULL) {
        lun_location_map_finish(cf, server->locations);
    }

    lun_server_conf_end(cf, &server->head);

    if (lun_listen_conf_end(cf, &server->head) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_server_want_metrics(cf, server);
    return LUN_OK;
}
