/*
 * upreq_address.c -- NAME_pass: where a request goes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_address.h"

#include "base/check.h"
#include "format/url.h"


const lun_upreq_scheme  lun_upreq_no_schemes[] = {
    { LUN_STR_INIT(""), 0, false },
    { { 0, NULL }, 0, false }
};

static const lun_str  unix_prefix = LUN_STR_INIT("unix:");


static lun_str
behind(lun_str s, size_t n)
{
    return lun_str_of(s.data + n, s.len - n);
}


/* --- reading one --------------------------------------------------------- */

/* Moves *text behind what stands in front; NULL: it is none of these. */
static const lun_upreq_scheme *
read_scheme(const lun_upreq_scheme *s, lun_str *text)
{
    for ( ; s->prefix.data != NULL; s++) {
        if (lun_str_casestarts(*text, s->prefix)) {
            *text = behind(*text, s->prefix.len);
            return s;
        }
    }

    return NULL;
}


/* "unix:/path:/uri" */
static const char *
split_unix(lun_str text, bool with_uri, lun_upreq_url *url)
{
    lun_str      path = behind(text, unix_prefix.len);
    const char  *mark = with_uri ? lun_str_chr(path, ':') : NULL;

    url->host = text;
    url->host_header = LUN_STR("localhost");

    if (mark != NULL) {
        url->host.len = (size_t) (mark - text.data);
        url->uri = behind(text, url->host.len + 1);
    }

    return path.len == 0 || mark == path.data ? "no path in the unix domain "
                                                "socket" : NULL;
}


/* "host", "host:port", "[::1]:port" */
static const char *
split_host(lun_str text, lun_upreq_url *url)
{
    const char  *wrong;

    if (lun_str_chr(text, '/') != NULL) {
        return "invalid host";         /* a uri where none may be */
    }

    wrong = lun_url_authority(text, &url->host, &url->port);
    url->port_given = url->port != 0;
    url->host_header = text;

    if (!url->port_given) {
        url->port = url->scheme->port;

    } else if (url->port == url->scheme->port) {
        url->host_header = url->host;
    }

    return wrong;
}


/* What is behind the scheme; NULL, or what is wrong with it. */
static const char *
split(lun_str text, bool with_uri, lun_upreq_url *url)
{
    size_t  i;

    if (lun_str_starts(text, unix_prefix)) {
        return split_unix(text, with_uri, url);
    }

    for (i = 0; i < text.len; i++) {
        if (with_uri && (text.data[i] == '/' || text.data[i] == '?'
                         || text.data[i] == '#'))
        {
            url->uri = behind(text, i);
            break;
        }
    }

    return split_host(lun_str_of(text.data, i), url);
}


/* "?a=b" alone is that of "/". */
static void
complete_uri(lun_pool *pool, lun_upreq_url *url)
{
    if (lun_str_starts(url->uri, LUN_STR("?"))) {
        url->uri = lun_pool_fmt(pool, "/%.*s", LUN_S(url->uri));
    }
}


/* --- the directive ------------------------------------------------------- */

/*
 * A name without variables is looked up while the configuration is read, as
 * nginx does: a host that is not there is an error of -t.
 */
static lun_rc
read_constant(lun_conf *cf, lun_upreq_address *a)
{
    lun_str      address, rest = a->text;
    const char  *wrong;

    a->url.scheme = read_scheme(a->schemes, &rest);

    if (a->url.scheme == NULL) {
        return lun_conf_fail(cf, "invalid URL prefix");
    }

    wrong = split(rest, a->with_uri, &a->url);

    if (wrong != NULL) {
        return lun_conf_fail(cf, "%s in upstream \"%.*s\"", wrong,
                             LUN_S(rest));
    }

    complete_uri(cf->pool, &a->url);
    address = a->url.host;

    if (a->url.port_given) {
        address = lun_pool_fmt(cf->pool, "%.*s:%u", LUN_S(address),
                               a->url.port);
    }

    a->upstream = lun_upstream_get(cf, address, a->url.scheme->port);

    return a->upstream != NULL ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_upreq_read_address(lun_conf *cf, lun_str text,
    const lun_upreq_scheme *schemes, bool with_uri, lun_upreq_address *a)
{
    *a = (lun_upreq_address) { .text = text, .schemes = schemes,
                               .with_uri = with_uri };

    if (lun_script_has_variables(text)) {
        a->script = lun_script_new(cf, text);
        return a->script != NULL ? LUN_OK : LUN_ERROR;
    }

    return read_constant(cf, a);
}


lun_location *
lun_upreq_set_content(lun_conf *cf, const lun_http_module *m)
{
    lun_location     *loc;
    const lun_block  *b = cf->block;

    while (b->where != LUN_LOCATION) {
        b = b->parent;
    }

    loc = b->owner;
    lun_http_set_content(cf, m);

    /* A pattern that ends in a slash is no folder, and a name no path. */
    if (b == cf->block && lun_str_ends(loc->name, LUN_STR("/"))
        && (loc->match == LUN_MATCH_PREFIX || loc->match == LUN_MATCH_EXACT
            || loc->match == LUN_MATCH_FINAL_PREFIX))
    {
        loc->has_slash_redirect = true;
    }

    return loc;
}


lun_rc
lun_upreq_set_pass(lun_conf *cf, const lun_http_module *m,
    const lun_upreq_scheme *schemes, lun_upreq_address **a)
{
    *a = lun_pool_new(cf->pool, lun_upreq_address);
    (void) lun_upreq_set_content(cf, m);

    return lun_upreq_read_address(cf, cf->args[1], schemes, false, *a);
}


bool
lun_upreq_may_use_tls(const lun_upreq_address *a)
{
    lun_str                  text = a->text;
    const lun_upreq_scheme  *s = a->url.scheme;

    if (a->script == NULL) {
        return s->tls;
    }

    /* "http://$host": what stands there before a variable is known. */
    s = read_scheme(a->schemes, &text);

    if (s != NULL && s->prefix.len != 0) {
        return s->tls;
    }

    for (s = a->schemes; s->prefix.data != NULL && !s->tls; s++) { }

    return s->tls;
}


/* --- while serving ------------------------------------------------------- */

/*
 * What a client may have put into a variable is no error of the configuration:
 * it is 500 and a line in the log.
 */
static lun_verdict
evaluate(lun_upreq *x, const lun_upreq_address *a, lun_upreq_url *url)
{
    lun_str       text = lun_script_run(&x->r->session, a->script);
    lun_str       rest = text;
    const char   *wrong;
    lun_request  *r = x->r;

    *url = (lun_upreq_url) { .scheme = read_scheme(a->schemes, &rest) };

    if (url->scheme == NULL
        || (url->scheme->prefix.len != 0 && rest.len == 0))
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "invalid URL prefix in \"%.*s\"",
                LUN_S(text));
        return LUN_STATUS + 500;
    }

    wrong = split(rest, a->with_uri, url);

    if (wrong != NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "%s in upstream \"%.*s\"", wrong,
                LUN_S(rest));
        return LUN_STATUS + 500;
    }

    complete_uri(r->pool, url);
    x->target.port = url->port;
    x->target.port_given = url->port_given;

    return LUN_NEXT;
}


lun_verdict
lun_upreq_find_target(lun_upreq *x, const lun_upreq_address *a,
    lun_upreq_url *url)
{
    lun_verdict  v = LUN_NEXT;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(a != NULL);

    if (a->script != NULL) {
        v = evaluate(x, a, url);

    } else {
        *url = a->url;
        x->target.upstream = a->upstream;
        x->target.port = url->port;
        x->target.port_given = url->port_given;
    }

    if (v == LUN_NEXT) {
        x->target.host = url->host;
        x->target.tls = url->scheme->tls ? &x->conf->tls : NULL;
    }

    return v;
}


lun_verdict
lun_upreq_ask(lun_request *r, const lun_upreq_conf *conf,
    const lun_upreq_address *a, const lun_upstream_protocol *protocol,
    void *data)
{
    lun_upreq      *x = lun_upreq_new(r, conf, protocol);
    lun_verdict     v;
    lun_upreq_url   url;

    x->protocol_data = data;
    v = lun_upreq_find_target(x, a, &url);

    return v == LUN_NEXT ? lun_upreq_start(x) : v;
}
