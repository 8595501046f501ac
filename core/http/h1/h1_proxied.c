/*
 * h1_proxied.c -- what a proxy says first, on a connection of a listener that
 * asks for it (`listen ... proxy_protocol`): session/proxied.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept.h"
#include "http/h1/h1.h"
#include "http/conf/core_conf.h"
#include "session/proxied.h"


static void
read_header(lun_conn *c)
{
    switch (lun_proxied_read(c)) {

    case LUN_AGAIN:
        lun_conn_want(c);
        return;

    case LUN_ERROR:
        lun_conn_close(c);
        return;

    case LUN_OK:
        lun_http_start(c);
        return;
    }
}


static const lun_conn_state  reading_header = {
    .name       = "h1 reading header",
    .doing      = "reading PROXY protocol",
    .on_read    = read_header,
    .on_timeout = lun_h1_give_up,
    .on_gone    = lun_h1_gone_before,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


void
lun_h1_read_proxied(lun_conn *c)
{
    lun_conn_enter(c, &reading_header);
    lun_conn_want(c);
}
