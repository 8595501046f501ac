/*
 * ffi_misc.c -- ngx.status, ngx.headers_sent, ngx.is_subrequest, for
 * lua/resty/core/misc.lua.  All need a request, which is checked there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"
#include "modules/lua/ffi/ffi_headers.h"

#include "modules/lua/run/side.h"
#include "net/conn_sock.h"


/* Seconds; of a session of whatever protocol. */
double
lun_ffi_session_start_time(void)
{
    const lun_session  *s = lun_lua_now.session;

    return lun_lua_now.ctx->main->side->started(s);
}


/* Where the client was going, "1.2.3.4:80", cut to *size bytes. */
int
lun_ffi_original_addr(char *room, size_t *size)
{
    char             text[LUN_ADDR_TEXT];
    lun_str          s;
    lun_addr         addr;
    const lun_conn  *c = lun_lua_now.session->conn;

    if (c == NULL || c->datagram || c->remote.family == LUN_AF_UNIX
        || lun_conn_original(c, &addr) != 0)
    {
        return LUN_ERROR;
    }

    s = lun_addr_format(&addr, true, text, sizeof(text));
    *size = lun_min(s.len, *size);
    memcpy(room, s.data, *size);
    return LUN_OK;
}


int
lun_ffi_status(void)
{
    const lun_request  *r = lun_lua_now.request;

    if (r->error_status != 0) {
        return r->error_status;
    }

    if (r->out.status != 0) {
        return (int) r->out.status;
    }

    return r->version == 9 ? 9 : 0;
}


/* A status line has three digits, whatever number a script says. */
static unsigned
status_of(int status)
{
    return (unsigned) lun_max(0, lun_min(status, 999));
}


/* 1: too late, and logged. */
int
lun_ffi_set_status(int status)
{
    lun_request  *r = lun_lua_now.request;

    if (r->header_sent) {
        lun_log(LUN_LOG_ERR, lun_lua_now.ctx->log, 0, "attempt to set "
                "ngx.status after sending out response headers");
        return 1;
    }

    r->error_status = 0;
    r->out.status = status_of(status);
    r->out.status_line = LUN_STR_NULL;
    return 0;
}


/* The same with a text of the script's; "": the number's own. */
int
lun_ffi_set_status_line(int status, const char *reason, size_t len)
{
    lun_str       text;
    lun_request  *r = lun_lua_now.request;

    if (lun_ffi_set_status(status) != 0) {
        return 1;
    }

    if (len != 0) {
        text = lun_lua_header_value(r, reason, len);
        r->out.status_line = lun_pool_fmt(r->pool, "%03u %.*s",
                                          r->out.status, LUN_S(text));
    }

    return 0;
}


/* If-Modified-Since and its like are not looked at. */
void
lun_ffi_bypass_if_checks(void)
{
    lun_lua_now.request->not_ours = true;
}


int
lun_ffi_headers_sent(void)
{
    return lun_lua_now.request->header_sent;
}


int
lun_ffi_is_subrequest(void)
{
    return lun_lua_now.request->parent != NULL;
}
