/*
 * ssl_stapling.c -- ssl_stapling: clients that ask are shown what an authority
 * has said of the server's certificate, in a file or over HTTP.
 *
 * A worker asks when the first client does, which gets nothing yet; and from
 * then on before the answer is too old, at least once in an hour.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "net/tls/ocsp.h"
#include "os/clock.h"


enum { SOON = 300, LATE = 3600 };          /* s until it is asked again */

struct lun_ssl_staple {
    lun_ssl_staple  *next;
    lun_str          name;         /* of the certificate, for the log */
    X509            *cert;
    X509            *issuer;       /* NULL: nobody can be asked */
    lun_ocsp_signer  by;
    char            *text;         /* of the url, OpenSSL's */
    lun_url          url;          /* host "": nobody is asked */
    lun_str          answer;       /* malloc'ed, or the configuration's */
    bool             own;          /* the first */
    int64_t          valid;        /* s since the epoch */
    int64_t          refresh;      /* nobody is asked before */
    lun_ocsp_fetch  *fetch;        /* under way */
    lun_log          log;
};


/* --- the configuration ---------------------------------------------------- */

static void
drop_answer(lun_ssl_staple *st)
{
    if (st->own) {
        lun_free((char *) (uintptr_t) st->answer.data);
    }

    st->own = false;
    st->answer = LUN_STR("");
}


static void
free_staple(void *data)
{
    lun_ssl_staple  *st = data;

    if (st->fetch != NULL) {
        lun_ocsp_fetch_cancel(st->fetch);
    }

    drop_answer(st);
    X509_free(st->cert);
    X509_free(st->issuer);
    OPENSSL_free(st->text);
}


void
lun_ssl_add_staple(lun_conf *cf, lun_ssl_conf *conf, lun_str name)
{
    lun_ssl_staple  *st = lun_pool_new(cf->pool, lun_ssl_staple);

    st->name = name;
    st->cert = SSL_CTX_get0_certificate(conf->ctx);
    X509_up_ref(st->cert);
    lun_pool_on_end(cf->pool, free_staple, st);
    st->next = conf->staples;
    conf->staples = st;
}


/* Next to it in its file, or one that the server trusts; NULL: none. */
static X509 *
find_issuer(SSL_CTX *ctx, X509 *cert)
{
    int              i;
    X509            *issuer = NULL;
    X509_STORE_CTX  *store;
    STACK_OF(X509)  *chain = NULL;

    (void) SSL_CTX_get0_chain_certs(ctx, &chain);

    for (i = 0; i < sk_X509_num(chain); i++) {
        issuer = sk_X509_value(chain, i);

        if (X509_check_issued(issuer, cert) == X509_V_OK) {
            X509_up_ref(issuer);
            return issuer;
        }
    }

    issuer = NULL;
    store = X509_STORE_CTX_new();

    if (store != NULL
        && X509_STORE_CTX_init(store, SSL_CTX_get_cert_store(ctx), NULL, NULL)
           == 1
        && X509_STORE_CTX_get1_issuer(&issuer, store, cert) != 1)
    {
        issuer = NULL;
    }

    X509_STORE_CTX_free(store);
    ERR_clear_error();
    return issuer;
}


/* Without stapling the certificate is as good as ever. */
static void
ignore(lun_conf *cf, const lun_ssl_staple *st, const char *what)
{
    lun_log(LUN_LOG_WARN, cf->log, 0, "\"ssl_stapling\" ignored, %s \"%.*s\"",
            what, LUN_S(st->name));
}


/*
 * Whatever is missing, stapling is off for this certificate with a warning: a
 * server that does not start for want of an OCSP answer is worse.
 */
static void
find_responder(lun_conf *cf, const lun_ssl_conf *conf, lun_ssl_staple *st)
{
    lun_str      text = conf->stapling_responder;
    const char  *why;

    st->issuer = find_issuer(conf->ctx, st->cert);

    if (st->issuer == NULL) {
        ignore(cf, st, "issuer certificate not found for certificate");
        return;
    }

    if (text.len == 0) {
        st->text = lun_ocsp_responder(st->cert);

        if (st->text == NULL) {
            ignore(cf, st, "no OCSP responder URL in the certificate");
            return;
        }

        text = lun_str_z(st->text);
    }

    why = lun_ocsp_url_parse(text, &st->url);

    if (why != NULL) {
        st->url.host.len = 0;
        lun_log(LUN_LOG_WARN, cf->log, 0, "\"ssl_stapling\" ignored, %s in "
                "OCSP responder \"%.*s\" in the certificate \"%.*s\"", why,
                LUN_S(text), LUN_S(st->name));
    }
}


static lun_rc
read_answer(lun_conf *cf, const lun_ssl_conf *conf, lun_ssl_staple *st)
{
    bool           good;
    lun_str        path = lun_conf_path(cf, conf->stapling_file, true);
    lun_err        err = lun_conf_asset(cf, path, &st->answer);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, cf->log, err, "BIO_new_file(\"%.*s\") failed",
                LUN_S(path));
        return LUN_ERROR;
    }

    good = lun_ocsp_is_answer(st->answer);
    st->valid = INT64_MAX;

    if (!good) {
        lun_tls_log(LUN_LOG_EMERG, cf->log, 0,
                    "d2i_OCSP_RESPONSE_bio(\"%.*s\") failed", LUN_S(path));
    }

    return good ? LUN_OK : LUN_ERROR;
}


/* --- asking --------------------------------------------------------------- */

static char *
put_context(void *owner, char *p, const char *end)
{
    const lun_ssl_staple  *st = owner;

    return lun_fmt(p, end, ", certificate: \"%.*s\"", LUN_S(st->name));
}


/*
 * An answer that is wrong or bad news leaves the old one as long as that is
 * valid.
 */
static void
on_answer(void *data, lun_str answer)
{
    char             room[LUN_OCSP_ERROR], *copy;
    int64_t          valid, now = lun_clock.sec;
    lun_str          error;
    lun_ssl_staple  *st = data;
    lun_ocsp_status  status;

    st->fetch = NULL;
    st->refresh = now + SOON;

    if (answer.data == NULL) {
        return;
    }

    if (lun_ocsp_check(answer, st->cert, st->issuer, st->by, now, &status,
                       &valid, room, &error) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, &st->log, 0, "%.*s", LUN_S(error));
        return;
    }

    if (status != LUN_OCSP_GOOD) {
        lun_log(LUN_LOG_ERR, &st->log, 0, "certificate status \"%s\" in the "
                "OCSP response", lun_ocsp_status_text(status));
        return;
    }

    drop_answer(st);
    copy = lun_malloc(lun_max(answer.len, (size_t) 1));
    (void) lun_copy_str(copy, answer);
    st->answer = lun_str_of(copy, answer.len);
    st->own = true;
    st->valid = valid;
    st->refresh = lun_max(lun_min(valid - SOON, now + LATE), now + SOON);
}


/*
 * Asked when a handshake wants it and it is due, not by the clock: certificates
 * that nobody asks for cost nothing.
 */
static void
ask_again(lun_ssl_staple *st, lun_conn *c)
{
    size_t          size;
    lun_engine     *e = lun_listen_of(c)->engine;
    lun_msec        timeout;
    const char     *why;
    lun_resolver   *resolver;
    unsigned char  *question;

    if (st->url.host.len == 0 || st->fetch != NULL
        || st->refresh >= lun_clock.sec)
    {
        return;
    }

    st->log = lun_ssl_log_of(c);
    st->log.context = put_context;
    st->log.owner = st;
    st->log.doing = "requesting certificate status";
    question = lun_ocsp_question(st->cert, st->issuer, &size, &why);

    if (question == NULL) {
        lun_log(LUN_LOG_CRIT, &st->log, 0, "%s", why);
        st->refresh = lun_clock.sec + SOON;
        return;
    }

    resolver = e->listening->resolver(e, lun_ssl_chosen_server(c), &timeout);
    st->fetch = lun_ocsp_fetch_start(&st->url,
        lun_str_of((const char *) question, size), resolver, timeout, &st->log,
        true, on_answer, st);
    OPENSSL_free(question);
}


/* --- a handshake ---------------------------------------------------------- */

static lun_ssl_staple *
staple_of(SSL *ssl)
{
    X509            *cert = SSL_get_certificate(ssl);
    lun_ssl_staple  *st;

    st = lun_ssl_context_conf(lun_tls_conn(ssl))->staples;

    while (st != NULL && (cert == NULL || X509_cmp(st->cert, cert) != 0)) {
        st = st->next;
    }

    return st;
}


static int
on_status(SSL *ssl, void *data)
{
    int                   rc = SSL_TLSEXT_ERR_NOACK;
    lun_ssl_staple       *st;
    const unsigned char  *answer;

    /* A script has said what is shown. */
    if (SSL_get_tlsext_status_ocsp_resp(ssl, &answer) > 0) {
        return SSL_TLSEXT_ERR_OK;
    }

    st = staple_of(ssl);

    if (st == NULL) {
        return SSL_TLSEXT_ERR_NOACK;
    }

    if (st->answer.len != 0 && st->valid >= lun_clock.sec
        && lun_tls_staple(ssl, st->answer))
    {
        rc = SSL_TLSEXT_ERR_OK;
    }

    lun_debug(&lun_tls_conn(ssl)->log, "SSL certificate status: %d bytes",
              rc == SSL_TLSEXT_ERR_OK ? (int) st->answer.len : 0);
    ask_again(st, lun_tls_conn(ssl));
    return rc;
}


lun_rc
lun_ssl_use_staples(lun_conf *cf, lun_ssl_conf *conf)
{
    lun_ssl_staple  *st;

    for (st = conf->staples; st != NULL; st = st->next) {
        /* One of the same kind has taken its place. */
        if (SSL_CTX_select_current_cert(conf->ctx, st->cert) != 1) {
            continue;
        }

        st->by = conf->stapling_verify ? LUN_OCSP_BY_ISSUER
                                       : LUN_OCSP_BY_ANYBODY;

        if (conf->stapling_file.len == 0) {
            find_responder(cf, conf, st);

        } else if (read_answer(cf, conf, st) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (conf->staples != NULL) {
        SSL_CTX_set_tlsext_status_cb(conf->ctx, on_status);
    }

    return LUN_OK;
}
