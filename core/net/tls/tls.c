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

    lun_tls_shake_fini(&t->h);
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


static void go_on(lun_tls_shake *h);


lun_rc
lun_tls_begin(lun_conn *c, lun_tls_inside *inside, SSL_CTX *ctx, bool server)
{
    BIO      *bio;
    lun_tls  *t;

    LUN_CHECK(lun_conn_is_plain(c) && !c->writing && !c->closed);

    ERR_clear_error();

    t = lun_pool_new(lun_conn_memory(c), lun_tls);
    t->inside = inside;
    t->h.go_on = go_on;

    if (lun_tls_shake_init(&t->h, c, ctx, server) == NULL) {
        return LUN_ERROR;
    }

    bio = lun_tls_bio_new(t);

    if (bio == NULL) {
        lun_tls_log(LUN_LOG_ALERT, &c->log, 0, "BIO_new() failed");
        SSL_free(t->h.ssl);
        return LUN_ERROR;
    }

    lun_pool_on_end(c->pool, free_tls, t);
    t->reads = bio;
    SSL_set_bio(t->h.ssl, bio, bio);
    t->try_early = server && SSL_get_max_early_data(t->h.ssl) != 0;

    if (inside == NULL
        && lun_tls_wants_kernel(SSL_get_options(t->h.ssl), t->try_early))
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


bool
lun_tls_unread(const lun_conn *c)
{
    const lun_tls  *t = speaks_tls(c) ? c->io_data : NULL;

    return t != NULL && (t->rest.data != NULL || t->early.data != NULL
                         || SSL_has_pending(t->h.ssl));
}


lun_tls_shake *
lun_tls_shake_at(const lun_conn *c)
{
    lun_tls  *t = c->io_data;

    return &t->h;
}


/* --- encrypted input ----------------------------------------------------- */

static void
read_cipher(lun_tls *t, bool own)
{
    char      *to;
    size_t     size;
    lun_conn  *c = t->h.c;

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
    lun_tls_keep(&t->rest, t->room != NULL ? t->room : t->h.c->in.last, n);
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

    memcpy(scratch, t->room != NULL ? t->room : t->h.c->in.last, n);
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
        switch (SSL_read_early_data(t->h.ssl, to, size, &n)) {

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

    return SSL_read(t->h.ssl, to, (int) size);
}


/* Plain bytes that have come to c->in.last. */
static size_t
decrypt(lun_tls *t)
{
    int        n;
    size_t     size, done = 0;
    lun_conn  *c = t->h.c;

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

    switch (SSL_get_error(t->h.ssl, n)) {

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
    lun_conn  *c = t->h.c;

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

    LUN_CHECK(t->h.handshake_done);

    if (t->rest.data != NULL || t->early.data != NULL || t->ended
        || t->err != 0 || SSL_pending(t->h.ssl) != 0)
    {
        lun_loop_post(t->h.c->loop, &t->in_task, on_in_task);
        return;
    }

    read_cipher(t, false);
}


/* --- the handshake ------------------------------------------------------- */

static void
end_handshake(lun_tls *t, lun_err err)
{
    lun_loop_unpost(&t->in_task);
    lun_tls_shake_end(&t->h, err);

    if (err == 0) {
        t->kernel = lun_tls_has_kernel(t);
    }

    if (t->socket != NULL) {
        lun_debug(&t->h.c->log, "BIO_get_ktls_send(): %d", t->kernel);
    }

    lun_conn_write_done(t->h.c, err, 0);
}


/* It reads, to notice a peer that leaves; plain bytes may come before that. */
static void
wait_for_answer(lun_tls *t)
{
    t->h.paused = 1;
    ERR_clear_error();
    lun_tls_flush_aside(t);
    read_cipher(t, true);
}


static void
pause_handshake(lun_tls *t)
{
    lun_conn_fn  *ask = t->h.ask;

    t->h.ask = NULL;
    wait_for_answer(t);
    ask(t->h.c);
}


static void
peer_has_left(lun_tls *t)
{
    ERR_clear_error();
    lun_log(lun_tls_shake_level(&t->h, 0), &t->h.c->log, 0,
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
        switch (SSL_read_early_data(t->h.ssl, room, sizeof(room), &size)) {

        case SSL_READ_EARLY_DATA_ERROR:
            return -1;

        case SSL_READ_EARLY_DATA_SUCCESS:
            if (size != 0) {
                lun_debug(&t->h.c->log, "SSL_read_early_data: success");
                lun_tls_keep(&t->early, room, size);
                t->try_early = 0;
                t->in_early = t->h.had_early = 1;
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

    n = SSL_do_handshake(t->h.ssl);
    lun_debug(&t->h.c->log, "SSL_do_handshake: %d", n);
    return n;
}


/*
 * What OpenSSL wrote during a call lies aside and is sent at the end, in one
 * piece; so an alert goes out even where the handshake failed.
 */
static void
handshake(lun_tls *t)
{
    int      n;
    lun_err  reset = lun_err_of_kind(LUN_ERR_RESET);

    ERR_clear_error();
    n = go_through(t);
    lay_aside(t);

    if (t->h.ask != NULL) {
        pause_handshake(t);
        return;
    }

    if (n == 1 && lun_tls_shake_has_to_wait(&t->h)) {
        wait_for_answer(t);
        return;
    }

    if (n == 1) {
        lun_tls_flush_aside(t);
        end_handshake(t, t->err);
        return;
    }

    if (SSL_get_error(t->h.ssl, n) == SSL_ERROR_WANT_READ && !t->ended) {
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

    t->h.paused = 0;
    take_rest(t);
    handshake(t);
}


void
lun_tls_handshake(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    if (c->io->handshake != NULL) {
        c->io->handshake(c);
        return;
    }

    LUN_CHECK(speaks_tls(c) && !t->h.handshake_done && !c->writing
              && !c->reading);

    c->writing = 1;
    t->h.handshaking = 1;
    lun_loop_post(t->h.c->loop, &t->in_task, on_handshake);
}


static void
go_on(lun_tls_shake *h)
{
    lun_tls  *t = lun_container_of(h, lun_tls, h);

    lun_loop_post(t->h.c->loop, &t->in_task, on_handshake);
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

        if (SSL_is_server(t->h.ssl)) {
            return;
        }

        peer_has_left(t);

    } else {
        t->err = op->err;
        t->broken = 1;
        lun_log(lun_tls_shake_level(&t->h, 0), &t->h.c->log, t->err,
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

    if (t->h.paused) {
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

    if (!t->h.handshaking) {
        if (c->reading) {
            deliver(t);

        } else {
            lay_aside(t);              /* read while an answer was awaited */
        }

    } else if (t->err != 0) {
        lun_log(lun_tls_shake_level(&t->h, 0), &c->log, t->err,
                "SSL_do_handshake() failed");
        end_handshake(t, t->err);

    } else {
        handshake(t);
    }
}


/* --- the end ------------------------------------------------------------- */

void
lun_tls_say_end(lun_tls *t)
{
    t->said_end = 1;
    ERR_clear_error();
    (void) SSL_shutdown(t->h.ssl);
    ERR_clear_error();
}


void
lun_tls_end(lun_conn *c)
{
    lun_tls  *t = c->io_data;

    if (!t->h.handshake_done || t->broken || t->said_end || t->owed != 0
        || !lun_tls_is_complete(t))
    {
        return;
    }

    lun_tls_say_end(t);
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
    .shake     = lun_tls_shake_at,
};
