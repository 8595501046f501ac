/*
 * random_index.c -- a uri that ends with a slash is one of its folder's files,
 * any of them.
 *
 *     random_index on;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/file/file_serve.h"
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
on_content(lun_session *s)
{
    lun_request        *r = lun_request_of(s);
    choice              c = { .pool = r->pool };
    lun_safe_path       claim;
    lun_verdict         v;
    const random_conf  *conf = lun_http_conf(r, &lun_http_random_index);

    if (!conf->on || !lun_uri_is_folder(r->uri)
        || (r->method & (LUN_GET | LUN_HEAD | LUN_POST)) == 0)
    {
        return LUN_NEXT;
    }

    v = lun_http_file_path(r, &claim);

    if (v != LUN_NEXT) {
        return v;
    }

    v = lun_file_list(r, &claim, on_name, &c);

    if (v != LUN_NEXT || c.count == 0) {
        return v;
    }

    lun_http_redirect(r, lun_pool_fmt(r->pool, "%.*s%.*s", LUN_S(r->uri),
                                      LUN_S(c.name)), r->args);
    return LUN_MOVED;
}


static const lun_directive  directives[] = {
    { .name = "random_index", .where = LUN_LOCATION, .args = 1,
      .set = lun_set_flag, LUN_FIELD(random_conf, on), .fallback = "off",
      .help = "a file of the folder, by chance" },
    { 0 }
};

lun_http_module  lun_http_random_index = {
    .name = "random_index",
    .directives = directives,
    .conf_size = sizeof(random_conf),
    .on[LUN_CONTENT] = on_content,
};
