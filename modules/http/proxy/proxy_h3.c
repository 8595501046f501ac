/*
 * proxy_h3.c -- proxy_http_version 3.
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

    s->h3.head = s->head;
    s->h3.fields.keep_trailers = x->conf->pass_trailers;
    return lun_upreq_h3_make(x, &fields, head);
}


const lun_upstream_protocol  lun_proxy_h3_protocol = {
    .schema      = LUN_STR_INIT("https://"),
    .tls_schema  = LUN_STR_INIT("https://"),
    .language    = LUN_STR_INIT("h3"),
    .reassembles = true,
    .converts_head = true,
    .dates_itself = true,
    .make        = make_request,
    .key         = lun_proxy_key,
    .connect     = lun_upreq_h3_connect,
    .join        = lun_upreq_h3_join,
    .part        = lun_upreq_h3_part,
    .begin       = lun_upreq_h3_begin,
    .frame       = lun_upreq_h3_frame,
    .reset       = lun_upreq_h3_reset,
    .read_header = lun_upreq_h3_read_header,
    .read_body   = lun_upreq_h3_read_body,
    .pass_header = lun_proxy_pass_header,
};
