/*
 * upreq_conf.c -- the settings that every module of an upstream request has.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_conf.h"

#include "base/check.h"
#include "config/default_paths.h"


enum { PAGE = 4096 };

const lun_enum  lun_upreq_tries[] = {
    { "error", LUN_TRY_ERROR },
    { "timeout", LUN_TRY_TIMEOUT },
    { "invalid_header", LUN_TRY_INVALID_HEADER },
    { "non_idempotent", LUN_TRY_NON_IDEMPOTENT },
    { "http_500", LUN_TRY_500 },
    { "http_502", LUN_TRY_502 },
    { "http_503", LUN_TRY_503 },
    { "http_504", LUN_TRY_504 },
    { "http_403", LUN_TRY_403 },
    { "http_404", LUN_TRY_404 },
    { "http_429", LUN_TRY_429 },
    { "updating", LUN_TRY_UPDATING },
    { "denied", LUN_TRY_DENIED },
    { "off", LUN_TRY_OFF },
    { NULL, 0 }
};

const lun_enum  lun_upreq_ignores[] = {
    { "X-Accel-Redirect", LUN_IGNORE_REDIRECT },
    { "X-Accel-Expires", LUN_IGNORE_EXPIRES },
    { "X-Accel-Limit-Rate", LUN_IGNORE_LIMIT_RATE },
    { "X-Accel-Buffering", LUN_IGNORE_BUFFERING },
    { "X-Accel-Charset", LUN_IGNORE_CHARSET },
    { "Expires", LUN_IGNORE_EXPIRES_FIELD },
    { "Cache-Control", LUN_IGNORE_CACHE_CONTROL },
    { "Set-Cookie", LUN_IGNORE_SET_COOKIE },
    { "Vary", LUN_IGNORE_VARY },
    { NULL, 0 }
};


lun_rc
lun_set_upreq_names(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_array  **field = (lun_array **) (void *) ((char *) conf + d->field);

    if (*field == NULL) {
        *field = lun_array_new(cf->pool, sizeof(lun_str), 4);
    }

    *(lun_str *) lun_array_push(*field) = cf->args[1];
    return LUN_OK;
}


/* --- hidden headers ------------------------------------------------------ */

static bool
has_name(const lun_array *list, lun_str name)
{
    size_t  i;

    for (i = 0; list != NULL && i < list->count; i++) {
        if (lun_str_caseeq(*(lun_str *) lun_array_at(list, i), name)) {
            return true;
        }
    }

    return false;
}


static void
hide_header(lun_upreq_conf *conf, lun_str name)
{
    int               known;
    lun_header_name  *h;

    if (has_name(conf->pass, name)) {
        return;
    }

    h = lun_array_push(&conf->hidden);
    h->name = name;
    h->hash = lun_header_hash(name);
    conf->hidden_bits |= lun_header_bit(h->hash);
    known = lun_header_known_out(name, h->hash);

    if (known >= 0) {
        conf->hidden_known |= UINT64_C(1) << known;
    }
}


static void
finish_hidden(lun_conf *cf, lun_upreq_conf *conf, const lun_str *hidden)
{
    size_t  i;

    lun_array_init(&conf->hidden, cf->pool, sizeof(lun_header_name), 8);
    conf->hidden_bits = 0;
    conf->hidden_known = 0;

    for ( ; hidden != NULL && hidden->len != 0; hidden++) {
        hide_header(conf, *hidden);
    }

    for (i = 0; conf->hide != NULL && i < conf->hide->count; i++) {
        hide_header(conf, *(lun_str *) lun_array_at(conf->hide, i));
    }
}


/* --- sizes --------------------------------------------------------------- */

/* A module without such directives; a subrequest may need the file. */
static void
set_unbuffered(lun_conf *cf, const char *name, lun_upreq_conf *conf)
{
    lun_str  path = lun_pool_fmt(cf->pool, LUN_TEMP_PATH "%s_temp", name);

    conf->buffering = false;
    conf->buffers = (lun_bufs) { .num = 8, .size = conf->buffer_size };
    conf->max_temp_size = 1024 * 1024 * 1024;
    conf->temp_path = lun_pool_new(cf->pool, lun_temp_path);
    conf->temp_path->path = lun_conf_path(cf, path, false);
}


void
lun_upreq_want_folder(lun_conf *cf, const lun_upreq_conf *top,
    const char *name)
{
    lun_str  path;

    if (top->temp_path == NULL) {
        path = lun_pool_fmt(cf->pool, LUN_TEMP_PATH "%s_temp", name);
        lun_http_want_folder(cf->gen, lun_conf_path(cf, path, false).data);
    }
}


/*
 * The least that a limit may be: one buffer.  Those that nobody has set have
 * two pages, and limits of one page go with them.
 */
static size_t
least_limit(const lun_upreq_conf *conf)
{
    size_t  one = conf->buffers.size;

    if (conf->buffers.num == 8 && one == 2 * PAGE) {
        one = PAGE;
    }

    return lun_max(conf->buffer_size, one);
}


/* --- who has a say in its requests --------------------------------------- */

void
lun_upreq_hook_in(lun_upreq_conf *conf, const lun_upreq_hooks *hooks,
    const void *own)
{
    LUN_CHECK(conf->hook_count < LUN_UPREQ_HOOKS);
    conf->hooks[conf->hook_count++] = (lun_upreq_hook) { hooks, own };
}


void
lun_upreq_hook_out(lun_upreq_conf *conf, const lun_upreq_hooks *hooks)
{
    unsigned  i, n = 0;

    for (i = 0; i < conf->hook_count; i++) {
        if (conf->hooks[i].hooks != hooks) {
            conf->hooks[n++] = conf->hooks[i];
        }
    }

    conf->hook_count = n;
}


const void *
lun_upreq_hook_conf(const lun_upreq_conf *conf, const lun_upreq_hooks *hooks)
{
    unsigned  i;

    for (i = 0; i < conf->hook_count; i++) {
        if (conf->hooks[i].hooks == hooks) {
            return conf->hooks[i].conf;
        }
    }

    return NULL;
}


lun_rc
lun_upreq_keep(lun_conf *cf, lun_upreq_conf *conf, lun_upreq_keeping how)
{
    lun_str  name = cf->args[0], prefix;

    if (conf->keeps != LUN_UPREQ_KEEPS_NOTHING && conf->keeps != how) {
        prefix = lun_str_of(name.data, name.len - 5);  /* both have five */
        return lun_conf_fail(cf, "\"%.*s\" directive is incompatible with "
                             "\"%.*s%s\"", LUN_S(name), LUN_S(prefix),
                             how == LUN_UPREQ_KEEPS_FILES ? "cache" : "store");
    }

    conf->keeps = how;
    return LUN_OK;
}


/*
 * nginx's rules, in its order and words.  They are about buffers which the ring
 * does not have one by one, but configurations that nginx refuses are refused
 * here, too.
 */
lun_rc
lun_upreq_finish_conf(lun_conf *cf, const char *name,
    lun_upreq_conf *conf, const lun_str *hidden)
{
    size_t  one, least;

    if (conf->buffers.num == 0) {
        set_unbuffered(cf, name, conf);
    }

    if (conf->store != NULL && conf->store->on) {
        lun_upreq_hook_in(conf, &lun_upreq_store_hooks, conf->store);
    }

    one = lun_max(conf->buffer_size, conf->buffers.size);
    least = least_limit(conf);

    if (conf->buffers.num < 2) {
        return lun_conf_fail(cf, "there must be at least 2 \"%s_buffers\"",
                             name);
    }

    conf->busy_size = conf->busy_asked != 0 ? conf->busy_asked : 2 * one;

    if (conf->busy_size < least) {
        return lun_conf_fail(cf, "\"%s_busy_buffers_size\" must be equal to or "
                             "greater than the maximum of the value of "
                             "\"%s_buffer_size\" and one of the \"%s_buffers\"",
                             name, name, name);
    }

    if (conf->busy_size > ((size_t) conf->buffers.num - 1)
                          * conf->buffers.size)
    {
        return lun_conf_fail(cf, "\"%s_busy_buffers_size\" must be less than "
                             "the size of all \"%s_buffers\" minus one buffer",
                             name, name);
    }

    conf->temp_write_size = conf->temp_write_asked != 0
                            ? conf->temp_write_asked : 2 * one;

    if (conf->temp_write_size < least) {
        return lun_conf_fail(cf, "\"%s_temp_file_write_size\" must be equal to "
                             "or greater than the maximum of the value of "
                             "\"%s_buffer_size\" and one of the \"%s_buffers\"",
                             name, name, name);
    }

    if (conf->max_temp_size != 0 && conf->max_temp_size < least) {
        return lun_conf_fail(cf, "\"%s_max_temp_file_size\" must be equal to "
                             "zero to disable temporary files usage or must "
                             "be equal to or greater than the maximum of the "
                             "value of \"%s_buffer_size\" and one of the "
                             "\"%s_buffers\"", name, name, name);
    }

    finish_hidden(cf, conf, hidden);
    return LUN_OK;
}
