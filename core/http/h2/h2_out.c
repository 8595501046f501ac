/*
 * h2_out.c -- an answer as HTTP/2 has it.
 *
 * A header is a frame at once.  A body waits in r->output; as much of it as
 * fits into one frame is taken when there is room for it on the connection and
 * in the client's windows, from the first of a line (h2_priority.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"
#include "http/mux/mux_conn.h"
#include "http/write.h"
#include "net/conn_file.h"
#include "net/conn_io.h"
#include "net/tls/tls.h"


enum {
    MAX_BLOCK = 1 << 20,               /* bytes of an answer's header */
    LEAST     = 1024,                  /* room that is worth a frame of DATA */
    FILE_LEAST = 4096                  /* of a file that goes its own way */
};


/* --- header blocks ------------------------------------------------------- */

/* HEADERS and CONTINUATION, of a block that is longer than a frame may be. */
static LUN_NOINLINE void
put_in_pieces(lun_h2 *h2, uint32_t id, unsigned flags, const char *block,
    size_t size)
{
    char      *p;
    size_t     n;
    unsigned   type = LUN_FRAME_HEADERS;

    for ( ; size != 0; size -= n, block += n) {
        n = lun_min(size, h2->peer_frame);
        flags |= n == size ? LUN_FRAME_END_HEADERS : 0;
        p = lun_h2_room(h2, LUN_FRAME_HEAD + n);
        p = lun_frame_put_head(p, n, type, flags, id);
        memcpy(p, block, n);
        lun_h2_queued(h2, LUN_FRAME_HEAD + n);
        type = LUN_FRAME_CONTINUATION;
        flags = 0;
    }
}


static char *
put_fields(lun_h2 *h2, char *p, const lun_fields *f)
{
    size_t  i;

    p = lun_hpack_begin(&h2->encoder, p);

    for (i = 0; i < f->count; i++) {
        p = lun_hpack_encode(&h2->encoder, p, f->list[i].name,
                             f->list[i].value);
    }

    return p;
}


/* flags: END_STREAM, or 0. */
static lun_rc
put_block(lun_h2_stream *s, const lun_fields *f, unsigned flags)
{
    char      *p, *block;
    size_t     i, size, bound = LUN_HPACK_BEGIN_ROOM;
    lun_h2    *h2 = lun_h2_of(&s->m);
    uint32_t   id = (uint32_t) s->m.id;

    for (i = 0; i < f->count; i++) {
        bound += lun_hpack_bound(f->list[i].name, f->list[i].value);
    }

    if (h2->ended) {
        return LUN_ERROR;              /* the last word is said */
    }

    if (bound > MAX_BLOCK) {
        lun_log(LUN_LOG_ERR, &s->m.log, 0, "too large header of an answer: "
                "%zu bytes", bound);
        return LUN_ERROR;
    }

    if (bound <= h2->peer_frame) {
        p = lun_h2_room(h2, LUN_FRAME_HEAD + bound);
        block = p + LUN_FRAME_HEAD;
        size = (size_t) (put_fields(h2, block, f) - block);
        (void) lun_frame_put_head(p, size, LUN_FRAME_HEADERS,
                                  flags | LUN_FRAME_END_HEADERS, id);
        lun_h2_queued(h2, LUN_FRAME_HEAD + size);

    } else {
        block = lun_malloc(bound);
        size = (size_t) (put_fields(h2, block, f) - block);
        put_in_pieces(h2, id, flags, block, size);
        lun_free(block);
    }

    s->m.r->header_size += (int64_t) size + LUN_FRAME_HEAD;
    lun_h2_credit(h2, size);

    if (flags & LUN_FRAME_END_STREAM) {
        s->m.out_closed = 1;
        lun_h2_check_closed(s);
        lun_mux_ready(&s->m);
    }

    return LUN_OK;
}


/*
 * A malformed request is answered, for the user, and then reset, as RFC 9113
 * wants it (8.1.1): its stream has no other end.
 */
lun_rc
lun_h2_send_header(lun_request *r)
{
    lun_rc           rc;
    lun_fields       f;
    lun_h2_stream   *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!lun_mux_may_send(&s->m)) {
        return LUN_ERROR;
    }

    if (LUN_UNLIKELY(r->in.connect) && lun_mux_answer_connect(r) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_fields_init(&f, r->pool, r->out.list.count);
    lun_fields_put_header(&f, r);
    lun_line_decide(&lun_h2_of(&s->m)->senders, &s->sender, &r->out.list);

    s->m.no_body = r->header_only
                   || (r->out.content_length == 0 && !r->expect_trailers);

    if (!s->m.no_body) {
        rc = put_block(s, &f, 0);
        lun_h2_may_send(s);

    } else if (s->m.in.malformed) {
        rc = put_block(s, &f, 0);
        lun_h2_reset(s, LUN_H2_PROTOCOL_ERROR);

    } else {
        rc = put_block(s, &f, LUN_FRAME_END_STREAM);
    }

    return rc;
}


lun_rc
lun_h2_send_continue(lun_request *r)
{
    lun_fields      f;
    lun_h2_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!lun_mux_may_send(&s->m)) {
        return LUN_ERROR;
    }

    lun_fields_init(&f, r->pool, 0);
    lun_fields_put_status(&f, LUN_STR("100"));
    return put_block(s, &f, 0);
}


void
lun_h2_send_hints(lun_request *r, const lun_header_list *hints)
{
    lun_fields      f;
    lun_h2_stream  *s = r->stream;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (lun_mux_may_send(&s->m)) {
        lun_fields_init(&f, r->pool, hints->count);
        lun_fields_put_status(&f, LUN_STR("103"));
        lun_fields_put_list(&f, hints);
        (void) put_block(s, &f, 0);
    }
}


/* --- when output goes ---------------------------------------------------- */

void
lun_h2_may_send(lun_h2_stream *s)
{
    if (lun_mux_may_send(&s->m) && !s->m.out_closed
        && !lun_line_has(&s->sender))
    {
        lun_line_enter(&lun_h2_of(&s->m)->senders, &s->sender);
        lun_h2_wake(lun_h2_of(&s->m));
    }
}


bool
lun_h2_has_to_wait(const lun_h2_stream *s)
{
    const lun_h2  *h2 = lun_container_of(s->m.mux, lun_h2, mux);

    /* For the socket the connection has its own limit. */
    if (h2->out != NULL && s->send_window > 0 && h2->send_window > 0) {
        return true;
    }

    /* While others send it is in line, whatever the window of all is. */
    return lun_line_has(&s->sender)
           && lun_clock.mono - h2->data_went
              < lun_core_conf_of(s->m.r)->send_timeout;
}


/* --- the body ------------------------------------------------------------ */

/* Trailers end the stream instead of the last of the body. */
static void
put_trailers(lun_h2_stream *s)
{
    lun_fields    f;
    lun_request  *r = s->m.r;

    lun_fields_init(&f, r->pool, r->out.trailers.count);
    lun_fields_put_list(&f, &r->out.trailers);
    (void) put_block(s, &f, LUN_FRAME_END_STREAM);
}


/* Of a frame with the last of a body, or not. */
static unsigned
flags_of(const lun_h2_stream *s, bool last)
{
    return last && s->m.r->out.trailers.count == 0 && !s->m.in.malformed
           ? LUN_FRAME_END_STREAM : 0;
}


/* What a frame of n bytes changes, and what stands behind the last. */
static void
sent_data(lun_h2_stream *s, size_t n, bool last)
{
    lun_h2  *h2 = lun_h2_of(&s->m);

    lun_h2_credit(h2, n);
    s->send_window -= (int64_t) n;
    h2->send_window -= (int64_t) n;
    h2->data_went = lun_clock.mono;
    s->m.r->header_size += LUN_FRAME_HEAD;         /* not its body's */

    if (!last) {
        return;
    }

    if (s->m.in.malformed) {
        lun_h2_reset(s, LUN_H2_PROTOCOL_ERROR);

    } else if (s->m.r->out.trailers.count != 0) {
        put_trailers(s);

    } else {
        s->m.out_closed = 1;
        lun_h2_check_closed(s);
        lun_mux_ready(&s->m);
    }
}


/* --- a file's part ------------------------------------------------------- */

/*
 * The head of a frame is out, or queued, and what it promised has to follow:
 * from the file to the socket, or by way of the memory behind the head.
 */
static lun_rc
follow_head(lun_h2 *h2, lun_request *r, size_t n)
{
    size_t  sent = 0;

    if (lun_h2_send_out(h2, true) == LUN_OK
        && lun_http_try_file(r, n, &sent) != LUN_OK)
    {
        return LUN_ERROR;
    }

    h2->burst += sent;
    n -= sent;

    if (h2->mux.broken || n == 0) {
        return h2->mux.broken ? LUN_ERROR : LUN_OK;
    }

    if (lun_http_read_promised(r, h2->out + h2->out_len, (int64_t) n)
        != (int64_t) n)
    {
        return LUN_ERROR;
    }

    h2->out_len += n;
    return LUN_OK;
}


/* A file that became shorter: the connection makes no sense without it. */
static void
send_file(lun_h2 *h2, lun_h2_stream *s, size_t n, bool last)
{
    char  *p = lun_h2_room(h2, LUN_FRAME_HEAD);

    last = last && lun_mux_is_whole(&s->m);
    (void) lun_frame_put_head(p, n, LUN_FRAME_DATA, flags_of(s, last),
                              (uint32_t) s->m.id);
    lun_h2_queued(h2, LUN_FRAME_HEAD);
    s->m.starved = 0;

    if (follow_head(h2, s->m.r, n) != LUN_OK) {
        lun_h2_break(h2);
        return;
    }

    lun_h2_charge(h2, n);
    lun_mux_output_went(&s->m);
    sent_data(s, n, last);
}


/* How much of the next frame a file may give by itself; 0: nothing. */
static size_t
file_part(const lun_h2 *h2, lun_request *r, size_t size, bool *last)
{
    size_t  n;

    if (!lun_conn_tries_files(h2->mux.c) || !lun_core_conf_of(r)->sendfile) {
        return 0;
    }

    n = lun_http_file_output(r, size, last);
    return n >= FILE_LEAST ? n : 0;
}


/* --- the first of the line ----------------------------------------------- */

typedef enum {
    SENT,                              /* or it has nothing to send */
    NO_ROOM,                           /* on the connection, at the moment */
    NO_WINDOW                          /* of the connection's */
} send_verdict;

static bool
has_output(const lun_request *r, size_t size)
{
    int64_t         left = (int64_t) size;
    const lun_buf  *b;

    for (b = r->output.head; b != NULL && left > 0; b = b->next) {
        left -= lun_buf_size(b);
    }

    return left <= 0;
}


/*
 * Over TLS a long body's frame ends where a record does: as many records as
 * frames, and not one more, of a few bytes, whenever they are sent.
 */
static size_t
fill_record(const lun_h2 *h2, const lun_request *r, size_t size)
{
    size_t  left = LUN_TLS_RECORD - h2->out_len % LUN_TLS_RECORD;

    return left >= LUN_FRAME_HEAD + LEAST && left < LUN_FRAME_HEAD + size
           && has_output(r, size) ? left - LUN_FRAME_HEAD : size;
}


/* How much of a body may go; 0: its stream's window, or all, is used up. */
static size_t
allowed_size(const lun_h2 *h2, const lun_h2_stream *s, size_t room)
{
    const lun_h2_conf  *conf = lun_http_conf(s->m.r, &lun_http_h2);
    int64_t             window = lun_min(s->send_window, h2->send_window);
    size_t              size = lun_min(conf->chunk_size, h2->peer_frame);

    size = lun_min(size, room - LUN_FRAME_HEAD);

    if (size > LEAST && lun_conn_is_secure(h2->mux.c)) {
        size = fill_record(h2, s->m.r, size);
    }

    return window <= 0 ? 0 : (size_t) lun_min((int64_t) size, window);
}


/*
 * The frame is built where it will be sent from: the body is read behind a head
 * whose length is known afterwards.
 */
static void
send_memory(lun_h2 *h2, lun_h2_stream *s, size_t size)
{
    char         *p = lun_h2_room(h2, LUN_FRAME_HEAD + size);
    bool          last;
    int64_t       n;
    unsigned      flags;
    lun_request  *r = s->m.r;

    n = lun_http_read_output(r, p + LUN_FRAME_HEAD, size);

    if (n < 0) {
        lun_h2_reset(s, LUN_H2_INTERNAL_ERROR);
        return;
    }

    lun_mux_output_went(&s->m);
    last = r->output.head == NULL && lun_mux_is_whole(&s->m);
    flags = flags_of(s, last);
    s->m.starved = n == 0 && !last;

    if (n != 0 || flags != 0) {
        (void) lun_frame_put_head(p, (size_t) n, LUN_FRAME_DATA, flags,
                                  (uint32_t) s->m.id);
        lun_h2_queued(h2, LUN_FRAME_HEAD + (size_t) n);
    }

    if (!s->m.starved) {
        sent_data(s, (size_t) n, last);
    }
}


static send_verdict
send_some(lun_h2 *h2, lun_h2_stream *s)
{
    bool          last;
    size_t        part, size, room = lun_h2_free_room(h2);
    lun_request  *r = s->m.r;

    if (room < LUN_FRAME_HEAD + LEAST) {
        return NO_ROOM;
    }

    size = allowed_size(h2, s, room);

    /* An end needs no window. */
    if (size == 0 && lun_buf_total(r->output.head) != 0) {
        if (s->send_window > 0) {
            return NO_WINDOW;
        }

        lun_line_leave(&s->sender);
        return SENT;                   /* until the client opens it */
    }

    lun_line_leave(&s->sender);

    part = size != 0 ? file_part(h2, r, size, &last) : 0;

    if (part != 0) {
        send_file(h2, s, part, last);

    } else {
        send_memory(h2, s, size);
    }

    if (!s->m.starved && !s->m.out_closed && lun_mux_may_send(&s->m)) {
        lun_line_enter(&h2->senders, &s->sender);
    }

    return SENT;
}


void
lun_h2_gather(lun_h2 *h2)
{
    lun_list  *at, *next;

    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    for (at = h2->senders.places.next; at != &h2->senders.places; at = next) {
        next = at->next;

        if (send_some(h2, lun_container_of(at, lun_h2_stream, sender.link))
            == NO_ROOM)
        {
            return;
        }

        /* Without a window those behind may have an end, which needs none. */
        if (h2->send_window > 0) {
            next = h2->senders.places.next;
        }
    }
}
