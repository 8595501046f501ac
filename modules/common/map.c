/*
 * map.c -- a variable whose value depends on others.
 *
 *     map $http_host $name {
 *         hostnames;
 *         default          0;
 *         example.com      1;
 *         *.example.com    2;
 *         ~^www\.(?<d>.+)  $d;
 *     }
 *
 * Keys are one hash, wildcards two more; regexes are tried in order.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "config/slots.h"
#include "session/pattern.h"
#include "session/regex.h"


typedef struct {
    lun_pattern  *pattern;
    lun_script   *value;
} map_regex;

typedef struct {
    lun_script   *source;
    lun_hash      exact;           /* of lun_script *, caseless */
    lun_hash      tails;           /* "*.a.b": key "a.b" */
    lun_hash      heads;           /* "a.b.*": key "a.b" */
    lun_array     regexes;         /* of map_regex */
    lun_script   *fallback;
    bool          hostnames;
    lun_variable *variable;
} map;


/* --- finding --- */

static lun_script *
by_tail(const lun_hash *tails, lun_str name)
{
    const char  *dot;
    lun_script  *s = NULL;

    while (s == NULL && (dot = lun_str_chr(name, '.')) != NULL) {
        name = lun_str_of(dot + 1, name.len - (size_t) (dot + 1 - name.data));
        s = lun_hash_get(tails, name);
    }

    return s;
}


static lun_script *
by_head(const lun_hash *heads, lun_str name)
{
    lun_script  *s = NULL;

    while (s == NULL && name.len > 0) {
        name.len--;

        if (name.data[name.len] == '.') {
            s = lun_hash_get(heads, name);
        }
    }

    return s;
}


/*
 * nginx's order: exact, longest leading wildcard, longest trailing one, regexes
 * as they stand; the trailing dot of a host is no part of it.
 */
static lun_script *
find(lun_session *s, const map *m, lun_str key)
{
    size_t            i;
    lun_str           name = key;
    lun_script       *value;
    const map_regex  *re;

    if (m->hostnames && lun_str_ends(name, LUN_STR("."))) {
        name.len--;
    }

    value = lun_hash_get(&m->exact, name);

    if (value == NULL && m->tails.count != 0) {
        value = by_tail(&m->tails, name);
    }

    if (value == NULL && m->heads.count != 0) {
        value = by_head(&m->heads, name);
    }

    for (i = 0; value == NULL && i < m->regexes.count; i++) {
        re = lun_array_at(&m->regexes, i);

        if (lun_pattern_match(s, re->pattern, key) == LUN_PATTERN_YES) {
            value = re->value;
        }
    }

    return value != NULL ? value : m->fallback;
}


static void
get_map(lun_session *s, lun_value *v, uintptr_t data)
{
    const map   *m = (const map *) data;
    lun_script  *value = find(s, m, lun_script_run(s, m->source));

    v->text = value != NULL ? lun_script_run(s, value) : LUN_STR("");
}


/* --- reading --- */

static lun_rc
conflict(lun_conf *cf, lun_str key)
{
    return lun_conf_fail(cf, "conflicting parameter \"%.*s\"", LUN_S(key));
}


static lun_str
cut_key(lun_str key, size_t front, size_t back)
{
    return lun_str_of(key.data + front, key.len - front - back);
}


static lun_rc
add_host(lun_conf *cf, map *m, lun_str key, lun_script *value)
{
    lun_str    bare = key;
    lun_hash  *hash = &m->exact;

    if (lun_str_starts(key, LUN_STR("*.")) && key.len > 2) {
        hash = &m->tails;
        bare = cut_key(key, 2, 0);

    } else if (lun_str_ends(key, LUN_STR(".*")) && key.len > 2) {
        hash = &m->heads;
        bare = cut_key(key, 0, 2);

    } else if (lun_str_starts(key, LUN_STR(".")) && key.len > 1) {
        bare = cut_key(key, 1, 0);

        if (lun_hash_add(&m->tails, bare, value) != NULL) {
            return conflict(cf, key);
        }
    }

    if (lun_str_chr(bare, '*') != NULL) {
        return lun_conf_fail(cf, "invalid hostname or wildcard \"%.*s\"",
                             LUN_S(key));
    }

    return lun_hash_add(hash, bare, value) == NULL ? LUN_OK
                                                   : conflict(cf, key);
}


static lun_rc
add_regex(lun_conf *cf, map *m, lun_str key, lun_script *value)
{
    unsigned    flags = 0;
    map_regex  *re = lun_array_push(&m->regexes);

    key = cut_key(key, 1, 0);

    if (lun_str_starts(key, LUN_STR("*"))) {
        key = cut_key(key, 1, 0);
        flags = LUN_REGEX_CASELESS;
    }

    re->value = value;
    re->pattern = lun_pattern_new(cf, key, flags);

    return re->pattern != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_line(lun_conf *cf, void *data)
{
    map         *m = data;
    lun_str      key = cf->args[0];
    lun_script  *value;

    if (cf->argc == 1 && lun_str_eq(key, LUN_STR("hostnames"))) {
        m->hostnames = true;
        return LUN_OK;
    }

    if (cf->argc == 1 && lun_str_eq(key, LUN_STR("volatile"))) {
        m->variable->flags |= LUN_VAR_VOLATILE;
        return LUN_OK;
    }

    if (cf->argc != 2) {
        return lun_conf_fail(cf, "invalid number of the map parameters");
    }

    value = lun_script_new(cf, cf->args[1]);

    if (value == NULL) {
        return LUN_ERROR;
    }

    if (lun_str_eq(key, LUN_STR("default"))) {
        if (m->fallback != NULL) {
            return lun_conf_fail(cf, "duplicate default map parameter");
        }

        m->fallback = value;
        return LUN_OK;
    }

    if (lun_str_starts(key, LUN_STR("~"))) {
        return add_regex(cf, m, key, value);
    }

    /* "\default" is a key. */
    if (lun_str_starts(key, LUN_STR("\\"))) {
        key = cut_key(key, 1, 0);
    }

    if (m->hostnames) {
        return add_host(cf, m, key, value);
    }

    return lun_hash_add(&m->exact, key, value) == NULL ? LUN_OK
                                                       : conflict(cf, key);
}


/*
 * The values are scripts: a map may name variables, other maps among them, and
 * is evaluated when it is asked for.
 */
static lun_rc
set_map(lun_conf *cf, const lun_directive *d, void *conf)
{
    map      *m = lun_pool_new(cf->pool, map);
    lun_str   name;

    m->source = lun_script_new(cf, cf->args[1]);

    if (m->source == NULL) {
        return LUN_ERROR;
    }

    if (lun_var_name(cf, cf->args[2], &name) != LUN_OK) {
        return LUN_ERROR;
    }

    m->variable = lun_var_define(cf, name, LUN_VAR_CHANGEABLE);

    if (m->variable == NULL) {
        return LUN_ERROR;
    }

    m->variable->get = get_map;
    m->variable->data = (uintptr_t) m;

    lun_hash_init(&m->exact, cf->pool, 0, true);
    lun_hash_init(&m->tails, cf->pool, 0, true);
    lun_hash_init(&m->heads, cf->pool, 0, true);
    lun_array_init(&m->regexes, cf->pool, sizeof(map_regex), 0);

    return lun_conf_read_lines(cf, read_line, m, true);
}


static const lun_directive  directives[] = {
    { .name = "map", .where = LUN_ANY_PROTOCOL, .args = 2, .block = true,
      .repeats = true, .set = set_map,
      .values = "string $variable",
      .help = "a variable that depends on another value" },
    { .name = "map_hash_max_size", .where = LUN_ANY_PROTOCOL, .args = 1,
      .set = lun_set_ignored, .data = &lun_ignored_num,
      .help = "without effect here" },
    { .name = "map_hash_bucket_size", .where = LUN_ANY_PROTOCOL, .args = 1,
      .set = lun_set_ignored, .data = &lun_ignored_num,
      .help = "without effect here" },
    { 0 }
};

lun_module  lun_common_map = {
    .name = "map",
    .directives = directives,
};
