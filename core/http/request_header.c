/*
 * request_header.c -- what a request's header means: its host and so its
 * server, its path, the headers that the core knows.
 *
 * Names and values are views into what the protocol keeps until the request
 * ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/request_header.h"

#include "format/host.h"
#include "format/uri.h"
#include "http/conf/location.h"
#include "os/path.h"


static lun_rc
refuse(lun_request *r, uint16_t status, const char *why)
{
    lun_log(LUN_LOG_INFO, r->log, 0, "%s", why);
    r->in.refusal = status;
    return LUN_ERROR;
}


/* --- the host ------------------------------------------------------------ */

static void
use_server(lun_request *r, lun_server *server)
{
    if (server != NULL && server != r->server) {
        r->server = server;
        r->conf = server->conf;
        r->location = lun_http_server_of(server)->self;
        lun_http_use_log(r);
    }
}


/*
 * Most requests name the same host as the one before.  Only a host that is
 * its own lower case, and that no regex has captured from, is remembered.
 */
static void
remember_host(lun_request *r, const lun_listen_addr *listen, lun_str text,
    lun_server *server)
{
    lun_http_engine  *e = r->engine;

    if (text.len > LUN_ENGINE_HOST || r->captures != NULL
        || memcmp(text.data, r->in.host.data, r->in.host.len) != 0)
    {
        return;
    }

    e->host.listen = listen;
    e->host.server = server;
    e->host.port = r->in.port;
    e->host.len = (uint8_t) text.len;
    e->host.name_len = (uint8_t) r->in.host.len;
    memcpy(e->host.text, text.data, text.len);
}


/*
 * The name of the request before is mostly that of this one: it is compared
 * byte by byte before it is parsed and looked up.
 */
lun_rc
lun_http_in_host(lun_request *r, const lun_listen_addr *listen, lun_str text,
    const char *what)
{
    char                   *room;
    lun_server             *server;
    const lun_http_engine  *e = r->engine;

    if (text.len != 0 && text.len == e->host.len && listen == e->host.listen
        && memcmp(text.data, e->host.text, text.len) == 0)
    {
        r->in.host = lun_str_of(text.data, e->host.name_len);
        r->in.port = e->host.port;
        use_server(r, e->host.server);
        return LUN_OK;
    }

    room = lun_pool_text(r->pool, text.len);

    if (lun_host_parse(text, room, &r->in.host, &r->in.port) != LUN_OK) {
        r->in.host = LUN_STR_NULL;
        return refuse(r, 400, what);
    }

    server = lun_server_find(&r->session, listen->servers, r->in.host);
    remember_host(r, listen, text, server);
    use_server(r, server);

    return LUN_OK;
}


void
lun_http_in_no_host(lun_request *r, const lun_listen_addr *listen)
{
    use_server(r, lun_server_find(&r->session, listen->servers,
                                  LUN_STR("")));
}


/* --- the path ------------------------------------------------------------ */

static lun_rc
normalise(lun_request *r, const lun_core_conf *conf, lun_str *path)
{
    char           *room;
    size_t          len;
    lun_uri_rules   rules = {
        .merge_slashes = conf->merge_slashes,
        .backslash = lun_path_native == LUN_PATH_WINDOWS,
    };

    if (lun_uri_is_plain(*path, &rules)) {
        return LUN_OK;
    }

    room = lun_pool_text(r->pool, path->len);

    if (lun_uri_normalise(*path, &rules, room, &len) != LUN_OK) {
        return LUN_ERROR;
    }

    *path = lun_str_of(room, len);
    return LUN_OK;
}


lun_rc
lun_http_in_path(lun_request *r, const lun_core_conf *conf, lun_str path,
    bool plain)
{
    if (!plain && normalise(r, conf, &path) != LUN_OK) {
        return refuse(r, 400, "client sent invalid request");
    }

    if (lun_path_of_uri(r->pool, &path, lun_path_native) != LUN_OK) {
        return refuse(r, 400, "client sent unsafe win32 URI");
    }

    lun_request_set_uri(r, path);
    return LUN_OK;
}


/* --- headers ------------------------------------------------------------- */

lun_rc
lun_http_in_duplicate(lun_request *r, const lun_header *h)
{
    const lun_header  *before = r->in.known[h->known];

    lun_log(LUN_LOG_INFO, r->log, 0, "client sent duplicate %s: "
            "\"%.*s: %.*s\", previous value: \"%.*s: %.*s\"",
            h->known == LUN_HIN_HOST ? "host header" : "header line",
            LUN_S(h->name), LUN_S(h->value), LUN_S(before->name),
            LUN_S(before->value));
    r->in.refusal = 400;
    return LUN_ERROR;
}


lun_rc
lun_http_in_length(lun_request *r)
{
    const lun_header  *h = r->in.known[LUN_HIN_CONTENT_LENGTH];

    if (h == NULL) {
        return LUN_OK;
    }

    if (h->value.len == 0 || !lun_is_digit(h->value.data[0])
        || lun_str_to_i64(h->value, &r->in.content_length) != LUN_OK)
    {
        r->in.content_length = -1;
        return refuse(r, 400, "client sent invalid \"Content-Length\" header");
    }

    return LUN_OK;
}


lun_rc
lun_http_in_refused(lun_request *r)
{
    if (r->method == LUN_CONNECT && (r->version == 1001 || r->in.tunnel)
        && lun_http_server_of(r->server)->takes_connect)
    {
        return LUN_OK;
    }

    return refuse(r, 405, r->method == LUN_TRACE ? "client sent TRACE method"
                  : "client sent CONNECT method");
}
