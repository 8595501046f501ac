/*
 * certstore.c -- Windows' stores, and a key of CNG's own, which signs.  (Wine
 * keeps no keys, and signs by PSS alone: what it can't is not asked there.)
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/certstore.c"

#include "tap.h"


static size_t  seen, wrong;


static bool
count_one(void *data, lun_str der, const lun_certstore_entry *e)
{
    seen++;
    wrong += der.len < 100 || der.data[0] != 0x30 || e->cert == NULL;
    return seen < 3;
}


static void
lists_stores(void)
{
    lun_err  err = lun_certstore_each(true, "ROOT", count_one, NULL);

    is_int(err, 0, "the machine's roots");
    ok(seen <= 3 && wrong == 0, "a list ends when the caller has enough");

    is_int(lun_certstore_each(false, "MY", count_one, NULL), 0,
           "the account's own certificates");
    ok(lun_certstore_each(true, "no such store", count_one, NULL) != 0,
       "one that is not there");
    ok(lun_certstore_each(true, "\xff", count_one, NULL) != 0,
       "no UTF-8");
}


static key_of_cert *
make_key(const wchar_t *algorithm)
{
    key_of_cert          *key = lun_calloc(sizeof(key_of_cert));
    NCRYPT_PROV_HANDLE    provider;
    NCRYPT(open, NCryptOpenStorageProvider);
    NCRYPT(create, NCryptCreatePersistedKey);
    NCRYPT(finalize, NCryptFinalizeKey);

    key->is_ours = true;

    if (open(&provider, MS_KEY_STORAGE_PROVIDER, 0) != 0
        || create(provider, &key->handle, algorithm, NULL, 0, 0) != 0
        || finalize(key->handle, NCRYPT_SILENT_FLAG) != 0)
    {
        lun_free(key);
        return NULL;
    }

    return key;
}


static void
signs(void)
{
    char                     digest[32] = "a digest of thirty-two letters.";
    uint8_t                  out[512];
    size_t                   n = 0;
    key_of_cert             *key = make_key(BCRYPT_RSA_ALGORITHM);
    lun_signing              how = { LUN_SIGN_PSS, "SHA2-256", 32 };
    BCRYPT_PSS_PADDING_INFO  pss = { BCRYPT_SHA256_ALGORITHM, 32 };
    NCRYPT(verify, NCryptVerifySignature);

    ok(key != NULL, "a key");

    if (key == NULL) {
        return;
    }

    is_int(lun_certstore_sign(key, &how, lun_str_of(digest, 32), out,
                              sizeof(out), &n), 0, "it signs");
    ok(n >= 128, "as long as a key is");
    is_int(verify(key->handle, &pss, (PBYTE) digest, 32, out, (DWORD) n,
                  BCRYPT_PAD_PSS), 0, "what is found to be right");
    out[5] ^= 1;
    ok(verify(key->handle, &pss, (PBYTE) digest, 32, out, (DWORD) n,
              BCRYPT_PAD_PSS) != 0, "and wrong when it was changed");

    how.digest = "MD4";
    ok(lun_certstore_sign(key, &how, lun_str_of(digest, 32), out,
                          sizeof(out), &n) != 0, "a digest that CNG has not");
    lun_certstore_close_key(key);
}


int
main(void)
{
    lists_stores();
    signs();
    return done_testing();
}
