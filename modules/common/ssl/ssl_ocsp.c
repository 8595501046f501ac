/*
 * ssl_ocsp.c -- ssl_ocsp: what authorities say of the certificates that a
 * client has shown, before anything of it is served.
 *
 * Each certificate of the chain but the last, or only the client's own, is
 * asked about, one after the other; answers may be kept in a zone.  Who cannot
 * be asked says nothing good.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>

#include "net/tls/ocsp.h"
#include "os/clock.h"


enum { KEY = 32, MOST = 16 };      /* bytes; certificates that are asked of */

struct lun_ssl_ocsp {
    lun_conn             *c;
    const lun_ssl_conf   *conf;
    lun_conn_fn          *ended;
    STACK_OF(X509)       *chain;   /* NULL: there is none */
    int                   at, most;
    lun_ocsp_fetch       *fetch;   /* under way */
    lun_log               log;
    const char           *complaint;       /* NULL: nothing bad is known */
};

static const char  failed[] = "certificate status request failed";
static const char  revoked[] = "certificate revoked";


/* --- the chain ------------------------------------------------------------ */

/* A session that goes on has the client's certificate, but not the others. */
static STACK_OF(X509) *
build_chain(SSL *ssl)
{
    X509            *cert = SSL_get0_peer_certificate(ssl);
    X509_STORE_CTX  *store = X509_STORE_CTX_new();
    STACK_OF(X509)  *chain = NULL;

    if (store != NULL
        && X509_STORE_CTX_init(store,
               SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl)), cert,
               SSL_get_peer_cert_chain(ssl)) == 1
        && X509_STORE_CTX_set_default(store, "ssl_client") == 1
        && X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(store),
                                  SSL_get0_param(ssl)) == 1
        && X509_verify_cert(store) == 1)
    {
        chain = X509_STORE_CTX_get1_chain(store);
    }

    X509_STORE_CTX_free(store);
    ERR_clear_error();
    return chain;
}


static STACK_OF(X509) *
chain_of(SSL *ssl)
{
    STACK_OF(X509)  *chain = SSL_get0_verified_chain(ssl);

    return chain != NULL ? X509_chain_up_ref(chain) : build_chain(ssl);
}


/* --- what is known -------------------------------------------------------- */

static bool
key_of(const X509 *cert, const X509 *issuer, unsigned char key[KEY])
{
    int             n = 0;
    bool            good = false;
    OCSP_CERTID    *id = OCSP_cert_to_id(EVP_sha256(), cert, issuer);
    unsigned char  *der = NULL;

    if (id != NULL) {
        n = i2d_OCSP_CERTID(id, &der);
        OCSP_CERTID_free(id);
    }

    if (n > 0) {
        good = EVP_Digest(der, (size_t) n, key, NULL, EVP_sha256(), NULL) == 1;
    }

    OPENSSL_free(der);
    ERR_clear_error();
    return good;
}


static bool
find_kept(const lun_ssl_ocsp *o, lun_ocsp_status *status)
{
    char           room[LUN_TLS_SESSION];
    unsigned char  key[KEY];

    if (o->conf->ocsp_cache == NULL
        || !key_of(sk_X509_value(o->chain, o->at),
                   sk_X509_value(o->chain, o->at + 1), key)
        || lun_tls_cache_get(o->conf->ocsp_cache,
                             lun_str_of((char *) key, KEY), lun_clock.sec,
                             room) != 1)
    {
        return false;
    }

    *status = (lun_ocsp_status) room[0];
    return true;
}


static void
keep(const lun_ssl_ocsp *o, lun_ocsp_status status, int64_t valid)
{
    char           value = (char) status;
    unsigned char  key[KEY];

    if (o->conf->ocsp_cache != NULL && status != LUN_OCSP_UNKNOWN
        && valid > lun_clock.sec
        && key_of(sk_X509_value(o->chain, o->at),
                  sk_X509_value(o->chain, o->at + 1), key))
    {
        lun_tls_cache_put(o->conf->ocsp_cache,
                          lun_str_of((char *) key, KEY), lun_str_of(&value, 1),
                          valid);
    }
}


/* --- asking --------------------------------------------------------------- */

static void  on_answer(void *data, lun_str answer);


/* NULL: it asks; else why not. */
static const char *
ask_at(lun_ssl_ocsp *o, lun_str text, const X509 *cert, const X509 *issuer)
{
    size_t          size;
    lun_engine     *e = lun_listen_of(o->c)->engine;
    const char     *why;
    lun_url         url;
    lun_msec        timeout;
    lun_resolver   *resolver;
    unsigned char  *question;

    why = lun_ocsp_url_parse(text, &url);

    if (why != NULL) {
        return why;
    }

    question = lun_ocsp_question(cert, issuer, &size, &why);

    if (question == NULL) {
        return why;
    }

    resolver = e->listening->resolver(e, lun_ssl_chosen_server(o->c), &timeout);
    o->fetch = lun_ocsp_fetch_start(&url,
        lun_str_of((const char *) question, size), resolver, timeout, &o->log,
        false, on_answer, o);
    OPENSSL_free(question);
    return NULL;
}


/* False: nobody can be asked, which is logged. */
static bool
ask(lun_ssl_ocsp *o)
{
    char        *named = NULL;
    X509        *cert = sk_X509_value(o->chain, o->at);
    lun_str      text = o->conf->ocsp_responder;
    const char  *why = "no OCSP responder URL in the certificate";

    if (text.len == 0) {
        named = lun_ocsp_responder(cert);
        text = named != NULL ? lun_str_z(named) : text;
    }

    if (text.len != 0) {
        why = ask_at(o, text, cert, sk_X509_value(o->chain, o->at + 1));
    }

    OPENSSL_free(named);

    if (why != NULL) {
        lun_log(LUN_LOG_ERR, &o->log, 0, "%s", why);
    }

    return why == NULL;
}


/* Whether there is more to ask. */
static bool
take_status(lun_ssl_ocsp *o, lun_ocsp_status status)
{
    if (status == LUN_OCSP_GOOD) {
        o->at++;
        return true;
    }

    lun_log(LUN_LOG_ERR, &o->log, 0, "certificate status \"%s\" in the OCSP "
            "response", lun_ocsp_status_text(status));
    o->complaint = status == LUN_OCSP_REVOKED ? revoked : failed;
    return false;
}


/* True: it waits for an answer. */
static bool
go_on(lun_ssl_ocsp *o)
{
    lun_ocsp_status  status;

    while (o->at < o->most) {
        if (!find_kept(o, &status)) {
            if (ask(o)) {
                return true;
            }

            o->complaint = failed;
            return false;
        }

        if (!take_status(o, status)) {
            return false;
        }
    }

    return false;
}


/* False: it is not good, which is logged. */
static bool
check_answer(lun_ssl_ocsp *o, lun_str answer, lun_ocsp_status *status)
{
    char     room[LUN_OCSP_ERROR];
    int64_t  valid;
    lun_str  error;

    if (answer.data == NULL) {
        return false;
    }

    if (lun_ocsp_check(answer, sk_X509_value(o->chain, o->at),
                       sk_X509_value(o->chain, o->at + 1), LUN_OCSP_BY_ISSUER,
                       lun_clock.sec, status, &valid, room, &error) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, &o->log, 0, "%.*s", LUN_S(error));
        return false;
    }

    keep(o, *status, valid);
    return true;
}


static void
on_answer(void *data, lun_str answer)
{
    lun_ssl_ocsp     *o = data;
    lun_ocsp_status   status;

    o->fetch = NULL;

    if (!check_answer(o, answer, &status)) {
        o->complaint = failed;

    } else if (take_status(o, status) && go_on(o)) {
        return;
    }

    /* Closed, but not yet gone: the system has still to give back a read. */
    if (!o->c->closed) {
        o->ended(o->c);
    }
}


static void
free_check(void *data)
{
    lun_ssl_ocsp  *o = data;

    if (o->fetch != NULL) {
        lun_ocsp_fetch_cancel(o->fetch);
    }

    sk_X509_pop_free(o->chain, X509_free);
}


/* --- the calls ------------------------------------------------------------ */

lun_ssl_ocsp *
lun_ssl_ocsp_begin(lun_conn *c, const lun_ssl_conf *conf, lun_conn_fn *ended,
    bool *waits)
{
    SSL           *ssl = lun_tls_of(c);
    lun_ssl_ocsp  *o;

    *waits = false;

    if (SSL_get0_peer_certificate(ssl) == NULL
        || SSL_get_verify_result(ssl) != X509_V_OK)
    {
        return NULL;                   /* others say what that means */
    }

    o = lun_pool_new(lun_conn_memory(c), lun_ssl_ocsp);
    o->c = c;
    o->conf = conf;
    o->ended = ended;
    o->log = lun_ssl_log_of(c);
    o->log.doing = "requesting certificate status";
    o->chain = chain_of(ssl);
    lun_pool_on_end(lun_conn_memory(c), free_check, o);

    if (o->chain == NULL) {
        lun_log(LUN_LOG_ERR, &o->log, 0, "X509_verify_cert() failed");
        o->complaint = failed;
        return o;
    }

    /* The last is trusted, whatever anybody says. */
    o->most = lun_min(sk_X509_num(o->chain) - 1,
                      conf->ocsp == LUN_OCSP_LEAF ? 1 : (int) MOST);
    *waits = go_on(o);
    return o;
}


const char *
lun_ssl_ocsp_complaint(const lun_ssl_ocsp *o)
{
    return o != NULL ? o->complaint : NULL;
}


bool
lun_ssl_is_optional(int64_t result)
{
    switch (result) {

    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return true;
    }

    return false;
}
