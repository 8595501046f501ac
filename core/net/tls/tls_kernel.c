/*
 * tls_kernel.c -- TLS whose output the kernel encrypts (kTLS).
 *
 * Where SSL_OP_ENABLE_KTLS is set, OpenSSL offers the keys for what it sends to
 * the BIO that it writes to.  Ours gathers what is written, and hands on what
 * else it is told to one of OpenSSL's own for sockets, which gives the keys to
 * the kernel, if that takes them (Linux with the module `tls`, and a cipher
 * that it knows).  From then on what we send is plain, parts of files go
 * without a copy, and OpenSSL itself writes no more than tickets and alerts.
 * If it does not take them, all is as ever.
 *
 * Input is OpenSSL's in any case: records arrive with other things in them,
 * and most of it is small.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_priv.h"

#include "base/check.h"


bool
lun_tls_wants_kernel(uint64_t options, bool early)
{
    /* Early data are answered by a key that the next one follows. */
    return (options & SSL_OP_ENABLE_KTLS) != 0 && !early;
}


/* Replaced by a test: few kernels that it runs on would do. */
static BIO *(*new_socket)(int fd, int close) = BIO_new_socket;


bool
lun_tls_try_kernel(lun_tls *t, BIO *out)
{
    LUN_CHECK(t->socket == NULL && !t->kernel);

    t->socket = new_socket((int) t->h.c->stream.fd, BIO_NOCLOSE);

    if (t->socket == NULL) {
        BIO_free(out);
        return false;
    }

    SSL_set0_wbio(t->h.ssl, out);
    return true;
}


bool
lun_tls_has_kernel(const lun_tls *t)
{
    return t->socket != NULL && BIO_get_ktls_send(t->socket);
}


int
lun_tls_tell_kernel(lun_tls *t, int what, int n, void *p)
{
    if (t->socket == NULL) {
        return 0;
    }

    /*
     * Before it has the first key, what we have encrypted must be on its way;
     * after that it is told whatever else is being written.
     */
    if (!lun_tls_has_kernel(t) && lun_tls_flush(t, false) != 0) {
        return 0;
    }

    return (int) BIO_ctrl(t->socket, what, n, p);
}


/* A ticket or an alert; the kernel is told what it is (tell_kernel). */
int
lun_tls_write_kernel(lun_tls *t, BIO *bio, const char *data, int size)
{
    int  n = BIO_write(t->socket, data, size);

    if (n <= 0 && BIO_should_retry(t->socket)) {
        BIO_set_retry_write(bio);
    }

    return n;
}


/* --- plain output -------------------------------------------------------- */

static void
on_kernel_out(lun_op *op)
{
    lun_conn  *c = lun_container_of(op, lun_conn, stream.out);
    lun_tls   *t = c->io_data;

    if (op->err != 0) {
        t->broken = 1;
        t->err = op->err;
    }

    lun_conn_write_done(c, op->err, op->err == 0 ? op->result : 0);
}


lun_err
lun_tls_send_kernel(lun_tls *t, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    lun_err  err = lun_port_send(&t->h.c->stream, slices, n, more, sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        t->broken = 1;
        t->err = err;
    }

    return err;
}


void
lun_tls_post_kernel(lun_tls *t, const lun_slice *slices, size_t n)
{
    lun_port_write(&t->h.c->stream, slices, n, on_kernel_out);
}


void
lun_tls_file_kernel(lun_tls *t, lun_fd file, int64_t at, size_t size)
{
    lun_port_send_file(&t->h.c->stream, file, at, size, on_kernel_out);
}
