/*
 * key_pair.c -- keys that are made here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/key_pair.c"
#include "tap.h"


static void
kinds(void)
{
    size_t        i;
    lun_key_kind  kind;

    static const struct {
        const char  *text;
        bool         rsa;
        unsigned     bits;
    } good[] = {
        { "ecdsa", false, 256 }, { "ecdsa:256", false, 256 },
        { "ecdsa:384", false, 384 }, { "ecdsa:521", false, 521 },
        { "rsa", true, 2048 }, { "rsa:2048", true, 2048 },
        { "rsa:3072", true, 3072 }, { "rsa:4096", true, 4096 }
    };
    static const struct {
        const char  *text, *why;
    } bad[] = {
        { "", "unsupported key algorithm" },
        { "dsa", "unsupported key algorithm" },
        { "rsa2048", "unsupported key algorithm" },
        { "rsa:1024", "unsupported key size" },
        { "rsa:", "unsupported key size" },
        { "rsa:99999999999999999999", "unsupported key size" },
        { "rsa:4294969344", "unsupported key size" },
        { "ecdsa:234", "unsupported curve" },
        { "ecdsa:-256", "unsupported curve" }
    };

    for (i = 0; i < LUN_ARRAY_LEN(good); i++) {
        ok(lun_key_kind_parse(lun_str_z(good[i].text), &kind) == NULL
           && kind.rsa == good[i].rsa && kind.bits == good[i].bits,
           "%s", good[i].text);
    }

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        is_str(lun_key_kind_parse(lun_str_of(tap_edge(bad[i].text,
                                                  strlen(bad[i].text)),
                                         strlen(bad[i].text)), &kind),
           bad[i].why, "\"%s\"", bad[i].text);
    }
}


static void
makes(lun_pool *pool, lun_key_kind kind)
{
    lun_str    pem;
    EVP_PKEY  *key = lun_key_make(kind), *again;

    ok(key != NULL && lun_key_is(key, kind), "%s:%u is made",
       kind.rsa ? "rsa" : "ecdsa", kind.bits);
    pem = lun_key_pem(pool, key);
    again = lun_key_read(pem);
    ok(again != NULL && EVP_PKEY_eq(key, again) == 1, "and read again");
    kind.bits *= 2;
    ok(!lun_key_is(key, kind), "and no other");
    EVP_PKEY_free(again);
    EVP_PKEY_free(key);
}


int
main(void)
{
    lun_pool  *pool = lun_pool_new_sized(4096);

    kinds();
    makes(pool, (lun_key_kind) { .bits = 256 });
    makes(pool, (lun_key_kind) { .bits = 384 });
    makes(pool, (lun_key_kind) { .bits = 521 });
    makes(pool, (lun_key_kind) { .rsa = true, .bits = 2048 });
    ok(lun_key_read(LUN_STR("")) == NULL, "no text is no key");
    ok(lun_key_read(LUN_STR("-----BEGIN PRIVATE KEY-----\nAAAA\n")) == NULL,
       "half a one is none, either");
    lun_pool_free(pool);
    return done_testing();
}
