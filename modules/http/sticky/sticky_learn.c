/*
 * sticky_learn.c -- sticky learn create=$upstream_cookie_sid
 * lookup=$cookie_sid zone=sessions:1m;
 *
 * A session is a digest in a zone that all workers share, its server a hash of
 * the server's id, so that both mean the same after a reload.  What was not
 * used for `timeout` is unknown; when the zone is full, what was not used for
 * longest makes room.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/sticky/sticky_priv.h"

#include "base/digest.h"
#include "os/clock.h"
#include "shm/shm_table.h"


enum {
    USUAL_TIMEOUT = 10 * 60 * 1000,        /* ms */
    LEAST_ZONE = 8 * 4096,
    MOST_PURGED = 2                /* of those that are over, at a time */
};


/* --- the zone ------------------------------------------------------------ */

static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shm_table_seize(lun_shm_table_of(zone), pid);
}


static const lun_zone_kind  kind = {
    .name = "sticky",
    .min_size = LEAST_ZONE,
    .init = lun_shm_table_init,
    .room = lun_shm_table_room,
    .mend = mend,
};


/* Of an upstream, and of any length: 16 bytes. */
static lun_str
key_of(const lun_sticky *st, lun_str session, unsigned char key[LUN_MD5_SIZE])
{
    unsigned char  both[2 * LUN_MD5_SIZE];

    lun_md5(st->upstream->name, both);
    lun_md5(session, both + LUN_MD5_SIZE);
    lun_md5(lun_str_of((const char *) both, sizeof(both)), key);

    return lun_str_of((const char *) key, LUN_MD5_SIZE);
}


static bool
is_over(const lun_sticky *st, const lun_shm_record *e)
{
    return lun_clock.mono - lun_min(e->stamp, lun_clock.mono)
           > st->learn.timeout;
}


/* NULL: it is not known, or not any more. */
static lun_shm_record *
find(const lun_sticky *st, lun_shm_table *t, lun_str key)
{
    lun_shm_record  *e = lun_shm_table_find(t, key, NULL);

    if (e != NULL && is_over(st, e)) {
        lun_shm_table_remove(t, e);
        e = NULL;
    }

    return e;
}


static void
purge(const lun_sticky *st, lun_shm_table *t)
{
    int              n;
    lun_shm_record  *e;

    for (n = 0; n < MOST_PURGED; n++) {
        e = lun_shm_table_oldest(t);

        if (e == NULL || !is_over(st, e)) {
            return;
        }

        lun_shm_table_remove(t, e);
    }
}


/* All are as large: who has been unused for longest makes room for it. */
static void
add(lun_shm_table *t, lun_str key, uint64_t id)
{
    lun_shm_record  *e;

    if (lun_shm_table_add(t, key, lun_clock.mono, id) != NULL) {
        return;
    }

    e = lun_shm_table_oldest(t);

    if (e != NULL) {
        lun_shm_table_remove(t, e);
        (void) lun_shm_table_add(t, key, lun_clock.mono, id);
    }
}


uint64_t
lun_sticky_find(const lun_sticky *st, lun_str session)
{
    uint64_t               id = 0;
    unsigned char          room[LUN_MD5_SIZE];
    lun_shm_table         *t = lun_shm_table_of(st->learn.zone);
    const lun_shm_record  *e;

    if (session.len == 0) {
        return 0;
    }

    lun_shm_table_lock(t);
    e = find(st, t, key_of(st, session, room));

    if (e != NULL) {
        id = e->value;
    }

    lun_shm_table_unlock(t);
    return id;
}


static void
touch(lun_shm_table *t, lun_shm_record *e)
{
    e->stamp = lun_clock.mono;
    lun_shm_table_touch(t, e);
}


void
lun_sticky_learn_it(const lun_sticky *st, lun_str session, uint64_t id)
{
    lun_str           key;
    unsigned char     room[LUN_MD5_SIZE];
    lun_shm_table    *t = lun_shm_table_of(st->learn.zone);
    lun_shm_record   *e;

    key = key_of(st, session, room);
    lun_shm_table_lock(t);
    e = find(st, t, key);

    if (e != NULL) {
        e->value = id;
        touch(t, e);

    } else {
        purge(st, t);
        add(t, key, id);
    }

    lun_shm_table_unlock(t);
}


/* One that was over before its answer came stays so. */
void
lun_sticky_prolong(const lun_sticky *st, lun_str session, uint64_t id)
{
    unsigned char     room[LUN_MD5_SIZE];
    lun_shm_table    *t = lun_shm_table_of(st->learn.zone);
    lun_shm_record   *e;

    lun_shm_table_lock(t);
    e = find(st, t, key_of(st, session, room));

    if (e != NULL && e->value == id) {
        touch(t, e);
    }

    lun_shm_table_unlock(t);
}


/* --- the directive ------------------------------------------------------- */

static lun_rc
add_script(lun_conf *cf, lun_array *to, lun_str text)
{
    lun_script  *script;

    if (!lun_script_has_variables(text)) {
        return lun_conf_fail(cf, "invalid variable \"%.*s\"", LUN_S(text));
    }

    script = lun_script_new(cf, text);

    if (script == NULL) {
        return LUN_ERROR;
    }

    *(lun_script **) lun_array_push(to) = script;
    return LUN_OK;
}


static lun_rc
read_zone(lun_conf *cf, lun_str text, lun_sticky_learn *l)
{
    lun_str      name;
    uint64_t     size;
    const char  *why, *colon = lun_str_chr(text, ':');

    if (colon == NULL || colon == text.data) {
        return lun_conf_fail(cf, "invalid zone \"%.*s\"", LUN_S(text));
    }

    name = lun_str_of(text.data, (size_t) (colon - text.data));

    if (lun_str_to_size(lun_str_of(colon + 1, text.len - name.len - 1), &size)
        != LUN_OK || size > INT64_MAX)
    {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"", LUN_S(text));
    }

    if (size < LEAST_ZONE) {
        return lun_conf_fail(cf, "zone \"%.*s\" is too small", LUN_S(name));
    }

    l->zone = lun_zone_want(cf->gen->zones, name, (size_t) size, &kind, &why);
    return l->zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


static lun_rc
read_word(lun_conf *cf, lun_str word, lun_sticky_learn *l)
{
    const char  *equals = lun_str_chr(word, '=');
    size_t       n = equals != NULL ? (size_t) (equals - word.data) + 1 : 0;
    lun_str      name = lun_str_of(word.data, n);
    lun_str      value = lun_str_of(word.data + n, word.len - n);

    if (lun_str_eq(name, LUN_STR("create="))) {
        return add_script(cf, &l->create, value);
    }

    if (lun_str_eq(name, LUN_STR("lookup="))) {
        return add_script(cf, &l->lookup, value);
    }

    if (lun_str_eq(name, LUN_STR("zone="))) {
        return read_zone(cf, value, l);
    }

    if (lun_str_eq(name, LUN_STR("timeout="))
        && lun_str_to_msec(value, &l->timeout) == LUN_OK)
    {
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("header"))) {
        l->header = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("sync"))) {
        lun_conf_warn(cf, "\"sync\" has no effect: there is no cluster");
        return LUN_OK;
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


lun_rc
lun_sticky_read_learn(lun_conf *cf, lun_sticky_learn *l)
{
    size_t       i;
    const char  *missing = NULL;

    lun_array_init(&l->create, cf->pool, sizeof(lun_script *), 2);
    lun_array_init(&l->lookup, cf->pool, sizeof(lun_script *), 2);
    l->timeout = USUAL_TIMEOUT;

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, cf->args[i], l) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    missing = l->create.count == 0 ? "create" : l->lookup.count == 0 ? "lookup"
              : l->zone == NULL ? "zone" : NULL;

    return missing == NULL ? LUN_OK
           : lun_conf_fail(cf, "\"sticky learn\" must have \"%s\" parameter",
                           missing);
}
