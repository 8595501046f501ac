/*
 * cgi_plain.c -- see cgi_plain.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/cgi_plain.h"

#include "http/upstream/upreq_answer.h"


typedef struct {
    lun_cgi_head  head;
    int64_t       left;            /* of the body; -1: until the end */
} state;


lun_verdict
lun_cgi_plain_content(lun_request *r, const lun_http_module *m,
    const lun_upstream_protocol *protocol)
{
    lun_upreq                 *x;
    lun_verdict                v;
    lun_upreq_url              url;
    const lun_cgi_plain_conf  *conf = lun_http_conf(r, m);

    if (conf->address == NULL || !lun_http_has_content(r, m)) {
        return LUN_NEXT;
    }

    x = lun_upreq_new(r, &conf->up, protocol);
    x->protocol_data = lun_pool_new(r->pool, state);
    v = lun_upreq_find_target(x, conf->address, &url);

    if (v != LUN_NEXT) {
        return v;
    }

    /* Its length stands in front of it. */
    lun_upreq_stream(x, true);
    return lun_upreq_start(x);
}


void
lun_cgi_plain_reset(lun_upreq *x)
{
    state  *s = x->protocol_data;

    lun_cgi_head_reset(&s->head, true);
    s->left = -1;
}


lun_upstream_verdict
lun_cgi_plain_read_header(lun_upreq *x, const char **pos, const char *end)
{
    state                 *s = x->protocol_data;
    lun_upstream_verdict   v = lun_cgi_read_head(x, &s->head, pos, end);

    if (v == LUN_UPSTREAM_DONE) {
        s->left = lun_upreq_set_length(x, x->r->method == LUN_HEAD);
    }

    return v;
}


lun_upstream_verdict
lun_cgi_plain_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    size_t   n = (size_t) (end - *pos);
    state   *s = x->protocol_data;

    if (s->left == 0) {
        if (n != 0 && x->r->method != LUN_HEAD) {
            lun_upreq_log_more(x);
        }

        return LUN_UPSTREAM_DONE;
    }

    if (n == 0) {
        return LUN_UPSTREAM_MORE;
    }

    if (s->left > 0) {
        n = (size_t) lun_min((int64_t) n, s->left);
        s->left -= (int64_t) n;
    }

    *piece = lun_str_of(*pos, n);
    *pos += n;

    return LUN_UPSTREAM_DATA;
}


lun_rc
lun_cgi_plain_finish_conf(lun_conf *cf, const lun_http_module *m,
    lun_cgi_plain_conf *conf, const lun_str *hidden)
{
    if (lun_upreq_finish_conf(cf, m->name, &conf->up, hidden) != LUN_OK
        || lun_cache_finish_conf(cf, m->name, &conf->cache, &conf->up)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    return lun_cgi_finish_params(cf, &conf->params);
}
