/*
 * sock_inside.c -- options of cosockets, and what is inside of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_inside.h"

#include <openssl/ssl.h>

#include "modules/lua/sock/sock_ssl.h"
#include "net/conn_sock.h"


/* --- options ------------------------------------------------------------- */

static const struct {
    const char       *name;
    lun_sock_option   option;
} options[] = {
    { "keepalive",   LUN_SOCK_KEEPALIVE },
    { "reuseaddr",   LUN_SOCK_REUSE_ADDR },
    { "tcp-nodelay", LUN_SOCK_NODELAY },
    { "sndbuf",      LUN_SOCK_SNDBUF },
    { "rcvbuf",      LUN_SOCK_RCVBUF },
    { "keepidle",    LUN_SOCK_KEEPIDLE },
    { "keepintvl",   LUN_SOCK_KEEPINTVL },
    { "keepcnt",     LUN_SOCK_KEEPCNT },
};


static bool
find_option(const char *name, lun_sock_option *option)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(options); i++) {
        if (strcmp(name, options[i].name) == 0) {
            *option = options[i].option;
            return true;
        }
    }

    return false;
}


static int
fail_option(lua_State *L, const char *name)
{
    lua_pushnil(L);
    lua_pushfstring(L, "unsupported option %s", name);
    return 2;
}


static const char *
set_option(const lun_cosock *s, lun_sock_option option, int value)
{
    lun_err  err = lun_conn_option(s->conn, option, value);

    return err != 0 ? lun_err_sock_text(err) : NULL;
}


static const char *
get_option(const lun_cosock *s, lun_sock_option option, int *value)
{
    lun_err  err = lun_conn_ask_option(s->conn, option, value);

    return err != 0 ? lun_err_sock_text(err) : NULL;
}


const char *
lun_cosock_set_option(const lun_cosock *s, const char *name, int value)
{
    lun_sock_option  option;

    return find_option(name, &option) ? set_option(s, option, value)
                                      : "unsupported option";
}


const char *
lun_cosock_get_option(const lun_cosock *s, const char *name, int *value)
{
    lun_sock_option  option;

    return find_option(name, &option) ? get_option(s, option, value)
                                      : "unsupported option";
}


/* (object, a string, no nil) */
int
lun_cosock_lua_set_option(lua_State *L)
{
    int               n;
    const char       *why;
    lun_cosock       *s;
    lun_sock_option   option;

    if (!find_option(lua_tostring(L, 2), &option)) {
        return fail_option(L, lua_tostring(L, 2));
    }

    if (!lua_isboolean(L, 3) && lua_type(L, 3) != LUA_TNUMBER) {
        return luaL_argerror(L, 3, lua_pushfstring(L, "cannot convert '%s' to "
                                                   "'int'",
                                                   luaL_typename(L, 3)));
    }

    s = lun_cosock_ready(L, 0, &n);

    if (s == NULL) {
        return n;
    }

    n = lua_isboolean(L, 3) ? lua_toboolean(L, 3)
                            : (int) lun_number_at(L, 3, INT32_MIN, INT32_MAX);
    why = set_option(s, option, n);

    if (why != NULL) {
        return lun_cosock_fail(L, why);
    }

    lua_pushboolean(L, 1);
    return 1;
}


/* (object, a string) */
int
lun_cosock_lua_get_option(lua_State *L)
{
    int               n;
    const char       *why;
    lun_cosock       *s;
    lun_sock_option   option;

    if (!find_option(lua_tostring(L, 2), &option)) {
        return fail_option(L, lua_tostring(L, 2));
    }

    s = lun_cosock_ready(L, 0, &n);

    if (s == NULL) {
        return n;
    }

    why = get_option(s, option, &n);

    if (why != NULL) {
        return lun_cosock_fail(L, why);
    }

    lua_pushinteger(L, n);
    return 1;
}


/* What is inside a socket, for C libraries that work on it. */
enum { INSIDE_FD, INSIDE_SSL, INSIDE_SSL_CTX, INSIDE_SESSION };


/*
 * For libraries that call OpenSSL by FFI; the session has a reference of the
 * caller's, as ngx_lua's sslhandshake() gives it.
 */
int
lun_cosock_lua_inside(lua_State *L)
{
    int                what = (int) lun_number_at(L, 2, 0, INSIDE_SESSION);
    SSL               *ssl;
    SSL_SESSION       *session;
    const lun_cosock  *s = lun_cosock_of(L);

    if (s == NULL || s->conn == NULL) {
        return lun_cosock_fail(L, "closed");
    }

    if (what == INSIDE_FD) {
        lua_pushnumber(L, (lua_Number) lun_conn_fd(s->conn));
        return 1;
    }

    ssl = lun_tls_of(s->conn);

    if (ssl == NULL) {
        return lun_cosock_fail(L, "not an ssl socket");
    }

    if (what != INSIDE_SESSION) {
        lua_pushlightuserdata(L, what == INSIDE_SSL
                              ? (void *) ssl : (void *) SSL_get_SSL_CTX(ssl));
        return 1;
    }

    session = SSL_get1_session(ssl);

    if (session == NULL) {
        return lun_cosock_fail(L, "no session");
    }

    lua_pushlightuserdata(L, session);
    return 1;
}
