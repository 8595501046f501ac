/*
 * tls_ctx.c -- contexts: whom peers are told of, and which commands have a
 * path.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* First: it brings Windows's own names along, which the next one drops. */
#include <openssl/ssl.h>

#include <openssl/ocsp.h>

#include "../../core/net/tls/tls_ctx.c"

#include "tap.h"


/* A certificate of that name in PEM, signed by itself. */
static void
write_certificate(BIO *bio, const char *name)
{
    X509      *x = X509_new();
    EVP_PKEY  *key = EVP_EC_gen("P-256");

    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *) name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    X509_gmtime_adj(X509_getm_notBefore(x), 0);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_sign(x, key, EVP_sha256());
    PEM_write_bio_X509(bio, x);
    X509_free(x);
    EVP_PKEY_free(key);
}


/* A stack's count, whatever is in it: a header of Windows takes the name. */
static int
count_named(const SSL_CTX *ctx)
{
    return OPENSSL_sk_num((const OPENSSL_STACK *)
                          SSL_CTX_get_client_CA_list(ctx));
}


static void
tells_of_each_once(void)
{
    BIO           *bio = BIO_new(BIO_s_mem());
    char          *data;
    lun_pool      *pool = lun_pool_new_sized(4096);
    SSL_CTX       *ctx;
    lun_tls_file   file = { .name = LUN_STR("ca.crt") };

    write_certificate(bio, "a");
    write_certificate(bio, "b");
    write_certificate(bio, "a");
    file.text.len = (size_t) BIO_get_mem_data(bio, &data);
    file.text.data = data;

    ctx = lun_tls_ctx_new(pool, lun_log_default(), LUN_TLS_1_3);
    ok(lun_tls_ctx_trust(ctx, lun_log_default(), &file, true) == LUN_OK
       && count_named(ctx) == 2,
       "three certificates of two names");

    BIO_free(bio);
    lun_pool_free(pool);
}


/* The system's store, as the unit sees it: two in PEM, one in DER, nonsense. */
lun_err
lun_trust_each(lun_trust_fn *take, void *data)
{
    BIO   *bio = BIO_new(BIO_s_mem()), *der = BIO_new(BIO_s_mem());
    X509  *x;
    char  *text;
    long   n;

    write_certificate(bio, "c");
    x = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    i2d_X509_bio(der, x);
    X509_free(x);

    write_certificate(bio, "d");
    write_certificate(bio, "e");
    n = BIO_get_mem_data(bio, &text);
    take(data, lun_str_of(text, (size_t) n));
    n = BIO_get_mem_data(der, &text);
    take(data, lun_str_of(text, (size_t) n));
    take(data, LUN_STR("\x30nonsense"));
    take(data, LUN_STR(""));

    BIO_free(bio);
    BIO_free(der);
    return 0;
}


static void
trusts_the_system(void)
{
    lun_pool      *pool = lun_pool_new_sized(4096);
    SSL_CTX       *ctx = lun_tls_ctx_new(pool, lun_log_default(), LUN_TLS_1_3);
    lun_tls_file   file = { .name = LUN_STR("system") };

    ok(lun_tls_ctx_trust(ctx, lun_log_default(), &file, false) == LUN_OK
       && OPENSSL_sk_num((const OPENSSL_STACK *) X509_STORE_get0_objects(
                             SSL_CTX_get_cert_store(ctx))) == 3,
       "whom the system trusts, in either form");
    lun_pool_free(pool);
}


static void
knows_paths(void)
{
    ok(lun_tls_command_has_path(LUN_STR("Certificate"))
       && lun_tls_command_has_path(LUN_STR("PrivateKey"))
       && !lun_tls_command_has_path(LUN_STR("Protocol"))
       && !lun_tls_command_has_path(LUN_STR("nonsense")),
       "commands that have a path");
}


static void
sends_one_ticket(void)
{
    lun_str    two[] = { LUN_STR("NumTickets"), LUN_STR("2") };
    lun_pool  *pool = lun_pool_new_sized(4096);
    SSL_CTX   *ctx = lun_tls_ctx_new(pool, lun_log_default(), LUN_TLS_1_3);

    ok(SSL_CTX_get_num_tickets(ctx) == 1, "a handshake has one ticket");
    ok(lun_tls_ctx_command(ctx, lun_log_default(), two[0], two[1]) == LUN_OK
       && SSL_CTX_get_num_tickets(ctx) == 2, "or as many as a command says");
    lun_pool_free(pool);
}


/* --- a handshake without sockets ----------------------------------------- */

enum { COMPRESSED_CERTIFICATE = 25 };

static void
give_certificate(SSL_CTX *ctx)
{
    int        i;
    X509      *x = X509_new();
    EVP_PKEY  *key = EVP_EC_gen("P-256");

    for (i = 0; i < 8; i++) {
        X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "OU",
            MBSTRING_ASC,
            (const unsigned char *) "something to be made smaller", -1, -1, 0);
    }

    /* Not its own: nothing would be said of its status. */
    X509_NAME_add_entry_by_txt(X509_get_issuer_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *) "issuer", -1, -1, 0);
    X509_gmtime_adj(X509_getm_notBefore(x), 0);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_sign(x, key, EVP_sha256());
    SSL_CTX_use_certificate(ctx, x);
    SSL_CTX_use_PrivateKey(ctx, key);
    X509_free(x);
    EVP_PKEY_free(key);
}


static void
see_message(int out, int version, int type, const void *data, size_t len,
    SSL *ssl, void *seen)
{
    if (!out && type == SSL3_RT_HANDSHAKE && len != 0
        && *(const unsigned char *) data == COMPRESSED_CERTIFICATE)
    {
        *(bool *) seen = true;
    }
}


static bool
shake_hands(SSL_CTX *server_ctx, bool *compressed, bool *stapled)
{
    int                   i, done = 0;
    BIO                  *here, *there;
    SSL_CTX              *ctx = SSL_CTX_new(TLS_method());
    SSL                  *client = SSL_new(ctx), *server = SSL_new(server_ctx);
    const unsigned char  *answer;

    *compressed = false;
    SSL_set_msg_callback(client, see_message);
    SSL_set_msg_callback_arg(client, compressed);
    SSL_set_tlsext_status_type(client, TLSEXT_STATUSTYPE_ocsp);
    BIO_new_bio_pair(&here, 0, &there, 0);
    SSL_set_bio(client, here, here);
    SSL_set_bio(server, there, there);
    SSL_set_connect_state(client);
    SSL_set_accept_state(server);

    for (i = 0; i < 10 && done != 2; i++) {
        done = (SSL_do_handshake(client) == 1)
               + (SSL_do_handshake(server) == 1);
    }

    *stapled = SSL_get_tlsext_status_ocsp_resp(client, &answer) > 0;
    SSL_free(client);
    SSL_free(server);
    SSL_CTX_free(ctx);
    return done == 2;
}


/* "Later" is said of any certificate. */
static int
on_status(SSL *ssl, void *data)
{
    int             rc = SSL_TLSEXT_ERR_NOACK, len;
    OCSP_RESPONSE  *answer;
    unsigned char  *text = NULL;

    answer = OCSP_response_create(OCSP_RESPONSE_STATUS_TRYLATER, NULL);
    len = i2d_OCSP_RESPONSE(answer, &text);

    if (lun_tls_staple(ssl, lun_str_of((char *) text, (size_t) len))) {
        rc = SSL_TLSEXT_ERR_OK;
    }

    OPENSSL_free(text);
    OCSP_RESPONSE_free(answer);
    return rc;
}


static void
compresses_certificates(void)
{
    bool       compressed, stapled;
    lun_pool  *pool = lun_pool_new_sized(4096);
    SSL_CTX   *ctx = lun_tls_ctx_new(pool, lun_log_default(), LUN_TLS_1_3);

    lun_tls_ctx_compress(ctx, lun_log_default());
    give_certificate(ctx);
    ok(shake_hands(ctx, &compressed, &stapled) && !compressed,
       "a certificate goes out as it is");

    lun_tls_ctx_compress(ctx, lun_log_default());
    ok(shake_hands(ctx, &compressed, &stapled) && compressed,
       "or compressed, if it was there when that was asked for");

    SSL_CTX_set_tlsext_status_cb(ctx, on_status);
    ok(shake_hands(ctx, &compressed, &stapled) && stapled && !compressed,
       "but with what is said of its status beside it");
    lun_pool_free(pool);
}


static int  warnings;


static void
on_line(lun_log_target *target, lun_log_level level, const char *line,
    size_t len)
{
    warnings += level == LUN_LOG_WARN
        && lun_str_find(lun_str_of(line, len),
                        LUN_STR("SSL_CTX_compress_certs() failed, ignored"))
           != NULL;
}


static void
says_what_is_not_compressed(void)
{
    lun_pool        *pool = lun_pool_new_sized(4096);
    SSL_CTX         *ctx;
    lun_log_target   target = { .level = LUN_LOG_WARN, .write = on_line };
    lun_log          log = { .level = LUN_LOG_WARN, .targets = &target };

    ctx = lun_tls_ctx_new(pool, lun_log_default(), LUN_TLS_1_3);
    lun_tls_ctx_compress(ctx, &log);
    is_int(warnings, 0, "no certificate, no word");

    give_certificate(ctx);
    ok(SSL_CTX_set1_cert_comp_preference(ctx, NULL, 0) == 1, "no way to");
    lun_tls_ctx_compress(ctx, &log);
    is_int(warnings, 1, "compress it, which is said");
    lun_pool_free(pool);
}


int
main(void)
{
    says_what_is_not_compressed();
    compresses_certificates();
    tells_of_each_once();
    trusts_the_system();
    knows_paths();
    sends_one_ticket();
    return done_testing();
}
