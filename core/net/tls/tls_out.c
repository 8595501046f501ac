/*
 * tls_out.c -- what a TLS connection sends.
 *
 * What OpenSSL writes is gathered in a buffer that all connections share, sent
 * at once, and what the socket does not take is kept (`out`).  A plain byte
 * counts as taken when the record it is in has left: until then it is `owed`,
 * and whoever sends it again, as the contract of a partial send wants, sends
 * nothing new.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_priv.h"

#include <openssl/err.h>

#include "base/check.h"
#include "os/file.h"


enum {
    BATCH     = 65536,             /* plain bytes that are on their way */
    KEEP_MOST = 2 * BATCH,         /* of the shared buffer for output */
    FIRST     = 4096,              /* plain bytes of the first records */
    SLOW      = 16384,             /* ... of so many */
    PAUSE     = 1000               /* ms after which records are small again */
};

static char  plain[BATCH];         /* slices in one piece, and files */

/* What OpenSSL has just written. */
static struct {
    char    *data;
    size_t   len, size;
} cipher;


void
lun_tls_drop(lun_tls_kept *k)
{
    lun_free(k->data);
    *k = (lun_tls_kept) { 0 };
}


void
lun_tls_keep(lun_tls_kept *k, const char *data, size_t len)
{
    size_t  have = k->len - k->pos;

    if (len == 0) {
        return;
    }

    if (k->pos != 0) {
        memmove(k->data, k->data + k->pos, have);
        k->pos = 0;
    }

    k->data = lun_realloc(k->data, have + len);
    memcpy(k->data + have, data, len);
    k->len = have + len;
}


int
lun_tls_bio_write(BIO *bio, const char *data, int size)
{
    size_t    n = (size_t) size;
    lun_tls  *t = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);

    if (LUN_UNLIKELY(lun_tls_has_kernel(t))) {
        return lun_tls_write_kernel(t, bio, data, size);
    }

    if (cipher.size - cipher.len < n) {
        cipher.size = lun_max(cipher.size * 2, cipher.len + n);
        cipher.data = lun_realloc(cipher.data, cipher.size);
    }

    memcpy(cipher.data + cipher.len, data, n);
    cipher.len += n;
    return size;
}


/* --- encrypted output ---------------------------------------------------- */

static lun_op_fn  on_out;

static void
post_out(lun_tls *t)
{
    lun_slice  slice = { t->out.data + t->out.pos, t->out.len - t->out.pos };

    if (LUN_UNLIKELY(t->inside != NULL)) {
        lun_tls_inside_write(t->inside, &slice, on_out);

    } else {
        lun_port_write(&t->h.c->stream, &slice, 1, on_out);
    }
}


static void
trim_cipher(void)
{
    cipher.len = 0;

    if (cipher.size > KEEP_MOST) {
        lun_free(cipher.data);
        cipher.data = NULL;
        cipher.size = 0;
    }
}


static lun_err
send_kept(lun_tls *t, bool more)
{
    size_t     sent = 0;
    lun_err    err;
    lun_slice  slice = { t->out.data + t->out.pos, t->out.len - t->out.pos };

    if (slice.len == 0) {
        return 0;
    }

    err = LUN_UNLIKELY(t->inside != NULL)
          ? lun_tls_inside_send(t->inside, &slice, more, &sent)
          : lun_port_send(&t->h.c->stream, &slice, 1, more, &sent);

    t->out.pos += err == 0 ? sent : 0;

    if (t->out.pos == t->out.len) {
        lun_tls_drop(&t->out);
    }

    return err;
}


lun_err
lun_tls_flush(lun_tls *t, bool more)
{
    size_t     sent = 0;
    lun_err    err = 0;
    lun_slice  slice;

    if (t->h.c->stream.out.busy) {
        lun_tls_keep(&t->late, cipher.data, cipher.len);
        trim_cipher();
        return lun_err_of_kind(LUN_ERR_AGAIN);
    }

    /* `cipher` is also that of a connection which it is inside of. */
    if (t->out.data != NULL || t->inside != NULL) {
        lun_tls_keep(&t->out, cipher.data, cipher.len);
        cipher.len = 0;
        err = send_kept(t, more);

    } else if (cipher.len != 0) {
        slice = (lun_slice) { cipher.data, cipher.len };
        err = lun_port_send(&t->h.c->stream, &slice, 1, more, &sent);
        sent = err == 0 ? sent : 0;
        lun_tls_keep(&t->out, cipher.data + sent, cipher.len - sent);
    }

    trim_cipher();

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        t->broken = 1;
        return err;
    }

    return t->out.data != NULL ? lun_err_of_kind(LUN_ERR_AGAIN) : 0;
}


void
lun_tls_flush_aside(lun_tls *t)
{
    lun_err  err;

    if (cipher.len == 0) {
        return;
    }

    err = lun_tls_flush(t, false);

    if (lun_err_kind_of(err) == LUN_ERR_AGAIN && !t->h.c->stream.out.busy
        && t->owed == 0)
    {
        post_out(t);

    } else if (t->broken) {
        t->err = err;
    }
}


/*
 * A write of the caller's has completed when all of its records have: `owed` is
 * how many bytes of the caller's they hold.
 */
static void
on_out(lun_op *op)
{
    size_t     n;
    lun_conn  *c = lun_container_of(op, lun_conn, stream.out);
    lun_tls   *t = c->io_data;

    if (c->closed) {
        lun_conn_write_done(c, op->err, 0);
        return;
    }

    if (op->err != 0) {
        t->broken = 1;
        t->err = op->err;

        if (c->writing) {
            lun_conn_write_done(c, op->err, 0);
        }

        return;
    }

    t->out.pos += (size_t) op->result;

    if (t->out.pos == t->out.len) {
        lun_tls_drop(&t->out);
        t->out = t->late;
        t->late = (lun_tls_kept) { 0 };
    }

    if (t->out.data != NULL) {
        post_out(t);

    } else if (c->writing && !t->h.handshaking) {
        n = t->owed;
        t->owed = 0;
        lun_conn_write_done(c, 0, (int64_t) n);
    }
}


/* --- plain output -------------------------------------------------------- */

/* Small records first: the peer can use none before all of it is there. */
static size_t
record_size(lun_tls *t)
{
    if (lun_clock.mono - t->latest > PAUSE) {
        t->burst = 0;
    }

    t->latest = lun_clock.mono;
    return t->burst < SLOW ? lun_min(t->h.record, (size_t) FIRST) : t->h.record;
}


/* As SSL_write(): a client whose handshake is not complete may be told, too. */
static int
write_plain(lun_tls *t, const char *data, size_t size)
{
    size_t  n;

    if (lun_tls_is_complete(t)) {
        return SSL_write(t->h.ssl, data, (int) size);
    }

    return SSL_write_early_data(t->h.ssl, data, size, &n) == 1 ? (int) n : -1;
}


static lun_err
encrypt(lun_tls *t, const char *data, size_t len)
{
    int     n;
    size_t  size;

    while (len != 0) {
        size = lun_min(len, record_size(t));

        ERR_clear_error();
        n = write_plain(t, data, size);

        if (n <= 0) {
            lun_tls_complain(t, "SSL_write()");
            cipher.len = 0;
            return lun_err_of_kind(LUN_ERR_RESET);
        }

        data += n;
        len -= (size_t) n;
        t->burst += (size_t) n;
    }

    return 0;
}


/* Where the next plain byte stands. */
typedef struct {
    const lun_slice  *slices;
    size_t            n, at, used;
} reader;


/* The next piece, of BATCH bytes at most; joined if the slices are small. */
static size_t
next_piece(reader *r, const char **data)
{
    size_t            part, len = 0;
    const lun_slice  *s;

    while (r->at < r->n && len < BATCH) {
        s = &r->slices[r->at];
        part = lun_min(s->len - r->used, BATCH - len);

        if (len == 0 && (part >= LUN_TLS_RECORD || r->at + 1 == r->n)) {
            *data = s->data + r->used;
            r->used += part;
            len = part;
            break;
        }

        memcpy(plain + len, s->data + r->used, part);
        *data = plain;
        len += part;
        r->used += part;

        if (r->used == s->len) {
            r->at++;
            r->used = 0;
        }
    }

    return len;
}


static bool
is_read(const reader *r)
{
    return r->at == r->n
           || (r->at + 1 == r->n && r->used == r->slices[r->at].len);
}


static void
pass_over(reader *r, size_t n)
{
    size_t  part;

    while (n != 0 && r->at < r->n) {
        part = lun_min(n, r->slices[r->at].len - r->used);
        r->used += part;
        n -= part;

        if (r->used == r->slices[r->at].len) {
            r->at++;
            r->used = 0;
        }
    }
}


lun_err
lun_tls_send(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    lun_tls     *t = c->io_data;
    size_t       len;
    reader       r = { slices, n, 0, 0 };
    lun_err      err;
    const char  *data;

    LUN_CHECK(t->h.handshake_done);

    if (t->broken) {
        return t->err != 0 ? t->err : lun_err_of_kind(LUN_ERR_RESET);
    }

    err = t->out.data != NULL ? lun_tls_flush(t, more) : 0;

    if (err != 0) {
        return err;
    }

    if (t->kernel) {
        return lun_tls_send_kernel(t, slices, n, more, sent);
    }

    /* These bytes are encrypted and out by now; the caller, who was told that
       they are not, comes with them again. */
    *sent = t->owed;
    pass_over(&r, t->owed);
    t->owed = 0;

    while ((len = next_piece(&r, &data)) != 0) {
        err = encrypt(t, data, len);

        if (err == 0 && t->h.last && is_read(&r) && !t->said_end
            && lun_tls_is_complete(t))
        {
            lun_tls_say_end(t);
        }

        if (err == 0) {
            err = lun_tls_flush(t, more);
        }

        if (err != 0) {
            t->owed = len;
            return *sent != 0 && !t->broken ? 0 : err;
        }

        *sent += len;
    }

    return 0;
}


static void
on_out_task(lun_task *task)
{
    lun_tls  *t = lun_container_of(task, lun_tls, out_task);
    size_t    n = t->owed;

    t->owed = 0;
    lun_conn_write_done(t->h.c, t->out_err, (int64_t) n);
}


/* The answer comes from the loop, with what is `owed`. */
static void
answer(lun_tls *t, lun_err err)
{
    t->out_err = err;
    lun_loop_post(t->h.c->loop, &t->out_task, on_out_task);
}


/* What is encrypted goes out; t->owed plain bytes are in it. */
static void
write_out(lun_tls *t)
{
    bool  busy = t->h.c->stream.out.busy;

    lun_tls_keep(busy ? &t->late : &t->out, cipher.data, cipher.len);
    trim_cipher();

    if (!busy) {
        post_out(t);
    }
}


/*
 * The same, and the socket is asked first: what it takes at once, as most of
 * a file, is not copied.
 */
static void
send_out(lun_tls *t)
{
    lun_err  err;

    if (t->h.c->stream.out.busy || t->out.data != NULL || t->inside != NULL) {
        write_out(t);
        return;
    }

    err = lun_tls_flush(t, false);

    if (t->out.data != NULL) {
        post_out(t);

    } else {
        answer(t, err);
    }
}


void
lun_tls_write(lun_conn *c, const lun_slice *slices, size_t n)
{
    lun_tls     *t = c->io_data;
    reader       r = { slices, n, 0, 0 };
    lun_err      err;
    const char  *data;

    if (t->kernel && !t->broken) {
        lun_tls_post_kernel(t, slices, n);
        return;
    }

    if (t->owed == 0) {
        t->owed = next_piece(&r, &data);
        err = t->broken ? lun_err_of_kind(LUN_ERR_RESET)
                        : encrypt(t, data, t->owed);
        if (err != 0) {
            t->owed = 0;
            answer(t, err);
            return;
        }
    }

    if (t->out.data == NULL && cipher.len == 0) {
        answer(t, 0);                  /* it has left by itself */
        return;
    }

    write_out(t);
}


/*
 * A part of the file at a time, since encrypted bytes are kept until the socket
 * took them; the caller asks again for the rest.
 */
void
lun_tls_send_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    lun_tls  *t = c->io_data;
    size_t    done = 0;
    lun_err   err;

    LUN_CHECK(t->owed == 0);

    if (t->kernel && !t->broken) {
        lun_tls_file_kernel(t, file, at, size);
        return;
    }

    err = t->broken ? lun_err_of_kind(LUN_ERR_RESET)
                    : lun_file_read(file, plain,
                                    lun_min(size, (size_t) BATCH), at, &done);
    if (err == 0) {
        err = encrypt(t, plain, done);
    }

    t->owed = err == 0 ? done : 0;

    if (t->owed == 0) {
        answer(t, err);
        return;
    }

    send_out(t);
}
