/*
 * body_early_read.c -- client_body_early_read: a body is read before anything
 * else is done with its request, so that whatever looks at the request may look
 * at its body.
 *
 *     client_body_early_read $is_rpc;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/body.h"
#include "http/conf/core_conf.h"


typedef struct {
    lun_array  *conditions;        /* of lun_script *; NULL: none */
} early_read_conf;

extern lun_http_module  lun_http_body_early_read;


static lun_rc
set_early_read(lun_conf *cf, const lun_directive *d, void *data)
{
    early_read_conf  *conf = data;

    conf->conditions = lun_scripts_new(cf);
    return conf->conditions != NULL ? LUN_OK : LUN_ERROR;
}


static void
on_body(lun_request *r)
{
    lun_http_resume(r);
}


static bool
is_too_large(const lun_request *r)
{
    int64_t  max = lun_core_conf_of(r)->client_max_body_size;

    if (max == 0 || r->in.content_length <= max) {
        return false;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "client intended to send too large body: "
            "%" PRId64 " bytes", r->in.content_length);
    return true;
}


static lun_verdict
on_post_read(lun_session *s)
{
    lun_verdict        v;
    lun_request       *r = lun_request_of(s);
    const early_read_conf  *conf = lun_http_conf(r, &lun_http_body_early_read);

    /* Asked again when it is there. */
    if (conf->conditions == NULL || r->parent != NULL
        || !lun_body_untouched(r) || !lun_scripts_any(s, conf->conditions))
    {
        return LUN_NEXT;
    }

    if (is_too_large(r)) {
        r->expect_tested = 1;
        return LUN_STATUS + 413;
    }

    v = lun_body_read(r, on_body);
    return v == LUN_LEAVE ? LUN_WAIT : v;
}


static const lun_directive  directives[] = {
    { .name = "client_body_early_read", .where = LUN_HTTP | LUN_SERVER,
      .args = 1, .args_max = LUN_ARGS_ANY, .set = set_early_read,
      LUN_FIELD(early_read_conf, conditions),
      .values = "on | off",
      .help = "when a body is read before all else is done" },
    { 0 }
};

lun_http_module  lun_http_body_early_read = {
    .name = "body early read",
    .directives = directives,
    .conf_size = sizeof(early_read_conf),
    .on[LUN_POST_READ] = on_post_read,
};
