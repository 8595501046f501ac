/*
 * ed25519.c -- signatures by secrets of any length.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/ed25519.c"
#include "tap.h"

#include "base/digest.h"


/* The signature in hex. */
static const char *
signature(lun_str secret, lun_str message)
{
    unsigned char  out[LUN_ED25519_SIZE];
    static char    text[2 * LUN_ED25519_SIZE + 1];

    if (lun_ed25519_sign(secret, message, out) != LUN_OK) {
        return "failed";
    }

    *lun_hex(text, out, sizeof(out)) = '\0';
    return text;
}


static lun_str
from_hex(const char *hex, char *room)
{
    size_t    i, n = strlen(hex) / 2;
    uint64_t  byte;

    for (i = 0; i < n; i++) {
        (void) lun_str_hex_to_u64(lun_str_of(hex + 2 * i, 2), &byte);
        room[i] = (char) byte;
    }

    return lun_str_of(room, n);
}


/* RFC 8032, 7.1: what stands for a password is a key of 32 bytes. */
static const struct {
    const char  *secret, *message, *signature;
} vectors[] = {
    { "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
      "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b" },
    { "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
    { "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
      "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a" }
};


int
main(void)
{
    char     secret[64], message[64];
    size_t   i;
    lun_str  key, text;

    for (i = 0; i < LUN_ARRAY_LEN(vectors); i++) {
        key = from_hex(vectors[i].secret, secret);
        text = from_hex(vectors[i].message, message);
        ok(strcmp(signature(key, text), vectors[i].signature) == 0,
           "vector %zu of RFC 8032", i + 1);
    }

    for (i = 0; i < 32; i++) {
        message[i] = (char) (i + 1);
    }

    ok(strcmp(signature(LUN_STR("secret"), lun_str_of(message, 32)),
              "60a0f4f8bcb6396043e44b2a25521af16f0815ff6369cc541c281e2c"
              "4455c8232b79b21ee5bb933507725db2f2919ea09e676f6abee19c5c"
              "7b98b40a627a9707") == 0, "a secret of any length");
    return done_testing();
}
