/*
 * ffi_hash.c -- digests, for lua/resty/core/hash.lua.
 *
 * Nothing here yields; every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include "base/digest.h"

LUN_EXPORT void lun_ffi_md5(const char *s, size_t len, char *hex);
LUN_EXPORT void lun_ffi_md5_bin(const char *s, size_t len,
    unsigned char *out);
LUN_EXPORT void lun_ffi_sha1_bin(const char *s, size_t len,
    unsigned char *out);
LUN_EXPORT void lun_ffi_hmac_sha1(const char *key, size_t key_len,
    const char *s, size_t len, unsigned char *out);
LUN_EXPORT uint32_t lun_ffi_crc32(const char *s, size_t len);


/* 32 hex digits. */
void
lun_ffi_md5(const char *s, size_t len, char *hex)
{
    unsigned char  sum[LUN_MD5_SIZE];

    lun_md5(lun_str_of(s, len), sum);
    (void) lun_hex(hex, sum, sizeof(sum));
}


void
lun_ffi_md5_bin(const char *s, size_t len, unsigned char *out)
{
    lun_md5(lun_str_of(s, len), out);
}


void
lun_ffi_sha1_bin(const char *s, size_t len, unsigned char *out)
{
    lun_sha1(lun_str_of(s, len), out);
}


void
lun_ffi_hmac_sha1(const char *key, size_t key_len, const char *s, size_t len,
    unsigned char *out)
{
    lun_hmac_sha1(lun_str_of(key, key_len), lun_str_of(s, len), out);
}


uint32_t
lun_ffi_crc32(const char *s, size_t len)
{
    return lun_crc32(lun_str_of(s, len));
}
