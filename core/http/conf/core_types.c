/*
 * core_types.c -- types: from a file's extension to its media type; lists of
 * media types.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/core_conf.h"

#include "http/output.h"


static const struct {
    lun_str  type;
    lun_str  exten;
} defaults[] = {
    { LUN_STR_INIT("text/html"),  LUN_STR_INIT("html") },
    { LUN_STR_INIT("image/gif"),  LUN_STR_INIT("gif") },
    { LUN_STR_INIT("image/jpeg"), LUN_STR_INIT("jpg") }
};


static void
add(lun_conf *cf, lun_hash *types, lun_str exten, lun_str *type)
{
    lun_str  *old = lun_hash_get(types, exten);

    if (old == NULL) {
        lun_hash_add(types, exten, type);
        return;
    }

    lun_conf_warn(cf, "duplicate extension \"%.*s\", content type: \"%.*s\", "
                  "previous content type: \"%.*s\"", LUN_S(exten),
                  LUN_S(*type), LUN_S(*old));
    lun_hash_set(types, exten, type);
}


static lun_rc
take_line(lun_conf *cf, void *data)
{
    size_t     i;
    lun_str   *type;
    lun_hash  *types = data;

    type = lun_pool_new(cf->pool, lun_str);
    *type = cf->args[0];

    for (i = 1; i < cf->argc; i++) {
        add(cf, types, cf->args[i], type);
    }

    return LUN_OK;
}


lun_rc
lun_set_types(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_core_conf  *core = conf;

    if (core->types == NULL) {
        core->types = lun_pool_new(cf->pool, lun_hash);
        lun_hash_init(core->types, cf->pool, 128, true);
    }

    return lun_conf_read_lines(cf, take_line, core->types, true);
}


lun_hash *
lun_http_default_types(lun_pool *pool)
{
    size_t     i;
    lun_str   *type;
    lun_hash  *types = lun_pool_new(pool, lun_hash);

    lun_hash_init(types, pool, LUN_ARRAY_LEN(defaults), true);

    for (i = 0; i < LUN_ARRAY_LEN(defaults); i++) {
        type = lun_pool_new(pool, lun_str);
        *type = defaults[i].type;
        lun_hash_add(types, defaults[i].exten, type);
    }

    return types;
}


void
lun_http_set_type(lun_request *r)
{
    lun_str              *type = NULL;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (r->out.content_type.len != 0) {
        return;
    }

    if (r->exten.len != 0) {
        type = lun_hash_get(conf->types, r->exten);
    }

    r->out.content_type = type != NULL ? *type : conf->default_type;
}


/* --- lists of media types ------------------------------------------------ */

/* "*": what is said beside it makes no difference. */
static lun_hash  every_type;


/*
 * "*" makes all else meaningless, but is accepted beside it, as nginx accepts
 * it.
 */
lun_rc
lun_set_media_types(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t        i;
    lun_hash    **types = (lun_hash **) (void *) ((char *) conf + d->field);
    const char   *always = d->data != NULL ? d->data : "text/html";
    static char   yes;

    for (i = 1; i < cf->argc; i++) {
        if (lun_str_eq(cf->args[i], LUN_STR("*"))) {
            *types = &every_type;
        }
    }

    if (*types == &every_type) {
        return LUN_OK;
    }

    if (*types == NULL) {
        *types = lun_pool_new(cf->pool, lun_hash);
        lun_hash_init(*types, cf->pool, cf->argc, true);
        (void) lun_hash_add(*types, lun_str_z(always), &yes);
    }

    for (i = 1; i < cf->argc; i++) {
        if (lun_hash_add(*types, cf->args[i], &yes) != NULL
            && !cf->is_fallback)
        {
            lun_conf_warn(cf, "duplicate MIME type \"%.*s\"",
                          LUN_S(cf->args[i]));
        }
    }

    return LUN_OK;
}


bool
lun_http_is_type(const lun_request *r, const lun_hash *types)
{
    lun_str      type = r->out.content_type;
    const char  *semi = lun_str_chr(type, ';');

    if (types == &every_type || type.len == 0) {
        return types == &every_type;       /* an answer without a type, too */
    }

    if (semi != NULL) {
        type.len = (size_t) (semi - type.data);

        while (type.len != 0 && type.data[type.len - 1] == ' ') {
            type.len--;
        }
    }

    return lun_hash_get(types, type) != NULL;
}
