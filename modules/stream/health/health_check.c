/*
 * health_check.c -- health_check, in a server of stream: the servers that it
 * passes sessions to are connected to from time to time; if that is said, they
 * are sent something, and have to answer.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/health/health_talk.h"
#include "modules/stream/health/health_match.h"
#include "session/engine.h"
#include "stream/conf/core_conf.h"
#include "stream/stream_session.h"


extern lun_module  lun_stream_health_check;

typedef struct {
    lun_health_talk          talk;
    const lun_stream_match  *match;        /* NULL: it is enough to connect */
} check;

typedef struct {
    check     *check;              /* NULL: none */
    lun_msec   timeout;            /* health_check_timeout */
} health_conf;

/* Of an engine. */
typedef struct {
    lun_hash  matches;             /* of lun_stream_match, by name */
} matches;


static lun_health_heard
hear(const lun_health_talk *talk, lun_str heard)
{
    const check  *k = lun_container_of(talk, check, talk);

    return lun_stream_match_fits(k->match, heard) ? LUN_HEALTH_PASSES
                                                  : LUN_HEALTH_MORE;
}


/* --- the configuration --------------------------------------------------- */

static matches *
matches_of(lun_conf *cf)
{
    matches  *m = lun_module_data(cf->engine, &lun_stream_health_check);

    if (m == NULL) {
        m = lun_pool_new(cf->pool, matches);
        lun_hash_init(&m->matches, cf->pool, 0, true);
        lun_module_set_data(cf->engine, &lun_stream_health_check, m);
    }

    return m;
}


static lun_rc
set_match(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str            name = cf->args[1];
    matches           *all = matches_of(cf);
    lun_stream_match  *m;

    if (lun_hash_get(&all->matches, name) != NULL) {
        return lun_conf_fail(cf, "duplicate match \"%.*s\"", LUN_S(name));
    }

    m = lun_stream_match_read(cf, name);

    if (m == NULL) {
        return LUN_ERROR;
    }

    lun_hash_set(&all->matches, m->name, m);
    return LUN_OK;
}


static lun_rc
set_check(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        i;
    check        *k = lun_pool_new(cf->pool, check);
    lun_rc        rc;
    health_conf  *conf = data;

    lun_health_check_init(cf, &k->talk.head);
    k->talk.head.probe = &lun_health_talk_probe;
    conf->check = k;

    for (i = 1; i < cf->argc; i++) {
        if (lun_str_eq(cf->args[i], LUN_STR("udp"))) {
            k->talk.udp = true;
            continue;
        }

        rc = lun_health_check_read(cf, &k->talk.head, cf->args[i]);

        if (rc == LUN_AGAIN) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        if (rc != LUN_OK) {
            return rc;
        }
    }

    return LUN_OK;
}


static lun_rc
find_target(lun_conf *cf, check *k)
{
    lun_upstream             *u = NULL;
    const lun_stream_server  *server = cf->block->owner;

    if (server->passes.upstream != NULL) {
        u = *server->passes.upstream;
    }

    if (u == NULL) {
        return lun_conf_fail_at(cf, k->talk.head.file, k->talk.head.line,
                                "\"health_check\" requires \"proxy_pass\" "
                                "without variables in its server");
    }

    u = u->same != NULL ? u->same : u;
    k->talk.head.upstream = u;
    k->talk.name = u->name;
    k->talk.tls = server->passes.tls;
    k->talk.secure = server->passes.speaks_tls;
    k->talk.in_size = server->passes.buffer_size;
    return LUN_OK;
}


/*
 * Only a server's own level checks: the same directive further out is its
 * default.
 */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    check        *k;
    health_conf  *conf = data;

    k = conf->check;

    if (k == NULL || cf->block->where != LUN_STREAM_SERVER) {
        return LUN_OK;
    }

    k->talk.timeout = &conf->timeout;
    k->talk.text = k->talk.udp ? LUN_STR("nginx health check") : LUN_STR("");

    if (k->talk.head.name.len != 0) {
        k->match = lun_hash_get(&matches_of(cf)->matches, k->talk.head.name);

        if (k->match == NULL) {
            return lun_conf_fail_at(cf, k->talk.head.file, k->talk.head.line,
                                    "match \"%.*s\" is not defined",
                                    LUN_S(k->talk.head.name));
        }

        if (k->match->sends) {
            k->talk.text = k->match->send;
        }

        k->talk.hear = k->match->expects ? hear : NULL;
    }

    return find_target(cf, k) == LUN_OK
           ? lun_health_check_finish(cf, &k->talk.head) : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "health_check", .where = LUN_STREAM_SERVER, .args = 0,
      .args_max = LUN_ARGS_ANY, .set = set_check,
      .values = "[parameters]",
      .help = "asks the servers of the upstream how they are" },
    { .name = "health_check_timeout",
      .where = LUN_STREAM | LUN_STREAM_SERVER, .args = 1, .set = lun_set_msec,
      LUN_FIELD(health_conf, timeout), .fallback = "5s",
      .help = "how long a health check may take" },
    { .name = "match", .where = LUN_STREAM, .args = 1, .block = true,
      .repeats = true, .set = set_match,
      .values = "name",
      .help = "what a server is sent by a health check, and has to answer" },
    { 0 }
};

lun_module  lun_stream_health_check = {
    .name = "stream_health_check",
    .directives = directives,
    .conf_size = sizeof(health_conf),
    .inherited = inherited,
};
