/*
 * acme_zone.c -- what all workers know of certificates that renew themselves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_zone.h"

#include "shm/shdict.h"


enum { KEY = 1024 };

static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    return lun_shdict_kind.init(zone, log);
}


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shdict_kind.mend(zone, pid, log);
}


static size_t
beside_zone(size_t size)
{
    return lun_shdict_kind.beside(size);
}


const lun_zone_kind  lun_acme_zone_kind = {
    .name = "acme_shared_zone",
    .min_size = LUN_ACME_ZONE_MIN,
    .init = init_zone,
    .mend = mend_zone,
    .beside = beside_zone,
};


/* "kind:name"; one that is too long is cut, and its end is a sum of it. */
static lun_str
key_of(char room[KEY], const char *kind, lun_str name)
{
    char  *end;

    if (name.len > KEY / 2) {
        end = lun_fmt(room, room + KEY, "%s:%.*s#%016" PRIx64, kind, KEY / 2,
                      name.data, lun_str_hash(name));
    } else {
        end = lun_fmt(room, room + KEY, "%s:%.*s", kind, LUN_S(name));
    }

    return lun_str_of(room, (size_t) (end - room));
}


/* In the pool; false: there is none. */
static bool
read_value(const lun_zone *zone, const char *kind, lun_str name,
    lun_pool *pool, lun_str *text, uint32_t *flags)
{
    bool               found;
    char               room[KEY], buf[512];
    lun_shdict_value   v = { .buf = buf, .room = sizeof(buf) };

    found = lun_shdict_get(lun_shdict_of(zone), key_of(room, kind, name),
                           false, &v) == LUN_SHDICT_OK
            && v.type == LUN_SHDICT_STRING;

    if (found) {
        *flags = (uint32_t) v.flags;
        *text = pool != NULL ? lun_pool_str(pool, lun_str_of(v.data, v.len))
                             : LUN_STR_NULL;
    }

    lun_free(v.own);
    return found;
}


static bool
write_value(const lun_zone *zone, const char *kind, lun_str name,
    lun_str text, uint32_t flags, int64_t ttl)
{
    char              room[KEY];
    lun_shdict_store  st = {
        .op = LUN_SHDICT_SAFE, .flags = flags, .ttl = ttl,
        .type = text.len != 0 ? LUN_SHDICT_STRING : LUN_SHDICT_NIL,
        .data = text.data, .len = text.len
    };
    lun_shdict_verdict  v;

    v = lun_shdict_store_value(lun_shdict_of(zone), key_of(room, kind, name),
                               &st);
    return v == LUN_SHDICT_OK || (text.len == 0 && v == LUN_SHDICT_NOT_FOUND);
}


/* --- certificates -------------------------------------------------------- */

/* A chain, a zero byte, and the key. */
bool
lun_acme_zone_pair(const lun_zone *zone, lun_str id, lun_pool *pool,
    lun_str *chain, lun_str *key, uint32_t *version)
{
    lun_str      text;
    const char  *end;

    if (!read_value(zone, "pair", id, pool, &text, version)) {
        return false;
    }

    end = lun_str_chr(text, '\0');

    if (end == NULL) {
        return false;
    }

    *chain = lun_str_of(text.data, (size_t) (end - text.data));
    *key = lun_str_of(end + 1, text.len - chain->len - 1);
    return true;
}


uint32_t
lun_acme_zone_version(const lun_zone *zone, lun_str id)
{
    lun_str   text;
    uint32_t  version = 0;

    (void) read_value(zone, "pair", id, NULL, &text, &version);
    return version;
}


bool
lun_acme_zone_put_pair(const lun_zone *zone, lun_str id, lun_str chain,
    lun_str key)
{
    bool      done;
    char     *p;
    size_t    len = chain.len + 1 + key.len;
    char     *text = lun_malloc(len);
    uint32_t  version = lun_acme_zone_version(zone, id) + 1;

    p = lun_copy_str(text, chain);
    *p++ = '\0';
    (void) lun_copy_str(p, key);
    done = write_value(zone, "pair", id, lun_str_of(text, len), version, 0);
    lun_free(text);

    return done;
}


void
lun_acme_zone_state(const lun_zone *zone, lun_str id, lun_acme_state *state)
{
    lun_str    text;
    uint32_t   flags;
    lun_pool  *pool = lun_pool_new_sized(1024);

    memset(state, 0, sizeof(*state));

    if (read_value(zone, "state", id, pool, &text, &flags)
        && text.len == sizeof(*state))
    {
        memcpy(state, text.data, text.len);
        state->error[sizeof(state->error) - 1] = '\0';
    }

    lun_pool_free(pool);
}


bool
lun_acme_zone_put_state(const lun_zone *zone, lun_str id,
    const lun_acme_state *state)
{
    return write_value(zone, "state", id,
                       lun_str_of((const char *) state, sizeof(*state)), 0, 0);
}


/* --- texts --------------------------------------------------------------- */

lun_str
lun_acme_zone_text(const lun_zone *zone, const char *kind, lun_str name,
    lun_pool *pool)
{
    lun_str   text;
    uint32_t  flags;

    return read_value(zone, kind, name, pool, &text, &flags)
           ? text : LUN_STR_NULL;
}


bool
lun_acme_zone_put_text(const lun_zone *zone, const char *kind, lun_str name,
    lun_str text, int64_t ttl_sec)
{
    return write_value(zone, kind, name, text, 0, ttl_sec * 1000);
}


/* Nothing makes room for it: where there is none, it is not there to count. */
int64_t
lun_acme_zone_count(const lun_zone *zone, const char *kind, lun_str name,
    int64_t ttl_sec)
{
    char                   room[KEY];
    double                 none = 0;
    lun_str                key = key_of(room, kind, name);
    lun_shdict_store       st = {
        .op = LUN_SHDICT_ADD | LUN_SHDICT_SAFE, .type = LUN_SHDICT_NUMBER,
        .data = &none, .len = sizeof(none), .ttl = ttl_sec * 1000
    };
    lun_shdict_incr_args   one = { .value = 1 };

    (void) lun_shdict_store_value(lun_shdict_of(zone), key, &st);
    return lun_shdict_incr(lun_shdict_of(zone), key, &one) == LUN_SHDICT_OK
           ? (int64_t) one.value : 0;
}
