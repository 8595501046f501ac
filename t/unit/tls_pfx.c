/*
 * tls_pfx.c -- PKCS#12: names, passwords, the order of a chain.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* First: it brings Windows's own names along, which the next ones drop. */
#include <openssl/ssl.h>

#include "../../core/net/tls/tls_pfx.c"

#include "tap.h"


static X509 *
make_cert(const char *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *signer)
{
    X509  *x = X509_new();

    X509_set_version(x, X509_VERSION_3);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *) name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(issuer != NULL ? issuer
                                                                 : x));
    X509_gmtime_adj(X509_getm_notBefore(x), 0);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_sign(x, signer, EVP_sha256());
    return x;
}


/* A leaf with root, middle and a stranger beside it, in that order. */
static BIO *
make_file(const char *password)
{
    BIO       *bio = BIO_new(BIO_s_mem());
    X509      *root, *middle, *leaf, *other;
    certs     *beside = sk_X509_new_null();
    PKCS12    *p12;
    EVP_PKEY  *key = EVP_EC_gen("P-256"), *above = EVP_EC_gen("P-256");

    root = make_cert("root", above, NULL, above);
    middle = make_cert("middle", above, root, above);
    leaf = make_cert("leaf", key, middle, above);
    other = make_cert("other", above, NULL, above);
    sk_X509_push(beside, root);
    sk_X509_push(beside, other);
    sk_X509_push(beside, middle);

    p12 = PKCS12_create(password, "leaf", key, leaf, beside,
                        NID_aes_256_cbc, NID_aes_256_cbc, 0, 0, 0);
    i2d_PKCS12_bio(bio, p12);

    PKCS12_free(p12);
    X509_free(leaf);
    sk_X509_pop_free(beside, X509_free);
    EVP_PKEY_free(key);
    EVP_PKEY_free(above);
    return bio;
}


static bool
is_named(const certs *chain, int i, const char *name)
{
    char  text[32];

    X509_NAME_get_text_by_NID(X509_get_subject_name(sk_X509_value(chain, i)),
                              NID_commonName, text, sizeof(text));
    return strcmp(text, name) == 0;
}


static void
orders_a_chain(void)
{
    BIO       *bio = make_file(NULL);
    certs     *chain;
    EVP_PKEY  *key;

    ok(lun_tls_pfx_read(bio, NULL, &chain, &key) == NULL, "no password");
    ok(sk_X509_num(chain) == 2 && is_named(chain, 0, "leaf")
       && is_named(chain, 1, "middle"),
       "the leaf, then who has signed it; no root, no stranger");
    ok(EVP_PKEY_eq(key, X509_get0_pubkey(sk_X509_value(chain, 0))) == 1,
       "the key is that of the leaf");

    sk_X509_pop_free(chain, X509_free);
    EVP_PKEY_free(key);
    BIO_free(bio);
}


static void
tries_passwords(void)
{
    BIO        *bio;
    certs      *chain;
    EVP_PKEY   *key;
    lun_pool   *pool = lun_pool_new_sized(1024);
    lun_array  *list = lun_array_new(pool, sizeof(lun_str), 2);

    *(lun_str *) lun_array_push(list) = LUN_STR("wrong");

    bio = make_file("right");
    ok(lun_tls_pfx_read(bio, list, &chain, &key) != NULL && chain == NULL
       && key == NULL, "none that fits");
    BIO_free(bio);

    *(lun_str *) lun_array_push(list) = LUN_STR("right");
    bio = make_file("right");
    ok(lun_tls_pfx_read(bio, list, &chain, &key) == NULL,
       "the second is tried");
    sk_X509_pop_free(chain, X509_free);
    EVP_PKEY_free(key);
    BIO_free(bio);
    lun_pool_free(pool);
}


/* Whatever is cut off or turned is an error, not a crash. */
static void
refuses_nonsense(void)
{
    BIO        *bio = make_file("x"), *cut;
    char       *data;
    long        i, size = BIO_get_mem_data(bio, &data);
    int         read = 0;
    certs      *chain;
    EVP_PKEY   *key;

    for (i = 0; i < size; i += 7) {
        cut = BIO_new_mem_buf(data, (int) i);
        read += lun_tls_pfx_read(cut, NULL, &chain, &key) == NULL;
        BIO_free(cut);
    }

    is_int(read, 0, "files that end too early");
    BIO_free(bio);
    ERR_clear_error();
}


int
main(void)
{
    ok(lun_tls_is_pfx(LUN_STR("a.pfx")) && lun_tls_is_pfx(LUN_STR("b/A.P12"))
       && !lun_tls_is_pfx(LUN_STR(".pfx")) && !lun_tls_is_pfx(LUN_STR(""))
       && !lun_tls_is_pfx(LUN_STR("pfx.pem")), "names");
    orders_a_chain();
    tries_passwords();
    refuses_nonsense();
    return done_testing();
}
