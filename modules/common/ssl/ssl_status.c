/*
 * ssl_status.c -- certificates in the tree: those whose files the configuration
 * names.
 *
 * They are read anew from the text that the generation has of each file, which
 * is rare, and takes some ten microseconds.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "config/status.h"


enum { TEXT = 256, MOST_CHAIN = 16 };


static const lun_conf_file *
file_of(const lun_generation *gen, const void *text)
{
    size_t                i;
    const lun_conf_file  *f;

    for (i = 0; i < gen->snapshot.file_count; i++) {
        f = &gen->snapshot.files[i];

        if (f->text.data == text) {
            return f;
        }
    }

    return NULL;
}


static void
write_name(lun_status_walk *w, const X509_NAME *name)
{
    int   n, o;
    char  common[TEXT], organisation[TEXT];

    n = X509_NAME_get_text_by_NID(name, NID_commonName, common, TEXT);
    o = X509_NAME_get_text_by_NID(name, NID_organizationName, organisation,
                                  TEXT);

    if (n > 0) {
        lun_status_text(w, LUN_STR("common_name"), lun_str_z(common));
    }

    if (o > 0) {
        lun_status_text(w, LUN_STR("organization"), lun_str_z(organisation));
    }
}


static void
write_alt_names(lun_status_walk *w, const X509 *cert)
{
    int             i;
    lun_str         text;
    GENERAL_NAME   *g;
    GENERAL_NAMES  *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL,
                                             NULL);

    if (names == NULL) {
        return;
    }

    if (lun_status_open_list(w, LUN_STR("alt_names"))) {
        for (i = 0; i < sk_GENERAL_NAME_num(names); i++) {
            g = sk_GENERAL_NAME_value(names, i);

            if (g->type == GEN_DNS) {
                text = lun_str_of((const char *)
                                  ASN1_STRING_get0_data(g->d.dNSName),
                                  (size_t) ASN1_STRING_length(g->d.dNSName));
                lun_status_text(w, LUN_STR_NULL, text);
            }
        }

        lun_status_close(w);
    }

    GENERAL_NAMES_free(names);
}


static void
write_moment(lun_status_walk *w, const char *name, const ASN1_TIME *t)
{
    int          n;
    BIO         *b = BIO_new(BIO_s_mem());
    const char  *text;

    if (b == NULL) {
        return;
    }

    (void) ASN1_TIME_print(b, t);
    n = (int) BIO_get_mem_data(b, (char **) (uintptr_t) &text);
    lun_status_text(w, lun_str_z(name), lun_str_of(text, (size_t) n));
    BIO_free(b);
}


static void
write_certificate(lun_status_walk *w, const X509 *cert)
{
    if (!lun_status_open(w, LUN_STR_NULL)) {
        return;
    }

    if (lun_status_open(w, LUN_STR("subject"))) {
        write_name(w, X509_get_subject_name(cert));
        write_alt_names(w, cert);
        lun_status_close(w);
    }

    if (lun_status_open(w, LUN_STR("issuer"))) {
        write_name(w, X509_get_issuer_name(cert));
        lun_status_close(w);
    }

    if (lun_status_open(w, LUN_STR("validity"))) {
        write_moment(w, "since", X509_get0_notBefore(cert));
        write_moment(w, "until", X509_get0_notAfter(cert));
        lun_status_close(w);
    }

    lun_status_close(w);
}


static void
write_key(lun_status_walk *w, const X509 *cert)
{
    const char      *kind;
    const EVP_PKEY  *key = X509_get0_pubkey(cert);

    if (key == NULL) {
        return;
    }

    kind = EVP_PKEY_base_id(key) == EVP_PKEY_EC ? "ECDSA"
           : OBJ_nid2sn(EVP_PKEY_base_id(key));
    kind = strcmp(kind, "rsaEncryption") == 0 ? "RSA" : kind;
    lun_status_text(w, LUN_STR("key"),
                    lun_pool_fmt(lun_status_pool(w), "%s (%d bits)", kind,
                                 EVP_PKEY_bits(key)));
}


/* The chain of a file: the caller's; how many there are. */
static size_t
read_chain(lun_str text, X509 **chain, size_t most)
{
    size_t   n = 0;
    BIO     *b = BIO_new_mem_buf(text.data, (int) text.len);

    while (b != NULL && n < most
           && (chain[n] = PEM_read_bio_X509(b, NULL, NULL, NULL)) != NULL)
    {
        n++;
    }

    BIO_free(b);
    ERR_clear_error();
    return n;
}


/*
 * The certificate is read again out of the configuration's own copy of the
 * file: what is shown is what is served, whatever is on disk by now.
 */
static bool
write_file(lun_status_walk *w, void *data, uint32_t *cursor)
{
    X509                 *chain[MOST_CHAIN];
    size_t                i, n;
    const lun_conf_file  *f = file_of(lun_status_generation(w), data);

    if (f == NULL || !lun_status_open(w, f->path)) {
        return false;
    }

    n = read_chain(f->text, chain, MOST_CHAIN);

    if (n != 0) {
        write_key(w, chain[0]);
    }

    if (lun_status_open_list(w, LUN_STR("chain"))) {
        for (i = 0; i < n; i++) {
            write_certificate(w, chain[i]);
        }

        lun_status_close(w);
    }

    for (i = 0; i < n; i++) {
        X509_free(chain[i]);
    }

    lun_status_close(w);
    return false;
}


void
lun_ssl_add_status(lun_conf *cf, const lun_tls_file *cert)
{
    lun_status_add(cf->gen, "certificates/static", write_file,
                   (void *) (uintptr_t) cert->text.data);
}
