/*
 * limit_zone.c -- zones of keys, for limit_req and limit_conn.
 *
 * A reload keeps a zone of the same name and size with all that it counts;
 * its keys must then be made as before.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/limit_zone.h"

#include "base/check.h"
#include "config/status.h"
#include "session/engine.h"


const lun_enum  lun_limit_levels[] = {
    { "info", LUN_LOG_INFO }, { "notice", LUN_LOG_NOTICE },
    { "warn", LUN_LOG_WARN }, { "error", LUN_LOG_ERR }, { NULL, 0 }
};


/* --- the tree ------------------------------------------------------------ */

static bool
write_zone(lun_status_walk *w, void *data, uint32_t *cursor)
{
    unsigned               i;
    uint64_t               cells[LUN_LIMIT_EXHAUSTED + 1];
    const lun_limit_zone  *z = data;

    if (!lun_status_open(w, z->zone->name)) {
        return false;
    }

    lun_metric_read(z->counted_at, LUN_ARRAY_LEN(cells), cells);

    for (i = 0; i < LUN_ARRAY_LEN(cells); i++) {
        if (z->delays || (i != LUN_LIMIT_DELAYED
                          && i != LUN_LIMIT_DELAYED_DRY_RUN))
        {
            lun_status_number(w, lun_limit_statuses[i], (int64_t) cells[i]);
        }
    }

    lun_status_close(w);
    return false;
}


/* --- declaring ----------------------------------------------------------- */

/* The zone is there, maybe from before the reload. */
static lun_rc
on_zones(lun_generation *gen, void *data)
{
    lun_str          before, text;
    lun_limit_zone  *z = data;

    text = lun_script_text(z->key);

    if (lun_shm_table_bind(lun_shm_table_of(z->zone), text,
        &before) == LUN_OK) {
        return LUN_OK;
    }

    lun_log(LUN_LOG_EMERG, NULL, 0, "%s \"%.*s\" uses the \"%.*s\" key while "
            "previously it used the \"%.*s\" key", z->zone->kind->name,
            LUN_S(z->zone->name), LUN_S(text), LUN_S(before));
    return LUN_ERROR;
}


static lun_rc
read_zone(lun_conf *cf, lun_str word, lun_str *name, uint64_t *size)
{
    const char  *colon;
    lun_str      text = lun_str_of(word.data + 5, word.len - 5);

    colon = lun_str_chr(text, ':');

    if (colon == NULL || colon == text.data) {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"", LUN_S(word));
    }

    *name = lun_str_of(text.data, (size_t) (colon - text.data));
    text = lun_str_of(colon + 1, text.len - name->len - 1);

    if (lun_str_to_size(text, size) != LUN_OK || *size > SIZE_MAX) {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"", LUN_S(word));
    }

    if (*size == 0) {
        return lun_conf_fail(cf, "zone \"%.*s\" is too small", LUN_S(word));
    }

    return LUN_OK;
}


static lun_rc
read_words(lun_conf *cf, lun_limit_word_fn *other, lun_limit_zone *z,
    lun_str *name, uint64_t *size)
{
    size_t   i;
    lun_rc   rc;
    lun_str  word;

    for (i = 2; i < cf->argc; i++) {
        word = cf->args[i];

        if (lun_str_starts(word, LUN_STR("zone="))) {
            rc = read_zone(cf, word, name, size);

        } else if (other != NULL) {
            rc = other(cf, word, z);

        } else {
            rc = lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                               LUN_S(word));
        }

        if (rc != LUN_OK) {
            return rc;
        }
    }

    return LUN_OK;
}


/*
 * One zone, one key: two directives that share it would count different things
 * in the same entries.
 */
lun_rc
lun_limit_declare(lun_conf *cf, const lun_zone_kind *kind,
    lun_limit_word_fn *other, const lun_metric *counted)
{
    lun_str          name = LUN_STR_NULL;
    uint64_t         size = 0;
    lun_zone        *zone;
    const char      *why;
    lun_limit_zone  *old, *z = lun_pool_new(cf->pool, lun_limit_zone);

    z->key = lun_script_new(cf, cf->args[1]);

    if (z->key == NULL
        || read_words(cf, other, z, &name, &size) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (name.len == 0) {
        return lun_conf_fail(cf, "\"%.*s\" must have \"zone\" parameter",
                             LUN_S(cf->args[0]));
    }

    zone = lun_zone_want(cf->gen->zones, name, (size_t) size, kind, &why);

    if (zone == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    old = lun_limit_zone_of(zone);

    if (old != NULL) {
        return lun_conf_fail(cf, "%.*s \"%.*s\" is already bound to key "
                             "\"%.*s\"", LUN_S(cf->args[0]), LUN_S(name),
                             LUN_S(lun_script_text(old->key)));
    }

    z->zone = zone;
    zone->data = z;
    lun_metric_want(cf->gen->metrics, counted, &zone->name, &z->counted_at);
    z->delays = strcmp(kind->name, "limit_req") == 0;
    lun_status_add(cf->gen, lun_pool_fmt(cf->pool, "status/%s/%s",
                                         cf->engine->protocol->name,
                                         z->delays ? "limit_reqs"
                                                   : "limit_conns").data,
                   write_zone, z);

    lun_gen_add_hook(cf->gen, &cf->gen->on_zones, on_zones, z);

    return LUN_OK;
}


lun_zone *
lun_limit_refer(lun_conf *cf, const lun_zone_kind *kind, lun_str name)
{
    const char  *why;
    lun_zone    *zone = lun_zone_want(cf->gen->zones, name, 0, kind, &why);

    if (zone == NULL) {
        (void) lun_conf_fail(cf, "%s", why);
    }

    return zone;
}


lun_rc
lun_limit_set_status(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  *status = (int64_t *) ((char *) conf + d->field);

    if (lun_set_num(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (*status < 400 || *status > 599) {
        return lun_conf_fail(cf, "value must be between 400 and 599");
    }

    return LUN_OK;
}


/* --- serving ------------------------------------------------------------- */

bool
lun_limit_key(lun_session *s, const lun_limit_zone *z, lun_str *key)
{
    lun_session_check(s);
    *key = lun_script_run(s, z->key);

    if (key->len > LUN_SHM_TABLE_KEY) {
        lun_log(LUN_LOG_ERR, s->log, 0, "the value of the \"%.*s\" key is "
                "more than 65535 bytes: \"%.*s\"",
                LUN_S(lun_script_text(z->key)), LUN_S(*key));
        return false;
    }

    return key->len != 0;
}


const char *const  lun_limit_statuses[] = {
    [LUN_LIMIT_SKIPPED] = "skipped",
    [LUN_LIMIT_PASSED] = "passed",
    [LUN_LIMIT_DELAYED] = "delayed",
    [LUN_LIMIT_REJECTED] = "rejected",
    [LUN_LIMIT_DELAYED_DRY_RUN] = "delayed_dry_run",
    [LUN_LIMIT_REJECTED_DRY_RUN] = "rejected_dry_run",
    [LUN_LIMIT_EXHAUSTED] = "exhausted",
    NULL
};


void
lun_limit_count(const lun_zone *zone, lun_limit_status status)
{
    lun_metric_add(lun_limit_zone_of(zone)->counted_at + status, 1);
}


void
lun_limit_put_status(lun_value *v, unsigned status)
{
    static const lun_str  words[] = {
        [LUN_LIMIT_PASSED] = LUN_STR_INIT("PASSED"),
        [LUN_LIMIT_DELAYED] = LUN_STR_INIT("DELAYED"),
        [LUN_LIMIT_REJECTED] = LUN_STR_INIT("REJECTED"),
        [LUN_LIMIT_DELAYED_DRY_RUN] = LUN_STR_INIT("DELAYED_DRY_RUN"),
        [LUN_LIMIT_REJECTED_DRY_RUN] = LUN_STR_INIT("REJECTED_DRY_RUN"),
    };

    LUN_CHECK(status < LUN_ARRAY_LEN(words));

    v->not_found = status == 0;
    v->text = words[status];
}
