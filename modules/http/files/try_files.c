/*
 * try_files.c -- the first of several files that exists, or else a redirect.
 *
 *     try_files $uri $uri/ /index.php?$args;
 *     try_files /maintenance.html @app;
 *     try_files $uri =404;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/conf/location.h"
#include "http/file/open_file_cache.h"


typedef struct {
    lun_script       *name;        /* without the slash of a folder */
    bool              folder;
} candidate;

typedef struct {
    lun_array        *files;       /* of candidate */
    lun_script       *last;        /* a uri or "@name"; NULL: status */
    unsigned          status;
    const lun_block  *block;       /* inner locations do not inherit it */
} try_files_conf;

extern lun_http_module  lun_http_try_files;


/* With alias a name may or may not begin with the location's own. */
static lun_str
full_uri(lun_request *r, lun_str name)
{
    lun_str          prefix;
    const lun_root  *root = lun_core_conf_of(r)->root;

    if (root == NULL || !root->alias || root->regex
        || root->name.len > r->uri.len)
    {
        return name;
    }

    prefix = lun_str_of(r->uri.data, root->name.len);

    return lun_str_starts(name, prefix)
           ? name : lun_pool_fmt(r->pool, "%.*s%.*s", LUN_S(prefix),
                                 LUN_S(name));
}


/*
 * What is not there is no error; anything else is logged, since nobody would
 * find out otherwise why the fallback is served.
 */
static bool
exists(lun_request *r, lun_str uri, bool folder)
{
    lun_err        err;
    lun_safe_path  c;
    lun_file_info  info;

    if (lun_http_uri_path(r, uri, &c) != LUN_NEXT) {
        return false;
    }

    err = lun_open_file_stat(r, &c, &info);

    if (err == 0) {
        return folder ? info.is_dir : !info.is_dir;
    }

    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_NOT_DIR:
    case LUN_ERR_BAD_NAME:
        break;

    default:
        lun_log(LUN_LOG_CRIT, r->log, err, "%s \"%s\" failed",
                lun_safe_path_call(&c, "stat()"), c.path.data);
    }

    return false;
}


static lun_verdict
fall_back(lun_request *r, const try_files_conf *conf)
{
    lun_str      uri, args = LUN_STR_NULL;
    const char  *mark;

    if (conf->last == NULL) {
        return LUN_STATUS + (lun_verdict) conf->status;
    }

    uri = lun_script_run(&r->session, conf->last);

    if (lun_str_starts(uri, LUN_STR("@"))) {
        lun_http_named(r, uri);
        return LUN_MOVED;
    }

    mark = lun_str_chr(uri, '?');

    if (mark != NULL) {
        args = lun_str_of(mark + 1, uri.len - (size_t) (mark + 1 - uri.data));
        uri.len = (size_t) (mark - uri.data);
    }

    lun_http_redirect(r, uri, args);
    return LUN_MOVED;
}


static lun_verdict
on_precontent(lun_session *s)
{
    lun_request           *r = lun_request_of(s);
    size_t                 i;
    lun_str                uri;
    const candidate       *c;
    const lun_root        *root = lun_core_conf_of(r)->root;
    const try_files_conf  *conf = lun_http_conf(r, &lun_http_try_files);

    if (conf->files == NULL || conf->block != r->location->block) {
        return LUN_NEXT;
    }

    for (i = 0; i < conf->files->count; i++) {
        c = lun_array_at(conf->files, i);
        uri = full_uri(r, lun_script_run(&r->session, c->name));

        /* Below the alias of a location by regex names are looked for. */
        r->uri_in_alias = root != NULL && root->alias && root->regex;

        /* A folder's uri stays without its slash: static redirects. */
        if (exists(r, uri, c->folder)) {
            if (!r->uri_in_alias || !c->folder) {
                lun_request_set_uri(r, uri);
            } else {
                r->uri_in_alias = 0;        /* the alias is the folder */
            }

            return LUN_NEXT;
        }
    }

    r->uri_in_alias = 0;

    return fall_back(r, conf);
}


static lun_rc
set_last(lun_conf *cf, try_files_conf *conf)
{
    lun_str   last = cf->args[cf->argc - 1];
    uint64_t  status;

    if (!lun_str_starts(last, LUN_STR("="))) {
        conf->last = lun_script_new(cf, last);
        return conf->last != NULL ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_to_u64(lun_str_of(last.data + 1, last.len - 1), &status)
        != LUN_OK || status > 999)
    {
        return lun_conf_fail(cf, "invalid code \"%.*s\"", LUN_S(last));
    }

    conf->status = (unsigned) status;
    return LUN_OK;
}


static lun_rc
set_try_files(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t           i;
    lun_str          name;
    candidate       *c;
    try_files_conf  *conf = data;

    conf->block = cf->block;
    conf->files = lun_array_new(cf->pool, sizeof(candidate), cf->argc);

    for (i = 1; i < cf->argc - 1; i++) {
        c = lun_array_push(conf->files);
        name = cf->args[i];

        if (lun_str_ends(name, LUN_STR("/"))) {
            c->folder = true;
            name.len--;
        }

        c->name = lun_script_new(cf, name);

        if (c->name == NULL) {
            return LUN_ERROR;
        }
    }

    return set_last(cf, conf);
}


static const lun_directive  directives[] = {
    { .name = "try_files", .where = LUN_SERVER | LUN_LOCATION, .args = 2,
      .args_max = LUN_ARGS_ANY, .set = set_try_files,
      .values = "file ... uri | =code",
      .help = "the first of these files that is there, or the last word" },
    { 0 }
};

lun_http_module  lun_http_try_files = {
    .name = "try_files",
    .directives = directives,
    .conf_size = sizeof(try_files_conf),
    .on[LUN_PRECONTENT] = on_precontent,
};
