/*
 * h3_client.h -- a client of HTTP/3: nghttp3's, over QUIC in memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_H3_CLIENT_H
#define LUN_H3_CLIENT_H

#include <nghttp3/nghttp3.h>
#include <stdlib.h>

#include "h3_server.h"
#include "memory_quic.h"

enum { STREAMS = 16 };

typedef struct {
    int64_t   id;
    unsigned  status;
    size_t    len;
    char      body[HUGE_SIZE + 1];
    char      trailer[64];
    unsigned  ended;               /* as which of them; 0: it has not */
    lun_str   upload;              /* what is left of it */
} exchange;

static nghttp3_conn  *client;
static exchange       streams[STREAMS];
static size_t         stream_count, piece;
static unsigned       ended_count;
static bool           goodbye;     /* a GOAWAY has come */
static bool           late_table;  /* QPACK's instructions come behind all */
static char           late[4096];
static size_t         late_len;
static int64_t        next_id, table_id;
static quic_peer     *p;


static exchange *
stream_of(int64_t id)
{
    /* Each fourth number is a request's. */
    return (size_t) id / 4 < stream_count ? &streams[id / 4] : NULL;
}


static lun_str
view(nghttp3_rcbuf *buf)
{
    nghttp3_vec  v = nghttp3_rcbuf_get_buf(buf);

    return lun_str_of((const char *) v.base, v.len);
}


static int
on_header(nghttp3_conn *conn, int64_t id, int32_t token, nghttp3_rcbuf *name,
    nghttp3_rcbuf *value, uint8_t flags, void *data, void *stream)
{
    exchange  *x = stream_of(id);

    if (lun_str_eq(view(name), LUN_STR(":status"))) {
        x->status = (unsigned) strtoul(view(value).data, NULL, 10);
    }

    return 0;
}


static int
on_trailer(nghttp3_conn *conn, int64_t id, int32_t token, nghttp3_rcbuf *name,
    nghttp3_rcbuf *value, uint8_t flags, void *data, void *stream)
{
    exchange  *x = stream_of(id);

    (void) snprintf(x->trailer, sizeof(x->trailer), "%.*s: %.*s",
                    LUN_S(view(name)), LUN_S(view(value)));
    return 0;
}


static int
on_data(nghttp3_conn *conn, int64_t id, const uint8_t *bytes, size_t n,
    void *data, void *stream)
{
    exchange  *x = stream_of(id);

    LUN_CHECK(n < sizeof(x->body) - x->len);
    memcpy(x->body + x->len, bytes, n);
    x->len += n;
    return 0;
}


static int
on_end(nghttp3_conn *conn, int64_t id, void *data, void *stream)
{
    stream_of(id)->ended = ++ended_count;
    return 0;
}


static int
on_goaway(nghttp3_conn *conn, int64_t id, void *data)
{
    goodbye = true;
    return 0;
}


static void
no_chance(uint8_t *to, size_t n)
{
    memset(to, 7, n);
}


static nghttp3_ssize
read_upload(nghttp3_conn *conn, int64_t id, nghttp3_vec *vec, size_t count,
    uint32_t *flags, void *data, void *stream)
{
    exchange  *x = stream_of(id);

    vec[0].base = (uint8_t *) (uintptr_t) x->upload.data;
    vec[0].len = x->upload.len;
    *flags |= NGHTTP3_DATA_FLAG_EOF;
    return 1;
}


static TAP_UNUSED void
begin_client(unsigned listener, size_t table)
{
    static quic_peer   peer;
    nghttp3_settings   settings;

    static const nghttp3_callbacks  calls = {
        .recv_header = on_header,
        .recv_trailer = on_trailer,
        .recv_data = on_data,
        .end_stream = on_end,
        .shutdown = on_goaway,
        .rand = no_chance,
    };

    nghttp3_settings_default(&settings);
    settings.qpack_max_dtable_capacity = 4096;
    settings.qpack_blocked_streams = 100;
    settings.qpack_encoder_max_dtable_capacity = table;
    settings.qpack_indexing_strat = NGHTTP3_QPACK_INDEXING_STRAT_EAGER;
    LUN_CHECK(nghttp3_conn_client_new(&client, &calls, &settings, NULL, NULL)
              == 0);
    LUN_CHECK(nghttp3_conn_bind_control_stream(client, 2) == 0);
    LUN_CHECK(nghttp3_conn_bind_qpack_streams(client, 6, 10) == 0);
    table_id = 6;

    stream_count = 0;
    next_id = 0;
    piece = 1 << 20;
    late_table = false;
    late_len = 0;
    goodbye = false;
    p = &peer;
    quic_begin(p, listener);
}


static void
quic_heard(quic_peer *peer, int64_t id, const char *bytes, size_t n, bool fin)
{
    exchange  *x = stream_of(id);

    if (strcmp(quic_alpn, "h3") != 0) {
        memcpy(x->body + x->len, bytes, n);
        x->len += n;
        return;
    }

    LUN_CHECK(nghttp3_conn_read_stream(client, id, (const uint8_t *) bytes, n,
                                       fin) >= 0);
}


/* As much as the server's window takes. */
static void
say_some(int64_t id, const char *bytes, size_t n, bool fin)
{
    size_t  part;

    do {
        part = lun_min(n, piece);
        (void) quic_say(p, id, bytes, part, fin && part == n);
        bytes += part;
        n -= part;
    } while (n != 0);
}


/* What the client has to say; a stream without a window rests. */
static bool
say_all(void)
{
    int           fin;
    bool          said = false;
    size_t        n, whole;
    int64_t       id;
    quic_stream  *s;
    nghttp3_vec   vec[1];
    nghttp3_ssize count;

    while ((count = nghttp3_conn_writev_stream(client, &id, &fin, vec, 1))
           >= 0 && id >= 0)
    {
        s = quic_find(p, id);
        whole = n = count != 0 ? vec[0].len : 0;

        if (late_table && id == table_id) {
            memcpy(late + late_len, vec[0].base, n);
            late_len += n;

        } else {
            if (s != NULL) {
                n = lun_min(n, (size_t) s->window);
            }

            if (n == 0 && whole != 0) {
                nghttp3_conn_block_stream(client, id);
                continue;
            }

            say_some(id, (const char *) vec[0].base, n, fin && n == whole);
        }

        nghttp3_conn_add_write_offset(client, id, n);
        nghttp3_conn_add_ack_offset(client, id, n);
        said = true;
    }

    return said;
}


static void
unblock_all(void)
{
    size_t        i;
    quic_stream  *s;

    for (i = 0; i < p->count; i++) {
        s = &p->streams[i];

        if (s->window > 0 && !s->closed && s->id % 2 == 0) {
            nghttp3_conn_unblock_stream(client, s->id);
        }
    }
}


/* Until nobody has anything to say. */
static TAP_UNUSED void
talk(void)
{
    do {
        quic_run(p);
        unblock_all();
    } while (say_all() && p->c != NULL);

    quic_run(p);
}


static TAP_UNUSED void
end_client(void)
{
    quic_lose(p);
    wire_wait(60000);
    ok(p->c == NULL, "the connection is gone");
    nghttp3_conn_del(client);
}


static exchange *
ask_with(const char *path, const char *upload, const char *name,
    const char *value)
{
    exchange             *x = &streams[stream_count++];
    size_t                i;
    nghttp3_nv            list[5];
    nghttp3_data_reader   reader = { read_upload };

    const char *const  fields[][2] = {
        { ":method", upload != NULL ? "POST" : "GET" },
        { ":scheme", "https" }, { ":authority", "a" }, { ":path", path },
        { name, value }
    };

    LUN_CHECK(stream_count <= STREAMS);
    memset(x, 0, sizeof(*x));

    for (i = 0; i < LUN_ARRAY_LEN(fields) && fields[i][0] != NULL; i++) {
        list[i] = (nghttp3_nv) {
            .name = (const uint8_t *) fields[i][0],
            .namelen = strlen(fields[i][0]),
            .value = (const uint8_t *) fields[i][1],
            .valuelen = strlen(fields[i][1])
        };
    }

    x->upload = lun_str_of(upload, upload != NULL ? strlen(upload) : 0);
    x->id = next_id;
    next_id += 4;

    /* After a GOAWAY it refuses to. */
    LUN_CHECK(nghttp3_conn_submit_request(client, x->id, list, i,
                                          upload != NULL ? &reader : NULL,
                                          NULL) == 0 || goodbye);
    return x;
}


static TAP_UNUSED exchange *
ask(const char *path, const char *upload)
{
    return ask_with(path, upload, NULL, NULL);
}

#endif
