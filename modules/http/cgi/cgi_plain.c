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
lun_cgi_plain_start(lun_request *r, const lun_upreq_conf *up,
    const lun_upreq_address *address, const lun_upstream_protocol *protocol)
{
    lun_verdict     v;
    lun_upreq      *x = lun_upreq_new(r, up, protocol);
    lun_upreq_url   url;

    x->protocol_data = lun_pool_new(r->pool, state);
    v = lun_upreq_find_target(x, address, &url);

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
