/*
 * ffi_ssl_hello.c -- a client's hello, for lua/ngx/ssl/clienthello.lua.
 *
 * ssl_client_hello_by_lua only, which the Lua side has checked: what OpenSSL
 * says of a hello is no more there afterwards.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/ffi_ssl.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include "net/tls/tls_ctx.h"


int
lun_ffi_hello_ext(unsigned type, lun_str *text, const char **why)
{
    SSL                  *ssl = lun_ffi_ssl_of(why);
    size_t                len;
    const unsigned char  *data;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    if (SSL_client_hello_get0_ext(ssl, type, &data, &len) != 1) {
        return LUN_FFI_NONE;
    }

    *text = lun_str_of((const char *) data, len);
    return LUN_FFI_OK;
}


static size_t
number_at(lun_str s, size_t at)
{
    return (size_t) (uint8_t) s.data[at] << 8 | (uint8_t) s.data[at + 1];
}


/* | list's size: 2 | kind: 1 | size: 2 | name | ... */
int
lun_ffi_hello_name(lun_str *name, const char **why)
{
    int      rc;
    size_t   len;
    lun_str  s;

    enum { HEAD = 5 };

    rc = lun_ffi_hello_ext(TLSEXT_TYPE_server_name, &s, why);

    if (rc != LUN_FFI_OK) {
        return rc;
    }

    *why = "Bad SSL Client Hello Extension";

    if (s.len <= HEAD || number_at(s, 0) != s.len - 2
        || s.data[2] != TLSEXT_NAMETYPE_host_name)
    {
        return LUN_FFI_ERROR;
    }

    len = number_at(s, 3);

    if (len > s.len - HEAD) {
        return LUN_FFI_ERROR;
    }

    *name = lun_str_of(s.data + HEAD, len);
    return LUN_FFI_OK;
}


int
lun_ffi_hello_exts(int *types, int most, const char **why)
{
    int     *all;
    SSL     *ssl = lun_ffi_ssl_of(why);
    size_t   n;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    if (SSL_client_hello_get1_extensions_present(ssl, &all, &n) != 1
        || all == NULL)
    {
        return 0;
    }

    memcpy(types, all, lun_min(n, (size_t) most) * sizeof(int));
    OPENSSL_free(all);
    return (int) n;
}


int
lun_ffi_hello_ciphers(lun_str *pairs, const char **why)
{
    SSL                  *ssl = lun_ffi_ssl_of(why);
    size_t                len;
    const unsigned char  *data;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    len = SSL_client_hello_get0_ciphers(ssl, &data);

    if (len == 0) {
        return LUN_FFI_NONE;
    }

    *pairs = lun_str_of((const char *) data, len);
    return LUN_FFI_OK;
}


int
lun_ffi_hello_set_protocols(unsigned protocols, const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    lun_tls_allow(ssl, protocols);
    return LUN_FFI_OK;
}
