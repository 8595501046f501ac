/*
 * h3_conf.c -- the directives of HTTP/3 and of QUIC, $http3 and
 * $quic_connection, and Alt-Svc.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_conf.h"

#include "config/slots.h"
#include "http/conf/core_conf.h"
#include "http/h3/h3.h"
#include "http/h3/h3_frames.h"
#include "net/conn_io.h"
#include "session/tls_conf.h"


enum {
    SERVERS     = LUN_HTTP | LUN_SERVER,
    UNI_STREAMS = 3,                   /* control, and two of QPACK */
    LEAST_CIDS  = 2,                   /* RFC 9000, 18.2 */
    LEAST_WINDOW = 1024,
    SHORT_KEY   = 16
};


/* --- directives ---------------------------------------------------------- */

/* As nginx: any number of bytes. */
static lun_rc
set_host_key(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_h3_conf  *h3 = conf;

    if (lun_tls_read_named(cf, &h3->host_key) != LUN_OK) {
        return LUN_ERROR;
    }

    if (h3->host_key.len == 0) {
        return lun_conf_fail(cf, "\"%.*s\" zero key size", LUN_S(cf->args[1]));
    }

    if (h3->host_key.len < SHORT_KEY) {
        lun_conf_warn(cf, "\"%.*s\" has %zu bytes: that can be guessed",
                      LUN_S(cf->args[1]), h3->host_key.len);
    }

    return LUN_OK;
}


static lun_rc
set_number(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  *n = (int64_t *) (void *) ((char *) conf + d->field);

    if (lun_set_num(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    return *n <= INT32_MAX ? LUN_OK : lun_conf_bad_value(cf);
}


static lun_rc
set_qlog(lun_conf *cf, const lun_directive *d, void *conf)
{
    ((lun_h3_conf *) conf)->qlog = lun_str_eq(cf->args[1], LUN_STR("off"))
        ? LUN_STR("") : lun_conf_path(cf, cf->args[1], false);
    return LUN_OK;
}


static lun_rc
set_bpf(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (lun_set_ignored(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (lun_str_eq(cf->args[1], LUN_STR("on"))) {
        lun_conf_warn(cf, "\"%s\" is not needed: packets find their worker "
                      "without it", d->name);
    }

    return LUN_OK;
}


static const lun_enum  retry_words[] = {
    { "off", LUN_QUIC_RETRY_OFF },
    { "on", LUN_QUIC_RETRY_ON },
    { "auto", LUN_QUIC_RETRY_AUTO },
    { NULL, 0 }
};

static const lun_enum  congestion_words[] = {
    { "cubic", LUN_QUIC_CUBIC },
    { "bbr", LUN_QUIC_BBR },
    { "reno", LUN_QUIC_RENO },
    { NULL, 0 }
};

#define ONE(name_, set_, field_, fallback_, ...)                              \
    { .name = (name_), .where = SERVERS, .args = 1, .set = (set_),            \
      LUN_FIELD(lun_h3_conf, field_), .fallback = (fallback_), __VA_ARGS__ }

static const lun_directive  directives[] = {
    ONE("http3", lun_set_flag, enabled, "on",
        .help = "speaks HTTP/3, where it listens for QUIC"),
    ONE("http3_hq", lun_set_flag, hq, "off",
        .help = "HTTP/0.9 over QUIC, for tests of implementations"),
    ONE("http3_max_concurrent_streams", set_number, concurrent_streams, "128",
        .values = "number",
        .help = "requests at a time on a connection"),
    ONE("http3_stream_buffer_size", lun_set_size, stream_buffer_size, "64k",
        .help = "how much of a body may come before it is read"),
    ONE("http3_max_table_capacity", set_number, table_capacity, "4096",
        .values = "number",
        .help = "bytes of the table by which clients pack headers"),
    ONE("http3_alt_svc", lun_set_flag, alt_svc, "on",
        .help = "tells clients that come by TCP of HTTP/3"),
    ONE("http3_websockets", lun_set_flag, websockets, "on",
        .help = "lets clients open WebSockets by CONNECT (RFC 9220)"),
    ONE("quic_retry", lun_set_enum, retry, "off", .data = retry_words,
        .help = "has clients prove their address before a handshake"),
    ONE("quic_gso", lun_set_flag, gso, "on",
        .help = "gives the system many packets at a time"),
    ONE("quic_host_key", set_host_key, host_key, NULL,
        .values = "file",
        .help = "a file with the key of connection ids and tokens"),
    ONE("quic_active_connection_id_limit", set_number, cid_limit, "2",
        .values = "number",
        .help = "connection ids of a client that are kept"),
    ONE("quic_congestion_control", lun_set_enum, congestion, "cubic",
        .data = congestion_words,
        .help = "how fast a connection sends: cubic, bbr or reno"),
    ONE("quic_qlog", set_qlog, qlog, NULL,
        .values = "folder",
        .help = "a folder for a log of each connection's packets"),
    { .name = "quic_bpf", .where = LUN_MAIN, .args = 1, .set = set_bpf,
      .data = &lun_ignored_flag,
      .values = "on | off",
      .help = "without effect here: packets find their worker anyway" },
    { 0 }
};


/* --- what QUIC asks for -------------------------------------------------- */

void
lun_h3_fill_quic(lun_quic_conf *quic, const lun_server *server)
{
    const lun_h3_conf    *h3 = server->conf[lun_http_h3.index];
    const lun_core_conf  *core = server->conf[lun_http_core.index];

    *quic = (lun_quic_conf) {
        .streams_bidi = (uint64_t) h3->concurrent_streams,
        .streams_uni = UNI_STREAMS,
        .stream_window = lun_max(h3->stream_buffer_size,
                                 (size_t) LEAST_WINDOW),
        .idle_timeout = core->keepalive.timeout != 0
                        ? core->keepalive.timeout : core->send_timeout,
        .handshake_timeout = core->client_header_timeout,
        .cid_limit = (unsigned) lun_max(h3->cid_limit,
                                        (int64_t) LEAST_CIDS),
        .retry = (lun_quic_retry) h3->retry,
        .cc = (lun_quic_cc) h3->congestion,
        .gso = h3->gso,
        .host_key = h3->host_key,
        .qlog = h3->qlog,
        .close_code = LUN_H3_NO_ERROR
    };
}


/* --- Alt-Svc (RFC 7838) -------------------------------------------------- */

/* Once, of a server that listens for TLS and for QUIC. */
static lun_rc
on_header(lun_request *r)
{
    lun_header         *h;
    const lun_h3_conf  *conf = lun_http_conf(r, &lun_http_h3);

    if (r->server->quic_port == 0 || !conf->alt_svc || !conf->enabled
        || r->parent != NULL || !lun_conn_is_secure(r->conn)
        || r->protocol == &lun_h3_protocol)
    {
        return lun_http_next_header(r, &lun_http_h3);
    }

    lun_header_each(&r->out.list, other) {
        if (lun_str_caseeq(other->name, LUN_STR("alt-svc"))) {
            return lun_http_next_header(r, &lun_http_h3);
        }
    }

    h = lun_header_list_push(&r->out.list);
    h->name = LUN_STR("Alt-Svc");
    h->value = lun_pool_fmt(r->pool, "h3=\":%u\"; ma=86400",
                            (unsigned) r->server->quic_port);
    h->hash = lun_header_hash(h->name);
    h->known = -1;

    return lun_http_next_header(r, &lun_http_h3);
}


/* --- variables ----------------------------------------------------------- */

static void
get_http3(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->known = 1;
    v->text = r->version == 3000 ? LUN_STR("h3")
              : r->protocol == &lun_hq_protocol ? LUN_STR("hq") : LUN_STR("");
}


static void
get_connection(lun_session *s, lun_value *v, uintptr_t data)
{
    char             room[LUN_QUIC_NAME];
    lun_request     *r = lun_request_of(s);
    const lun_quic  *q = lun_quic_of(r->conn);

    v->known = q != NULL;
    v->text = q != NULL ? lun_pool_str(r->pool, lun_quic_name(q, room))
                        : LUN_STR("");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("http3"), .get = get_http3,
      .help = "h3 or hq over QUIC, else nothing" },
    { .name = LUN_STR_INIT("quic_connection"), .get = get_connection,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "a name of the QUIC connection" },
    { .name = LUN_STR_NULL }
};


lun_http_module  lun_http_h3 = {
    .name = "v3",
    .always = true,
    .directives = directives,
    .conf_size = sizeof(lun_h3_conf),
    .variables = variables,
    .header_filter = on_header,
    .metrics = lun_h3_metrics,
};
