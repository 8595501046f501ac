/*
 * conn_io.h -- for connection types: what stands between a connection and the
 * port.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_IO_H
#define LUN_CONN_IO_H

#include "net/conn.h"

/*
 * A connection type: what TLS replaces.  Contracts as in port.h, but a read is
 * for in.last .. in.end, and read, write and send_file end in
 * lun_conn_read_done() and lun_conn_write_done(), from the loop.  Who wants to
 * know what a type means asks for its traits.
 */
enum {
    LUN_IO_SECURE   = 1,           /* what goes over the wire is encrypted */
    LUN_IO_SHARED   = 2,           /* it has no socket of its own */
    LUN_IO_PACKETS  = 4            /* each read and each send is a datagram */
};

struct lun_tls_shake;
struct ssl_ctx_st;

struct lun_conn_io {
    unsigned    traits;            /* LUN_IO_... */
    void      (*read)(lun_conn *c);
    lun_err   (*send)(lun_conn *c, const lun_slice *slices, size_t n,
                  bool more, size_t *sent);
    void      (*write)(lun_conn *c, const lun_slice *slices, size_t n);
    void      (*send_file)(lun_conn *c, lun_fd file, int64_t at, size_t size);
    void      (*end)(lun_conn *c);     /* no more output: tells the peer */
    void      (*close)(lun_conn *c);   /* right before the socket's close */
    /* Of those that speak TLS: net/tls/tls_shake.h. */
    struct lun_tls_shake  *(*shake)(const lun_conn *c);
    /* ... in their own way, when it is asked for; NULL: as a stream does. */
    lun_rc    (*start_tls)(lun_conn *c, struct ssl_ctx_st *ctx);
    void      (*handshake)(lun_conn *c);   /* see lun_tls_handshake() */
};

/* What is said on it is encrypted by this program before it is sent. */
static inline bool
lun_conn_is_secure(const lun_conn *c)
{
    return c->io != NULL && (c->io->traits & LUN_IO_SECURE) != 0;
}


/* There is a socket that is this connection's alone: see conn_sock.h. */
static inline bool
lun_conn_has_socket(const lun_conn *c)
{
    return c->io == NULL || (c->io->traits & LUN_IO_SHARED) == 0;
}


/* A connection without a socket: its `io`, a shared one, has to be set. */
lun_conn *lun_conn_new_bare(lun_loop *loop, size_t in_size,
    const lun_log *log);

/*
 * The end of what `read` (n bytes are at in.last; 0: end of stream) and
 * `write` or `send_file` (n bytes were taken) began, or err.  A type calls
 * them from `done` of its own operations, after a close as well (that frees
 * the connection).  They call handlers: do not touch c afterwards.
 */
void lun_conn_read_done(lun_conn *c, lun_err err, size_t n);
void lun_conn_write_done(lun_conn *c, lun_err err, int64_t n);
/* Both, as cancelled, whichever is under way after a close. */
void lun_conn_cancelled(lun_conn *c);

/* What a send at once has come to: returns err. */
static inline lun_err
lun_conn_sent_now(lun_conn *c, lun_err err, size_t n)
{
    if (err == 0) {
        c->sent += (int64_t) n;

    } else if (lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        c->err = err;
        c->gone = true;
    }

    return err;
}

#endif
