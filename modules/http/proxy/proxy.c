/*
 * proxy.c -- requests that an HTTP server answers: directives, variables, the
 * handler.
 *
 *     location /app/ { proxy_pass http://backend/; }
 *
 * How servers are chosen, connected to and waited for is
 * core/http/upstream's; here is what is said to them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"
#include "http/upstream/upreq_rows.h"

static const lun_enum  versions[] = {
    { "1.0", 1000 },
    { "1.1", 1001 },
    { "2", 2000 },
    { "3", 3000 },
    { NULL, 0 }
};

/* What a client is not told unless proxy_pass_header says so. */
static const lun_str  hidden[] = {
    LUN_STR_INIT("Date"), LUN_STR_INIT("Server"), LUN_STR_INIT("X-Pad"),
    LUN_STR_INIT("X-Accel-Expires"), LUN_STR_INIT("X-Accel-Redirect"),
    LUN_STR_INIT("X-Accel-Limit-Rate"), LUN_STR_INIT("X-Accel-Buffering"),
    LUN_STR_INIT("X-Accel-Charset"), { 0, NULL }
};


/* --- the handler --------------------------------------------------------- */

static lun_verdict
on_content(lun_session *s)
{
    lun_request           *r = lun_request_of(s);
    lun_verdict            v;
    lun_upreq             *x;
    lun_proxy_state       *state;
    const lun_proxy_conf  *conf = lun_http_conf(r, &lun_http_proxy);

    if (conf->target == NULL || !lun_http_has_content(r, &lun_http_proxy)) {
        return LUN_NEXT;
    }

    x = lun_upreq_new(r, &conf->up, conf->version == 3000
                                    ? &lun_proxy_h3_protocol
                                    : conf->version == 2000
                                    ? &lun_proxy_h2_protocol
                                    : &lun_proxy_protocol);
    state = lun_pool_new(r->pool, lun_proxy_state);
    x->protocol_data = state;

    if (conf->version == 3000) {
        state->h3.conf = &conf->h3;
    }

    lun_http_set_state(r, &lun_http_proxy, state);
    v = lun_upreq_find_target(x, &conf->target->address, &state->url);

    if (v != LUN_NEXT) {
        return v;
    }

    /* An HTTP/1.0 server has to know the length of what comes in chunks. */
    if (conf->body == NULL) {
        lun_upreq_stream(x, conf->version < 1001);
    }

    return lun_upreq_start(x);
}


/* --- variables ----------------------------------------------------------- */

static void
get_host(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request            *r = lun_request_of(s);
    const lun_proxy_state  *state = lun_http_state(r, &lun_http_proxy);

    v->not_found = state == NULL;

    if (state != NULL) {
        v->text = state->url.host_header;
    }
}


static void
get_port(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request            *r = lun_request_of(s);
    const lun_proxy_state  *state = lun_http_state(r, &lun_http_proxy);

    v->not_found = state == NULL;

    if (state != NULL) {
        v->text = state->url.port == 0
                  ? LUN_STR("")
                  : lun_pool_fmt(s->pool, "%u", state->url.port);
    }
}


static void
get_forwarded_for(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = lun_proxy_forwarded_for(lun_request_of(s));
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("proxy_host"), .get = get_host,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "name and port in proxy_pass" },
    { .name = LUN_STR_INIT("proxy_port"), .get = get_port,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the port in proxy_pass" },
    { .name = LUN_STR_INIT("proxy_add_x_forwarded_for"),
      .get = get_forwarded_for,
      .help = "X-Forwarded-For, with the client's address added" },
    { .name = LUN_STR_NULL }
};


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_count(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  n;

    if (lun_str_to_i64(cf->args[1], &n) != LUN_OK || n < 1 || n > INT32_MAX) {
        return lun_conf_bad_value(cf);
    }

    *(int64_t *) (void *) ((char *) conf + d->field) = n;
    return LUN_OK;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    lun_proxy_conf  *conf = data;

    conf->cache.usual_key = true;
    conf->up.tls.alpn = conf->version == 3000 ? LUN_STR("\2h3")
                        : conf->version == 2000 ? LUN_STR("\2h2")
                        : LUN_STR("");
    lun_upreq_h3_finish_conf(&conf->h3, &conf->up);

    if (conf->version == 3000 && conf->target != NULL
        && !lun_upreq_may_use_tls(&conf->target->address))
    {
        return lun_conf_fail(cf, "\"proxy_http_version 3\" needs an "
                             "\"https://\" URL in \"proxy_pass\"");
    }

    if (lun_upreq_finish_conf(cf, "proxy", &conf->up, hidden) != LUN_OK
        || lun_cache_finish_conf(cf, "proxy", &conf->cache, &conf->up)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (conf->target != NULL
        && (lun_upreq_may_use_tls(&conf->target->address)
            ? lun_upstream_tls_finish_conf(cf, "proxy_", &conf->up.tls)
            : lun_upstream_tls_not_asked(cf, "proxy_pass https url"))
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_proxy_finish_headers(cf, conf);
    return lun_proxy_finish_redirect(cf, conf);
}


static bool
passes(lun_pool *pool, const void *data, lun_upreq_passes *to)
{
    const lun_proxy_conf  *conf = data;

    if (conf->target == NULL
        || !lun_upreq_passes_to(to, pool, &conf->target->address, &conf->up,
                                LUN_PASSES_HTTP, "proxy"))
    {
        return false;
    }

    lun_proxy_add_fields(conf, to);
    return true;
}


static lun_rc
init(lun_conf *cf)
{
    const lun_proxy_conf  *top = lun_http_top_conf(cf, &lun_http_proxy);

    lun_upreq_want_folder(cf, &top->up, "proxy");
    return LUN_OK;
}


#define F(member)    LUN_FIELD(lun_proxy_conf, member)
#define UP(member)   LUN_FIELD(lun_proxy_conf, up.member)
#define HERE         .where = LUN_HTTP_LEVELS

static const lun_directive  directives[] = {
    { .name = "proxy_pass", .where = LUN_LOCATION | LUN_LOCATION_IF
                                     | LUN_LIMIT_EXCEPT,
      .args = 1, .set = lun_set_proxy_pass, F(target),
      .values = "URL",
      .help = "the server that answers" },

    /* The request. */
    { .name = "proxy_method", HERE, .args = 1, .set = lun_set_script,
      F(method),
      .values = "method",
      .help = "the method of the request to the server" },
    { .name = "proxy_http_version", HERE, .args = 1, .set = lun_set_enum,
      F(version), .fallback = "1.1", .data = versions,
      .help = "the version that the server is spoken to in; 3 is over "
              "QUIC, and needs an https URL" },
    { .name = "proxy_http3_max_concurrent_streams", HERE, .args = 1,
      .set = set_count, F(h3.streams), .fallback = "128",
      .values = "number",
      .help = "requests at a time on a connection of HTTP/3" },
    { .name = "proxy_http3_stream_buffer_size", HERE, .args = 1,
      .set = lun_set_size, F(h3.quic.stream_window), .fallback = "64k",
      .values = "size",
      .help = "bytes that a server may send ahead in a stream of HTTP/3" },
    { .name = "proxy_http3_max_table_capacity", HERE, .args = 1,
      .set = lun_set_no_effect,
      .values = "size",
      .help = "QPACK's table of answers: none is kept" },
    { .name = "proxy_quic_active_connection_id_limit", HERE, .args = 1,
      .set = set_count, F(h3.cids), .fallback = "2",
      .values = "number",
      .help = "connection ids of the server that are remembered" },
    { .name = "proxy_quic_gso", HERE, .args = 1, .set = lun_set_flag,
      F(h3.quic.gso), .fallback = "on",
      .help = "sends many packets to a server in one call of the system" },
    { .name = "proxy_quic_host_key", HERE, .args = 1,
      .set = lun_set_no_effect,
      .values = "file",
      .help = "a key for tokens of connections to servers: none are made" },
    { .name = "proxy_set_header", HERE, .args = 2, .repeats = true,
      .set = lun_set_proxy_header, F(set),
      .values = "field value",
      .help = "a header of the request to the server" },
    { .name = "proxy_set_body", HERE, .args = 1, .set = lun_set_script,
      F(body),
      .values = "value",
      .help = "what is sent instead of the client's body" },

    LUN_UPSTREAM_ROWS("proxy_", lun_proxy_conf, up),
    LUN_CACHE_ROWS("proxy_", lun_proxy_conf, cache, up),
    LUN_CACHE_HEAD_ROW("proxy_", lun_proxy_conf, cache),

    /* The same over TLS. */
    LUN_UPSTREAM_TLS_ROWS("proxy_", LUN_HTTP_LEVELS, lun_proxy_conf, up.tls),

    /* The answer. */
    { .name = "proxy_pass_trailers", HERE, .args = 1, .set = lun_set_flag,
      UP(pass_trailers), .fallback = "off",
      .help = "passes what stands behind the body of the answer" },
    { .name = "proxy_redirect", HERE, .args = 1, .args_max = 2,
      .repeats = true, .set = lun_set_proxy_redirect, F(redirect),
      .values = "default | off | redirect replacement",
      .help = "what becomes of Location and Refresh of the answer" },
    { .name = "proxy_cookie_domain", HERE, .args = 1, .args_max = 2,
      .repeats = true, .set = lun_set_proxy_cookie_domain,
      F(cookie_domain),
      .values = "off | domain replacement",
      .help = "what becomes of Domain in cookies of the answer" },
    { .name = "proxy_cookie_path", HERE, .args = 1, .args_max = 2,
      .repeats = true, .set = lun_set_proxy_rule, F(cookie_path),
      .values = "off | path replacement",
      .help = "what becomes of Path in cookies of the answer" },
    { .name = "proxy_cookie_flags", HERE, .args = 1,
      .args_max = 4, .repeats = true,
      .set = lun_set_proxy_cookie_flags, F(cookie_flags),
      .values = "off | cookie [flag ...]",
      .help = "flags that cookies of the answer get or lose" },
    { 0 }
};

lun_http_module  lun_http_proxy = {
    .name = "proxy",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_proxy_conf),
    .inherited = inherited,
    .variables = variables,
    .init = init,
    .passes = passes,
    .on[LUN_CONTENT] = on_content,
};
