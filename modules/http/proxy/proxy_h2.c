/*
 * proxy_h2.c -- proxy_http_version 2.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"


static lun_rc
make_request(lun_upreq *x, lun_buf **head)
{
    lun_array         fields;
    lun_proxy_state  *s = x->protocol_data;

    if (lun_proxy_make_fields(x, &fields) != LUN_OK) {
        return LUN_ERROR;
    }

    s->h2.head = s->head;
    s->h2.fields.keep_trailers = x->conf->pass_trailers;
    return lun_upreq_h2_make(x, &fields, head);
}


const lun_upstream_protocol  lun_proxy_h2_protocol = {
    .schema      = LUN_STR_INIT("http://"),
    .tls_schema  = LUN_STR_INIT("https://"),
    .language    = LUN_STR_INIT("h2"),
    .reassembles = true,
    .converts_head = true,
    .dates_itself = true,
    .make        = make_request,
    .key         = lun_proxy_key,
    .join        = lun_upreq_h2_join,
    .part        = lun_upreq_h2_part,
    .begin       = lun_upreq_h2_begin,
    .frame       = lun_upreq_h2_frame,
    .reset       = lun_upreq_h2_reset,
    .read_header = lun_upreq_h2_read_header,
    .read_body   = lun_upreq_h2_read_body,
    .pass_header = lun_proxy_pass_header,
};
