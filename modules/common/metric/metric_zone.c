/*
 * metric_zone.c -- numbers of one's own, by key, in the words of Angie's
 * module:
 *
 *     metric_zone requests:1m expire=on count;
 *     metric_complex_zone times:1m { slowest max; spread histogram .1 1 10; }
 *     ...
 *     metric requests $host;
 *     metric times $uri=$request_time on=end;
 *
 * They are in the tree, under PROTOCOL/metric_zones, among the metrics, and
 * variables: $metric_NAME, which may be set, _key, _value.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/metric/metric_zone.h"

#include <math.h>
#include <stdlib.h>

#include "modules/common/metric/metric_zone_priv.h"
#include "session/engine.h"


enum { MEAN_COUNT = 10 };

/* A `metric`. */
typedef struct {
    lun_zone          *zone;
    lun_script        *key;
    lun_script        *value;      /* NULL: none */
    lun_metric_stage   stage;
} metric;

typedef struct {
    lun_array  *metrics;           /* of metric; NULL: none */
} metric_conf;

/* Of an engine. */
typedef struct {
    unsigned  progress;            /* index of a variable that nobody can name:
                                      its value is a session's progress, which
                                      stays over redirects */
} metric_engine;

/* Of a session. */
typedef struct {
    int      stage;                /* the next one that is to be reached */
    lun_str  key;                  /* as variables have set it last */
    lun_str  text;                 /* "key=value" */
} progress;


static progress *
progress_of(lun_session *s)
{
    lun_value            *v;
    const metric_engine  *e = lun_module_data(s->engine,
                                              &lun_common_metric_zone);

    v = &s->main->values[e->progress];

    if (!v->known) {
        v->text.data = (const char *) lun_pool_new(s->main->pool, progress);
        v->text.len = sizeof(progress);
        v->known = 1;
    }

    return (progress *) (uintptr_t) v->text.data;
}


static void
get_progress(lun_session *s, lun_value *v, uintptr_t data)
{
    v->not_found = 1;
}


static lun_rc
want_progress(lun_conf *cf)
{
    lun_str         name = LUN_STR("metric zones' progress");
    lun_variable   *v;
    metric_engine  *e;

    if (lun_module_data(cf->engine, &lun_common_metric_zone) != NULL) {
        return LUN_OK;
    }

    v = lun_var_define(cf, name, 0);

    if (v == NULL) {
        return LUN_ERROR;
    }

    v->get = get_progress;
    e = lun_pool_new(cf->pool, metric_engine);
    e->progress = lun_var_index(cf, name);
    lun_module_set_data(cf->engine, &lun_common_metric_zone, e);
    return e->progress != 0 ? LUN_OK : LUN_ERROR;
}


/* --- updates ------------------------------------------------------------- */

static bool
update(const lun_metric_zone *z, lun_str key, lun_str value)
{
    return lun_store_update(&z->store, key, lun_store_number(value),
                            lun_clock.mono);
}


static void
update_stage(lun_session *s, const lun_array *metrics, int stage)
{
    size_t         i;
    lun_str        value;
    const metric  *m;

    for (i = 0; i < metrics->count; i++) {
        m = lun_array_at(metrics, i);

        if ((int) m->stage == stage) {
            value = m->value != NULL ? lun_script_run(s, m->value)
                                     : LUN_STR("");
            (void) update(m->zone->data, lun_script_run(s, m->key), value);
        }
    }
}


void
lun_metric_zone_reach(lun_session *s, lun_metric_stage stage)
{
    progress           *p;
    const metric_conf  *conf = lun_session_conf(s, &lun_common_metric_zone);

    if (conf->metrics == NULL || s != s->main) {
        return;
    }

    p = progress_of(s);

    while (p->stage <= (int) stage) {
        update_stage(s, conf->metrics, p->stage++);
    }
}


static lun_verdict
on_log(lun_session *s)
{
    lun_metric_zone_reach(s, LUN_METRIC_AT_END);
    return LUN_NEXT;
}


/* --- variables ----------------------------------------------------------- */

/* "key=value": what is behind the first "=". */
static lun_str
split(lun_str text, lun_str *key)
{
    const char  *equals = lun_str_chr(text, '=');

    *key = text;

    if (equals == NULL) {
        return LUN_STR("");
    }

    key->len = (size_t) (equals - text.data);
    return lun_str_of(equals + 1, text.len - key->len - 1);
}


static void
set_text(lun_session *s, lun_str text, uintptr_t data)
{
    lun_str    key, value = split(text, &key);
    progress  *p = progress_of(s);

    if (update((const lun_metric_zone *) data, key, value)) {
        p->text = lun_pool_str(s->pool, text);
        p->key = lun_pool_str(s->pool, key);
    }
}


static void
set_key(lun_session *s, lun_str key, uintptr_t data)
{
    progress_of(s)->key = lun_pool_str(s->pool, key);
}


static void
set_value(lun_session *s, lun_str value, uintptr_t data)
{
    progress  *p = progress_of(s);

    if (update((const lun_metric_zone *) data, p->key, value)) {
        p->text = lun_pool_fmt(s->pool, "%.*s=%.*s", LUN_S(p->key),
                               LUN_S(value));
    }
}


static void
get_text(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = progress_of(s)->text;
    v->not_found = v->text.len == 0;
}


static void
get_key(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = progress_of(s)->key;
    v->not_found = v->text.len == 0;
}


static lun_str
number_text(lun_pool *pool, double d)
{
    char      room[64], *p;
    int64_t   n = lun_metric_parts(d);
    uint64_t  u = n < 0 ? -(uint64_t) n : (uint64_t) n;

    p = lun_fmt(room, room + sizeof(room), "%s%" PRIu64 ".%06u",
                n < 0 ? "-" : "", u / LUN_METRIC_PARTS,
                (unsigned) (u % LUN_METRIC_PARTS));

    while (p[-1] == '0') {
        p--;
    }

    p -= p[-1] == '.';
    return lun_pool_str(pool, lun_str_of(room, (size_t) (p - room)));
}


static lun_str
metric_text(lun_pool *pool, const lun_store_metric *m, const uint64_t *cells)
{
    size_t   i;
    lun_str  text = LUN_STR("");

    if (m->mode != LUN_STORE_HISTOGRAM) {
        return number_text(pool, lun_store_value(m, cells, lun_clock.mono));
    }

    for (i = 0; i < m->buckets.count; i++) {
        text = lun_pool_fmt(pool, "%.*s%s%" PRIu64, LUN_S(text),
                            i == 0 ? "" : " ", cells[m->at + i]);
    }

    return text;
}


static void
get_value(lun_session *s, lun_value *v, uintptr_t data)
{
    size_t                   i;
    uint64_t                 cells[LUN_METRIC_STORE_CELLS];
    const progress          *p = progress_of(s);
    const lun_metric_zone   *z = (const lun_metric_zone *) data;
    const lun_store_metric  *m = z->store.metrics.items;

    v->not_found = !lun_store_get(&z->store, p->key, cells);

    if (v->not_found) {
        return;
    }

    v->text = metric_text(s->pool, m, cells);

    for (i = 1; i < z->store.metrics.count; i++) {
        v->text = lun_pool_fmt(s->pool, "%.*s, %.*s", LUN_S(v->text),
                               LUN_S(metric_text(s->pool, &m[i], cells)));
    }
}


/* One of several numbers. */
typedef struct {
    const lun_metric_zone  *zone;
    size_t              number;
} part;


static void
get_part(lun_session *s, lun_value *v, uintptr_t data)
{
    uint64_t         cells[LUN_METRIC_STORE_CELLS];
    const part      *one = (const part *) data;
    const progress  *p = progress_of(s);

    v->not_found = !lun_store_get(&one->zone->store, p->key, cells);

    if (!v->not_found) {
        v->text = metric_text(s->pool, lun_array_at(&one->zone->store.metrics,
                                                    one->number), cells);
    }
}


static lun_rc
define(lun_conf *cf, lun_str name, lun_var_get_fn *get, lun_var_set_fn *set,
    const void *data)
{
    lun_variable  *v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE
                                                | LUN_VAR_VOLATILE
                                                | LUN_VAR_WRITTEN);

    if (v == NULL) {
        return LUN_ERROR;
    }

    v->get = get;
    v->set = set;
    v->data = (uintptr_t) data;
    return LUN_OK;
}


static lun_rc
define_variables(lun_conf *cf, const lun_metric_zone *z)
{
    size_t                   i;
    part                    *one;
    lun_str                  base = lun_pool_fmt(cf->pool, "metric_%.*s",
                                                 LUN_S(z->name));
    const lun_store_metric  *m = z->store.metrics.items;

    if (want_progress(cf) != LUN_OK
        || define(cf, base, get_text, set_text, z) != LUN_OK
        || define(cf, lun_pool_fmt(cf->pool, "%.*s_key", LUN_S(base)), get_key,
                  set_key, z) != LUN_OK
        || define(cf, lun_pool_fmt(cf->pool, "%.*s_value", LUN_S(base)),
                  get_value, set_value, z) != LUN_OK)
    {
        return LUN_ERROR;
    }

    for (i = 0; i < z->store.metrics.count; i++) {
        if (m[i].name.len == 0) {
            continue;
        }

        one = lun_pool_new(cf->pool, part);
        *one = (part) { z, i };

        if (define(cf, lun_pool_fmt(cf->pool, "%.*s_value_%.*s", LUN_S(base),
                                    LUN_S(m[i].name)), get_part, NULL, one)
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* --- directives ---------------------------------------------------------- */

static const struct {
    lun_str         first, second;         /* words */
    lun_store_mode  mode;
} modes[] = {
    { LUN_STR_INIT("count"), LUN_STR_INIT(""), LUN_STORE_COUNT },
    { LUN_STR_INIT("min"), LUN_STR_INIT(""), LUN_STORE_MIN },
    { LUN_STR_INIT("max"), LUN_STR_INIT(""), LUN_STORE_MAX },
    { LUN_STR_INIT("last"), LUN_STR_INIT(""), LUN_STORE_LAST },
    { LUN_STR_INIT("gauge"), LUN_STR_INIT(""), LUN_STORE_GAUGE },
    { LUN_STR_INIT("average"), LUN_STR_INIT("mean"), LUN_STORE_MEAN },
    { LUN_STR_INIT("average"), LUN_STR_INIT("exp"), LUN_STORE_EXP },
    { LUN_STR_INIT("histogram"), LUN_STR_INIT(""), LUN_STORE_HISTOGRAM }
};


static lun_rc
add_bucket(lun_conf *cf, lun_store_metric *m, lun_str word)
{
    char              *end;
    size_t             i;
    double             most = strtod(lun_pool_strz(cf->pool, word), &end);
    lun_store_bucket  *b;

    if (word.len == 0 || *end != '\0' || isnan(most)) {
        return lun_conf_fail(cf, "bad bucket value \"%.*s\"", LUN_S(word));
    }

    for (i = 0; i < m->buckets.count; i++) {
        b = lun_array_at(&m->buckets, i);

        if (!(b->most < most) && !(b->most > most)) {
            return lun_conf_fail(cf, "duplicated bucket \"%.*s\"",
                                 LUN_S(word));
        }
    }

    b = lun_array_push(&m->buckets);
    *b = (lun_store_bucket) { word, most };
    return LUN_OK;
}


static lun_rc
read_parameter(lun_conf *cf, lun_store_metric *m, lun_str word)
{
    int64_t  n;
    lun_str  text;

    if (m->mode == LUN_STORE_HISTOGRAM) {
        return add_bucket(cf, m, word);
    }

    if (m->mode == LUN_STORE_EXP
        && lun_str_after(word, LUN_STR("factor="), &text))
    {
        if (lun_str_to_i64(text, &n) != LUN_OK || n < 0 || n > 99) {
            return lun_conf_fail(cf, "bad factor value \"%.*s\"",
                                 LUN_S(text));
        }

        m->factor = (double) n / 100;
        return LUN_OK;
    }

    if (m->mode == LUN_STORE_MEAN
        && lun_str_after(word, LUN_STR("count="), &text)
        && lun_str_to_i64(text, &n) == LUN_OK && n > 0
        && n < LUN_METRIC_STORE_CELLS)
    {
        m->count = (uint32_t) n;
        return LUN_OK;
    }

    if (m->mode == LUN_STORE_MEAN
        && lun_str_after(word, LUN_STR("window="), &text))
    {
        if (!lun_str_eq(text, LUN_STR("off"))
            && (lun_str_to_msec(text, &m->window) != LUN_OK
                || m->window == 0))
        {
            return lun_conf_fail(cf, "bad window value \"%.*s\"",
                                 LUN_S(text));
        }

        return LUN_OK;
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


/* The words from `at` on: a mode, and what it takes. */
static lun_rc
read_mode(lun_conf *cf, lun_metric_zone *z, lun_str name, size_t at)
{
    size_t            i;
    lun_store_metric  m = { .name = name, .count = MEAN_COUNT, .factor = 0.9 };

    lun_array_init(&m.buckets, cf->pool, sizeof(lun_store_bucket), 5);

    for (i = 0; i < LUN_ARRAY_LEN(modes); i++) {
        if (at < cf->argc && lun_str_eq(cf->args[at], modes[i].first)
            && (modes[i].second.len == 0
                || (at + 1 < cf->argc
                    && lun_str_eq(cf->args[at + 1], modes[i].second))))
        {
            break;
        }
    }

    if (i == LUN_ARRAY_LEN(modes)) {
        return lun_conf_fail(cf, "unknown mode \"%.*s\"",
                             LUN_S(at < cf->argc ? cf->args[at]
                                                 : LUN_STR("")));
    }

    m.mode = modes[i].mode;

    for (at += modes[i].second.len != 0 ? 2 : 1; at < cf->argc; at++) {
        if (read_parameter(cf, &m, cf->args[at]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (m.mode == LUN_STORE_HISTOGRAM && m.buckets.count == 0) {
        return lun_conf_fail(cf, "empty histogram");
    }

    return lun_store_add_metric(&z->store, &m) ? LUN_OK
           : lun_conf_fail(cf, "too many values for each key of metric zone "
                           "\"%.*s\"", LUN_S(z->name));
}


/* Modes and what they take, for who has them from before a reload. */
static lun_str
describe(lun_pool *pool, const lun_metric_zone *z)
{
    size_t                   i, j;
    lun_str                  text = LUN_STR("");
    const lun_store_metric  *m = z->store.metrics.items;
    const lun_store_bucket  *b;

    for (i = 0; i < z->store.metrics.count; i++) {
        text = lun_pool_fmt(pool, "%.*s%s%.*s %d %u", LUN_S(text),
                            i == 0 ? "" : ", ", LUN_S(m[i].name),
                            (int) m[i].mode, m[i].mode == LUN_STORE_MEAN
                            ? m[i].count * 2 + (m[i].window != 0) : 0);
        b = m[i].buckets.items;

        for (j = 0; j < m[i].buckets.count; j++) {
            text = lun_pool_fmt(pool, "%.*s %.*s", LUN_S(text),
                                LUN_S(b[j].text));
        }
    }

    return text;
}


static lun_rc
on_zones(lun_generation *gen, void *data)
{
    lun_str             before;
    const lun_metric_zone  *z = data;

    if (gen->testing) {
        return LUN_OK;
    }

    if (lun_shm_table_bind(lun_shm_table_of(z->store.zone),
                           describe(gen->pool, z), &before) != LUN_OK)
    {
        lun_log(LUN_LOG_EMERG, NULL, 0, "metric zone \"%.*s\" has other "
                "metrics than before: it needs another name or size",
                LUN_S(z->name));
        return LUN_ERROR;
    }

    lun_store_open(&z->store);
    return LUN_OK;
}


static lun_rc
read_options(lun_conf *cf, lun_metric_zone *z, size_t *at)
{
    lun_str  text;

    for (*at = 2; *at < cf->argc; ++*at) {
        if (lun_str_after(cf->args[*at], LUN_STR("expire="), &text)) {
            z->store.expire = lun_str_eq(text, LUN_STR("on"));

            if (!z->store.expire && !lun_str_eq(text, LUN_STR("off"))) {
                return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                     LUN_S(cf->args[*at]));
            }

        } else if (lun_str_after(cf->args[*at], LUN_STR("discard_key="),
                                 &text) && text.len != 0)
        {
            z->store.discard_key = text;

        } else {
            break;
        }
    }

    return LUN_OK;
}


/* "name:size": a new zone, but for its metrics. */
static lun_metric_zone *
new_zone(lun_conf *cf)
{
    uint64_t      size = 0;
    lun_str       word = cf->args[1];
    const char   *why, *colon = lun_str_chr(word, ':');
    lun_metric_zone  *z = lun_pool_new(cf->pool, lun_metric_zone);

    if (colon == NULL || colon == word.data
        || lun_str_to_size(lun_str_of(colon + 1, (size_t) (word.data + word.len
                                                           - colon - 1)),
                           &size) != LUN_OK
        || size == 0 || size > SIZE_MAX / 2)
    {
        (void) lun_conf_fail(cf, "invalid zone size \"%.*s\"", LUN_S(word));
        return NULL;
    }

    z->name = lun_str_of(word.data, (size_t) (colon - word.data));
    z->store.discard_key = LUN_STR("");
    lun_array_init(&z->store.metrics, cf->pool, sizeof(lun_store_metric), 1);
    z->store.zone = lun_zone_want(cf->gen->zones, z->name, (size_t) size,
                                  &lun_store_kind, &why);

    if (z->store.zone == NULL) {
        (void) lun_conf_fail(cf, "%s", why);
        return NULL;
    }

    if (z->store.zone->data != NULL) {
        (void) lun_conf_fail(cf, "duplicate zone \"%.*s\"", LUN_S(z->name));
        return NULL;
    }

    z->store.zone->data = z;
    return z;
}


static lun_rc
finish_zone(lun_conf *cf, lun_metric_zone *z)
{
    lun_status_add(cf->gen, lun_pool_fmt(cf->pool, "status/%s/metric_zones",
                                         cf->engine->protocol->name).data,
                   lun_metric_zone_write, z);
    lun_gen_add_hook(cf->gen, &cf->gen->on_zones, on_zones, z);
    return define_variables(cf, z);
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        at;
    lun_metric_zone  *z = new_zone(cf);

    return z != NULL && read_options(cf, z, &at) == LUN_OK
           && read_mode(cf, z, LUN_STR(""), at) == LUN_OK
           ? finish_zone(cf, z) : LUN_ERROR;
}


static lun_rc
read_line(lun_conf *cf, void *data)
{
    size_t             i;
    lun_metric_zone   *z = data;
    lun_store_metric  *m = z->store.metrics.items;

    for (i = 0; i < z->store.metrics.count; i++) {
        if (lun_str_eq(m[i].name, cf->args[0])) {
            return lun_conf_fail(cf, "duplicate metric \"%.*s\"",
                                 LUN_S(cf->args[0]));
        }
    }

    return cf->args[0].len != 0
           ? read_mode(cf, z, lun_pool_str(cf->pool, cf->args[0]), 1)
           : lun_conf_fail(cf, "empty metric name");
}


static lun_rc
set_complex_zone(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        at;
    lun_metric_zone  *z = new_zone(cf);

    if (z == NULL || read_options(cf, z, &at) != LUN_OK) {
        return LUN_ERROR;
    }

    if (at != cf->argc) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[at]));
    }

    if (lun_conf_read_lines(cf, read_line, z, true) != LUN_OK) {
        return LUN_ERROR;
    }

    return z->store.metrics.count != 0 ? finish_zone(cf, z)
           : lun_conf_fail(cf, "metric zone \"%.*s\" has no metrics",
                           LUN_S(z->name));
}


static lun_rc
read_stage(lun_conf *cf, metric *m, lun_str word)
{
    size_t   i;
    lun_str  text;

    static const char *const  names[] = {
        [LUN_METRIC_AT_REQUEST] = "request",
        [LUN_METRIC_AT_RESPONSE] = "response",
        [LUN_METRIC_AT_END] = "end"
    };

    if (!lun_str_after(word, LUN_STR("on="), &text)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_eq(text, lun_str_z(names[i]))) {
            m->stage = (lun_metric_stage) i;
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "unknown stage \"%.*s\"", LUN_S(text));
}


static lun_rc
set_metric(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       key, value;
    metric        m = { .stage = LUN_METRIC_AT_END };
    const char   *why;
    metric_conf  *conf = data;

    m.zone = lun_zone_want(cf->gen->zones, cf->args[1], 0, &lun_store_kind,
                           &why);

    if (m.zone == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    value = split(cf->args[2], &key);

    if (key.len == 0) {
        return lun_conf_fail(cf, "empty metric \"%.*s\" key",
                             LUN_S(cf->args[1]));
    }

    m.key = lun_script_new(cf, key);
    m.value = value.len != 0 ? lun_script_new(cf, value) : NULL;

    if (m.key == NULL || (value.len != 0 && m.value == NULL)
        || (cf->argc == 4 && read_stage(cf, &m, cf->args[3]) != LUN_OK))
    {
        return LUN_ERROR;
    }

    if (conf->metrics == NULL) {
        conf->metrics = lun_array_new(cf->pool, sizeof(metric), 2);
    }

    *(metric *) lun_array_push(conf->metrics) = m;
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "metric_zone", .where = LUN_ANY_PROTOCOL, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_zone,
      .values = "name:size [expire=on|off] [discard_key=name] mode "
                "[parameters]",
      .help = "numbers of one's own, by key: count, min, max, last, gauge, "
              "average mean, average exp, histogram" },
    { .name = "metric_complex_zone", .where = LUN_ANY_PROTOCOL, .args = 1,
      .args_max = 3, .block = true, .repeats = true,
      .set = set_complex_zone,
      .values = "name:size [expire=on|off] [discard_key=name]",
      .help = "several such numbers for each key, each with a name" },
    { .name = "metric", .where = LUN_ANY_LEVELS, .args = 2, .args_max = 3,
      .repeats = true, .set = set_metric, LUN_FIELD(metric_conf, metrics),
      .values = "zone key[=value] [on=request|response|end]",
      .help = "updates the numbers of a key" },
    { 0 }
};

lun_module  lun_common_metric_zone = {
    .name = "metric_zone",
    .directives = directives,
    .conf_size = sizeof(metric_conf),
    .metrics = lun_metric_zone_metrics,
    .on[LUN_LOG] = on_log,
};
