/*
 * h2_out.c -- an answer as HTTP/2 has it.
 *
 * nghttp2 keeps names and values by reference until it has compressed them:
 * they are in the request's memory, which outlives the stream.  Of the body it
 * asks for as much as fits into one frame when there is room for it on the
 * connection and in the client's windows; what waits, waits in r->output, and
 * a file's part is read no sooner than it can go.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"
#include "http/write.h"
#include "net/conn_file.h"


enum {
    OWN_FIELDS = 8,                /* at most, that are in no list */
    COPY_NONE  = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE
};

typedef struct {
    nghttp2_nv  *nv;
    size_t       count;
    lun_pool    *pool;
} fields;


/* --- the header ---------------------------------------------------------- */

static void
put(fields *f, lun_str name, lun_str value)
{
    f->nv[f->count++] = (nghttp2_nv) {
        .name = (uint8_t *) (uintptr_t) name.data,
        .value = (uint8_t *) (uintptr_t) value.data,
        .namelen = name.len,
        .valuelen = value.len,
        .flags = COPY_NONE,
    };
}

#define PUT(f, name, value)  put((f), LUN_STR(name), (value))


static lun_str
lower(lun_pool *pool, lun_str name)
{
    char    *text;
    size_t   i;

    for (i = 0; i < name.len && lun_lower(name.data[i]) == name.data[i]; i++);

    if (i == name.len) {
        return name;
    }

    text = lun_pool_text(pool, name.len);

    for (i = 0; i < name.len; i++) {
        text[i] = lun_lower(name.data[i]);
    }

    return lun_str_of(text, name.len);
}


/* Those that speak of an HTTP/1 connection, and are not known. */
static bool
is_hop(lun_str name)
{
    static const lun_str  names[] = {
        LUN_STR_INIT("keep-alive"), LUN_STR_INIT("proxy-connection"),
        LUN_STR_INIT("upgrade")
    };
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_caseeq(name, names[i])) {
            return true;
        }
    }

    return false;
}


static LUN_NOINLINE void
put_unknown(fields *f, const lun_header *h)
{
    if (!is_hop(h->name)) {
        put(f, lower(f->pool, h->name), h->value);
    }
}


static void
put_list(fields *f, const lun_header_list *list)
{
    lun_header_each(list, h) {
        if (h->known < 0) {
            put_unknown(f, h);

        } else if (h->known != LUN_HOUT_CONNECTION
                   && h->known != LUN_HOUT_TRANSFER_ENCODING)
        {
            put(f, lun_header_out_name(h->known), h->value);
        }
    }
}


static void
put_known(fields *f, lun_request *r)
{
    char                   *p, *text;
    const lun_headers_out  *out = &r->out;
    const lun_core_conf    *conf = lun_core_conf_of(r);

    if (out->known[LUN_HOUT_SERVER] == NULL && conf->server_tokens.len != 0) {
        PUT(f, "server", conf->server_tokens);
    }

    if (out->known[LUN_HOUT_DATE] == NULL) {
        PUT(f, "date", lun_clock_http());      /* or a later one */
    }

    if (lun_http_type_is_as_written(out)) {
        PUT(f, "content-type", out->type_line);

    } else if (out->content_type.len != 0) {
        PUT(f, "content-type", out->charset.len == 0 ? out->content_type
            : lun_pool_fmt(r->pool, "%.*s; charset=%.*s",
                           LUN_S(out->content_type), LUN_S(out->charset)));
    }

    if (out->content_length >= 0) {
        text = lun_pool_text(r->pool, 20);
        p = lun_fmt_u64(text, (uint64_t) out->content_length);
        PUT(f, "content-length", lun_str_of(text, (size_t) (p - text)));
    }

    if (out->last_modified != -1
        && out->known[LUN_HOUT_LAST_MODIFIED] == NULL)
    {
        text = lun_pool_text(r->pool, LUN_HTTP_DATE);
        p = lun_clock_http_date(text, out->last_modified);
        PUT(f, "last-modified", lun_str_of(text, (size_t) (p - text)));
    }
}


static lun_str
status_of(lun_request *r)
{
    if (r->out.status == 200) {
        return LUN_STR("200");
    }

    return lun_pool_fmt(r->pool, "%03u", r->out.status % 1000);
}


static ssize_t read_output(nghttp2_session *session, int32_t id, uint8_t *to,
    size_t size, uint32_t *flags, nghttp2_data_source *source, void *data);

/*
 * A malformed request is answered, for the user, and then reset, as RFC 9113
 * wants it (8.1.1): its stream has no other end.
 */
static int
submit_header(lun_h2_stream *s, const fields *f,
    const nghttp2_data_provider *from)
{
    int  rc;

    if (!s->malformed || from != NULL) {
        return nghttp2_submit_response(s->h2->session, s->id, f->nv, f->count,
                                       from);
    }

    rc = nghttp2_submit_headers(s->h2->session, 0, s->id, NULL, f->nv,
                                f->count, NULL);

    if (rc == 0) {
        lun_h2_reset(s, NGHTTP2_PROTOCOL_ERROR);
    }

    return rc;
}


lun_rc
lun_h2_send_header(lun_request *r)
{
    fields                  f = { .pool = r->pool };
    lun_h2_stream          *s = r->stream;
    nghttp2_data_provider   from = { .source.ptr = s,
                                     .read_callback = read_output };

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (s->closed || s->reset || s->h2->broken) {
        return LUN_ERROR;
    }

    f.nv = lun_pool_alloc(r->pool, sizeof(*f.nv)
                                   * (r->out.list.count + OWN_FIELDS));
    PUT(&f, ":status", status_of(r));
    put_known(&f, r);
    put_list(&f, &r->out.list);

    s->no_body = r->header_only
                 || (r->out.content_length == 0 && !r->expect_trailers);

    if (submit_header(s, &f, s->no_body ? NULL : &from) != 0) {
        return LUN_ERROR;
    }

    lun_h2_wake(s->h2);
    return LUN_OK;
}


lun_rc
lun_h2_send_continue(lun_request *r)
{
    fields          f = { .pool = r->pool };
    nghttp2_nv      nv;
    lun_h2_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (s->closed || s->h2->broken) {
        return LUN_ERROR;
    }

    f.nv = &nv;
    PUT(&f, ":status", LUN_STR("100"));

    if (nghttp2_submit_headers(s->h2->session, 0, s->id, NULL, &nv, 1, NULL)
        != 0)
    {
        return LUN_ERROR;
    }

    lun_h2_wake(s->h2);
    return LUN_OK;
}


void
lun_h2_send_hints(lun_request *r, const lun_header_list *hints)
{
    size_t          i;
    fields          f = { .pool = r->pool };
    lun_h2_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (s->closed || s->reset || s->h2->broken) {
        return;
    }

    f.nv = lun_pool_alloc(r->pool, sizeof(*f.nv) * (hints->count + 1));
    PUT(&f, ":status", LUN_STR("103"));
    put_list(&f, hints);

    /* The header of the real answer will be where these are now. */
    for (i = 0; i < f.count; i++) {
        f.nv[i].flags = NGHTTP2_NV_FLAG_NONE;
    }

    if (nghttp2_submit_headers(s->h2->session, 0, s->id, NULL, f.nv, f.count,
                               NULL) == 0)
    {
        lun_h2_wake(s->h2);
    }
}


/* --- the body ------------------------------------------------------------ */

static void
resume(lun_h2_stream *s)
{
    if (s->deferred && !s->closed && !s->h2->broken) {
        s->deferred = 0;
        (void) nghttp2_session_resume_data(s->h2->session, s->id);
        lun_h2_wake(s->h2);
    }
}


static void output_too_late(lun_timer *timer);

/*
 * send_timeout: from the last byte that went, or from when there was something
 * to send.  nghttp2 asks for output only while the client lets it: a stream
 * that never may would have no timer if reading its output were to start it.
 */
static void
start_send_timer(lun_h2_stream *s)
{
    lun_timer_start(s->h2->c->loop, &s->send_timer,
                    lun_core_conf_of(s->r)->send_timeout, output_too_late);
}


static void
delay_over(lun_timer *timer)
{
    lun_h2_stream  *s = lun_container_of(timer, lun_h2_stream, send_timer);

    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    start_send_timer(s);           /* the window may have gone meanwhile */
    resume(s);
}


static bool
has_window(const lun_h2_stream *s)
{
    nghttp2_session  *session = s->h2->session;

    return nghttp2_session_get_stream_remote_window_size(session, s->id) > 0
           && nghttp2_session_get_remote_window_size(session) > 0;
}


/* The client takes nothing of what it asked for. */
static void
output_too_late(lun_timer *timer)
{
    lun_h2_stream  *s = lun_container_of(timer, lun_h2_stream, send_timer);

    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    /* Others go first, and for the socket the connection has its own limit. */
    if (s->h2->out != NULL && has_window(s)) {
        start_send_timer(s);
        return;
    }

    lun_log(LUN_LOG_INFO, &s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    s->timed_out = 1;
    lun_h2_reset(s, NGHTTP2_PROTOCOL_ERROR);
    lun_h2_ready(s);               /* the RST_STREAM may be stuck for long */
}


static void
watch_output(lun_h2_stream *s)
{
    if (s->r->write_delay != 0) {
        lun_timer_start(s->h2->c->loop, &s->send_timer, s->r->write_delay,
                        delay_over);

    } else if (s->r->output.head != NULL) {
        start_send_timer(s);
    }
}


/* With the last of the body: trailers end the stream instead of it. */
static void
send_trailers(lun_h2_stream *s, uint32_t *flags)
{
    fields        f = { .pool = s->r->pool };
    lun_request  *r = s->r;

    f.nv = lun_pool_alloc(r->pool, sizeof(*f.nv) * r->out.trailers.count);
    put_list(&f, &r->out.trailers);

    if (f.count > 0 && nghttp2_submit_trailer(s->h2->session, s->id, f.nv,
                                              f.count) == 0)
    {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    }
}


/*
 * Nothing is behind what goes now.  Whether that is the end of the stream: it
 * may have to wait for a subrequest's answer.
 */
static bool
end_stream(lun_h2_stream *s, uint32_t *flags)
{
    const lun_request  *r = s->r;

    if (!r->done || lun_http_holds(r)) {
        return false;
    }

    *flags |= NGHTTP2_DATA_FLAG_EOF;

    if (s->malformed) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        lun_h2_reset(s, NGHTTP2_PROTOCOL_ERROR);

    } else if (r->out.trailers.count > 0) {
        send_trailers(s, flags);
    }

    return true;
}


/* Some of the output is gone. */
static void
output_went(lun_h2_stream *s)
{
    watch_output(s);

    if (s->r->output.head == NULL) {
        lun_h2_ready(s);
    }
}


/* A stream that is alone keeps none waiting, unless the user has said more. */
static size_t
chunk_size(const lun_h2_stream *s, size_t size)
{
    const lun_h2_conf  *conf = lun_http_conf(s->r, &lun_http_h2);

    return s->h2->stream_count == 1 && conf->chunk_size == LUN_H2_CHUNK
           ? size : lun_min(size, conf->chunk_size);
}


static ssize_t
read_output(nghttp2_session *session, int32_t id, uint8_t *to, size_t size,
    uint32_t *flags, nghttp2_data_source *source, void *data)
{
    bool            last;
    size_t          part;
    int64_t         n;
    lun_h2_stream  *s = source->ptr;
    lun_request    *r = s->r;

    size = chunk_size(s, size);
    part = lun_http_file_output(r, lun_min(size, (size_t) LUN_H2_FILE_MOST),
                                &last);

    if (part >= LUN_H2_FILE_LEAST) {
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;

        if (last) {
            (void) end_stream(s, flags);
        }

        return (ssize_t) part;
    }

    n = lun_http_read_output(r, (char *) to, size);

    if (n < 0) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }

    output_went(s);

    if (r->output.head == NULL && end_stream(s, flags)) {
        return (ssize_t) n;
    }

    if (n == 0) {
        s->deferred = 1;
        return NGHTTP2_ERR_DEFERRED;
    }

    return (ssize_t) n;
}


/*
 * A file that has become shorter costs its stream where the frame is still
 * ours; where its head is out the connection makes no sense without the rest.
 */
int
lun_h2_send_file(nghttp2_session *session, nghttp2_frame *frame,
    const uint8_t *head, size_t size, nghttp2_data_source *source, void *data)
{
    int             failed = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    char           *to;
    size_t          sent = 0;
    lun_h2         *h2 = data;
    lun_h2_stream  *s = source->ptr;
    lun_request    *r = s->r;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);
    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    to = lun_h2_make_room(h2, LUN_H2_FRAME_HEAD + size);

    if (to == NULL) {
        return NGHTTP2_ERR_WOULDBLOCK;
    }

    memcpy(to, head, LUN_H2_FRAME_HEAD);
    h2->out_len += LUN_H2_FRAME_HEAD;

    if (lun_core_conf_of(r)->sendfile && lun_conn_tries_files(h2->c)) {
        failed = NGHTTP2_ERR_CALLBACK_FAILURE;

        if (lun_h2_send_out(h2, true) == LUN_OK
            && lun_http_try_file(r, size, &sent) != LUN_OK)
        {
            return failed;
        }
    }

    if (sent < size) {
        to = h2->out + h2->out_len;

        if (lun_http_read_promised(r, to, (int64_t) (size - sent))
            != (int64_t) (size - sent))
        {
            h2->out_len -= failed == NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE
                           ? LUN_H2_FRAME_HEAD : 0;
            return failed;
        }

        h2->out_len += size - sent;
    }

    h2->burst += sent;
    output_went(s);
    return 0;
}


lun_rc
lun_h2_send_body(lun_request *r, lun_buf *in)
{
    lun_buf        *b, *next;
    lun_h2_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (s->closed || s->reset || s->h2->broken) {
        return LUN_ERROR;
    }

    for (b = in; b != NULL; b = next) {
        next = b->next;

        if (s->no_body) {
            b->pos = b->last;
            b->file_pos = b->file_last;

        } else if (lun_buf_size(b) > 0 || lun_buf_special(b)) {
            lun_chain_push(&r->output, b);
        }
    }

    if (s->no_body) {
        return LUN_OK;
    }

    if (r->blocked && r->write_delay != 0) {
        return LUN_AGAIN;
    }

    if (in == NULL ? r->output.head == NULL : !lun_http_worth_sending(r)) {
        return LUN_OK;
    }

    r->blocked = 1;

    if (!lun_timer_runs(&s->send_timer)) {
        start_send_timer(s);
    }

    resume(s);
    return LUN_AGAIN;
}
