/*
 * ffi_proxy_ssl.c -- the handshake with a server of an upstream, for
 * lua/ngx/proxyssl.lua, lua/ngx/ssl/proxysslcert.lua and proxysslverify.lua.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/proxy_handshake.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "modules/lua/ssl/ffi_ssl.h"
#include "net/tls/tls.h"


/* NULL: *why. */
static SSL *
upstream_ssl(const char **why)
{
    const lun_conn  *c = lun_lua_upstream_conn();

    *why = "bad upstream connection";
    return c != NULL ? lun_tls_of(c) : NULL;
}


void *
lun_ffi_proxy_ssl_pointer(const char **why)
{
    return upstream_ssl(why);
}


static int
result(const char *failed, const char **why)
{
    ERR_clear_error();
    *why = failed;
    return failed == NULL ? LUN_FFI_OK : LUN_FFI_ERROR;
}


int
lun_ffi_proxy_ssl_version(const char **why)
{
    SSL  *ssl = upstream_ssl(why);

    return ssl != NULL ? SSL_version(ssl) : LUN_FFI_ERROR;
}


int
lun_ffi_proxy_ssl_clear(const char **why)
{
    SSL  *ssl = upstream_ssl(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    SSL_certs_clear(ssl);
    return LUN_FFI_OK;
}


int
lun_ffi_proxy_ssl_set_cert(void *chain, const char **why)
{
    SSL  *ssl = upstream_ssl(why);

    return ssl == NULL ? LUN_FFI_ERROR
           : result(chain == NULL ? "invalid certificate chain"
                    : lun_ssl_use_chain(ssl, chain), why);
}


int
lun_ffi_proxy_ssl_set_key(void *key, const char **why)
{
    SSL  *ssl = upstream_ssl(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    return result(key == NULL ? "invalid private key failed"
                  : SSL_use_PrivateKey(ssl, key) != 1
                    ? "SSL_use_PrivateKey() failed" : NULL, why);
}


int
lun_ffi_proxy_ssl_set_result(int verdict, const char **why)
{
    if (upstream_ssl(why) == NULL) {
        return LUN_FFI_ERROR;
    }

    *lun_upstream_tls_result(lun_lua_upstream_conn()) = verdict;
    return LUN_FFI_OK;
}


int
lun_ffi_proxy_ssl_result(const char **why)
{
    return upstream_ssl(why) == NULL ? LUN_FFI_ERROR
           : *lun_upstream_tls_result(lun_lua_upstream_conn());
}


void *
lun_ffi_proxy_ssl_cert(const char **why)
{
    X509             *cert;
    STACK_OF(X509)   *chain;

    if (upstream_ssl(why) == NULL) {
        return NULL;
    }

    cert = lun_upstream_tls_cert(lun_lua_upstream_conn());
    chain = cert != NULL ? sk_X509_new_null() : NULL;
    *why = "no certificate";

    if (chain == NULL) {
        return NULL;
    }

    if (sk_X509_push(chain, cert) == 0) {
        sk_X509_free(chain);
        return NULL;
    }

    X509_up_ref(cert);
    return chain;
}
