/*
 * tls.c -- TLS as a connection type.
 *
 *     socket > c->in > scratch > OpenSSL > c->in         what has come
 *     slices > OpenSSL > cipher > socket                 what goes out
 *
 * Encrypted bytes arrive in the very room where the plain ones will stand;
 * they are moved to a scratch buffer that all connections share, because
 * OpenSSL keeps of them what it cannot use yet.  Only what is left over when
 * the room is full of plain text has to be kept here (`rest`).
 *
 * tls_out.c is about the other direction.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls.h"

#include <openssl/err.h>

#include "base/check.h"
#include "net/tls/tls_metrics.h"
#include "net/tls/tls_priv.h"


enum {
    SCRATCH   = 18 * 1024,         /* more than the largest record */
    ROOM      = 512,               /* a smaller input buffer is not read into */
    OWN_ROOM  = 4096,              /* ... but one like this instead */
    EARLY     = 2048               /* bytes of early data that are read first */
};

static char  scratch[SCRATCH];     /* encrypted input */

static const lun_conn_io  tls_io;


/* --- life ---------------------------------------------------------------- */

static lun_op_fn  on_in;


static void
free_tls(void *data)
{
    lun_tls  *t = data;

    lun_loop_unpost(&t->in_task);
    lun_loop_unpost(&t->out_task);

    if (t->handshaking) {
        lun_tls_count(t->c, SSL_is_server(t->ssl), LUN_TLS_ABANDONED);
    }

    /* However it ends, its session is good for another connection. */
    SSL_set_shutdown(t->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(t->ssl);
    BIO_free(t->socket);

    lun_tls_drop(&t->rest);
    lun_tls_drop(&t->out);
    lun_tls_drop(&t->late);
    lun_tls_drop(&t->early);
    lun_free(t->room);
    ERR_clear_error();
}


/* Without memory for that it is as ever. */
static void
ask_kernel(lun_tls *t)
{
    BIO  *out = lun_tls_bio_new(t);

    if (out != NULL) {
        (void) lun_tls_try_kernel(t, out);
    }
}


lun_rc
lun_tls_start(lun_conn *c, SSL_CTX *ctx, bool server)
{
    return lun_tls_begin(c, NULL, ctx, server);
}


lun_rc
lun_tls_begin(lun_conn *c, lun_tls_inside *inside, SSL_CTX *ctx, bool server)
{
    BIO      *bio;
    lun_tls  *t;

    LUN_CHECK(lun_conn_is_plain(c) && !c->writing && !c->closed);

    ERR_clear_error();

    t = lun_pool_new(lun_conn_memory(c), lun_tls);
    t->c = c;
    t->inside = inside;
    t->record = LUN_TLS_RECORD;
    t->ssl = SSL_new(ctx);
    t->first = ctx;
    bio = t->ssl != NULL ? lun_tls_bio_new(t) : NULL;

    if (bio == NULL) {
        lun_tls_log(LUN_LOG_ALERT, &c->log, 0, "SSL_new() failed");
        SSL_free(t->ssl);
        return LUN_ERROR;
    }

    lun_pool_on_end(c->pool, free_tls, t);
    t->reads = bio;
    SSL_set_bio(t->ssl, bio, bio);
    SSL_set_app_data(t->ssl, (char *) c);

    if (server) {
        SSL_set_accept_state(t->ssl);
        t->try_early = SSL_get_max_early_data(t->ssl) != 0;

    } else {
        SSL_set_connect_state(t->ssl);
    }

    if (inside == NULL
        && lun_tls_wants_kernel(SSL_get_options(t->ssl), t->try_early))
    {
        ask_kernel(t);
    }

    lun_tls_keep(&t->rest, c->in.pos, (size_t) (c->in.last - c->in.pos));
    c->io = inside != NULL ? &lun_tls_inside_io : &tls_io;
    c->io_data = t;

    if (c->reading) {
        c->in.pos = c->in.last;
        c->reading = 0;                /* it goes on as ours */
        c->stream.in.done = on_in;

    } else {
        c->in.pos = c->in.last = c->in.start;
    }

    return LUN_OK;
}


static bool
speaks_tls(const lun_conn *c)
{
    return c->io == &tls_io || c->io == &lun_tls_inside_io;
}


SSL *
lun_tls_of(const lun_conn *c)
{
    const lun_tls  *t = speaks_tls(c) ? c->io_data : NULL;

    return t != NULL ? t->ssl : NULL;
}


bool
lun_tls_unread(const lun_conn *c)
{
    const lun_tls  *t = speaks_tls(c) ? c->io_data : NULL;

    return t != NULL && (t->rest.data != NULL || t->early.data != NULL
                         || SSL_has_pending(t->ssl));
}


SSL_CTX *
lun_tls_session_ctx(const SSL *ssl)
{
    const lun_tls  *t = lun_tls_conn(ssl)->io_data;

    return t->first;
}


bool
lun_tls_is_early(const lun_conn *c)
{
    const lun_tls  *t = speaks_tls(c) ? c->io_data : NULL;

    return t != NULL && t->handshake_done && !lun_tls_is_complete(t);
}


lun_conn *
lun_tls_conn(const SSL *ssl)
{
    return (lun_conn *) (void *) SSL_get_app_data(ssl);
}


void
lun_tls_set_record(lun_conn *c, size_t size)
{
    lun_tls  *t = c->io_data;

    t->record = lun_min(size, (size_t) LUN_TLS_RECORD);
}


void
lun_tls_reject(lun_conn *c, const char *why)
{
    lun_tls  *t = c->io_data;

    t->rejected = why;
}


/* --- encrypted input ----------------------------------------------------- */

static void
read_cipher(lun_tls *t, bool own)
{
    char      *to;
    size_t     size;
    lun_conn  *c = t->c;

    if (c->stream.in.busy) {
        return;                        /* from before the handshake */
    }

    to = c->in.last;
    size = (size_t) (c->in.end - c->in.last);

    if (own || size < ROOM) {
        if (t->room == NULL) {
            t->room = lun_malloc(OWN_ROOM);
        }

        to = t->room;
        size = OWN_ROOM;
    }

    size = lun_min(size, (size_t) SCRATCH);

    if (LUN_UNLIKELY(t->inside != NULL)) {
        lun_tls_inside_read(t->inside, to, size, on_in);

    } else {
        lun_port_read(&c->stream, to, size, on_in);
    }
}


static void
take_rest(lun_tls *t)
{
    t->src = t->rest.data != NULL ? t->rest.data + t->rest.pos : NULL;
    t->src_end = t->rest.data != NULL ? t->rest.data + t->rest.len : NULL;
}


/* What has arrived goes behind the rest. */
static void
keep_in(lun_tls *t, size_t n)
{
    lun_tls_keep(&t->rest, t->room != NULL ? t->room : t->c->in.last, n);
    lun_free(t->room);
    t->room = NULL;
}


/* What has arrived becomes OpenSSL's to read, until lay_aside(). */
static void
take_in(lun_tls *t, size_t n)
{
    /* Asked for before the handshake; or behind what nobody has read yet. */
    if (n > SCRATCH || t->rest.data != NULL) {
        keep_in(t, n);
        take_rest(t);
        return;
    }

    memcpy(scratch, t->room != NULL ? t->room : t->c->in.last, n);
    lun_free(t->room);
    t->room = NULL;
    t->src = scratch;
    t->src_end = scratch + n;
}


static void
lay_aside(lun_tls *t)
{
    if (t->rest.data == NULL) {
        lun_tls_keep(&t->rest, t->src, (size_t) (t->src_end - t->src));

    } else if (t->src == t->src_end) {
        lun_tls_drop(&t->rest);

    } else {
        t->rest.pos = (size_t) (t->src - t->rest.data);
    }

    t->src = t->src_end = NULL;
}


/* What was read too early for anybody to want it. */
static size_t
take_early(lun_tls *t, char *to, size_t size)
{
    size_t  n = lun_min(size, t->early.len - t->early.pos);

    memcpy(to, t->early.data + t->early.pos, n);
    t->early.pos += n;

    if (t->early.pos == t->early.len) {
        lun_tls_drop(&t->early);
    }

    return n;
}


/* As SSL_read(), of which early data know nothing. */
static int
read_plain(lun_tls *t, char *to, size_t size)
{
    size_t  n = 0;

    if (t->early.data != NULL) {
        return (int) take_early(t, to, size);
    }

    while (t->in_early) {
        switch (SSL_read_early_data(t->ssl, to, size, &n)) {

        case SSL_READ_EARLY_DATA_ERROR:
            return -1;

        case SSL_READ_EARLY_DATA_SUCCESS:
            if (n != 0) {
                return (int) n;
            }

            break;

        default:
            t->in_early = 0;       /* SSL_read() ends the handshake */
        }
    }

    return SSL_read(t->ssl, to, (int) size);
}


/* Plain bytes that have come to c->in.last. */
static size_t
decrypt(lun_tls *t)
{
    int        n;
    size_t     size, done = 0;
    lun_conn  *c = t->c;

    for ( ;; ) {
        size = (size_t) (c->in.end - c->in.last) - done;

        if (size == 0 || t->broken) {
            return done;
        }

        ERR_clear_error();
        n = read_plain(t, c->in.last + done, lun_min(size, (size_t) SCRATCH));

        if (n <= 0) {
            break;
        }

        done += (size_t) n;
    }

    switch (SSL_get_error(t->ssl, n)) {

    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        break;

    case SSL_ERROR_ZERO_RETURN:
        t->ended = 1;
        break;

    default:
        lun_tls_complain(t, "SSL_read()");
        t->err = lun_err_of_kind(LUN_ERR_RESET);
    }

    return done;
}


static void
deliver(lun_tls *t)
{
    size_t     n;
    lun_conn  *c = t->c;

    n = decrypt(t);
    lay_aside(t);
    lun_tls_flush_aside(t);

    if (n != 0) {
        lun_conn_read_done(c, 0, n);

    } else if (t->err != 0) {
        lun_conn_read_done(c, t->err, 0);

    } else if (t->ended) {
        lun_conn_read_done(c, 0, 0);

    } else {
        read_cipher(t, false);
    }
}


static void
on_in_task(lun_task *task)
{
    lun_tls  *t = lun_container_of(task, lun_tls, in_task);

    take_rest(t);
    deliver(t);
}


void
lun_tls_read(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    LUN_CHECK(t->handshake_done);

    if (t->rest.data != NULL || t->early.data != NULL || t->ended
        || t->err != 0 || SSL_pending(t->ssl) != 0)
    {
        lun_loop_post(t->c->loop, &t->in_task, on_in_task);
        return;
    }

    read_cipher(t, false);
}


/* --- the handshake ------------------------------------------------------- */

static void
end_handshake(lun_tls *t, lun_err err)
{
    if (err == 0) {
        lun_tls_log_cipher(&t->c->log, t->ssl);
        t->kernel = lun_tls_has_kernel(t);
    }

    if (t->socket != NULL) {
        lun_debug(&t->c->log, "BIO_get_ktls_send(): %d", t->kernel);
    }

    lun_tls_count(t->c, SSL_is_server(t->ssl),
                  err != 0 ? LUN_TLS_FAILED
                  : SSL_session_reused(t->ssl) ? LUN_TLS_RESUMED
                                               : LUN_TLS_FULL);
    lun_loop_unpost(&t->in_task);
    t->handshaking = 0;
    t->paused = 0;
    t->handshake_done = err == 0;
    lun_conn_write_done(t->c, err, 0);
}


/* It reads, to notice a peer that leaves; plain bytes may come before that. */
static void
wait_for_answer(lun_tls *t)
{
    t->paused = 1;
    ERR_clear_error();
    lun_tls_flush_aside(t);
    read_cipher(t, true);
}


static void
pause_handshake(lun_tls *t)
{
    lun_conn_fn  *ask = t->ask;

    t->ask = NULL;
    wait_for_answer(t);
    ask(t->c);
}


static void
peer_has_left(lun_tls *t)
{
    ERR_clear_error();
    lun_log(lun_tls_level(t, 0), &t->c->log, 0,
            "peer closed connection in SSL handshake");
}


/* As SSL_do_handshake(): early data are as good as its end. */
static int
go_through(lun_tls *t)
{
    char    room[EARLY];
    int     n;
    size_t  size = 0;

    while (t->try_early) {
        switch (SSL_read_early_data(t->ssl, room, sizeof(room), &size)) {

        case SSL_READ_EARLY_DATA_ERROR:
            return -1;

        case SSL_READ_EARLY_DATA_SUCCESS:
            if (size != 0) {
                lun_debug(&t->c->log, "SSL_read_early_data: success");
                lun_tls_keep(&t->early, room, size);
                t->try_early = 0;
                t->in_early = t->had_early = 1;
                return 1;
            }

            break;

        default:
            t->try_early = 0;
        }
    }

    if (t->in_early) {
        return 1;                      /* back from `after` */
    }

    n = SSL_do_handshake(t->ssl);
    lun_debug(&t->c->log, "SSL_do_handshake: %d", n);
    return n;
}


/* Whether it is to wait for an answer. */
static bool
has_to_wait(lun_tls *t)
{
    lun_tls_after_fn  *after = t->after;

    t->after = NULL;
    return after != NULL && after(t->c);
}


static void
handshake(lun_tls *t)
{
    int      n;
    lun_err  reset = lun_err_of_kind(LUN_ERR_RESET);

    ERR_clear_error();
    n = go_through(t);
    lay_aside(t);

    if (t->ask != NULL) {
        pause_handshake(t);
        return;
    }

    if (n == 1 && has_to_wait(t)) {
        wait_for_answer(t);
        return;
    }

    if (n == 1) {
        lun_tls_flush_aside(t);
        end_handshake(t, t->err);
        return;
    }

    if (SSL_get_error(t->ssl, n) == SSL_ERROR_WANT_READ && !t->ended) {
        lun_tls_flush_aside(t);
        read_cipher(t, false);
        return;
    }

    if (t->ended) {
        peer_has_left(t);

    } else {
        lun_tls_complain(t, "SSL_do_handshake()");
    }

    lun_tls_flush_aside(t);
    end_handshake(t, reset);
}


static void
on_handshake(lun_task *task)
{
    lun_tls  *t = lun_container_of(task, lun_tls, in_task);

    t->paused = 0;
    take_rest(t);
    handshake(t);
}


void
lun_tls_handshake(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    LUN_CHECK(speaks_tls(c) && !t->handshake_done && !c->writing
              && !c->reading);

    c->writing = 1;
    t->handshaking = 1;
    lun_loop_post(t->c->loop, &t->in_task, on_handshake);
}


void
lun_tls_set_after(lun_conn *c, lun_tls_after_fn *after)
{
    lun_tls  *t = c->io_data;

    LUN_CHECK(speaks_tls(c) && !t->handshake_done);

    t->after = after;
}


void
lun_tls_pause(lun_conn *c, lun_conn_fn *ask)
{
    lun_tls  *t = c->io_data;

    LUN_CHECK(t->handshaking && t->ask == NULL);

    t->ask = ask;
}


bool
lun_tls_is_paused(const lun_conn *c)
{
    const lun_tls  *t = speaks_tls(c) ? c->io_data : NULL;

    return t != NULL && t->paused;
}


void
lun_tls_go_on(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    /* The peer may have left since; whoever has the connection knows. */
    if (t->paused) {
        lun_loop_post(t->c->loop, &t->in_task, on_handshake);
    }
}


/*
 * Something has come, or ended, while the handshake waits for an answer.  That
 * a client has left shows when there is one: what a handler has begun for it
 * is not cut short, as in nginx, which does not read meanwhile.
 */
static void
in_pause(lun_tls *t, lun_op *op)
{
    if (op->err == 0 && op->result != 0) {
        keep_in(t, (size_t) op->result);       /* for after the answer */
        return;
    }

    if (op->err == 0) {
        t->ended = 1;

        if (SSL_is_server(t->ssl)) {
            return;
        }

        peer_has_left(t);

    } else {
        t->err = op->err;
        t->broken = 1;
        lun_log(lun_tls_level(t, 0), &t->c->log, t->err,
                "SSL_do_handshake() failed");
    }

    end_handshake(t, op->err != 0 ? op->err : lun_err_of_kind(LUN_ERR_RESET));
}


static void
on_in(lun_op *op)
{
    lun_conn  *c = lun_container_of(op, lun_conn, stream.in);
    lun_tls   *t = c->io_data;

    if (c->closed) {
        lun_conn_read_done(c, op->err, 0);
        return;
    }

    if (t->paused) {
        in_pause(t, op);
        return;
    }

    if (op->err == 0 && op->result != 0) {
        take_in(t, (size_t) op->result);

    } else if (op->err == 0) {
        t->ended = 1;

    } else {
        t->err = op->err;
        t->broken = 1;
    }

    if (!t->handshaking) {
        if (c->reading) {
            deliver(t);

        } else {
            lay_aside(t);              /* read while an answer was awaited */
        }

    } else if (t->err != 0) {
        lun_log(lun_tls_level(t, 0), &c->log, t->err,
                "SSL_do_handshake() failed");
        end_handshake(t, t->err);

    } else {
        handshake(t);
    }
}


/* --- the end ------------------------------------------------------------- */

void
lun_tls_end(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    if (!t->handshake_done || t->broken || t->said_end || t->owed != 0
        || !lun_tls_is_complete(t))
    {
        return;
    }

    t->said_end = 1;
    ERR_clear_error();
    (void) SSL_shutdown(t->ssl);
    ERR_clear_error();
    (void) lun_tls_flush(t, false);
}


void
lun_tls_close(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    if (!c->gone && !c->stream.out.busy) {
        lun_tls_end(c);
    }

    lun_loop_unpost(&t->in_task);
    lun_loop_unpost(&t->out_task);

    /* What only we were about to answer is over. */
    c->reading = c->stream.in.busy;
    c->writing = c->stream.out.busy;
}


static const lun_conn_io  tls_io = {
    .traits    = LUN_IO_SECURE,
    .read      = lun_tls_read,
    .send      = lun_tls_send,
    .write     = lun_tls_write,
    .send_file = lun_tls_send_file,
    .end       = lun_tls_end,
    .close     = lun_tls_close,
};
