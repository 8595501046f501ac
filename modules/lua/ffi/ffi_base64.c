/*
 * ffi_base64.c -- base64, for lua/resty/core/base64.lua and ngx/base64.lua.
 *
 * Nothing here yields; every phase may call it.  The caller brings memory:
 * lun_base64_len() bytes to encode, len / 4 * 3 + 3 to decode.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "base/digest.h"


size_t
lun_ffi_base64_encode(const char *s, size_t len, int url, int padding,
    char *dst)
{
    return (size_t) (lun_base64_encode(dst, lun_str_of(s, len), url != 0,
                                       padding != 0) - dst);
}


int
lun_ffi_base64_decode(const char *s, size_t len, int url, int mime, char *dst,
    size_t *used)
{
    return lun_base64_decode(dst, used, lun_str_of(s, len), url != 0,
                             mime != 0);
}
