/*
 * capi_openssl.c -- SSL and SSL_CTX of OpenSSL's, for lua-resty-openssl.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_openssl.h"

#include <openssl/ssl.h>

#include "modules/lua/run/ctx.h"
#include "modules/lua/ssl/ffi_ssl.h"
#include "modules/lua/sock/sock.h"
#include "net/tls/tls.h"


static SSL *
client_ssl(void)
{
    const char  *why;

    return lun_lua_now.ctx != NULL ? lun_ffi_ssl_of(&why) : NULL;
}


static SSL *
socket_ssl(const void *box)
{
    const lun_conn  *c = lun_cosock_conn(box);

    return c != NULL ? lun_tls_of(c) : NULL;
}


static int
give(SSL *ssl, bool ctx, void **out)
{
    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    *out = ctx ? (void *) SSL_get_SSL_CTX(ssl) : (void *) ssl;
    return LUN_FFI_OK;
}


int
ngx_http_lua_resty_openssl_aux_get_request_ssl(void *in, void **out)
{
    return give(client_ssl(), false, out);
}


int
ngx_http_lua_resty_openssl_aux_get_request_ssl_ctx(void *in, void **out)
{
    return give(client_ssl(), true, out);
}


int
ngx_http_lua_resty_openssl_aux_get_socket_ssl(void *in, void **out)
{
    return give(socket_ssl(in), false, out);
}


int
ngx_http_lua_resty_openssl_aux_get_socket_ssl_ctx(void *in, void **out)
{
    return give(socket_ssl(in), true, out);
}


int
ngx_stream_lua_resty_openssl_aux_get_request_ssl(void *in, void **out)
{
    return give(client_ssl(), false, out);
}


int
ngx_stream_lua_resty_openssl_aux_get_request_ssl_ctx(void *in, void **out)
{
    return give(client_ssl(), true, out);
}


int
ngx_stream_lua_resty_openssl_aux_get_socket_ssl(void *in, void **out)
{
    return give(socket_ssl(in), false, out);
}


int
ngx_stream_lua_resty_openssl_aux_get_socket_ssl_ctx(void *in, void **out)
{
    return give(socket_ssl(in), true, out);
}
