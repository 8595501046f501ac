/*
 * sock_tcp_ask.c -- a command of Redis and its answer in one call, for
 * resty.redis.
 *
 * The usual answer is a short text, which comes back as such.  Any other is
 * for Lua to read on, from its first line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_ask.h"

#include "base/fmt.h"
#include "modules/lua/sock/answer.h"

enum { HEAD_ROOM = 32 };


/* --- the command --------------------------------------------------------- */

/* Text and numbers, from index 3 on; of others Lua makes text. */
static bool
are_texts(lua_State *L, int n)
{
    int  i;

    for (i = 3; i <= n; i++) {
        if (!lua_isstring(L, i)) {
            return false;
        }
    }

    return true;
}


/* "*2\r\n" of two, and the like. */
static void
gather_count(const char *before, size_t count)
{
    char  room[HEAD_ROOM], *p = room;

    while (*before != '\0') {
        *p++ = *before++;
    }

    p = lun_fmt_u64(p, count);
    *p++ = '\r';
    *p++ = '\n';
    lun_sock_gather(room, (size_t) (p - room));
}


/* The name comes as "$3\r\nget". */
static lun_str
command(lua_State *L, int n)
{
    int      i;
    lun_str  text;

    lun_sock_gather_none();
    gather_count("*", (size_t) (n - 1));
    text.data = luaL_checklstring(L, 2, &text.len);
    lun_sock_gather(text.data, text.len);

    for (i = 3; i <= n; i++) {
        text.data = lua_tolstring(L, i, &text.len);
        gather_count("\r\n$", text.len);
        lun_sock_gather(text.data, text.len);
    }

    lun_sock_gather("\r\n", 2);
    return lun_sock_gathered();
}


/* --- the answer ---------------------------------------------------------- */

/* A text; or true, and the line without its end. */
int
lun_cosock_take_reply(lun_cosock *s, lua_State *L)
{
    lun_answer       a;
    lun_str          in = lun_cosock_bytes(s);
    lun_answer_run   run = { .seen = s->seen, .wanted = s->size };

    switch (lun_answer_redis(&run, in, &a)) {

    case LUN_ANSWER_WHOLE:
        lua_pushlstring(L, in.data + a.head, a.len);
        lun_cosock_skip(s, a.all);
        return 1;

    case LUN_ANSWER_OTHER:
        lua_pushboolean(L, 1);
        lun_cosock_push_line(s, L, a.len, 1);
        return 2;

    case LUN_ANSWER_MORE:
        break;
    }

    s->seen = run.seen;
    s->size = run.wanted;
    return 0;
}


/*
 * (object, name, argument, ...): false: an argument is no text, or this is a
 * client's connection, and nothing has been done; nil and why, as send() and
 * receive(); a number: it was sent, but not at once, and the answer is still
 * to be read; or see above.
 */
int
lun_cosock_ask(lua_State *L)
{
    int          n, count = lua_gettop(L);
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock  *s;

    if (!are_texts(L, count)) {
        lua_pushboolean(L, 0);
        return 1;
    }

    s = lun_cosock_writable(L, &n);

    if (s == NULL || lun_cosock_free_for(L, s, LUN_COSOCK_READS, &n) == NULL) {
        return n;
    }

    if (s->lent) {
        lua_pushboolean(L, 0);
        return 1;
    }

    lun_cosock_before_send(L, s);

    if (lun_cosock_send_data(L, co, s, command(L, count), &n) != LUN_OK) {
        return n;
    }

    if (s->read_closed) {
        return lun_cosock_fail_closed(L, s, "receive");
    }

    s->want = LUN_COSOCK_REPLY;
    s->size = 0;
    return lun_cosock_begin_read(L, co, s);
}
