/*
 * pass.c -- pass address: the connection goes to another server { } of this
 * configuration, of stream or http, as if it had been accepted there.
 *
 *     pass 127.0.0.1:8000;
 *
 * What was read of it, and TLS that was spoken by then, goes along; as with
 * nginx, not what was read over TLS.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "base/check.h"
#include "session/script.h"
#include "session/upstream/balance.h"
#include "stream/stream_session.h"


enum { MOST_PASSES = 10 };

typedef struct {
    lun_script  *address;
} pass_conf;

extern lun_module  lun_stream_pass_module;


/* Who listens there: on that very address, or on all of that port. */
static lun_listener *
find_listener(const lun_session *s, const lun_addr *addr)
{
    lun_addr         any = { .family = addr->family, .port = addr->port };
    lun_listener    *l;
    lun_listen_set  *set = s->engine->gen->listeners;
    lun_listener  *(*find)(const lun_listen_set *, const lun_addr *);

    find = s->conn->datagram ? lun_listen_find_datagrams : lun_listen_find;
    l = find(set, addr);

    if (l == NULL && addr->family != LUN_AF_UNIX) {
        l = find(set, &any);
    }

    return l != NULL && l->adopt != NULL ? l : NULL;
}


static bool
read_address(const lun_session *s, lun_str text, lun_addr *addr)
{
    const char          *why;
    lun_upstream_place   place;

    why = lun_upstream_parse(s->pool, text, 0, &place);

    if (why == NULL && !place.numeric) {
        why = "no addresses";

    } else if (why == NULL && place.addr.family != LUN_AF_UNIX
               && place.port == 0)
    {
        why = "no port";
    }

    if (why != NULL) {
        lun_log(LUN_LOG_ERR, s->log, 0, "%s in pass \"%.*s\"", why,
                LUN_S(text));
        return false;
    }

    *addr = place.addr;
    return true;
}


/* A handler has begun to read, and has not waited for it. */
static bool
is_busy(const lun_conn *c)
{
    return lun_conn_reading(c) || lun_conn_writing(c);
}


/*
 * What was read of a plain connection goes along in its buffer, what a layer
 * (TLS) has read does not.  MOST_PASSES ends a circle of servers that pass to
 * each other.
 */
static lun_verdict
on_content(lun_session *s)
{
    lun_str           text;
    lun_addr          addr;
    lun_conn         *c = s->conn;
    lun_listener     *l;
    const pass_conf  *conf = lun_session_conf(s, &lun_stream_pass_module);

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    s->log->doing = "passing connection to port";
    text = lun_script_run(s, conf->address);

    if (!read_address(s, text, &addr)) {
        return LUN_STATUS + 500;
    }

    if ((!lun_conn_is_plain(c) && c->in.pos != c->in.last) || is_busy(c)
        || c->passes == MOST_PASSES)
    {
        lun_log(LUN_LOG_ERR, s->log, 0, "cannot pass connection");
        return LUN_STATUS + 500;
    }

    l = find_listener(s, &addr);

    if (l == NULL) {
        lun_log(LUN_LOG_ERR, s->log, 0, "port not found for \"%.*s\"",
                LUN_S(text));
        return LUN_STATUS + 500;
    }

    c->passes++;
    c->local = addr;
    c->local_known = true;
    lun_stream_pass(lun_stream_session_of(s), l);

    return LUN_WAIT;
}


static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_stream_set_content(cf, on_content);
    return lun_set_script(cf, d, conf);
}


static const lun_directive  directives[] = {
    { .name = "pass", .where = LUN_STREAM_SERVER, .args = 1,
      .set = set_pass, LUN_FIELD(pass_conf, address),
      .values = "address",
      .help = "hands the connection on to another server" },
    { 0 }
};

lun_module  lun_stream_pass_module = {
    .name = "stream_pass",
    .directives = directives,
    .conf_size = sizeof(pass_conf),
};
