/*
 * file_path.c -- the file that a request names, and what tells one state of
 * it from another.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/engine.h"
#include "os/path.h"


/* What came from the request must name a file, and nothing else. */
static lun_verdict
check(lun_request *r, lun_str path, size_t from)
{
    lun_path_verdict  v;

    v = lun_path_check_part(path, from, lun_path_native);

    if (v == LUN_PATH_FINE || v == LUN_PATH_TILDE) {
        return LUN_NEXT;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "\"%.*s\" can be no file: %s",
            LUN_S(path), lun_path_verdict_text(v));
    return LUN_STATUS + 404;
}


/*
 * The configured beginning of what a script gives: the folders before its
 * first variable.
 */
static size_t
configured_len(lun_str path, const lun_script *s)
{
    size_t       n;
    lun_str      text = lun_script_text(s);
    const char  *dollar = lun_str_chr(text, '$');

    n = dollar != NULL ? (size_t) (dollar - text.data) : text.len;
    n = lun_min(n, path.len);

    while (n > 0 && path.data[n - 1] != '/') {
        n--;
    }

    return n > 0 && memcmp(path.data, text.data, n) == 0 ? n : 0;
}


/* "$document_root/x" begins with what was configured, too. */
static bool
is_under(lun_str path, lun_str root)
{
    return root.len != 0 && lun_str_starts(path, root)
           && (path.len == root.len || path.data[root.len] == '/');
}


static const lun_native_path *
native_of(const lun_request *r, const lun_root *root, lun_str path)
{
    const lun_native_path  *prefix = &r->engine->gen->native_prefix;

    if (root != NULL && lun_native_path_leads(&root->native, path)) {
        return &root->native;
    }

    return lun_native_path_leads(prefix, path) ? prefix : NULL;
}


lun_verdict
lun_http_script_path(lun_request *r, const lun_script *s, lun_safe_path *c)
{
    size_t           from;
    lun_str          value = lun_script_run(&r->session, s);
    const lun_root  *root = lun_core_conf_of(r)->root;

    from = configured_len(value, s);
    c->path = lun_path_full(r->pool, r->engine->gen->prefix, value);
    c->from = c->path.len > value.len ? c->path.len - value.len + from : from;
    c->native = native_of(r, root, c->path);
    c->strict = lun_core_conf_of(r)->strict_paths;
    c->links = LUN_LINKS_FOLLOW;

    if (root != NULL && is_under(c->path, root->text)) {
        c->from = lun_max(c->from, root->text.len);
    }

    return check(r, c->path, c->from);
}


/* Up to where the settings let a path lead through links; 0: nowhere. */
static size_t
links_from(lun_str path, lun_str from, bool *all)
{
    *all = from.len == path.len;

    if (path.data[from.len] == '/') {
        return from.len;
    }

    return path.data[from.len - 1] == '/' ? from.len - 1 : 0;
}


void
lun_http_safe_links(lun_request *r, lun_safe_path *c)
{
    bool                   all;
    lun_str                from;
    const lun_link_rules  *rules = lun_core_conf_of(r)->link_rules;

    c->links = rules != NULL ? rules->links : LUN_LINKS_FOLLOW;
    c->links_from = 0;

    if (c->links == LUN_LINKS_FOLLOW || rules->from == NULL) {
        return;
    }

    from = lun_script_run(&r->session, rules->from);

    if (from.len == 0 || !lun_str_starts(c->path, from)) {
        return;
    }

    c->links_from = links_from(c->path, from, &all);

    if (all) {
        c->links = LUN_LINKS_FOLLOW;
    }
}


/* With alias a location's own name makes room for it. */
static lun_str
part_of(const lun_request *r, const lun_root *root)
{
    lun_str  part = r->uri;

    if (!root->alias) {
        return part;
    }

    /* A regex location's alias is the whole path. */
    return root->regex || root->prefix > part.len
           ? LUN_STR("")
           : lun_str_of(part.data + root->prefix, part.len - root->prefix);
}


lun_verdict
lun_http_file_path(lun_request *r, lun_safe_path *c)
{
    char            *text, *p;
    size_t           joint;
    lun_str          base;
    lun_verdict      v;
    const lun_root  *root = lun_core_conf_of(r)->root;
    lun_str          part = part_of(r, root);

    c->strict = lun_core_conf_of(r)->strict_paths;
    c->native = &root->native;
    base = root->text;
    c->from = base.len;

    if (base.data == NULL) {
        v = lun_http_script_path(r, root->script, c);

        if (v != LUN_NEXT) {
            return v;
        }

        base = c->path;
    }

    text = lun_pool_text(r->pool, base.len + part.len + 1);
    p = lun_copy_str(text, base);
    p = lun_copy_str(p, part);
    *p = '\0';

    c->path = lun_str_of(text, (size_t) (p - text));

    /* An alias may end within a name, which must be checked as a whole. */
    for (joint = base.len; joint > 0 && root->alias; joint--) {
        if (text[joint - 1] == '/') {
            break;
        }
    }

    c->from = lun_min(c->from, joint);
    lun_http_safe_links(r, c);
    return check(r, c->path, base.data != root->text.data ? c->from : joint);
}


lun_verdict
lun_http_uri_path(lun_request *r, lun_str uri, lun_safe_path *c)
{
    lun_str      saved = r->uri;
    lun_verdict  v;

    r->uri = uri;
    v = lun_http_file_path(r, c);
    r->uri = saved;

    return v;
}


void
lun_http_set_etag(lun_request *r, int64_t mtime, int64_t size)
{
    char  *text, *p;

    if (!lun_core_conf_of(r)->etag) {
        return;
    }

    text = lun_pool_text(r->pool, 2 * 16 + 3);
    p = text;
    *p++ = '"';
    p = lun_fmt_hex(p, (uint64_t) mtime);
    *p++ = '-';
    p = lun_fmt_hex(p, (uint64_t) size);
    *p++ = '"';

    lun_http_set_out(r, LUN_STR("ETag"),
                     lun_str_of(text, (size_t) (p - text)));
}
