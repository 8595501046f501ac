/*
 * body.c -- a request's body.
 *
 * A body that came whole with the header is used where it is.  Otherwise it
 * gathers in one piece of memory (`room`, client_body_buffer_size), into which
 * the protocol may read directly; each time that is full it goes to a
 * temporary file.  Discarding is the same without keeping anything.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/body.h"

#include "base/check.h"
#include "http/conf/core_conf.h"


/* --- the temporary file -------------------------------------------------- */

/* It has its name as long as the request lives: handlers open it by that. */
static void
close_file(void *data)
{
    lun_body  *b = data;

    if (b->file != LUN_FD_NONE) {
        lun_file_close(b->file);
        b->file = LUN_FD_NONE;
    }

    if (b->delete_file) {
        b->delete_file = false;
        (void) lun_file_delete(b->file_path.data);
    }
}


static lun_rc
open_file(lun_request *r, lun_body *b)
{
    const lun_core_conf  *conf = lun_core_conf_of(r);

    LUN_CHECK(b->file == LUN_FD_NONE);

    if (lun_temp_path_open_for(r, conf->client_body_temp_path, &b->file,
                               &b->file_path) != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_pool_on_end(r->pool, close_file, b);
    b->delete_file = conf->client_body_in_file_only != LUN_BODY_FILE_ON;

    if (!b->in_file_only) {
        lun_log(LUN_LOG_WARN, r->log, 0, "a client request body is buffered "
                "to a temporary file %.*s", LUN_S(b->file_path));
    }

    return LUN_OK;
}


static lun_rc
flush_room(lun_request *r, lun_body *b)
{
    lun_err  err;

    if (b->file == LUN_FD_NONE && open_file(r, b) != LUN_OK) {
        return LUN_ERROR;
    }

    err = lun_file_write(b->file, b->room, b->room_used, b->file_size);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, r->log, err, "write() \"%.*s\" failed",
                LUN_S(b->file_path));
        return LUN_ERROR;
    }

    b->file_size += (int64_t) b->room_used;
    b->room_used = 0;

    return LUN_OK;
}


/* --- gathering ----------------------------------------------------------- */

/*
 * A body that is only a little larger than the buffer stays in memory too,
 * where the protocol reads into it: `n` bytes of it are here, the rest is
 * b->left.
 */
static void
make_room(lun_request *r, lun_body *b, size_t n)
{
    size_t  size = lun_core_conf_of(r)->client_body_buffer_size;
    size_t  most = r->protocol->frames_body ? size + 1 : size + size / 4;

    if (b->left >= 0 && b->left + (int64_t) n < (int64_t) most) {
        size = (size_t) b->left + n;
    }

    b->room_size = lun_max(size, (size_t) 1);
    b->room = lun_pool_alloc(r->pool, b->room_size);
}


static void
fail(lun_body *b, unsigned status)
{
    b->failed = true;
    b->status = status;
}


/*
 * `data` may lie in the room itself, where the connection has read it to: then
 * there is nothing to copy.
 */
static void
keep(lun_request *r, lun_body *b, const char *data, size_t len)
{
    size_t  n;

    while (len > 0) {
        if (b->room == NULL) {
            make_room(r, b, len);
        }

        if (b->room_used == b->room_size && flush_room(r, b) != LUN_OK) {
            fail(b, 500);
            return;
        }

        n = lun_min(len, b->room_size - b->room_used);

        if (data != b->room + b->room_used) {
            memcpy(b->room + b->room_used, data, n);
        }

        b->room_used += n;
        data += n;
        len -= n;
    }
}


/* All of it, in memory that stays as long as the request. */
static bool
use_in_place(lun_request *r, lun_body *b, lun_str bytes)
{
    if (b->left != 0 || b->size != (int64_t) bytes.len || b->room != NULL
        || b->in_file_only)
    {
        return false;
    }

    /* Elsewhere it came behind the header, and has no buffer of its own. */
    if (r->protocol->frames_body
        && bytes.len > lun_core_conf_of(r)->client_body_buffer_size)
    {
        return false;
    }

    lun_chain_push(&b->bufs, lun_buf_new_str(r->pool, bytes));
    return true;
}


/* That is logged, and the answer is a 413. */
static bool
is_too_large(const lun_request *r, size_t more)
{
    int64_t          max = lun_core_conf_of(r)->client_max_body_size;
    const lun_body  *b = r->body;

    if (max == 0 || b->discarding || b->size + (int64_t) more <= max) {
        return false;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "client intended to send too large chunked "
            "body: %" PRId64 "+%zu bytes", b->size, more);
    return true;
}


lun_rc
lun_body_pull(lun_request *r, lun_str *bytes)
{
    lun_rc     rc;
    lun_body  *b = r->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(b != NULL);

    *bytes = LUN_STR_NULL;
    b->awaited = false;

    if (b->complete || b->failed) {
        return b->failed ? LUN_ERROR : LUN_OK;
    }

    rc = r->protocol->pull_body(r, bytes);

    if (rc == LUN_AGAIN) {
        b->awaited = true;
        return rc;
    }

    /* One with a length was looked at when its header came. */
    if (rc == LUN_OK && b->left < 0 && is_too_large(r, bytes->len)) {
        b->status = 413;
        rc = LUN_ERROR;
    }

    if (rc != LUN_OK) {
        fail(b, b->status);
        return rc;
    }

    LUN_CHECK(b->left < 0 || (int64_t) bytes->len <= b->left);

    b->left -= b->left > 0 ? (int64_t) bytes->len : 0;
    b->size += (int64_t) bytes->len;
    b->complete = b->left == 0 || bytes->len == 0
                  || (b->left < 0 && b->ends);
    r->body_size = b->size;

    return LUN_OK;
}


/* All is here: what is in memory and what is in the file become bufs. */
static void
close_up(lun_request *r, lun_body *b)
{
    if (b->discarding) {
        return;
    }

    if (b->room_used > 0 && (b->file != LUN_FD_NONE || b->in_file_only)
        && flush_room(r, b) != LUN_OK)
    {
        b->complete = false;
        fail(b, 500);
        return;
    }

    if (b->in_file_only && b->file == LUN_FD_NONE
        && open_file(r, b) != LUN_OK)
    {
        b->complete = false;
        fail(b, 500);
        return;
    }

    /* Of an empty file the name is all that is wanted. */
    if (b->file_size > 0) {
        lun_chain_push(&b->bufs, lun_buf_new_file(r->pool, b->file, 0,
                                                  b->file_size));

    } else if (b->room_used > 0) {
        lun_chain_push(&b->bufs,
                       lun_buf_new_str(r->pool, lun_str_of(b->room,
                                                           b->room_used)));
    }

    if (b->left < 0) {
        r->in.content_length = b->size;        /* it is known by now */
    }
}


/* Gives back the reading's reference, and the body to whoever asked for it. */
static void
report(lun_request *r, lun_body *b)
{
    if (b->starting) {
        return;                    /* the caller is told when it returns */
    }

    if (b->failed) {
        r->keepalive = 0;

        if (b->on_fail != NULL) {
            b->on_fail(r);

        } else if (!b->discarding) {
            lun_http_finish(r, LUN_STATUS + b->status);
        }

    } else if (b->done != NULL) {
        b->done(r);
    }

    if (!b->discarding) {
        lun_http_put(r);
    }
}


/* To memory or to nowhere: all that has come. */
static void
gather_body(lun_request *r, lun_body *b)
{
    lun_str  bytes;

    while (!b->complete && !b->failed) {
        if (lun_body_pull(r, &bytes) == LUN_AGAIN) {
            return;
        }

        if (bytes.len != 0 && !b->failed && !b->discarding
            && !use_in_place(r, b, bytes))
        {
            keep(r, b, bytes.data, bytes.len);
        }
    }

    if (!b->failed) {
        close_up(r, b);
    }

    report(r, b);
}


void
lun_body_came(lun_request *r)
{
    lun_body  *b = r->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!lun_body_is_open(r)) {
        return;
    }

    if (b->sink == NULL) {
        gather_body(r, b);

    } else if (b->awaited) {
        b->awaited = false;
        b->sink->on_bytes(r);
    }
}


char *
lun_body_room(lun_request *r, size_t *size)
{
    lun_body  *b = r->body;

    LUN_CHECK(r->body != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (b->left < 0 || b->discarding) {
        return NULL;
    }

    if (b->room == NULL) {
        make_room(r, b, 0);
    }

    if (b->room_used == b->room_size && flush_room(r, b) != LUN_OK) {
        lun_body_fail(r, 500);
        return NULL;
    }

    *size = (size_t) lun_min((int64_t) (b->room_size - b->room_used), b->left);
    return b->room + b->room_used;
}


void
lun_body_fail(lun_request *r, unsigned status)
{
    LUN_CHECK(r->body != NULL && status >= 400);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(lun_body_is_open(r));

    fail(r->body, status);

    if (r->body->sink != NULL) {
        (void) r->body->sink->on_gone(r);

    } else {
        report(r, r->body);
    }
}


/* --- asking for it ------------------------------------------------------- */

static lun_body *
new_body(lun_request *r)
{
    lun_body  *b = lun_pool_new(r->pool, lun_body);

    lun_chain_init(&b->bufs);
    b->file = LUN_FD_NONE;
    b->left = r->in.chunked ? -1 : lun_max(r->in.content_length, (int64_t) 0);

    r->body = b;
    return b;
}


/* Not in the middle of an answer, which says enough. */
static lun_rc
say_continue(lun_request *r)
{
    if (!r->in.expect_continue || r->expect_tested || r->header_sent) {
        return LUN_OK;
    }

    r->expect_tested = 1;
    return r->protocol->send_continue(r);
}


/* Starts, and takes what has come already. */
static void
start(lun_request *r, lun_body *b)
{
    if (say_continue(r) != LUN_OK) {
        fail(b, 500);
        return;
    }

    if (b->left == 0 && !r->in.ends_apart) {
        b->complete = true;        /* there is none */

        /* But a length of 0 is a body, too, for who wants a file. */
        if (b->in_file_only && r->in.content_length == 0) {
            close_up(r, b);
        }

        return;
    }

    b->starting = true;
    gather_body(r, b);
    b->starting = false;
}


lun_verdict
lun_body_read(lun_request *r, lun_body_fn *done)
{
    lun_body             *b;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->parent != NULL || r->body != NULL) {
        done(r);
        return LUN_LEAVE;
    }

    b = new_body(r);
    b->done = done;
    b->in_file_only = conf->client_body_in_file_only != LUN_BODY_FILE_OFF;
    b->single_buffer = conf->client_body_in_single_buffer;

    lun_http_get(r);
    start(r, b);

    if (b->failed) {
        r->keepalive = 0;
        lun_http_put(r);
        return (lun_verdict) (LUN_STATUS + b->status);
    }

    if (!b->complete) {
        return LUN_WAIT;           /* the reference is given back later */
    }

    done(r);
    lun_http_put(r);
    return LUN_LEAVE;
}


lun_verdict
lun_body_discard(lun_request *r)
{
    lun_body  *b;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->parent != NULL || !lun_body_untouched(r)) {

        /* Who waits is told to go on, though there be nothing to send. */
        if (LUN_UNLIKELY(r->in.expect_continue) && r->parent == NULL
            && r->body == NULL && say_continue(r) != LUN_OK)
        {
            return LUN_STATUS + 500;
        }

        return LUN_LEAVE;
    }

    b = new_body(r);
    b->discarding = true;
    r->discard_body = 1;
    start(r, b);

    return b->failed ? (lun_verdict) (LUN_STATUS + b->status) : LUN_LEAVE;
}


void
lun_body_abandon(lun_request *r)
{
    lun_body  *b = r->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (lun_body_wants(r) && !b->discarding && !b->starting) {
        b->discarding = true;
        b->done = NULL;
        b->on_fail = NULL;
        r->discard_body = 1;
        lun_http_put(r);
    }
}


/* --- to a sink ------------------------------------------------------------ */

lun_rc
lun_body_open(lun_request *r, const lun_body_sink *sink)
{
    LUN_CHECK(sink != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(r->body == NULL);

    if (say_continue(r) != LUN_OK) {
        return LUN_ERROR;
    }

    new_body(r)->sink = sink;
    return LUN_OK;
}


void
lun_body_keep(lun_request *r, lun_str text)
{
    lun_body  *b = r->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(lun_body_streams(r) && b->complete);

    b->sink = NULL;
    r->in.content_length = b->size;

    if (text.len != 0) {
        lun_chain_push(&b->bufs, lun_buf_new_str(r->pool, text));
    }
}


void
lun_body_close(lun_request *r)
{
    lun_body  *b = r->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(lun_body_streams(r));

    b->sink = NULL;
    b->discarding = true;
    r->discard_body = 1;

    if (lun_body_wants(r)) {
        gather_body(r, b);             /* what has come already */
    }
}


/* --- handing over the connection ------------------------------------------ */

lun_conn *
lun_body_hand_over(lun_request *r, const lun_takeover *takeover)
{
    LUN_CHECK(takeover != NULL && lun_body_may_hand_over(r));
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->body == NULL) {
        new_body(r)->complete = true;
    }

    r->header_sent = 1;                /* the answer is the takeover's */
    r->done = 1;
    r->keepalive = 0;
    r->takeover = takeover;
    return r->protocol->hand_over(r);
}


/* --- looking at it, changing it ------------------------------------------ */

lun_str
lun_body_text(lun_request *r)
{
    char      *text, *p;
    size_t     done;
    int64_t    total;
    lun_buf   *buf;
    lun_body  *b = r->body;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (b == NULL || b->bufs.head == NULL) {
        return LUN_STR_NULL;
    }

    buf = b->bufs.head;

    if (buf->next == NULL && !buf->in_file) {
        return lun_str_of(buf->pos, (size_t) (buf->last - buf->pos));
    }

    /* Its size is the client's: there may be no room for it. */
    total = lun_buf_total(buf);
    text = lun_pool_alloc_try(r->pool, (size_t) total);

    if (text == NULL) {
        return LUN_STR_NULL;
    }

    for (p = text; buf != NULL; buf = buf->next) {
        done = (size_t) lun_buf_size(buf);

        if (!buf->in_file) {
            p = lun_copy(p, buf->pos, done);
            continue;
        }

        if (lun_file_read(buf->file, p, done, buf->file_pos, &done) != 0) {
            return LUN_STR_NULL;
        }

        p += done;
    }

    return lun_str_of(text, (size_t) (p - text));
}


/* The body to change.  A subrequest's is its parent's until then. */
static lun_body *
own_body(lun_request *r)
{
    if (r->parent != NULL) {
        return new_body(r);
    }

    (void) lun_body_discard(r);
    return r->body != NULL ? r->body : new_body(r);
}


/* An empty body in place of what there was. */
static lun_body *
replace(lun_request *r, int64_t size)
{
    lun_body  *b = own_body(r);

    close_file(b);
    lun_chain_init(&b->bufs);
    b->file_path = LUN_STR_NULL;
    b->size = size;
    r->in.content_length = size;
    r->in.chunked = false;

    return b;
}


void
lun_body_set(lun_request *r, lun_str data)
{
    lun_body  *b = replace(r, (int64_t) data.len);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (data.len > 0) {
        lun_chain_push(&b->bufs, lun_buf_new_str(r->pool, data));
    }

    if (!b->discarding) {
        b->complete = true;
    }
}


void
lun_body_set_file(lun_request *r, lun_fd file, lun_str path, int64_t size)
{
    lun_body  *b = replace(r, size);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    b->file = file;
    b->file_path = path;
    b->file_size = size;
    lun_pool_on_end(r->pool, close_file, b);
    lun_chain_push(&b->bufs, lun_buf_new_file(r->pool, file, 0, size));

    if (!b->discarding) {
        b->complete = true;
    }
}
