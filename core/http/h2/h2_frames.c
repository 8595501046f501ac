/*
 * h2_frames.c -- what nghttp2 says of the frames that came and went.
 *
 * Nothing is served from in here: streams that something has happened to are
 * noted, and the turn looks at them when nghttp2 has returned.  nghttp2 knows
 * frames, windows and header compression; what a request may be is checked as
 * for any protocol (h2_in.c), so its own rules for that are off.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


enum {
    MAX_WINDOW = 0x7fffffff,
    FIRST_WINDOW = 65535,
    FRAME_HEAD = LUN_H2_FRAME_HEAD,
    USUAL_FRAME = 16384,
    LONGEST_FRAME = (1 << 24) - 1, /* as nginx has it; clients rely on that */
    PRIORITY = 5,

    PREFACE_SIZE = sizeof(LUN_H2_PREFACE) - 1,
    LENGTH_AT = 2,                 /* in a frame's head: the last byte */
    TYPE_AT = 3,
    FLAGS_AT = 4,
    ENTRY_OF_SETTINGS = 6,
    BEGINNING = PREFACE_SIZE + TYPE_AT + 1,

    MAX_CONTINUATIONS = 8,
    MAX_ANSWER = 1 << 20,          /* bytes of an answer's header, packed */
    NO_LIMIT = 1 << 30,            /* of resets: the account has one */
    MAX_PENDING = 1000,            /* answers to PING and SETTINGS, unsent */

    /* In bytes, for the account. */
    RESET = 8192,                  /* a request was begun in vain */
    ERROR = 4096,                  /* a frame that answers with RST_STREAM */
    ENTRY = 32                     /* of a field, as HPACK has it */
};

static nghttp2_session_callbacks  *callbacks;
static nghttp2_option             *options;


static LUN_NOINLINE lun_h2_stream *
find_stream(lun_h2 *h2, int32_t id)
{
    h2->recent = nghttp2_session_get_stream_user_data(h2->session, id);
    return h2->recent;
}


/* Mostly the one that the last event was about. */
static inline lun_h2_stream *
stream_of(lun_h2 *h2, int32_t id)
{
    return h2->recent != NULL && h2->recent->id == id
           ? h2->recent : find_stream(h2, id);
}


static lun_str
text_of(const uint8_t *data, size_t len)
{
    return lun_str_of((const char *) data, len);
}


/* After a flood nghttp2 is stopped in the middle of its input. */
static int
go_on(const lun_h2 *h2)
{
    return h2->flooded ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}


/* --- frames that come ---------------------------------------------------- */

/*
 * Numbers only rise.  nghttp2 does not remember streams that are gone and
 * ignores what comes on one, as trailers may be on their way when we reset it:
 * that excuses trailers of such streams, and nothing else.
 */
static void
check_id(lun_h2 *h2, const nghttp2_frame_hd *hd)
{
    if (hd->stream_id % 2 == 0 || hd->stream_id > h2->last_id) {
        h2->last_id = lun_max(h2->last_id, hd->stream_id);
        return;
    }

    if (stream_of(h2, hd->stream_id) != NULL
        || (hd->stream_id <= h2->last_cut
            && (hd->flags & NGHTTP2_FLAG_END_STREAM)))
    {
        return;
    }

    lun_log(LUN_LOG_INFO, &h2->c->log, 0, "client sent HEADERS frame with "
            "incorrect identifier %d, the last was %d", hd->stream_id,
            h2->last_id);
    lun_h2_end(h2, NGHTTP2_PROTOCOL_ERROR);
}


/*
 * What is read as it comes may be long, and what is of a type that nobody
 * knows is dropped as it comes; nghttp2 would gather all else.
 */
static void
check_length(lun_h2 *h2, const nghttp2_frame_hd *hd)
{
    if (hd->length > USUAL_FRAME && hd->type < NGHTTP2_CONTINUATION
        && hd->type != NGHTTP2_DATA && hd->type != NGHTTP2_HEADERS)
    {
        lun_log(LUN_LOG_INFO, &h2->c->log, 0, "client sent too long frame of "
                "type %d: %zu", hd->type, hd->length);
        h2->flooded = 1;
        lun_h2_end(h2, NGHTTP2_FRAME_SIZE_ERROR);
    }
}


static int
on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *hd,
    void *data)
{
    lun_h2  *h2 = data;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);

    if (!h2->ended) {
        check_length(h2, hd);
    }

    if (hd->type == NGHTTP2_HEADERS && !h2->ended) {
        check_id(h2, hd);
    }

    lun_h2_charge_frame(h2, hd);
    return go_on(h2);
}


/* RST_STREAM: whoever opens one refused stream after the other is left. */
static int
refuse_stream(lun_h2 *h2, int32_t id)
{
    lun_h2_cut(h2, id);

    if (h2->refused++ > lun_max((uint64_t) h2->h2_conf->concurrent_streams,
                                100))
    {
        lun_h2_flood(h2, "client sent too many refused streams");

    } else {
        (void) nghttp2_submit_rst_stream(h2->session, 0, id,
                                         NGHTTP2_REFUSED_STREAM);
    }

    return go_on(h2);
}


/* What nghttp2 resets by itself is not seen by on_begin_headers(). */
static int
on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame,
    int why, void *data)
{
    lun_h2  *h2 = data;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);

    lun_h2_cut(h2, frame->hd.stream_id);
    lun_h2_charge(h2, ERROR);
    return go_on(h2);
}


static int
on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame,
    void *data)
{
    int32_t         id = frame->hd.stream_id;
    lun_h2         *h2 = data;
    lun_h2_stream  *s;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);

    if (h2->ended || frame->hd.type != NGHTTP2_HEADERS) {
        return 0;
    }

    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
        s = stream_of(h2, id);

        if (s != NULL && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) {
            lun_log(LUN_LOG_INFO, &s->log, 0, "client sent trailers that are "
                    "not the end of the stream");
            lun_h2_reset(s, NGHTTP2_PROTOCOL_ERROR);
        }

        return 0;
    }

    if (h2->fresh++ > 2 * (uint64_t) h2->h2_conf->concurrent_streams) {
        lun_h2_flood(h2, "client sent too many streams at once");
        return go_on(h2);
    }

    /*
     * No more in hand than it was told, even if it resets.  Those that are
     * over the client no longer counts, whenever they are freed.
     */
    if (h2->stream_count - h2->over
        >= (uint64_t) h2->h2_conf->concurrent_streams)
    {
        lun_log(LUN_LOG_INFO, &h2->c->log, 0, "concurrent streams exceeded "
                "%zu", h2->stream_count);
        return refuse_stream(h2, id);
    }

    /*
     * By its window as it knows it the client may send more of a body than
     * http2_body_preread_size.
     */
    if (!h2->heeds && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0
        && h2->h2_conf->body_preread_size < FIRST_WINDOW)
    {
        lun_log(LUN_LOG_INFO, &h2->c->log, 0, "client sent stream with data "
                "before settings were acknowledged");
        return refuse_stream(h2, id);
    }

    s = lun_h2_new_stream(h2, id);
    (void) nghttp2_session_set_stream_user_data(session, id, s);
    h2->recent = s;

    return 0;
}


static int
on_header(nghttp2_session *session, const nghttp2_frame *frame,
    const uint8_t *name, size_t name_len, const uint8_t *value,
    size_t value_len, uint8_t flags, void *data)
{
    lun_h2         *h2 = data;
    lun_h2_stream  *s = stream_of(h2, frame->hd.stream_id);

    /* What nobody will look at was decoded all the same. */
    if (s == NULL || s->complete || s->r->in.refusal != 0) {
        lun_h2_charge(h2, name_len + value_len + ENTRY);
    }

    if (s != NULL && s->complete) {
        lun_h2_take_trailer(s, text_of(name, name_len));

    } else if (s != NULL) {
        lun_h2_take_field(s, text_of(name, name_len),
                          text_of(value, value_len));
    }

    return go_on(h2);
}


static int
on_data(nghttp2_session *session, uint8_t flags, int32_t id,
    const uint8_t *bytes, size_t len, void *data)
{
    lun_h2         *h2 = data;
    lun_h2_stream  *s = stream_of(h2, id);

    (void) nghttp2_session_consume_connection(session, len);

    if (s == NULL) {
        return 0;
    }

    lun_h2_credit(h2, len);

    if (lun_h2_keep_body(s, (const char *) bytes, len) != LUN_OK) {
        lun_h2_reset(s, NGHTTP2_INTERNAL_ERROR);
    }

    return 0;
}


static void
say_reset(const lun_h2_stream *s, uint32_t code)
{
    switch (code) {

    case NGHTTP2_NO_ERROR:
        lun_log(LUN_LOG_INFO, &s->log, 0, "client closed stream %d", s->id);
        break;

    case NGHTTP2_CANCEL:
        lun_log(LUN_LOG_INFO, &s->log, 0, "client canceled stream %d", s->id);
        break;

    case NGHTTP2_REFUSED_STREAM:
        lun_log(LUN_LOG_INFO, &s->log, 0, "client refused stream %d", s->id);
        break;

    case NGHTTP2_INTERNAL_ERROR:
        lun_log(LUN_LOG_INFO, &s->log, 0, "client terminated stream %d due to "
                "internal error", s->id);
        break;

    default:
        lun_log(LUN_LOG_INFO, &s->log, 0, "client terminated stream %d with "
                "status %u", s->id, code);
        break;
    }
}


/* Of all frames of the header, as it came: packed, without what is around. */
static size_t
block_size(const nghttp2_frame *frame)
{
    size_t  n = frame->hd.length - frame->headers.padlen;

    return frame->hd.flags & NGHTTP2_FLAG_PRIORITY ? n - PRIORITY : n;
}


static int
on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    lun_h2         *h2 = data;
    lun_h2_stream  *s = stream_of(h2, frame->hd.stream_id);

    if (frame->hd.type == NGHTTP2_SETTINGS) {
        h2->heeds |= (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
    }

    /* Only now, so that the acknowledgement goes in front of it, always. */
    if (frame->hd.type == NGHTTP2_SETTINGS
        && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0
        && nghttp2_session_set_local_window_size(session, 0, 0, MAX_WINDOW)
           != 0)
    {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }

    if (frame->hd.stream_id == 0 || s == NULL) {
        return 0;
    }

    switch (frame->hd.type) {

    case NGHTTP2_HEADERS:
        s->r->request_length += (int64_t) block_size(frame);

        if (s->r->in.refusal == 0) {
            lun_h2_credit(h2, frame->hd.length - frame->headers.padlen);
        }
        /* fall through */

    case NGHTTP2_DATA:
        s->in_closed |= (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;

        if (frame->hd.type == NGHTTP2_HEADERS && !s->complete) {
            lun_h2_complete(s);
        }

        lun_h2_ready(s);
        break;

    case NGHTTP2_RST_STREAM:
        say_reset(s, frame->rst_stream.error_code);
        lun_h2_charge(h2, RESET);
        break;
    }

    return go_on(h2);
}


static int
on_stream_close(nghttp2_session *session, int32_t id, uint32_t code,
    void *data)
{
    lun_h2         *h2 = data;
    lun_h2_stream  *s = stream_of(h2, id);

    if (s == NULL) {
        return 0;
    }

    h2->recent = NULL;
    s->closed = 1;

    if (s->finishing) {
        s->over = 1;
        h2->over++;
    }

    lun_h2_ready(s);

    return 0;
}


/* What nghttp2 finds wrong with a client, in its own words. */
static int
on_error(nghttp2_session *session, int code, const char *text, size_t len,
    void *data)
{
    lun_h2  *h2 = data;

    lun_log(LUN_LOG_INFO, &h2->c->log, 0, "client sent bad HTTP/2: %.*s",
            (int) len, text);
    return 0;
}


/* --- frames that went ---------------------------------------------------- */

static int
on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    lun_h2         *h2 = data;
    lun_h2_stream  *s = stream_of(h2, frame->hd.stream_id);

    LUN_CHECK_MARK(h2, LUN_MARK_H2);
    lun_h2_charge(h2, frame->hd.length + FRAME_HEAD);

    if (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) {
        lun_h2_credit(h2, frame->hd.length);
    }

    if (frame->hd.stream_id == 0 || s == NULL) {
        return 0;
    }

    /* The client made us do it, or did not take what it had asked for. */
    if (frame->hd.type == NGHTTP2_RST_STREAM && !s->finishing) {
        lun_h2_charge(h2, RESET);
    }

    if (frame->hd.type == NGHTTP2_HEADERS) {
        s->r->header_size += (int64_t) frame->hd.length + FRAME_HEAD;

    } else if (frame->hd.type == NGHTTP2_DATA) {
        s->r->header_size += FRAME_HEAD;       /* what is not its body's */
    }

    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
        s->out_closed = 1;
        lun_h2_ready(s);
    }

    return 0;
}


/* --- bytes that come ----------------------------------------------------- */

static ssize_t
feed(lun_h2 *h2, const void *bytes, size_t n)
{
    ssize_t  rc = 0;

    if (n != 0 && !h2->flooded && nghttp2_session_want_read(h2->session)) {
        rc = nghttp2_session_mem_recv(h2->session, bytes, n);
    }

    return rc < 0 ? rc : 0;
}


/*
 * Behind its preface a client has to send SETTINGS, and nghttp2 insists on
 * them.  nginx does without, so there are clients that leave them out: then
 * nghttp2 is told of an empty frame.  The type is the fourth byte behind the
 * preface; those before it wait for it here.
 */
static ssize_t
feed_first(lun_h2 *h2, const char **pos, const char *end)
{
    size_t                n;
    ssize_t               rc = 0;
    static const uint8_t  settings[FRAME_HEAD] = { 0, 0, 0, NGHTTP2_SETTINGS };

    if (h2->begun < PREFACE_SIZE) {
        n = lun_min((size_t) (end - *pos),
                    (size_t) PREFACE_SIZE - h2->begun);
        rc = feed(h2, *pos, n);
        *pos += n;
        h2->begun += (uint8_t) n;
    }

    while (rc == 0 && *pos != end && h2->begun < BEGINNING) {
        h2->first[h2->begun++ - PREFACE_SIZE] = (uint8_t) *(*pos)++;

        if (h2->begun == BEGINNING) {
            rc = h2->first[TYPE_AT] != NGHTTP2_SETTINGS
                 ? feed(h2, settings, sizeof(settings)) : 0;
            rc = rc == 0 ? feed(h2, h2->first, sizeof(h2->first)) : rc;
        }
    }

    return rc;
}


ssize_t
lun_h2_feed(lun_h2 *h2, lun_str bytes)
{
    ssize_t      rc = 0;
    const char  *pos = bytes.data, *end = pos + bytes.len;

    if (h2->begun < BEGINNING) {
        rc = feed_first(h2, &pos, end);
    }

    return rc == 0 ? feed(h2, pos, (size_t) (end - pos)) : rc;
}


/* --- the session --------------------------------------------------------- */

static bool
prepare(void)
{
    nghttp2_session_callbacks  *cb;

    if (options != NULL) {
        return true;
    }

    if (callbacks == NULL && nghttp2_session_callbacks_new(&callbacks) != 0) {
        return false;
    }

    if (nghttp2_option_new(&options) != 0) {
        return false;
    }

    cb = callbacks;
    nghttp2_session_callbacks_set_on_begin_frame_callback(cb, on_begin_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(cb,
                                                        on_invalid_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(cb,
                                                            on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(cb, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(cb,
                                                           on_stream_close);
    nghttp2_session_callbacks_set_send_data_callback(cb, lun_h2_send_file);
    nghttp2_session_callbacks_set_error_callback2(cb, on_error);

    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_option_set_no_http_messaging(options, 1);
    nghttp2_option_set_no_closed_streams(options, 1);
    nghttp2_option_set_max_outbound_ack(options, MAX_PENDING);
    nghttp2_option_set_max_send_header_block_length(options, MAX_ANSWER);
    nghttp2_option_set_max_continuations(options, MAX_CONTINUATIONS);
    nghttp2_option_set_stream_reset_rate_limit(options, NO_LIMIT, NO_LIMIT);

    return true;
}


/*
 * A client that opens a stream more than it may have gets that one back and
 * goes on, but nghttp2 ends its connection.  So nghttp2 is not told of the
 * limit, which is on_begin_headers()'s, and the client gets another frame:
 * this one, with all that it is told.
 */
static ssize_t
put_settings(lun_h2 *h2)
{
    uint8_t                *p = h2->settings;
    nghttp2_settings_entry  settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
          (uint32_t) h2->h2_conf->concurrent_streams },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
          (uint32_t) h2->h2_conf->body_preread_size },
        { NGHTTP2_SETTINGS_MAX_FRAME_SIZE, LONGEST_FRAME },
    };

    memset(p, 0, FRAME_HEAD);
    p[LENGTH_AT] = LUN_ARRAY_LEN(settings) * ENTRY_OF_SETTINGS;
    p[TYPE_AT] = NGHTTP2_SETTINGS;
    LUN_CHECK(FRAME_HEAD + p[LENGTH_AT] == sizeof(h2->settings));
    h2->frame = p;

    return FRAME_HEAD
           + nghttp2_pack_settings_payload(p + FRAME_HEAD, p[LENGTH_AT],
                                           settings, LUN_ARRAY_LEN(settings));
}


ssize_t
lun_h2_next_frame(lun_h2 *h2)
{
    ssize_t  n = nghttp2_session_mem_send(h2->session, &h2->frame);

    if (n >= FRAME_HEAD && h2->frame[TYPE_AT] == NGHTTP2_SETTINGS
        && (h2->frame[FLAGS_AT] & NGHTTP2_FLAG_ACK) == 0)
    {
        return put_settings(h2);
    }

    return n;
}


nghttp2_session *
lun_h2_session(lun_h2 *h2)
{
    nghttp2_session         *session;
    nghttp2_settings_entry   settings[] = {
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
          (uint32_t) h2->h2_conf->body_preread_size },
        { NGHTTP2_SETTINGS_MAX_FRAME_SIZE, LONGEST_FRAME },
    };

    if (!prepare()
        || nghttp2_session_server_new3(&session, callbacks, h2, options,
                                       &lun_h2_memory) != 0)
    {
        return NULL;
    }

    if (nghttp2_submit_settings(session, 0, settings,
                                LUN_ARRAY_LEN(settings)) != 0)
    {
        nghttp2_session_del(session);
        return NULL;
    }

    return session;
}
