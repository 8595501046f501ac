/*
 * mirror.c -- other locations get the same request, and nobody waits for what
 * they say.
 *
 *     mirror /mirror;
 *     mirror_request_body off;
 *
 * Each is a subrequest in the background: the client has its answer when it
 * is there, and only its next request waits until all of this one is over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/subrequest.h"


typedef struct {
    lun_array   *uris;             /* of lun_str; count 0: off */
    bool         body;
} mirror_conf;

/* Where a main request stands; a state must not be NULL. */
typedef enum { READING = 1, READ, MIRRORED } progress;

extern lun_http_module  lun_http_mirror;


static void
set_progress(lun_request *r, progress p)
{
    lun_http_set_state(r, &lun_http_mirror, (void *) (uintptr_t) p);
}


static lun_rc
send_to(lun_request *r, lun_str uri, bool body)
{
    lun_request  *sub = lun_subrequest_ask(r, uri, r->args, LUN_SUB_CAPTURE);

    if (sub == NULL) {
        return LUN_ERROR;
    }

    sub->method = r->method;
    sub->method_name = r->method_name;
    sub->header_only = 1;

    if (body) {
        lun_subrequest_share_body(sub);

    } else {
        lun_subrequest_drop_body(sub);
    }

    lun_subrequest_start(sub, NULL, NULL);
    return LUN_OK;
}


static lun_verdict
mirror(lun_request *r, const mirror_conf *conf)
{
    size_t  i;

    set_progress(r, MIRRORED);

    for (i = 0; i < conf->uris->count; i++) {
        if (send_to(r, *(lun_str *) lun_array_at(conf->uris, i), conf->body)
            != LUN_OK)
        {
            return LUN_STATUS + 500;
        }
    }

    return LUN_NEXT;
}


static void
on_body(lun_request *r)
{
    set_progress(r, READ);
    lun_http_resume(r);
}


static lun_verdict
on_precontent(lun_session *s)
{
    lun_request        *r = lun_request_of(s);
    progress            at;
    lun_verdict         v;
    const mirror_conf  *conf = lun_http_conf(r, &lun_http_mirror);

    if (r->parent != NULL || conf->uris == NULL || conf->uris->count == 0) {
        return LUN_NEXT;
    }

    at = (progress) (uintptr_t) lun_http_state(r, &lun_http_mirror);

    if (at == MIRRORED) {
        return LUN_NEXT;
    }

    if (at == 0 && conf->body) {
        set_progress(r, READING);
        v = lun_body_read(r, on_body);

        return v == LUN_LEAVE ? LUN_WAIT : v;
    }

    return at == READING ? LUN_WAIT : mirror(r, conf);
}


/* --- reading ------------------------------------------------------------- */

static lun_rc
set_mirror(lun_conf *cf, const lun_directive *d, void *data)
{
    bool          off = lun_str_eq(cf->args[1], LUN_STR("off"));
    mirror_conf  *conf = data;

    if (conf->uris == NULL) {
        conf->uris = lun_array_new(cf->pool, sizeof(lun_str), 1);

    } else if (off || conf->uris->count == 0) {
        return lun_conf_fail(cf, "\"mirror\" directive is duplicate");
    }

    if (!off) {
        *(lun_str *) lun_array_push(conf->uris) = cf->args[1];
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "mirror", .where = LUN_HTTP_LEVELS, .args = 1, .repeats = true,
      .set = set_mirror, LUN_FIELD(mirror_conf, uris),
      .values = "uri | off",
      .help = "sends requests here as well, and ignores the answers" },
    { .name = "mirror_request_body", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(mirror_conf, body), .fallback = "on",
      .help = "with their bodies" },
    { 0 }
};

lun_http_module  lun_http_mirror = {
    .name = "mirror",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(mirror_conf),
    .on[LUN_PRECONTENT] = on_precontent,
};
