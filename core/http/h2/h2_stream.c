/*
 * h2_stream.c -- the life of an HTTP/2 request, from its header to its end.
 *
 * nghttp2's stream and the request end in either order: a client may reset a
 * stream whose handler still works, a handler may finish before the client has
 * sent its body.  The request is freed when both are through.
 *
 * A body's bytes are kept until somebody reads them, no more than
 * http2_body_preread_size of them: that is the window which the client was
 * given.  When the body is read to memory, the window is opened wide; a sink
 * has a small one, and the client waits for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"
#include "http/accept/place.h"
#include "http/body.h"
#include "http/h2/h2.h"
#include "http/write.h"

#include <stdlib.h>


enum {
    WIDE       = 0x40000000,       /* well below what a window may be: the
                                      first one changes when SETTINGS arrive */
    SINK_WINDOW = 65536,
    FIRST_ROOM = 4096
};


void
lun_h2_reset(lun_h2_stream *s, uint32_t code)
{
    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    if (!s->closed && !s->reset && !s->h2->broken) {
        s->reset = 1;

        if (!s->in_closed) {
            lun_h2_cut(s->h2, s->id);
        }

        (void) nghttp2_submit_rst_stream(s->h2->session, 0, s->id, code);
        lun_h2_wake(s->h2);
    }
}


/* --- the body ------------------------------------------------------------ */

static void
give_window(lun_h2_stream *s, size_t n)
{
    if (!s->closed && !s->in_closed && !s->h2->broken) {
        (void) nghttp2_session_consume_stream(s->h2->session, s->id, n);
    }
}


static void
open_window(lun_h2_stream *s, int32_t size)
{
    lun_h2  *h2 = s->h2;

    if (!s->wide && !s->closed && !s->in_closed && !h2->broken
        && h2->h2_conf->body_preread_size < (size_t) size)
    {
        s->wide = 1;
        (void) nghttp2_session_set_local_window_size(h2->session, 0, s->id,
                                                     size);
        lun_h2_wake(h2);
    }
}


/* Nobody is ever going to look at it. */
static bool
is_in_vain(const lun_h2_stream *s)
{
    const lun_request  *r = s->r;

    return s->finishing || r->aborted
           || (r->body != NULL && !lun_body_is_open(r));
}


lun_rc
lun_h2_keep_body(lun_h2_stream *s, const char *data, size_t len)
{
    char    *room;
    size_t   size = lun_max(s->body_room, (size_t) FIRST_ROOM);

    LUN_CHECK(s->body_len <= s->body_room);

    s->body_came += (int64_t) len;

    if (is_in_vain(s)) {
        give_window(s, len);
        return LUN_OK;
    }

    while (size - s->body_len < len) {
        size *= 2;
    }

    if (size != s->body_room) {
        room = realloc(s->body, size);

        if (room == NULL) {
            return LUN_ERROR;
        }

        s->body = room;
        s->body_room = size;
    }

    memcpy(s->body + s->body_len, data, len);
    s->body_len += len;
    lun_h2_ready(s);

    return LUN_OK;
}


static void
body_too_late(lun_timer *timer)
{
    lun_h2_stream  *s = lun_container_of(timer, lun_h2_stream, body_timer);
    lun_request    *r = s->r;

    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    if (!lun_body_wants(r)) {
        return;
    }

    lun_log(LUN_LOG_INFO, &s->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    s->timed_out = 1;

    lun_http_get(r);
    r->aborted = 1;
    lun_body_fail(r, 408);
    lun_http_put(r);
    lun_h2_wake(s->h2);
}


/* What the last pull gave is used up: the client may send as much again. */
static void
release_body(lun_h2_stream *s)
{
    if (s->body_held != 0) {
        give_window(s, s->body_held);
        lun_h2_wake(s->h2);
        s->body_held = 0;
    }
}


/* A sink may look at them while more of it comes: that has other memory. */
static void
detach_body(lun_h2_stream *s)
{
    free(s->body_taken);
    s->body_taken = s->body;
    s->body = NULL;
    s->body_room = 0;
}


/* There is nothing (more). */
static lun_rc
end_body(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    if (s->in_closed && r->body->left < 0) {
        return LUN_OK;
    }

    if (s->in_closed) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client prematurely closed stream: "
                "only %" PRId64 " out of %" PRId64 " bytes of request body "
                "received", s->body_came, r->in.content_length);
    }

    if (s->in_closed || s->closed || s->h2->broken) {
        r->body->status = 400;
        return LUN_ERROR;
    }

    if (r->body->sink != NULL) {
        open_window(s, SINK_WINDOW);

    } else if (!r->body->discarding) {
        open_window(s, WIDE);
        lun_timer_start(s->h2->c->loop, &s->body_timer,
                        lun_core_conf_of(r)->client_body_timeout,
                        body_too_late);
    }

    return LUN_AGAIN;
}


static lun_rc
pull_body(lun_request *r, lun_str *bytes)
{
    size_t          n;
    lun_h2_stream  *s = r->stream;

    lun_timer_stop(&s->body_timer);
    release_body(s);
    n = s->body_len;

    if (n == 0) {
        return end_body(s);
    }

    if (r->body->left >= 0 && (int64_t) n > r->body->left) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client intended to send body data "
                "larger than declared");
        r->body->status = 400;
        return LUN_ERROR;
    }

    *bytes = lun_str_of(s->body, n);
    s->body_len = 0;

    if (r->body->sink != NULL) {
        detach_body(s);
    }

    s->body_held = n;
    r->body->ends = s->in_closed;
    r->request_length += (int64_t) n;
    return LUN_OK;
}


/* --- its steps ----------------------------------------------------------- */

/* The first, when the header is complete. */
static void
start(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    LUN_CHECK(!s->started);

    s->started = 1;
    s->log.doing = NULL;

    if (s->closed || s->h2->broken) {
        r->aborted = 1;
        lun_http_finish(r, LUN_STATUS + 499);

    } else if (r->in.refusal != 0) {
        lun_http_finish(r, LUN_STATUS + r->in.refusal);

    } else {
        lun_http_begin(r, s->h2->listen);
    }
}


/* Who asked has left, or was given up, before the answer was complete. */
static void
fail_stream(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    s->lost = 1;
    r->aborted = 1;
    lun_timer_stop(&s->send_timer);
    lun_http_get(r);

    if (lun_body_is_open(r)) {
        lun_timer_stop(&s->body_timer);
        lun_body_fail(r, 400);
    }

    lun_http_tell_gone(r);
    lun_http_put(r);
}


/* All that was given out is gone: filters go on, or those who wait for it. */
static void
drained(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    r->blocked = 0;
    lun_timer_stop(&s->send_timer);

    if (lun_http_holds(r) && lun_http_pump(r) == LUN_ERROR) {
        r->aborted |= s->finishing;
        lun_h2_reset(s, NGHTTP2_INTERNAL_ERROR);
        return;
    }

    if (!r->blocked && !s->finishing) {
        lun_http_tell_drained(r);
    }
}


/* Nobody needs it any more, neither here nor in nghttp2. */
static void
free_stream(lun_h2_stream *s)
{
    lun_h2       *h2 = s->h2;
    lun_request  *r = s->r;
    char         *body = s->body, *taken = s->body_taken;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);
    LUN_CHECK(h2->stream_count > 0);

    lun_timer_stop(&s->body_timer);
    lun_timer_stop(&s->send_timer);
    lun_http_log(r);
    s->mark = LUN_MARK_DEAD;
    h2->recent = NULL;
    lun_list_remove(&s->ready);
    lun_list_remove(&s->link);
    h2->stream_count--;
    h2->over -= s->over;
    h2->headers -= !s->complete;
    h2->idle_from = lun_clock.mono;

    lun_http_unwrite(r);
    lun_request_free(r);
    free(body);
    free(taken);
}


/*
 * Nothing follows, and no end that was told.  Of what is cut off nghttp2 need
 * not have asked for more, without a window; nor will who holds it go on.
 */
static bool
ends_early(const lun_h2_stream *s)
{
    const lun_request  *r = s->r;

    if (r->aborted || r->output.head != NULL) {
        return r->aborted;
    }

    return r->cut ? !s->no_body : s->deferred && !lun_http_holds(r);
}


/* It is over for us, but nghttp2 may have to say so yet. */
static void
detach(lun_h2_stream *s)
{
    if (s->closed || s->h2->broken) {
        free_stream(s);

    } else if (!s->out_closed && ends_early(s)) {
        /* As nginx has it; 444: the configuration wants no more of it. */
        lun_h2_reset(s, s->timed_out || s->r->out.status == 444
                        ? NGHTTP2_PROTOCOL_ERROR : NGHTTP2_INTERNAL_ERROR);

    } else if (s->out_closed && !s->in_closed) {
        lun_h2_reset(s, NGHTTP2_NO_ERROR);
    }
}


void
lun_h2_step(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_http_get(r);

    if (!s->started && (s->complete || s->closed || s->h2->broken)) {
        start(s);
    }

    if (!s->finishing) {
        lun_body_came(r);
    }

    if (r->blocked && r->output.head == NULL
        && (!s->finishing || lun_http_holds(r)))
    {
        drained(s);
    }

    if (!s->finishing && !s->out_closed && !s->lost
        && (s->closed || s->reset || s->h2->broken))
    {
        fail_stream(s);
    }

    if (r->references > 1) {
        lun_http_put(r);
        return;
    }

    if (!s->finishing) {
        lun_http_put(r);           /* the protocol's finish, or drop */

    } else {
        r->references--;
    }

    if (s->finishing) {
        detach(s);
    }
}


/* --- the protocol -------------------------------------------------------- */

static void
finish(lun_request *r)
{
    lun_h2_stream  *s = r->stream;

    s->finishing = 1;

    if (lun_body_streams(r)) {
        lun_body_close(r);
    }

    lun_timer_stop(&s->body_timer);
    lun_h2_ready(s);
}


/* A reset of the stream tells us without being asked. */
static void
watch(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
}


static const lun_str  names[] = { LUN_STR_INIT("h2"), LUN_STR_NULL };

const lun_http_protocol  lun_h2_protocol = {
    .names         = names,
    .enabled       = lun_h2_enabled,
    .guess         = lun_h2_guess,
    .begin         = lun_h2_begin,
    .stream_size   = sizeof(lun_h2_stream),
    .frames_body   = true,
    .send_header   = lun_h2_send_header,
    .send_body     = lun_h2_send_body,
    .pull_body     = pull_body,
    .send_continue = lun_h2_send_continue,
    .send_hints    = lun_h2_send_hints,
    .watch         = watch,
    .finish        = finish,
    .drop          = finish,
};
