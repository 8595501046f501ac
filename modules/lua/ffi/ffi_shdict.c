/*
 * ffi_shdict.c -- ngx.shared.DICT for lua/resty/core/shdict.lua.
 *
 * Nothing here yields; every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lua.h"

#include "modules/lua/conf/directives.h"
#include "modules/lua/run/ctx.h"
#include "shm/shdict.h"

LUN_EXPORT lun_shdict *lun_ffi_shdict_find(const char *name, size_t len);
LUN_EXPORT lun_shdict *lun_ffi_shdict_at(size_t i, lun_str *name);
LUN_EXPORT int lun_ffi_shdict_get(lun_shdict *d, const char *key, size_t len,
    int stale, lun_shdict_value *v);
LUN_EXPORT int lun_ffi_shdict_store(lun_shdict *d, int op, const char *key,
    size_t len, int type, const char *data, size_t size, double number,
    int64_t ttl, int32_t flags, int *forcible);
LUN_EXPORT int lun_ffi_shdict_incr(lun_shdict *d, const char *key, size_t len,
    double *value, int has_init, double init, int64_t init_ttl,
    int *forcible);
LUN_EXPORT int lun_ffi_shdict_ttl(lun_shdict *d, const char *key, size_t len,
    int64_t *msec);
LUN_EXPORT int lun_ffi_shdict_expire(lun_shdict *d, const char *key,
    size_t len, int64_t msec);
LUN_EXPORT int lun_ffi_shdict_push(lun_shdict *d, const char *key, size_t len,
    int left, int type, const char *data, size_t size, double number,
    uint32_t *count);
LUN_EXPORT int lun_ffi_shdict_pop(lun_shdict *d, const char *key, size_t len,
    int left, lun_shdict_value *v);
LUN_EXPORT int lun_ffi_shdict_llen(lun_shdict *d, const char *key, size_t len,
    uint32_t *count);
LUN_EXPORT void lun_ffi_shdict_flush_all(lun_shdict *d);
LUN_EXPORT double lun_ffi_shdict_flush_expired(lun_shdict *d, uint32_t max);
LUN_EXPORT double lun_ffi_shdict_capacity(lun_shdict *d);
LUN_EXPORT double lun_ffi_shdict_free_space(lun_shdict *d);
LUN_EXPORT char *lun_ffi_shdict_keys(lun_shdict *d, uint32_t max,
    size_t *size, uint32_t *count);
LUN_EXPORT void lun_ffi_shdict_keys_free(char *keys);
LUN_EXPORT void lun_ffi_shdict_forget(lun_shdict_value *v);


static lun_zone_set *
zones(void)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx ? ctx->main->gen->zones : NULL;
}


/* The dictionary of that name; NULL when the configuration has none. */
lun_shdict *
lun_ffi_shdict_find(const char *name, size_t len)
{
    const lun_zone  *zone = NULL;

    if (zones() != NULL) {
        zone = lun_zone_find(zones(), lun_str_of(name, len));
    }

    return zone != NULL && lun_lua_is_dict(zone) ? lun_shdict_of(zone) : NULL;
}


/* The i-th zone, from 0: its name; NULL name at the end of the list. */
lun_shdict *
lun_ffi_shdict_at(size_t i, lun_str *name)
{
    const lun_zone  *zone;

    *name = LUN_STR_NULL;

    if (zones() == NULL || i >= lun_zone_count(zones())) {
        return NULL;
    }

    zone = lun_zone_at(zones(), i);
    *name = zone->name;

    return lun_lua_is_dict(zone) ? lun_shdict_of(zone) : NULL;
}


int
lun_ffi_shdict_get(lun_shdict *d, const char *key, size_t len, int stale,
    lun_shdict_value *v)
{
    return lun_shdict_get(d, lun_str_of(key, len), stale != 0, v);
}


/* The end of a value: what it has for long ones.  It may be used again. */
void
lun_ffi_shdict_forget(lun_shdict_value *v)
{
    lun_free(v->own);
    v->own = NULL;
    v->own_size = 0;
}


/* What Lua gives as string or number, as bytes. */
static void
fill(lun_shdict_store *st, int type, const char *data, size_t size,
    const double *number, const char *boolean)
{
    st->type = (uint8_t) type;

    switch (type) {

    case LUN_SHDICT_NUMBER:
        st->data = number;
        st->len = sizeof(double);
        return;

    case LUN_SHDICT_BOOLEAN:
        st->data = boolean;
        st->len = 1;
        return;

    default:
        st->data = data;
        st->len = size;
        return;
    }
}


int
lun_ffi_shdict_store(lun_shdict *d, int op, const char *key, size_t len,
    int type, const char *data, size_t size, double number, int64_t ttl,
    int32_t flags, int *forcible)
{
    int               rc;
    char              boolean = number != 0;
    lun_shdict_store  st = { .op = (uint8_t) op, .flags = flags, .ttl = ttl };

    fill(&st, type, data, size, &number, &boolean);

    rc = lun_shdict_store_value(d, lun_str_of(key, len), &st);
    *forcible = st.forcible;

    return rc;
}


int
lun_ffi_shdict_incr(lun_shdict *d, const char *key, size_t len, double *value,
    int has_init, double init, int64_t init_ttl, int *forcible)
{
    int                   rc;
    lun_shdict_incr_args  a = { .value = *value, .init = init,
                                .init_ttl = init_ttl,
                                .has_init = has_init != 0 };

    rc = lun_shdict_incr(d, lun_str_of(key, len), &a);
    *value = a.value;
    *forcible = a.forcible;

    return rc;
}


int
lun_ffi_shdict_ttl(lun_shdict *d, const char *key, size_t len, int64_t *msec)
{
    return lun_shdict_ttl(d, lun_str_of(key, len), msec);
}


int
lun_ffi_shdict_expire(lun_shdict *d, const char *key, size_t len,
    int64_t msec)
{
    return lun_shdict_set_ttl(d, lun_str_of(key, len), msec);
}


int
lun_ffi_shdict_push(lun_shdict *d, const char *key, size_t len, int left,
    int type, const char *data, size_t size, double number, uint32_t *count)
{
    lun_shdict_store  st = { 0 };

    fill(&st, type, data, size, &number, NULL);

    return lun_shdict_push(d, lun_str_of(key, len), &st, left != 0, count);
}


int
lun_ffi_shdict_pop(lun_shdict *d, const char *key, size_t len, int left,
    lun_shdict_value *v)
{
    return lun_shdict_pop(d, lun_str_of(key, len), left != 0, v);
}


int
lun_ffi_shdict_llen(lun_shdict *d, const char *key, size_t len,
    uint32_t *count)
{
    return lun_shdict_llen(d, lun_str_of(key, len), count);
}


void
lun_ffi_shdict_flush_all(lun_shdict *d)
{
    lun_shdict_flush_all(d);
}


double
lun_ffi_shdict_flush_expired(lun_shdict *d, uint32_t max)
{
    return (double) lun_shdict_flush_expired(d, max);
}


double
lun_ffi_shdict_capacity(lun_shdict *d)
{
    return (double) lun_shdict_capacity(d);
}


double
lun_ffi_shdict_free_space(lun_shdict *d)
{
    return (double) lun_shdict_free_space(d);
}


/* --- get_keys: each key with its length before it, in one piece --- */

typedef struct {
    char      *bytes;
    size_t     size, room;
    uint32_t   count, max;
} key_list;


static bool
add_key(void *data, lun_str key)
{
    uint32_t   len = (uint32_t) key.len;
    key_list  *list = data;

    if (list->max != 0 && list->count == list->max) {
        return false;
    }

    if (list->room - list->size < sizeof(len) + len) {
        list->room = lun_max(list->room * 2, list->size + sizeof(len) + len);
        list->room = lun_max(list->room, 4096);
        list->bytes = lun_realloc(list->bytes, list->room);
    }

    memcpy(list->bytes + list->size, &len, sizeof(len));
    memcpy(list->bytes + list->size + sizeof(len), key.data, len);
    list->size += sizeof(len) + len;
    list->count++;

    return true;
}


/*
 * At most `max` keys (0: all).  The caller gives the memory back with
 * lun_ffi_shdict_keys_free().
 */
char *
lun_ffi_shdict_keys(lun_shdict *d, uint32_t max, size_t *size,
    uint32_t *count)
{
    key_list  list = { .max = max };

    (void) lun_shdict_each_key(d, add_key, &list);
    *size = list.size;
    *count = list.count;

    return list.bytes;
}


void
lun_ffi_shdict_keys_free(char *keys)
{
    lun_free(keys);
}
