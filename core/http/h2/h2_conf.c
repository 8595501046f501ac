/*
 * h2_conf.c -- the directives of HTTP/2, and $http2.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_conf.h"

#include "config/slots.h"
#include "http/h2/h2.h"
#include "net/conn_io.h"


enum {
    SERVERS    = LUN_HTTP | LUN_SERVER,
    MAX_WINDOW = 0x7fffffff,
    MAX_FRAME  = 0xffffff,
    MIN_RECV   = 1024
};


static lun_rc
set_preread(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_h2_conf  *h2 = conf;

    if (lun_set_size(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (h2->body_preread_size > MAX_WINDOW) {
        return lun_conf_fail(cf, "the maximum body preread buffer size is %d",
                             MAX_WINDOW);
    }

    return LUN_OK;
}


static lun_rc
set_chunk(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_h2_conf  *h2 = conf;

    if (lun_set_size(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (h2->chunk_size == 0) {
        return lun_conf_fail(cf, "the http2 chunk size cannot be zero");
    }

    h2->chunk_size = lun_min(h2->chunk_size, (size_t) MAX_FRAME);
    return LUN_OK;
}


static lun_rc
set_recv_buffer(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_h2_conf  *h2 = conf;

    if (lun_set_size(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (h2->recv_buffer_size < MIN_RECV) {
        return lun_conf_fail(cf, "\"%s\" directive value is too small",
                             d->name);
    }

    return LUN_OK;
}


static lun_rc
set_streams(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_h2_conf  *h2 = conf;

    if (lun_set_num(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    return h2->concurrent_streams <= INT32_MAX ? LUN_OK
                                               : lun_conf_bad_value(cf);
}


/* d->data is what took its place; NULL: nothing did. */
static lun_rc
set_obsolete(lun_conf *cf, const lun_directive *d, void *conf)
{
    const char  *instead = d->data;

    if (instead != NULL) {
        lun_conf_warn(cf, "the \"%s\" directive is obsolete, use the \"%s\" "
                      "directive instead", d->name, instead);
    } else {
        lun_conf_warn(cf, "the \"%s\" directive is obsolete, ignored",
                      d->name);
    }

    return LUN_OK;
}


#define OBSOLETE(name_, where_, instead)                                      \
    { .name = (name_), .where = (where_), .args = 1, .set = set_obsolete,     \
      .repeats = true, .data = (instead), .values = "...",                    \
      .help = "obsolete: read, warned of, and without effect" }

static const lun_directive  directives[] = {
    { .name = "http2", .where = SERVERS, .args = 1, .set = lun_set_flag,
      LUN_FIELD(lun_h2_conf, enabled), .fallback = "off",
      .help = "speaks HTTP/2" },
    { .name = "http2_max_concurrent_streams", .where = SERVERS, .args = 1,
      .set = set_streams, LUN_FIELD(lun_h2_conf, concurrent_streams),
      .fallback = "128",
      .values = "number",
      .help = "requests at a time on a connection" },
    { .name = "http2_body_preread_size", .where = SERVERS, .args = 1,
      .set = set_preread, LUN_FIELD(lun_h2_conf, body_preread_size),
      .fallback = "65536",
      .values = "size",
      .help = "how much of a body may come before it is read" },
    { .name = "http2_recv_buffer_size", .where = LUN_HTTP, .args = 1,
      .set = set_recv_buffer, LUN_FIELD(lun_h2_conf, recv_buffer_size),
      .fallback = "256k",
      .values = "size",
      .help = "the room that a worker reads into" },
    { .name = "http2_chunk_size", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_chunk, LUN_FIELD(lun_h2_conf, chunk_size),
      .fallback = "16k",
      .values = "size",
      .help = "the longest piece of a body" },
    { .name = "http2_websockets", .where = SERVERS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_h2_conf, websockets),
      .fallback = "on",
      .help = "lets clients open WebSockets by CONNECT (RFC 8441)" },

    { .name = "http2_pool_size", .where = SERVERS, .args = 1,
      .set = lun_set_ignored, .data = &lun_ignored_size,
      .help = "without effect here" },
    { .name = "http2_streams_index_size", .where = SERVERS, .args = 1,
      .set = lun_set_ignored, .data = &lun_ignored_num,
      .help = "without effect here" },

    OBSOLETE("http2_recv_timeout", SERVERS, "client_header_timeout"),
    OBSOLETE("http2_idle_timeout", SERVERS, "keepalive_timeout"),
    OBSOLETE("http2_max_requests", SERVERS, "keepalive_requests"),
    OBSOLETE("http2_max_field_size", SERVERS, "large_client_header_buffers"),
    OBSOLETE("http2_max_header_size", SERVERS, "large_client_header_buffers"),
    OBSOLETE("http2_max_concurrent_pushes", SERVERS, NULL),
    OBSOLETE("http2_push_preload", LUN_HTTP_LEVELS, NULL),
    OBSOLETE("http2_push", LUN_HTTP_LEVELS, NULL),
    { 0 }
};


static void
get_http2(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->known = 1;
    v->text = LUN_STR("");

    if (r->version == 2000) {      /* also of one that is detached */
        v->text = lun_conn_is_secure(r->conn) ? LUN_STR("h2")
                                              : LUN_STR("h2c");
    }
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("http2"), .get = get_http2,
      .help = "h2 or h2c over HTTP/2, else nothing" },
    { .name = LUN_STR_NULL }
};


lun_http_module  lun_http_h2 = {
    .name = "v2",
    .always = true,
    .directives = directives,
    .conf_size = sizeof(lun_h2_conf),
    .variables = variables,
    .metrics = lun_h2_metrics,
};
