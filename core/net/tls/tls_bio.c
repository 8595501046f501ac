/*
 * tls_bio.c -- what OpenSSL takes for the network: what has come is read from
 * memory, what it writes is gathered (tls_out.c) or the kernel's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_priv.h"


static int
bio_read(BIO *bio, char *data, int size)
{
    lun_tls  *t = BIO_get_data(bio);
    size_t    n = lun_min((size_t) size, (size_t) (t->src_end - t->src));

    BIO_clear_retry_flags(bio);

    if (n == 0) {
        if (t->ended) {
            return 0;
        }

        BIO_set_retry_read(bio);
        return -1;
    }

    memcpy(data, t->src, n);
    t->src += n;
    return (int) n;
}


/* style: long type, OpenSSL's own. */
static long
bio_ctrl(BIO *bio, int what, long n, void *p)
{
    lun_tls  *t = BIO_get_data(bio);

    switch (what) {

    case BIO_CTRL_FLUSH:
        return 1;

    case BIO_CTRL_EOF:
        return t->ended;

    /* Who writes to it asks now and then. */
    case BIO_CTRL_PENDING:
    case BIO_CTRL_WPENDING:
    case BIO_CTRL_PUSH:
    case BIO_CTRL_POP:
    case BIO_CTRL_DUP:
        return 0;
    }

    /* Keys, maybe: those for input are not the kernel's. */
    return bio == t->reads ? 0 : lun_tls_tell_kernel(t, what, (int) n, p);
}


BIO *
lun_tls_bio_new(lun_tls *t)
{
    BIO                 *bio;
    static BIO_METHOD   *method;

    if (method == NULL) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
                              "lunette");
        if (method == NULL) {
            return NULL;
        }

        BIO_meth_set_read(method, bio_read);
        BIO_meth_set_write(method, lun_tls_bio_write);
        BIO_meth_set_ctrl(method, bio_ctrl);
    }

    bio = BIO_new(method);

    if (bio != NULL) {
        BIO_set_data(bio, t);
        BIO_set_init(bio, 1);
    }

    return bio;
}
