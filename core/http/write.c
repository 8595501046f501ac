/*
 * write.c -- a request's output goes to its connection.
 *
 * Memory goes out in gathered sends, tried at once; only what the socket does
 * not take is posted.  Parts of files go by lun_conn_send_file(), or without
 * `sendfile` through a buffer of output_buffers' size.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/write.h"

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/module.h"
#include "http/protocol.h"
#include "net/conn_file.h"
#include "net/conn_io.h"
#include "net/tls/tls.h"


enum {
    FILE_STEP  = 2 * 1024 * 1024,  /* at most in one operation */
    LARGE_FILE = 64 * 1024,
    JOIN       = 2048              /* bytes worth copying together */
};

/* Bytes per second that nobody can send: a higher limit_rate is none. */
#define MOST_RATE  ((int64_t) 1 << 36)


/* --- small bufs ---------------------------------------------------------- */

lun_buf *
lun_http_small_buf(lun_request *r)
{
    lun_buf  *b = r->small_bufs;

    if (b != NULL) {
        r->small_bufs = b->next;

    } else {
        b = lun_buf_new_room(r->pool, LUN_SMALL_ROOM);
        b->tag = r;
    }

    b->next = NULL;
    b->pos = b->start;
    b->last = b->start;
    b->flush = 0;
    b->eof = 0;

    return b;
}


static void
drop_first(lun_request *r)
{
    lun_buf  *b = lun_chain_shift(&r->output);

    if (b->tag == r) {
        b->next = r->small_bufs;
        r->small_bufs = b;
    }
}


/* --- what was sent ------------------------------------------------------- */

/* Moves over n bytes that the connection has taken, and what is empty. */
static void
consume(lun_request *r, int64_t n)
{
    int64_t   size;
    lun_buf  *b;

    r->sent += n;

    while ((b = r->output.head) != NULL) {
        size = lun_buf_size(b);

        if (n < size) {
            if (b->in_file) {
                b->file_pos += n;

            } else {
                b->pos += n;
            }

            return;
        }

        n -= size;
        b->pos = b->last;
        b->file_pos = b->file_last;
        drop_first(r);
    }

    LUN_CHECK(n == 0);
}


/* --- limit_rate ---------------------------------------------------------- */

static int64_t
size_of(lun_request *r, const lun_script *script)
{
    lun_str   text;
    uint64_t  n;

    if (script == NULL) {
        return 0;
    }

    text = lun_script_run(&r->session, script);

    if (lun_str_to_size(text, &n) != LUN_OK || n > INT64_MAX) {
        lun_log(LUN_LOG_ERR, r->log, 0, "invalid size \"%.*s\"", LUN_S(text));
        return 0;
    }

    return (int64_t) n;
}


/*
 * How much may go now: so many bytes for each second that has begun.  Numbers
 * that servers and scripts make up are cut to what the sums below can hold.
 */
static inline int64_t
allowance(lun_request *r)
{
    int64_t  seconds, most;

    if (!r->rate_known) {
        r->rate_known = 1;
        r->limit_rate = size_of(r, lun_core_conf_of(r)->limit_rate);
    }

    if (r->limit_rate == 0 || r->limit_rate > MOST_RATE) {
        return INT64_MAX;
    }

    if (!r->after_known) {
        r->after_known = 1;
        r->limit_after = size_of(r, lun_core_conf_of(r)->limit_rate_after);
    }

    seconds = lun_clock.sec - r->start_sec + 1;
    most = r->limit_rate * seconds
           - (r->sent - lun_min(r->limit_after, INT64_MAX / 2));

    if (most <= 0) {
        r->write_delay = (lun_msec) (-most * 1000 / r->limit_rate + 1);
    }

    return most;
}


/* --- what to send -------------------------------------------------------- */

/*
 * Whether the system should wait with a header for the file behind it, as one
 * packet costs less than two.  A large file has many packets, and costs more
 * when they do not begin with its own pages.
 */
static bool
goes_with_file(const lun_request *r, const lun_buf *b)
{
    return lun_buf_size(b) <= LARGE_FILE || lun_core_conf_of(r)->tcp_nopush;
}


/*
 * A client that has closed its side may be gone altogether, which only a second
 * send finds out: it gets no more than postpone_output and the buf in which
 * that is reached.
 */
static LUN_NOINLINE size_t
gather_less(const lun_request *r, const lun_slice *slices, size_t n,
    size_t *total, bool *more)
{
    size_t  i, enough = lun_core_conf_of(r)->postpone_output;

    *total = 0;
    *more = false;

    for (i = 0; i < n && (i == 0 || *total < enough); i++) {
        *total += slices[i].len;
    }

    return i;
}


/*
 * Slices of the memory in front, `most` bytes of it; *more: something follows
 * them at once.
 */
static size_t
gather(lun_request *r, int64_t most, lun_slice slices[LUN_PORT_SLICES],
    size_t *total, bool *more)
{
    size_t    n = 0;
    lun_buf  *b;

    *total = 0;

    for (b = r->output.head; b != NULL; b = b->next) {
        if (lun_buf_size(b) == 0) {
            continue;                  /* a file may just have been used up */
        }

        if (b->in_file || n == LUN_PORT_SLICES) {
            break;
        }

        slices[n].data = b->pos;
        slices[n].len = (size_t) lun_min((int64_t) (b->last - b->pos), most);
        most -= (int64_t) slices[n].len;
        *total += slices[n++].len;

        if (most == 0) {
            break;
        }
    }

    *more = b != NULL && most > 0 && (!b->in_file || goes_with_file(r, b));

    return LUN_UNLIKELY(r->conn->stream.hung_up)
           ? gather_less(r, slices, n, total, more) : n;
}


/* A gathered send costs the system more than a small copy costs us. */
static size_t
join(lun_slice *slices, size_t n, char room[JOIN])
{
    size_t   i;
    char    *p = room;

    for (i = 0; i < n; i++) {
        p = lun_copy(p, slices[i].data, slices[i].len);
    }

    slices->data = room;
    slices->len = (size_t) (p - room);

    return 1;
}


static lun_rc
lost(lun_request *r)
{
    lun_log(LUN_LOG_INFO, r->log, r->conn->err, "writev() failed");
    r->conn->gone = 1;

    return LUN_ERROR;
}


/* Those `total` bytes are the last of the connection: TLS can say so. */
static LUN_NOINLINE void
tell_last(lun_request *r, size_t total)
{
    int64_t         size = 0;
    const lun_buf  *b;

    for (b = r->output.head; b != NULL; b = b->next) {
        size += lun_buf_size(b);
    }

    if (size == (int64_t) total && lun_conn_is_secure(r->conn)) {
        lun_tls_set_last(r->conn);
    }
}


/* OK: all of it is out, go on with what follows. */
static lun_rc
send_memory(lun_request *r, int64_t most)
{
    bool       more;
    char       room[JOIN];
    size_t     n, total, sent;
    lun_err    err;
    lun_slice  slices[LUN_PORT_SLICES];

    n = gather(r, most, slices, &total, &more);

    if (n > 1 && total <= JOIN) {
        n = join(slices, n, room);
    }

    if (LUN_UNLIKELY(r->done && !r->keepalive)) {
        tell_last(r, total);
    }

    err = lun_conn_send(r->conn, slices, n, more, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        return lost(r);
    }

    consume(r, (int64_t) sent);

    if (sent == total) {
        return LUN_OK;
    }

    n = gather(r, most - (int64_t) sent, slices, &total, &more);
    lun_conn_write(r->conn, slices, n);
    return LUN_AGAIN;
}


static lun_rc
read_file(lun_request *r, const lun_buf *b, char *to, size_t size,
    size_t *done)
{
    lun_err  err = lun_file_read(b->file, to, size, b->file_pos, done);

    if (err == 0 && *done != 0) {
        return LUN_OK;
    }

    lun_log(LUN_LOG_ALERT, r->log, err, "read() of a file that is being "
            "sent has failed or is truncated");
    return LUN_ERROR;
}


/* Room for a part of a file, where the disk's blocks can be read into. */
static lun_buf *
new_bounce(lun_request *r)
{
    size_t                align, over;
    lun_buf              *b;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (!r->direct) {
        return lun_buf_new_room(r->pool, conf->output_buffers.size);
    }

    align = lun_max(conf->directio_alignment, 1);
    b = lun_buf_new_room(r->pool, conf->output_buffers.size + align);
    over = (uintptr_t) b->start % align;

    if (over != 0) {
        b->start += align - over;
    }

    b->end = b->start + conf->output_buffers.size;
    return b;
}


/* Without sendfile: the next part of the file becomes memory before it. */
static LUN_NOINLINE lun_rc
read_part(lun_request *r, lun_buf *file)
{
    size_t    size, done;
    lun_buf  *b = r->bounce;

    if (b == NULL) {
        b = new_bounce(r);
        r->bounce = b;
    }

    size = (size_t) (b->end - b->start);
    size = (size_t) lun_min((int64_t) size, lun_buf_size(file));

    if (read_file(r, file, b->start, size, &done) != LUN_OK) {
        return LUN_ERROR;
    }

    file->file_pos += (int64_t) done;
    b->pos = b->start;
    b->last = b->start + done;
    b->next = file;

    r->output.head = b;
    return LUN_OK;
}


static lun_rc
send_file(lun_request *r, lun_buf *b, int64_t most)
{
    int64_t               limit;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    LUN_CHECK(b->in_file && most > 0);

    if (!conf->sendfile || r->direct) {
        return read_part(r, b);
    }

    limit = conf->sendfile_max_chunk != 0 ? (int64_t) conf->sendfile_max_chunk
                                          : FILE_STEP;
    limit = lun_min(lun_min(limit, most), lun_buf_size(b));
    lun_conn_send_file(r->conn, b->file, b->file_pos, (size_t) limit);

    return LUN_AGAIN;
}


/* --- the room ------------------------------------------------------------ */

bool
lun_http_worth_sending(const lun_request *r)
{
    int64_t         total = 0, limit;
    const lun_buf  *b;

    limit = (int64_t) lun_core_conf_of(r)->postpone_output;

    for (b = r->output.head; b != NULL; b = b->next) {
        total += lun_buf_size(b);

        if (b->flush || b->eof || b->eof_part || total >= limit) {
            return true;
        }
    }

    return false;
}


lun_rc
lun_http_write(lun_request *r)
{
    lun_rc    rc;
    int64_t   most;
    lun_buf  *b;

    r->write_delay = 0;

    for ( ;; ) {
        if (r->conn->gone) {
            return LUN_ERROR;
        }

        /* What was posted reads from the head of the list: it stays. */
        if (lun_conn_writing(r->conn)) {
            rc = LUN_AGAIN;
            break;
        }

        b = r->output.head;

        if (b != NULL && lun_buf_size(b) == 0) {
            consume(r, 0);
            b = r->output.head;
        }

        if (b == NULL) {
            rc = LUN_OK;
            break;
        }

        /* Nothing, by limit_rate: write_delay says when to come again. */
        most = allowance(r);

        if (most <= 0) {
            rc = LUN_AGAIN;
            break;
        }

        rc = b->in_file ? send_file(r, b, most) : send_memory(r, most);

        if (rc != LUN_OK) {
            break;
        }
    }

    r->blocked = rc == LUN_AGAIN;
    return rc;
}


lun_rc
lun_http_written(lun_request *r)
{
    int64_t  n = lun_conn_written(r->conn);

    if (n == 0) {
        lun_log(LUN_LOG_ALERT, r->log, 0, "sendfile() reported that a file "
                "was truncated while it was being sent");
        return LUN_ERROR;
    }

    consume(r, n);
    return lun_http_write(r);
}


int64_t
lun_http_read_output(lun_request *r, char *to, size_t size)
{
    int64_t  most;

    r->write_delay = 0;
    consume(r, 0);
    most = r->output.head != NULL ? allowance(r) : 0;

    return lun_http_read_promised(r, to, lun_min(most, (int64_t) size));
}


int64_t
lun_http_read_promised(lun_request *r, char *to, int64_t most)
{
    size_t    n, done = 0;
    lun_buf  *b;

    while (most > 0 && (b = r->output.head) != NULL) {
        n = (size_t) lun_min(most, lun_buf_size(b));

        if (!b->in_file) {
            memcpy(to + done, b->pos, n);

        } else if (read_file(r, b, to + done, n, &n) != LUN_OK) {
            return -1;
        }

        consume(r, (int64_t) n);
        done += n;
        most -= (int64_t) n;
    }

    return (int64_t) done;
}


/* Nothing of r->output is behind the first n bytes. */
static bool
is_all(const lun_request *r, int64_t n)
{
    const lun_buf  *b;

    for (b = r->output.head; b != NULL && n >= 0; b = b->next) {
        n -= lun_buf_size(b);
    }

    return n == 0;
}


size_t
lun_http_file_output(lun_request *r, size_t size, bool *last)
{
    int64_t         n;
    const lun_buf  *b;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->write_delay = 0;
    consume(r, 0);
    b = r->output.head;

    if (b == NULL || !b->in_file || r->direct) {
        return 0;
    }

    n = lun_min(lun_min(allowance(r), lun_buf_size(b)), (int64_t) size);
    *last = n > 0 && is_all(r, n);
    return n > 0 ? (size_t) n : 0;
}


lun_rc
lun_http_try_file(lun_request *r, size_t size, size_t *sent)
{
    lun_err         err;
    const lun_buf  *b = r->output.head;

    LUN_CHECK(b != NULL && b->in_file && (int64_t) size <= lun_buf_size(b));

    err = lun_conn_try_file(r->conn, b->file, b->file_pos, size, sent);
    consume(r, (int64_t) *sent);

    return err == 0 || lun_err_kind_of(err) == LUN_ERR_AGAIN ? LUN_OK
                                                             : lost(r);
}


bool
lun_http_is_straight(lun_request *r)
{
    const lun_conn  *c = r->conn;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    return r->parent == NULL && r->header_sent && !r->header_only
           && r->protocol->is_raw && !r->chunked_out && !r->blocked
           && !r->aborted && !r->done && r->output.head == NULL
           && lun_conn_is_plain(c) && !c->closed && !c->gone
           && !lun_conn_writing(c) && !c->stream.hung_up
           && allowance(r) == INT64_MAX && lun_http_filters_idle(r);
}


void
lun_http_went_straight(lun_request *r, int64_t n)
{
    LUN_CHECK(r->output.head == NULL);
    r->sent += n;
}


void
lun_http_unwrite(lun_request *r)
{
    lun_buf  *b;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    while ((b = lun_chain_shift(&r->output)) != NULL) {
        b->pos = b->last;
        b->file_pos = b->file_last;
    }

    r->blocked = 0;
}
