/*
 * sock_tcp_frame.c -- frames of WebSocket (RFC 6455), whole, for
 * resty.websocket: received where they are short and no more than text or
 * data, sent without a mask.  All others are Lua's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_ask.h"

#include "modules/lua/lib/ffi_lib.h"

enum {
    FIN         = 0x80,
    TEXT        = 1,
    BINARY      = 2,
    MASKED      = 0x80,
    LENGTH      = 0x7f,
    LENGTH_16   = 126,             /* what follows is the length */
    KEY_LEN     = 4,
    SHORT_MOST  = 4096,            /* of a payload that is taken here */
    HEAD_MOST   = 10
};


/* --- receiving ----------------------------------------------------------- */

/* For Lua to read on. */
static int
push_start(lun_cosock *s, lua_State *L)
{
    lua_pushlstring(L, lun_cosock_bytes(s).data, 2);
    lun_cosock_skip(s, 2);
    return 1;
}


static void
push_payload(lua_State *L, const char *p, size_t len, bool masked)
{
    unsigned char  room[SHORT_MOST];

    if (!masked) {
        lua_pushlstring(L, p, len);
        return;
    }

    lun_ffi_unmask(room, p, len);
    lua_pushlstring(L, (const char *) room, len);
}


/* A payload and its opcode; or two bytes of a frame that is not taken here. */
int
lun_cosock_take_frame(lun_cosock *s, lua_State *L)
{
    bool                  masked;
    size_t                len, head = 2;
    lun_str               in = lun_cosock_bytes(s);
    const unsigned char  *p = (const unsigned char *) in.data;

    if (in.len < head) {
        return 0;
    }

    masked = p[1] & MASKED;
    len = p[1] & LENGTH;

    if ((p[0] != (FIN | TEXT) && p[0] != (FIN | BINARY))
        || len > LENGTH_16 || (s->masked && !masked))
    {
        return push_start(s, L);
    }

    if (len == LENGTH_16) {
        head += 2;

        if (in.len < head) {
            return 0;
        }

        len = (size_t) p[2] << 8 | p[3];
    }

    if (len > s->size) {
        return push_start(s, L);
    }

    if (in.len < head + (masked ? KEY_LEN : 0) + len) {
        return 0;
    }

    push_payload(L, in.data + head, len, masked);
    lua_pushinteger(L, p[0] & ~FIN);
    lun_cosock_skip(s, head + (masked ? KEY_LEN : 0) + len);
    return 2;
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
    s->size = (size_t) lun_number_at(L, 2, 0, SHORT_MOST);
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
    unsigned char   frame[HEAD_MOST + SHORT_MOST];

    if (s == NULL) {
        return n;
    }

    data.data = luaL_checklstring(L, 3, &data.len);
    luaL_argcheck(L, data.len <= SHORT_MOST, 3, "too long");
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
