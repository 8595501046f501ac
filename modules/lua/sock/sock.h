/*
 * sock.h -- cosockets: what the rooms of ngx.socket share.
 *
 * The Lua object is a table with a box (a userdata) at index 1, made when it
 * connects, and its time limits at 2, 4 and 5.  The box points to a lun_cosock,
 * until its connection is kept; it ends when no box has it and nobody waits.
 *
 * Up to two coroutines wait for a socket: one that connects, or one that reads
 * and one that writes.  A connection belongs to the context that made it and
 * is closed with that context.
 *
 * A session's own connection (ngx.req.socket) is read and written in the same
 * way, but not ended here; a request's is opened and made room in by the http
 * floor.
 *
 * Rooms: sock_tcp (life, options) - sock_tcp_connect - sock_tcp_read - matcher
 * (the matcher of receiveuntil) - sock_tcp_write - ..._ask, _frame, _pool -
 * sock_req (of requests), sock_stream (of stream sessions).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_SOCK_H
#define LUN_LUA_SOCK_H

#include "modules/lua/run/number.h"
#include "modules/lua/sock/matcher.h"
#include "modules/lua/run/thread.h"
#include "net/conn_pool.h"
#include "net/dns/resolver.h"

/* Where things are in the Lua table; lua/resty/core/socket.lua knows. */
enum {
    LUN_COSOCK_BOX             = 1,
    LUN_COSOCK_CONNECT_TIMEOUT = 2,  /* ms; absent: the configuration's */
    LUN_COSOCK_SEND_TIMEOUT    = 4,
    LUN_COSOCK_READ_TIMEOUT    = 5,
    LUN_COSOCK_TRANSPARENT     = 9   /* lua-resty-core knows it as well */
};

typedef enum {
    LUN_COSOCK_LINE,
    LUN_COSOCK_ALL,
    LUN_COSOCK_SIZE,
    LUN_COSOCK_ANY,
    LUN_COSOCK_UNTIL,
    LUN_COSOCK_REPLY, LUN_COSOCK_FRAME,    /* of Redis, of WebSocket */
    LUN_COSOCK_PEEK,               /* sock_stream.c's */
    LUN_COSOCK_DATAGRAM            /* of what came with it */
} lun_cosock_want;

/* Part of every socket, whatever its kind: it ends with its context. */
typedef struct lun_sock_life  lun_sock_life;
struct lun_sock_life {
    lun_list       link;           /* among its context's */
    lun_lua_ctx   *ctx;            /* NULL: it has ended, or none yet */
    void         (*end)(lun_sock_life *life);      /* and life->ctx = NULL */
};

/* From now on the context's; end(life) comes, once, when that ends. */
void lun_sock_join(lun_sock_life *life, lun_lua_ctx *ctx);

typedef struct {
    lun_sock_life      life;
    lun_conn          *conn;       /* NULL: not connected */
    bool               lent;       /* a client's: its session closes it */
    lun_request       *client;     /* whose it is, if that is HTTP's */
    bool               raw;        /* all of it; else only the body */
    unsigned           boxes;      /* who of Lua's still has it */
    bool               read_closed;
    bool               write_closed;

    /* Who waits. */
    lun_co            *connector, *reader, *writer;

    /* Connecting. */
    char                   *names; /* malloc'ed: what host and key are in */
    size_t                  names_room;
    char                   *host;  /* "unix:..." as well; NULL: none yet */
    const char             *host_fault;  /* what is wrong with it, or NULL */
    uint16_t                port;
    lun_str                 key;   /* the pool's name */
    lun_addr                local; /* bind(); family NONE: any */
    bool                    transparent;  /* it may be another machine's */
    lun_msec                connect_limit;
    lun_resolve_request    *query;
    lun_conn_waiter         waiter;
    bool                    waiting;  /* in the pool's queue */
    lun_conn_pool          *pool;  /* counted in there; NULL: nowhere */
    uint64_t                reused;

    /* Reading: what the reader wants, and how far its input was looked at. */
    lun_cosock_want      want;
    bool               masked;     /* FRAME: none that is not */
    size_t             size;       /* 0 for UNTIL, LINE: no limit */
    size_t             seen;
    lun_msec           read_limit; /* between two arrivals */
    lun_matcher         *match;      /* held */
    lun_match_run      run;

    /* A request's body: what was pulled of it, malloc'ed, and not read yet. */
    char              *body;
    size_t             body_pos, body_len, body_room;

    /* Writing: a copy of what could not be sent at once. */
    char              *out;        /* malloc'ed */
    size_t             out_len, out_done;
    lun_msec           send_limit; /* of each part */
    size_t             total;      /* what send() will say */

    /* TLS: the last handshake. */
    struct {
        char          *name;       /* malloc'ed, or NULL */
        bool           verify;
        bool           give_session;
        char           why[128];
        struct ssl_session_st *made;   /* for who asks by FFI (capi_sock.c) */
        X509_STORE    *trusted;        /* whom the next trusts; counted */
        bool           given, failed;  /* `made` is another's; see `why` */
    } ssl;
} lun_cosock;

/* --- sock_tcp.c --- */

/* The socket of the object at index 1, or NULL. */
lun_cosock *lun_cosock_of(lua_State *L);

/*
 * The connection behind what a socket's table has at LUN_COSOCK_BOX, as a
 * library gives it to FFI; NULL: there is none.
 */
const lun_conn *lun_cosock_conn(const void *box);

/* The same, made if there is none yet, and the present context's. */
lun_cosock *lun_cosock_own(lua_State *L);

/* Pushes nil and the words. */
int lun_cosock_fail(lua_State *L, const char *why);

/* "closed"; logged: "try to send data on a closed socket".  s or NULL. */
int lun_cosock_fail_closed(lua_State *L, const lun_cosock *s, const char *verb);

enum { LUN_COSOCK_READS = 1, LUN_COSOCK_WRITES = 2 };

/*
 * A socket that may do something now: connected, this context's, and nobody
 * waits who must not (`idle`: READS, WRITES or both).  Else NULL, and the
 * number of results pushed is in *n.  Throws "bad request".
 */
lun_cosock *lun_cosock_ready(lua_State *L, unsigned idle, int *n);

/* Of a connected one that was looked up already. */
lun_cosock *lun_cosock_free_for(lua_State *L, lun_cosock *s, unsigned idle,
    int *n);

/*
 * What send() was given at index 2, as bytes; good until something else is
 * sent or this coroutine yields.  Throws what is no data.
 */
lun_str lun_sock_data(lua_State *L);

/* A limit in ms from the object's table, or else `fallback`. */
lun_msec lun_cosock_limit(lua_State *L, int index, lun_msec fallback);

/* Closes the connection; it leaves its pool.  Harmless without one. */
void lun_cosock_close(lun_cosock *s);

/* Wakes who waits in *slot with its top `n` values; may free the socket. */
void lun_cosock_wake(lun_cosock *s, lun_co **slot, int n);

/* The same, with nil and the words. */
void lun_cosock_wake_error(lun_cosock *s, lun_co **slot, const char *why);

/* Frees it if neither Lua nor a waiting coroutine has it. */
void lun_cosock_let_go(lun_cosock *s);

bool lun_cosock_logs(const lun_cosock *s);

/* "read", "connect", ... took too long; where the log is to have it. */
void lun_cosock_log_timeout(const lun_cosock *s, const char *what);

/* For a coroutine's timer: whose time is up; NULL: the log is not told. */
lun_cosock *lun_cosock_timed_out(lun_timer *timer, const char *what);

/* --- the others; each is a lua_CFunction in the native table --- */

int lun_cosock_connect(lua_State *L);
int lun_cosock_receive(lua_State *L);
int lun_cosock_receive_any(lua_State *L);
int lun_cosock_receive_until(lua_State *L);
int lun_cosock_send(lua_State *L);
int lun_cosock_client(lua_State *L);
int lun_cosock_stream_client(lua_State *L);
int lun_cosock_keep(lua_State *L);

/* --- between the rooms --- */

/*
 * The pool that the socket's key names; with `size` > 0 it is made if there
 * is none: see lun_conn_pool_get().
 */
lun_conn_pool *lun_cosock_pool(const lun_cosock *s, size_t size,
    int64_t backlog);

/* Bytes have come to a connected socket; a posted write has ended. */
void lun_cosock_arrived(lun_cosock *s);
void lun_cosock_written(lun_cosock *s);

/* A datagram, of which `size` bytes are wanted: what to return to Lua. */
int lun_cosock_receive_datagram(lua_State *L, lun_cosock *s, size_t size);

/*
 * What was said before a send() on a stream session's socket has left: now
 * that goes out; or, with `why`, never will.
 */
void lun_cosock_unblock(lun_cosock *s, const char *why);

/* Something has come for a peek(). */
void lun_cosock_peeked(lun_cosock *s);

/* A stream session's input or connection has ended: who waits is told. */
void lun_cosock_stream_gone(lun_cosock *s);

/* The socket reads a request's body, whoever has its connection. */
static inline bool
lun_cosock_is_body(const lun_cosock *s)
{
    return s->client != NULL && !s->raw;
}

/*
 * More of the body is put behind what there is.  False: nothing can be for
 * now, and lun_cosock_arrived() follows.
 */
bool lun_cosock_pull_body(lun_cosock *s);

/* The connection stays, but not for this socket. */
void lun_cosock_leave_client(lun_cosock *s);

/*
 * No more will come: pushes what the reader gets, all of it for "*a" at the
 * end of the stream, else nil, why, and what there was.  Wake it with that.
 */
int lun_cosock_end_read(lun_cosock *s, const char *why);

/* What tcp_nodelay says, for a connection that is (or becomes) s's. */
void lun_cosock_nodelay(const lun_cosock *s, lun_conn *c);

/* Connected: from here on it reads and writes. */
void lun_cosock_begin(lun_cosock *s, lun_conn *c);

#endif
