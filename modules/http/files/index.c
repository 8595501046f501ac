/*
 * index.c -- a uri that ends with a slash is its folder's index file.
 *
 *     index index.$geo.html index.html /index.html;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/file/open_file_cache.h"


typedef struct {
    lun_array  *names;             /* of lun_script * */
} index_conf;

extern lun_http_module  lun_http_index;


static lun_verdict
refuse(lun_request *r, lun_str path, lun_err err)
{
    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_NOT_DIR:
    case LUN_ERR_BAD_NAME:
        if (lun_core_conf_of(r)->log_not_found) {
            lun_log(LUN_LOG_ERR, r->log, err, "\"%s\" is not found",
                    path.data);
        }

        return LUN_STATUS + 404;

    case LUN_ERR_ACCESS:
    case LUN_ERR_LINK:
        lun_log(LUN_LOG_ERR, r->log, err, "\"%s\" is forbidden", path.data);
        return LUN_STATUS + 403;

    default:
        lun_log(LUN_LOG_CRIT, r->log, err, "stat() \"%s\" failed", path.data);
        return LUN_STATUS + 500;
    }
}


/* Where no index was found there may be no folder either. */
static lun_verdict
test_folder(lun_request *r, lun_str file)
{
    lun_err        err;
    lun_safe_path  c;
    lun_verdict    v;
    lun_file_info  info;

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    err = lun_open_file_stat(r, &c, &info);

    if (err != 0) {
        return refuse(r, file, err);
    }

    if (info.is_dir) {
        return LUN_NEXT;
    }

    lun_log(LUN_LOG_ALERT, r->log, 0, "\"%s\" is not a directory",
            c.path.data);
    return LUN_STATUS + 404;
}


/* NEXT: not this one.  MOVED: it is.  Who has no folder hears of its file. */
static lun_verdict
try_name(lun_request *r, lun_str name, bool *folder_tested)
{
    lun_err        err;
    lun_str        uri;
    lun_safe_path  c;
    lun_verdict    v;
    lun_file_info  info;

    uri = lun_pool_fmt(r->pool, "%.*s%.*s", LUN_S(r->uri), LUN_S(name));
    v = lun_http_uri_path(r, uri, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    err = lun_open_file_stat(r, &c, &info);

    if (err == 0) {
        lun_http_redirect(r, uri, r->args);
        return LUN_MOVED;
    }

    if (lun_err_kind_of(err) != LUN_ERR_NOT_FOUND) {
        return refuse(r, c.path, err);
    }

    if (*folder_tested) {
        return LUN_NEXT;
    }

    *folder_tested = true;
    return test_folder(r, c.path);
}


/*
 * An absolute name is a redirect without a look whether it is there: that is
 * the last one's way to catch all.
 */
static lun_verdict
on_content(lun_session *s)
{
    lun_request       *r = lun_request_of(s);
    bool               folder_tested = false;
    size_t             i;
    lun_str            name;
    lun_script        *script;
    lun_verdict        v;
    const index_conf  *conf;

    if (!lun_uri_is_folder(r->uri)
        || (r->method & (LUN_GET | LUN_HEAD | LUN_POST)) == 0)
    {
        return LUN_NEXT;
    }

    conf = lun_http_conf(r, &lun_http_index);

    for (i = 0; i < conf->names->count; i++) {
        script = *(lun_script **) lun_array_at(conf->names, i);
        name = lun_script_run(&r->session, script);

        if (lun_str_starts(name, LUN_STR("/"))) {
            lun_http_redirect(r, name, r->args);
            return LUN_MOVED;
        }

        v = try_name(r, name, &folder_tested);

        if (v != LUN_NEXT) {
            return v;
        }
    }

    return LUN_NEXT;
}


static lun_rc
set_index(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        i;
    lun_script   *name;
    index_conf   *conf = data;

    if (conf->names == NULL) {
        conf->names = lun_array_new(cf->pool, sizeof(lun_script *), 2);
    }

    for (i = 1; i < cf->argc; i++) {

        if (lun_str_starts(cf->args[i], LUN_STR("/")) && i != cf->argc - 1) {
            lun_conf_warn(cf, "only the last index in \"index\" directive "
                          "should be absolute");
        }

        if (cf->args[i].len == 0) {
            return lun_conf_fail(cf, "index \"%.*s\" in \"index\" directive "
                                 "is invalid", LUN_S(cf->args[i]));
        }

        name = lun_script_new(cf, cf->args[i]);

        if (name == NULL) {
            return LUN_ERROR;
        }

        *(lun_script **) lun_array_push(conf->names) = name;
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "index", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_index,
      LUN_FIELD(index_conf, names), .fallback = "index.html",
      .values = "file ...",
      .help = "files that answer for a folder" },
    { 0 }
};

lun_http_module  lun_http_index = {
    .name = "index",
    .directives = directives,
    .conf_size = sizeof(index_conf),
    .always = true,
    .on[LUN_CONTENT] = on_content,
};
