/*
 * sock_ssl.c -- tcpsock:sslhandshake().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_ssl.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "modules/lua/run/ctx.h"
#include "modules/lua/ssl/ffi_ssl.h"
#include "modules/lua/run/native.h"


static void
fail(lun_cosock *s, const char *why)
{
    lun_cosock_close(s);
    lun_cosock_wake_error(s, &s->connector, why);
}


static int
push_result(lua_State *L, const lun_cosock *s)
{
    SSL_SESSION  *session;

    if (!s->ssl.give_session) {
        lua_pushboolean(L, 1);
        return 1;
    }

    session = SSL_get1_session(lun_tls_of(s->conn));
    lun_debug(s->life.ctx->log, "lua ssl save session: %p", (void *) session);
    lua_pushlightuserdata(L, session);
    return 1;
}


/* --- who it is ----------------------------------------------------------- */

/* NULL: the certificate is good, and of that name. */
static const char *
objection(lun_cosock *s)
{
    X509     *x;
    SSL      *ssl = lun_tls_of(s->conn);
    bool      logs = lun_cosock_logs(s);
    int64_t   rc = SSL_get_verify_result(ssl);

    if (rc != X509_V_OK) {
        (void) lun_fmt(s->ssl.why, s->ssl.why + sizeof(s->ssl.why) - 1,
                       "%" PRId64 ": %s%c", rc,
                       X509_verify_cert_error_string((int) rc), '\0');
        if (logs) {
            lun_log(LUN_LOG_ERR, s->life.ctx->log, 0, "lua ssl certificate "
                    "verify error: (%s)", s->ssl.why);
        }

        return s->ssl.why;
    }

    x = SSL_get0_peer_certificate(ssl);

    if (x == NULL) {
        return "no certificate";
    }

    if (s->ssl.name != NULL
        && X509_check_host(x, s->ssl.name, 0, 0, NULL) != 1)
    {
        if (logs) {
            lun_log(LUN_LOG_ERR, s->life.ctx->log, 0, "lua ssl certificate "
                    "does not match host \"%s\"", s->ssl.name);
        }

        return "certificate host mismatch";
    }

    return NULL;
}


/* --- what happens -------------------------------------------------------- */

static void
on_handshake_done(lun_conn *c)
{
    lun_co      *co;
    lun_cosock  *s = c->data;
    const char  *why = s->ssl.verify ? objection(s) : NULL;

    if (why != NULL) {
        fail(s, why);
        return;
    }

    co = s->connector;
    lun_cosock_begin(s, c);
    lun_cosock_wake(s, &s->connector, push_result(co->L, s));
}


/* The room of TLS has said why. */
static void
on_gone(lun_conn *c)
{
    fail(c->data, "handshake failed");
}


static const lun_conn_state  handshaking = {
    .name       = "cosocket handshaking",
    .doing      = "SSL handshaking",
    .on_written = on_handshake_done,
    .on_gone    = on_gone,
};


static void
on_timeout(lun_timer *timer)
{
    fail(lun_cosock_timed_out(timer, NULL), "timeout");
}


static void
on_cancel(void *data)
{
    lun_cosock  *s = data;

    s->connector = NULL;
    lun_cosock_close(s);
    lun_cosock_let_go(s);
}


/* --- the call ------------------------------------------------------------ */

/* What FFI made, a pointer; NULL: the argument is something else. */
static void *
pointer_at(lua_State *L, int index)
{
    return lua_type(L, index) == LUN_LUA_CDATA
           ? *(void *const *) lua_topointer(L, index) : NULL;
}


/* tcpsock:setclientcert() */
static const char *
use_certificate(lua_State *L, SSL *ssl)
{
    void        *all = pointer_at(L, 6), *key = pointer_at(L, 7);
    const char  *failed;

    if (all == NULL || key == NULL) {
        return NULL;
    }

    failed = lun_ssl_use_chain(ssl, all);

    if (failed == NULL && SSL_use_PrivateKey(ssl, key) != 1) {
        failed = "SSL_use_PrivateKey() failed";
    }

    ERR_clear_error();
    return failed;
}


/*
 * tcpsock:settrustedstore(), or what FFI has set: for this handshake, and none
 * after it.
 */
static bool
use_store(lua_State *L, lun_cosock *s, SSL *ssl)
{
    void  *store = pointer_at(L, 8);
    bool   rc;

    if (store == NULL) {
        store = s->ssl.trusted;
    }

    rc = store == NULL || SSL_set1_verify_cert_store(ssl, store) == 1;

    X509_STORE_free(s->ssl.trusted);
    s->ssl.trusted = NULL;
    return rc;
}


/*
 * In the order of sslhandshake()'s own arguments, whose error texts scripts
 * look for.
 */
static const char *
use_arguments(lua_State *L, lun_cosock *s, SSL *ssl)
{
    void            *session = pointer_at(L, 2);
    const char      *name;
    const lun_log   *log = s->life.ctx->log;

    s->ssl.verify = lua_toboolean(L, 4);
    lun_free(s->ssl.name);
    s->ssl.name = NULL;

    if (session != NULL) {
        lun_debug(log, "lua ssl set session: %p", session);

        if (SSL_set_session(ssl, session) != 1) {
            return "lua ssl set session failed";
        }
    }

    if (lua_isstring(L, 3)) {
        name = lua_tostring(L, 3);
        lun_debug(log, "lua ssl server name: \"%s\"", name);

        if (SSL_set_tlsext_host_name(ssl, name) != 1) {
            return "SSL_set_tlsext_host_name failed";
        }

        s->ssl.name = lun_malloc(strlen(name) + 1);
        strcpy(s->ssl.name, name);
    }

    if (lua_toboolean(L, 5)) {
        SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
    }

    if (!use_store(L, s, ssl)) {
        return "SSL_set1_verify_cert_store() failed";
    }

    return use_certificate(L, ssl);
}


static lun_cosock *
usable(lua_State *L, int *n)
{
    lun_cosock         *s = lun_cosock_of(L);
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (s == NULL || s->conn == NULL || s->read_closed || s->write_closed) {
        if (ctx->conf->socket_log_errors) {
            lun_log(LUN_LOG_ERR, ctx->log, 0, "attempt to do ssl handshake "
                    "on a closed socket");
        }

        *n = lun_cosock_fail(L, "closed");
        return NULL;
    }

    if (s->lent) {
        luaL_error(L, "bad request");
    }

    return lun_cosock_ready(L, LUN_COSOCK_READS | LUN_COSOCK_WRITES, n);
}


int
lun_cosock_ssl(lua_State *L)
{
    int          n;
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    SSL_CTX     *ctx;
    lun_cosock  *s = usable(L, &n);
    const char  *why;

    if (s == NULL) {
        return n;
    }

    s->ssl.give_session = !lua_isboolean(L, 2) || lua_toboolean(L, 2);

    if (lun_tls_of(s->conn) != NULL) {
        return push_result(L, s);      /* it has been done, maybe long ago */
    }

    ctx = lun_lua_ssl_ctx(s->life.ctx);

    if (ctx == NULL || lun_tls_start(s->conn, ctx, false) != LUN_OK) {
        return lun_cosock_fail(L, "failed to create ssl connection");
    }

    why = use_arguments(L, s, lun_tls_of(s->conn));

    if (why != NULL) {
        lun_cosock_close(s);
        return lun_cosock_fail(L, why);
    }

    s->connector = co;
    lun_timer_start(lun_lua_loop(co->ctx), &co->timer,
        lun_cosock_limit(L, LUN_COSOCK_CONNECT_TIMEOUT,
                         s->life.ctx->conf->socket_connect_timeout),
        on_timeout);
    lun_conn_enter(s->conn, &handshaking);
    lun_tls_handshake(s->conn);

    return lun_co_wait(co, "tcpsock:sslhandshake", on_cancel, s);
}


void
lun_cosock_ssl_forget(lun_cosock *s)
{
    if (!s->ssl.given) {
        SSL_SESSION_free(s->ssl.made);
    }

    s->ssl.made = NULL;
    X509_STORE_free(s->ssl.trusted);
    s->ssl.trusted = NULL;
}


void
lun_ffi_ssl_free_session(void *session)
{
    lun_debug(NULL, "lua ssl free session: %p", session);
    SSL_SESSION_free(session);
}
