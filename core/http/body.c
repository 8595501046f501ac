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
    char                  path[1024];
    lun_err               err;
    const lun_core_conf  *conf = lun_core_conf_of(r);
    const lun_temp_path  *temp = conf->client_body_temp_path;

    err = lun_temp_path_open(temp, path, sizeof(path), &b->file);

    if (err != 0) {
        b->file = LUN_FD_NONE;
        lun_log(LUN_LOG_CRIT, r->log, err, "could not make a temporary file "
                "in \"%.*s\"", LUN_S(temp->path));
        return LUN_ERROR;
    }

    lun_pool_on_end(r->pool, close_file, b);
    b->file_path = lun_str_z(lun_pool_strz(r->pool, lun_str_z(path)));
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

/* A body that is only a little larger than the buffer stays in memory too. */
static void
make_room(lun_request *r, lun_body *b)
{
    size_t  size = lun_core_conf_of(r)->client_body_buffer_size;

    if (b->left >= 0 && b->left < (int64_t) (size + size / 4)) {
        size = (size_t) b->left;
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


static void
keep(lun_request *r, lun_body *b, const char *data, size_t len)
{
    size_t  n;

    while (len > 0) {
        if (b->room == NULL) {
            make_room(r, b);
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


/* Bytes in front of the body's memory that it does not own. */
static bool
use_in_place(lun_request *r, lun_body *b, const char *data, int64_t n)
{
    if (n != b->left || b->size != 0 || b->room != NULL || b->in_file_only) {
        return false;
    }

    lun_chain_push(&b->bufs, lun_buf_new_str(r->pool,
                                             lun_str_of(data, (size_t) n)));
    return true;
}


static void
take_sized(lun_request *r, lun_body *b, const char **pos, const char *end)
{
    int64_t      n = lun_min((int64_t) (end - *pos), b->left);
    const char  *data = *pos;

    *pos += n;

    if (!b->discarding && n > 0 && !use_in_place(r, b, data, n)) {
        keep(r, b, data, (size_t) n);
    }

    b->left -= n;
    b->size += n;
    b->complete = b->left == 0;
}


bool
lun_body_too_large(const lun_request *r, size_t more)
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


/* Of no known length, and without a coding: the protocol knows the end. */
static void
take_framed(lun_request *r, lun_body *b, const char **pos, const char *end)
{
    size_t  n = (size_t) (end - *pos);

    if (lun_body_too_large(r, n)) {
        fail(b, 413);
        return;
    }

    if (!b->discarding) {
        keep(r, b, *pos, n);
    }

    b->size += (int64_t) n;
    *pos = end;
}


static void
take_chunked(lun_request *r, lun_body *b, const char **pos, const char *end)
{
    lun_str  data;

    while (!b->failed) {
        switch (lun_chunked_next(&b->chunked, pos, end, &data)) {

        case LUN_CHUNKED_DATA:
            if (lun_body_too_large(r, data.len)) {
                fail(b, 413);
                return;
            }

            if (!b->discarding) {
                keep(r, b, data.data, data.len);
            }

            b->size += (int64_t) data.len;
            break;

        case LUN_CHUNKED_MORE:
            return;

        case LUN_CHUNKED_DONE:
            b->complete = true;
            return;

        default:
            lun_log(LUN_LOG_ERR, r->log, 0, "client sent invalid chunked "
                    "body");
            fail(b, 400);
            return;
        }
    }
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

    if (b->file != LUN_FD_NONE) {
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


void
lun_body_on_bytes(lun_request *r, const char **pos, const char *end)
{
    lun_body    *b = r->body;
    const char  *from = *pos;

    LUN_CHECK(lun_body_wants(r));

    if (b->left >= 0) {
        take_sized(r, b, pos, end);

    } else if (r->protocol->frames_body) {
        take_framed(r, b, pos, end);

    } else {
        take_chunked(r, b, pos, end);
    }

    r->request_length += *pos - from;
    r->body_size = b->size;

    if (b->complete && !b->failed) {
        close_up(r, b);
    }

    if (b->complete || b->failed) {
        report(r, b);
    }
}


void
lun_body_on_end(lun_request *r)
{
    lun_body  *b = r->body;

    LUN_CHECK(lun_body_wants(r) && b->left < 0);

    b->complete = true;
    close_up(r, b);
    report(r, b);
}


char *
lun_body_room(lun_request *r, size_t *size)
{
    lun_body  *b = r->body;

    if (b->left < 0 || b->discarding) {
        return NULL;
    }

    if (b->room == NULL) {
        make_room(r, b);
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
    LUN_CHECK(lun_body_wants(r));

    fail(r->body, status);
    report(r, r->body);
}


/* --- asking for it ------------------------------------------------------- */

static lun_body *
new_body(lun_request *r)
{
    lun_body  *b = lun_pool_new(r->pool, lun_body);

    lun_chain_init(&b->bufs);
    lun_chunked_init(&b->chunked);
    b->file = LUN_FD_NONE;
    b->left = r->in.chunked ? -1 : lun_max(r->in.content_length, (int64_t) 0);

    r->body = b;
    return b;
}


static lun_rc
say_continue(lun_request *r)
{
    if (!r->in.expect_continue || r->expect_tested) {
        return LUN_OK;
    }

    r->expect_tested = 1;
    return r->protocol->send_continue(r);
}


/* Starts, and takes what has come already. */
static void
start(lun_request *r, lun_body *b)
{
    if (b->left == 0) {
        b->complete = true;        /* there is none */
        return;
    }

    if (say_continue(r) != LUN_OK) {
        fail(b, 500);
        return;
    }

    b->starting = true;
    r->protocol->read_body(r);
    b->starting = false;
}


lun_verdict
lun_body_read(lun_request *r, lun_body_fn *done)
{
    lun_body             *b;
    const lun_core_conf  *conf = lun_core_conf_of(r);

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

    if (r->parent != NULL || !lun_body_untouched(r)) {
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

    if (lun_body_wants(r) && !b->discarding && !b->starting) {
        b->discarding = true;
        b->done = NULL;
        b->on_fail = NULL;
        r->discard_body = 1;
        lun_http_put(r);
    }
}


/* --- handing it over ------------------------------------------------------ */

lun_rc
lun_body_hand_over(lun_request *r, const lun_takeover *takeover)
{
    bool  writes = takeover->on_written != NULL;

    if (!writes && say_continue(r) != LUN_OK) {
        return LUN_ERROR;
    }

    if (r->body == NULL) {
        new_body(r);
        r->body->taken_over = true;
        r->body->complete = writes;
    }

    if (writes) {
        r->header_sent = 1;        /* the answer is his */
        r->done = 1;
        r->keepalive = 0;
    }

    r->takeover = takeover;
    r->protocol->hand_over(r);
    return LUN_OK;
}


void
lun_body_took(lun_request *r, size_t n)
{
    lun_body  *b = r->body;

    b->left -= (int64_t) n;
    b->size += (int64_t) n;
    b->complete = b->left == 0;
    r->body_size = b->size;
    r->request_length += (int64_t) n;
}


void
lun_body_take_back(lun_request *r)
{
    r->takeover = NULL;

    if (r->body != NULL && r->body->taken_over) {
        r->body->taken_over = false;
        r->body->discarding = true;
        r->discard_body = 1;
    }

    if (lun_body_wants(r)) {
        r->protocol->read_body(r);             /* what has come already */
    }
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

    if (b == NULL || b->bufs.head == NULL) {
        return LUN_STR_NULL;
    }

    buf = b->bufs.head;

    if (buf->next == NULL && !buf->in_file) {
        return lun_str_of(buf->pos, (size_t) (buf->last - buf->pos));
    }

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

    b->file = file;
    b->file_path = path;
    b->file_size = size;
    lun_pool_on_end(r->pool, close_file, b);
    lun_chain_push(&b->bufs, lun_buf_new_file(r->pool, file, 0, size));

    if (!b->discarding) {
        b->complete = true;
    }
}
