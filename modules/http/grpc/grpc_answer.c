/*
 * grpc_answer.c -- an answer in HTTP/2: header, body, trailers of one stream,
 * and what has to be said to the server meanwhile.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/grpc/grpc_priv.h"

#include "base/fmt.h"
#include "http/h1/h1_parse.h"
#include "http/upstream/upreq_answer.h"


enum {
    USUAL_WINDOW = 65535,
    MAX_WINDOW = 0x7fffffff,
    GIVE_BACK = 0x3fffffff,        /* bytes of body, of both windows */
    MOST_CONTROLS = 1000,          /* SETTINGS and PINGs of an answer */
    SETTING_WINDOW = 4
};

typedef enum {
    MORE,
    FIELDS,                        /* a header block is complete */
    DATA,
    ENDED,
    BAD
} event;


void
lun_grpc_free(void *state)
{
    lun_grpc_state  *s = state;

    if (s->inflater != NULL) {
        nghttp2_hd_inflate_del(s->inflater);
        s->inflater = NULL;
    }
}


void
lun_grpc_reset(lun_upreq *x)
{
    lun_grpc_state  *s = x->protocol_data;

    lun_grpc_free(s);
    lun_frames_init(&s->frames);
    s->window = s->conn_window = s->initial = USUAL_WINDOW;
    s->received = 0;
    s->controls = 0;
    s->block_size = 0;
    s->left = -1;
    s->in_trailers = s->header_done = s->ended = s->ends = false;
    x->answer.framed = true;
}


static event
refuse(const lun_upreq *x, const char *what)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent %s", what);
    return BAD;
}


/* --- frames that are about the connection -------------------------------- */

static void
reply(lun_upreq *x, unsigned type, unsigned flags, const void *data, size_t n)
{
    char  *text = lun_pool_text(x->r->pool, LUN_FRAME_HEAD + n), *p;

    p = lun_frame_put_head(text, n, type, flags, 0);
    p = lun_copy(p, data, n);
    lun_upreq_reply(x, lun_str_of(text, (size_t) (p - text)));
}


/* Memory for answers is the request's: a server may not ask for ever. */
static event
count_control(lun_upreq *x)
{
    lun_grpc_state  *s = x->protocol_data;

    return ++s->controls <= MOST_CONTROLS
           ? MORE : refuse(x, s->frames.type == LUN_FRAME_PING
                              ? "too many ping frames"
                              : "too many settings frames");
}


static event
take_setting(lun_upreq *x)
{
    uint32_t         value;
    lun_grpc_state  *s = x->protocol_data;
    const uint8_t   *u = s->frames.unit;

    if (((unsigned) u[0] << 8 | u[1]) != SETTING_WINDOW) {
        return MORE;
    }

    value = lun_frame_u32(u + 2);

    if (value > MAX_WINDOW || s->window + value - s->initial > MAX_WINDOW) {
        return refuse(x, "settings frame with too large initial window size");
    }

    s->window += value - s->initial;
    s->initial = value;
    lun_upreq_send_more(x);

    return MORE;
}


static event
take_window(lun_upreq *x)
{
    int64_t          n;
    int64_t         *window;
    lun_grpc_state  *s = x->protocol_data;

    n = lun_frame_u32(s->frames.unit) & MAX_WINDOW;
    window = s->frames.stream == 0 ? &s->conn_window : &s->window;

    if (n > MAX_WINDOW - *window) {
        return refuse(x, "too large window update");
    }

    *window += n;
    lun_upreq_send_more(x);

    return MORE;
}


static event
take_goaway(lun_upreq *x)
{
    const lun_grpc_state  *s = x->protocol_data;

    if ((lun_frame_u32(s->frames.unit) & MAX_WINDOW) >= LUN_GRPC_STREAM) {
        return MORE;
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent goaway with error %u",
            lun_frame_u32(s->frames.unit + 4));
    return BAD;
}


static event
take_reset(lun_upreq *x)
{
    uint32_t              why;
    const lun_grpc_state *s = x->protocol_data;

    why = lun_frame_u32(s->frames.unit);

    if (why == NGHTTP2_NO_ERROR && s->ended) {
        return MORE;
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream rejected request with "
            "error %u", why);
    return BAD;
}


static event
take_unit(lun_upreq *x)
{
    const lun_grpc_state  *s = x->protocol_data;

    switch (s->frames.type) {

    case LUN_FRAME_SETTINGS:
        return take_setting(x);

    case LUN_FRAME_WINDOW_UPDATE:
        return take_window(x);

    case LUN_FRAME_GOAWAY:
        return take_goaway(x);

    case LUN_FRAME_RST_STREAM:
        return take_reset(x);

    case LUN_FRAME_PING:
        if ((s->frames.flags & LUN_FRAME_ACK) == 0) {
            reply(x, LUN_FRAME_PING, LUN_FRAME_ACK, s->frames.unit, 8);
            return count_control(x);
        }

        return MORE;

    default:
        return MORE;
    }
}


/* --- header blocks ------------------------------------------------------- */

static event
take_status(lun_upreq *x, lun_str value)
{
    uint64_t  n;

    if (x->answer.status != 0) {
        return refuse(x, "duplicate :status header");
    }

    if (value.len != 3 || lun_str_to_u64(value, &n) != LUN_OK || n < 100) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid :status "
                "\"%.*s\"", LUN_S(value));
        return BAD;
    }

    /* A client would wait for the answer behind it. */
    if (n < 200) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent unexpected :status "
                "\"%.*s\"", LUN_S(value));
        return BAD;
    }

    x->answer.status = (unsigned) n;
    return MORE;
}


static bool
is_field(lun_str name, lun_str value)
{
    size_t  i;
    char    c;

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (c <= ' ' || c >= 127 || c == ':' || (c >= 'A' && c <= 'Z')) {
            return false;
        }
    }

    return name.len != 0 && lun_h1_is_text(value);
}


static event
take_field(lun_upreq *x, lun_str name, lun_str value)
{
    lun_header       h;
    lun_grpc_state  *s = x->protocol_data;

    s->block_size += name.len + value.len;

    if (s->block_size > x->conf->buffer_size) {
        return refuse(x, "too big header");
    }

    if (!s->in_trailers && lun_str_eq(name, LUN_STR(":status"))) {
        return take_status(x, value);
    }

    if (!is_field(name, value)) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid %s: "
                "\"%.*s: %.*s\"", s->in_trailers ? "trailer" : "header",
                LUN_S(name), LUN_S(value));
        return BAD;
    }

    h = lun_upreq_field(lun_pool_str(x->r->pool, name),
                        lun_pool_str(x->r->pool, value));

    if (s->in_trailers) {
        lun_upreq_add_field(&x->answer.trailers, &h);
        return MORE;
    }

    if (h.known == LUN_HOUT_CONTENT_LENGTH
        && lun_upreq_take_length(x, &h) != LUN_OK)
    {
        return BAD;
    }

    lun_upreq_add_field(&x->answer.list, &h);
    return MORE;
}


/* A part of a block; `final`: its end. */
static event
inflate(lun_upreq *x, lun_str piece, bool final)
{
    int              flags = 0;
    event            e;
    ssize_t          n;
    nghttp2_nv       nv;
    lun_grpc_state  *s = x->protocol_data;

    if (s->inflater == NULL && nghttp2_hd_inflate_new(&s->inflater) != 0) {
        return refuse(x, "a header that there is no memory for");
    }

    for ( ;; ) {
        n = nghttp2_hd_inflate_hd2(s->inflater, &nv, &flags,
                                   (const uint8_t *) piece.data, piece.len,
                                   final);

        if (n < 0) {
            return refuse(x, "invalid http2 header block");
        }

        piece.data += n;
        piece.len -= (size_t) n;

        if (flags & NGHTTP2_HD_INFLATE_EMIT) {
            e = take_field(x, lun_str_of((char *) nv.name, nv.namelen),
                           lun_str_of((char *) nv.value, nv.valuelen));

            if (e == BAD) {
                return BAD;
            }
        }

        if (flags & NGHTTP2_HD_INFLATE_FINAL) {
            nghttp2_hd_inflate_end_headers(s->inflater);
            return MORE;
        }

        if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && piece.len == 0) {
            return MORE;
        }
    }
}


static event
begin_block(lun_upreq *x)
{
    lun_grpc_state  *s = x->protocol_data;

    s->block_size = 0;
    s->ends = (s->frames.flags & LUN_FRAME_END_STREAM) != 0;

    if (!s->header_done) {
        return MORE;
    }

    if (!s->ends) {
        return refuse(x, "trailers without end stream flag");
    }

    s->in_trailers = true;
    lun_header_list_init(&x->answer.trailers, x->r->pool, 4);

    return MORE;
}


/* --- events -------------------------------------------------------------- */

static event
begin_frame(lun_upreq *x)
{
    lun_grpc_state    *s = x->protocol_data;
    const lun_frames  *f = &s->frames;

    if (f->stream != 0 && f->stream != LUN_GRPC_STREAM) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent frame for unknown "
                "stream %u", f->stream);
        return BAD;
    }

    switch (f->type) {

    case LUN_FRAME_PUSH_PROMISE:
        return refuse(x, "unexpected push promise frame");

    case LUN_FRAME_HEADERS:
        return f->stream == 0 ? refuse(x, "headers frame without a stream")
                              : begin_block(x);

    case LUN_FRAME_DATA:
        if (f->stream == 0 || !s->header_done) {
            return refuse(x, "unexpected data frame");
        }

        s->ends = (f->flags & LUN_FRAME_END_STREAM) != 0;
        s->received += (int64_t) f->length;
        return MORE;

    case LUN_FRAME_SETTINGS:
    case LUN_FRAME_PING:
    case LUN_FRAME_GOAWAY:
        return f->stream != 0
               ? refuse(x, "connection's frame for a stream") : MORE;

    default:
        return MORE;
    }
}


static void
give_windows_back(lun_upreq *x)
{
    char             room[4], *text, *p;
    lun_grpc_state  *s = x->protocol_data;

    if (s->received < GIVE_BACK) {
        return;
    }

    (void) lun_frame_put_u32(room, (uint32_t) s->received);
    text = lun_pool_text(x->r->pool, 2 * (LUN_FRAME_HEAD + sizeof(room)));
    p = lun_frame_put_head(text, sizeof(room), LUN_FRAME_WINDOW_UPDATE, 0, 0);
    p = lun_copy(p, room, sizeof(room));
    p = lun_frame_put_head(p, sizeof(room), LUN_FRAME_WINDOW_UPDATE, 0,
                           LUN_GRPC_STREAM);
    p = lun_copy(p, room, sizeof(room));
    lun_upreq_reply(x, lun_str_of(text, (size_t) (p - text)));
    s->received = 0;
}


static event
end_frame(lun_upreq *x)
{
    event              e;
    lun_grpc_state    *s = x->protocol_data;
    const lun_frames  *f = &s->frames;

    switch (f->type) {

    case LUN_FRAME_SETTINGS:
        if (f->flags & LUN_FRAME_ACK) {
            return MORE;
        }

        reply(x, LUN_FRAME_SETTINGS, LUN_FRAME_ACK, "", 0);
        return count_control(x);

    case LUN_FRAME_HEADERS:
    case LUN_FRAME_CONTINUATION:
        if ((f->flags & LUN_FRAME_END_HEADERS) == 0) {
            return MORE;
        }

        e = inflate(x, LUN_STR(""), true);
        s->ended = s->ends;
        return e != MORE ? e : FIELDS;

    case LUN_FRAME_DATA:
        s->ended = s->ends;
        give_windows_back(x);
        return s->ended ? ENDED : MORE;

    default:
        return MORE;
    }
}


static event
next_event(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    event            e = MORE;
    lun_grpc_state  *s = x->protocol_data;

    while (e == MORE) {
        switch (lun_frames_next(&s->frames, pos, end, piece)) {

        case LUN_FRAMES_MORE:
            return MORE;

        case LUN_FRAMES_BEGIN:
            e = begin_frame(x);
            break;

        case LUN_FRAMES_PIECE:
            e = s->frames.type == LUN_FRAME_DATA ? DATA
                                                 : inflate(x, *piece, false);
            break;

        case LUN_FRAMES_UNIT:
            e = take_unit(x);
            break;

        case LUN_FRAMES_END:
            e = end_frame(x);
            break;

        default:
            return refuse(x, s->frames.what);
        }
    }

    return e;
}


/* --- header and body ----------------------------------------------------- */

lun_upstream_verdict
lun_grpc_read_header(lun_upreq *x, const char **pos, const char *end)
{
    lun_str          piece;
    lun_grpc_state  *s = x->protocol_data;

    switch (next_event(x, pos, end, &piece)) {

    case MORE:
        return LUN_UPSTREAM_MORE;

    case FIELDS:
        if (x->answer.status == 0) {
            (void) refuse(x, "no :status header");
            return LUN_UPSTREAM_BAD;
        }

        s->header_done = true;
        s->left = lun_upreq_set_length(x, x->r->method == LUN_HEAD);
        return LUN_UPSTREAM_DONE;

    default:
        return LUN_UPSTREAM_BAD;
    }
}


static lun_upstream_verdict
end_body(lun_upreq *x)
{
    const lun_grpc_state  *s = x->protocol_data;

    if (s->left > 0) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream prematurely closed "
                "stream");
        return LUN_UPSTREAM_BAD;
    }

    return LUN_UPSTREAM_DONE;
}


lun_upstream_verdict
lun_grpc_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    lun_grpc_state  *s = x->protocol_data;

    if (s->ended) {
        return end_body(x);
    }

    switch (next_event(x, pos, end, piece)) {

    case MORE:
        return LUN_UPSTREAM_MORE;

    case DATA:
        if (s->left >= 0 && (int64_t) piece->len > s->left) {
            (void) refuse(x, "response body larger than indicated content "
                          "length");
            return LUN_UPSTREAM_BAD;
        }

        s->left -= s->left >= 0 ? (int64_t) piece->len : 0;
        return LUN_UPSTREAM_DATA;

    case FIELDS:
    case ENDED:
        return end_body(x);

    default:
        return LUN_UPSTREAM_BAD;
    }
}


const lun_upstream_protocol  lun_grpc_protocol = {
    .schema      = LUN_STR_INIT("grpc://"),
    .tls_schema  = LUN_STR_INIT("grpcs://"),
    .reassembles = true,
    .dates_itself = true,
    .make        = lun_grpc_make,
    .frame       = lun_grpc_frame,
    .reset       = lun_grpc_reset,
    .read_header = lun_grpc_read_header,
    .read_body   = lun_grpc_read_body,
};
