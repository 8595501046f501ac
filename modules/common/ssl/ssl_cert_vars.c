/*
 * ssl_cert_vars.c -- $ssl_client_...: the certificate that the client showed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "base/digest.h"
#include "format/uri.h"


/* What was written to memory, in the session's. */
static void
give_bio(lun_session *s, lun_value *v, BIO *bio)
{
    char    *data;
    int64_t  len = BIO_get_mem_data(bio, &data);

    v->text = lun_pool_str(s->pool, lun_str_of(data, (size_t) len));
    BIO_free(bio);
}


/* As a header: further lines begin with a tab. */
static lun_str
indent(lun_pool *pool, lun_str s)
{
    char    *p, *start;
    size_t   i, lines = 0;

    for (i = 0; i < s.len; i++) {
        lines += s.data[i] == '\n';
    }

    start = p = lun_pool_text(pool, s.len + lines);

    for (i = 0; i < s.len; i++) {
        *p++ = s.data[i];

        if (s.data[i] == '\n') {
            *p++ = '\t';
        }
    }

    return lun_str_of(start, (size_t) (p - start));
}


static lun_str
escape(lun_pool *pool, lun_str s)
{
    size_t   len = lun_uri_escaped_len(s, LUN_ESCAPE_COMPONENT);
    char    *room = lun_pool_text(pool, len);

    lun_uri_escape(room, s, LUN_ESCAPE_COMPONENT);
    return lun_str_of(room, len);
}


static void
get_pem(lun_session *s, lun_value *v, X509 *x, uintptr_t which)
{
    BIO  *bio = BIO_new(BIO_s_mem());

    if (bio == NULL || PEM_write_bio_X509(bio, x) != 1) {
        BIO_free(bio);
        v->not_found = 1;
        return;
    }

    give_bio(s, v, bio);

    if (which == LUN_SSL_ESCAPED_CERT) {
        v->text = escape(s->pool, v->text);

    } else if (which == LUN_SSL_CERT) {
        v->text.len -= v->text.len != 0;
        v->text = indent(s->pool, v->text);
    }
}


/* (Windows has a macro of the name of OpenSSL's type for names.) */
static int
print_name(BIO *bio, X509 *x, bool subject)
{
    return X509_NAME_print_ex(bio, subject ? X509_get_subject_name(x)
                                           : X509_get_issuer_name(x),
                              0, XN_FLAG_RFC2253);
}


static void
get_name(lun_session *s, lun_value *v, X509 *x, bool subject, bool legacy)
{
    BIO   *bio;
    char  *line;

    if (legacy) {
        line = X509_NAME_oneline(subject ? X509_get_subject_name(x)
                                         : X509_get_issuer_name(x), NULL, 0);
        v->not_found = line == NULL;
        v->text = line != NULL ? lun_pool_str(s->pool, lun_str_z(line))
                               : LUN_STR("");
        OPENSSL_free(line);
        return;
    }

    bio = BIO_new(BIO_s_mem());

    if (bio == NULL || print_name(bio, x, subject) < 0) {
        BIO_free(bio);
        v->not_found = 1;
        return;
    }

    give_bio(s, v, bio);
}


static void
get_serial(lun_session *s, lun_value *v, X509 *x)
{
    BIO  *bio = BIO_new(BIO_s_mem());

    if (bio == NULL) {
        v->not_found = 1;
        return;
    }

    i2a_ASN1_INTEGER(bio, X509_get0_serialNumber(x));
    give_bio(s, v, bio);
}


static void
get_fingerprint(lun_session *s, lun_value *v, X509 *x)
{
    char           *room;
    unsigned        len;
    unsigned char   digest[EVP_MAX_MD_SIZE];

    if (X509_digest(x, EVP_sha1(), digest, &len) != 1) {
        v->not_found = 1;
        return;
    }

    room = lun_pool_text(s->pool, len * 2);
    lun_hex(room, digest, len);
    v->text = lun_str_of(room, len * 2);
}


static void
get_time(lun_session *s, lun_value *v, const ASN1_TIME *time)
{
    BIO  *bio = BIO_new(BIO_s_mem());

    if (bio == NULL) {
        v->not_found = 1;
        return;
    }

    ASN1_TIME_print(bio, time);
    give_bio(s, v, bio);
}


static void
get_remain(lun_session *s, lun_value *v, X509 *x)
{
    int  days = 0, seconds = 0;

    if (ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(x)) != 1) {
        v->not_found = 1;
        return;
    }

    days = days < 0 || seconds < 0 ? 0 : days;
    v->text = lun_pool_fmt(s->pool, "%d", days);
}


void
lun_ssl_get_cert(lun_session *s, lun_value *v, uintptr_t which)
{
    SSL          *ssl = lun_tls_of(s->conn);
    X509         *x = ssl != NULL ? SSL_get0_peer_certificate(ssl) : NULL;

    if (x == NULL) {
        v->not_found = 1;
        return;
    }

    switch (which) {

    case LUN_SSL_S_DN:
    case LUN_SSL_S_DN_LEGACY:
        get_name(s, v, x, true, which == LUN_SSL_S_DN_LEGACY);
        return;

    case LUN_SSL_I_DN:
    case LUN_SSL_I_DN_LEGACY:
        get_name(s, v, x, false, which == LUN_SSL_I_DN_LEGACY);
        return;

    case LUN_SSL_SERIAL:
        get_serial(s, v, x);
        return;

    case LUN_SSL_FINGERPRINT:
        get_fingerprint(s, v, x);
        return;

    case LUN_SSL_V_START:
        get_time(s, v, X509_get0_notBefore(x));
        return;

    case LUN_SSL_V_END:
        get_time(s, v, X509_get0_notAfter(x));
        return;

    case LUN_SSL_V_REMAIN:
        get_remain(s, v, x);
        return;

    default:
        get_pem(s, v, x, which);
    }
}
