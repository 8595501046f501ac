/*
 * slots.c -- setters for the common types of fields.
 *
 * Words are views into the text of the configuration, which lives as long as
 * the generation: what is kept is not copied.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/slots.h"


static void *
field_of(const lun_directive *d, void *conf)
{
    return (char *) conf + d->field;
}


static bool
is_word(lun_str s, const char *word)
{
    return lun_str_caseeq(s, lun_str_z(word));
}


lun_rc
lun_set_flag(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool  *flag = field_of(d, conf);

    if (is_word(cf->args[1], "on")) {
        *flag = true;
        return LUN_OK;
    }

    if (is_word(cf->args[1], "off")) {
        *flag = false;
        return LUN_OK;
    }

    return lun_conf_fail(cf, "invalid value \"%.*s\" in \"%.*s\" directive, "
                         "it must be \"on\" or \"off\"",
                         LUN_S(cf->args[1]), LUN_S(cf->args[0]));
}


lun_rc
lun_set_num(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  n;

    if (lun_str_to_i64(cf->args[1], &n) != LUN_OK || n < 0) {
        return lun_conf_fail(cf, "\"%.*s\" directive invalid number",
                             LUN_S(cf->args[0]));
    }

    *(int64_t *) field_of(d, conf) = n;
    return LUN_OK;
}


lun_rc
lun_set_size(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t  n;

    if (lun_str_to_size(cf->args[1], &n) != LUN_OK || n > SIZE_MAX) {
        return lun_conf_bad_size(cf, cf->args[1]);
    }

    *(size_t *) field_of(d, conf) = (size_t) n;
    return LUN_OK;
}


lun_rc
lun_set_off(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t  n;

    if (lun_str_to_size(cf->args[1], &n) != LUN_OK) {
        return lun_conf_bad_size(cf, cf->args[1]);
    }

    *(int64_t *) field_of(d, conf) = (int64_t) n;
    return LUN_OK;
}


lun_rc
lun_set_msec(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (lun_str_to_msec(cf->args[1], field_of(d, conf)) != LUN_OK) {
        return lun_conf_bad_time(cf, cf->args[1]);
    }

    return LUN_OK;
}


lun_rc
lun_set_sec(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (lun_str_to_sec(cf->args[1], field_of(d, conf)) != LUN_OK) {
        return lun_conf_bad_time(cf, cf->args[1]);
    }

    return LUN_OK;
}


lun_rc
lun_set_str(lun_conf *cf, const lun_directive *d, void *conf)
{
    *(lun_str *) field_of(d, conf) = cf->args[1];
    return LUN_OK;
}


lun_rc
lun_set_path(lun_conf *cf, const lun_directive *d, void *conf)
{
    *(lun_str *) field_of(d, conf) = lun_conf_path(cf, cf->args[1], false);
    return LUN_OK;
}


static const lun_enum *
find_enum(const lun_directive *d, lun_str word)
{
    const lun_enum  *e;

    for (e = d->data; e->name != NULL; e++) {
        if (is_word(word, e->name)) {
            return e;
        }
    }

    return NULL;
}


static lun_rc
unknown_value(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid value \"%.*s\"", LUN_S(word));
}


lun_rc
lun_set_enum(lun_conf *cf, const lun_directive *d, void *conf)
{
    const lun_enum  *e = find_enum(d, cf->args[1]);

    if (e == NULL) {
        return unknown_value(cf, cf->args[1]);
    }

    *(int *) field_of(d, conf) = e->value;
    return LUN_OK;
}


lun_rc
lun_set_bits(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i;
    uint32_t        *bits = field_of(d, conf);
    const lun_enum  *e;

    for (i = 1; i < cf->argc; i++) {
        e = find_enum(d, cf->args[i]);

        if (e == NULL) {
            return unknown_value(cf, cf->args[i]);
        }

        if (e->value != 0 && (*bits & (uint32_t) e->value)
                             == (uint32_t) e->value)
        {
            lun_conf_warn(cf, "duplicate value \"%.*s\"",
                          LUN_S(cf->args[i]));
        }

        *bits |= (uint32_t) e->value;
    }

    return LUN_OK;
}


lun_rc
lun_set_bufs(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t    num;
    uint64_t   size;
    lun_bufs  *bufs = field_of(d, conf);

    if (lun_str_to_i64(cf->args[1], &num) != LUN_OK || num <= 0
        || lun_str_to_size(cf->args[2], &size) != LUN_OK || size == 0
        || size > SIZE_MAX)
    {
        return lun_conf_bad_value(cf);
    }

    bufs->num = num;
    bufs->size = (size_t) size;

    return LUN_OK;
}


static lun_array *
list_of(lun_conf *cf, const lun_directive *d, void *conf, size_t item_size)
{
    lun_array  **list = field_of(d, conf);

    if (*list == NULL) {
        *list = lun_array_new(cf->pool, item_size, 2);
    }

    return *list;
}


lun_rc
lun_set_str_list(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t      i;
    lun_array  *list = list_of(cf, d, conf, sizeof(lun_str));

    for (i = 1; i < cf->argc; i++) {
        *(lun_str *) lun_array_push(list) = cf->args[i];
    }

    return LUN_OK;
}


lun_rc
lun_set_pairs(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_pair  *pair;

    pair = lun_array_push(list_of(cf, d, conf, sizeof(lun_pair)));
    pair->key = cf->args[1];
    pair->value = cf->args[2];

    return LUN_OK;
}


const lun_no_effect  lun_ignored_flag = { .read = lun_set_flag };
const lun_no_effect  lun_ignored_num = { .read = lun_set_num };
const lun_no_effect  lun_ignored_size = { .read = lun_set_size };
const lun_no_effect  lun_ignored_msec = { .read = lun_set_msec };


/* What it says has to be right all the same: where it counts it is read. */
lun_rc
lun_set_ignored(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t               room[2];
    lun_directive         row = *d;
    const lun_no_effect  *none = d->data;

    if (none == NULL || none->read == NULL) {
        return LUN_OK;
    }

    row.field = 0;
    return none->read(cf, &row, room);
}


lun_rc
lun_set_no_effect(lun_conf *cf, const lun_directive *d, void *conf)
{
    const lun_no_effect  *none = d->data;

    if (lun_set_ignored(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (cf->argc == 2 && (is_word(cf->args[1], "off")
                          || is_word(cf->args[1], "0")))
    {
        return LUN_OK;             /* that is how it is */
    }

    if (none == NULL || none->why == NULL) {
        lun_conf_warn(cf, "\"%s\" is not supported, ignored", d->name);

    } else {
        lun_conf_warn(cf, "\"%s\" directive has no effect: %s", d->name,
                      none->why);
    }

    return LUN_OK;
}
