/*
 * proxy_url.c -- proxy_pass: where a request goes, and by which uri.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"

#include "format/uri.h"


static const lun_upreq_scheme  schemes[] = {
    { LUN_STR_INIT("http://"), 80, false },
    { LUN_STR_INIT("https://"), 443, true },
    { LUN_STR_NULL, 0, false }
};


/* --- the directive ------------------------------------------------------- */

static lun_rc
check_uri(lun_conf *cf, const lun_proxy_target *t, const lun_location *loc)
{
    if (t->address.url.uri.data == NULL
        || (cf->block->where == LUN_LOCATION && loc->match != LUN_MATCH_REGEX
            && loc->match != LUN_MATCH_PREDICATE
            && loc->match != LUN_MATCH_NAMED))
    {
        return LUN_OK;
    }

    return lun_conf_fail(cf, "\"proxy_pass\" cannot have URI part in location "
                         "given by regular expression, or inside named "
                         "location, or inside \"if\" statement, or inside "
                         "\"limit_except\" block");
}


lun_rc
lun_set_proxy_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_location      *loc = lun_upreq_set_content(cf, &lun_http_proxy);
    lun_proxy_conf    *conf = data;
    lun_proxy_target  *t = lun_pool_new(cf->pool, lun_proxy_target);

    t->location = loc->name;
    conf->target = t;

    if (lun_upreq_read_address(cf, cf->args[1], schemes, true, &t->address)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    return check_uri(cf, t, loc);
}


/* --- while serving ------------------------------------------------------- */

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


/*
 * nginx's four cases: a URI of variables as it is; none and an unchanged
 * request's as the client wrote it; a location's part replaced; else the URI as
 * it is by now, escaped anew.
 */
lun_str
lun_proxy_uri(lun_request *r, const lun_proxy_target *t,
    const lun_upreq_url *url)
{
    lun_str  path, prefix = LUN_STR(""), parts[4];
    size_t   skip = 0;

    if (t->address.script != NULL && url->uri.len != 0) {
        return url->uri;
    }

    if (url->uri.len == 0 && !r->uri_is_new && !r->args_are_new) {
        return r->target;
    }

    if (r->uri_located && url->uri.len != 0) {
        skip = lun_min(t->location.len, r->uri.len);
        prefix = url->uri;
    }

    path = escaped(r, lun_str_of(r->uri.data + skip, r->uri.len - skip));

    if (prefix.len == 0 && r->args.len == 0) {
        return path;
    }

    parts[0] = prefix;
    parts[1] = path;
    parts[2] = r->args.len != 0 ? LUN_STR("?") : LUN_STR("");
    parts[3] = r->args;

    return lun_pool_join(r->pool, parts, LUN_ARRAY_LEN(parts));
}
