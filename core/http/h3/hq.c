/*
 * hq.c -- HTTP/0.9 over QUIC, by which implementations of QUIC are tried with
 * each other: "GET /path" is a stream, and what comes back is a body alone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_priv.h"

#include <openssl/ssl.h>

#include "base/check.h"
#include "net/tls/tls.h"


enum { MOST = 8192 };              /* bytes of a request */


/* --- what comes ---------------------------------------------------------- */

/* It names no host: the handshake has. */
static lun_str
host_of(lun_h3 *h3)
{
    const char  *name = SSL_get_servername(lun_tls_of(h3->mux.c),
                                           TLSEXT_NAMETYPE_host_name);

    return name != NULL && *name != '\0' ? lun_str_z(name)
                                         : LUN_STR("localhost");
}


/*
 * HTTP/0.9 has no fields: what HTTP/3 would have said in them is made up, so
 * that nothing above knows the difference.
 */
static void
take_line(lun_h3_wire *w, lun_str line)
{
    lun_h3         *h3 = w->h3;
    const char     *space;
    lun_h3_stream  *s = w->stream;

    if (line.len != 0 && line.data[line.len - 1] == '\r') {
        line.len--;
    }

    space = lun_str_chr(line, ' ');

    if (space == NULL) {
        lun_log(LUN_LOG_INFO, &s->m.log, 0, "client sent invalid request");
        lun_h3_reset(s, LUN_H3_GENERAL_ERROR);
        return;
    }

    (void) lun_field_take(&s->m.in, LUN_STR(":method"),
                          lun_str_of(line.data,
                                     (size_t) (space - line.data)));
    (void) lun_field_take(&s->m.in, LUN_STR(":path"),
                          lun_str_of(space + 1, (size_t) (line.data + line.len
                                                          - space - 1)));
    (void) lun_field_take(&s->m.in, LUN_STR(":scheme"), LUN_STR("https"));
    (void) lun_field_take(&s->m.in, LUN_STR(":authority"), host_of(h3));

    s->m.r->request_length += (int64_t) line.len;
    s->m.in_closed = 1;
    lun_h3_credit(h3, line.len);
    lun_h3_count_request(h3);
    lun_mux_complete(&s->m);
}


static void
keep(lun_h3_wire *w, const char *bytes, size_t n)
{
    if (w->kept == NULL) {
        w->kept = lun_malloc(MOST);
    }

    n = lun_min(n, MOST - w->kept_len);
    memcpy(w->kept + w->kept_len, bytes, n);
    w->kept_len += n;
}


void
lun_hq_take(lun_h3_wire *w, const char *bytes, size_t n, bool fin)
{
    lun_str         line;
    const char     *end;
    lun_h3_stream  *s = w->stream;

    if (s == NULL || s->m.closed || s->m.complete) {
        return;
    }

    if (n != 0) {
        keep(w, bytes, n);
    }

    line = lun_str_of(w->kept, w->kept_len);
    end = line.len != 0 ? lun_str_chr(line, '\n') : NULL;

    if (end != NULL) {
        line.len = (size_t) (end - line.data);

    } else if (!fin && w->kept_len < MOST) {
        return;
    }

    take_line(w, line);
}


/* --- what goes ----------------------------------------------------------- */

/* There is none. */
static lun_rc
send_header(lun_request *r)
{
    lun_h3_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!lun_mux_may_send(&s->m) || s->wire == NULL) {
        return LUN_ERROR;
    }

    if (r->header_only || r->out.content_length == 0) {
        s->m.no_body = 1;
        s->m.out_closed = 1;
        s->wire->ends = 1;
        lun_h3_may_send(s->wire);
        lun_h3_check_closed(s);
        lun_mux_ready(&s->m);
    }

    return LUN_OK;
}


static lun_rc
send_continue(lun_request *r)
{
    return LUN_OK;
}


static void
send_hints(lun_request *r, const lun_header_list *hints)
{
    /* It has no word for them. */
}


static bool
is_enabled(const lun_listen_addr *listen, const lun_server *server)
{
    const lun_h3_conf  *conf = server->conf[lun_http_h3.index];

    return conf->hq;
}


static const lun_str  names[] = { LUN_STR_INIT("hq-interop"), LUN_STR_NULL };

const lun_http_protocol  lun_hq_protocol = {
    .names         = names,
    .enabled       = is_enabled,
    .stream_size   = sizeof(lun_h3_stream),
    .send_header   = send_header,
    .send_body     = lun_mux_send_body,
    .pull_body     = lun_mux_pull_body,
    .send_continue = send_continue,
    .send_hints    = send_hints,
    .watch         = lun_mux_watch,
    .finish        = lun_mux_finish,
    .drop          = lun_mux_finish,
};
