/*
 * keyval_state.c -- the pairs of a zone as JSON, and the file that keeps them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/keyval/keyval.h"

#include <stdlib.h>

#include "base/escape.h"
#include "format/json_object.h"
#include "net/duty.h"
#include "os/clock.h"
#include "os/file_replace.h"
#include "os/lock.h"


enum { FILE_MOST = 256 * 1024 * 1024 };

/* In a zone whose file was read. */
static const lun_str  loaded_key = LUN_STR_INIT("\2l");


/* --- as a text ----------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    return lun_str_cmp(*(const lun_str *) a, *(const lun_str *) b);
}


static lun_str
pair_json(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str value, bool with_expire)
{
    int64_t  left = with_expire ? lun_keyval_left(z, key) : 0;

    key = lun_escape_json_new(pool, key);
    value = lun_escape_json_new(pool, value);

    return left <= 0
           ? lun_pool_fmt(pool, "\"%.*s\":\"%.*s\"", LUN_S(key), LUN_S(value))
           : lun_pool_fmt(pool, "\"%.*s\":{\"value\":\"%.*s\",\"expire\":%"
                          PRId64 "}", LUN_S(key), LUN_S(value), left);
}


lun_str
lun_keyval_json(const lun_keyval_zone *z, lun_pool *pool, bool with_expire)
{
    size_t      i, n = 0;
    lun_str     value, *keys, *parts;
    lun_array  *list = lun_keyval_keys(z, pool);

    keys = list->items;
    qsort(keys, list->count, sizeof(lun_str), compare);
    parts = lun_pool_new_n(pool, lun_str, list->count * 2 + 2);
    parts[n++] = LUN_STR("{");

    for (i = 0; i < list->count; i++) {
        if (!lun_keyval_get(z, pool, keys[i], &value)) {
            continue;                  /* it has just gone */
        }

        if (n != 1) {
            parts[n++] = LUN_STR(",\n ");
        }

        parts[n++] = pair_json(z, pool, keys[i], value, with_expire);
    }

    parts[n++] = LUN_STR("}");
    return lun_pool_join(pool, parts, n);
}


/* "value", or { "value": ..., "expire": ms }. */
bool
lun_keyval_value(lun_pool *pool, const lun_json_member *m, lun_str *value,
    lun_msec *ttl)
{
    size_t            i;
    bool              found = false;
    int64_t           ms;
    lun_array        *inner;
    lun_json_member  *one;

    *ttl = 0;

    if (m->kind == LUN_JSON_STRING) {
        *value = m->text;
        return m->text.len <= LUN_KEYVAL_VALUE;
    }

    inner = lun_array_new(pool, sizeof(lun_json_member), 2);

    if (m->kind != LUN_JSON_NESTED
        || !lun_json_object_read(pool, m->text, inner, NULL))
    {
        return false;
    }

    for (i = 0, one = inner->items; i < inner->count; i++) {
        if (lun_str_eq(one[i].name, LUN_STR("value"))
            && one[i].kind == LUN_JSON_STRING
            && one[i].text.len <= LUN_KEYVAL_VALUE)
        {
            *value = one[i].text;
            found = true;

        } else if (lun_str_eq(one[i].name, LUN_STR("expire"))
                   && one[i].kind == LUN_JSON_NUMBER
                   && lun_str_to_i64(one[i].text, &ms) == LUN_OK && ms > 0)
        {
            *ttl = (lun_msec) ms;

        } else {
            return false;
        }
    }

    return found;
}


static unsigned
line_of(lun_str text, size_t at)
{
    size_t    i;
    unsigned  line = 1;

    for (i = 0; i < at && i < text.len; i++) {
        line += text.data[i] == '\n';
    }

    return line;
}


/* Errors are told by line, since people edit such files. */
const char *
lun_keyval_read(lun_keyval_zone *z, lun_pool *pool, lun_str text,
    unsigned *line)
{
    size_t            i, at;
    lun_str           value;
    lun_msec          ttl;
    lun_array        *list;
    lun_json_member  *m;

    list = lun_array_new(pool, sizeof(lun_json_member), 64);

    if (!lun_json_object_read(pool, text, list, &at)) {
        *line = line_of(text, at);
        return "invalid JSON";
    }

    for (i = 0, m = list->items; i < list->count; i++) {
        *line = line_of(text, (size_t) (m[i].text.data >= text.data
                                        && m[i].text.data < text.data
                                                            + text.len
                                        ? m[i].text.data - text.data : 0));

        if (!lun_keyval_value(pool, &m[i], &value, &ttl)) {
            return "invalid value";
        }

        switch (lun_keyval_set(z, m[i].name, value, 0, ttl)) {

        case LUN_KEYVAL_OK:
            break;

        case LUN_KEYVAL_NO_MEMORY:
            return "no memory";

        default:
            return "invalid key";
        }
    }

    return NULL;
}


/* --- the file ------------------------------------------------------------ */

/* True: nobody has read it into this zone before. */
static bool
is_first(const lun_keyval_zone *z)
{
    lun_shdict_store  st = {
        .op = LUN_SHDICT_ADD, .type = LUN_SHDICT_STRING, .data = "", .len = 0
    };

    return lun_shdict_store_value(lun_shdict_of(z->zone), loaded_key, &st)
           == LUN_SHDICT_OK;
}


lun_rc
lun_keyval_load(lun_keyval_zone *z, const lun_log *log)
{
    char        *data;
    size_t       size;
    lun_err      err;
    unsigned     line = 0;
    lun_pool    *pool;
    const char  *path, *why;

    if (!is_first(z)) {
        return LUN_OK;
    }

    pool = lun_pool_new_sized(4096);
    path = lun_pool_strz(pool, z->state);
    err = lun_file_slurp(path, &data, &size);

    /* It is written with the first change. */
    if (err != 0 && lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
        lun_pool_free(pool);
        return LUN_OK;
    }

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, log, err, "open() \"%s\" failed", path);
        lun_pool_free(pool);
        return LUN_ERROR;
    }

    why = size > FILE_MOST ? "too large"
          : lun_keyval_read(z, pool, lun_str_of(data, size), &line);
    lun_free(data);

    if (why != NULL) {
        lun_log(LUN_LOG_EMERG, log, 0, "%s in state file %s:%u of "
                "keyval_zone \"%.*s\"", why, path, line, LUN_S(z->name));
    }

    lun_pool_free(pool);
    return why == NULL ? LUN_OK : LUN_ERROR;
}


static void
save(lun_duty *d)
{
    lun_err           err;
    lun_pool         *pool;
    uint64_t          version;
    const char       *path, *aside;
    lun_keyval_zone  *z = d->data;

    version = lun_keyval_version(z);

    if (version == z->saved) {
        return;
    }

    pool = lun_pool_new_sized(4096);
    path = lun_pool_strz(pool, z->state);
    aside = lun_pool_fmt(pool, "%s.%" PRIu64, path, lun_lock_self()).data;
    err = lun_file_replace(path, aside, lun_keyval_json(z, pool, true), 0,
                           0644);

    if (err == 0) {
        z->saved = version;
        z->failed = 0;

    } else if (z->failed != version) {
        lun_log(LUN_LOG_ERR, d->log, err, "state file \"%s\" cannot be "
                "written", path);
        z->failed = version;       /* tried again, without saying so */
    }

    lun_pool_free(pool);
}


static lun_msec
on_run(lun_duty *d)
{
    save(d);
    return 0;
}


static const lun_duty_kind  keeping = {
    .name = "state of keyval",
    .every = 1000,
    .run = on_run,
    .end = save
};


void
lun_keyval_keep(lun_conf *cf, lun_keyval_zone *z)
{
    (void) lun_duty_add(cf->gen->duties, &keeping, z->name, z);
}
