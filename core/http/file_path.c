/*
 * file_path.c -- the file that a request names, and what tells one state of
 * it from another.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/core_conf.h"
#include "http/engine.h"
#include "os/path.h"


static lun_verdict
refuse(lun_request *r, lun_str name, lun_path_verdict why)
{
    lun_log(LUN_LOG_ERR, r->log, 0, "\"%.*s\" can be no file: %s", LUN_S(name),
            lun_path_verdict_text(why));
    return LUN_STATUS + 404;
}


/* What came from the request must name a file, and nothing else. */
static lun_verdict
judge(lun_request *r, lun_str part)
{
    lun_path_verdict  v = lun_path_judge(part, lun_path_native);

    if (v != LUN_PATH_FINE && v != LUN_PATH_TILDE) {
        return refuse(r, part, v);
    }

    return LUN_NEXT;
}


/* A root with variables: its drive, if it has one, is for the disk alone. */
static lun_verdict
judge_root(lun_request *r, lun_str path)
{
    if (lun_path_native == LUN_PATH_WINDOWS && path.len >= 2
        && path.data[1] == ':')
    {
        path.data += 2;
        path.len -= 2;
    }

    return judge(r, path);
}


lun_verdict
lun_http_file_path(lun_request *r, lun_str *path, size_t *root_len)
{
    char            *text, *p;
    lun_str          base, part = r->uri;
    lun_verdict      v = LUN_NEXT;
    const lun_root  *root = lun_core_conf_of(r)->root;

    base = root->text;

    if (base.data == NULL) {
        base = lun_path_full(r->pool, r->engine->gen->prefix,
                             lun_script_run(r, root->script));
        v = judge_root(r, base);

        if (v != LUN_NEXT) {
            return v;
        }
    }

    if (root->alias) {
        /* A regex location's alias is the whole path. */
        part = root->regex || root->prefix > part.len
               ? LUN_STR("")
               : lun_str_of(part.data + root->prefix, part.len - root->prefix);
    }

    v = judge(r, part);

    if (v != LUN_NEXT) {
        return v;
    }

    text = lun_pool_text(r->pool, base.len + part.len + 1);
    p = lun_copy_str(text, base);
    p = lun_copy_str(p, part);
    *p = '\0';

    *path = lun_str_of(text, (size_t) (p - text));
    *root_len = base.len;

    return LUN_NEXT;
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
