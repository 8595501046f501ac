/*
 * tls_store.c -- certificates in the system's store, which is a stand-in here:
 * a list of certificates, and keys that sign as Windows' CNG does.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* First: it brings Windows's own names along, which the next ones drop. */
#include <openssl/ssl.h>

#include <openssl/rsa.h>

#include "../../core/net/tls/tls_store.c"

#include "tap.h"


/* --- the stand-in -------------------------------------------------------- */

enum { MOST_ENTRIES = 8 };

struct lun_certstore_entry {
    X509      *cert;
    EVP_PKEY  *key;                /* NULL: not ours to use */
    bool       authority;          /* in "CA", not in "MY" */
};

static lun_certstore_entry  entries[MOST_ENTRIES];
static size_t               count;
static int                  looks, signs, open_keys;
static lun_err              broken;
static lun_signing          last;


lun_err
lun_certstore_each(bool machine, const char *store, lun_certstore_fn *take,
    void *data)
{
    int             n;
    bool            more = true;
    size_t          i;
    unsigned char  *der;

    looks += strcmp(store, "MY") == 0;

    if (broken != 0 || !machine) {
        return broken != 0 ? broken : lun_err_of_kind(LUN_ERR_NOT_FOUND);
    }

    for (i = 0; more && i < count; i++) {
        if (entries[i].authority != (strcmp(store, "CA") == 0)) {
            continue;
        }

        der = NULL;
        n = i2d_X509(entries[i].cert, &der);
        more = take(data, lun_str_of((const char *) der, (size_t) n),
                    &entries[i]);
        OPENSSL_free(der);
    }

    return 0;
}


void *
lun_certstore_open_key(const lun_certstore_entry *e, lun_err *err)
{
    if (e->key == NULL) {
        *err = lun_err_of_kind(LUN_ERR_ACCESS);
        return NULL;
    }

    open_keys++;
    EVP_PKEY_up_ref(e->key);
    return e->key;
}


void
lun_certstore_close_key(void *key)
{
    open_keys--;
    EVP_PKEY_free(key);
}


/* Both numbers of a signature, at their full length. */
static size_t
take_pair(const unsigned char *der, size_t len, size_t half, uint8_t *out)
{
    ECDSA_SIG  *sig = d2i_ECDSA_SIG(NULL, &der, (long) len);

    BN_bn2binpad(ECDSA_SIG_get0_r(sig), out, (int) half);
    BN_bn2binpad(ECDSA_SIG_get0_s(sig), out + half, (int) half);
    ECDSA_SIG_free(sig);
    return 2 * half;
}


lun_err
lun_certstore_sign(void *key, const lun_signing *how, lun_str digest,
    uint8_t *out, size_t room, size_t *size)
{
    size_t          n = 512;
    uint8_t         made[512];
    EVP_PKEY_CTX   *ctx = EVP_PKEY_CTX_new(key, NULL);

    signs++;
    last = *how;
    EVP_PKEY_sign_init(ctx);
    EVP_PKEY_CTX_set_signature_md(ctx, EVP_get_digestbyname(how->digest));

    if (how->kind == LUN_SIGN_PSS) {
        EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING);
        EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, (int) how->salt);
    }

    if (EVP_PKEY_sign(ctx, made, &n, (const unsigned char *) digest.data,
                      digest.len) != 1)
    {
        n = 0;
    }

    EVP_PKEY_CTX_free(ctx);

    if (how->kind == LUN_SIGN_ECDSA) {
        n = take_pair(made, n, 32, made);
    }

    if (n == 0 || n > room) {
        return lun_err_of_kind(LUN_ERR_ACCESS);
    }

    memcpy(out, made, n);
    *size = n;
    return 0;
}


/* --- certificates -------------------------------------------------------- */

static X509 *
make(const char *name, EVP_PKEY *key, int since, int until, X509 *issuer,
    EVP_PKEY *signer)
{
    X509  *x = X509_new();

    X509_set_version(x, X509_VERSION_3);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *) name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(issuer != NULL ? issuer
                                                                 : x));
    X509_gmtime_adj(X509_getm_notBefore(x), since);
    X509_gmtime_adj(X509_getm_notAfter(x), until);
    X509_set_pubkey(x, key);
    X509_sign(x, signer != NULL ? signer : key, EVP_sha256());
    return x;
}


static void
put(X509 *cert, EVP_PKEY *key)
{
    entries[count].cert = cert;
    entries[count].key = key;
    entries[count].authority = false;
    count++;
}


static void
empty(void)
{
    while (count != 0) {
        count--;
        X509_free(entries[count].cert);
    }

    while (all.count != 0) {
        drop_oldest();
    }
}


/* --- a handshake --------------------------------------------------------- */

static bool
shake(X509 *cert, EVP_PKEY *key, int version, const char *algorithms)
{
    int       i, done = 0;
    SSL      *client, *server;
    BIO      *left, *right;
    SSL_CTX  *ctx = SSL_CTX_new(TLS_method());
    char      text[4];

    SSL_CTX_set_max_proto_version(ctx, version);
    BIO_new_bio_pair(&left, 0, &right, 0);
    server = SSL_new(ctx);
    client = SSL_new(ctx);

    ok(SSL_use_certificate(server, cert) == 1
       && SSL_use_PrivateKey(server, key) == 1, "they belong together");
    SSL_set1_sigalgs_list(client, algorithms);
    SSL_set_bio(server, left, left);
    SSL_set_bio(client, right, right);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);

    for (i = 0; i < 20 && done != 1; i++) {
        (void) SSL_do_handshake(client);
        done = SSL_do_handshake(server);
    }

    done = done == 1 && SSL_write(server, "hi", 2) == 2
           && SSL_read(client, text, sizeof(text)) == 2;
    SSL_free(client);
    SSL_free(server);
    SSL_CTX_free(ctx);
    ERR_clear_error();
    return done;
}


static const lun_str  www = LUN_STR("store:LocalMachine/MY?subject=www.test");


static bool
shakes(int version, const char *algorithms)
{
    char       why[LUN_TLS_STORE_WHY];
    bool       done;
    certs     *chain;
    EVP_PKEY  *key;

    if (!lun_tls_store_get(www, false, &chain, &key, why)) {
        fprintf(stderr, "# %s\n", why);
        return false;
    }

    done = shake(sk_X509_value(chain, 0), key, version, algorithms);
    sk_X509_pop_free(chain, X509_free);
    EVP_PKEY_free(key);
    return done;
}


static void
signs_for_handshakes(void)
{
    EVP_PKEY  *rsa = EVP_RSA_gen(2048), *ec = EVP_EC_gen("P-256");

    put(make("www.test", rsa, -60, 3600, NULL, NULL), rsa);

    signs = 0;
    ok(shakes(TLS1_3_VERSION, "rsa_pss_rsae_sha256") && signs == 1
       && last.kind == LUN_SIGN_PSS && last.salt == 32, "RSA-PSS, TLS 1.3");
    ok(shakes(TLS1_3_VERSION, "rsa_pss_rsae_sha512") && last.salt == 64,
       "the salt is as long as the digest");
    ok(shakes(TLS1_2_VERSION, "RSA+SHA256") && last.kind == LUN_SIGN_PKCS1,
       "PKCS #1, TLS 1.2");

    empty();
    put(make("www.test", ec, -60, 3600, NULL, NULL), ec);
    ok(shakes(TLS1_3_VERSION, "ECDSA+SHA256") && last.kind == LUN_SIGN_ECDSA,
       "ECDSA, TLS 1.3");
    ok(shakes(TLS1_2_VERSION, "ECDSA+SHA384:ECDSA+SHA256"),
       "ECDSA, TLS 1.2");

    empty();
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(ec);
    is_int(open_keys, 0, "all keys are closed");
}


/* Who asks for the private half itself gets nothing. */
static void
shows_no_key(void)
{
    BIO       *bio = BIO_new(BIO_s_mem());
    char       why[LUN_TLS_STORE_WHY];
    BIGNUM    *d = NULL;
    EVP_PKEY  *rsa = EVP_RSA_gen(2048), *key = NULL;

    put(make("www.test", rsa, -60, 3600, NULL, NULL), rsa);
    ok(lun_tls_store_get(www, false, NULL, &key, why), "there is one");
    ok(PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) != 1,
       "it can't be written");
    ok(EVP_PKEY_get_bn_param(key, "d", &d) != 1, "nor asked for its numbers");

    ERR_clear_error();
    EVP_PKEY_free(key);
    empty();
    EVP_PKEY_free(rsa);
    BIO_free(bio);
}


/* --- which --------------------------------------------------------------- */

static bool
takes(lun_str name, const X509 *cert, char why[LUN_TLS_STORE_WHY])
{
    bool    same;
    certs  *chain = NULL;

    why[0] = '\0';

    if (!lun_tls_store_get(name, true, &chain, NULL, why)) {
        return false;
    }

    same = X509_cmp(sk_X509_value(chain, 0), cert) == 0;
    sk_X509_pop_free(chain, X509_free);
    return same;
}


static void
takes_the_newest(void)
{
    char       why[LUN_TLS_STORE_WHY];
    EVP_PKEY  *key = EVP_EC_gen("P-256");

    put(make("www.test", key, -7200, -3600, NULL, NULL), key);
    ok(takes(www, entries[0].cert, why), "one that is over, if no other is");

    lun_clock.sec += 59;
    put(make("WWW.test", key, -100, 3600, NULL, NULL), key);
    ok(takes(www, entries[0].cert, why), "within a minute nobody looks");
    lun_clock.sec++;
    ok(takes(www, entries[1].cert, why), "then one that is valid is found");

    lun_clock.sec += 60;
    put(make("www.test", key, -50, 1800, NULL, NULL), key);
    put(make("other.test", key, -10, 1800, NULL, NULL), key);
    put(make("www.test", key, 50, 9800, NULL, NULL), key);
    put(make("www.test", key, -40, 9800, NULL, NULL), NULL);
    ok(takes(www, entries[2].cert, why), "a renewed one, whose key is ours "
       "and whose time has come");

    lun_clock.sec += 60;
    broken = lun_err_of_kind(LUN_ERR_ACCESS);
    looks = 0;
    ok(takes(www, entries[2].cert, why) && looks == 1,
       "which stays while the store is away");
    ok(takes(www, entries[2].cert, why) && looks == 1, "and no one looks "
       "for a minute");
    broken = 0;

    empty();
    EVP_PKEY_free(key);
}


static void
knows_prints_and_chains(void)
{
    char       why[LUN_TLS_STORE_WHY], name[128] = "store:LocalMachine/MY?"
               "Thumbprint=";
    char      *p = name + strlen(name);
    certs     *chain;
    uint8_t    print[EVP_MAX_MD_SIZE];
    unsigned   i, n;
    EVP_PKEY  *key = EVP_EC_gen("P-256"), *above = EVP_EC_gen("P-256");
    X509      *root = make("root", above, -60, 3600, NULL, NULL);
    X509      *middle = make("middle", above, -60, 3600, root, above);

    put(make("www.test", key, -60, 3600, middle, above), key);
    put(root, NULL);
    put(middle, NULL);
    entries[1].authority = entries[2].authority = true;

    X509_digest(entries[0].cert, EVP_sha1(), print, &n);

    for (i = 0; i < n; i++) {
        p += snprintf(p, 4, i % 2 ? "%02x " : "%02X:", print[i]);
    }

    ok(lun_tls_store_get(lun_str_z(name), true, &chain, NULL, why)
       && sk_X509_num(chain) == 2, "by its thumbprint, with its issuer");
    sk_X509_pop_free(chain, X509_free);

    empty();
    EVP_PKEY_free(key);
    EVP_PKEY_free(above);
}


static void
says_what_is_wrong(void)
{
    char       why[LUN_TLS_STORE_WHY];
    size_t     i;
    EVP_PKEY  *key = EVP_EC_gen("P-256");

    static const char *const  bad[] = {
        "store:LocalMachine/", "store:LocalMachine/MY",
        "store:LocalMachine/?subject=x", "store:LocalMachine/MY?subject=",
        "store:LocalMachine/MY?issuer=x",
        "store:LocalMachine/MY?thumbprint=12",
        "store:LocalMachine/MY?thumbprint="
        "0102030405060708090a0b0c0d0e0f1011121314ff",
        "store:LocalMachine/MY?thumbprint="
        "0102030405060708090a0b0c0d0e0f10111213xy",
    };

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        ok(!takes(lun_str_z(bad[i]), NULL, why)
           && strstr(why, "is expected") != NULL, "no name");
    }

    ok(!takes(www, NULL, why) && strstr(why, "none with that subject"),
       "none");
    put(make("www.test", key, -60, 3600, NULL, NULL), NULL);
    ok(!takes(www, NULL, why) && strstr(why, "its private key"), "no key");
    ok(!takes(LUN_STR("store:CurrentUser/MY?subject=x"), NULL, why)
       && strstr(why, "can't be opened"), "no store");
    broken = lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
    ok(!takes(www, NULL, why) && strstr(why, "only Windows"), "no Windows");
    broken = 0;

    ok(lun_tls_is_in_store(LUN_STR("store:localmachine/x"))
       && !lun_tls_is_in_store(LUN_STR("store:file:x"))
       && !lun_tls_is_in_store(LUN_STR("store:")), "names");
    empty();
    EVP_PKEY_free(key);
}


int
main(void)
{
    lun_clock.sec = 1000;
    signs_for_handshakes();
    shows_no_key();
    takes_the_newest();
    knows_prints_and_chains();
    says_what_is_wrong();
    is_int(open_keys, 0, "all keys are closed");
    lun_lru_fini(&all);
    return done_testing();
}
