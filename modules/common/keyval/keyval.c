/*
 * keyval.c -- keyval_zone, keyval: variables whose values are in a zone.
 *
 *     keyval_zone zone=one:32k state=one.keyval timeout=1h type=ip;
 *     keyval $remote_addr $tier zone=one;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/keyval/keyval.h"

#include "os/cidr.h"
#include "session/engine.h"
#include "session/store_conf.h"
#include "shm/shdict_feed.h"


/* Keys that are nobody's begin with these. */
enum { MARK_NET = 1, MARK_VERSION = 2, MARKS = 3 };

typedef struct {
    lun_script       *key;
    lun_keyval_zone  *zone;
    lun_str           file;
    unsigned          line;
} keyval;

typedef struct {
    lun_array  zones;              /* of lun_keyval_zone * */
    lun_array  uses;               /* of keyval * */
} keyvals;

static const lun_str  version_key = LUN_STR_INIT("\2v");


/* --- pairs --------------------------------------------------------------- */

static lun_shdict *
dict_of(const lun_keyval_zone *z)
{
    return lun_shdict_of(z->zone);
}


/* A network as a key: its kind, how many bits, and these. */
static lun_str
net_key(char room[20], const lun_cidr *c)
{
    room[0] = MARK_NET;
    room[1] = (char) c->family;
    room[2] = (char) c->bits;
    memcpy(room + 3, c->ip, 16);
    return lun_str_of(room, 19);
}


static bool
is_key(const lun_keyval_zone *z, lun_str key, lun_cidr *c)
{
    if (key.len == 0 || key.len > LUN_KEYVAL_KEY
        || (unsigned char) key.data[0] < MARKS)
    {
        return false;
    }

    if (z->type != LUN_KEYVAL_IP) {
        return true;
    }

    if (lun_cidr_parse(key, c) != LUN_OK || c->family == LUN_AF_UNIX) {
        return false;
    }

    (void) lun_cidr_trim(c);
    return true;
}


static void
note_change(const lun_keyval_zone *z)
{
    lun_shdict_incr_args  one = { .value = 1, .init = 0, .has_init = true };

    (void) lun_shdict_incr(dict_of(z), version_key, &one);
}


static lun_shdict_verdict
store(const lun_keyval_zone *z, lun_str key, lun_str value, uint8_t how,
    lun_msec ttl)
{
    lun_shdict_store  st = {
        .op = (uint8_t) (how | LUN_SHDICT_SAFE),
        .type = LUN_SHDICT_STRING,
        .ttl = (int64_t) ttl,
        .data = value.data,
        .len = value.len
    };

    return lun_shdict_store_value(dict_of(z), key, &st);
}


static void
drop(const lun_keyval_zone *z, lun_str key)
{
    lun_shdict_store  none = { .type = LUN_SHDICT_NIL };

    (void) lun_shdict_store_value(dict_of(z), key, &none);
}


lun_keyval_verdict
lun_keyval_set(lun_keyval_zone *z, lun_str key, lun_str value, uint8_t how,
    lun_msec ttl)
{
    char                room[20];
    lun_cidr            c;
    lun_shdict_verdict  verdict;

    if (!is_key(z, key, &c)) {
        return LUN_KEYVAL_BAD_KEY;
    }

    ttl = ttl != 0 ? ttl : z->timeout;
    verdict = store(z, key, value, how, ttl);

    /* An address finds what the key has, or nothing. */
    if (verdict == LUN_SHDICT_OK && z->type == LUN_KEYVAL_IP
        && store(z, net_key(room, &c), value, 0, ttl) != LUN_SHDICT_OK)
    {
        drop(z, key);
        drop(z, net_key(room, &c));
        verdict = LUN_SHDICT_NO_MEMORY;
    }

    if (verdict == LUN_SHDICT_OK) {
        note_change(z);
    }

    return verdict == LUN_SHDICT_OK ? LUN_KEYVAL_OK
           : verdict == LUN_SHDICT_EXISTS ? LUN_KEYVAL_EXISTS
           : verdict == LUN_SHDICT_NOT_FOUND ? LUN_KEYVAL_NOT_FOUND
                                             : LUN_KEYVAL_NO_MEMORY;
}


/* A copy of what a key has, of those that are nobody's as well. */
static bool
read_pair(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str *value)
{
    bool              found;
    char              room[512];
    lun_shdict_value  v = { .buf = room, .room = sizeof(room) };

    found = lun_shdict_get(dict_of(z), key, false, &v) == LUN_SHDICT_OK
            && v.type == LUN_SHDICT_STRING;

    if (found) {
        *value = lun_pool_str(pool, lun_str_of(v.data, v.len));
    }

    lun_free(v.own);
    return found;
}


bool
lun_keyval_get(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str *value)
{
    lun_cidr  c;

    return is_key(z, key, &c) && read_pair(z, pool, key, value);
}


/*
 * A network has two entries, as it was written and as it is looked up: both go.
 */
lun_keyval_verdict
lun_keyval_remove(lun_keyval_zone *z, lun_str key)
{
    char       room[20];
    lun_str    value;
    lun_cidr   c;
    lun_pool  *pool;
    bool       found;

    if (!is_key(z, key, &c)) {
        return LUN_KEYVAL_NOT_FOUND;
    }

    pool = lun_pool_new_sized(512);
    found = read_pair(z, pool, key, &value);
    lun_pool_free(pool);

    if (!found) {
        return LUN_KEYVAL_NOT_FOUND;
    }

    drop(z, key);

    if (z->type == LUN_KEYVAL_IP) {
        drop(z, net_key(room, &c));
    }

    note_change(z);
    return LUN_KEYVAL_OK;
}


/* The smallest network that has it. */
static bool
match_net(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str *value)
{
    char      room[20];
    unsigned  bits;
    lun_addr  addr;
    lun_cidr  c;

    if (lun_cidr_parse(key, &c) != LUN_OK || c.family == LUN_AF_UNIX) {
        return false;
    }

    if (c.family == LUN_AF_INET6) {
        addr = (lun_addr) { .family = c.family };
        memcpy(addr.ip, c.ip, sizeof(addr.ip));
        addr = lun_addr_unmap(&addr);

        if (addr.family == LUN_AF_INET && c.bits >= 96) {
            c.bits -= 96;
            c.family = LUN_AF_INET;
            memset(c.ip, 0, sizeof(c.ip));
            memcpy(c.ip, addr.ip, 4);
        }
    }

    for (bits = c.bits + 1; bits-- > 0; ) {
        c.bits = bits;
        (void) lun_cidr_trim(&c);

        if (read_pair(z, pool, net_key(room, &c), value)) {
            return true;
        }
    }

    return false;
}


bool
lun_keyval_match(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str *value)
{
    lun_cidr  c;

    if (z->type == LUN_KEYVAL_IP) {
        return match_net(z, pool, key, value);
    }

    if (z->type == LUN_KEYVAL_STRING) {
        return is_key(z, key, &c) && read_pair(z, pool, key, value);
    }

    key.len = lun_min(key.len, (size_t) LUN_KEYVAL_KEY);

    for ( ; key.len != 0; key.len--) {
        if (is_key(z, key, &c) && read_pair(z, pool, key, value)) {
            return true;
        }
    }

    return false;
}


typedef struct {
    lun_pool   *pool;
    lun_array  *keys;
} gathering;


static bool
add_key(void *data, lun_str key)
{
    gathering  *g = data;

    if ((unsigned char) key.data[0] >= MARKS) {
        *(lun_str *) lun_array_push(g->keys) = lun_pool_str(g->pool, key);
    }

    return true;
}


lun_array *
lun_keyval_keys(const lun_keyval_zone *z, lun_pool *pool)
{
    gathering  g = { pool, lun_array_new(pool, sizeof(lun_str), 64) };

    (void) lun_shdict_each_key(dict_of(z), add_key, &g);
    return g.keys;
}


int64_t
lun_keyval_left(const lun_keyval_zone *z, lun_str key)
{
    int64_t  ms = 0;

    return lun_shdict_ttl(dict_of(z), key, &ms) == LUN_SHDICT_OK ? ms : 0;
}


uint64_t
lun_keyval_version(const lun_keyval_zone *z)
{
    uint64_t          n = 0;
    lun_shdict_value  v = { .room = 0 };

    if (lun_shdict_get(dict_of(z), version_key, false, &v) == LUN_SHDICT_OK
        && v.type == LUN_SHDICT_NUMBER)
    {
        n = (uint64_t) v.number;
    }

    lun_free(v.own);
    return n;
}


/* --- variables ----------------------------------------------------------- */

static void
get_value(lun_session *s, lun_value *v, uintptr_t data)
{
    const keyval  *kv = (const keyval *) data;

    v->not_found = !lun_keyval_match(kv->zone, s->pool,
                                     lun_script_run(s, kv->key), &v->text);
}


/* What a script sets is that of the key itself. */
static void
set_value(lun_session *s, lun_str value, uintptr_t data)
{
    lun_str             key;
    const keyval       *kv = (const keyval *) data;
    lun_keyval_verdict  verdict;

    key = lun_script_run(s, kv->key);
    verdict = value.data == NULL
              ? lun_keyval_remove(kv->zone, key)
              : lun_keyval_set(kv->zone, key, value, 0, 0);

    if (verdict == LUN_KEYVAL_BAD_KEY || verdict == LUN_KEYVAL_NO_MEMORY) {
        lun_log(LUN_LOG_ERR, s->log, 0, "keyval: \"%.*s\" cannot be set in "
                "zone \"%.*s\": %s", LUN_S(key), LUN_S(kv->zone->name),
                verdict == LUN_KEYVAL_BAD_KEY ? "invalid key" : "no memory");
    }
}


/* --- the configuration --------------------------------------------------- */

static keyvals *
keyvals_of(lun_conf *cf)
{
    keyvals  *k = lun_module_data(cf->engine, &lun_common_keyval);

    if (k == NULL) {
        k = lun_pool_new(cf->pool, keyvals);
        lun_array_init(&k->zones, cf->pool, sizeof(lun_keyval_zone *), 4);
        lun_array_init(&k->uses, cf->pool, sizeof(keyval *), 4);
        lun_module_set_data(cf->engine, &lun_common_keyval, k);
    }

    return k;
}


const lun_array *
lun_keyval_zones(const lun_engine *e)
{
    const keyvals  *k = lun_module_data(e, &lun_common_keyval);

    return k != NULL ? &k->zones : NULL;
}


static lun_keyval_zone *
find(const lun_array *zones, lun_str name)
{
    size_t            i;
    lun_keyval_zone  *z;

    for (i = 0; zones != NULL && i < zones->count; i++) {
        z = *(lun_keyval_zone **) lun_array_at(zones, i);

        if (lun_str_eq(z->name, name)) {
            return z;
        }
    }

    return NULL;
}


lun_keyval_zone *
lun_keyval_find(const lun_engine *e, lun_str name)
{
    return find(lun_keyval_zones(e), name);
}


/* That of the name, maybe one that is declared later. */
static lun_keyval_zone *
zone_named(lun_conf *cf, lun_str name)
{
    keyvals          *k = keyvals_of(cf);
    lun_keyval_zone  *z = find(&k->zones, name);

    if (z == NULL) {
        z = lun_pool_new(cf->pool, lun_keyval_zone);
        z->name = name;
        z->state = LUN_STR("");
        *(lun_keyval_zone **) lun_array_push(&k->zones) = z;
    }

    return z;
}


/* "zone=name:size" */
static lun_rc
read_zone(lun_conf *cf, lun_str text, bool synced, lun_keyval_zone **to)
{
    lun_str           name = text, size = LUN_STR("");
    uint64_t          n;
    const char       *colon = lun_str_chr(text, ':'), *why;
    lun_keyval_zone  *z;

    if (colon != NULL) {
        name.len = (size_t) (colon - text.data);
        size = lun_str_of(colon + 1, text.len - name.len - 1);
    }

    if (name.len == 0 || lun_str_to_size(size, &n) != LUN_OK) {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"", LUN_S(text));
    }

    z = zone_named(cf, name);

    if (z->declared) {
        return lun_conf_fail(cf, "duplicate keyval_zone \"%.*s\"",
                             LUN_S(name));
    }

    z->declared = true;
    z->zone = lun_zone_want(cf->gen->zones, name, (size_t) n,
                            synced ? &lun_shdict_synced_keyval_kind
                            : &lun_shdict_keyval_kind, &why);
    *to = z;
    return z->zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


static lun_rc
read_type(lun_conf *cf, lun_str text, lun_keyval_zone *z)
{
    size_t  i;

    static const char *const  names[] = { "string", "ip", "prefix" };

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_eq(text, lun_str_z(names[i]))) {
            z->type = (lun_keyval_type) i;
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "invalid type \"%.*s\"", LUN_S(text));
}


static bool
is_word(lun_str word, const char *name, lun_str *value)
{
    lun_str  n = lun_str_z(name);

    *value = lun_str_of(word.data + lun_min(n.len, word.len),
                        word.len - lun_min(n.len, word.len));
    return lun_str_starts(word, n) && value->len != 0;
}


/* The store that is named, wherever in the line; "": none is. */
static lun_str
find_store(const lun_conf *cf)
{
    size_t   i;
    lun_str  store;

    for (i = 2; i < cf->argc; i++) {
        if (is_word(cf->args[i], "sync=", &store)) {
            return store;
        }
    }

    return LUN_STR("");
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t            i;
    lun_rc            rc = LUN_OK;
    lun_str           value, store = find_store(cf);
    lun_keyval_zone  *z = NULL;

    if (!is_word(cf->args[1], "zone=", &value)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    if (read_zone(cf, value, store.len != 0, &z) != LUN_OK) {
        return LUN_ERROR;
    }

    if (store.len != 0) {
        lun_store_sync(cf->pool, lun_store_refer(cf, store), "keyval",
                       z->zone);
    }

    for (i = 2; rc == LUN_OK && i < cf->argc; i++) {
        if (is_word(cf->args[i], "state=", &value)) {
            z->state = lun_conf_path(cf, value, false);

        } else if (is_word(cf->args[i], "type=", &value)) {
            rc = read_type(cf, value, z);

        } else if (is_word(cf->args[i], "sync=", &value)) {
            continue;

        } else if (!is_word(cf->args[i], "timeout=", &value)
                   || lun_str_to_msec(value, &z->timeout) != LUN_OK
                   || z->timeout == 0)
        {
            rc = lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                               LUN_S(cf->args[i]));
        }
    }

    if (rc == LUN_OK && z->state.len != 0) {
        lun_keyval_keep(cf, z);
    }

    return rc;
}


/*
 * Volatile: another request may change the pair while this one runs, and the
 * variable says what holds now.
 */
static lun_rc
set_keyval(lun_conf *cf, const lun_directive *d, void *conf)
{
    keyval        *kv = lun_pool_new(cf->pool, keyval);
    lun_str        name, zone;
    lun_variable  *v;

    if (lun_var_name(cf, cf->args[2], &name) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!is_word(cf->args[3], "zone=", &zone)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[3]));
    }

    v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE);
    kv->key = lun_script_new(cf, cf->args[1]);

    if (v == NULL || kv->key == NULL) {
        return LUN_ERROR;
    }

    kv->zone = zone_named(cf, zone);
    kv->file = cf->file;
    kv->line = cf->end_line;
    *(keyval **) lun_array_push(&keyvals_of(cf)->uses) = kv;
    v->get = get_value;
    v->set = set_value;
    v->data = (uintptr_t) kv;
    return LUN_OK;
}


/* In the master, before its workers; they find what it has read. */
static lun_rc
on_init(lun_generation *gen, void *data)
{
    size_t            i;
    const keyvals    *k = data;
    lun_keyval_zone  *z;

    for (i = 0; !gen->testing && i < k->zones.count; i++) {
        z = *(lun_keyval_zone **) lun_array_at(&k->zones, i);

        if (z->state.len != 0
            && lun_keyval_load(z, lun_log_default()) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    size_t         i;
    keyvals       *k = lun_module_data(cf->engine, &lun_common_keyval);
    const keyval  *kv;

    if (k == NULL) {
        return LUN_OK;
    }

    for (i = 0; i < k->uses.count; i++) {
        kv = *(keyval **) lun_array_at(&k->uses, i);

        if (!kv->zone->declared) {
            return lun_conf_fail_at(cf, kv->file, kv->line, "unknown "
                                    "keyval_zone \"%.*s\"",
                                    LUN_S(kv->zone->name));
        }
    }

    lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, k);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "keyval_zone", .where = LUN_ANY_PROTOCOL, .args = 1,
      .args_max = 5, .repeats = true, .set = set_zone,
      .values = "zone=name:size [state=file] [timeout=time] [sync=store] "
                "[type=string|ip|prefix]",
      .help = "memory for keys and values that the API changes" },
    { .name = "keyval", .where = LUN_ANY_PROTOCOL, .args = 3,
      .repeats = true, .set = set_keyval,
      .values = "key $variable zone=name",
      .help = "a variable that is the value of a key there" },
    { 0 }
};

/* Always: it has no settings that would say that it is used. */
lun_module  lun_common_keyval = {
    .name = "keyval",
    .directives = directives,
    .always = true,
    .init = init,
};
