/*
 * api_servers.c -- servers of upstreams by NGINX Plus' paths: looked at, and
 * with `api ... write=on` added, changed, removed.
 *
 *     GET, POST             /9/http/upstreams/NAME/servers
 *     GET, PATCH, DELETE    /9/http/upstreams/NAME/servers/ID
 *
 * A version in front, or "status", does not matter.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/escape.h"
#include "config/generation.h"
#include "modules/common/upstream/upstream_edit.h"
#include "modules/common/upstream/upstream_save.h"
#include "modules/http/status/status_priv.h"
#include "session/engine.h"


enum { BODY_MOST = 64 * 1024 };

/* What a path names. */
typedef struct {
    lun_str  protocol;
    lun_str  upstream;
    lun_str  id;                   /* data NULL: all servers */
} place;

/* Kept while a body comes. */
typedef struct {
    bool  read;
} progress;


/* --- the path ------------------------------------------------------------ */

lun_str
lun_status_api_part(lun_str *path)
{
    lun_str      part;
    const char  *slash;

    while (path->len != 0 && path->data[0] == '/') {
        *path = lun_str_of(path->data + 1, path->len - 1);
    }

    slash = lun_str_chr(*path, '/');
    part = lun_str_of(path->data, slash != NULL
                                  ? (size_t) (slash - path->data) : path->len);
    *path = lun_str_of(path->data + part.len, path->len - part.len);
    return part;
}


lun_str
lun_status_api_protocol(lun_str *path)
{
    uint64_t  version;
    lun_str   part = lun_status_api_part(path);

    if (lun_str_eq(part, LUN_STR("status"))
        || lun_str_to_u64(part, &version) == LUN_OK)
    {
        part = lun_status_api_part(path);
    }

    return lun_str_eq(part, LUN_STR("http"))
           || lun_str_eq(part, LUN_STR("stream")) ? part : LUN_STR("");
}


static bool
read_path(lun_str path, place *p)
{
    p->protocol = lun_status_api_protocol(&path);

    if (p->protocol.len == 0
        || !lun_str_eq(lun_status_api_part(&path), LUN_STR("upstreams")))
    {
        return false;
    }

    p->upstream = lun_status_api_part(&path);

    if (!lun_str_eq(lun_status_api_part(&path), LUN_STR("servers"))) {
        return false;
    }

    p->id = lun_status_api_part(&path);

    if (p->id.len == 0) {
        p->id = LUN_STR_NULL;
    }

    return lun_status_api_part(&path).len == 0;
}


static lun_upstream *
find_upstream(lun_request *r, const place *p)
{
    size_t              i;
    lun_upstream       *u;
    const lun_array    *all;
    const lun_engine   *e = lun_http_generation(r)->engines;

    for ( ; e != NULL; e = e->next) {
        if (!lun_str_eq(p->protocol, lun_str_z(e->protocol->name))) {
            continue;
        }

        all = lun_upstream_all(e);

        for (i = 0; i < all->count; i++) {
            u = *(lun_upstream **) lun_array_at(all, i);

            if (u->block && lun_str_eq(u->name, p->upstream)) {
                return u;
            }
        }
    }

    return NULL;
}


/* --- the answer ---------------------------------------------------------- */

lun_verdict
lun_status_api_respond(lun_request *r, const lun_status_api *api,
    unsigned status, const char *code, lun_str text)
{
    if (code != NULL) {
        text = lun_pool_fmt(r->pool, "{\"error\":{\"status\":%u,\"text\":"
            "\"%.*s\",\"code\":\"%s\"},\"request_id\":\"%.*s\"}\n", status,
            LUN_S(lun_escape_json_new(r->pool, text)), code,
            LUN_S(lun_script_run(&r->session, api->request_id)));
    }

    lun_status_say_it_changes(r);
    return lun_http_respond(r, status, LUN_STR("application/json"), text);
}


static lun_verdict
respond(lun_request *r, const lun_status_api *api,
    const lun_upstream_edited *e)
{
    return lun_status_api_respond(r, api, e->status, e->code, e->text);
}


static lun_verdict
refuse(lun_request *r, const lun_status_api *api, unsigned status,
    const char *code, const char *text)
{
    lun_upstream_edited  e = { status, code, lun_str_z(text), LUN_STR("") };

    return respond(r, api, &e);
}


void
lun_status_api_say(lun_request *r, const lun_status_api *api, lun_str what)
{
    lun_str  user = lun_script_run(&r->session, api->user);

    lun_log(LUN_LOG_NOTICE, r->log, 0, "api: %.*s%s%.*s%s", LUN_S(what),
            user.len != 0 ? " by \"" : "", LUN_S(user),
            user.len != 0 ? "\"" : "");
}


static void
say(lun_request *r, const lun_status_api *api, const lun_upstream *u,
    const lun_upstream_edited *e)
{
    const char  *what = r->method == LUN_POST ? "added to"
                        : r->method == LUN_PATCH ? "changed in"
                                                 : "removed from";

    lun_status_api_say(r, api, lun_pool_fmt(r->pool, "server \"%.*s\" was %s "
                       "%.*s upstream \"%.*s\"", LUN_S(e->server), what,
                       LUN_S(u->protocol), LUN_S(u->name)));
}


/* --- what is asked ------------------------------------------------------- */

static void
on_body(lun_request *r)
{
    progress  *at = lun_http_state(r, &lun_http_api);

    at->read = true;
    lun_http_resume(r);
}


lun_verdict
lun_status_api_body(lun_request *r)
{
    lun_verdict  v;
    progress    *at = lun_http_state(r, &lun_http_api);

    if (at != NULL) {
        return at->read ? LUN_NEXT : LUN_WAIT;
    }

    lun_http_set_state(r, &lun_http_api, lun_pool_new(r->pool, progress));
    v = lun_body_read(r, on_body);
    return v == LUN_LEAVE ? LUN_WAIT : v;
}


/*
 * Saved after it was logged, both only if something changed; a request that is
 * refused changes nothing.
 */
static lun_verdict
edit(lun_request *r, const lun_status_api *api, lun_upstream *u, int64_t id)
{
    lun_str              body = LUN_STR("");
    lun_upstream_edited  e = { .code = NULL };

    if (r->method != LUN_DELETE) {
        body = lun_body_text(r);
    }

    if (body.len > BODY_MOST) {
        return LUN_STATUS + 413;
    }

    switch ((unsigned) r->method) {

    case LUN_POST:
        lun_upstream_edit_add(u, r->pool, body, &e);
        break;

    case LUN_PATCH:
        lun_upstream_edit_change(u, r->pool, id, body, &e);
        break;

    default:
        lun_upstream_edit_remove(u, r->pool, id, &e);
        break;
    }

    if (e.code == NULL) {
        say(r, api, u, &e);
        lun_upstream_save(u, r->log);
    }

    return respond(r, api, &e);
}


static bool
is_method(const lun_request *r, const place *p)
{
    unsigned  m = (unsigned) r->method;

    return (m & (LUN_GET | LUN_HEAD)) != 0
           || (p->id.data == NULL ? m == LUN_POST
                                  : m == LUN_PATCH || m == LUN_DELETE);
}


/*
 * Reasons to refuse in Plus' order: which upstream, whether it can be changed,
 * which server, which method, whether this location may write.
 */
bool
lun_status_api_servers(lun_request *r, const lun_status_api *api,
    lun_str path, lun_verdict *v)
{
    place                p;
    int64_t              id = -1;
    lun_upstream        *u;
    lun_upstream_edited  e = { .code = NULL };

    if (!read_path(path, &p)) {
        return false;
    }

    u = find_upstream(r, &p);

    if (u == NULL) {
        *v = refuse(r, api, 404, "UpstreamNotFound", "upstream not found");

    } else if (!lun_upstream_edit_may(u, &e)) {
        *v = respond(r, api, &e);

    } else if (p.id.data != NULL && (lun_str_to_i64(p.id, &id) != LUN_OK
                                     || id < 0))
    {
        *v = refuse(r, api, 400, "UpstreamBadServerId", "invalid server ID");

    } else if (!is_method(r, &p)) {
        *v = refuse(r, api, 405, "MethodNotSupported",
                    "method not supported");

    } else if ((r->method & (LUN_GET | LUN_HEAD)) != 0) {
        lun_upstream_edit_show(u, r->pool, id, &e);
        *v = respond(r, api, &e);

    } else if (!api->write) {
        *v = refuse(r, api, 405, "MethodDisabled", "method disabled");

    } else {
        *v = r->method == LUN_DELETE ? LUN_NEXT
                                       : lun_status_api_body(r);
        *v = *v == LUN_NEXT ? edit(r, api, u, id) : *v;
    }

    return true;
}
