/*
 * cert_maker.c -- certificates that are made here, and requests for them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/cert_maker.c"
#include "tap.h"

#include "net/tls/key_pair.h"


enum { FROM = 1700000000, UNTIL = FROM + 90 * 86400 };

static lun_pool   *pool;
static EVP_PKEY   *key, *ca_key;


static void
names(void)
{
    size_t                    i;
    static const char *const  good[] = {
        "a", "a.b", "*.a.b", "xn--bcher-kva.example", "_x.a", "127.0.0.1",
        "::1", "2001:db8::1", "a-b.c"
    };
    static const char *const  bad[] = {
        "", ".", "a.", ".a", "a..b", "*", "*.", "a.*", "**.a", "*a.b", "a b",
        "a/b", "[::1]", "127.0.0.1:80", "b\303\274cher.example",
        "0123456789012345678901234567890123456789012345678901234567890123.a"
    };

    for (i = 0; i < LUN_ARRAY_LEN(good); i++) {
        ok(lun_cert_may_name(lun_str_of(tap_edge(good[i], strlen(good[i])),
                                        strlen(good[i]))), "%s", good[i]);
    }

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        ok(!lun_cert_may_name(lun_str_of(tap_edge(bad[i], strlen(bad[i])),
                                         strlen(bad[i]))), "not \"%s\"",
           bad[i]);
    }
}


static void
by_itself(void)
{
    X509           *cert, *again;
    int64_t         from, until;
    const lun_str   bad = LUN_STR("a..b");
    const lun_str   all[] = { LUN_STR("*.a.test"), LUN_STR("b.test"),
                              LUN_STR("127.0.0.1"), LUN_STR("::1") };
    const lun_str   other[] = { LUN_STR("b.test"), LUN_STR("x.a.test") };
    lun_cert_wish   wish = { .names = all, .count = LUN_ARRAY_LEN(all),
                             .from = FROM, .until = UNTIL };

    cert = lun_cert_make(&wish, key, NULL, NULL);
    ok(cert != NULL && X509_verify(cert, key) == 1, "it is signed by its key");
    again = lun_cert_read(lun_cert_pem(pool, cert));
    ok(again != NULL && X509_cmp(cert, again) == 0, "and read again");
    ok(lun_cert_times(again, &from, &until) && from == FROM && until == UNTIL,
       "with its times");
    ok(lun_cert_has_names(again, all, LUN_ARRAY_LEN(all)), "and its names");
    ok(!lun_cert_has_names(again, other, LUN_ARRAY_LEN(other)), "no others");
    ok(X509_check_ca(again) == 0, "it signs nobody");
    X509_free(again);
    X509_free(cert);

    wish.names = &bad;
    wish.count = 1;
    ok(lun_cert_make(&wish, key, NULL, NULL) == NULL, "no name, none of it");
}


static void
by_authority(void)
{
    X509           *ca, *cert;
    const lun_str   name = LUN_STR("a.test");
    lun_cert_wish   wish = { .subject = LUN_STR("us"), .from = FROM,
                             .until = UNTIL, .authority = true };

    ca = lun_cert_make(&wish, ca_key, NULL, NULL);
    ok(ca != NULL && X509_check_ca(ca) == 1, "an authority");
    wish = (lun_cert_wish) { .names = &name, .count = 1, .from = FROM,
                             .until = UNTIL };
    cert = lun_cert_make(&wish, key, ca, ca_key);
    ok(cert != NULL && X509_verify(cert, ca_key) == 1, "signs others");
    is_int(X509_check_issued(ca, cert), X509_V_OK, "which say so");
    X509_free(cert);
    X509_free(ca);
}


static void
challenge(void)
{
    int                 at;
    X509               *cert;
    char                digest[] = "0123456789abcdef0123456789abcdef";
    ASN1_OBJECT        *id = OBJ_txt2obj("1.3.6.1.5.5.7.1.31", 1);
    X509_EXTENSION     *e;
    const lun_str       name = LUN_STR("a.test");
    lun_cert_wish       wish = { .names = &name, .count = 1, .from = FROM,
                                 .until = UNTIL,
                                 .challenge = LUN_STR_INIT(
                                     "0123456789abcdef0123456789abcdef") };

    cert = lun_cert_make(&wish, key, NULL, NULL);
    at = X509_get_ext_by_OBJ(cert, id, -1);
    e = X509_get_ext(cert, at);
    ok(e != NULL && X509_EXTENSION_get_critical(e) == 1, "it is critical");
    ok(ASN1_STRING_length(X509_EXTENSION_get_data(e)) == 34
       && memcmp(ASN1_STRING_get0_data(X509_EXTENSION_get_data(e)), "\x04\x20",
                 2) == 0
       && memcmp(ASN1_STRING_get0_data(X509_EXTENSION_get_data(e)) + 2, digest,
                 32) == 0, "an octet string, of the digest");
    X509_free(cert);
    ASN1_OBJECT_free(id);

    wish.challenge.len = 31;
    ok(lun_cert_make(&wish, key, NULL, NULL) == NULL, "of 32 bytes");
}


static void
request(void)
{
    lun_str                    der;
    X509_REQ                  *req;
    GENERAL_NAMES             *all;
    const unsigned char       *p;
    STACK_OF(X509_EXTENSION)  *extensions;
    const lun_str              list[] = { LUN_STR("a.test"),
                                          LUN_STR("2001:db8::1") };

    der = lun_cert_request(pool, list, LUN_ARRAY_LEN(list), key);
    p = (const unsigned char *) der.data;
    req = d2i_X509_REQ(NULL, &p, (int) der.len);
    ok(req != NULL && X509_REQ_verify(req, key) == 1, "signed by its key");
    is_int(X509_NAME_entry_count(X509_REQ_get_subject_name(req)), 0,
           "without a common name");
    extensions = X509_REQ_get_extensions(req);
    all = X509V3_get_d2i(extensions, NID_subject_alt_name, NULL, NULL);
    is_int(sk_GENERAL_NAME_num(all), 2, "for two names");
    sk_GENERAL_NAME_pop_free(all, GENERAL_NAME_free);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    X509_REQ_free(req);
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    key = lun_key_make((lun_key_kind) { .bits = 256 });
    ca_key = lun_key_make((lun_key_kind) { .bits = 384 });
    names();
    by_itself();
    by_authority();
    challenge();
    request();
    EVP_PKEY_free(key);
    EVP_PKEY_free(ca_key);
    lun_pool_free(pool);
    return done_testing();
}
