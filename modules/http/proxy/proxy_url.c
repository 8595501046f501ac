/*
 * proxy_url.c -- proxy_pass: where a request goes, and by which uri.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"

#include "base/uri.h"


enum { HTTP_PORT = 80, HTTPS_PORT = 443 };

static const lun_str  http = LUN_STR_INIT("http://");
static const lun_str  https = LUN_STR_INIT("https://");
static const lun_str  unix_prefix = LUN_STR_INIT("unix:");


static lun_str
behind(lun_str s, size_t n)
{
    return lun_str_of(s.data + n, s.len - n);
}


/* --- reading a url ------------------------------------------------------- */

/* "unix:/path:/uri" */
static const char *
split_unix(lun_str text, lun_proxy_url *url)
{
    lun_str      path = behind(text, unix_prefix.len);
    const char  *mark = lun_str_chr(path, ':');

    url->host = text;
    url->host_header = LUN_STR("localhost");

    if (mark != NULL) {
        url->host.len = (size_t) (mark - text.data);
        url->uri = behind(text, url->host.len + 1);
    }

    return path.len == 0 || mark == path.data ? "no path in the unix domain "
                                                "socket" : NULL;
}


static uint16_t
usual_port(const lun_proxy_url *url)
{
    return url->tls ? HTTPS_PORT : HTTP_PORT;
}


/* "host", "host:port", "[::1]:port" */
static const char *
split_host(lun_str text, lun_proxy_url *url)
{
    uint64_t     port;
    lun_str      after = text;
    const char  *mark;

    mark = lun_str_starts(text, LUN_STR("[")) ? lun_str_chr(text, ']') : NULL;

    if (mark != NULL) {
        after = behind(text, (size_t) (mark - text.data));
    }

    mark = lun_str_chr(after, ':');
    url->host = text;
    url->host_header = text;
    url->port = usual_port(url);

    if (mark != NULL) {
        url->host.len = (size_t) (mark - text.data);

        if (lun_str_to_u64(behind(text, url->host.len + 1), &port) != LUN_OK
            || port == 0 || port > UINT16_MAX)
        {
            return "invalid port";
        }

        url->port = (uint16_t) port;
        url->port_given = true;

        if (port == usual_port(url)) {
            url->host_header = url->host;
        }
    }

    return url->host.len == 0 ? "no host" : NULL;
}


/* Moves *text behind "http://" or "https://"; false: neither. */
static bool
read_scheme(lun_str *text, lun_proxy_url *url)
{
    *url = (lun_proxy_url) { .tls = lun_str_casestarts(*text, https) };

    if (!url->tls && !lun_str_casestarts(*text, http)) {
        return false;
    }

    *text = behind(*text, url->tls ? https.len : http.len);
    return true;
}


/* What is behind the scheme; NULL, or what is wrong with it. */
static const char *
split(lun_str text, lun_proxy_url *url)
{
    size_t  i;

    if (lun_str_starts(text, unix_prefix)) {
        return split_unix(text, url);
    }

    for (i = 0; i < text.len; i++) {
        if (text.data[i] == '/' || text.data[i] == '?'
            || text.data[i] == '#')
        {
            url->uri = behind(text, i);
            break;
        }
    }

    return split_host(lun_str_of(text.data, i), url);
}


/* "?a=b" alone is that of "/". */
static void
complete_uri(lun_pool *pool, lun_proxy_url *url)
{
    if (lun_str_starts(url->uri, LUN_STR("?"))) {
        url->uri = lun_pool_fmt(pool, "/%.*s", LUN_S(url->uri));
    }
}


/* --- the directive ------------------------------------------------------- */

static const lun_location *
location_of(const lun_conf *cf)
{
    const lun_block  *b = cf->block;

    while (b->where != LUN_LOCATION) {
        b = b->parent;
    }

    return b->owner;
}


static lun_rc
check_uri(lun_conf *cf, const lun_proxy_target *t, const lun_location *loc)
{
    if (t->url.uri.data == NULL
        || (cf->block->where == LUN_LOCATION && loc->match != LUN_MATCH_REGEX
            && loc->match != LUN_MATCH_NAMED))
    {
        return LUN_OK;
    }

    return lun_conf_fail(cf, "\"proxy_pass\" cannot have URI part in location "
                         "given by regular expression, or inside named "
                         "location, or inside \"if\" statement, or inside "
                         "\"limit_except\" block");
}


static lun_rc
set_constant(lun_conf *cf, lun_proxy_target *t, const lun_location *loc)
{
    lun_str      address, rest = t->text;
    const char  *wrong;

    if (!read_scheme(&rest, &t->url)) {
        return lun_conf_fail(cf, "invalid URL prefix");
    }

    wrong = split(rest, &t->url);

    if (wrong != NULL) {
        return lun_conf_fail(cf, "%s in upstream \"%.*s\"", wrong,
                             LUN_S(rest));
    }

    complete_uri(cf->pool, &t->url);

    if (check_uri(cf, t, loc) != LUN_OK) {
        return LUN_ERROR;
    }

    address = t->url.host;

    if (t->url.port_given) {
        address = lun_pool_fmt(cf->pool, "%.*s:%u", LUN_S(address),
                               t->url.port);
    }

    t->upstream = lun_upstream_get(cf, address, usual_port(&t->url));

    return t->upstream != NULL ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_set_proxy_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_location      *loc = (lun_location *) (uintptr_t) location_of(cf);
    lun_proxy_conf    *conf = data;
    lun_proxy_target  *t = lun_pool_new(cf->pool, lun_proxy_target);

    (void) d;

    t->text = cf->args[1];
    t->location = loc->name;
    conf->target = t;
    lun_http_set_content(cf, &lun_http_proxy);

    if (cf->block->where == LUN_LOCATION && lun_str_ends(loc->name,
                                                         LUN_STR("/")))
    {
        loc->has_slash_redirect = true;
    }

    if (lun_script_has_variables(t->text)) {
        t->script = lun_script_new(cf, t->text);
        return t->script != NULL ? LUN_OK : LUN_ERROR;
    }

    return set_constant(cf, t, loc);
}


/* --- while serving ------------------------------------------------------- */

static lun_verdict
evaluate(lun_upreq *x, const lun_proxy_target *t, lun_proxy_url *url)
{
    lun_str       text = lun_script_run(&x->r->session, t->script), rest = text;
    const char   *wrong;
    lun_request  *r = x->r;

    if (!read_scheme(&rest, url)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "invalid URL prefix in \"%.*s\"",
                LUN_S(text));
        return LUN_STATUS + 500;
    }

    wrong = split(rest, url);

    if (wrong != NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "%s in upstream \"%.*s\"", wrong,
                LUN_S(rest));
        return LUN_STATUS + 500;
    }

    complete_uri(r->pool, url);

    x->port = url->port;
    x->port_given = url->port_given;

    return LUN_NEXT;
}


bool
lun_proxy_may_use_tls(const lun_proxy_target *t)
{
    return !lun_str_casestarts(t->text, http);
}


lun_verdict
lun_proxy_address(lun_upreq *x, const lun_proxy_target *t)
{
    lun_verdict       v = LUN_NEXT;
    lun_proxy_state  *s = x->protocol_data;

    if (t->script != NULL) {
        v = evaluate(x, t, &s->url);

    } else {
        s->url = t->url;
        x->upstream = t->upstream;
    }

    x->host = s->url.host;
    x->tls = s->url.tls ? &x->conf->tls : NULL;

    return v;
}


/* What came encoded, or was made here, is encoded; other bytes came as such. */
static lun_str
escaped(lun_request *r, lun_str path)
{
    char  *text;

    if (!r->internal && !r->uri_is_new && lun_str_chr(r->target, '%') == NULL) {
        return path;
    }

    text = lun_pool_text(r->pool, lun_uri_escaped_len(path, LUN_ESCAPE_URI));

    return lun_str_of(text, (size_t) (lun_uri_escape(text, path,
                                                     LUN_ESCAPE_URI) - text));
}


lun_str
lun_proxy_uri(lun_request *r, const lun_proxy_target *t,
    const lun_proxy_url *url)
{
    lun_str  path, prefix = LUN_STR("");
    size_t   skip = 0;

    if (t->script != NULL && url->uri.len != 0) {
        return url->uri;
    }

    if (url->uri.len == 0 && !r->uri_is_new) {
        return r->target;
    }

    if (r->uri_located && url->uri.len != 0) {
        skip = lun_min(t->location.len, r->uri.len);
        prefix = url->uri;
    }

    path = escaped(r, behind(r->uri, skip));

    if (prefix.len == 0 && r->args.len == 0) {
        return path;
    }

    return lun_pool_fmt(r->pool, "%.*s%.*s%s%.*s", LUN_S(prefix), LUN_S(path),
                        r->args.len != 0 ? "?" : "", LUN_S(r->args));
}
