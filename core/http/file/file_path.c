/*
 * file_path.c -- the file that a request names, and what tells one state of
 * it from another.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/engine.h"
#include "os/path.h"
#include "session/script_path.h"


/* What came from the request must name a file, and nothing else. */
static lun_verdict
check(lun_request *r, lun_str path, size_t from)
{
    return lun_script_path_check(&r->session, path, from) == LUN_OK
           ? LUN_NEXT : LUN_STATUS + 404;
}


/* "$document_root/x" begins with what was configured, too. */
static bool
is_under(lun_str path, lun_str root)
{
    return root.len != 0 && lun_str_starts(path, root)
           && (path.len == root.len || path.data[root.len] == '/');
}


lun_verdict
lun_http_script_path(lun_request *r, const lun_script *s, lun_safe_path *c)
{
    const lun_root  *root = lun_core_conf_of(r)->root;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (lun_script_path(&r->session, s, c) != LUN_OK) {
        return LUN_STATUS + 404;
    }

    c->strict = lun_core_conf_of(r)->strict_paths;

    if (root != NULL && lun_native_path_leads(&root->native, c->path)) {
        c->native = &root->native;
    }

    if (root != NULL && is_under(c->path, root->text)) {
        c->from = lun_max(c->from, root->text.len);
    }

    return check(r, c->path, c->from);
}


lun_rc
lun_http_log_path(lun_session *s, const lun_script *script, lun_safe_path *c)
{
    lun_request  *r = lun_request_of(s);

    if (lun_http_script_path(r, script, c) != LUN_NEXT) {
        return LUN_ERROR;
    }

    lun_http_safe_links(r, c);
    return LUN_OK;
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


/*
 * `from=` names a beginning that may have links; a value that is no beginning
 * of this path means nothing.
 */
void
lun_http_safe_links(lun_request *r, lun_safe_path *c)
{
    bool                   all;
    lun_str                from;
    const lun_link_rules  *rules = lun_core_conf_of(r)->link_rules;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
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

    if (root->regex && r->uri_in_alias) {
        return part;               /* but try_files looks below it */
    }

    /* A regex location's alias is the whole path. */
    return root->regex || root->name.len > part.len
           ? LUN_STR("")
           : lun_str_of(part.data + root->name.len,
                        part.len - root->name.len);
}


/*
 * Where a name that is cut off, or captured, ends within a component, the rest
 * may begin with "..": "location /a/ { alias /b/; }" and a rewrite to
 * "/ax../c", "alias /b/$1".  What a client has named stays below what was
 * configured.
 */
static lun_verdict
stay_below(const lun_request *r, lun_str path, size_t from)
{
    if (!lun_path_climbs(path, from, lun_path_native)) {
        return LUN_NEXT;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "\"%.*s\" leads out of where it is to be",
            LUN_S(path));
    return LUN_STATUS + 404;
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

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
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
    v = stay_below(r, c->path, part.len == 0 || part.data[0] == '/'
                               ? base.len : joint);

    return v == LUN_NEXT
           ? check(r, c->path, base.data != root->text.data ? c->from : joint)
           : v;
}


lun_verdict
lun_http_uri_path(lun_request *r, lun_str uri, lun_safe_path *c)
{
    lun_str      saved = r->uri;
    lun_verdict  v;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->uri = uri;
    v = lun_http_file_path(r, c);
    r->uri = saved;

    return v;
}


void
lun_http_set_etag(lun_request *r, int64_t mtime, int64_t size)
{
    char  *text, *p;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

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
