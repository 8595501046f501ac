/*
 * digest.h -- md5, sha1, hmacs (OpenSSL's), crc32 (zlib-ng's), murmur, base64,
 * hex.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DIGEST_H
#define LUN_DIGEST_H

#include "base/str.h"

enum { LUN_MD5_SIZE = 16, LUN_SHA1_SIZE = 20, LUN_SHA256_SIZE = 32 };

void lun_md5(lun_str s, unsigned char out[LUN_MD5_SIZE]);
void lun_sha1(lun_str s, unsigned char out[LUN_SHA1_SIZE]);
void lun_hmac_sha1(lun_str key, lun_str s, unsigned char out[LUN_SHA1_SIZE]);
void lun_hmac_sha256(lun_str key, lun_str s,
    unsigned char out[LUN_SHA256_SIZE]);
uint32_t lun_crc32(lun_str s);
/* Of what `crc` is of, and s behind it. */
uint32_t lun_crc32_more(uint32_t crc, lun_str s);

/* Appleby's MurmurHash2 of 32 bits, with seed 0: the same on each machine. */
uint32_t lun_murmur(lun_str s);

/* Lower-case hex, 2 * n bytes; returns the end. */
char *lun_hex(char *dst, const unsigned char *src, size_t n);

/* RFC 4648.  `url` is the "base64url" alphabet. */
static inline size_t
lun_base64_len(size_t n)
{
    return (n + 2) / 3 * 4;
}

char *lun_base64_encode(char *dst, lun_str s, bool url, bool padding);

/*
 * Room: s.len / 4 * 3 + 3; dst may be s.data.  Ends at the first '=', padding
 * is optional; a byte outside the alphabet is LUN_ERROR, `mime` skips it
 * instead; a single left-over digit is LUN_ERROR.  *len is set only for OK.
 */
lun_rc lun_base64_decode(char *dst, size_t *len, lun_str s, bool url,
    bool mime);

#endif
