/*
 * json_priv.h -- the settings of one cjson table, and the text at hand.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_JSON_PRIV_H
#define LUN_LUA_JSON_PRIV_H

#include "modules/lua/json/json.h"

#include <lauxlib.h>

#include "base/base.h"

enum { JSON_INVALID_REFUSED, JSON_INVALID_PRINTED, JSON_INVALID_NULL };

/* A userdata: the upvalue of every function of its table. */
typedef struct {
    /* The text that is made or unescaped: kept from call to call. */
    char    *text;
    size_t   len;
    size_t   room;

    char    *indent;               /* with a zero byte; NULL: one line */
    size_t   indent_len;

    int      sparse_convert;
    int      sparse_ratio;
    int      sparse_safe;
    int      encode_max_depth;
    int      decode_max_depth;
    int      precision;
    int      keep_buffer;
    int      encode_invalid;       /* JSON_INVALID_... */
    int      decode_invalid;
    int      empty_as_object;
    int      escape_slash;
    int      skip_unsupported;
    int      sort_keys;
    int      array_mt;             /* of arrays that are decoded */
    int      json_null;            /* null is cjson.null, not nil */
    int      comments;
} lun_json_conf;

/* Their addresses are keys of the registry: the metatables of arrays. */
extern const char  lun_json_array_key, lun_json_empty_array_key;

/* Room for n more bytes; throws if there is no memory. */
void lun_json_more(lua_State *L, lun_json_conf *conf, size_t n);

static inline char *
lun_json_room(lua_State *L, lun_json_conf *conf, size_t n)
{
    if (LUN_UNLIKELY(conf->room - conf->len < n)) {
        lun_json_more(L, conf, n);
    }

    return conf->text + conf->len;
}

/* The value on top of L becomes conf->text[0 .. len). */
void lun_json_encode(lua_State *L, lun_json_conf *conf);

/* Pushes the value of a text, which ends with a zero byte. */
void lun_json_decode(lua_State *L, lun_json_conf *conf, const char *text,
    size_t len);

#endif
