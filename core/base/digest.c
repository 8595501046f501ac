/*
 * digest.c -- md5, sha1, their hmacs, crc32, base64, hex.
 *
 * OpenSSL 3 looks an algorithm up by name, under locks, whenever it is asked
 * by its old-style handle; here each is fetched once, and every thread keeps
 * one context per algorithm and begins it anew.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/digest.h"

#include <openssl/evp.h>
#include <zlib-ng.h>

#include "base/check.h"


enum { MD5, SHA1, SHA256, KINDS, HMAC_BLOCK = 64, NONE = 0xff };

static const char *const  names[KINDS] = { "MD5", "SHA1", "SHA256" };


static EVP_MD_CTX *
begin(int kind)
{
    static _Thread_local EVP_MD_CTX  *contexts[KINDS];
    static _Thread_local EVP_MD      *fetched[KINDS];

    if (LUN_UNLIKELY(contexts[kind] == NULL)) {
        fetched[kind] = EVP_MD_fetch(NULL, names[kind], NULL);
        contexts[kind] = EVP_MD_CTX_new();
        LUN_CHECK(fetched[kind] != NULL && contexts[kind] != NULL);
    }

    LUN_CHECK(EVP_DigestInit_ex2(contexts[kind], fetched[kind], NULL) == 1);
    return contexts[kind];
}


static void
add(EVP_MD_CTX *ctx, const void *data, size_t len)
{
    LUN_CHECK(len == 0 || EVP_DigestUpdate(ctx, data, len) == 1);
}


static void
end(EVP_MD_CTX *ctx, unsigned char *out)
{
    LUN_CHECK(EVP_DigestFinal_ex(ctx, out, NULL) == 1);
}


static void
digest(int kind, lun_str s, unsigned char *out)
{
    EVP_MD_CTX  *ctx = begin(kind);

    add(ctx, s.data, s.len);
    end(ctx, out);
}


void
lun_md5(lun_str s, unsigned char out[LUN_MD5_SIZE])
{
    digest(MD5, s, out);
}


void
lun_sha1(lun_str s, unsigned char out[LUN_SHA1_SIZE])
{
    digest(SHA1, s, out);
}


/* RFC 2104: H((key ^ 5c) H((key ^ 36) text)). */
static void
hmac(int kind, size_t size, lun_str key, lun_str s, unsigned char *out)
{
    int             i;
    EVP_MD_CTX     *ctx;
    unsigned char   pad[HMAC_BLOCK] = { 0 };

    if (key.len > HMAC_BLOCK) {
        digest(kind, key, pad);

    } else if (key.len != 0) {
        memcpy(pad, key.data, key.len);
    }

    for (i = 0; i < HMAC_BLOCK; i++) {
        pad[i] ^= 0x36;
    }

    ctx = begin(kind);
    add(ctx, pad, HMAC_BLOCK);
    add(ctx, s.data, s.len);
    end(ctx, out);

    for (i = 0; i < HMAC_BLOCK; i++) {
        pad[i] ^= 0x36 ^ 0x5c;
    }

    ctx = begin(kind);
    add(ctx, pad, HMAC_BLOCK);
    add(ctx, out, size);
    end(ctx, out);
}


void
lun_hmac_sha1(lun_str key, lun_str s, unsigned char out[LUN_SHA1_SIZE])
{
    hmac(SHA1, LUN_SHA1_SIZE, key, s, out);
}


void
lun_hmac_sha256(lun_str key, lun_str s, unsigned char out[LUN_SHA256_SIZE])
{
    hmac(SHA256, LUN_SHA256_SIZE, key, s, out);
}


uint32_t
lun_crc32(lun_str s)
{
    return lun_crc32_more(0, s);
}


uint32_t
lun_crc32_more(uint32_t crc, lun_str s)
{
    /* zlib takes a NULL pointer as the question for the initial value. */
    return s.len != 0
           ? (uint32_t) zng_crc32_z(crc, (const unsigned char *) s.data, s.len)
           : crc;
}


char *
lun_hex(char *dst, const unsigned char *src, size_t n)
{
    static const char  digits[] = "0123456789abcdef";

    for ( /* void */ ; n != 0; src++, n--) {
        *dst++ = digits[*src >> 4];
        *dst++ = digits[*src & 15];
    }

    return dst;
}


static const char  alphabets[2][65] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
};


char *
lun_base64_encode(char *dst, lun_str s, bool url, bool padding)
{
    size_t                n;
    uint32_t              v;
    const char           *abc = alphabets[url];
    const unsigned char  *p = (const unsigned char *) s.data;

    for (n = s.len; n >= 3; p += 3, n -= 3) {
        v = (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 | p[2];

        *dst++ = abc[v >> 18];
        *dst++ = abc[v >> 12 & 63];
        *dst++ = abc[v >> 6 & 63];
        *dst++ = abc[v & 63];
    }

    if (n == 0) {
        return dst;
    }

    v = (uint32_t) p[0] << 16 | (n == 2 ? (uint32_t) p[1] << 8 : 0);

    *dst++ = abc[v >> 18];
    *dst++ = abc[v >> 12 & 63];

    if (n == 2) {
        *dst++ = abc[v >> 6 & 63];
    }

    if (padding) {
        for ( /* void */ ; n < 3; n++) {
            *dst++ = '=';
        }
    }

    return dst;
}


/* The digit's value, or NONE: each alphabet's table is made at first use. */
static const uint8_t *
values(bool url)
{
    int             i;
    static bool     made[2];
    static uint8_t  tables[2][256];

    if (LUN_UNLIKELY(!made[url])) {
        memset(tables[url], NONE, sizeof(tables[url]));

        for (i = 0; i < 64; i++) {
            tables[url][(unsigned char) alphabets[url][i]] = (uint8_t) i;
        }

        made[url] = true;
    }

    return tables[url];
}


lun_rc
lun_base64_decode(char *dst, size_t *len, lun_str s, bool url, bool mime)
{
    char                 *d;
    uint8_t               digit;
    unsigned              count;
    uint32_t              v;
    const uint8_t        *value;
    const unsigned char  *p, *last;

    value = values(url);
    p = (const unsigned char *) s.data;
    last = p + s.len;
    d = dst;
    v = 0;
    count = 0;

    for ( /* void */ ; p < last && *p != '='; p++) {
        digit = value[*p];

        if (digit == NONE) {
            if (mime) {
                continue;
            }
            return LUN_ERROR;
        }

        v = v << 6 | digit;

        if (++count % 4 == 0) {
            *d++ = (char) (v >> 16);
            *d++ = (char) (v >> 8);
            *d++ = (char) v;
        }
    }

    switch (count % 4) {
    case 1:
        return LUN_ERROR;
    case 2:
        *d++ = (char) (v >> 4);
        break;
    case 3:
        *d++ = (char) (v >> 10);
        *d++ = (char) (v >> 2);
        break;
    }

    *len = (size_t) (d - dst);
    return LUN_OK;
}


/*
 * nginx's MurmurHash2, bit for bit: split_clients has to put users who moved
 * here on the same side.
 */
uint32_t
lun_murmur(lun_str s)
{
    uint32_t              k, h = (uint32_t) s.len;
    const uint32_t        m = 0x5bd1e995;
    const unsigned char  *p = (const unsigned char *) s.data;

    for ( ; s.len >= 4; s.len -= 4, p += 4) {
        k = (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16
            | (uint32_t) p[3] << 24;
        k *= m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }

    if (s.len != 0) {
        h ^= s.len > 2 ? (uint32_t) p[2] << 16 : 0;
        h ^= s.len > 1 ? (uint32_t) p[1] << 8 : 0;
        h = (h ^ p[0]) * m;
    }

    h ^= h >> 13;
    h *= m;

    return h ^ h >> 15;
}
