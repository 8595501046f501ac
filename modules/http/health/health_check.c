/*
 * health_check.c -- health_check, in a location: the servers of the upstream
 * that it passes requests to are asked from time to time.
 *
 *     location / {
 *         proxy_pass http://backend;
 *         health_check interval=2s uri=/health match=well;
 *     }
 *
 * Servers of gRPC are asked by its protocol of health checks, those of FastCGI
 * and kin only connected to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"
#include "http/upstream/upreq_passes.h"
#include "modules/common/health/health_talk.h"
#include "modules/http/health/grpc_health.h"
#include "modules/http/health/health_http.h"
#include "modules/http/health/health_match.h"
#include "session/engine.h"


extern lun_http_module  lun_http_health_check;

typedef struct {
    union {
        lun_health_check     head;
        lun_health_http      http;
        lun_health_talk      talk;         /* of a check that only connects */
    };
    bool                     grpc;
    bool                     asks_http;    /* it has words of HTTP's */
    lun_str                  service;      /* of gRPC */
    int64_t                  grpc_status;  /* that is good; 0: it serves */
    lun_str                  uri;
    const lun_health_match  *match;        /* NULL: the usual */
    lun_upreq_passes         to;
} check;

typedef struct {
    check  *check;                 /* NULL: none */
} health_conf;

/* Of an engine. */
typedef struct {
    lun_hash  matches;             /* of lun_health_match, by name */
} matches;


/* --- a check ------------------------------------------------------------- */

static const check *
check_of(const lun_health_http *http)
{
    return lun_container_of(http, check, http);
}


static bool
wants_body(const lun_health_http *http)
{
    const check  *k = check_of(http);

    return k->grpc || lun_health_match_wants_body(k->match);
}


static const char *
judge(const lun_health_http *check_, const lun_http_answer *http,
    lun_str body)
{
    const char   *doing;
    const check  *k = check_of(check_);

    if (k->grpc) {
        return lun_grpc_health_judge(http, body, k->grpc_status);
    }

    doing = lun_health_match_head(k->match, http->status, &http->fields);
    return doing != NULL ? doing : lun_health_match_body(k->match, body);
}


/* The name that a certificate has to be for; with variables it is the
   address's. */
static lun_str
tls_name(const check *k)
{
    lun_str                  name;
    const lun_upstream_tls  *tls = &k->to.conf->tls;

    name = tls->name != NULL ? lun_script_text(tls->name) : LUN_STR_NULL;
    return name.len != 0 && !lun_script_has_variables(name)
           ? name : k->to.address->url.host;
}


static void
plan(const lun_health_http *http, lun_pool *pool, lun_health_http_plan *p)
{
    const check              *k = check_of(http);
    const lun_upreq_conf     *conf = k->to.conf;
    const lun_upreq_scheme   *scheme = k->to.address->url.scheme;
    lun_http_client_options  *o = &p->client;

    o->connect_timeout = conf->connect_timeout;
    o->answer_timeout = conf->read_timeout;
    o->timeout = conf->connect_timeout + conf->send_timeout
                 + conf->read_timeout;
    o->header_size = lun_max(conf->buffer_size, (size_t) 4096);
    o->http2 = k->grpc;

    if (scheme->tls) {
        o->ctx = conf->tls.ctx;
        o->insecure = !conf->tls.verify;
        o->tls_name = tls_name(k);
        o->tls_nameless = !conf->tls.server_name;
    }

    p->fields = &k->to.fields;
    p->url = lun_pool_fmt(pool, "%s://%.*s%.*s",
                          scheme->tls ? "https" : "http", LUN_S(k->to.host),
                          LUN_S(k->grpc ? LUN_STR(LUN_GRPC_HEALTH_PATH)
                                        : k->uri));
    p->body = k->grpc ? lun_grpc_health_question(pool, k->service)
                      : LUN_STR("");
}


/* --- the configuration --------------------------------------------------- */

static matches *
matches_of(lun_conf *cf)
{
    matches  *m = lun_module_data(cf->engine, &lun_http_health_check.head);

    if (m == NULL) {
        m = lun_pool_new(cf->pool, matches);
        lun_hash_init(&m->matches, cf->pool, 0, true);
        lun_module_set_data(cf->engine, &lun_http_health_check.head, m);
    }

    return m;
}


static lun_rc
set_match(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str            name = cf->args[1];
    matches           *all = matches_of(cf);
    lun_health_match  *m;

    if (lun_hash_get(&all->matches, name) != NULL) {
        return lun_conf_fail(cf, "duplicate match \"%.*s\"", LUN_S(name));
    }

    m = lun_health_match_read(cf, name);

    if (m == NULL) {
        return LUN_ERROR;
    }

    lun_hash_set(&all->matches, m->name, m);
    return LUN_OK;
}


/* Behind type=grpc only these may stand. */
static lun_rc
read_grpc_word(check *k, lun_str word)
{
    lun_str  text;

    if (lun_str_after(word, LUN_STR("grpc_service="), &text)) {
        k->service = text;
        return LUN_OK;
    }

    return lun_str_after(word, LUN_STR("grpc_status="), &text)
           && lun_str_to_i64(text, &k->grpc_status) == LUN_OK
           && k->grpc_status >= 0 ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_word(lun_conf *cf, check *k, lun_str word)
{
    lun_str  text;
    lun_rc   rc = k->grpc ? LUN_AGAIN
                          : lun_health_check_read(cf, &k->head, word);

    if (rc != LUN_AGAIN) {
        return rc;
    }

    if (k->grpc) {
        rc = read_grpc_word(k, word);

    } else if (lun_str_eq(word, LUN_STR("type=grpc"))) {
        rc = LUN_OK;
        k->grpc = true;

    } else if (lun_str_after(word, LUN_STR("uri="), &text)) {
        rc = lun_str_starts(text, LUN_STR("/")) ? LUN_OK : LUN_ERROR;
        k->uri = text;
        k->asks_http = true;

    } else if (lun_str_after(word, LUN_STR("keepalive_time="), &text)) {
        rc = lun_str_to_msec(text, &k->http.keepalive);
    }

    return rc == LUN_OK ? rc
           : lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static lun_rc
set_check(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        i;
    check        *k = lun_pool_new(cf->pool, check);
    health_conf  *conf = data;

    lun_health_check_init(cf, &k->head);
    k->head.probe = &lun_health_http_probe;
    k->http.plan = plan;
    k->http.wants_body = wants_body;
    k->http.judge = judge;
    k->uri = LUN_STR("/");
    conf->check = k;

    for (i = 1; i < cf->argc; i++) {
        if (read_word(cf, k, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    k->asks_http |= k->head.name.len != 0;

    return !k->grpc || (!k->asks_http && k->http.keepalive == 0) ? LUN_OK
           : lun_conf_fail(cf, "\"type=grpc\" is not compatible with \"uri\", "
                           "\"match\" and \"keepalive_time\"");
}


/* What speaks no HTTP is connected to, and that is all. */
static lun_rc
only_connect(lun_conf *cf, check *k)
{
    static const bool    plain;
    static const size_t  little = 1;

    if (k->asks_http || k->grpc || k->http.keepalive != 0) {
        return lun_conf_fail_at(cf, k->head.file, k->head.line, "servers of "
                                "\"%s_pass\" are only connected to by "
                                "\"health_check\": \"uri\", \"match\", "
                                "\"type\" and \"keepalive_time\" require "
                                "\"proxy_pass\" or \"grpc_pass\"",
                                k->to.name);
    }

    k->talk = (lun_health_talk) { .head = k->head };
    k->head.probe = &lun_health_talk_probe;
    k->talk.name = k->head.upstream->name;
    k->talk.secure = &plain;
    k->talk.in_size = &little;
    k->talk.timeout = &k->to.conf->connect_timeout;
    return LUN_OK;
}


static void
add_field(check *k, lun_str name, lun_str value)
{
    lun_http_field  *f = lun_array_push(&k->to.fields);

    f->name = name;
    f->value = value;
}


/* Where the location's requests go. */
static lun_rc
find_target(lun_conf *cf, check *k)
{
    lun_upstream           *u;
    const lun_location     *loc = cf->block->owner;
    const lun_http_module  *m = loc->answers;

    if (m == NULL || m->passes == NULL
        || !m->passes(cf->pool, cf->block->confs[m->index], &k->to))
    {
        return lun_conf_fail_at(cf, k->head.file, k->head.line,
                                "\"health_check\" requires \"proxy_pass\" or "
                                "another \"..._pass\" without variables in its "
                                "location");
    }

    u = k->to.address->upstream;

    if (u == NULL) {
        return lun_conf_fail_at(cf, k->head.file, k->head.line,
                                "\"health_check\" requires an upstream "
                                "without variables");
    }

    k->head.upstream = u->same != NULL ? u->same : u;

    if (k->to.host.data == NULL) {
        k->to.host = k->to.address->url.host_header;
    }

    if (k->grpc) {
        add_field(k, LUN_STR("content-type"), LUN_STR("application/grpc"));
    }

    return k->to.speaks == LUN_PASSES_OTHER ? only_connect(cf, k) : LUN_OK;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    check        *k;
    health_conf  *conf = data;

    k = conf->check;

    if (k == NULL) {
        return LUN_OK;
    }

    if (k->head.name.len != 0) {
        k->match = lun_hash_get(&matches_of(cf)->matches, k->head.name);

        if (k->match == NULL) {
            return lun_conf_fail_at(cf, k->head.file, k->head.line,
                                    "match \"%.*s\" is not defined",
                                    LUN_S(k->head.name));
        }
    }

    return find_target(cf, k) == LUN_OK
           ? lun_health_check_finish(cf, &k->head) : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "health_check", .where = LUN_LOCATION, .args = 0,
      .args_max = LUN_ARGS_ANY, .set = set_check,
      .values = "[parameters]",
      .help = "asks the servers of the upstream how they are" },
    { .name = "match", .where = LUN_HTTP, .args = 1, .block = true,
      .repeats = true, .set = set_match,
      .values = "name",
      .help = "what an answer to a health check has to be like" },
    { 0 }
};

lun_http_module  lun_http_health_check = {
    .name = "health_check",
    .directives = directives,
    .conf_size = sizeof(health_conf),
    .inherited = inherited,
};
