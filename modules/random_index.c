/*
 * random_index.c -- a uri that ends with a slash is one of its folder's files,
 * any of them.
 *
 *     random_index on;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "os/dir.h"
#include "os/random.h"


typedef struct {
    bool       on;
} random_conf;

typedef struct {
    lun_pool  *pool;
    uint64_t   count;              /* files so far */
    lun_str    name;               /* one of them, each as likely */
} choice;

extern lun_http_module  lun_http_random_index;


static bool
on_name(void *data, const char *name, bool is_dir)
{
    choice    *c = data;
    uint64_t   n;

    if (is_dir || name[0] == '.') {
        return true;
    }

    lun_random_bytes(&n, sizeof(n));

    if (n % ++c->count == 0) {
        c->name = lun_pool_str(c->pool, lun_str_z(name));
    }

    return true;
}


static lun_verdict
refuse(lun_request *r, lun_err err, lun_str path)
{
    lun_log_level  level = LUN_LOG_ERR;
    lun_verdict    v = LUN_STATUS + 404;

    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_NOT_DIR:
    case LUN_ERR_BAD_NAME:
        break;

    case LUN_ERR_ACCESS:
    case LUN_ERR_LINK:
        v = LUN_STATUS + 403;
        break;

    default:
        level = LUN_LOG_CRIT;
        v = LUN_STATUS + 500;
    }

    lun_log(level, r->log, err, "opendir() \"%.*s\" failed", LUN_S(path));
    return v;
}


/* A folder that goes by another name is not there; a link may be refused. */
static lun_err
choose(const lun_claim *claim, choice *c)
{
    lun_err        err;
    lun_file_info  info;

    if (!lun_claim_is_plain(claim)) {
        err = lun_claim_stat(claim, &info);

        if (err != 0) {
            return err;
        }
    }

    return lun_dir_list(claim->path.data, on_name, c);
}


static lun_verdict
on_content(lun_request *r)
{
    choice              c = { .pool = r->pool };
    lun_err             err;
    lun_claim           claim;
    lun_verdict         v;
    const random_conf  *conf = lun_http_conf(r, &lun_http_random_index);

    if (!conf->on || r->uri.data[r->uri.len - 1] != '/'
        || (r->method & (LUN_GET | LUN_HEAD | LUN_POST)) == 0)
    {
        return LUN_NEXT;
    }

    v = lun_http_file_path(r, &claim);

    if (v != LUN_NEXT) {
        return v;
    }

    err = choose(&claim, &c);

    if (err != 0) {
        claim.path.len -= lun_str_ends(claim.path, LUN_STR("/"));
        return refuse(r, err, claim.path);
    }

    if (c.count == 0) {
        return LUN_NEXT;
    }

    lun_http_redirect(r, lun_pool_fmt(r->pool, "%.*s%.*s", LUN_S(r->uri),
                                      LUN_S(c.name)), r->args);
    return LUN_MOVED;
}


static const lun_directive  directives[] = {
    { .name = "random_index", .where = LUN_LOCATION, .args = 1,
      .set = lun_set_flag, LUN_FIELD(random_conf, on), .fallback = "off" },
    { 0 }
};

lun_http_module  lun_http_random_index = {
    .name = "random_index",
    .directives = directives,
    .conf_size = sizeof(random_conf),
    .on[LUN_CONTENT] = on_content,
};
