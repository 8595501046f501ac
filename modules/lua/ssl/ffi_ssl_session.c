/*
 * ffi_ssl_session.c -- sessions of TLS 1.2 that scripts keep, for
 * lua/ngx/ssl/session.lua.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ssl/ffi_ssl.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/digest.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/ssl/handshake.h"


/* The new one; NULL: this is not where one is stored. */
static SSL_SESSION *
new_session(void)
{
    const char  *why;
    SSL         *ssl = lun_ffi_ssl_of(&why);

    return ssl != NULL && lun_lua_now.phase == LUN_LUA_SSL_SESSION_STORE
           ? SSL_get_session(ssl) : NULL;
}


static bool
is_fetching(void)
{
    const char  *why;

    return lun_lua_now.phase == LUN_LUA_SSL_SESSION_FETCH
           && lun_ffi_ssl_of(&why) != NULL;
}


static const lun_server_tls *
server_tls(lun_conn *c)
{
    return lun_listen_of(c)->engine->tls;
}


/* In hex, up to LUN_FFI_SESSION_ID bytes; returns how many. */
int
lun_ffi_session_id(char *room, const char **why)
{
    lun_str               text;
    unsigned              len;
    SSL_SESSION          *session = new_session();
    const unsigned char  *id;

    if (session != NULL) {
        id = SSL_SESSION_get_id(session, &len);

    } else if (is_fetching()) {
        text = server_tls(lun_lua_client())->session_id(lun_lua_client());
        id = (const unsigned char *) text.data;
        len = (unsigned) text.len;

    } else {
        *why = "bad lua context";
        return LUN_FFI_ERROR;
    }

    return (int) (lun_hex(room, id, len) - room);
}


/* Malloc'ed, for lun_ffi_ssl_free_der(). */
int
lun_ffi_session_get(lun_str *der, const char **why)
{
    int             len;
    unsigned char  *p = NULL;
    SSL_SESSION    *session = new_session();

    if (session == NULL) {
        *why = "bad session in lua context";
        return LUN_FFI_ERROR;
    }

    len = i2d_SSL_SESSION(session, NULL);

    if (len > 0) {
        p = lun_malloc((size_t) len);
        *der = lun_str_of((char *) p, (size_t) len);
        (void) i2d_SSL_SESSION(session, &p);
        return LUN_FFI_OK;
    }

    ERR_clear_error();
    *why = "i2d_SSL_SESSION() failed";
    return LUN_FFI_ERROR;
}


int
lun_ffi_session_set(const char *der, size_t len, const char **why)
{
    SSL_SESSION          *session;
    const unsigned char  *p = (const unsigned char *) der;

    if (!is_fetching()) {
        *why = "bad lua context";
        return LUN_FFI_ERROR;
    }

    session = len <= LUN_FFI_SESSION_MOST
              ? d2i_SSL_SESSION(NULL, &p, (long) len) : NULL;

    if (session == NULL) {
        ERR_clear_error();
        *why = "failed to de-serialize session";
        return LUN_FFI_ERROR;
    }

    server_tls(lun_lua_client())->resume(lun_lua_client(), session);
    return LUN_FFI_OK;
}
