/*
 * api_keyvals.c -- pairs of keyval zones by NGINX Plus' paths: looked at, and
 * with `api ... write=on` added, changed, removed.
 *
 *     GET                        /9/http/keyvals
 *     GET, POST, PATCH, DELETE   /9/http/keyvals/ZONE
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/escape.h"
#include "config/generation.h"
#include "format/json_object.h"
#include "format/uri.h"
#include "modules/common/keyval/keyval.h"
#include "modules/http/status/status_priv.h"
#include "session/engine.h"


enum { BODY_MOST = 1024 * 1024 };

/* What a path names, and who has it. */
typedef struct {
    const lun_engine  *engine;     /* NULL: there is no such protocol here */
    lun_str            zone;       /* "": all */
} place;

typedef struct {
    lun_request           *r;
    const lun_status_api  *api;
    lun_keyval_zone       *zone;
    const char            *protocol;
} question;


static bool
read_path(const lun_request *r, lun_str path, place *p)
{
    lun_str  protocol = lun_status_api_protocol(&path);

    if (protocol.len == 0
        || !lun_str_eq(lun_status_api_part(&path), LUN_STR("keyvals")))
    {
        return false;
    }

    p->engine = lun_http_generation(r)->engines;

    while (p->engine != NULL
           && !lun_str_eq(protocol, lun_str_z(p->engine->protocol->name)))
    {
        p->engine = p->engine->next;
    }

    p->zone = lun_status_api_part(&path);
    return lun_status_api_part(&path).len == 0;
}


static lun_verdict
refuse(const question *q, unsigned status, const char *code, const char *text)
{
    return lun_status_api_respond(q->r, q->api, status, code,
                                  lun_str_z(text));
}


/* Who has done it is a part of the line: client, request; and a user. */
static lun_verdict
done(const question *q, unsigned status, const char *what)
{
    lun_status_api_say(q->r, q->api, lun_pool_fmt(q->r->pool, "%s %s keyval "
                       "zone \"%.*s\"", what, q->protocol,
                       LUN_S(q->zone->name)));
    return status == 204 ? LUN_STATUS + 204
           : lun_status_api_respond(q->r, q->api, status, NULL, LUN_STR(""));
}


/* --- looking ------------------------------------------------------------- */

static lun_verdict
show_all(lun_request *r, const lun_status_api *api, const lun_engine *e)
{
    size_t                  i, n = 0, count;
    lun_str                *parts;
    const lun_array        *zones = e != NULL ? lun_keyval_zones(e) : NULL;
    const lun_keyval_zone  *z;

    count = zones != NULL ? zones->count : 0;
    parts = lun_pool_new_n(r->pool, lun_str, count * 4 + 2);
    parts[n++] = LUN_STR("{");

    for (i = 0; i < count; i++) {
        z = *(lun_keyval_zone **) lun_array_at(zones, i);
        parts[n++] = i != 0 ? LUN_STR(",\"") : LUN_STR("\"");
        parts[n++] = lun_escape_json_new(r->pool, z->name);
        parts[n++] = LUN_STR("\":");
        parts[n++] = lun_keyval_json(z, r->pool, false);
    }

    parts[n++] = LUN_STR("}");
    return lun_status_api_respond(r, api, 200, NULL,
                                  lun_pool_join(r->pool, parts, n));
}


static lun_verdict
show(const question *q)
{
    char         *unescaped;
    lun_str       key, value;
    lun_request  *r = q->r;

    if (!lun_status_arg(r, "key", &key)) {
        return lun_status_api_respond(r, q->api, 200, NULL,
                                      lun_keyval_json(q->zone, r->pool,
                                                      false));
    }

    unescaped = lun_pool_text(r->pool, key.len);
    key = lun_str_of(unescaped, (size_t) (lun_uri_unescape(unescaped, key,
                                                           true) - unescaped));

    if (!lun_keyval_get(q->zone, r->pool, key, &value)) {
        return refuse(q, 404, "KeyvalKeyNotFound", "keyval key not found");
    }

    return lun_status_api_respond(r, q->api, 200, NULL,
        lun_pool_fmt(r->pool, "{\"%.*s\":\"%.*s\"}",
                     LUN_S(lun_escape_json_new(r->pool, key)),
                     LUN_S(lun_escape_json_new(r->pool, value))));
}


/* --- changing ------------------------------------------------------------ */

static lun_verdict
say_verdict(const question *q, lun_keyval_verdict verdict)
{
    switch (verdict) {

    case LUN_KEYVAL_EXISTS:
        return refuse(q, 409, "KeyvalKeyExists", "key already exists");

    case LUN_KEYVAL_NOT_FOUND:
        return refuse(q, 404, "KeyvalKeyNotFound", "keyval key not found");

    case LUN_KEYVAL_NO_MEMORY:
        return refuse(q, 507, "KeyvalOutOfMemory", "zone memory exhausted");

    default:
        return refuse(q, 400, "KeyvalFormatError", "invalid key format");
    }
}


/* The members of the body; NULL: *v is the answer. */
static lun_array *
read_pairs(const question *q, lun_verdict *v)
{
    size_t      at;
    lun_str     body = lun_body_text(q->r);
    lun_array  *list;

    list = lun_array_new(q->r->pool, sizeof(lun_json_member), 8);

    if (body.len > BODY_MOST) {
        *v = LUN_STATUS + 413;

    } else if (!lun_json_object_read(q->r->pool, body, list, &at)) {
        *v = refuse(q, 415, "JsonError", "JSON error");

    } else if (list->count == 0) {
        *v = refuse(q, 400, "KeyvalFormatError", "key required");

    } else {
        return list;
    }

    return NULL;
}


/* False: *v is the answer. */
static bool
read_value(const question *q, const lun_json_member *m, lun_str *value,
    lun_msec *ttl, lun_verdict *v)
{
    if (!lun_keyval_value(q->r->pool, m, value, ttl)) {
        *v = refuse(q, 400, "KeyvalFormatError", "invalid JSON");
        return false;
    }

    if (*ttl != 0 && q->zone->timeout == 0) {
        *v = refuse(q, 400, "KeyvalFormatError",
                    "keyval timeout is not enabled");
        return false;
    }

    return true;
}


/* All of them, or none: those that were added go again. */
static lun_verdict
add(const question *q)
{
    size_t               i, k;
    lun_str              value;
    lun_msec             ttl;
    lun_array           *list;
    lun_verdict          v = LUN_FAILED;
    lun_json_member     *m;
    lun_keyval_verdict   verdict = LUN_KEYVAL_OK;

    list = read_pairs(q, &v);

    if (list == NULL) {
        return v;
    }

    if (list->count > 1
        && lun_keyval_keys(q->zone, q->r->pool)->count != 0)
    {
        return refuse(q, 400, "KeyvalFormatError", "only one key can be "
                      "added");
    }

    m = list->items;

    for (i = 0; i < list->count; i++) {
        if (!read_value(q, &m[i], &value, &ttl, &v)) {
            return v;
        }
    }

    for (i = 0; i < list->count && verdict == LUN_KEYVAL_OK; i++) {
        (void) read_value(q, &m[i], &value, &ttl, &v);
        verdict = lun_keyval_set(q->zone, m[i].name, value, LUN_SHDICT_ADD,
                                 ttl);
    }

    if (verdict == LUN_KEYVAL_OK) {
        return done(q, 201, "pairs were added to");
    }

    for (k = 0; k + 1 < i; k++) {
        (void) lun_keyval_remove(q->zone, m[k].name);
    }

    return say_verdict(q, verdict);
}


/*
 * null removes a pair, anything else replaces it: PATCH never adds one (Plus:
 * 404 then).
 */
static lun_verdict
change(const question *q)
{
    lun_str              value;
    lun_msec             ttl;
    lun_array           *list;
    lun_verdict          v = LUN_FAILED;
    lun_json_member     *m;
    lun_keyval_verdict   verdict;

    list = read_pairs(q, &v);

    if (list == NULL) {
        return v;
    }

    if (list->count > 1) {
        return refuse(q, 400, "KeyvalFormatError", "only one key can be "
                      "updated");
    }

    m = list->items;

    if (m->kind == LUN_JSON_NULL) {
        verdict = lun_keyval_remove(q->zone, m->name);

    } else if (!read_value(q, m, &value, &ttl, &v)) {
        return v;

    } else {
        verdict = lun_keyval_set(q->zone, m->name, value, LUN_SHDICT_REPLACE,
                                 ttl);
    }

    return verdict == LUN_KEYVAL_OK ? done(q, 204, "a pair was changed in")
                                    : say_verdict(q, verdict);
}


static lun_verdict
empty(const question *q)
{
    size_t      i;
    lun_array  *keys = lun_keyval_keys(q->zone, q->r->pool);

    for (i = 0; i < keys->count; i++) {
        (void) lun_keyval_remove(q->zone, *(lun_str *) lun_array_at(keys, i));
    }

    return done(q, 204, "all pairs were removed from");
}


static lun_verdict
edit(const question *q)
{
    lun_verdict  v;

    if (q->r->method == LUN_DELETE) {
        return empty(q);
    }

    v = lun_status_api_body(q->r);
    return v != LUN_NEXT ? v : q->r->method == LUN_POST ? add(q) : change(q);
}


/*
 * Whether there is such a zone is said before whether it may be written: the
 * same order, and codes, as Plus.
 */
bool
lun_status_api_keyvals(lun_request *r, const lun_status_api *api,
    lun_str path, lun_verdict *v)
{
    place     p;
    bool      looks = (r->method & (LUN_GET | LUN_HEAD)) != 0;
    question  q = { .r = r, .api = api };

    if (!read_path(r, path, &p)) {
        return false;
    }

    if (p.zone.len == 0) {
        *v = looks ? show_all(r, api, p.engine)
                   : refuse(&q, 405, "MethodNotSupported",
                            "method not supported");
        return true;
    }

    q.zone = p.engine != NULL ? lun_keyval_find(p.engine, p.zone) : NULL;

    if (q.zone == NULL) {
        *v = refuse(&q, 404, "KeyvalNotFound", "keyval not found");
        return true;
    }

    q.protocol = p.engine->protocol->name;

    if (looks) {
        *v = show(&q);

    } else if ((r->method & (LUN_POST | LUN_PATCH | LUN_DELETE)) == 0) {
        *v = refuse(&q, 405, "MethodNotSupported", "method not supported");

    } else if (!api->write) {
        *v = refuse(&q, 405, "MethodDisabled", "method disabled");

    } else {
        *v = edit(&q);
    }

    return true;
}
