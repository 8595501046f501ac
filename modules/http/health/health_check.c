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

#include "client/http_client.h"
#include "http/module.h"
#include "http/upstream/upreq_passes.h"
#include "modules/common/upstream/health_talk.h"
#include "modules/http/health/grpc_health.h"
#include "modules/http/health/health_match.h"
#include "os/clock.h"
#include "session/engine.h"


extern lun_http_module  lun_http_health_check;

enum { IDLE_MORE = 10000 };        /* ms that a kept connection may wait beyond
                                      the interval */

typedef struct {
    union {
        lun_health_check     head;
        lun_health_talk      talk;         /* of a check that only connects */
    };
    bool                     grpc;
    bool                     asks_http;    /* it has words of HTTP's */
    lun_str                  service;      /* of gRPC */
    int64_t                  grpc_status;  /* that is good; 0: it serves */
    lun_str                  uri;
    lun_msec                 keepalive;    /* 0: each check connects */
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

/* In the worker that has the duty. */
typedef struct {
    lun_http_client  *client;
    lun_str           url;
    lun_str           body;        /* "": a GET */
} work;

/* A check of a server that is under way. */
typedef struct {
    lun_pool      *pool;
    lun_http_ask  *ask;
    char          *body;           /* malloc'ed; NULL: nobody wants it */
    size_t         len;
} inquiry;


/* --- a check ------------------------------------------------------------- */

static const check *
check_of(const lun_health_peer *p)
{
    return lun_container_of(p->checker->check, check, head);
}


/* The server has said this much, which is enough. */
static const char *
judge(const check *k, const inquiry *q, const lun_http_answer *http)
{
    const char  *doing;

    if (k->grpc) {
        return lun_grpc_health_judge(http, lun_str_of(q->body, q->len),
                                     k->grpc_status);
    }

    doing = lun_health_match_head(k->match, http->status, &http->fields);
    return doing != NULL ? doing
           : lun_health_match_body(k->match, lun_str_of(q->body, q->len));
}


static void
free_inquiry(inquiry *q)
{
    lun_free(q->body);
    lun_free(q);
}


static void
finish(lun_health_peer *p, const char *doing)
{
    free_inquiry(p->asking);
    p->asking = NULL;
    lun_health_answer(p, doing);
}


/* What was being done when it failed. */
static const char *
doing_at(const lun_http_client_answer *a)
{
    switch (a->verdict) {

    case LUN_HTTP_UNREACHED:
        return "connecting to upstream";

    case LUN_HTTP_UNTRUSTED:
        return "SSL handshaking to upstream";

    default:
        return a->http == NULL ? "reading response header from upstream"
                               : "reading response body from upstream";
    }
}


static void
on_answer(void *data, const lun_http_client_answer *a)
{
    const char       *doing;
    lun_health_peer  *p = data;

    doing = a->verdict == LUN_HTTP_ANSWERED
            ? judge(check_of(p), p->asking, a->http) : doing_at(a);
    finish(p, doing);
}


/* A connection that may be kept is read to the end. */
static bool
on_piece(void *data, const lun_http_answer *http, lun_str piece)
{
    const char       *doing;
    inquiry          *q;
    const check      *k;
    lun_health_peer  *p = data;

    q = p->asking;
    k = check_of(p);

    if (q->body != NULL) {
        piece.len = lun_min(piece.len, LUN_HEALTH_BODY - q->len);
        memcpy(q->body + q->len, piece.data, piece.len);
        q->len += piece.len;
    }

    if (k->keepalive != 0 || k->grpc || (q->body != NULL && q->len < LUN_HEALTH_BODY)) {
        return true;
    }

    doing = judge(k, q, http);
    finish(p, doing);
    return false;
}


/* A connection is used for so long, and then another one. */
static bool
wants_fresh(lun_health_peer *p, const check *k)
{
    if (lun_clock.mono - p->kept_since < k->keepalive) {
        return false;
    }

    p->kept_since = lun_clock.mono;
    return true;
}


static void
ask(lun_health_peer *p)
{
    inquiry      *q = lun_calloc(sizeof(inquiry));
    const work   *w = p->checker->work;
    const check  *k = check_of(p);

    if (k->grpc || lun_health_match_wants_body(k->match)) {
        q->body = lun_malloc(LUN_HEALTH_BODY);
    }

    p->asking = q;
    q->ask = lun_http_client_ask(w->client, &(lun_http_client_question) {
        .url = w->url,
        .address = &p->addr,
        .fields = k->to.fields.items,
        .field_count = k->to.fields.count,
        .body = w->body,
        .idle = true,
        .fresh = k->keepalive != 0 && wants_fresh(p, k),
        .log = &p->log,
        .piece = on_piece,
        .done = on_answer,
        .data = p
    });
}


static void
cancel(lun_health_peer *p)
{
    inquiry  *q = p->asking;

    lun_http_client_cancel(q->ask);
    free_inquiry(q);
    p->asking = NULL;
}


/* --- its worker ---------------------------------------------------------- */

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
begin(lun_health_checker *c)
{
    work                     *w = lun_pool_new(c->pool, work);
    const check              *k = lun_container_of(c->check, check, head);
    const lun_upreq_conf     *conf = k->to.conf;
    const lun_upreq_scheme   *scheme = k->to.address->url.scheme;
    lun_http_client_options   options = {
        .role = "",
        .user_agent = LUN_PRODUCT " (health check)",
        .connect_timeout = conf->connect_timeout,
        .answer_timeout = conf->read_timeout,
        .timeout = conf->connect_timeout + conf->send_timeout
                   + conf->read_timeout,
        .body_size = INT64_MAX,
        .header_size = lun_max(conf->buffer_size, (size_t) 4096)
    };

    if (scheme->tls) {
        options.ctx = conf->tls.ctx;
        options.insecure = !conf->tls.verify;
        options.tls_name = tls_name(k);
        options.tls_nameless = !conf->tls.server_name;
    }

    if (k->grpc) {
        options.http2 = true;
        w->body = lun_grpc_health_question(c->pool, k->service);
    }

    if (k->keepalive != 0) {
        options.keep = INT16_MAX;
        options.keep_for = k->head.interval + k->head.jitter + IDLE_MORE;
    }

    w->client = lun_http_client_new(c->pool, c->loop, &options, c->log);
    w->url = lun_pool_fmt(c->pool, "%s://%.*s%.*s",
                          scheme->tls ? "https" : "http", LUN_S(k->to.host),
                          LUN_S(k->grpc ? LUN_STR(LUN_GRPC_HEALTH_PATH)
                                        : k->uri));
    c->work = w;
}


static const lun_health_probe  probe = {
    .begin = begin,
    .ask = ask,
    .cancel = cancel
};


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
        rc = lun_str_to_msec(text, &k->keepalive);
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
    k->head.probe = &probe;
    k->uri = LUN_STR("/");
    conf->check = k;

    for (i = 1; i < cf->argc; i++) {
        if (read_word(cf, k, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    k->asks_http |= k->head.name.len != 0;

    return !k->grpc || (!k->asks_http && k->keepalive == 0) ? LUN_OK
           : lun_conf_fail(cf, "\"type=grpc\" is not compatible with \"uri\", "
                           "\"match\" and \"keepalive_time\"");
}


/* What speaks no HTTP is connected to, and that is all. */
static lun_rc
only_connect(lun_conf *cf, check *k)
{
    static const bool    plain;
    static const size_t  little = 1;

    if (k->asks_http || k->grpc || k->keepalive != 0) {
        return lun_conf_fail_at(cf, k->head.file, k->head.line, "servers of "
                                "\"%s_pass\" are only connected to by "
                                "\"health_check\": \"uri\", \"match\", "
                                "\"type\" and \"keepalive_time\" require "
                                "\"proxy_pass\" or \"grpc_pass\"",
                                k->to.name);
    }

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
