/*
 * side.h -- what a protocol is to the bridge: how its sessions wait, what the
 * end of a handler means to them, and how they speak to their client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SIDE_H
#define LUN_LUA_SIDE_H

#include "modules/lua/run/ctx.h"
#include "session/resolver_conf.h"
#include "session/script_path.h"

/* What sockets take from a protocol's core. */
typedef struct {
    bool               known;      /* false: nothing was configured */
    bool               tcp_nodelay;
    lun_name_servers  *resolver;   /* NULL: there is none */
    lun_msec           resolver_timeout;
} lun_lua_net;

/* A row of functions per protocol; ctx->session is one of its sessions. */
struct lun_lua_side {
    const char   *subsystem;       /* ngx.config.subsystem */
    const char   *prefix;          /* of lines of the log: "stream " */

    /* phases.c: before a handler starts; LEAVE, or what it says instead. */
    lun_verdict (*prepare)(lun_lua_ctx *ctx);
    /* The entry has ended: what the handler is to say. */
    lun_verdict (*conclude)(lun_lua_ctx *ctx, uint32_t phase);
    /* The session waits for its Lua; and goes on. */
    void        (*wait)(lun_lua_ctx *ctx);
    void        (*go_on)(lun_lua_ctx *ctx);
    /* A debug line: "content", of content_by_lua. */
    void        (*say)(const lun_session *s, lun_str phase);
    /* In whose machine it is to run as well; NULL: it may be any. */
    const lun_lua_ctx *(*above)(const lun_session *s);
    /* The path of a *_by_lua_file with variables; ERROR: there is none. */
    lun_rc      (*path)(lun_session *s, const lun_script *script,
                    lun_safe_path *c);

    /* output.c: hands on bufs of ours. */
    lun_rc      (*output)(lun_lua_ctx *ctx, lun_buf *first);
    /* Some that were handed on are still needed. */
    bool        (*holds)(const lun_lua_ctx *ctx);
    /* Bytes have still to leave; lun_lua_drained() when they have. */
    bool        (*pending)(const lun_lua_ctx *ctx);
    void        (*await)(lun_lua_ctx *ctx);

    /* sock/: ngx.req.socket, as a lua_CFunction. */
    int         (*client)(lua_State *L);
    lun_lua_net (*net)(const lun_lua_ctx *ctx);

    /* The core's conf in the protocol's block. */
    const void *(*top)(lun_conf *cf);

    /* When it began: seconds. */
    double      (*started)(const lun_session *s);

    /* ssl/handshake.c: whose connection it is, in a handshake; NULL: nobody's
       yet. */
    lun_session *(*session_at)(const lun_conn *c);
    /* The conf of the protocol's core there. */
    const void *(*core)(const lun_server *server);
};

extern const lun_lua_side  lun_lua_http_side, lun_lua_stream_side;

#endif
