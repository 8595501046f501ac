/*
 * http.c -- requests and answers: HTTP/3 by nghttp3, and HTTP/0.9.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdio.h>

#include "base/pool.h"
#include "os/random.h"
#include "t/lib/http3_client/client.h"


static nghttp3_conn  *http;

/* HTTP/0.9: the request at hand. */
static char    line[1024];
static size_t  line_len, line_at;
static int64_t line_id = -1;


bool
is_plain(void)
{
    return strcmp(opt.alpn, "h3") != 0;
}


/* --- HTTP/3 -------------------------------------------------------------- */

static lun_str
view(nghttp3_rcbuf *buf)
{
    nghttp3_vec  v = nghttp3_rcbuf_get_buf(buf);

    return lun_str_of((const char *) v.base, v.len);
}


static void
append(char **to, size_t *len, const char *data, size_t n)
{
    *to = lun_realloc(*to, *len + n + 1);
    memcpy(*to + *len, data, n);
    *len += n;
}


static int
on_header(nghttp3_conn *h, int64_t id, int32_t token, nghttp3_rcbuf *name,
    nghttp3_rcbuf *value, uint8_t flags, void *data, void *stream)
{
    exchange  *x = find_exchange(id);
    lun_str    n = view(name), v = view(value);

    if (lun_str_eq(n, LUN_STR(":status"))) {
        append(&x->head, &x->head_len, "HTTP/3 ", 7);
        append(&x->head, &x->head_len, v.data, v.len);
        append(&x->head, &x->head_len, " \r\n", 3);
        return 0;
    }

    append(&x->head, &x->head_len, n.data, n.len);
    append(&x->head, &x->head_len, ": ", 2);
    append(&x->head, &x->head_len, v.data, v.len);
    append(&x->head, &x->head_len, "\r\n", 2);
    return 0;
}


static int
on_headers_end(nghttp3_conn *h, int64_t id, int fin, void *data, void *stream)
{
    exchange  *x = find_exchange(id);

    append(&x->head, &x->head_len, "\r\n", 2);

    if (opt.cancel) {
        cancel_stream(id, NGHTTP3_H3_REQUEST_CANCELLED);
    }

    return 0;
}


static int
on_trailer(nghttp3_conn *h, int64_t id, int32_t token, nghttp3_rcbuf *name,
    nghttp3_rcbuf *value, uint8_t flags, void *data, void *stream)
{
    exchange  *x = find_exchange(id);
    lun_str    n = view(name), v = view(value);

    append(&x->trailers, &x->trailers_len, n.data, n.len);
    append(&x->trailers, &x->trailers_len, ": ", 2);
    append(&x->trailers, &x->trailers_len, v.data, v.len);
    append(&x->trailers, &x->trailers_len, "\n", 1);
    return 0;
}


static int
on_data(nghttp3_conn *h, int64_t id, const uint8_t *bytes, size_t n,
    void *data, void *stream)
{
    exchange  *x = find_exchange(id);

    if (x->len + n > x->room) {
        x->room = 2 * (x->len + n);
        x->body = lun_realloc(x->body, x->room);
    }

    memcpy(x->body + x->len, bytes, n);
    x->len += n;
    give_room(id, n);
    return 0;
}


static int
on_consumed(nghttp3_conn *h, int64_t id, size_t n, void *data, void *stream)
{
    give_room(id, n);
    return 0;
}


static int
on_end(nghttp3_conn *h, int64_t id, void *data, void *stream)
{
    find_exchange(id)->ended = true;
    return 0;
}


static int
on_stop(nghttp3_conn *h, int64_t id, uint64_t code, void *data, void *stream)
{
    stop_reading(id, code);
    return 0;
}


static int
on_reset(nghttp3_conn *h, int64_t id, uint64_t code, void *data, void *stream)
{
    stop_writing(id, code);
    return 0;
}


static void
random_bytes(uint8_t *to, size_t n)
{
    lun_random_bytes(to, n);
}


void
begin_http(void)
{
    size_t             i;
    int64_t            ids[3];
    nghttp3_settings   settings;

    static const nghttp3_callbacks  calls = {
        .recv_header = on_header,
        .end_headers = on_headers_end,
        .recv_trailer = on_trailer,
        .recv_data = on_data,
        .deferred_consume = on_consumed,
        .end_stream = on_end,
        .stop_sending = on_stop,
        .reset_stream = on_reset,
        .rand = random_bytes,
    };

    if (is_plain()) {
        return;
    }

    nghttp3_settings_default(&settings);
    settings.qpack_max_dtable_capacity = 4096;
    settings.qpack_encoder_max_dtable_capacity = 4096;
    settings.qpack_blocked_streams = 16;
    settings.qpack_indexing_strat = NGHTTP3_QPACK_INDEXING_STRAT_EAGER;

    if (nghttp3_conn_client_new(&http, &calls, &settings, NULL, NULL) != 0) {
        quit(FAILED, "no HTTP/3");
    }

    for (i = 0; i < 3; i++) {
        ids[i] = open_uni();
    }

    (void) nghttp3_conn_bind_control_stream(http, ids[0]);
    (void) nghttp3_conn_bind_qpack_streams(http, ids[1], ids[2]);
}


static nghttp3_nv
field_of(lun_str name, lun_str value)
{
    return (nghttp3_nv) {
        .name = (const uint8_t *) name.data, .namelen = name.len,
        .value = (const uint8_t *) value.data, .valuelen = value.len
    };
}


/* "Name: value", "Name;"; the name in lower case. */
static bool
split(lun_str text, lun_str *name, lun_str *value)
{
    size_t  i, n = 0;
    char   *low;

    while (n < text.len && text.data[n] != ':' && text.data[n] != ';') {
        n++;
    }

    low = lun_malloc(n + 1);

    for (i = 0; i < n; i++) {
        low[i] = lun_lower(text.data[i]);
    }

    *name = lun_str_of(low, n);
    *value = n < text.len ? lun_str_trim(lun_str_of(text.data + n + 1,
                                                    text.len - n - 1))
                          : LUN_STR("");
    return value->len != 0 || (n < text.len && text.data[n] == ';');
}


static nghttp3_ssize
read_body(nghttp3_conn *h, int64_t id, nghttp3_vec *vec, size_t room,
    uint32_t *flags, void *data, void *stream)
{
    lun_str     name, value;
    nghttp3_nv  nv;

    if (opt.hold && find_exchange(id)->sent) {
        return NGHTTP3_ERR_WOULDBLOCK;
    }

    find_exchange(id)->sent = true;
    vec[0].base = (uint8_t *) opt.body;
    vec[0].len = opt.body_len;

    if (opt.hold) {
        return 1;
    }

    *flags |= NGHTTP3_DATA_FLAG_EOF;

    if (opt.trailer.len != 0) {
        *flags |= NGHTTP3_DATA_FLAG_NO_END_STREAM;
        (void) split(opt.trailer, &name, &value);
        nv = field_of(name, value);
        (void) nghttp3_conn_submit_trailers(h, id, &nv, 1);
    }

    return 1;
}


static const char *
choose_method(void)
{
    return opt.websocket != NULL || opt.connect != NULL ? "CONNECT"
           : opt.method != NULL ? opt.method
           : opt.body != NULL ? "POST" : "GET";
}


static void
submit_fields(exchange *x)
{
    char                 length[24];
    bool                 tunnel = opt.websocket != NULL
                                  || opt.connect != NULL;
    size_t               i, first, n = 0;
    lun_str              name, value, host = opt.host;
    nghttp3_nv           list[MOST + 8];
    nghttp3_data_reader  reader = { read_body };

    list[n++] = field_of(LUN_STR(":method"), lun_str_z(choose_method()));

    if (opt.connect == NULL) {
        list[n++] = field_of(LUN_STR(":scheme"), LUN_STR("https"));
        list[n++] = field_of(LUN_STR(":path"), x->path);
    }

    if (opt.websocket != NULL) {
        list[n++] = field_of(LUN_STR(":protocol"), lun_str_z(opt.websocket));
    }

    first = n;

    for (i = 0; i < opt.header_count; i++) {
        if (!split(opt.headers[i], &name, &value)) {
            continue;
        }

        if (lun_str_eq(name, LUN_STR("host"))) {
            host = value;

        } else {
            list[n++] = field_of(name, value);
        }
    }

    list[n++] = field_of(LUN_STR(":authority"), opt.connect != NULL
                         ? lun_str_z(opt.connect) : host);

    /* Pseudo-headers come first. */
    for (i = n - 1; i > first; i--) {
        nghttp3_nv  nv = list[i];

        list[i] = list[i - 1];
        list[i - 1] = nv;
    }

    if (opt.body != NULL && opt.trailer.len == 0 && !tunnel) {
        (void) snprintf(length, sizeof(length), "%zu", opt.body_len);
        list[n++] = field_of(LUN_STR("content-length"), lun_str_z(length));
    }

    if (nghttp3_conn_submit_request(http, x->id, list, n,
                                    opt.body != NULL ? &reader : NULL, NULL)
        != 0)
    {
        quit(FAILED, "the server takes no more requests");
    }
}


/* --- both ---------------------------------------------------------------- */

static void
submit_plain(exchange *x)
{
    line_len = (size_t) snprintf(line, sizeof(line), "GET %.*s\r\n",
                                 LUN_S(x->path));
    line_at = 0;
    line_id = x->id;
}


void
submit(exchange *x)
{
    if (is_plain()) {
        submit_plain(x);

    } else {
        submit_fields(x);
    }
}


bool
http_data(int64_t id, const uint8_t *bytes, size_t n, bool fin)
{
    exchange       *x;
    nghttp3_ssize   used;

    if (is_plain()) {
        x = find_exchange(id);

        if (x != NULL) {
            (void) on_data(NULL, id, bytes, n, NULL, NULL);
            x->ended = fin;
        }

        return true;
    }

    if (http == NULL) {
        return true;               /* nobody has asked: --early */
    }

    used = nghttp3_conn_read_stream(http, id, bytes, n, fin);

    if (used < 0) {
        fprintf(stderr, "http3_client: %s\n", nghttp3_strerror((int) used));
        return false;
    }

    give_room(id, (size_t) used);
    return true;
}


void
http_acked(int64_t id, uint64_t n)
{
    if (http != NULL) {
        (void) nghttp3_conn_add_ack_offset(http, id, n);
    }
}


void
http_closed(int64_t id, uint64_t code)
{
    if (http != NULL) {
        (void) nghttp3_conn_close_stream(http, id, code);
    }
}


void
http_reset(int64_t id)
{
    if (http != NULL) {
        (void) nghttp3_conn_shutdown_stream_read(http, id);
    }
}


void
http_stopped(int64_t id)
{
    if (http != NULL) {
        nghttp3_conn_shutdown_stream_write(http, id);
    }
}


void
http_may_send(int64_t id)
{
    if (http != NULL) {
        (void) nghttp3_conn_unblock_stream(http, id);
    }
}


void
http_blocked(int64_t id)
{
    if (http != NULL) {
        nghttp3_conn_block_stream(http, id);
    }
}


nghttp3_ssize
http_next(int64_t *id, int *fin, nghttp3_vec *vec, size_t most)
{
    *id = -1;
    *fin = 0;

    if (http != NULL) {
        return nghttp3_conn_writev_stream(http, id, fin, vec, most);
    }

    if (line_id < 0) {
        return 0;
    }

    *id = line_id;
    *fin = 1;
    vec[0].base = (uint8_t *) line + line_at;
    vec[0].len = line_len - line_at;
    return 1;
}


void
http_went(int64_t id, size_t n)
{
    if (http != NULL) {
        (void) nghttp3_conn_add_write_offset(http, id, n);
        return;
    }

    line_at += n;

    if (line_at == line_len) {
        line_id = -1;
    }
}
