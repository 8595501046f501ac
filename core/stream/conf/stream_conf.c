/*
 * stream_conf.c -- the blocks stream and server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "stream/conf/stream_conf.h"

#include "stream/conf/core_conf.h"
#include "stream/server_sessions.h"
#include "stream/stream.h"


static lun_set_fn  set_stream, set_server;

static const lun_directive  directives[] = {
    { .name = "stream", .where = LUN_MAIN, .block = true,
      .set = set_stream,
      .help = "the block of TCP and UDP" },
    { .name = "server", .where = LUN_STREAM, .block = true, .repeats = true,
      .set = set_server,
      .help = "a site, or one server of an upstream" },
    { .name = "listen", .where = LUN_STREAM_SERVER, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_set_listen,
      .values = "address:port | port | unix:path [ssl] [udp] [parameters]",
      .help = "an address that is listened at" },
    { .name = "server_name", .where = LUN_STREAM_SERVER, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_set_server_name,
      .values = "name ...",
      .help = "names of the site" },
    { 0 }
};

lun_module  lun_stream_blocks = {
    .name = "stream",
    .always = true,
    .directives = directives,
};

static lun_module *const  *modules;    /* of the program */


void
lun_stream_register(lun_schema *schema, lun_module *const *list)
{
    modules = list;
    lun_protocol_register(schema, &lun_stream_protocol, list);
}


/* It has no word of its own: `udp` is one that its `begin` allows. */
static bool
read_listen_word(lun_conf *cf, lun_str word, unsigned *own, lun_rc *rc)
{
    return false;
}


/* In a handshake: from here on the session is that one's. */
static lun_server *
on_named(lun_conn *c, lun_str host)
{
    lun_stream_session  *s = lun_stream_session_at(c);

    /* Captures of a name's pattern are views into it. */
    lun_stream_choose_server(s, lun_pool_str(s->pool, host));
    return s->server;
}


static lun_session *
session_of(lun_conn *c)
{
    return &lun_stream_session_at(c)->session;
}


static lun_resolver *
resolver_of(lun_engine *e, const lun_server *server, lun_msec *timeout)
{
    const lun_stream_core_conf  *core = server->conf[lun_stream_core.index];

    *timeout = core->resolver_timeout;
    return lun_name_servers_resolver(e, core->resolver);
}


static const lun_log *
error_log_of(const lun_server *server)
{
    const lun_stream_core_conf  *core = server->conf[lun_stream_core.index];

    return core->error_log;
}


static const lun_listen_protocol  listening = {
    .take = lun_stream_accept,
    .adopt = lun_stream_adopt,
    .begin = lun_stream_adopt,
    .word = read_listen_word,
    .named = on_named,
    .session = session_of,
    .resolver = resolver_of,
    .error_log = error_log_of,
};


/* Where each server's conf is, once it stays there. */
lun_rc
lun_stream_finish_conf(lun_engine *e)
{
    lun_block          *b;
    lun_stream_server  *server;

    for (b = e->block->first_child; b != NULL; b = b->sibling) {
        if (b->where != LUN_STREAM_SERVER) {
            continue;
        }

        server = b->owner;
        server->conf = b->confs;
    }

    return LUN_OK;
}


static void
free_spares(void *data)
{
    lun_stream_engine  *e = data;

    while (e->spare_count > 0) {
        lun_pool_free(e->spares[--e->spare_count]);
    }
}


static lun_rc
read_stream(lun_conf *cf, lun_stream_engine *e)
{
    lun_block  *block;

    if (lun_conf_read_block(cf, LUN_STREAM, NULL, &block) != LUN_OK) {
        return LUN_ERROR;
    }

    e->block = block;

    if (lun_listen_conf_finish(cf) != LUN_OK
        || lun_engine_read(cf, block) != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_stream_line_up(e, cf->pool);
    return LUN_OK;
}


static lun_rc
set_stream(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rc              rc;
    lun_stream_engine  *e = lun_pool_new(cf->pool, lun_stream_engine);

    lun_pool_on_end(cf->pool, free_spares, e);
    lun_engine_init(cf, &e->head, &lun_stream_protocol, modules);
    e->listening = &listening;
    lun_hash_init(&e->tls_zones, cf->pool, 0, false);
    lun_metric_declare(cf->gen->metrics, lun_stream_server_metrics);
    lun_stream_add_status(cf->gen);

    rc = read_stream(cf, e);
    cf->engine = NULL;

    return rc;
}


static lun_rc
set_server(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_stream_server  *server = lun_pool_new(cf->pool, lun_stream_server);

    /* From here on modules ask for the conf of stream from inside others. */
    cf->engine->block = cf->block;
    server->name = LUN_STR("");

    if (lun_conf_read_block(cf, LUN_STREAM_SERVER, server, &server->block)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_server_conf_end(cf, &server->head);

    if (lun_listen_conf_end(cf, &server->head) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_stream_want_metrics(cf, server);
    return LUN_OK;
}


void
lun_stream_set_content(lun_conf *cf, lun_phase_fn *content)
{
    lun_stream_server  *server = cf->block->owner;

    server->content = content;
}
