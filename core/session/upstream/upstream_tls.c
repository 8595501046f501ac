/*
 * upstream_tls.c -- TLS to a server: who is meant, the handshake, and whether
 * it is who it should be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/check.h"
#include "net/conn_io.h"
#include "net/dial/dial_tls.h"
#include "net/tls/tls_reuse.h"


/* --- who is meant -------------------------------------------------------- */

/* "host", of "host:port". */
static lun_str
without_port(lun_str name)
{
    lun_str      after = name;
    const char  *p = lun_str_starts(name, LUN_STR("["))
                     ? lun_str_chr(name, ']') : NULL;

    if (p != NULL) {
        after = lun_str_of(p, (size_t) (name.data + name.len - p));
    }

    p = lun_str_chr(after, ':');

    if (p != NULL) {
        name.len = (size_t) (p - name.data);
    }

    return name;
}


lun_str
lun_upstream_tls_name(lun_session *s, const lun_upstream_tls *tls,
    lun_str host)
{
    lun_session_check(s);

    if (tls->name != NULL) {
        return without_port(lun_script_run(s, tls->name));
    }

    return lun_str_starts(host, LUN_STR("unix:")) ? LUN_STR("localhost")
                                                  : host;
}


/* Who we are to the server, where that is not the context's to say. */
static lun_str
own_name(lun_session *s, const lun_upstream_tls *tls)
{
    return lun_certificate_is_read_late(tls->certificate,
                                         tls->certificate_key)
           ? lun_script_run(s, tls->certificate) : LUN_STR("");
}


/* --- others have a say --------------------------------------------------- */

typedef enum { UNASKED, REFUSED, AGREED } verdict;

/* Of a connection; as long as its memory. */
typedef struct {
    lun_session           *s;      /* who shakes hands; NULL: it is done */
    lun_upstream_tls_step  asking;
    verdict                verdicts[LUN_UPSTREAM_STEPS];
    X509                  *cert;   /* held; NULL: not shown yet */
    int                    result;
} handshake;


static int
handshake_index(void)
{
    static int  n = -1;

    return lun_tls_data_index(&n);
}


static handshake *
handshake_of(const SSL *ssl)
{
    return SSL_get_ex_data(ssl, handshake_index());
}


static bool
is_wanted(const lun_session *s, lun_upstream_tls_step step)
{
    const lun_upstream_tls_hooks  *hooks = s->engine->upstream_handshaking;

    return hooks != NULL && hooks->wants(s, step);
}


static bool
has_hooks(const lun_session *s)
{
    return is_wanted(s, LUN_UPSTREAM_CERT)
           || is_wanted(s, LUN_UPSTREAM_VERIFY);
}


/* What others have agreed to for one place holds for no other. */
lun_str
lun_upstream_tls_key(lun_session *s, const lun_upstream_tls *tls, lun_str name)
{
    lun_session_check(s);
    return lun_pool_fmt(s->pool, "%p %p %.*s\n%.*s", (void *) tls->ctx,
                        (const void *) (has_hooks(s) ? tls : NULL),
                        LUN_S(name), LUN_S(own_name(s, tls)));
}


/* OpenSSL has returned, and nothing of it is on the stack. */
static void
on_pause(lun_conn *c)
{
    handshake  *h = handshake_of(lun_tls_of(c));

    LUN_CHECK(h != NULL && h->s != NULL);

    h->s->engine->upstream_handshaking->ask(h->s, c, h->asking);
}


void
lun_upstream_tls_answer(lun_conn *c, bool good)
{
    handshake  *h = handshake_of(lun_tls_of(c));

    LUN_CHECK(h != NULL);

    h->verdicts[h->asking] = good ? AGREED : REFUSED;
    lun_tls_go_on(c);
}


X509 *
lun_upstream_tls_cert(const lun_conn *c)
{
    return handshake_of(lun_tls_of(c))->cert;
}


int *
lun_upstream_tls_result(const lun_conn *c)
{
    return &handshake_of(lun_tls_of(c))->result;
}


/* UNASKED: now it is asked, and OpenSSL has to come back. */
static verdict
verdict_of(SSL *ssl, lun_upstream_tls_step step)
{
    handshake  *h = handshake_of(ssl);

    LUN_CHECK(h != NULL && step < LUN_UPSTREAM_STEPS);

    if (h->verdicts[step] == UNASKED) {
        h->asking = step;
        lun_tls_pause(lun_tls_conn(ssl), on_pause);
    }

    return h->verdicts[step];
}


static int
on_certificate(SSL *ssl, void *data)
{
    if (handshake_of(ssl)->s == NULL) {
        return 1;
    }

    switch (verdict_of(ssl, LUN_UPSTREAM_CERT)) {

    case UNASKED:
        return -1;

    case REFUSED:
        return 0;

    default:
        return 1;
    }
}


/* What is asked about: it goes before there is an answer. */
static void
look_at(handshake *h, X509_STORE_CTX *store)
{
    LUN_CHECK(h->cert == NULL);

    if (!h->s->engine->upstream_handshaking->skips_default(h->s)) {
        lun_debug(h->s->log, "proxy_ssl_verify_by_lua: openssl default "
                  "verify");
        (void) X509_verify_cert(store);
        ERR_clear_error();
    }

    h->result = X509_STORE_CTX_get_error(store);
    h->cert = X509_STORE_CTX_get0_cert(store);
    X509_up_ref(h->cert);
}


int
lun_upstream_tls_on_verify(X509_STORE_CTX *store, void *data)
{
    SSL        *ssl = X509_STORE_CTX_get_ex_data(store,
                          SSL_get_ex_data_X509_STORE_CTX_idx());
    handshake  *h = handshake_of(ssl);

    if (h == NULL || h->s == NULL || !is_wanted(h->s, LUN_UPSTREAM_VERIFY)) {
        return X509_verify_cert(store);
    }

    if (h->cert == NULL) {
        look_at(h, store);
    }

    switch (verdict_of(ssl, LUN_UPSTREAM_VERIFY)) {

    case UNASKED:
        return SSL_set_retry_verify(ssl);

    case REFUSED:
        X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
        return 0;

    default:
        X509_STORE_CTX_set_error(store, h->result);
        return 1;
    }
}


static void
drop_cert(void *data)
{
    X509_free(((handshake *) data)->cert);
}


static void
let_others_in(lun_session *s, lun_conn *c)
{
    SSL        *ssl = lun_tls_of(c);
    handshake  *h;

    LUN_CHECK(handshake_of(ssl) == NULL);

    h = lun_pool_new(lun_conn_memory(c), handshake);
    h->s = s;
    lun_pool_on_end(lun_conn_memory(c), drop_cert, h);
    SSL_set_ex_data(ssl, handshake_index(), h);

    if (is_wanted(s, LUN_UPSTREAM_CERT)) {
        SSL_set_cert_cb(ssl, on_certificate, NULL);
    }
}


/* The session may end before the connection does. */
static void
forget_session(const lun_conn *c)
{
    handshake  *h = handshake_of(lun_tls_of(c));

    if (h != NULL) {
        h->s = NULL;
    }
}


/* --- the handshake ------------------------------------------------------- */

/* As a handshake has it; a name that a variable makes empty, or that has no
   room behind a byte of its length, is none. */
static lun_str
protocols_of(lun_session *s, const lun_upstream_tls *tls)
{
    char     *p, *text;
    size_t    i, size = 0, n = tls->alpn_names != NULL
                               ? tls->alpn_names->count : 0;
    lun_str  *names = lun_pool_new_n(s->pool, lun_str, n);

    for (i = 0; i < n; i++) {
        names[i] = lun_script_run(s, *(lun_script **)
                                      lun_array_at(tls->alpn_names, i));

        if (names[i].len > UINT8_MAX) {
            names[i].len = 0;
        }

        size += names[i].len + 1;
    }

    p = text = lun_pool_text(s->pool, size);

    for (i = 0; i < n; i++) {
        if (names[i].len != 0) {
            *p++ = (char) names[i].len;
            p = lun_copy_str(p, names[i]);
        }
    }

    return lun_str_of(text, (size_t) (p - text));
}


lun_rc
lun_upstream_tls_start(lun_session *s, lun_conn *c,
    const lun_upstream_tls *tls, lun_str name, lun_str server)
{
    lun_str  alpn;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    lun_session_check(s);

    if (lun_tls_start(c, tls->ctx, false) != LUN_OK) {
        return LUN_ERROR;
    }

    if (lun_certificate_is_read_late(tls->certificate, tls->certificate_key)
        && lun_certificate_use(s, lun_tls_of(c), tls->certificate,
                               tls->certificate_key, tls->passwords,
                               tls->certificate_cache) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (tls->server_name && lun_dial_tls_is_name(name)
        && lun_dial_tls_tell_name(lun_tls_of(c), s->log, "upstream ", name)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    alpn = tls->alpn_names != NULL ? protocols_of(s, tls) : tls->alpn;

    /* It fails for want of memory alone, and then with the handshake. */
    if (alpn.len != 0) {
        (void) SSL_set_alpn_protos(lun_tls_of(c),
                                   (const unsigned char *) alpn.data,
                                   (unsigned) alpn.len);
    }

    /* A session that goes on would ask neither. */
    if (has_hooks(s)) {
        let_others_in(s, c);

    } else if (tls->session_reuse) {
        lun_tls_reuse(c, lun_pool_fmt(s->pool, "%.*s\n%.*s\n%.*s",
                                      LUN_S(name), LUN_S(server),
                                      LUN_S(own_name(s, tls))));
    }

    lun_tls_handshake(c);
    return LUN_OK;
}


/* --- who it is ----------------------------------------------------------- */

bool
lun_upstream_tls_is_trusted(lun_session *s, lun_conn *c,
    const lun_upstream_tls *tls, lun_str name)
{
    LUN_CHECK(lun_conn_is_secure(c));

    lun_session_check(s);
    forget_session(c);

    if (!tls->verify
        || lun_dial_tls_is_trusted(lun_tls_of(c), s->log, "upstream ", name,
                                   false))
    {
        return true;
    }

    if (tls->session_reuse) {
        lun_tls_reuse_forget(c);
    }

    return false;
}
