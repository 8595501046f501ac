/*
 * capi_shdict.c -- ngx.shared.DICT, as lua-resty-core declares it.
 *
 * A zone is the dictionary itself.  Long strings are malloc'ed; their reader
 * frees them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_objects.h"

#include <limits.h>

#include "shm/shdict.h"
#include "modules/lua/capi/capi_wait.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/vm.h"


static const char *const  verdicts[] = {
    [LUN_SHDICT_NOT_FOUND]  = "not found",
    [LUN_SHDICT_EXISTS]     = "exists",
    [LUN_SHDICT_NO_MEMORY]  = "no memory",
    [LUN_SHDICT_NOT_NUMBER] = "not a number",
    [LUN_SHDICT_NOT_LIST]   = "value not a list",
    [LUN_SHDICT_IS_LIST]    = "value is a list"
};


/* What is refused because of what there is, is DECLINED. */
static int
result_of(lun_shdict_verdict v, const char **err)
{
    if (v == LUN_SHDICT_OK) {
        return LUN_CAPI_OK;
    }

    *err = verdicts[v];
    return v == LUN_SHDICT_NOT_FOUND || v == LUN_SHDICT_EXISTS
           ? LUN_CAPI_DECLINED : LUN_CAPI_ERROR;
}


/* --- for C modules as well ---------------------------------------------- */

/* NULL: there is no such dictionary, or nothing that could know it. */
void *
ngx_http_lua_find_zone(const char *name, size_t len)
{
    size_t              i;
    lun_zone *const    *zones;
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (ctx == NULL) {
        return NULL;
    }

    zones = ctx->main->dicts.items;

    for (i = 0; i < ctx->main->dicts.count; i++) {
        if (lun_str_eq(zones[i]->name, lun_str_of(name, len))) {
            return lun_shdict_of(zones[i]);
        }
    }

    return NULL;
}


void *
ngx_stream_lua_find_zone(const char *name, size_t len)
{
    return ngx_http_lua_find_zone(name, len);
}


static intptr_t
give_text(lun_capi_value *value, const lun_shdict_value *v)
{
    if (value->as.text.data == NULL || value->as.text.len == 0) {
        lun_log(LUN_LOG_ERR, NULL, 0, "no string buffer initialized");
        return LUN_CAPI_ERROR;
    }

    value->as.text.len = lun_min(value->as.text.len, v->len);

    if (v->len != 0) {
        memcpy(value->as.text.data, v->data, value->as.text.len);
    }

    return LUN_CAPI_OK;
}


/* DECLINED: there is none; DONE: it has expired.  A long text is cut off. */
intptr_t
ngx_http_lua_shared_dict_get(void *zone, const char *key, size_t key_len,
    lun_capi_value *value)
{
    intptr_t            rc = LUN_CAPI_OK;
    lun_shdict_value    v = { 0 };
    lun_shdict_verdict  verdict;

    verdict = lun_shdict_get(zone, lun_str_of(key, key_len), true, &v);

    if (verdict != LUN_SHDICT_OK) {
        return verdict == LUN_SHDICT_NOT_FOUND ? LUN_CAPI_DECLINED
                                               : LUN_CAPI_ERROR;
    }

    if (v.stale) {
        rc = LUN_CAPI_DONE;

    } else if (v.type == LUN_SHDICT_STRING) {
        rc = give_text(value, &v);

    } else if (v.type == LUN_SHDICT_NUMBER) {
        value->as.number = v.number;

    } else {
        value->as.boolean = v.number != 0;
    }

    if (rc == LUN_CAPI_OK) {
        value->type = (uint8_t) v.type;
    }

    lun_free(v.own);
    return rc;
}


intptr_t
ngx_stream_lua_shared_dict_get(void *zone, const char *key, size_t key_len,
    lun_capi_value *value)
{
    return ngx_http_lua_shared_dict_get(zone, key, key_len, value);
}


/* --- for lua-resty-core --------------------------------------------------- */

/*
 * Pushes what a dictionary has at [1]: traces take the address of a full
 * userdata and not that of a light one.  The registry keeps it as long as the
 * machine lives, so no other thing ever has its address.
 */
int
lun_capi_dict_box(lua_State *L)
{
    void             *dict;
    size_t            i;
    lun_vm           *vm;
    const lun_array  *zones;

    luaL_argcheck(L, lua_type(L, 1) == LUN_LUA_CDATA && lun_lua_now.ctx != NULL,
                  1, "no cdata");
    dict = *(void *const *) lua_topointer(L, 1);
    vm = lun_lua_now.ctx->vm;
    zones = &vm->main->dicts;

    if (vm->dict_boxes == NULL) {
        vm->dict_boxes = lun_pool_new_n(vm->pool, void *, zones->count);
    }

    for (i = 0; i < zones->count; i++) {
        if (lun_shdict_of(((lun_zone **) zones->items)[i]) == dict) {
            break;
        }
    }

    luaL_argcheck(L, i < zones->count, 1, "no dictionary");

    lua_pushlightuserdata(L, dict);
    lua_rawget(L, LUA_REGISTRYINDEX);

    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        vm->dict_boxes[i] = lua_newuserdata(L, sizeof(void *));
        *(void **) vm->dict_boxes[i] = dict;
        lua_pushlightuserdata(L, dict);
        lua_pushvalue(L, -2);
        lua_rawset(L, LUA_REGISTRYINDEX);
    }

    return 1;
}


/* NULL: it is none.  With our own core [1] is a pointer to the dictionary. */
void *
ngx_http_lua_ffi_shdict_udata_to_zone(void *zone_udata)
{
    void               *dict, **boxes;
    size_t              i;
    lun_zone *const    *zones;
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (ctx == NULL || zone_udata == NULL) {
        return NULL;
    }

    zones = ctx->main->dicts.items;
    boxes = ctx->vm->dict_boxes;

    for (i = 0; i < ctx->main->dicts.count; i++) {
        dict = lun_shdict_of(zones[i]);

        if (dict == zone_udata || (boxes != NULL && boxes[i] == zone_udata)) {
            return dict;
        }
    }

    return NULL;
}


int
ngx_http_lua_ffi_shdict_get(void *zone, const char *key, size_t key_len,
    int *value_type, char **str_value_buf, size_t *str_value_len,
    double *num_value, int *user_flags, int get_stale, int *is_stale,
    const char **errmsg)
{
    lun_shdict_value    v = { .buf = *str_value_buf, .room = *str_value_len };
    lun_shdict_verdict  rc;

    *errmsg = NULL;
    *value_type = LUN_SHDICT_NIL;
    rc = lun_shdict_get(zone, lun_str_of(key, key_len), get_stale != 0, &v);

    if (rc == LUN_SHDICT_NOT_FOUND) {
        return LUN_CAPI_OK;
    }

    if (rc != LUN_SHDICT_OK) {
        return result_of(rc, errmsg);
    }

    if (v.type == LUN_SHDICT_STRING && v.data != *str_value_buf) {
        *str_value_buf = v.data;   /* it is v.own, and the caller's now */

    } else {
        lun_free(v.own);
    }

    if (v.type == LUN_SHDICT_BOOLEAN) {
        (*str_value_buf)[0] = v.number != 0;
    }

    *value_type = v.type;
    *str_value_len = v.len;
    *num_value = v.number;
    *user_flags = v.flags;
    *is_stale = v.stale;

    return LUN_CAPI_OK;
}


/*
 * A negative time would be an entry that has ended already: it is as 0, which
 * never does.
 */
int
ngx_http_lua_ffi_shdict_store(void *zone, int op, const char *key,
    size_t key_len, int value_type, const char *str_value_buf,
    size_t str_value_len, double num_value, long exptime, int user_flags,
    const char **errmsg, int *forcible)
{
    char                boolean = num_value != 0;
    lun_shdict_store    st = { .op = (uint8_t) op,
                               .type = (uint8_t) value_type,
                               .flags = (uint32_t) user_flags,
                               .ttl = lun_max(exptime, 0) };
    lun_shdict_verdict  rc;

    *forcible = 0;

    switch (value_type) {

    case LUN_SHDICT_NIL:
        if ((op & (LUN_SHDICT_ADD | LUN_SHDICT_REPLACE)) != 0) {
            *errmsg = "attempt to add or replace nil values";
            return LUN_CAPI_ERROR;
        }

        break;

    case LUN_SHDICT_BOOLEAN:
        st.data = &boolean;
        st.len = 1;
        break;

    case LUN_SHDICT_NUMBER:
        st.data = &num_value;
        st.len = sizeof(num_value);
        break;

    case LUN_SHDICT_STRING:
        st.data = str_value_buf;
        st.len = str_value_len;
        break;

    default:
        *errmsg = "unsupported value type";
        return LUN_CAPI_ERROR;
    }

    rc = lun_shdict_store_value(zone, lun_str_of(key, key_len), &st);
    *forcible = st.forcible;

    return result_of(rc, errmsg);
}


int
ngx_http_lua_ffi_shdict_incr(void *zone, const char *key, size_t key_len,
    double *value, const char **err, int has_init, double init, long init_ttl,
    int *forcible)
{
    lun_shdict_verdict    rc;
    lun_shdict_incr_args  a = { .value = *value, .init = init,
                                .init_ttl = lun_max(init_ttl, 0),
                                .has_init = has_init != 0 };

    *err = NULL;
    rc = lun_shdict_incr(zone, lun_str_of(key, key_len), &a);
    *value = a.value;
    *forcible = a.forcible;

    return result_of(rc, err) == LUN_CAPI_OK ? LUN_CAPI_OK : LUN_CAPI_ERROR;
}


int
ngx_http_lua_ffi_shdict_get_macos(lun_capi_shdict_get *p)
{
    return ngx_http_lua_ffi_shdict_get(p->zone, p->key, p->key_len,
               p->value_type, p->str_value_buf, p->str_value_len,
               p->num_value, p->user_flags, p->get_stale, p->is_stale,
               p->errmsg);
}


int
ngx_http_lua_ffi_shdict_store_macos(lun_capi_shdict_store *p)
{
    return ngx_http_lua_ffi_shdict_store(p->zone, p->op, p->key, p->key_len,
               p->value_type, p->str_value_buf, p->str_value_len,
               p->num_value, p->exptime, p->user_flags, p->errmsg,
               p->forcible);
}


int
ngx_http_lua_ffi_shdict_incr_macos(lun_capi_shdict_incr *p)
{
    return ngx_http_lua_ffi_shdict_incr(p->zone, p->key, p->key_len,
               p->num_value, p->errmsg, p->has_init, p->init, p->init_ttl,
               p->forcible);
}


/* Milliseconds; DECLINED: there is no such key. */
long
ngx_http_lua_ffi_shdict_get_ttl(void *zone, const char *key, size_t key_len)
{
    int64_t  msec;

    return lun_shdict_ttl(zone, lun_str_of(key, key_len), &msec)
           == LUN_SHDICT_OK ? (long) lun_min(msec, LONG_MAX)
                            : LUN_CAPI_DECLINED;
}


int
ngx_http_lua_ffi_shdict_set_expire(void *zone, const char *key,
    size_t key_len, long exptime)
{
    return lun_shdict_set_ttl(zone, lun_str_of(key, key_len),
                              lun_max(exptime, 0)) == LUN_SHDICT_OK
           ? LUN_CAPI_OK : LUN_CAPI_DECLINED;
}


size_t
ngx_http_lua_ffi_shdict_capacity(void *zone)
{
    return (size_t) lun_shdict_capacity(zone);
}


size_t
ngx_http_lua_ffi_shdict_free_space(void *zone)
{
    return (size_t) lun_shdict_free_space(zone);
}


int
ngx_http_lua_ffi_shdict_flush_all(void *zone)
{
    lun_shdict_flush_all(zone);
    return LUN_CAPI_OK;
}
