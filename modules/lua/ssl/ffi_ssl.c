/*
 * ffi_ssl.c -- what is known of a client's TLS, for lua/ngx/ssl.lua.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/ffi_ssl.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "modules/lua/ssl/handshake.h"
#include "net/tls/tls.h"


SSL *
lun_ffi_ssl_of(const char **why)
{
    SSL             *ssl = NULL;
    const lun_conn  *c = lun_lua_client();

    if (c != NULL) {
        ssl = lun_tls_of(c);
    }

    *why = "bad request";
    return ssl;
}


void *
lun_ffi_ssl_pointer(void)
{
    const char  *why;

    return lun_ffi_ssl_of(&why);
}


int
lun_ffi_ssl_version(const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    return ssl != NULL ? SSL_version(ssl) : LUN_FFI_ERROR;
}


int
lun_ffi_ssl_server_name(lun_str *name, const char **why)
{
    SSL         *ssl = lun_ffi_ssl_of(why);
    const char  *text;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    text = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

    if (text == NULL) {
        return LUN_FFI_NONE;
    }

    *name = lun_str_z(text);
    return LUN_FFI_OK;
}


int
lun_ffi_ssl_server_port(const char **why)
{
    const lun_addr  *local;

    if (lun_ffi_ssl_of(why) == NULL) {
        return LUN_FFI_ERROR;
    }

    local = lun_conn_local(lun_lua_client());

    if (local->family == LUN_AF_UNIX) {
        *why = "unix domain has no port";
        return LUN_FFI_ERROR;
    }

    return local->port;
}


int
lun_ffi_ssl_addr(int server, lun_str *addr, const char **why)
{
    lun_conn        *c = lun_lua_client();
    const lun_addr  *a;

    if (lun_ffi_ssl_of(why) == NULL) {
        return LUN_FFI_ERROR;
    }

    a = server ? lun_conn_local(c) : &c->remote;

    switch (a->family) {

    case LUN_AF_INET6:
        *addr = lun_str_of((const char *) a->ip, 16);
        return 2;

    case LUN_AF_INET:
        *addr = lun_str_of((const char *) a->ip, 4);
        return 1;

    default:
        *addr = a->path != NULL ? lun_str_z(a->path) : LUN_STR("");
        return 0;
    }
}


int
lun_ffi_ssl_client_random(uint8_t *room, size_t size, const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    return ssl != NULL ? (int) SSL_get_client_random(ssl, room, size)
                       : LUN_FFI_ERROR;
}


int
lun_ffi_ssl_server_random(uint8_t *room, size_t size, const char **why)
{
    SSL  *ssl = lun_ffi_ssl_of(why);

    return ssl != NULL ? (int) SSL_get_server_random(ssl, room, size)
                       : LUN_FFI_ERROR;
}


int
lun_ffi_ssl_master_key(uint8_t *room, size_t size, const char **why)
{
    SSL                *ssl = lun_ffi_ssl_of(why);
    const SSL_SESSION  *session = ssl != NULL ? SSL_get_session(ssl) : NULL;

    if (ssl != NULL && session == NULL) {
        *why = "bad ssl session";
    }

    return session != NULL
           ? (int) SSL_SESSION_get_master_key(session, room, size)
           : LUN_FFI_ERROR;
}


int
lun_ffi_ssl_is_reused(void *ssl)
{
    return SSL_session_reused(ssl);
}


int
lun_ffi_ssl_shared_ciphers(uint16_t *ids, int most, const char **why)
{
    int                     i, n = 0;
    SSL                    *ssl = lun_ffi_ssl_of(why);
    const SSL_CIPHER       *c;
    STACK_OF(SSL_CIPHER)   *theirs, *ours;

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    theirs = SSL_get_client_ciphers(ssl);
    ours = SSL_get_ciphers(ssl);

    for (i = 0; n < most && i < sk_SSL_CIPHER_num(theirs); i++) {
        c = sk_SSL_CIPHER_value(theirs, i);

        if (sk_SSL_CIPHER_find(ours, (SSL_CIPHER *) (uintptr_t) c) >= 0) {
            ids[n++] = SSL_CIPHER_get_protocol_id(c);
        }
    }

    return n;
}


/* --- keys for others ------------------------------------------------------ */

static int
exported(int done, const char *failed, const char **why)
{
    ERR_clear_error();
    *why = failed;
    return done == 1 ? LUN_FFI_OK : LUN_FFI_ERROR;
}


int
lun_ffi_ssl_export(uint8_t *room, size_t size, const char *label,
    size_t label_len, const char *context, size_t context_len,
    const char **why)
{
    int   done;
    SSL  *ssl = lun_ffi_ssl_of(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    done = SSL_export_keying_material(ssl, room, size, label, label_len,
                                      (const unsigned char *) context,
                                      context_len, context != NULL);
    return exported(done, "SSL_export_keying_material() failed", why);
}


int
lun_ffi_ssl_export_early(uint8_t *room, size_t size, const char *label,
    size_t label_len, const char *context, size_t context_len,
    const char **why)
{
    int   done;
    SSL  *ssl = lun_ffi_ssl_of(why);

    if (ssl == NULL) {
        return LUN_FFI_ERROR;
    }

    done = SSL_export_keying_material_early(ssl, room, size, label, label_len,
                                            (const unsigned char *) context,
                                            context_len);
    return exported(done, "SSL_export_keying_material_early() failed", why);
}
