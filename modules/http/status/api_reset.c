/*
 * api_reset.c -- counters that begin again at 0, by NGINX Plus' paths; and
 * caches that are purged, by one of our own.
 *
 *     DELETE    /9/http/server_zones/NAME    and so on, see the table
 *     POST      /9/http/caches/NAME/purge    {"key": "..."}, {"all": true}
 *
 * A reset is of what all processes have counted: core/shm/metric.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/generation.h"
#include "format/json_object.h"
#include "http/cache/cache_purge.h"
#include "modules/http/status/status_priv.h"


enum { BODY_MOST = 64 * 1024, METRICS = 3 };

typedef struct {
    const char  *path;             /* behind the version */
    bool         named;            /* ... and behind that is a name */
    const char  *code;             /* there is none of that name */
    const char  *what;             /* for words */
    struct {
        const char  *name;
        unsigned     label;        /* which is the name */
        const char  *protocol;     /* what label 0 has to be; or NULL */
    } metrics[METRICS];
} resource;

static const resource  resources[] = {
    { "connections", false, NULL, "connections",
      { { "connections_accepted", 0, NULL },
        { "connections_handled", 0, NULL } } },
    { "ssl", false, NULL, "ssl", { { "ssl_handshakes", 0, NULL } } },
    { "resolvers", true, "ResolverZoneNotFound", "resolver",
      { { "resolver_cells", 0, NULL } } },
    { "http/requests", false, NULL, "http requests",
      { { "http_requests", 0, NULL }, { "http_response", 0, NULL } } },
    { "http/server_zones", true, "ServerZoneNotFound", "server zone",
      { { "http_server_zone", 0, NULL } } },
    { "http/location_zones", true, "LocationZoneNotFound", "location zone",
      { { "http_location_zone", 0, NULL } } },
    { "http/caches", true, "CacheNotFound", "cache",
      { { "cache_answers", 0, NULL }, { "cache_cells", 0, NULL } } },
    { "http/limit_conns", true, "LimitConnNotFound", "limit_conn",
      { { "limit_connections", 0, NULL } } },
    { "http/limit_reqs", true, "LimitReqNotFound", "limit_req",
      { { "limit_requests", 0, NULL } } },
    { "http/upstreams", true, "UpstreamNotFound", "upstream",
      { { "upstream_server_cells", 1, "http" }, { "upstream_tries", 0, NULL },
        { "upstream_response", 0, NULL } } },
    { "stream/server_zones", true, "ServerZoneNotFound", "server zone",
      { { "stream_server_zone", 0, NULL } } },
    { "stream/limit_conns", true, "LimitConnNotFound", "limit_conn",
      { { "limit_connections", 0, NULL } } },
    { "stream/upstreams", true, "UpstreamNotFound", "upstream",
      { { "upstream_server_cells", 1, "stream" },
        { "upstream_tries", 0, NULL }, { "upstream_response", 0, NULL } } }
};


static lun_verdict
refuse(lun_request *r, const lun_status_api *api, unsigned status,
    const char *code, const char *text)
{
    return lun_status_api_respond(r, api, status, code, lun_str_z(text));
}


static lun_verdict
done(lun_request *r, const lun_status_api *api, lun_str what)
{
    lun_status_api_say(r, api, what);
    return lun_status_api_respond(r, api, 204, NULL, LUN_STR(""));
}


/* --- counters ------------------------------------------------------------ */

/* False: there is nothing of that name. */
static bool
reset(const lun_request *r, const resource *k, lun_str name)
{
    size_t    i;
    lun_str   values[LUN_METRIC_LABELS];
    uint32_t  number = lun_http_generation(r)->number;

    for (i = 0; i < METRICS && k->metrics[i].name != NULL; i++) {
        memset(values, 0, sizeof(values));

        if (k->metrics[i].protocol != NULL) {
            values[0] = lun_str_z(k->metrics[i].protocol);
        }

        if (k->named) {
            values[k->metrics[i].label] = name;
        }

        /* The first is what it is known by. */
        if (lun_metric_reset(k->metrics[i].name, number, values) == 0
            && i == 0)
        {
            return false;
        }
    }

    return true;
}


static lun_verdict
reset_resource(lun_request *r, const lun_status_api *api, const resource *k,
    lun_str name)
{
    if (r->method != LUN_DELETE) {
        return refuse(r, api, 405, "MethodNotSupported",
                      "method not supported");
    }

    if (!reset(r, k, name)) {
        return lun_status_api_respond(r, api, 404, k->named ? k->code
                                      : "PathNotFound",
                                      lun_pool_fmt(r->pool, "%s not found",
                                                   k->what));
    }

    return done(r, api, k->named
                ? lun_pool_fmt(r->pool, "counters of %s \"%.*s\" were reset",
                               k->what, LUN_S(name))
                : lun_pool_fmt(r->pool, "counters of %s were reset",
                               k->what));
}


/* --- caches -------------------------------------------------------------- */

/* {"key": "..."} or {"all": true}: what is purged; data NULL: neither. */
static lun_str
read_key(lun_request *r, lun_str body)
{
    lun_array              *list;
    const lun_json_member  *m;

    list = lun_array_new(r->pool, sizeof(lun_json_member), 2);

    if (!lun_json_object_read(r->pool, body, list, NULL) || list->count != 1)
    {
        return LUN_STR_NULL;
    }

    m = list->items;

    if (lun_str_eq(m->name, LUN_STR("all")) && m->kind == LUN_JSON_BOOLEAN
        && lun_str_eq(m->text, LUN_STR("true")))
    {
        return LUN_STR("*");
    }

    return lun_str_eq(m->name, LUN_STR("key")) && m->kind == LUN_JSON_STRING
           && m->text.len != 0 ? m->text : LUN_STR_NULL;
}


static lun_verdict
purge(lun_request *r, const lun_status_api *api, lun_str name)
{
    lun_str           key, body;
    unsigned          status;
    lun_verdict       v;
    const lun_cache  *cache = lun_cache_find(lun_http_generation(r), name);

    if (cache == NULL) {
        return refuse(r, api, 404, "CacheNotFound", "cache not found");
    }

    if (r->method != LUN_POST) {
        return refuse(r, api, 405, "MethodNotSupported",
                      "method not supported");
    }

    v = lun_status_api_body(r);

    if (v != LUN_NEXT) {
        return v;
    }

    body = lun_body_text(r);

    if (body.len > BODY_MOST) {
        return LUN_STATUS + 413;
    }

    key = read_key(r, body);

    if (key.data == NULL) {
        return refuse(r, api, 400, "CachePurgeFormatError", "a purge is "
                      "{\"key\": \"text\"} or {\"all\": true}");
    }

    status = lun_cache_purge_key(cache, key, r->pool, r->log);

    return status == 204
           ? done(r, api, lun_pool_fmt(r->pool, "\"%.*s\" was purged of cache "
                                       "\"%.*s\"", LUN_S(key), LUN_S(name)))
           : status == 404
           ? refuse(r, api, 404, "CacheKeyNotFound", "key not found")
           : refuse(r, api, status, "CachePurgeNotSaved", "it was purged, but "
                    "could not be noted on the disk");
}


/* --- the path ------------------------------------------------------------ */

/* Behind a version, or "status": the resource, and what follows; or NULL. */
static const resource *
find_resource(lun_str path, lun_str *rest)
{
    size_t    i;
    lun_str   part, after = path;
    uint64_t  version;

    part = lun_status_api_part(&after);

    if (lun_str_eq(part, LUN_STR("status"))
        || lun_str_to_u64(part, &version) == LUN_OK)
    {
        path = after;
    }

    while (lun_str_starts(path, LUN_STR("/"))) {
        path = lun_str_of(path.data + 1, path.len - 1);
    }

    for (i = 0; i < LUN_ARRAY_LEN(resources); i++) {
        if (lun_str_after(path, lun_str_z(resources[i].path), rest)
            && (rest->len == 0 || rest->data[0] == '/'))
        {
            return &resources[i];
        }
    }

    return NULL;
}


bool
lun_status_api_reset(lun_request *r, const lun_status_api *api,
    lun_str path, lun_verdict *v)
{
    lun_str          rest, name, more;
    const resource  *k;

    /* What may not be written is the tree's to refuse. */
    if (!api->write || (r->method & (LUN_GET | LUN_HEAD)) != 0) {
        return false;
    }

    k = find_resource(path, &rest);

    if (k == NULL) {
        return false;
    }

    name = lun_status_api_part(&rest);
    more = lun_status_api_part(&rest);

    if (lun_str_eq(lun_str_z(k->path), LUN_STR("http/caches"))
        && lun_str_eq(more, LUN_STR("purge"))
        && lun_status_api_part(&rest).len == 0)
    {
        *v = purge(r, api, name);
        return true;
    }

    if (more.len != 0 || (name.len != 0) != k->named) {
        return false;
    }

    *v = reset_resource(r, api, k, name);
    return true;
}
