/*
 * tls_ctx.c -- contexts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_ctx.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>

#include "net/tls/tls_priv.h"
#include "os/trust.h"


enum { NAME = 4096, KEY_LINE = 1024 };

static void
free_ctx(void *data)
{
    SSL_CTX  *ctx = data;

    SSL_CTX_sess_set_remove_cb(ctx, NULL);     /* a cache outlives it */
    SSL_CTX_free(ctx);
}


/* As OpenSSL wants it; too long a text is cut. */
static const char *
text_of(lun_str s, char room[NAME])
{
    size_t  n = lun_min(s.len, (size_t) NAME - 1);

    memcpy(room, s.data, n);
    room[n] = '\0';
    return room;
}


/* --- a new one ----------------------------------------------------------- */

void
lun_tls_use_provider(void)
{
    (void) OSSL_PROVIDER_available(NULL, "default");
}


/* The options that forbid all others. */
static uint64_t
forbid_but(uint32_t protocols)
{
    size_t    i;
    uint64_t  options = 0;

    static const struct {
        uint32_t  bit;
        uint64_t  without;
    } all[] = {
        { LUN_TLS_SSL3, SSL_OP_NO_SSLv3 },
        { LUN_TLS_1_0, SSL_OP_NO_TLSv1 },
        { LUN_TLS_1_1, SSL_OP_NO_TLSv1_1 },
        { LUN_TLS_1_2, SSL_OP_NO_TLSv1_2 },
        { LUN_TLS_1_3, SSL_OP_NO_TLSv1_3 }
    };

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        options |= protocols & all[i].bit ? 0 : all[i].without;
    }

    return options;
}


void
lun_tls_allow(SSL *ssl, uint32_t protocols)
{
    SSL_clear_options(ssl, forbid_but(0));
    SSL_set_options(ssl, forbid_but(protocols));
}


SSL_CTX *
lun_tls_ctx_new(lun_pool *pool, const lun_log *log, uint32_t protocols)
{
    SSL_CTX  *ctx;

    ERR_clear_error();
    ctx = SSL_CTX_new(TLS_method());

    if (ctx == NULL) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CTX_new() failed");
        return NULL;
    }

    lun_pool_on_end(pool, free_ctx, ctx);
    SSL_CTX_set_min_proto_version(ctx, 0);
    SSL_CTX_set_max_proto_version(ctx, 0);
    SSL_CTX_set_options(ctx, forbid_but(protocols));

    SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION
                             | SSL_OP_NO_ANTI_REPLAY
                             | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);

    /* OpenSSL would, of its own. */
    SSL_CTX_set_options(ctx, SSL_OP_NO_TX_CERTIFICATE_COMPRESSION
                             | SSL_OP_NO_RX_CERTIFICATE_COMPRESSION);

    /*
     * Whoever makes several connections gets a ticket with each: a second one
     * in every handshake is a fifteenth of its work, and rarely used.
     */
    (void) SSL_CTX_set_num_tickets(ctx, 1);

    return ctx;
}


/* --- settings ------------------------------------------------------------ */

lun_rc
lun_tls_ctx_ciphers(SSL_CTX *ctx, const lun_log *log, lun_str ciphers,
    bool prefer_own)
{
    char  room[NAME];

    ERR_clear_error();

    if (SSL_CTX_set_cipher_list(ctx, text_of(ciphers, room)) != 1) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CTX_set_cipher_list(\"%.*s\") "
                    "failed", LUN_S(ciphers));
        return LUN_ERROR;
    }

    if (prefer_own) {
        SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE);
    }

    return LUN_OK;
}


void
lun_tls_ctx_compress(SSL_CTX *ctx, const lun_log *log)
{
    ERR_clear_error();

    if (SSL_CTX_compress_certs(ctx, 0) > 0) {
        SSL_CTX_clear_options(ctx, SSL_OP_NO_TX_CERTIFICATE_COMPRESSION);

    } else if (SSL_CTX_get0_certificate(ctx) != NULL) {
        lun_log(LUN_LOG_WARN, log, 0, "SSL_CTX_compress_certs() failed, "
                "ignored");
    }

    ERR_clear_error();
}


bool
lun_tls_staple(SSL *ssl, lun_str answer)
{
    void  *copy = answer.len <= INT32_MAX
                  ? OPENSSL_memdup(answer.data, answer.len) : NULL;

    if (copy == NULL) {
        return false;
    }

    SSL_set_tlsext_status_ocsp_resp(ssl, copy, (int) answer.len);

    /* What was compressed was so without it. */
    SSL_set_options(ssl, SSL_OP_NO_TX_CERTIFICATE_COMPRESSION);
    return true;
}


static int
key_log_index(void)
{
    static int  n = -1;

    if (n == -1) {
        n = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    }

    return n;
}


int
lun_tls_data_index(int *n)
{
    if (*n == -1) {
        *n = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    }

    return *n;
}


static void
on_key(const SSL *ssl, const char *line)
{
    char           room[KEY_LINE];
    size_t         n = strlen(line);
    lun_log_file  *file = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl),
                                              key_log_index());

    /* In one piece: several workers write there. */
    if (file != NULL && n < sizeof(room)) {
        memcpy(room, line, n);
        room[n] = '\n';
        lun_log_file_write(file, room, n + 1);
    }
}


lun_rc
lun_tls_ctx_key_log(SSL_CTX *ctx, const lun_log *log, lun_log_file *file)
{
    if (SSL_CTX_set_ex_data(ctx, key_log_index(), file) != 1) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CTX_set_ex_data() failed");
        return LUN_ERROR;
    }

    SSL_CTX_set_keylog_callback(ctx, on_key);
    return LUN_OK;
}


lun_rc
lun_tls_ctx_curves(SSL_CTX *ctx, const lun_log *log, lun_str curves)
{
    char  room[NAME];

    if (lun_str_eq(curves, LUN_STR("auto"))) {
        return LUN_OK;
    }

    ERR_clear_error();

    if (SSL_CTX_set1_curves_list(ctx, text_of(curves, room)) != 1) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CTX_set1_curves_list(\"%.*s\")"
                    " failed", LUN_S(curves));
        return LUN_ERROR;
    }

    return LUN_OK;
}


lun_rc
lun_tls_ctx_dhparam(SSL_CTX *ctx, const lun_log *log, const lun_tls_file *file)
{
    BIO         *bio = lun_tls_open_file(file);
    EVP_PKEY    *dh = NULL;
    const char  *failed = NULL;

    if (bio == NULL) {
        failed = "BIO_new_file";

    } else {
        dh = PEM_read_bio_Parameters(bio, NULL);
        BIO_free(bio);

        if (dh == NULL) {
            failed = "PEM_read_bio_Parameters";

        } else if (SSL_CTX_set0_tmp_dh_pkey(ctx, dh) != 1) {
            EVP_PKEY_free(dh);
            failed = "SSL_CTX_set0_tmp_dh_pkey";
        }
    }

    if (failed != NULL) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "%s(\"%.*s\") failed", failed,
                    LUN_S(lun_tls_loggable(file->name)));
        return LUN_ERROR;
    }

    return LUN_OK;
}


enum {
    COMMANDS = SSL_CONF_FLAG_FILE | SSL_CONF_FLAG_SERVER | SSL_CONF_FLAG_CLIENT
               | SSL_CONF_FLAG_CERTIFICATE | SSL_CONF_FLAG_SHOW_ERRORS
};


bool
lun_tls_command_has_path(lun_str name)
{
    int            type = SSL_CONF_TYPE_UNKNOWN;
    char           key[NAME];
    SSL_CONF_CTX  *cctx = SSL_CONF_CTX_new();

    if (cctx != NULL) {
        SSL_CONF_CTX_set_flags(cctx, COMMANDS);
        type = SSL_CONF_cmd_value_type(cctx, text_of(name, key));
        SSL_CONF_CTX_free(cctx);
    }

    return type == SSL_CONF_TYPE_FILE || type == SSL_CONF_TYPE_DIR;
}


/*
 * `finish` is a part of it: some commands (lists of CA names, for one) only
 * take effect there, and may fail there.
 */
lun_rc
lun_tls_ctx_command(SSL_CTX *ctx, const lun_log *log, lun_str name,
    lun_str value)
{
    int            done;
    char           key[NAME], text[NAME];
    SSL_CONF_CTX  *cctx = SSL_CONF_CTX_new();

    if (cctx == NULL) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CONF_CTX_new() failed");
        return LUN_ERROR;
    }

    SSL_CONF_CTX_set_flags(cctx, COMMANDS);
    SSL_CONF_CTX_set_ssl_ctx(cctx, ctx);

    ERR_clear_error();
    done = SSL_CONF_cmd(cctx, text_of(name, key), text_of(value, text));

    if (done > 0 && SSL_CONF_CTX_finish(cctx) != 1) {
        done = 0;
    }

    if (done <= 0) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CONF_cmd(\"%.*s\", \"%.*s\") "
                    "failed", LUN_S(name), LUN_S(value));
    }

    SSL_CONF_CTX_free(cctx);
    return done > 0 ? LUN_OK : LUN_ERROR;
}


/* --- whom to trust ------------------------------------------------------- */

/*
 * Peers are told of a certificate's subject, but once: a file may have several
 * of the same.  What `told` has is freed by the caller.
 */
static const char *
tell_of(SSL_CTX *ctx, X509 *x, STACK_OF(X509) *told)
{
    int  i;

    for (i = 0; i < sk_X509_num(told); i++) {
        if (X509_subject_name_cmp(sk_X509_value(told, i), x) == 0) {
            return NULL;
        }
    }

    if (told == NULL || sk_X509_push(told, x) == 0) {
        return "sk_X509_push";
    }

    X509_up_ref(x);
    return SSL_CTX_add_client_CA(ctx, x) == 1 ? NULL : "SSL_CTX_add_client_CA";
}


/*
 * To trust and to tell clients of are two lists: the second is only for
 * ssl_client_certificate.
 */
static const char *
trust_all(SSL_CTX *ctx, BIO *bio, bool named)
{
    X509            *x;
    size_t           n = 0;
    const char      *failed = NULL;
    X509_STORE      *store = SSL_CTX_get_cert_store(ctx);
    STACK_OF(X509)  *told = sk_X509_new_null();

    while (failed == NULL
           && (x = PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL)) != NULL)
    {
        n++;

        if (X509_STORE_add_cert(store, x) != 1) {
            failed = "X509_STORE_add_cert";

        } else if (named) {
            failed = tell_of(ctx, x, told);
        }

        X509_free(x);
    }

    sk_X509_pop_free(told, X509_free);

    return failed != NULL || (n != 0 && lun_tls_is_pem_end())
           ? failed : "PEM_read_bio_X509_AUX";
}


/* One that the store has already, or that OpenSSL can't read, is no loss. */
static void
take_system_certs(void *data, lun_str certs)
{
    enum { DER = 0x30 };

    BIO                  *bio;
    X509                 *x = NULL;
    X509_STORE           *store = data;
    const unsigned char  *der = (const unsigned char *) certs.data;

    if (certs.len == 0 || certs.len > INT32_MAX) {
        return;
    }

    if (der[0] == DER) {
        x = d2i_X509(NULL, &der, (long) certs.len);
        (void) (x != NULL && X509_STORE_add_cert(store, x));
        X509_free(x);
        return;
    }

    bio = BIO_new_mem_buf(certs.data, (int) certs.len);

    while (bio != NULL
           && (x = PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL)) != NULL)
    {
        (void) X509_STORE_add_cert(store, x);
        X509_free(x);
    }

    BIO_free(bio);
}


lun_rc
lun_tls_ctx_trust_system(SSL_CTX *ctx, const lun_log *log)
{
    lun_err  err = lun_trust_each(take_system_certs,
                                  SSL_CTX_get_cert_store(ctx));

    ERR_clear_error();

    if (err != 0) {
        lun_log(LUN_LOG_ERR, log, err, "the system's trusted certificates "
                "could not be read");
    }

    return err == 0 ? LUN_OK : LUN_ERROR;
}


bool
lun_tls_is_system(lun_str name)
{
    return lun_str_eq(name, LUN_STR("system"));
}


lun_rc
lun_tls_ctx_trust(SSL_CTX *ctx, const lun_log *log, const lun_tls_file *file,
    bool named)
{
    BIO         *bio;
    const char  *failed = "BIO_new_file";

    if (lun_tls_is_system(file->name) && file->text.data == NULL) {
        return lun_tls_ctx_trust_system(ctx, log);
    }

    bio = lun_tls_open_file(file);

    if (bio != NULL) {
        failed = trust_all(ctx, bio, named);
        BIO_free(bio);
    }

    if (failed != NULL) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "cannot load certificate "
                    "\"%.*s\": %s() failed",
                    LUN_S(lun_tls_loggable(file->name)), failed);
        return LUN_ERROR;
    }

    return LUN_OK;
}


static size_t
add_crls(SSL_CTX *ctx, BIO *bio)
{
    size_t     n = 0;
    X509_CRL  *crl;

    while ((crl = PEM_read_bio_X509_CRL(bio, NULL, NULL, NULL)) != NULL) {
        n += X509_STORE_add_crl(SSL_CTX_get_cert_store(ctx), crl) == 1;
        X509_CRL_free(crl);
    }

    return lun_tls_is_pem_end() ? n : 0;
}


lun_rc
lun_tls_ctx_crl(SSL_CTX *ctx, const lun_log *log, const lun_tls_file *file)
{
    BIO     *bio = lun_tls_open_file(file);
    bool     read = bio != NULL;
    size_t   n = 0;

    if (read) {
        n = add_crls(ctx, bio);
        BIO_free(bio);
    }

    if (n == 0) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "cannot load CRL \"%.*s\": %s() "
                    "failed", LUN_S(lun_tls_loggable(file->name)),
                    read ? "PEM_read_bio_X509_CRL" : "BIO_new_file");
        return LUN_ERROR;
    }

    X509_STORE_set_flags(SSL_CTX_get_cert_store(ctx),
                         X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    return LUN_OK;
}


/* The handshake goes on in any case: who is not welcome is told by HTTP. */
static int
on_verify(int good, X509_STORE_CTX *store)
{
    return 1;
}


void
lun_tls_ctx_verify(SSL_CTX *ctx)
{
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, on_verify);
}


/*
 * A session may be resumed only where the same certificates would be shown: the
 * name of the context is made of them, and differs wherever they do.
 */
lun_rc
lun_tls_ctx_name(SSL_CTX *ctx, const lun_log *log, lun_str name)
{
    int             i, n;
    unsigned        size = 0;
    const X509     *x;
    EVP_MD_CTX     *md = EVP_MD_CTX_new();
    unsigned char   digest[EVP_MAX_MD_SIZE];

    n = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL)
        && EVP_DigestUpdate(md, name.data, name.len);

    for (i = SSL_CTX_set_current_cert(ctx, SSL_CERT_SET_FIRST); n && i; ) {
        x = SSL_CTX_get0_certificate(ctx);
        n = X509_digest(x, EVP_sha256(), digest, &size)
            && EVP_DigestUpdate(md, digest, size);
        i = SSL_CTX_set_current_cert(ctx, SSL_CERT_SET_NEXT);
    }

    n = n && EVP_DigestFinal_ex(md, digest, &size)
        && SSL_CTX_set_session_id_context(ctx, digest,
               lun_min(size, (unsigned) SSL_MAX_SID_CTX_LENGTH));
    EVP_MD_CTX_free(md);

    if (!n) {
        lun_tls_log(LUN_LOG_EMERG, log, 0,
                    "SSL_CTX_set_session_id_context() failed");
        return LUN_ERROR;
    }

    return LUN_OK;
}
