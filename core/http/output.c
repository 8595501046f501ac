/*
 * output.c -- the filter chains and their ends, where the protocol begins.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/output.h"

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/engine.h"
#include "http/protocol.h"
#include "http/subrequest_priv.h"


/* --- the way in ---------------------------------------------------------- */

/*
 * Whoever has sent CONNECT (HTTP/2, HTTP/3) would take any 2xx for the tunnel
 * that it has asked for.
 */
static LUN_NOINLINE bool
seems_tunnel(const lun_request *r)
{
    if (r->parent != NULL || r->tunnels || r->out.status / 100 != 2) {
        return false;
    }

    lun_log(LUN_LOG_INFO, r->log, 0, "client asked for a tunnel where there "
            "is none, the answer would be %u", r->out.status);
    return true;
}


lun_rc
lun_http_send_header(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->header_sent) {
        lun_log(LUN_LOG_ALERT, r->log, 0, "header already sent");
        return LUN_ERROR;
    }

    if (r->refused != 0) {
        return LUN_ERROR;
    }

    if (r->header_held) {
        return LUN_OK;
    }

    if (r->error_status != 0) {
        r->out.status = r->error_status;
        r->out.status_line = LUN_STR_NULL;

        if (r->error_status >= 494 && r->error_status <= 497) {
            r->out.status = 400;   /* our names for a kind of 400 */
        }
    }

    if (LUN_UNLIKELY(r->in.connect) && seems_tunnel(r)) {
        return lun_http_refuse(r, 501);
    }

    return r->engine->header_filter(r);
}


void
lun_http_send_hints(lun_request *r, const lun_header_list *hints)
{
    LUN_CHECK(hints != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->parent == NULL && r->version >= 1001 && hints->count != 0
        && !r->header_sent
        && lun_scripts_any(&r->session, lun_core_conf_of(r)->early_hints))
    {
        lun_debug(r->log, "http send early hints \"%.*s?%.*s\"",
                  LUN_S(r->uri), LUN_S(r->args));
        r->protocol->send_hints(r, hints);
    }
}


lun_rc
lun_http_refuse(lun_request *r, unsigned status)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_header_each(&r->out.list, h) {
        h->hash = 0;
    }

    memset(r->out.known, 0, sizeof(r->out.known));
    r->out.content_type = LUN_STR_NULL;
    r->out.charset = LUN_STR_NULL;
    r->out.status_line = LUN_STR_NULL;
    r->refused = (uint16_t) status;
    lun_http_clear_length(r);
    lun_http_clear_last_modified(r);

    return LUN_ERROR;
}


/* Nobody will get it. */
static bool
is_lost(const lun_request *r)
{
    if (r->main->conn->gone || r->main->aborted) {
        return r->aborted || !lun_subrequest_captured(r);
    }

    return r->aborted;
}


lun_rc
lun_http_output(lun_request *r, lun_buf *in)
{
    lun_rc  rc;

    if (is_lost(r)) {
        return LUN_ERROR;
    }

    rc = r->engine->body_filter(r, in);

    if (rc == LUN_ERROR) {
        r->keepalive = 0;
    }

    return rc;
}


lun_rc
lun_http_output_eof(lun_request *r)
{
    lun_buf  *b = lun_buf_new(r->pool);

    lun_http_mark_last(r, b);
    return lun_http_output(r, b);
}


bool
lun_http_holds(const lun_request *r)
{
    return r->held != 0 || r->held_whole != 0
           || (r->sub != NULL && lun_postpone_waits(r->sub));
}


lun_rc
lun_http_pump(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    lun_debug(r->log, "http body filters go on, %u hold input",
              r->held + r->held_whole);

    return r->sub != NULL && lun_postpone_waits(r->sub)
           ? lun_postpone_pump(r) : lun_http_output(r, NULL);
}


/* --- the end of the header filters --------------------------------------- */

static bool
has_port(const lun_request *r, uint16_t port)
{
    return port != 0 && port != (r->scheme.len == 5 ? 443 : 80);
}


/*
 * "Location: /x" becomes "http://host/x", ahead of the list: the name is the
 * client's, or with server_name_in_redirect the server's own; the port is the
 * listener's.  One that is kept as it is has its place in the list, as nginx's.
 */
static void
make_absolute(lun_request *r, lun_header *h)
{
    uint16_t              port = 0;
    lun_str               host, text = h->value;
    const lun_addr       *local;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (!conf->absolute_redirect || text.len == 0 || text.data[0] != '/'
        || h->hash == 0)
    {
        lun_http_keep_location(r);
        return;
    }

    host = r->in.host;

    if (conf->server_name_in_redirect && r->server->name.len != 0) {
        host = r->server->name;
    }

    local = lun_conn_local(r->conn);

    if (host.len == 0) {
        char  *room = lun_pool_text(r->pool, LUN_ADDR_TEXT);

        host = lun_addr_format(local, false, room, LUN_ADDR_TEXT);
    }

    if (conf->port_in_redirect) {
        port = local->port;
    }

    if (has_port(r, port)) {
        h->value = lun_pool_fmt(r->pool, "%.*s://%.*s:%u%.*s",
                                LUN_S(r->scheme), LUN_S(host), port,
                                LUN_S(text));
    } else {
        h->value = lun_pool_fmt(r->pool, "%.*s://%.*s%.*s", LUN_S(r->scheme),
                                LUN_S(host), LUN_S(text));
    }
}


void
lun_http_keep_location(lun_request *r)
{
    lun_header  *h = r->out.known[LUN_HOUT_LOCATION];

    if (h != NULL) {
        h->known = -1;
        r->out.known[LUN_HOUT_LOCATION] = NULL;
    }
}


lun_rc
lun_http_end_header(lun_request *r)
{
    lun_headers_out  *out = &r->out;

    r->header_sent = 1;

    if (r->method == LUN_HEAD) {
        r->header_only = 1;
    }

    if (r->parent != NULL) {
        return LUN_OK;
    }

    /* A page's own date is not the answer's; what a server says of it is. */
    if (out->status != 200 && out->status != 206 && out->status != 304) {
        out->last_modified = -1;
    }

    if (out->status == 204) {
        r->header_only = 1;
        out->content_type = LUN_STR_NULL;
        lun_http_clear_last_modified(r);
        lun_http_clear_length(r);

    } else if (out->status == 304) {
        r->header_only = 1;
    }

    if (out->known[LUN_HOUT_LOCATION] != NULL) {
        make_absolute(r, out->known[LUN_HOUT_LOCATION]);
    }

    return r->protocol->send_header(r);
}


/* --- the end of the body filters ----------------------------------------- */

/* A body that nobody is to get is used up where it stands. */
static lun_rc
swallow(lun_request *r, lun_buf *in)
{
    for ( ; in != NULL; in = in->next) {
        r->done |= in->eof;
        in->pos = in->last;
        in->file_pos = in->file_last;
    }

    return LUN_OK;
}


lun_rc
lun_http_end_body(lun_request *r, lun_buf *in)
{
    const lun_buf  *b;

    if (r->header_only) {
        return swallow(r, in);
    }

    if (r->parent != NULL) {
        return lun_subrequest_take(r, in);
    }

    for (b = in; b != NULL; b = b->next) {
        r->done |= b->eof;
    }

    return r->protocol->send_body(r, in);
}
