/*
 * sock_tcp_read.c -- receive, receiveany, receiveuntil.
 *
 * What comes stays in the connection's buffer, which grows with what is
 * wanted, until it is whole: then it becomes one Lua string.  A read that was
 * given up goes on in the background; its bytes are the next reader's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock.h"

#include "base/check.h"
#include "http/body.h"
#include "modules/lua/run/downstream.h"
#include "modules/lua/sock/sock_ask.h"

enum {
    GROW_LEAST  = 65536,           /* a wanted size up to it is made room for */
    KEEP_MOST   = 65536,           /* a larger buffer goes when it is empty */
    DATAGRAM_MOST = 65536
};


/* --- what is there ------------------------------------------------------- */

/* What has come and was not read. */
static const char *
bytes_at(const lun_cosock *s)
{
    if (lun_cosock_is_body(s)) {
        return s->body != NULL ? s->body + s->body_pos : "";
    }

    return s->conn->in.pos;
}


static size_t
here(const lun_cosock *s)
{
    if (lun_cosock_is_body(s)) {
        return s->body_len - s->body_pos;
    }

    return (size_t) (s->conn->in.last - s->conn->in.pos);
}


/* All of a body has come. */
static bool
is_whole_body(const lun_cosock *s)
{
    return lun_cosock_is_body(s) && s->client->body->complete;
}


/* Nothing will come after what is here. */
static bool
has_ended(const lun_cosock *s)
{
    if (lun_cosock_is_body(s)) {
        return !lun_body_is_open(s->client);
    }

    return s->conn->eof || s->conn->gone;
}


lun_str
lun_cosock_bytes(const lun_cosock *s)
{
    return lun_str_of(bytes_at(s), here(s));
}


void
lun_cosock_skip(lun_cosock *s, size_t n)
{
    if (lun_cosock_is_body(s)) {
        s->body_pos += n;
        return;
    }

    s->conn->in.pos += n;

    if (s->lent && s->client == NULL && s->life.ctx != NULL) {
        s->life.ctx->downstream->consumed = true;
    }
}


static void
push_and_skip(lun_cosock *s, lua_State *L, size_t n, size_t more)
{
    lua_pushlstring(L, bytes_at(s), n);
    lun_cosock_skip(s, n + more);
}


/* A line loses every CR, wherever it is. */
void
lun_cosock_push_line(lun_cosock *s, lua_State *L, size_t n, size_t end)
{
    size_t        i;
    const char   *p = bytes_at(s);
    luaL_Buffer   line;

    if (n == 0 || memchr(p, '\r', n) == NULL) {
        push_and_skip(s, L, n, end);
        return;
    }

    if (p[n - 1] == '\r' && memchr(p, '\r', n - 1) == NULL) {
        push_and_skip(s, L, n - 1, end + 1);
        return;
    }

    luaL_buffinit(L, &line);

    for (i = 0; i < n; i++) {
        if (p[i] != '\r') {
            luaL_addchar(&line, p[i]);
        }
    }

    luaL_pushresult(&line);
    lun_cosock_skip(s, n + end);
}


static int
take_line(lun_cosock *s, lua_State *L)
{
    size_t       n = here(s);
    const char  *p = bytes_at(s), *lf;

    lf = n > s->seen ? memchr(p + s->seen, '\n', n - s->seen) : NULL;

    if (s->size != 0 && (lf != NULL ? (size_t) (lf - p) : n) > s->size) {
        return lun_cosock_fail(L, "line too long");
    }

    if (lf == NULL) {
        s->seen = n;
        return 0;
    }

    lun_cosock_push_line(s, L, (size_t) (lf - p), 1);
    return 1;
}


/* What is surely before the pattern, and the pattern itself if wanted. */
static void
push_match(lun_cosock *s, lua_State *L, lun_match_verdict v)
{
    bool           found;
    size_t         head, rest;
    lun_str        pattern = lun_matcher_text(s->match);
    luaL_Buffer    data;

    lun_matcher_end(s->match, &s->run, v, &head, &rest);
    found = v == LUN_MATCH_FOUND && lun_matcher_inclusive(s->match);

    if (head == 0 && !found) {
        lua_pushlstring(L, bytes_at(s), rest);

    } else {
        luaL_buffinit(L, &data);
        luaL_addlstring(&data, pattern.data, head);
        luaL_addlstring(&data, bytes_at(s), rest);
        luaL_addlstring(&data, pattern.data, found ? pattern.len : 0);
        luaL_pushresult(&data);
    }

    lun_cosock_skip(s, s->run.seen);
}


static int
take_until(lun_cosock *s, lua_State *L)
{
    switch (lun_matcher_feed(s->match, &s->run,
                             lun_str_of(bytes_at(s), here(s)), s->size))
    {

    case LUN_MATCH_FOUND:
        if (s->size != 0) {
            lun_matcher_set_end(s->match);
        }

        push_match(s, L, LUN_MATCH_FOUND);
        return 1;

    case LUN_MATCH_PIECE:
        push_match(s, L, LUN_MATCH_PIECE);
        return 1;

    case LUN_MATCH_MORE:
        break;
    }

    return 0;
}


/* The results pushed, or 0: more has to come. */
static int
take(lun_cosock *s, lua_State *L)
{
    switch (s->want) {

    case LUN_COSOCK_LINE:
        return take_line(s, L);

    case LUN_COSOCK_ALL:
        return 0;                      /* the end will tell */

    case LUN_COSOCK_SIZE:
        if (here(s) < s->size) {
            return 0;
        }

        push_and_skip(s, L, s->size, 0);
        return 1;

    case LUN_COSOCK_ANY:
        lun_debug(s->life.ctx->log, "lua tcp socket read any");

        if (here(s) == 0) {
            return 0;
        }

        push_and_skip(s, L, lun_min(here(s), s->size), 0);
        return 1;

    case LUN_COSOCK_UNTIL:
        return take_until(s, L);

    case LUN_COSOCK_DATAGRAM:
        if (here(s) == 0 && s->seen == 0) {
            return 0;
        }

        push_and_skip(s, L, lun_min(here(s), s->size), 0);
        return 1;

    case LUN_COSOCK_REPLY:
        return lun_cosock_take_reply(s, L);

    case LUN_COSOCK_FRAME:
        return lun_cosock_take_frame(s, L);

    case LUN_COSOCK_PEEK:
        break;
    }

    LUN_NEVER("no such read");
}


/* Nothing more comes: nil, why, and what there is. */
static int
push_failure(lun_cosock *s, lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);

    if (s->want == LUN_COSOCK_DATAGRAM) {
        return 2;
    }

    if (s->conn == NULL) {
        lua_pushliteral(L, "");

    } else if (s->want == LUN_COSOCK_LINE || s->want == LUN_COSOCK_REPLY) {
        lun_cosock_push_line(s, L, here(s), 0);

    } else if (s->want == LUN_COSOCK_UNTIL) {
        push_match(s, L, LUN_MATCH_MORE);

    } else {
        push_and_skip(s, L, here(s), 0);
    }

    return 3;
}


/* --- asking for more ----------------------------------------------------- */

/*
 * receive(n) grows to what is wanted, at most by doubling at a time: a size
 * that a peer made up costs no memory before its bytes come.
 */
static void
make_room(lun_cosock *s)
{
    lun_conn  *c = s->conn;
    size_t     room = (size_t) (c->in.end - c->in.start), more = room * 2;

    if (c->in.pos == c->in.last) {
        lun_conn_compact(c);
    }

    if (s->want == LUN_COSOCK_DATAGRAM) {
        if (room < DATAGRAM_MOST) {
            lun_conn_grow(c, DATAGRAM_MOST);
        }

        return;
    }

    if (s->want == LUN_COSOCK_SIZE && s->size > room) {
        more = lun_min(s->size, lun_max(more, (size_t) GROW_LEAST));
        lun_conn_grow(c, lun_max(more, room));
        return;
    }

    if (c->in.last < c->in.end) {
        return;
    }

    if (here(s) <= room / 2) {
        lun_conn_compact(c);

    } else {
        lun_conn_grow(c, more);
    }
}


/* The same in a client's raw connection, where nothing may be moved. */
static void
make_client_room(lun_cosock *s)
{
    lun_conn  *c = s->conn;
    size_t     have = (size_t) (c->in.last - c->in.pos);
    size_t     size = lun_max(s->life.ctx->conf->socket_buffer_size, have * 2);

    if (s->want == LUN_COSOCK_SIZE) {
        size = lun_min(s->size, lun_max(size, (size_t) GROW_LEAST));

    } else if (have != 0 && c->in.last < c->in.end) {
        return;
    }

    s->client->protocol->make_room(s->client, lun_max(size, have + 1));
}


static void
ask(lun_cosock *s)
{
    /* Of a body the protocol reads more by itself. */
    if (lun_cosock_is_body(s) || lun_conn_reading(s->conn)) {
        return;
    }

    if (s->client != NULL) {
        make_client_room(s);

    } else {
        make_room(s);
    }

    lun_conn_want(s->conn);
}


/* After a read: a large buffer is not kept for nothing. */
static void
complete(lun_cosock *s)
{
    lun_conn  *c = s->conn;

    if (c != NULL && !s->lent && c->in.pos == c->in.last
        && !lun_conn_reading(c)
        && c->in.end - c->in.start > KEEP_MOST
        && s->life.ctx->conf->socket_buffer_size < KEEP_MOST)
    {
        lun_conn_grow(c, s->life.ctx->conf->socket_buffer_size);
    }

    lun_matcher_put(s->match);
    s->match = NULL;
}


/* --- what happens -------------------------------------------------------- */

/* "*a" ends well with the stream, and may be asked for again. */
static int
push_end(lun_cosock *s, lua_State *L, const char *why)
{
    bool  whole = s->client != NULL ? is_whole_body(s) : s->conn->eof;

    if (s->want == LUN_COSOCK_ALL && whole) {
        push_and_skip(s, L, here(s), 0);
        return 1;
    }

    s->read_closed = true;
    return push_failure(s, L, why);
}


/* What there is for a reader: 0, if more has to come. */
static int
take_or_end(lun_cosock *s, lua_State *L)
{
    int  n = take(s, L);

    while (n == 0 && lun_cosock_is_body(s) && lun_cosock_pull_body(s)) {
        n = take(s, L);
    }

    if (n == 0 && has_ended(s)) {
        return push_end(s, L, s->client == NULL || is_whole_body(s)
                              ? "closed" : "client aborted");
    }

    return n;
}


static void
on_timeout(lun_timer *timer)
{
    int          n;
    lun_cosock  *s = lun_cosock_timed_out(timer, "read");

    n = push_failure(s, s->reader->L, "timeout");
    complete(s);
    lun_cosock_wake(s, &s->reader, n);
}


void
lun_cosock_arrived(lun_cosock *s)
{
    int  n;

    if (s->reader == NULL) {
        return;                        /* it stays for the next reader */
    }

    if (s->want == LUN_COSOCK_PEEK) {
        lun_cosock_peeked(s);
        return;
    }

    s->seen += s->want == LUN_COSOCK_DATAGRAM;         /* maybe empty */
    n = take_or_end(s, s->reader->L);

    if (n == 0) {
        lun_timer_start(s->conn->loop, &s->reader->timer, s->read_limit,
                        on_timeout);
        ask(s);
        return;
    }

    complete(s);
    lun_cosock_wake(s, &s->reader, n);
}


int
lun_cosock_end_read(lun_cosock *s, const char *why)
{
    int  n = push_end(s, s->reader->L, why);

    complete(s);
    return n;
}


static void
on_cancel(void *data)
{
    lun_cosock  *s = data;

    s->reader = NULL;
    complete(s);

    if (!s->lent) {
        lun_cosock_close(s);           /* nobody knows what was read of it */
    }

    lun_cosock_let_go(s);
}


/* --- the calls ----------------------------------------------------------- */

/* Sets want and size before; `m` is for UNTIL. */
static int
begin(lua_State *L, lun_co *co, lun_cosock *s, lun_matcher *m)
{
    int  n;

    s->seen = 0;
    s->read_limit = lun_cosock_limit(L, LUN_COSOCK_READ_TIMEOUT,
                                     s->life.ctx->conf->socket_read_timeout);
    lun_debug(s->life.ctx->log, "lua tcp socket read timeout: %" PRIu64,
              s->read_limit);

    if (m != NULL) {
        lun_matcher_get(m);
        lun_matcher_begin(m, &s->run);
        s->match = m;
    }

    n = take_or_end(s, L);

    if (n != 0) {
        complete(s);
        return n;
    }

    s->reader = co;
    lun_timer_start(lun_lua_loop(co->ctx), &co->timer, s->read_limit,
                    on_timeout);
    ask(s);
    return lun_co_wait(co, "tcpsock:receive", on_cancel, s);
}


lun_cosock *
lun_cosock_readable(lua_State *L, int *n)
{
    lun_cosock  *s = lun_cosock_of(L);

    if (s == NULL || s->conn == NULL || s->read_closed) {
        *n = lun_cosock_fail_closed(L, s, "receive");
        return NULL;
    }

    return lun_cosock_free_for(L, s, LUN_COSOCK_READS, n);
}


/*
 * The message names the whole pattern only if it is no "*x", as ngx_lua has it.
 */
static lun_cosock_want
want_of(lua_State *L, size_t *size)
{
    size_t       len;
    const char  *what;
    int64_t      n;

    *size = 0;

    if (lua_isnone(L, 2)) {
        return LUN_COSOCK_LINE;
    }

    if (lua_isnumber(L, 2)) {
        n = lun_number_at(L, 2, INT32_MIN, LUN_NUMBER_MOST);

        if (n < 0) {
            luaL_argerror(L, 2, "bad pattern argument");
        }

        *size = (size_t) n;
        return LUN_COSOCK_SIZE;
    }

    if (lua_type(L, 2) != LUA_TSTRING) {
        luaL_argerror(L, 2, "bad pattern argument");
    }

    what = lua_tolstring(L, 2, &len);

    if (len == 2 && strcmp(what, "*l") == 0) {
        return LUN_COSOCK_LINE;
    }

    if (len == 2 && strcmp(what, "*a") == 0) {
        return LUN_COSOCK_ALL;
    }

    luaL_argerror(L, 2, len == 2 && *what == '*' ? "bad pattern argument"
                  : lua_pushfstring(L, "bad pattern argument: %s", what));
    return LUN_COSOCK_LINE;
}


int
lun_cosock_receive(lua_State *L)
{
    int             n = lua_gettop(L);
    lun_co         *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock     *s;

    if (n != 1 && n != 2) {
        return luaL_error(L, "expecting 1 or 2 arguments (including the "
                          "object), but got %d", n);
    }

    s = lun_cosock_readable(L, &n);

    if (s == NULL) {
        return n;
    }

    s->want = want_of(L, &s->size);
    return begin(L, co, s, NULL);
}


/* For libraries: (object, most), a line of so many bytes at most. */
int
lun_cosock_receive_line(lua_State *L)
{
    int          n;
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    int64_t      most = lun_number_check(L, 2, 1, LUN_NUMBER_MOST);
    lun_cosock  *s = lun_cosock_readable(L, &n);

    if (s == NULL) {
        return n;
    }

    s->want = LUN_COSOCK_LINE;
    s->size = (size_t) most;
    return begin(L, co, s, NULL);
}


/*
 * Whatever is there, and no more than asked for; nothing is waited for once
 * something is.
 */
int
lun_cosock_receive_any(lua_State *L)
{
    int           n = lua_gettop(L);
    lun_co       *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock     *s;
    int64_t       most;

    if (n != 2) {
        return luaL_error(L, "expecting 2 arguments (including the object), "
                          "but got %d", n);
    }

    s = lun_cosock_readable(L, &n);

    if (s == NULL) {
        return n;
    }

    most = lun_number_at(L, 2, 0, LUN_NUMBER_MOST);

    if (most == 0) {
        return luaL_argerror(L, 2, "bad max argument");
    }

    lun_debug(s->life.ctx->log, "lua tcp socket calling receiveany() method "
              "to read at most %zu bytes", (size_t) most);
    s->want = LUN_COSOCK_ANY;
    s->size = (size_t) most;
    return begin(L, co, s, NULL);
}


int
lun_cosock_begin_read(lua_State *L, lun_co *co, lun_cosock *s)
{
    return begin(L, co, s, NULL);
}


int
lun_cosock_receive_datagram(lua_State *L, lun_cosock *s, size_t size)
{
    s->want = LUN_COSOCK_DATAGRAM;
    s->size = size;
    return begin(L, lun_lua_now.co, s, NULL);
}


/* (object, matcher, size or nil); less than nothing is no limit. */
int
lun_cosock_receive_until(lua_State *L)
{
    int            n;
    lun_co        *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock      *s;
    lun_matcher     *m = *(lun_matcher **) lua_touserdata(L, 2);
    int64_t        size = 0;

    if (!lua_isnoneornil(L, 3)) {
        size = lun_number_check(L, 3, 0, LUN_NUMBER_MOST);
    }

    s = lun_cosock_of(L);

    /* A reader's iterator is told quietly. */
    if (s == NULL || s->conn == NULL || s->read_closed) {
        return lun_cosock_fail(L, "closed");
    }

    s = lun_cosock_ready(L, LUN_COSOCK_READS, &n);

    if (s == NULL) {
        return n;
    }

    if (lun_matcher_take_end(m)) {
        lua_settop(L, 0);
        lua_pushnil(L);
        lua_pushnil(L);
        lua_pushnil(L);
        return 3;
    }

    s->want = LUN_COSOCK_UNTIL;
    s->size = (size_t) size;
    return begin(L, co, s, m);
}
