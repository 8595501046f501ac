/*
 * json.c -- the tables cjson and cjson.safe: settings, and the two functions
 * that everybody calls.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modules/lua/json/json_priv.h"
#include "modules/lua/run/number.h"

const char  lun_json_array_key = 'a', lun_json_empty_array_key = 'e';

enum {
    MAX_PRECISION = 16,
    KEPT = 1 << 20                 /* a longer text is not kept */
};


void
lun_json_more(lua_State *L, lun_json_conf *conf, size_t n)
{
    char    *text;
    size_t   room = lun_max(conf->room * 2, conf->len + n + 1024);

    text = realloc(conf->text, room);

    if (text == NULL) {
        luaL_error(L, "not enough memory");
    }

    conf->text = text;
    conf->room = room;
}


static void
let_go(lun_json_conf *conf)
{
    if (conf->room > KEPT || !conf->keep_buffer) {
        free(conf->text);
        conf->text = NULL;
        conf->room = conf->len = 0;
    }
}


static lun_json_conf *
conf_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}


static int
on_encode(lua_State *L)
{
    lun_json_conf  *conf = conf_of(L);

    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    lun_json_encode(L, conf);
    lua_pushlstring(L, conf->text, conf->len);
    let_go(conf);

    return 1;
}


static int
on_decode(lua_State *L)
{
    size_t          len;
    const char     *text;
    lun_json_conf  *conf = conf_of(L);

    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    text = luaL_checklstring(L, 1, &len);
    lun_json_decode(L, conf, text, len);
    let_go(conf);

    return 1;
}


/* --- settings --- */

/* At most `count` arguments; the missing ones are nil. */
static void
take_args(lua_State *L, int count)
{
    luaL_argcheck(L, lua_gettop(L) <= count, count + 1,
                  "found too many arguments");
    lua_settop(L, count);
}


static void
integer_option(lua_State *L, int at, int *field, int min, int max)
{
    char     text[64];
    int64_t  n;

    if (!lua_isnil(L, at)) {
        if (lua_type(L, at) != LUA_TNUMBER) {
            luaL_typerror(L, at, "number");
        }

        n = lun_number_at(L, at, (int64_t) min - 1, (int64_t) max + 1);
        snprintf(text, sizeof(text), "expected integer between %d and %d",
                 min, max);
        luaL_argcheck(L, n >= min && n <= max, at, text);
        *field = (int) n;
    }

    lua_pushinteger(L, *field);
}


/* true and false, "on" and "off"; `names`: what there is besides, from 2. */
static void
enum_option(lua_State *L, int at, int *field, const char *const *names)
{
    static const char *const  flags[] = { "off", "on", NULL };

    if (names == NULL) {
        names = flags;
    }

    if (lua_isboolean(L, at)) {
        *field = lua_toboolean(L, at);

    } else if (!lua_isnil(L, at)) {
        *field = luaL_checkoption(L, at, NULL, names);
    }

    if (*field < 2) {
        lua_pushboolean(L, *field);
    } else {
        lua_pushstring(L, names[*field]);
    }
}


#define INTEGER(name_, field_, max_)                                          \
    static int                                                                \
    name_(lua_State *L)                                                       \
    {                                                                         \
        take_args(L, 1);                                                      \
        integer_option(L, 1, &conf_of(L)->field_, 1, max_);                   \
        return 1;                                                             \
    }

#define FLAG(name_, field_)                                                   \
    static int                                                                \
    name_(lua_State *L)                                                       \
    {                                                                         \
        take_args(L, 1);                                                      \
        enum_option(L, 1, &conf_of(L)->field_, NULL);                         \
        return 1;                                                             \
    }

INTEGER(encode_max_depth, encode_max_depth, INT32_MAX)
INTEGER(decode_max_depth, decode_max_depth, INT32_MAX)
INTEGER(encode_number_precision, precision, MAX_PRECISION)
FLAG(encode_keep_buffer, keep_buffer)
FLAG(decode_invalid_numbers, decode_invalid)
FLAG(encode_empty_table_as_object, empty_as_object)
FLAG(decode_array_with_array_mt, array_mt)
FLAG(encode_escape_forward_slash, escape_slash)
FLAG(encode_skip_unsupported_value_types, skip_unsupported)
FLAG(encode_sort_keys, sort_keys)
FLAG(decode_json_null, json_null)
FLAG(decode_allow_comment, comments)


static int
encode_invalid_numbers(lua_State *L)
{
    static const char *const  names[] = { "off", "on", "null", NULL };

    take_args(L, 1);
    enum_option(L, 1, &conf_of(L)->encode_invalid, names);
    return 1;
}


static int
encode_sparse_array(lua_State *L)
{
    lun_json_conf  *conf = conf_of(L);

    take_args(L, 3);
    enum_option(L, 1, &conf->sparse_convert, NULL);
    integer_option(L, 2, &conf->sparse_ratio, 0, INT32_MAX);
    integer_option(L, 3, &conf->sparse_safe, 0, INT32_MAX);
    return 3;
}


/* What each level is indented by; "": all is one line. */
static int
encode_indent(lua_State *L)
{
    char           *copy = NULL;
    size_t          len;
    const char     *text;
    lun_json_conf  *conf = conf_of(L);

    take_args(L, 1);

    if (!lua_isnil(L, 1)) {
        text = luaL_checklstring(L, 1, &len);

        if (len != 0) {
            copy = malloc(len + 1);
            if (copy == NULL) {
                return luaL_error(L, "not enough memory");
            }
            memcpy(copy, text, len + 1);
        }

        free(conf->indent);
        conf->indent = copy;
        conf->indent_len = len;
    }

    lua_pushlstring(L, conf->indent != NULL ? conf->indent : "",
                    conf->indent != NULL ? conf->indent_len : 0);
    return 1;
}


/* --- the tables --- */

static int
on_gc(lua_State *L)
{
    lun_json_conf  *conf = lua_touserdata(L, 1);

    free(conf->text);
    free(conf->indent);
    return 0;
}


static void
push_conf(lua_State *L)
{
    lun_json_conf  *conf = lua_newuserdata(L, sizeof(lun_json_conf));

    *conf = (lun_json_conf) {
        .sparse_ratio = 2,
        .sparse_safe = 10,
        .encode_max_depth = 1000,
        .decode_max_depth = 1000,
        .precision = 14,
        .keep_buffer = 1,
        .decode_invalid = 1,
        .empty_as_object = 1,
        .json_null = 1,
        .escape_slash = 1,
    };

    lua_newtable(L);
    lua_pushcfunction(L, on_gc);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
}


/* The metatable behind a key of the registry, made if there is none. */
static void
push_metatable(lua_State *L, const void *key)
{
    lua_pushlightuserdata(L, (void *) key);
    lua_rawget(L, LUA_REGISTRYINDEX);

    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushlightuserdata(L, (void *) key);
        lua_pushvalue(L, -2);
        lua_rawset(L, LUA_REGISTRYINDEX);
    }
}


static int  new_plain(lua_State *L), new_safe(lua_State *L);

static const luaL_Reg  functions[] = {
    { "encode", on_encode },
    { "decode", on_decode },
    { "encode_sparse_array", encode_sparse_array },
    { "encode_max_depth", encode_max_depth },
    { "decode_max_depth", decode_max_depth },
    { "encode_number_precision", encode_number_precision },
    { "encode_keep_buffer", encode_keep_buffer },
    { "encode_invalid_numbers", encode_invalid_numbers },
    { "decode_invalid_numbers", decode_invalid_numbers },
    { "encode_empty_table_as_object", encode_empty_table_as_object },
    { "decode_array_with_array_mt", decode_array_with_array_mt },
    { "encode_escape_forward_slash", encode_escape_forward_slash },
    { "encode_skip_unsupported_value_types",
      encode_skip_unsupported_value_types },
    { "encode_indent", encode_indent },
    { "encode_sort_keys", encode_sort_keys },
    { "decode_json_null", decode_json_null },
    { "decode_allow_comment", decode_allow_comment },
    { NULL, NULL }
};


/*
 * Each `new` has settings of its own, which all its functions share as an
 * upvalue.
 */
static int
new_plain(lua_State *L)
{
    const luaL_Reg  *f;

    lua_newtable(L);
    push_conf(L);

    for (f = functions; f->name != NULL; f++) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, f->func, 1);
        lua_setfield(L, -3, f->name);
    }

    lua_pop(L, 1);
    lua_pushcfunction(L, new_plain);
    lua_setfield(L, -2, "new");

    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    lua_pushlightuserdata(L, (void *) &lun_json_array_key);
    lua_setfield(L, -2, "empty_array");
    push_metatable(L, &lun_json_array_key);
    lua_setfield(L, -2, "array_mt");
    push_metatable(L, &lun_json_empty_array_key);
    lua_setfield(L, -2, "empty_array_mt");

    lua_pushliteral(L, "cjson");
    lua_setfield(L, -2, "_NAME");
    lua_pushliteral(L, "2.1.0.17");
    lua_setfield(L, -2, "_VERSION");
    return 1;
}


/* Upvalue: encode or decode. */
static int
call_safely(lua_State *L)
{
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);

    if (lua_pcall(L, 1, 1, 0) == 0) {
        return 1;
    }

    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}


static int
new_safe(lua_State *L)
{
    int                       i;
    static const char *const  names[] = { "encode", "decode" };

    (void) new_plain(L);

    for (i = 0; i < 2; i++) {
        lua_getfield(L, -1, names[i]);
        lua_pushcclosure(L, call_safely, 1);
        lua_setfield(L, -2, names[i]);
    }

    lua_pushcfunction(L, new_safe);
    lua_setfield(L, -2, "new");
    return 1;
}


int
lun_json_open(lua_State *L)
{
    return new_plain(L);
}


int
lun_json_open_safe(lua_State *L)
{
    return new_safe(L);
}
