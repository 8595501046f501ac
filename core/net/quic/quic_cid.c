/*
 * quic_cid.c -- connection ids that say which worker has the connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_cid.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"
#include "base/pool.h"
#include "os/random.h"


enum { BLOCK = 16, AES_KEY = 16 };

struct lun_quic_ids {
    EVP_CIPHER_CTX  *seal, *open;
    uint8_t          reset[LUN_QUIC_SECRET];
    uint8_t          token[LUN_QUIC_SECRET];
};


/* A key for one purpose: HMAC of its name. */
static bool
derive(const uint8_t *key, const char *name, uint8_t to[LUN_QUIC_SECRET])
{
    unsigned  len = LUN_QUIC_SECRET;

    return HMAC(EVP_sha256(), key, LUN_QUIC_KEY, (const uint8_t *) name,
                strlen(name), to, &len) != NULL;
}


/*
 * Three keys out of one, so that what is learnt of one says nothing of the
 * others.
 */
lun_quic_ids *
lun_quic_ids_new(const uint8_t *key)
{
    uint8_t        aes[LUN_QUIC_SECRET];
    lun_quic_ids  *ids = lun_calloc(sizeof(lun_quic_ids));

    ids->seal = EVP_CIPHER_CTX_new();
    ids->open = EVP_CIPHER_CTX_new();

    if (ids->seal == NULL || ids->open == NULL
        || !derive(key, "connection ids", aes)
        || !derive(key, "stateless resets", ids->reset)
        || !derive(key, "tokens", ids->token)
        || EVP_EncryptInit_ex(ids->seal, EVP_aes_128_ecb(), NULL, aes, NULL)
           != 1
        || EVP_DecryptInit_ex(ids->open, EVP_aes_128_ecb(), NULL, aes, NULL)
           != 1)
    {
        lun_quic_ids_free(ids);
        return NULL;
    }

    EVP_CIPHER_CTX_set_padding(ids->seal, 0);
    EVP_CIPHER_CTX_set_padding(ids->open, 0);
    return ids;
}


void
lun_quic_ids_free(lun_quic_ids *ids)
{
    if (ids != NULL) {
        EVP_CIPHER_CTX_free(ids->seal);
        EVP_CIPHER_CTX_free(ids->open);
        OPENSSL_cleanse(ids->reset, sizeof(ids->reset));
        OPENSSL_cleanse(ids->token, sizeof(ids->token));
        lun_free(ids);
    }
}


void
lun_quic_cid_make(lun_quic_ids *ids, const lun_quic_owner *owner,
    uint8_t cid[LUN_QUIC_CID])
{
    int      n;
    uint8_t  block[BLOCK];

    lun_random_bytes(block, BLOCK);
    cid[0] = block[0];
    memcpy(block, &owner->row, 2);
    memcpy(block + 2, &owner->process, 8);

    LUN_CHECK(EVP_EncryptUpdate(ids->seal, cid + 1, &n, block, BLOCK) == 1);
}


void
lun_quic_cid_read(lun_quic_ids *ids, const uint8_t cid[LUN_QUIC_CID],
    lun_quic_owner *owner)
{
    int      n;
    uint8_t  block[2 * BLOCK];

    LUN_CHECK(EVP_DecryptUpdate(ids->open, block, &n, cid + 1, BLOCK) == 1);

    memcpy(&owner->row, block, 2);
    memcpy(&owner->process, block + 2, 8);
}


const uint8_t *
lun_quic_reset_secret(const lun_quic_ids *ids)
{
    return ids->reset;
}


const uint8_t *
lun_quic_token_secret(const lun_quic_ids *ids)
{
    return ids->token;
}
