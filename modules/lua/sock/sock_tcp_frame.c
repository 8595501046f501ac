/*
 * sock_tcp_frame.c -- frames of WebSocket (RFC 6455), whole, for
 * resty.websocket: received where they are short and no more than text or
 * data, sent without a mask.  All others are Lua's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_ask.h"

#include "modules/lua/lib/ffi_lib.h"
#include "modules/lua/sock/answer.h"

enum { OPCODE = 0x0f, HEAD_MOST = 10 };


/* --- receiving ----------------------------------------------------------- */

/* A payload and its opcode; or two bytes of a frame that is not taken here. */
int
lun_cosock_take_frame(lun_cosock *s, lua_State *L)
{
    bool           masked;
    lun_str        in = lun_cosock_bytes(s);
    lun_answer     a;
    unsigned char  room[LUN_ANSWER_MOST];

    switch (lun_answer_frame(in, s->size, s->masked, &masked, &a)) {

    case LUN_ANSWER_WHOLE:
        if (masked) {
            lun_ffi_unmask(room, in.data + a.head - 4, a.len);
            lua_pushlstring(L, (const char *) room, a.len);

        } else {
            lua_pushlstring(L, in.data + a.head, a.len);
        }

        lua_pushinteger(L, in.data[0] & OPCODE);
        lun_cosock_skip(s, a.all);
        return 2;

    case LUN_ANSWER_OTHER:
        lua_pushlstring(L, in.data, 2);
        lun_cosock_skip(s, 2);
        return 1;

    case LUN_ANSWER_MORE:
        break;
    }

    return 0;
}


/*
 * (object, most bytes, whether it has to be masked): see above; or nil, why,
 * and what has come, as receive().
 */
int
lun_cosock_receive_frame(lua_State *L)
{
    int          n;
    lun_co      *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_cosock  *s = lun_cosock_readable(L, &n);

    if (s == NULL) {
        return n;
    }

    s->want = LUN_COSOCK_FRAME;
    s->size = (size_t) lun_number_at(L, 2, 0, LUN_ANSWER_MOST);
    s->masked = lua_toboolean(L, 3);
    return lun_cosock_begin_read(L, co, s);
}


/* --- sending ------------------------------------------------------------- */

/* (object, first byte, payload): as send(). */
int
lun_cosock_send_frame(lua_State *L)
{
    int             n;
    lun_co         *co = lun_co_enter(L, LUN_LUA_YIELDABLE);
    lun_str         data;
    lun_cosock     *s = lun_cosock_writable(L, &n);
    unsigned char   frame[HEAD_MOST + LUN_ANSWER_MOST];

    if (s == NULL) {
        return n;
    }

    data.data = luaL_checklstring(L, 3, &data.len);
    luaL_argcheck(L, data.len <= LUN_ANSWER_MOST, 3, "too long");
    lun_cosock_before_send(L, s);

    data.len = lun_ffi_frame(frame, (int) lun_number_at(L, 2, 0, UINT8_MAX),
                             data.data, data.len);
    data.data = (const char *) frame;

    if (lun_cosock_send_data(L, co, s, data, &n) != LUN_OK) {
        return n;
    }

    lua_pushnumber(L, (lua_Number) s->total);
    return 1;
}
