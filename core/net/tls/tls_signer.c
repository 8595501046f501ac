/*
 * tls_signer.c -- a provider of OpenSSL for keys that are elsewhere.
 *
 * It has a library context of its own, so that nobody who asks OpenSSL for
 * "RSA" gets it by chance.  A key knows its public half, which the default
 * provider has and answers for; exported is no more than that, and so OpenSSL
 * finds nobody but this provider who can sign with it.  What is signed is
 * digested here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_signer.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>


#define GIVEN  "lunette-key"       /* a parameter: where the key is */

enum { NAME = 64, MD5_SHA1 = 36 };

typedef struct {
    EVP_PKEY          *shown;      /* the public half */
    const lun_signer  *signer;
    void              *key;
} remote;

/* An operation: what is signed, and how. */
typedef struct {
    const remote  *r;
    EVP_MD_CTX    *md;
    char           name[NAME];     /* of the digest; "": as it comes */
    bool           pss;
    bool           whole;          /* its salt is as long as the digest */
    size_t         salt;
} signing;


/* --- keys ---------------------------------------------------------------- */

static void *
new_key(void *provctx)
{
    return OPENSSL_zalloc(sizeof(remote));
}


static void
free_key(void *data)
{
    remote  *r = data;

    if (r != NULL && r->signer != NULL) {
        r->signer->close(r->key);
        EVP_PKEY_free(r->shown);
    }

    OPENSSL_free(r);
}


static int
has(const void *data, int selection)
{
    const remote  *r = data;

    return r != NULL && r->shown != NULL;
}


static int
match(const void *one, const void *other, int selection)
{
    const remote  *a = one, *b = other;

    return EVP_PKEY_eq(a->shown, b->shown) == 1;
}


/* Takes it from lun_tls_signer_key(): no other knows the parameter. */
static int
import(void *data, int selection, const OSSL_PARAM *params)
{
    remote            *r = data, *given;
    const OSSL_PARAM  *p = OSSL_PARAM_locate_const(params, GIVEN);

    if (p == NULL || p->data_size != sizeof(given) || r->shown != NULL) {
        return 0;
    }

    memcpy(&given, p->data, sizeof(given));
    *r = *given;
    given->signer = NULL;
    return 1;
}


static const OSSL_PARAM *
import_types(int selection)
{
    static const OSSL_PARAM  types[] = {
        OSSL_PARAM_octet_string(GIVEN, NULL, 0), OSSL_PARAM_END
    };

    return types;
}


static int
export(void *data, int selection, OSSL_CALLBACK *take, void *arg)
{
    int          done;
    remote      *r = data;
    OSSL_PARAM  *params = NULL;

    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY
        || EVP_PKEY_todata(r->shown, EVP_PKEY_PUBLIC_KEY, &params) != 1)
    {
        return 0;
    }

    done = take(params, arg);
    OSSL_PARAM_free(params);
    return done;
}


static const OSSL_PARAM *
export_types(int selection)
{
    static const OSSL_PARAM  types[] = {
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_END
    };

    return selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY ? NULL : types;
}


static int
get_params(void *data, OSSL_PARAM *params)
{
    remote  *r = data;

    return EVP_PKEY_get_params(r->shown, params);
}


static const OSSL_PARAM *
gettable_params(void *provctx)
{
    static const OSSL_PARAM  known[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_END
    };

    return known;
}


static const char *
ec_operation(int operation)
{
    return operation == OSSL_OP_SIGNATURE ? "ECDSA" : "EC";
}


/* --- signatures ---------------------------------------------------------- */

static void *
new_signing(void *provctx, const char *query)
{
    return OPENSSL_zalloc(sizeof(signing));
}


static void
free_signing(void *data)
{
    signing  *s = data;

    if (s != NULL) {
        EVP_MD_CTX_free(s->md);
        OPENSSL_free(s);
    }
}


static void *
dup_signing(void *data)
{
    signing  *s = OPENSSL_memdup(data, sizeof(*s));

    if (s == NULL || s->md == NULL) {
        return s;
    }

    s->md = EVP_MD_CTX_dup(s->md);

    if (s->md == NULL) {
        OPENSSL_free(s);
        return NULL;
    }

    return s;
}


static bool
set_digest(signing *s, const char *name)
{
    size_t  n = name != NULL ? strlen(name) : 0;

    if (n >= sizeof(s->name)) {
        return false;
    }

    memcpy(s->name, n != 0 ? name : "", n + 1);
    return true;
}


static bool
set_padding(signing *s, const OSSL_PARAM *p)
{
    int          mode = 0;
    const char  *text;

    if (p->data_type == OSSL_PARAM_INTEGER) {
        if (!OSSL_PARAM_get_int(p, &mode)) {
            return false;
        }

    } else if (!OSSL_PARAM_get_utf8_string_ptr(p, &text)) {
        return false;

    } else {
        mode = strcmp(text, OSSL_PKEY_RSA_PAD_MODE_PSS) == 0
               ? RSA_PKCS1_PSS_PADDING
               : strcmp(text, OSSL_PKEY_RSA_PAD_MODE_PKCSV15) == 0
               ? RSA_PKCS1_PADDING : 0;
    }

    s->pss = s->whole = mode == RSA_PKCS1_PSS_PADDING;
    return s->pss || mode == RSA_PKCS1_PADDING;
}


/* Words and numbers, of which TLS asks for one: as long as the digest. */
static bool
set_salt(signing *s, const OSSL_PARAM *p)
{
    int          n = 0;
    const char  *text;

    if (p->data_type == OSSL_PARAM_INTEGER) {
        if (!OSSL_PARAM_get_int(p, &n)) {
            return false;
        }

    } else if (!OSSL_PARAM_get_utf8_string_ptr(p, &text)) {
        return false;

    } else {
        n = strcmp(text, OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST) == 0
            ? RSA_PSS_SALTLEN_DIGEST : atoi(text);
    }

    s->whole = n < 0;
    s->salt = n < 0 ? 0 : (size_t) n;
    return n >= 0 || n == RSA_PSS_SALTLEN_DIGEST;
}


static int
set_params(void *data, const OSSL_PARAM *params)
{
    signing           *s = data;
    const char        *text;
    const OSSL_PARAM  *p;

    if (params == NULL) {
        return 1;
    }

    p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST);

    if (p != NULL && (!OSSL_PARAM_get_utf8_string_ptr(p, &text)
                      || !set_digest(s, text)))
    {
        return 0;
    }

    p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);

    if (p != NULL && !set_padding(s, p)) {
        return 0;
    }

    p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);
    return p == NULL || set_salt(s, p);
}


static const OSSL_PARAM *
settable_params(void *ctx, void *provctx)
{
    static const OSSL_PARAM  known[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_END
    };

    return known;
}


static int
begin(void *data, void *key, const OSSL_PARAM *params)
{
    signing  *s = data;

    s->r = key != NULL ? key : s->r;
    return s->r != NULL && set_params(s, params);
}


static int
begin_digest(void *data, const char *name, void *key, const OSSL_PARAM *params)
{
    int       good;
    EVP_MD   *md;
    signing  *s = data;

    if (!set_digest(s, name != NULL && *name != '\0' ? name : "SHA256")
        || !begin(s, key, params))
    {
        return 0;
    }

    EVP_MD_CTX_free(s->md);
    s->md = EVP_MD_CTX_new();
    md = EVP_MD_fetch(NULL, s->name, NULL);
    good = s->md != NULL && md != NULL
           && EVP_DigestInit_ex2(s->md, md, NULL) == 1;
    EVP_MD_free(md);
    return good;
}


/* Two numbers one behind the other, as ASN.1 has them.  0: no room. */
static size_t
put_ecdsa(const uint8_t *pair, size_t n, uint8_t *out, size_t room)
{
    int         size = 0;
    BIGNUM     *r = BN_bin2bn(pair, (int) (n / 2), NULL);
    BIGNUM     *s = BN_bin2bn(pair + n / 2, (int) (n / 2), NULL);
    ECDSA_SIG  *sig = ECDSA_SIG_new();

    if (r != NULL && s != NULL && sig != NULL
        && ECDSA_SIG_set0(sig, r, s) == 1)
    {
        r = s = NULL;
        size = i2d_ECDSA_SIG(sig, NULL);
        size = size > 0 && (size_t) size <= room ? i2d_ECDSA_SIG(sig, &out)
                                                 : 0;
    }

    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(sig);
    return size > 0 ? (size_t) size : 0;
}


static int
sign_digest(const signing *s, uint8_t *out, size_t *size, size_t room,
    const uint8_t *digest, size_t len)
{
    enum { MOST_PAIR = 256 };

    bool               ec = EVP_PKEY_is_a(s->r->shown, "EC");
    size_t             n = 0;
    uint8_t            pair[MOST_PAIR];
    const lun_signing  how = {
        .kind = ec ? LUN_SIGN_ECDSA : s->pss ? LUN_SIGN_PSS : LUN_SIGN_PKCS1,
        .digest = len == MD5_SHA1 ? NULL : s->name,
        .salt = s->whole ? len : s->salt
    };

    if (s->r->signer->sign(s->r->key, &how,
                           lun_str_of((const char *) digest, len),
                           ec ? pair : out, ec ? sizeof(pair) : room, &n)
        != 0)
    {
        return 0;
    }

    *size = ec ? put_ecdsa(pair, n, out, room) : n;
    return *size != 0;
}


static int
sign(void *data, unsigned char *out, size_t *size, size_t room,
    const unsigned char *digest, size_t len)
{
    const signing  *s = data;

    if (out == NULL) {
        *size = (size_t) EVP_PKEY_get_size(s->r->shown);
        return 1;
    }

    return sign_digest(s, out, size, room, digest, len);
}


static int
add_text(void *data, const unsigned char *text, size_t len)
{
    signing  *s = data;

    return EVP_DigestUpdate(s->md, text, len);
}


static int
end_digest(void *data, unsigned char *out, size_t *size, size_t room)
{
    unsigned  n;
    signing  *s = data;
    uint8_t   digest[EVP_MAX_MD_SIZE];

    if (out == NULL) {
        return sign(s, NULL, size, 0, NULL, 0);
    }

    return EVP_DigestFinal_ex(s->md, digest, &n) == 1
           && sign_digest(s, out, size, room, digest, n);
}


/* --- the provider -------------------------------------------------------- */

#define FN(id, function)  { (id), (void (*)(void)) (function) }

#define KEYS                                                                  \
    FN(OSSL_FUNC_KEYMGMT_NEW, new_key),                                       \
    FN(OSSL_FUNC_KEYMGMT_FREE, free_key),                                     \
    FN(OSSL_FUNC_KEYMGMT_HAS, has),                                           \
    FN(OSSL_FUNC_KEYMGMT_MATCH, match),                                       \
    FN(OSSL_FUNC_KEYMGMT_IMPORT, import),                                     \
    FN(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, import_types),                         \
    FN(OSSL_FUNC_KEYMGMT_EXPORT, export),                                     \
    FN(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, export_types),                         \
    FN(OSSL_FUNC_KEYMGMT_GET_PARAMS, get_params),                             \
    FN(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, gettable_params)

static const OSSL_DISPATCH  rsa_keys[] = { KEYS, { 0, NULL } };

static const OSSL_DISPATCH  ec_keys[] = {
    KEYS, FN(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, ec_operation),
    { 0, NULL }
};

static const OSSL_DISPATCH  signatures[] = {
    FN(OSSL_FUNC_SIGNATURE_NEWCTX, new_signing),
    FN(OSSL_FUNC_SIGNATURE_FREECTX, free_signing),
    FN(OSSL_FUNC_SIGNATURE_DUPCTX, dup_signing),
    FN(OSSL_FUNC_SIGNATURE_SIGN_INIT, begin),
    FN(OSSL_FUNC_SIGNATURE_SIGN, sign),
    FN(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, begin_digest),
    FN(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, add_text),
    FN(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, end_digest),
    FN(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, set_params),
    FN(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, settable_params),
    { 0, NULL }
};

static const OSSL_ALGORITHM  key_kinds[] = {
    { "RSA:rsaEncryption:1.2.840.113549.1.1.1", "provider=signer", rsa_keys,
      NULL },
    { "EC:id-ecPublicKey:1.2.840.10045.2.1", "provider=signer", ec_keys,
      NULL },
    { 0 }
};

static const OSSL_ALGORITHM  signature_kinds[] = {
    { "RSA:rsaEncryption:1.2.840.113549.1.1.1", "provider=signer", signatures,
      NULL },
    { "ECDSA", "provider=signer", signatures, NULL },
    { 0 }
};


static const OSSL_ALGORITHM *
query(void *provctx, int operation, int *no_cache)
{
    *no_cache = 0;
    return operation == OSSL_OP_KEYMGMT ? key_kinds
           : operation == OSSL_OP_SIGNATURE ? signature_kinds : NULL;
}


static int
init_provider(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
    const OSSL_DISPATCH **out, void **provctx)
{
    static const OSSL_DISPATCH  functions[] = {
        FN(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query), { 0, NULL }
    };

    *provctx = (void *) (uintptr_t) handle;
    *out = functions;
    return 1;
}


/* The process's own, to its end.  NULL: no memory. */
static OSSL_LIB_CTX *
library(void)
{
    static OSSL_LIB_CTX  *lib;

    if (lib == NULL) {
        lib = OSSL_LIB_CTX_new();

        if (lib != NULL
            && (OSSL_PROVIDER_add_builtin(lib, "signer", init_provider) != 1
                || OSSL_PROVIDER_load(lib, "signer") == NULL))
        {
            OSSL_LIB_CTX_free(lib);
            lib = NULL;
        }
    }

    return lib;
}


EVP_PKEY *
lun_tls_signer_key(X509 *cert, const lun_signer *signer, void *key)
{
    remote         r = { X509_get_pubkey(cert), signer, key }, *given = &r;
    EVP_PKEY      *made = NULL;
    const char    *kind = r.shown == NULL ? NULL
                          : EVP_PKEY_is_a(r.shown, "RSA") ? "RSA"
                          : EVP_PKEY_is_a(r.shown, "EC") ? "EC" : NULL;
    OSSL_LIB_CTX  *lib = kind != NULL ? library() : NULL;
    EVP_PKEY_CTX  *ctx;
    OSSL_PARAM     params[] = {
        OSSL_PARAM_construct_octet_string(GIVEN, &given, sizeof(given)),
        OSSL_PARAM_construct_end()
    };

    ctx = lib != NULL ? EVP_PKEY_CTX_new_from_name(lib, kind, NULL) : NULL;

    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) != 1
        || EVP_PKEY_fromdata(ctx, &made, EVP_PKEY_KEYPAIR, params) != 1)
    {
        made = NULL;
    }

    if (r.signer != NULL) {            /* nobody has taken it */
        signer->close(key);
        EVP_PKEY_free(r.shown);
    }

    EVP_PKEY_CTX_free(ctx);
    return made;
}
