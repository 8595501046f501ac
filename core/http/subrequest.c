/*
 * subrequest.c -- requests that the server makes to itself for another one.
 *
 * What is captured is gathered in a piece of memory that the parent may give
 * back early.  What goes out is kept in order by postpone.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/subrequest.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/accept/trace.h"
#include "http/conf/core_conf.h"
#include "http/subrequest_priv.h"


enum {
    DEPTH     = 51,                /* subrequests inside one another */
    ALIVE     = 16384,             /* of a main request, that are not over */
    MIN_ROOM  = 1024,
    MOST_ROOM = 16 * 1024 * 1024   /* made at once, because a header says so */
};


/* --- birth --------------------------------------------------------------- */

static lun_subrequest *
new_sub(lun_request *r, unsigned flags, unsigned left)
{
    lun_subrequest  *s = lun_pool_new(r->pool, lun_subrequest);

    s->r = r;
    s->flags = flags;
    s->left = left;
    s->last = &s->pieces;
    lun_list_init(&s->queue);
    r->sub = s;

    return s;
}


/* The main request's context, which asks lun_subrequest_speaker(). */
static char *
log_context(void *owner, char *p, const char *end)
{
    const lun_request  *r = owner;
    const lun_log      *log = r->main->log;
    lun_subrequest     *top = r->main->sub;

    if (log->context == NULL) {
        return p;
    }

    top->speaker = r;
    p = log->context(log->owner, p, end);
    top->speaker = NULL;

    return p;
}


/* The same of the lines that are objects. */
static char *
log_members(void *owner, char *p, const char *end, bool brief)
{
    const lun_request  *r = owner;
    lun_subrequest     *top = r->main->sub;

    top->speaker = r;
    p = lun_request_members(r->main, p, end, brief);
    top->speaker = NULL;

    return p;
}


void
lun_subrequest_log_members(void)
{
    lun_log_json_members(log_context, log_members);
}


const lun_request *
lun_subrequest_speaker(const lun_request *main)
{
    const lun_subrequest  *top = main->sub;

    return top != NULL && top->speaker != NULL ? top->speaker : main;
}


static void
free_body(void *data)
{
    lun_subrequest  *s = data;

    lun_free(s->body);
    s->body = NULL;
}


static void
set_values(lun_request *r, unsigned flags)
{
    const lun_request  *parent = r->parent;

    if (flags & LUN_SUB_COPY_VALUES) {
        memcpy(r->values, parent->values,
               r->engine->values * sizeof(lun_value));

    } else if ((flags & LUN_SUB_OWN_VALUES) == 0) {
        r->values = parent->values;
    }
}


/*
 * Two bounds: how deep (a page that includes itself) and how many at a time (a
 * page that includes a thousand).
 */
lun_request *
lun_subrequest_new(lun_request *parent, lun_str uri, lun_str args,
    unsigned flags)
{
    lun_request     *r;
    lun_subrequest  *s, *above = parent->sub;

    LUN_CHECK_MARK(parent, LUN_MARK_REQUEST);

    if (parent->main->sub == NULL) {
        above = new_sub(parent->main, 0, DEPTH);
    }

    if (above->left == 0 || parent->main->sub->alive >= ALIVE) {
        return NULL;
    }

    r = lun_request_new_child(parent);
    lun_request_set_uri(r, uri);
    r->args = args;
    set_values(r, flags);

    s = new_sub(r, flags, above->left - 1);
    s->log = *parent->log;
    s->log.doing = NULL;
    s->log.context = log_context;
    s->log.owner = r;
    r->log = &s->log;

    if (flags & LUN_SUB_CAPTURE) {
        lun_pool_on_end(r->pool, free_body, s);
    }

    return r;
}


lun_request *
lun_subrequest_ask(lun_request *parent, lun_str uri, lun_str args,
    unsigned flags)
{
    lun_request  *r = lun_subrequest_new(parent, uri, args, flags);

    if (r == NULL) {
        lun_log(LUN_LOG_ERR, parent->log, 0, "subrequests cycle while "
                "processing \"%.*s\"", LUN_S(uri));
    }

    return r;
}


void
lun_subrequest_stay(lun_request *r)
{
    const lun_request  *parent = r->parent;

    LUN_CHECK(r->parent != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->server = parent->server;
    r->location = parent->location;
    r->conf = parent->conf;
    r->handler = parent->handler;
    r->phase = parent->phase;
    r->captures = parent->captures;
    r->capture_count = parent->capture_count;
    r->capture_subject = parent->capture_subject;
    r->uri_is_new = parent->uri_is_new;
    r->args_are_new = parent->args_are_new;
    r->uri_located = parent->uri_located;
}


/* --- its body ------------------------------------------------------------ */

static void
say_length(lun_request *r, int64_t size)
{
    lun_str  text = LUN_STR_NULL;

    if (size >= 0) {
        text = lun_pool_fmt(r->pool, "%" PRId64, size);
    }

    r->in.content_length = size;
    lun_http_set_in(r, LUN_STR("Content-Length"), text, true);
    lun_http_set_in(r, LUN_STR("Transfer-Encoding"), LUN_STR_NULL, true);
}


void
lun_subrequest_set_body(lun_request *r, lun_str data)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    lun_body_set(r, data);
    say_length(r, (int64_t) data.len);
}


void
lun_subrequest_set_file(lun_request *r, lun_fd file, lun_str path,
    int64_t size)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    lun_body_set_file(r, file, path, size);
    say_length(r, size);
}


void
lun_subrequest_drop_body(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->body = NULL;
    say_length(r, -1);
}


/*
 * One that is not there has no length either: a server would take for it what
 * the next request on the connection says.
 */
void
lun_subrequest_share_body(lun_request *r)
{
    lun_body  *b = r->parent->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (b != NULL && b->complete && !b->discarding && b->sink == NULL) {
        r->body = b;

    } else {
        lun_subrequest_drop_body(r);
    }
}


/* --- captured ------------------------------------------------------------ */

bool
lun_subrequest_captured(const lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    return r->sub != NULL && (r->sub->flags & LUN_SUB_CAPTURE);
}


/* Room for so much more; the length that the header has promised, at once. */
static void
make_room(lun_subrequest *s, size_t size)
{
    size_t   need = s->len + size, room = s->room;
    int64_t  said = s->r->out.content_length;

    if (need <= room) {
        return;
    }

    room = lun_max(lun_max(2 * room, need), (size_t) MIN_ROOM);

    if (said > (int64_t) room && said <= MOST_ROOM) {
        room = (size_t) said;
    }

    s->body = lun_realloc(s->body, room);
    s->room = room;
}


/* Said once; what comes after it is not kept either. */
static bool
is_too_big(lun_subrequest *s, size_t size)
{
    size_t  most = lun_core_conf_of(s->r)->subrequest_output_buffer_size;

    if ((s->flags & LUN_SUB_LIMITED) == 0 || s->len + size <= most) {
        return false;
    }

    if (!s->too_big) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "too big subrequest response: %zu",
                s->len + size);
        s->too_big = true;
    }

    return true;
}


static lun_rc
keep(lun_subrequest *s, const lun_buf *b)
{
    char    *at;
    size_t   done, size = (size_t) lun_buf_size(b);
    lun_err  err;

    if (size == 0) {
        return LUN_OK;
    }

    if (is_too_big(s, size)) {
        return LUN_ERROR;
    }

    make_room(s, size);
    at = s->body + s->len;

    if (b->in_file) {
        err = lun_file_read(b->file, at, size, b->file_pos, &done);

        if (err != 0 || done != size) {
            lun_log(LUN_LOG_CRIT, s->r->log, err, "read() of a file that is "
                    "being captured has failed or is truncated");
            return LUN_ERROR;
        }

    } else {
        memcpy(at, b->pos, size);
    }

    s->len += size;
    return LUN_OK;
}


lun_rc
lun_subrequest_take(lun_request *r, lun_buf *in)
{
    lun_rc           rc = LUN_OK;
    lun_subrequest  *s = r->sub;

    LUN_CHECK(r->sub != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    for ( ; in != NULL; in = in->next) {
        r->done |= in->eof || in->eof_part;

        if ((s->flags & LUN_SUB_CAPTURE) && rc == LUN_OK) {
            rc = keep(s, in);
        }

        in->pos = in->last;
        in->file_pos = in->file_last;
    }

    return rc;
}


lun_str
lun_subrequest_body(const lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    return lun_str_of(r->sub->body, r->sub->len);
}


bool
lun_subrequest_too_big(const lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    return r->sub->too_big;
}


void
lun_subrequest_forget(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    free_body(r->sub);
    r->sub->len = 0;
    r->sub->room = 0;
}


/* --- its course ---------------------------------------------------------- */

void
lun_subrequest_start(lun_request *r, lun_subrequest_fn *done, void *data)
{
    lun_subrequest  *s = r->sub;

    LUN_CHECK(r->parent != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    s->done = done;
    s->data = data;

    if ((s->flags & LUN_SUB_CAPTURE) == 0) {
        lun_postpone_enter(r);
    }

    if (LUN_UNLIKELY(r->main->trace != NULL)) {
        lun_trace_begin_sub(r, r->main->trace);
    }

    lun_http_get(r);
    lun_subrequest_enter_turn(s);
}


/*
 * Who captures wants the status and no page of ours: a bare header is the
 * answer.
 */
lun_verdict
lun_subrequest_answer(lun_request *r, unsigned status)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if ((r->sub->flags & LUN_SUB_BARE) == 0) {
        return LUN_NEXT;
    }

    r->error_status = (uint16_t) status;
    r->out.content_type = LUN_STR_NULL;
    r->out.charset = LUN_STR_NULL;
    r->out.status_line = LUN_STR_NULL;
    lun_http_set_type(r);
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_clear_last_modified(r);

    if (lun_http_send_header(r) != LUN_OK) {
        return LUN_FAILED;
    }

    r->header_only = 1;
    return LUN_FINISHED;
}


void
lun_subrequest_hang_up(lun_request *r, unsigned status)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->sub->hung_up = status;
}


/* Its output, and that of those in it, is complete. */
static void
deliver(lun_request *r)
{
    lun_subrequest     *s = r->sub;
    lun_subrequest_fn  *done = s->done;

    LUN_CHECK(r->sub != NULL);

    s->done = NULL;

    if (s->cancelled) {
        return;
    }

    if (LUN_UNLIKELY(r->main->trace != NULL)) {
        lun_trace_end_sub(r, r->main->trace);
    }

    if (lun_core_conf_of(r)->log_subrequest) {
        lun_http_log(r);
    }

    if (done != NULL) {
        done(r, s->data);
    }
}


void
lun_subrequest_end(lun_request *r)
{
    lun_request     *root = lun_postpone_root(r);
    lun_subrequest  *s = r->sub, *top = root->sub;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_subrequest_leave_turn(s);

    if (root == r) {
        s->ending = lun_postpone_waits(s);

        if (!s->ending) {
            deliver(r);
        }

        return;
    }

    if (r->aborted && !s->cancelled) {
        root->aborted = 1;         /* a part of its answer is missing */
        root->done = 0;
    }

    lun_postpone_leave(r);

    deliver(r);

    if (top->ending && !lun_postpone_waits(top)) {
        top->ending = false;
        deliver(root);
    }
}


void
lun_subrequest_go_on(lun_request *r)
{
    lun_rc        rc;
    lun_request  *main = r->main, *root = lun_postpone_root(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (root->sub != NULL && lun_postpone_waits(root->sub)) {
        rc = lun_postpone_pump(root);

    } else {
        rc = lun_http_output(r, NULL);
    }

    if (rc == LUN_ERROR) {
        root->aborted = 1;
        main->keepalive = 0;
        return;
    }

    /* Whoever makes the answer may have stopped when nothing was taken. */
    if (!main->blocked && !lun_http_holds(main)) {
        lun_http_tell_drained(main);
    }
}


/*
 * One that waits for its turn is ended here; one at work is told, and ends when
 * that has let go of it.
 */
void
lun_subrequest_cancel(lun_request *r)
{
    lun_subrequest  *s = r->sub;
    void           (*notice)(lun_request *, void *) = r->abort;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    s->cancelled = true;

    if (r->ended) {
        return;
    }

    r->aborted = 1;

    if (s->turn == LUN_TURN_WAITS || lun_loop_has_posted(&s->task)) {
        lun_loop_unpost(&s->task);
        lun_http_finish(r, LUN_FAILED);
        return;
    }

    r->abort = NULL;

    if (notice != NULL) {
        notice(r, r->abort_data);
    }
}


/* --- when it is done ----------------------------------------------------- */

unsigned
lun_subrequest_status(const lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    return r->out.status != 0 ? r->out.status : 500;
}


unsigned
lun_subrequest_hung_up(const lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    return r->sub->hung_up;
}
