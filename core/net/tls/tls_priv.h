/*
 * tls_priv.h -- what the rooms of TLS share: tls.c (life, handshake,
 * input), tls_out.c (output), tls_kernel.c (the same by the kernel),
 * tls_cert.c, tls_ctx.c (files).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_PRIV_H
#define LUN_TLS_PRIV_H

#include <openssl/ssl.h>

#include "net/conn_io.h"
#include "net/tls/tls_ctx.h"
#include "net/tls/tls_shake.h"

/* Bytes in memory of its own. */
typedef struct {
    char    *data;                 /* malloc'ed, or NULL */
    size_t   pos, len;
} lun_tls_kept;

typedef struct lun_tls_inside  lun_tls_inside;

typedef struct {
    lun_tls_shake  h;
    lun_tls_inside  *inside;       /* NULL: over a socket */
    BIO          *reads;           /* what OpenSSL reads from */
    BIO          *socket;          /* NULL, or to the kernel (tls_kernel.c) */
    const char   *src, *src_end;   /* what OpenSSL may read */
    char         *room;            /* malloc'ed, where a read goes that does
                                      not go to c->in */
    lun_tls_kept  rest;            /* encrypted, and not yet OpenSSL's */
    lun_tls_kept  out;             /* encrypted, and not yet the socket's */
    lun_tls_kept  late;            /* the same, while `out` is being written */
    lun_tls_kept  early;           /* plain, read before the handshake's end */
    size_t        owed;
    size_t        burst;           /* plain bytes since the last pause */
    lun_msec      latest;          /* when the last was sent */
    lun_task      in_task, out_task;
    lun_err       err;             /* for the next who reads */
    lun_err       out_err;         /* for out_task */
    unsigned      try_early:1;     /* what comes first may be early data */
    unsigned      in_early:1;      /* and so is what comes next */
    unsigned      ended:1;         /* the peer has closed its side */
    unsigned      said_end:1;      /* close_notify is out */
    unsigned      kernel:1;        /* encrypts what is sent */
    unsigned      broken:1;
} lun_tls;

/* --- tls.c --- */

/*
 * As lun_tls_start(), over `inside` if that is not NULL: c is a connection
 * without a socket then.
 */
lun_rc lun_tls_begin(lun_conn *c, lun_tls_inside *inside, SSL_CTX *ctx,
    bool server);

/* Its close_notify becomes the next record, which the caller sends. */
void lun_tls_say_end(lun_tls *t);

/* Logs that a function of OpenSSL has failed; nothing more is sent. */
void lun_tls_complain(lun_tls *t, const char *function);

/* --- tls_bio.c --- */

/* The caller's; reads what is t->src, writes.  NULL: no memory. */
BIO *lun_tls_bio_new(lun_tls *t);

/* --- tls_error.c --- */

/* At debug level: the cipher in OpenSSL's words, but for its many blanks. */
void lun_tls_log_cipher(const lun_log *log, const SSL *ssl);

/* --- tls_out.c --- */

void lun_tls_keep(lun_tls_kept *k, const char *data, size_t len);
void lun_tls_drop(lun_tls_kept *k);

/* The handshake is complete, not only good enough for early data. */
static inline bool
lun_tls_is_complete(const lun_tls *t)
{
    return !t->h.had_early || SSL_is_init_finished(t->h.ssl);
}


/* For OpenSSL: what it writes is gathered. */
int lun_tls_bio_write(BIO *bio, const char *data, int size);

/*
 * Sends what OpenSSL has written, and before it what was kept.  AGAIN: some
 * of it is kept, in t->out or t->late.
 */
lun_err lun_tls_flush(lun_tls *t, bool more);

/* The same for what OpenSSL says by itself: nobody waits for it. */
void lun_tls_flush_aside(lun_tls *t);

/* For lun_conn_io; the first four are tls.c's. */
lun_tls_shake *lun_tls_shake_at(const lun_conn *c);
void lun_tls_read(lun_conn *c);
void lun_tls_end(lun_conn *c);
void lun_tls_close(lun_conn *c);
lun_err lun_tls_send(lun_conn *c, const lun_slice *slices, size_t n,
    bool more, size_t *sent);
void lun_tls_write(lun_conn *c, const lun_slice *slices, size_t n);
void lun_tls_send_file(lun_conn *c, lun_fd file, int64_t at, size_t size);

/* --- tls_inside.c --- */

/* As lun_port_read, _send and _write, of one slice, for what is inside. */
void lun_tls_inside_read(lun_tls_inside *i, char *to, size_t size,
    lun_op_fn *done);
lun_err lun_tls_inside_send(lun_tls_inside *i, const lun_slice *slice,
    bool more, size_t *sent);
void lun_tls_inside_write(lun_tls_inside *i, const lun_slice *slice,
    lun_op_fn *done);

/* The type of what is inside. */
extern const lun_conn_io  lun_tls_inside_io;

/* --- tls_kernel.c --- */

/* Whether the kernel is to be asked to encrypt what is sent. */
bool lun_tls_wants_kernel(uint64_t options, bool early);

/* It will be, by `out`, which is the connection's then.  False: no memory. */
bool lun_tls_try_kernel(lun_tls *t, BIO *out);

/* It does. */
bool lun_tls_has_kernel(const lun_tls *t);

/* For that BIO: what it is told and does not know, and what it writes. */
int lun_tls_tell_kernel(lun_tls *t, int what, int n, void *p);
int lun_tls_write_kernel(lun_tls *t, BIO *bio, const char *data, int size);

/* For lun_conn_io, when it does. */
lun_err lun_tls_send_kernel(lun_tls *t, const lun_slice *slices, size_t n,
    bool more, size_t *sent);
void lun_tls_post_kernel(lun_tls *t, const lun_slice *slices, size_t n);
void lun_tls_file_kernel(lun_tls *t, lun_fd file, int64_t at, size_t size);

/* --- tls_cert.c --- */

/* NULL: the file could not be read, and OpenSSL's queue knows why. */
BIO *lun_tls_open_file(const lun_tls_file *file);

/*
 * Whether what OpenSSL complains of is the end of a list of PEM blocks: its
 * queue is empty then.
 */
bool lun_tls_is_pem_end(void);

#endif
