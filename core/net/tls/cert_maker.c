/*
 * cert_maker.c -- certificates that are made here, and requests for them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/cert_maker.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "format/addr.h"
#include "format/date.h"
#include "net/tls/key_pair.h"


enum {
    SERIAL = 16,                   /* bytes */
    COMMON_NAME = 64,              /* at most (RFC 5280, A.1) */
    HOST = 253,
    LABEL = 63,
    DIGEST = 32
};


/* --- names --------------------------------------------------------------- */

static bool
is_address(lun_str name, lun_addr *addr)
{
    return name.len != 0 && name.data[0] != '[' && lun_addr_parse(name, addr)
           == LUN_OK && addr->port == 0
           && (addr->family == LUN_AF_INET || addr->family == LUN_AF_INET6);
}


static bool
is_of_label(char c)
{
    c = lun_lower(c);
    return (c >= 'a' && c <= 'z') || lun_is_digit(c) || c == '-' || c == '_';
}


/* A star may stand for the first label only, and for the whole of it. */
bool
lun_cert_may_name(lun_str name)
{
    size_t    i, label = 0;
    lun_str   host = name;
    lun_addr  addr;

    if (is_address(name, &addr)) {
        return true;
    }

    (void) lun_str_after(name, LUN_STR("*."), &host);

    for (i = 0; i < host.len; i++) {
        if (host.data[i] == '.') {
            if (label == 0) {
                return false;
            }

            label = 0;

        } else if (!is_of_label(host.data[i]) || ++label > LABEL) {
            return false;
        }
    }

    return label != 0 && name.len <= HOST;
}


/*
 * An address is bytes, not text, and of its own kind of name (RFC 5280,
 * 4.2.1.6): as a DNS name no client accepts it.
 */
static bool
add_name(GENERAL_NAMES *all, lun_str name)
{
    int            type;
    lun_addr       addr;
    GENERAL_NAME  *one = GENERAL_NAME_new();
    ASN1_STRING   *text = ASN1_STRING_type_new(V_ASN1_IA5STRING);

    if (is_address(name, &addr)) {
        type = GEN_IPADD;
        name = lun_str_of((const char *) addr.ip,
                          addr.family == LUN_AF_INET ? 4 : 16);
    } else {
        type = GEN_DNS;
    }

    if (one == NULL || text == NULL
        || ASN1_STRING_set(text, name.data, (int) name.len) != 1)
    {
        ASN1_STRING_free(text);
        GENERAL_NAME_free(one);
        return false;
    }

    if (type == GEN_IPADD) {
        text->type = V_ASN1_OCTET_STRING;
    }

    GENERAL_NAME_set0_value(one, type, text);

    if (sk_GENERAL_NAME_push(all, one) <= 0) {
        GENERAL_NAME_free(one);
        return false;
    }

    return true;
}


/* As an extension takes them; NULL: one of them is none. */
static GENERAL_NAMES *
all_names(const lun_str *names, size_t count)
{
    size_t          i;
    GENERAL_NAMES  *all = sk_GENERAL_NAME_new_null();

    for (i = 0; all != NULL && i < count; i++) {
        if (!lun_cert_may_name(names[i]) || !add_name(all, names[i])) {
            sk_GENERAL_NAME_pop_free(all, GENERAL_NAME_free);
            return NULL;
        }
    }

    return all;
}


/* --- a certificate ------------------------------------------------------- */

static bool
add_extension(X509 *cert, X509 *ca, int nid, const char *value)
{
    X509V3_CTX       ctx;
    X509_EXTENSION  *e;
    bool             done;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, ca, cert, NULL, NULL, 0);
    e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    done = e != NULL && X509_add_ext(cert, e, -1) == 1;
    X509_EXTENSION_free(e);

    return done;
}


/* What a client may make of it. */
static bool
add_uses(X509 *cert, X509 *ca, const lun_cert_wish *wish)
{
    return add_extension(cert, ca, NID_basic_constraints,
                         wish->authority ? "critical,CA:TRUE,pathlen:0"
                                         : "critical,CA:FALSE")
           && add_extension(cert, ca, NID_key_usage,
                            wish->authority ? "critical,keyCertSign,cRLSign"
                                            : "critical,digitalSignature")
           && (wish->authority
               || add_extension(cert, ca, NID_ext_key_usage, "serverAuth"))
           && add_extension(cert, ca, NID_subject_key_identifier, "hash")
           && (ca == cert
               || add_extension(cert, ca, NID_authority_key_identifier,
                                "keyid"));
}


static bool
add_names(X509 *cert, const lun_cert_wish *wish)
{
    bool            done;
    GENERAL_NAMES  *all;

    if (wish->count == 0) {
        return true;
    }

    all = all_names(wish->names, wish->count);
    done = all != NULL && X509_add1_ext_i2d(cert, NID_subject_alt_name, all,
                                            0, X509V3_ADD_APPEND) == 1;
    sk_GENERAL_NAME_pop_free(all, GENERAL_NAME_free);
    return done;
}


/* id-pe-acmeIdentifier, critical (RFC 8737, 3). */
static bool
add_challenge(X509 *cert, lun_str digest)
{
    bool                done = false;
    char                der[2 + DIGEST] = { V_ASN1_OCTET_STRING, DIGEST };
    X509_EXTENSION     *e = NULL;
    ASN1_OBJECT        *id = OBJ_txt2obj("1.3.6.1.5.5.7.1.31", 1);
    ASN1_OCTET_STRING  *value = ASN1_OCTET_STRING_new();

    if (digest.len == DIGEST && id != NULL && value != NULL) {
        memcpy(der + 2, digest.data, DIGEST);
        done = ASN1_OCTET_STRING_set(value, (unsigned char *) der, sizeof(der))
               == 1;
        e = done ? X509_EXTENSION_create_by_OBJ(NULL, id, 1, value) : NULL;
        done = e != NULL && X509_add_ext(cert, e, -1) == 1;
    }

    X509_EXTENSION_free(e);
    ASN1_OCTET_STRING_free(value);
    ASN1_OBJECT_free(id);
    return done;
}


static bool
set_subject(X509 *cert, const lun_cert_wish *wish)
{
    lun_str  text = wish->subject;

    if (text.len == 0 && wish->count != 0) {
        text = wish->names[0];
    }

    return text.len > COMMON_NAME
           || X509_NAME_add_entry_by_NID(X509_get_subject_name(cert),
                                         NID_commonName, MBSTRING_UTF8,
                                         (const unsigned char *) text.data,
                                         (int) text.len, -1, 0) == 1;
}


static bool
set_serial(X509 *cert)
{
    bool           done;
    BIGNUM        *n;
    unsigned char  bytes[SERIAL];

    if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
        return false;
    }

    bytes[0] = (bytes[0] & 0x7f) | 0x40;       /* positive, and never short */
    n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    done = n != NULL
           && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert)) != NULL;
    BN_free(n);
    return done;
}


X509 *
lun_cert_make(const lun_cert_wish *wish, EVP_PKEY *key, X509 *ca,
    EVP_PKEY *ca_key)
{
    X509  *cert = X509_new(), *by = ca != NULL ? ca : cert;

    ERR_clear_error();

    if (cert == NULL || X509_set_version(cert, X509_VERSION_3) != 1
        || !set_serial(cert) || !set_subject(cert, wish)
        || X509_set_issuer_name(cert, X509_get_subject_name(by)) != 1
        || ASN1_TIME_set(X509_getm_notBefore(cert), wish->from) == NULL
        || ASN1_TIME_set(X509_getm_notAfter(cert), wish->until) == NULL
        || X509_set_pubkey(cert, key) != 1
        || !add_names(cert, wish) || !add_uses(cert, by, wish)
        || (wish->challenge.len != 0
            && !add_challenge(cert, wish->challenge))
        || X509_sign(cert, ca != NULL ? ca_key : key, EVP_sha256()) == 0)
    {
        X509_free(cert);
        ERR_clear_error();
        return NULL;
    }

    return cert;
}


/* --- a request ----------------------------------------------------------- */

static bool
ask_for_names(X509_REQ *req, const lun_str *names, size_t count)
{
    bool                       done = false;
    GENERAL_NAMES             *all = all_names(names, count);
    STACK_OF(X509_EXTENSION)  *extensions = NULL;

    if (all != NULL
        && X509V3_add1_i2d(&extensions, NID_subject_alt_name, all, 0,
                           X509V3_ADD_APPEND) == 1)
    {
        done = X509_REQ_add_extensions(req, extensions) == 1;
    }

    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    sk_GENERAL_NAME_pop_free(all, GENERAL_NAME_free);
    return done;
}


/* No common name: authorities need none, and some refuse one. */
lun_str
lun_cert_request(lun_pool *pool, const lun_str *names, size_t count,
    EVP_PKEY *key)
{
    int             n;
    lun_str         text = LUN_STR_NULL;
    X509_REQ       *req = X509_REQ_new();
    unsigned char  *der = NULL;

    ERR_clear_error();

    if (req != NULL && X509_REQ_set_version(req, X509_REQ_VERSION_1) == 1
        && X509_REQ_set_pubkey(req, key) == 1
        && ask_for_names(req, names, count)
        && X509_REQ_sign(req, key, EVP_sha256()) != 0)
    {
        n = i2d_X509_REQ(req, &der);

        if (n > 0) {
            text = lun_pool_str(pool, lun_str_of((char *) der, (size_t) n));
        }
    }

    OPENSSL_free(der);
    X509_REQ_free(req);
    ERR_clear_error();
    return text;
}


/* --- what there is ------------------------------------------------------- */

lun_str
lun_cert_pem(lun_pool *pool, X509 *cert)
{
    BIO      *bio = BIO_new(BIO_s_mem());
    char     *data;
    lun_str   text = LUN_STR_NULL;

    if (bio != NULL && PEM_write_bio_X509(bio, cert) == 1) {
        text.len = (size_t) BIO_get_mem_data(bio, &data);
        text = lun_pool_str(pool, lun_str_of(data, text.len));
    }

    BIO_free(bio);
    return text;
}


X509 *
lun_cert_read(lun_str pem)
{
    BIO   *bio = lun_pem_open(pem);
    X509  *cert;

    cert = bio != NULL ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();

    return cert;
}


static bool
seconds_of(const ASN1_TIME *t, int64_t *sec)
{
    struct tm  tm;
    lun_date   date;

    if (ASN1_TIME_to_tm(t, &tm) != 1) {
        return false;
    }

    date = (lun_date) { .year = tm.tm_year + 1900, .month = tm.tm_mon + 1,
                        .day = tm.tm_mday, .hour = tm.tm_hour,
                        .minute = tm.tm_min, .second = tm.tm_sec };
    *sec = lun_date_sec(&date);
    return true;
}


bool
lun_cert_times(const X509 *cert, int64_t *from, int64_t *until)
{
    return seconds_of(X509_get0_notBefore(cert), from)
           && seconds_of(X509_get0_notAfter(cert), until);
}


static bool
is_name(const GENERAL_NAME *one, lun_str name)
{
    int                 type;
    lun_addr            addr;
    const ASN1_STRING  *value = GENERAL_NAME_get0_value(one, &type);
    lun_str             text;

    if (type != GEN_DNS && type != GEN_IPADD) {
        return false;
    }

    text = lun_str_of((const char *) ASN1_STRING_get0_data(value),
                      (size_t) ASN1_STRING_length(value));

    if (!is_address(name, &addr)) {
        return type == GEN_DNS && lun_str_caseeq(text, name);
    }

    return type == GEN_IPADD
           && lun_str_eq(text, lun_str_of((const char *) addr.ip,
                                          addr.family == LUN_AF_INET
                                          ? 4 : 16));
}


static bool
has_name(const GENERAL_NAMES *all, lun_str name)
{
    int  i;

    for (i = 0; i < sk_GENERAL_NAME_num(all); i++) {
        if (is_name(sk_GENERAL_NAME_value(all, i), name)) {
            return true;
        }
    }

    return false;
}


bool
lun_cert_has_names(X509 *cert, const lun_str *names, size_t count)
{
    size_t          i = 0;
    GENERAL_NAMES  *all = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL,
                                           NULL);

    while (i < count && all != NULL && has_name(all, names[i])) {
        i++;
    }

    sk_GENERAL_NAME_pop_free(all, GENERAL_NAME_free);
    return i == count;
}
