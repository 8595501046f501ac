/*
 * cache_conf.c -- NAME_cache_path, and what a block says of using a cache.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache_conf.h"

#include "http/cache/cache_duty.h"
#include "http/cache/cache_priv.h"
#include "http/upstream/upreq_conf.h"
#include "http/upstream/upreq_store.h"


const lun_enum  lun_cache_stales[] = {
    { "error", LUN_TRY_ERROR },
    { "timeout", LUN_TRY_TIMEOUT },
    { "invalid_header", LUN_TRY_INVALID_HEADER },
    { "updating", LUN_TRY_UPDATING },
    { "http_500", LUN_TRY_500 },
    { "http_502", LUN_TRY_502 },
    { "http_503", LUN_TRY_503 },
    { "http_504", LUN_TRY_504 },
    { "http_403", LUN_TRY_403 },
    { "http_404", LUN_TRY_404 },
    { "http_429", LUN_TRY_429 },
    { "off", LUN_TRY_OFF },
    { NULL, 0 }
};

const lun_enum  lun_cache_methods[] = {
    { "GET", LUN_GET },
    { "HEAD", LUN_HEAD },
    { "POST", LUN_POST },
    { NULL, 0 }
};


/* --- NAME_cache_path ----------------------------------------------------- */

/* The zone is there, maybe from before the reload. */
static lun_rc
on_zones(lun_generation *gen, void *data)
{
    int          i;
    lun_str      what;
    const char  *before;
    lun_cache   *cache = data;

    what = cache->path;

    for (i = 0; i < 3 && cache->levels[i] != 0; i++) {
        what = lun_pool_fmt(gen->pool, "%.*s%c%d", LUN_S(what),
                            i == 0 ? ' ' : ':', cache->levels[i]);
    }

    before = lun_cache_index_bind(lun_cache_index_of(cache->zone), what);

    if (before == NULL) {
        if (!gen->testing && !gen->deaf) {
            lun_cache_read_marks(cache);
        }

        return LUN_OK;
    }

    lun_log(LUN_LOG_EMERG, NULL, 0, "cache \"%.*s\" uses the \"%.*s\" cache "
            "path while previously it used the \"%s\" cache path",
            LUN_S(cache->zone->name), LUN_S(what), before);
    return LUN_ERROR;
}


/* "1:2" */
static lun_rc
read_levels(lun_cache *cache, lun_str text)
{
    size_t  i, n = 0;

    for (i = 0; i < text.len; i += 2) {
        if (n == 3 || text.data[i] < '1' || text.data[i] > '2'
            || (i + 1 < text.len && text.data[i + 1] != ':')
            || i + 2 == text.len)
        {
            return LUN_ERROR;
        }

        cache->levels[n++] = text.data[i] - '0';
    }

    return n != 0 ? LUN_OK : LUN_ERROR;
}


/* A name has no colon, so the first one is that before the size. */
static lun_rc
read_zone(lun_conf *cf, lun_cache *cache, lun_str text)
{
    uint64_t     size = 0;
    const char  *why, *colon = lun_str_chr(text, ':');
    lun_str      name = text;

    if (colon != NULL) {
        name.len = (size_t) (colon - text.data);
    }

    if (colon == NULL || name.len == 0
        || lun_str_to_size(lun_str_of(colon + 1, text.len - name.len - 1),
                           &size) != LUN_OK
        || size > SIZE_MAX)
    {
        return lun_conf_fail(cf, "invalid keys zone size \"keys_zone=%.*s\"",
                             LUN_S(text));
    }

    if (size < LUN_CACHE_ZONE_MIN) {
        return lun_conf_fail(cf, "keys zone \"keys_zone=%.*s\" is too small",
                             LUN_S(text));
    }

    cache->zone = lun_zone_want(cf->gen->zones, name, (size_t) size,
                                &lun_cache_index_kind, &why);

    return cache->zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


typedef enum { SECONDS, MSEC, NUMBER, BYTES, FLAG } word_kind;

static const struct {
    lun_str    name;
    word_kind  kind;
    size_t     field;
} words[] = {
    { LUN_STR_INIT("inactive="), SECONDS, offsetof(lun_cache, inactive) },
    { LUN_STR_INIT("max_size="), BYTES, offsetof(lun_cache, max_size) },
    { LUN_STR_INIT("min_free="), BYTES, offsetof(lun_cache, min_free) },
    { LUN_STR_INIT("use_temp_path="), FLAG,
      offsetof(lun_cache, use_temp_path) },
    { LUN_STR_INIT("loader_files="), NUMBER,
      offsetof(lun_cache, loader_files) },
    { LUN_STR_INIT("loader_sleep="), MSEC,
      offsetof(lun_cache, loader_sleep) },
    { LUN_STR_INIT("loader_threshold="), MSEC,
      offsetof(lun_cache, loader_threshold) },
    { LUN_STR_INIT("manager_files="), NUMBER,
      offsetof(lun_cache, manager_files) },
    { LUN_STR_INIT("manager_sleep="), MSEC,
      offsetof(lun_cache, manager_sleep) },
    { LUN_STR_INIT("manager_threshold="), MSEC,
      offsetof(lun_cache, manager_threshold) }
};


static lun_rc
read_value(word_kind kind, lun_str text, void *field)
{
    uint64_t  n;

    switch (kind) {

    case SECONDS:
        return lun_str_to_sec(text, field);

    case MSEC:
        return lun_str_to_msec(text, field);

    case NUMBER:
        return lun_str_to_i64(text, field) == LUN_OK && *(int64_t *) field > 0
               ? LUN_OK : LUN_ERROR;

    case BYTES:
        if (lun_str_to_size(text, &n) != LUN_OK || n > INT64_MAX) {
            return LUN_ERROR;
        }

        *(int64_t *) field = (int64_t) n;
        return LUN_OK;

    case FLAG:
        *(bool *) field = lun_str_eq(text, LUN_STR("on"));
        return *(bool *) field || lun_str_eq(text, LUN_STR("off"))
               ? LUN_OK : LUN_ERROR;
    }

    return LUN_ERROR;
}


static lun_rc
read_word(lun_conf *cf, lun_cache *cache, lun_str word)
{
    size_t   i;
    lun_rc   rc;
    lun_str  value;

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        if (lun_str_after(word, words[i].name, &value)) {
            rc = read_value(words[i].kind, value,
                            (char *) cache + words[i].field);

            return rc == LUN_OK ? rc
                   : lun_conf_fail(cf, "invalid %.*s value \"%.*s\"%s",
                                   (int) words[i].name.len - 1, word.data,
                                   LUN_S(word), words[i].kind == FLAG
                                   ? ", it must be \"on\" or \"off\"" : "");
        }
    }

    if (lun_str_after(word, LUN_STR("keys_zone="), &value)) {
        return read_zone(cf, cache, value);
    }

    if (lun_str_after(word, LUN_STR("levels="), &value)) {
        return read_levels(cache, value) == LUN_OK ? LUN_OK
               : lun_conf_fail(cf, "invalid \"levels\" \"%.*s\"",
                               LUN_S(word));
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static void
set_folders(lun_conf *cf, lun_cache *cache)
{
    cache->path = lun_conf_path(cf, cf->args[1], false);

    if (cache->path.len > 1
        && cache->path.data[cache->path.len - 1] == '/')
    {
        cache->path.len--;
        cache->path.data = lun_pool_strz(cf->pool, cache->path);
    }

    cache->asides = lun_pool_fmt(cf->pool, "%.*s/" LUN_CACHE_ASIDE,
                                 LUN_S(cache->path));
    cache->aside.path = cache->asides;
    lun_http_want_folder(cf->gen, cache->path.data);
    lun_http_want_folder(cf->gen, cache->asides.data);
}


/* Each would take the other's files for strangers, and delete them. */
static lun_rc
refuse_same_path(lun_conf *cf, const lun_cache *cache)
{
    size_t               i;
    const lun_cache     *other;
    const lun_gen_hook  *hook;

    for (i = 0; i < cf->gen->on_zones.count; i++) {
        hook = lun_array_at(&cf->gen->on_zones, i);
        other = hook->data;

        if (hook->run == on_zones && lun_str_eq(other->path, cache->path)) {
            return lun_conf_fail_bare(cf, "the same path name \"%.*s\" used "
                                      "in %.*s:%u and in %.*s:%u",
                                      LUN_S(cache->path), LUN_S(other->file),
                                      other->line, LUN_S(cf->file),
                                      cf->end_line);
        }
    }

    return LUN_OK;
}


/*
 * The zone belongs to a path: the same name twice would be two folders with one
 * index.
 */
lun_rc
lun_set_cache_path(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t      i;
    lun_cache  *cache = lun_pool_new(cf->pool, lun_cache);

    *cache = (lun_cache) {
        .use_temp_path = true, .inactive = 600, .max_size = INT64_MAX,
        .loader_files = 100, .loader_sleep = 50, .loader_threshold = 200,
        .manager_files = 100, .manager_sleep = 50, .manager_threshold = 200 };

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, cache, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (cache->zone == NULL) {
        return lun_conf_fail(cf, "\"%.*s\" must have \"keys_zone\" parameter",
                             LUN_S(cf->args[0]));
    }

    if (cache->zone->data != NULL) {
        return lun_conf_fail(cf, "duplicate zone \"%.*s\"",
                             LUN_S(cache->zone->name));
    }

    set_folders(cf, cache);

    if (refuse_same_path(cf, cache) != LUN_OK) {
        return LUN_ERROR;
    }

    cache->file = cf->file;
    cache->line = cf->end_line;
    cache->zone->data = cache;
    lun_metric_want(cf->gen->metrics, lun_cache_metrics, &cache->zone->name,
                    &cache->answers_at);
    lun_cache_want_bytes(cf, cache);
    lun_gen_add_hook(cf->gen, &cf->gen->on_zones, on_zones, cache);
    cache->duty = lun_duty_add(cf->gen->duties, &lun_cache_duty_kind,
                               cache->zone->name, cache);
    lun_gen_add_hook(cf->gen, &cf->gen->on_start, lun_cache_begin, cache);
    lun_gen_add_hook(cf->gen, &cf->gen->on_exit, lun_cache_end, cache);

    return LUN_OK;
}


/* --- other setters ------------------------------------------------------- */

lun_rc
lun_set_cache_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    const char   *why;
    lun_script  **field = (lun_script **) (void *) ((char *) conf + d->field);
    const size_t *up = d->data;    /* where the conf has its lun_upreq_conf */

    if (lun_str_eq(cf->args[1], LUN_STR("off"))) {
        *field = NULL;
        return LUN_OK;
    }

    *field = lun_script_new(cf, cf->args[1]);

    if (*field == NULL
        || lun_upreq_keep(cf, (lun_upreq_conf *) (void *) ((char *) conf + *up),
                          LUN_UPREQ_KEEPS_CACHE) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (!lun_script_has_variables(cf->args[1])
        && lun_zone_want(cf->gen->zones, cf->args[1], 0,
                         &lun_cache_index_kind, &why) == NULL)
    {
        return lun_conf_fail(cf, "%s", why);
    }

    return LUN_OK;
}


static lun_rc
read_status(lun_conf *cf, lun_str word, unsigned *status)
{
    int64_t  n;

    if (lun_str_eq(word, LUN_STR("any"))) {
        *status = 0;
        return LUN_OK;
    }

    if (lun_str_to_i64(word, &n) != LUN_OK || n < 100 || n > 599) {
        return lun_conf_fail(cf, "invalid status \"%.*s\"", LUN_S(word));
    }

    *status = (unsigned) n;
    return LUN_OK;
}


/* "10m" is for 200, 301 and 302. */
lun_rc
lun_set_cache_valid(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t            i;
    int64_t           sec;
    lun_str           last = cf->args[cf->argc - 1];
    lun_array       **field;
    lun_cache_valid  *v;

    static const unsigned  usual[] = { 200, 301, 302 };

    field = (lun_array **) (void *) ((char *) conf + d->field);

    if (*field == NULL) {
        *field = lun_array_new(cf->pool, sizeof(lun_cache_valid), 4);
    }

    if (lun_str_to_sec(last, &sec) != LUN_OK) {
        return lun_conf_fail(cf, "invalid time value \"%.*s\"", LUN_S(last));
    }

    for (i = 0; cf->argc == 2 && i < LUN_ARRAY_LEN(usual); i++) {
        v = lun_array_push(*field);
        v->status = usual[i];
        v->sec = sec;
    }

    for (i = 1; i + 1 < cf->argc; i++) {
        v = lun_array_push(*field);
        v->sec = sec;

        if (read_status(cf, cf->args[i], &v->status) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* GET and HEAD are always among them. */
lun_rc
lun_set_cache_methods(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint32_t  *field = (uint32_t *) (void *) ((char *) conf + d->field);
    lun_rc     rc = lun_set_bits(cf, d, conf);

    *field |= LUN_GET | LUN_HEAD;
    return rc;
}


lun_rc
lun_set_cache_use_stale(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint32_t  *field = (uint32_t *) (void *) ((char *) conf + d->field);
    lun_rc     rc = lun_set_bits(cf, d, conf);

    if (*field & LUN_TRY_OFF) {
        *field = 0;
    }

    return rc;
}


lun_rc
lun_set_cache_max_range(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t   n;
    int64_t   *field = (int64_t *) (void *) ((char *) conf + d->field);

    if (lun_str_to_size(cf->args[1], &n) != LUN_OK || n > INT64_MAX) {
        return lun_conf_bad_value(cf);
    }

    *field = (int64_t) n;
    return LUN_OK;
}


/* --- in a block ---------------------------------------------------------- */

lun_rc
lun_cache_finish_conf(lun_conf *cf, const char *name, lun_cache_conf *conf,
    lun_upreq_conf *up)
{
    lun_str   text;
    lun_zone *zone;

    /* Of a cache and files of the site the one counts that stands nearer to
       the request, also for the blocks inside. */
    if (up->keeps == LUN_UPREQ_KEEPS_FILES) {
        conf->zone = NULL;
    }

    if (conf->zone == NULL) {
        return LUN_OK;
    }

    up->store = NULL;
    lun_upreq_hook_out(up, &lun_upreq_store_hooks);
    lun_upreq_hook_in(up, &lun_cache_hooks, conf);

    text = lun_script_text(conf->zone);
    zone = lun_zone_find(cf->gen->zones, text);

    if (!lun_script_has_variables(text)) {
        if (zone == NULL || zone->data == NULL) {
            return lun_conf_fail(cf, "\"%s_cache\" zone \"%.*s\" is unknown",
                                 name, LUN_S(text));
        }

        conf->fixed = zone->data;
    }

    if (conf->key == NULL && !conf->usual_key) {
        lun_conf_warn(cf, "no \"%s_cache_key\" for \"%s_cache\"", name, name);
    }

    return LUN_OK;
}


/*
 * A name that was computed may be "off", or nobody's: the first is a wish, the
 * second an error of the request, as in nginx.
 */
lun_rc
lun_cache_of(lun_session *s, lun_generation *gen, const lun_cache_conf *conf,
    lun_cache **cache)
{
    lun_str    name;
    lun_zone  *zone;

    *cache = conf->fixed;

    if (conf->fixed != NULL || conf->zone == NULL) {
        return LUN_OK;
    }

    name = lun_script_run(s, conf->zone);

    if (name.len == 0 || lun_str_eq(name, LUN_STR("off"))) {
        return LUN_OK;
    }

    zone = lun_zone_find(gen->zones, name);

    if (zone == NULL || zone->kind != &lun_cache_index_kind
        || zone->data == NULL)
    {
        lun_log(LUN_LOG_ERR, s->log, 0, "cache \"%.*s\" not found",
                LUN_S(name));
        return LUN_ERROR;
    }

    *cache = zone->data;
    return LUN_OK;
}
