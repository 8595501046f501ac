/*
 * fastcgi_request.c -- a request in records: parameters, then the body as
 * standard input.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/fastcgi_priv.h"


/* Standard input is over. */
static const char  input_end[LUN_FASTCGI_HEAD] = {
    1, LUN_FASTCGI_STDIN, 0, 1, 0, 0, 0, 0
};


/* What a client sends is limited, what a configuration makes of it is not. */
static lun_rc
add_sizes(const lun_upreq *x, const lun_array *pairs, size_t *size)
{
    size_t               i;
    const lun_cgi_pair  *p = pairs->items;

    *size = 0;

    for (i = 0; i < pairs->count; i++, p++) {
        if (p->name.len > LUN_FASTCGI_MAX_LENGTH
            || p->value.len > LUN_FASTCGI_MAX_LENGTH)
        {
            lun_log(LUN_LOG_ALERT, x->r->log, 0, "fastcgi request record is "
                    "too big: %zu", p->name.len + p->value.len);
            return LUN_ERROR;
        }

        *size += lun_fastcgi_pair_size(p->name, p->value);
    }

    return LUN_OK;
}


lun_rc
lun_fastcgi_make(lun_upreq *x, lun_buf **head)
{
    bool                     whole = x->body == NULL && !x->streamed;
    char                    *p;
    size_t                   i, size, before;
    lun_buf                 *b;
    lun_array                pairs;
    lun_request             *r = x->r;
    const lun_cgi_pair      *pair;
    const lun_fastcgi_conf  *conf = lun_http_conf(r, &lun_http_fastcgi);

    lun_cgi_make_pairs(r, &conf->params, conf->up.pass_request_headers,
                       &pairs);

    if (add_sizes(x, &pairs, &size) != LUN_OK) {
        return LUN_ERROR;
    }

    b = lun_buf_new_room(r->pool, LUN_FASTCGI_BEGIN_SIZE
                                  + lun_fastcgi_stream_size(size, &before)
                                  + sizeof(input_end));
    b->last = lun_fastcgi_put_begin(b->last, conf->keep_conn);
    p = b->last + before;
    pair = pairs.items;

    for (i = 0; i < pairs.count; i++, pair++) {
        p = lun_fastcgi_put_pair(p, pair->name, pair->value);
    }

    b->last = lun_fastcgi_put_stream(b->last, LUN_FASTCGI_PARAMS, size);

    /* Without a body it is one piece, and no frame is asked for. */
    x->body_is_plain = whole;

    if (whole) {
        b->last = lun_copy(b->last, input_end, sizeof(input_end));
    }

    *head = b;

    return LUN_OK;
}


int64_t
lun_fastcgi_frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    char    *p;
    int64_t  n = lun_min(size, (int64_t) LUN_FASTCGI_MOST);

    /* Without padding: what is behind a full record is aligned anyhow. */
    if (n != 0) {
        p = lun_fastcgi_put_head(f->room, LUN_FASTCGI_STDIN, (size_t) n, 0);
        f->before = lun_str_of(f->room, (size_t) (p - f->room));
    }

    if (last && n == size) {
        f->after = lun_str_of(input_end, sizeof(input_end));
    }

    return n;
}
