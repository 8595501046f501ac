/*
 * capi_sock.c -- what lua-resty-core asks of cosockets: options, what is
 * inside, handshakes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_wait.h"

#include <openssl/ssl.h>

#include "modules/lua/run/native.h"
#include "modules/lua/sock/sock_ssl.h"
#include "net/conn_sock.h"

enum { NAME_MOST = 255 };

/* The numbers that it has for them; up to 0.1.31 none for the last two. */
static const char *const  options[] = {
    [1] = "keepalive",
    [2] = "reuseaddr",
    [3] = "tcp-nodelay",
    [4] = "sndbuf",
    [5] = "rcvbuf",
    [6] = "keepintvl",
    [7] = "keepcnt"
};


/* Connected, and the present context's; NULL: *why not. */
static lun_cosock *
usable(const void *u, const char **why)
{
    lun_cosock  *s = lun_cosock_in(u);

    if (s == NULL || s->conn == NULL) {
        *why = "closed";
        return NULL;
    }

    if (s->life.ctx != lun_lua_now.ctx) {
        *why = "bad request";
        return NULL;
    }

    return s;
}


static const char *
option_name(int opt)
{
    return opt > 0 && (size_t) opt < LUN_ARRAY_LEN(options)
           && options[opt] != NULL ? options[opt] : "";
}


int
ngx_http_lua_ffi_socket_tcp_getoption(void *u, int opt, int *val, char *err,
    size_t *errlen)
{
    const char        *why;
    const lun_cosock  *s = usable(u, &why);

    if (s != NULL) {
        why = lun_cosock_get_option(s, option_name(opt), val);
    }

    return why != NULL ? lun_capi_fail(err, errlen, why) : LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_socket_tcp_setoption(void *u, int opt, int val, char *err,
    size_t *errlen)
{
    const char        *why;
    const lun_cosock  *s = usable(u, &why);

    if (s != NULL) {
        why = lun_cosock_set_option(s, option_name(opt), val);
    }

    return why != NULL ? lun_capi_fail(err, errlen, why) : LUN_CAPI_OK;
}


/* --- what is inside --- */

int
ngx_http_lua_ffi_socket_tcp_getfd(void *r, void *u, const char **errmsg)
{
    const lun_cosock  *s = usable(u, errmsg);

    return s != NULL ? (int) lun_conn_fd(s->conn) : LUN_CAPI_ERROR;
}


static SSL *
ssl_of(void *u, const char **errmsg)
{
    SSL               *ssl;
    const lun_cosock  *s = usable(u, errmsg);

    if (s == NULL) {
        return NULL;
    }

    ssl = lun_tls_of(s->conn);

    if (ssl == NULL) {
        *errmsg = "not an ssl socket";
    }

    return ssl;
}


int
ngx_http_lua_ffi_socket_tcp_get_ssl_pointer(void *r, void *u, void **pssl,
    const char **errmsg)
{
    *pssl = ssl_of(u, errmsg);
    return *pssl != NULL ? LUN_CAPI_OK : LUN_CAPI_ERROR;
}


int
ngx_http_lua_ffi_socket_tcp_get_ssl_ctx(void *r, void *u, void **pctx,
    const char **errmsg)
{
    SSL  *ssl = ssl_of(u, errmsg);

    *pctx = ssl != NULL ? SSL_get_SSL_CTX(ssl) : NULL;
    return ssl != NULL ? LUN_CAPI_OK : LUN_CAPI_ERROR;
}


/* *session is the caller's. */
int
ngx_http_lua_socket_tcp_get_ssl_session(void *r, void *u, void **session,
    const char **errmsg)
{
    SSL  *ssl = ssl_of(u, errmsg);

    *session = ssl != NULL ? SSL_get1_session(ssl) : NULL;

    if (ssl != NULL && *session == NULL) {
        *errmsg = "no session";
    }

    return *session != NULL ? LUN_CAPI_OK : LUN_CAPI_ERROR;
}


/* Whom the next handshake trusts; NULL: those of the configuration. */
int
ngx_http_lua_ffi_socket_tcp_settrustedstore(void *r, void *u, void *store,
    const char **errmsg)
{
    lun_cosock  *s = usable(u, errmsg);

    if (s == NULL) {
        return LUN_CAPI_ERROR;
    }

    if (lun_tls_of(s->conn) != NULL) {
        *errmsg = "ssl handshake already done; trusted store cannot be "
                  "changed on an established TLS connection";
        return LUN_CAPI_ERROR;
    }

    if (store != NULL && X509_STORE_up_ref(store) != 1) {
        *errmsg = "X509_STORE_up_ref() failed";
        return LUN_CAPI_ERROR;
    }

    X509_STORE_free(s->ssl.trusted);
    s->ssl.trusted = store;
    return LUN_CAPI_OK;
}


/* --- handshakes --- */

typedef struct {
    lun_cosock  *sock;
    void        *session, *chain, *key;
    bool         gives, named, verify, status;
    char         name[NAME_MOST + 1];
} handshake_job;


/* What FFI makes of it is not Lua's nil. */
static void
push_pointer(lua_State *L, void *p)
{
    if (p != NULL) {
        lua_pushlightuserdata(L, p);
    } else {
        lua_pushnil(L);
    }
}


/*
 * socket, connect limit, whether a session is wanted, name, verify, status;
 * session, chain, key, store.
 */
static int
push_handshake(lua_State *L, void *data)
{
    const handshake_job  *j = data;

    luaL_checkstack(L, 10, "too many arguments");
    lun_cosock_push(L, j->sock);
    lua_pushnumber(L, (lua_Number) j->sock->connect_limit);
    lua_pushboolean(L, j->gives);

    if (j->named) {
        lua_pushstring(L, j->name);
    } else {
        lua_pushnil(L);
    }

    lua_pushboolean(L, j->verify);
    lua_pushboolean(L, j->status);
    push_pointer(L, j->session);
    push_pointer(L, j->chain);
    push_pointer(L, j->key);
    push_pointer(L, j->sock->ssl.trusted);
    return 10;
}


static void
drop_handshake(void *data)
{
    handshake_job  *j = data;

    j->sock->boxes--;
    lun_cosock_let_go(j->sock);
    lun_free(j);
}


static const lun_capi_job  handshake = {
    "handshake", push_handshake, drop_handshake
};


/* A failed one is told of by what it has come to. */
int
ngx_http_lua_ffi_socket_tcp_sslhandshake(void *r, void *u, void *sess,
    int enable_session_reuse, const lun_str *server_name, int verify,
    int ocsp_status_req, void *chain, void *pkey, const char **errmsg)
{
    lun_cosock     *s = lun_cosock_in(u);
    handshake_job  *j;

    if (lun_lua_now.ctx == NULL || lun_lua_now.co == NULL
        || (lun_lua_now.phase & LUN_LUA_YIELDABLE) == 0)
    {
        return LUN_CAPI_NO_CTX;
    }

    if (s == NULL) {
        *errmsg = "closed";
        return LUN_CAPI_ERROR;
    }

    if (server_name->len > NAME_MOST) {
        *errmsg = "SSL_set_tlsext_host_name failed";
        return LUN_CAPI_ERROR;
    }

    j = lun_calloc(sizeof(handshake_job));
    s->boxes++;
    j->sock = s;
    j->session = sess;
    j->gives = enable_session_reuse != 0;
    j->verify = verify != 0;
    j->status = ocsp_status_req != 0;
    j->chain = chain;
    j->key = pkey;
    j->named = server_name->data != NULL;

    if (j->named) {
        *lun_copy_str(j->name, *server_name) = '\0';
    }

    return lun_capi_wait(&handshake, j);
}


/* (socket, session or true or nil, why or nil). */
int
lun_capi_keep_session(lua_State *L)
{
    lun_cosock  *s = lun_cosock_in(lua_touserdata(L, 1));
    const char  *why = lua_tostring(L, 3);

    luaL_argcheck(L, s != NULL, 1, "no socket");

    if (!s->ssl.given) {
        SSL_SESSION_free(s->ssl.made);
    }

    s->ssl.made = lua_islightuserdata(L, 2) ? lua_touserdata(L, 2) : NULL;
    s->ssl.given = false;
    s->ssl.failed = lua_isnil(L, 2);

    if (s->ssl.failed && why != s->ssl.why) {
        (void) lun_fmt(s->ssl.why, s->ssl.why + sizeof(s->ssl.why) - 1,
                       "%s%c", why != NULL ? why : "handshake failed", '\0');
    }

    return 0;
}


/* The session is the caller's, however often he asks for it. */
int
ngx_http_lua_ffi_socket_tcp_get_sslhandshake_result(void *r, void *u,
    void **sess, const char **errmsg, int *openssl_error_code)
{
    lun_cosock  *s = lun_cosock_in(u);

    *openssl_error_code = 0;

    if (s == NULL || s->ssl.failed) {
        *errmsg = s != NULL ? s->ssl.why : "closed";
        return LUN_CAPI_ERROR;
    }

    *sess = s->ssl.made;
    s->ssl.given = true;
    return LUN_CAPI_OK;
}
