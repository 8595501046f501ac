/*
 * upreq_value.c -- a value of a store of keys, as it comes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_value.h"

#include "base/check.h"
#include "http/body.h"
#include "http/module.h"
#include "http/upstream/upreq_answer.h"


const lun_enum  lun_upreq_value_tries[] = {
    { "error", LUN_TRY_ERROR },
    { "timeout", LUN_TRY_TIMEOUT },
    { "invalid_response", LUN_TRY_INVALID_HEADER },
    { "not_found", LUN_TRY_404 },
    { "denied", LUN_TRY_DENIED },
    { "off", LUN_TRY_OFF },
    { NULL, 0 }
};


lun_verdict
lun_upreq_value_content(lun_request *r, const lun_http_module *m,
    const lun_upreq_conf *conf, const lun_upreq_address *address,
    const lun_upstream_protocol *protocol, size_t size)
{
    lun_verdict  v;

    if (address == NULL || !lun_http_has_content(r, m)) {
        return LUN_NEXT;
    }

    if (r->method != LUN_GET && r->method != LUN_HEAD) {
        return LUN_STATUS + 405;
    }

    v = lun_body_discard(r);

    if (v != LUN_LEAVE) {
        return v;
    }

    lun_http_set_type(r);
    return lun_upreq_ask(r, conf, address, protocol,
                         lun_pool_zalloc(r->pool, size));
}


lun_upstream_verdict
lun_upreq_value_found(lun_upreq *x, lun_upreq_value *v)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    x->answer.status = 200;
    x->answer.framed = true;
    v->left = lun_upreq_set_length(x, x->r->method == LUN_HEAD);

    return LUN_UPSTREAM_DONE;
}


lun_upstream_verdict
lun_upreq_value_missing(lun_upreq *x, const char *server, lun_str key,
    bool more)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    lun_log(LUN_LOG_INFO, x->r->log, 0, "key: \"%.*s\" was not found by %s",
            LUN_S(key), server);
    x->answer.status = 404;
    x->answer.keep = !more;
    x->answer.complete = true;

    return LUN_UPSTREAM_DONE;
}


lun_upstream_verdict
lun_upreq_value_read_end(lun_upreq *x, lun_upreq_value *v, const char *server,
    const char **pos, const char *end)
{
    for ( ; *pos != end && v->matched != v->end.len; (*pos)++) {
        if (**pos != v->end.data[v->matched++]) {
            lun_log(LUN_LOG_ERR, x->r->log, 0, "%s sent invalid trailer",
                    server);
            return LUN_UPSTREAM_BAD;
        }
    }

    if (v->matched != v->end.len) {
        return LUN_UPSTREAM_MORE;
    }

    if (*pos != end) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "%s sent invalid trailer", server);
    }

    x->answer.keep = true;
    return LUN_UPSTREAM_DONE;
}


/*
 * The value is followed by a mark of its end, which has to be there before the
 * connection is kept.
 */
lun_upstream_verdict
lun_upreq_value_read(lun_upreq *x, lun_upreq_value *v, const char *server,
    const char **pos, const char *end, lun_str *piece)
{
    size_t  n = (size_t) (end - *pos);

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (x->r->method == LUN_HEAD) {
        return LUN_UPSTREAM_DONE;
    }

    if (v->left == 0) {
        return lun_upreq_value_read_end(x, v, server, pos, end);
    }

    if (n == 0) {
        return LUN_UPSTREAM_MORE;
    }

    n = (size_t) lun_min((int64_t) n, v->left);
    v->left -= (int64_t) n;
    *piece = lun_str_of(*pos, n);
    *pos += n;

    return LUN_UPSTREAM_DATA;
}
