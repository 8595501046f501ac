/*
 * check.c -- Tengine's words for health checks, in an upstream:
 *
 *     check interval=3000 rise=2 fall=5 timeout=1000 type=http;
 *     check_http_send "HEAD / HTTP/1.0\r\n\r\n";
 *     check_http_expect_alive http_2xx http_3xx;
 *
 * They are the checks of health_check: made by one worker, known to all.  An
 * upstream that has no `zone` gets one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/health/check.h"

#include "modules/common/upstream/upstream_table.h"


extern lun_http_module  lun_http_check;

typedef struct {
    lun_str  status;               /* check_status; data NULL: not here */
} status_conf;

/* A module's confs have one type: of an upstream's block, and of a location. */
typedef struct {
    lun_check    check;
    status_conf  page;
} check_conf;


const lun_check *
lun_check_of(const lun_upstream *u)
{
    const check_conf  *conf;

    if (!u->block || u->conf == NULL) {
        return NULL;
    }

    conf = u->conf->confs[lun_http_check.index];
    return conf->check.used ? &conf->check : NULL;
}


/* --- check --------------------------------------------------------------- */

static lun_rc
read_number(lun_str text, int64_t least, int64_t *to)
{
    return lun_str_to_i64(text, to) == LUN_OK && *to >= least
           && *to <= INT32_MAX ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_msec(lun_str text, lun_msec *to)
{
    int64_t  n;

    if (read_number(text, 1, &n) != LUN_OK) {
        return LUN_ERROR;
    }

    *to = (lun_msec) n;
    return LUN_OK;
}


static lun_rc
read_word(lun_check *k, lun_str word)
{
    lun_str  text;

    if (lun_str_after(word, LUN_STR("interval="), &text)) {
        return read_msec(text, &k->head.interval);
    }

    if (lun_str_after(word, LUN_STR("timeout="), &text)) {
        return read_msec(text, &k->timeout);
    }

    if (lun_str_after(word, LUN_STR("fall="), &text)) {
        return read_number(text, 1, &k->head.fails);
    }

    if (lun_str_after(word, LUN_STR("rise="), &text)) {
        return read_number(text, 1, &k->head.passes);
    }

    if (lun_str_after(word, LUN_STR("port="), &text)) {
        return read_number(text, 0, &k->head.port) == LUN_OK
               && k->head.port <= UINT16_MAX ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_after(word, LUN_STR("default_down="), &text)) {
        k->head.mandatory = lun_str_eq(text, LUN_STR("true"));
        return k->head.mandatory || lun_str_eq(text, LUN_STR("false"))
               ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_after(word, LUN_STR("type="), &text)) {
        k->type = lun_check_type_of(text);
        return k->type != NULL ? LUN_OK : LUN_ERROR;
    }

    return LUN_ERROR;
}


static lun_rc
set_check(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t       i;
    check_conf  *conf = data;
    lun_check   *k = &conf->check;

    lun_health_check_init(cf, &k->head);
    k->used = true;
    k->head.upstream = lun_upstream_current(cf);
    k->head.interval = 30000;
    k->head.passes = 2;
    k->head.fails = 5;
    k->head.mandatory = true;
    k->head.persistent = true;
    k->head.strict = true;
    k->timeout = 1000;
    k->type = lun_check_type_of(LUN_STR("tcp"));

    for (i = 1; i < cf->argc; i++) {
        if (read_word(k, cf->args[i]) != LUN_OK) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }
    }

    k->head.persistent = k->head.mandatory;
    return LUN_OK;
}


static lun_rc
set_param(lun_conf *cf, const lun_directive *d, void *data)
{
    check_conf  *conf = data;

    if (conf->check.params == NULL) {
        conf->check.params = lun_array_new(cf->pool, sizeof(lun_pair), 4);
    }

    *(lun_pair *) lun_array_push(conf->check.params)
        = (lun_pair) { cf->args[1], cf->args[2] };
    return LUN_OK;
}


/* Where its servers are to be known to all workers, and no `zone` says how. */
static lun_rc
want_zone(lun_conf *cf, lun_upstream *u)
{
    enum { SERVER = 512 };         /* bytes of each, more than enough */

    size_t                     n = 0;
    const char                *why;
    const lun_upstream_group  *g;

    if (u->zone != NULL) {
        return LUN_OK;
    }

    for (g = u->peers; g != NULL; g = g->next) {
        n += g->count;
    }

    u->zone = lun_zone_want(cf->gen->zones,
                            lun_pool_fmt(cf->pool, "check of %.*s",
                                         LUN_S(u->name)),
                            LUN_UPSTREAM_ZONE * 2 + n * SERVER,
                            &lun_upstream_zone_kind, &why);

    return u->zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


static lun_rc
init(lun_conf *cf)
{
    size_t            i;
    lun_check        *k;
    lun_upstream     *u;
    const lun_array  *all = lun_upstream_all(cf->engine);

    for (i = 0; i < all->count; i++) {
        u = *(lun_upstream **) lun_array_at(all, i);

        if (lun_check_of(u) == NULL) {
            continue;
        }

        k = &((check_conf *) u->conf->confs[lun_http_check.index])->check;

        if (want_zone(cf, u) != LUN_OK || k->type->finish(cf, k) != LUN_OK
            || lun_health_check_finish(cf, &k->head) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* --- check_status -------------------------------------------------------- */

static lun_verdict
on_content(lun_session *s)
{
    lun_request       *r = lun_request_of(s);
    const check_conf  *conf = lun_http_conf(r, &lun_http_check);

    return conf->page.status.data == NULL
           || !lun_http_has_content(r, &lun_http_check) ? LUN_NEXT
           : lun_check_status(r, conf->page.status);
}


static lun_rc
set_status(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str      format = cf->argc == 2 ? cf->args[1] : LUN_STR("html");
    check_conf  *conf = data;

    if (!lun_str_eq(format, LUN_STR("html"))
        && !lun_str_eq(format, LUN_STR("csv"))
        && !lun_str_eq(format, LUN_STR("json")))
    {
        return lun_conf_bad_value(cf);
    }

    conf->page.status = format;
    lun_http_set_content(cf, &lun_http_check);
    return LUN_OK;
}


static lun_rc
set_nothing(lun_conf *cf, const lun_directive *d, void *data)
{
    uint64_t  size;

    return lun_str_to_size(cf->args[1], &size) == LUN_OK
           ? LUN_OK : lun_conf_bad_value(cf);
}


static const lun_enum  classes[] = {
    { "http_2xx", LUN_CHECK_CLASS(200) },
    { "http_3xx", LUN_CHECK_CLASS(300) },
    { "http_4xx", LUN_CHECK_CLASS(400) },
    { "http_5xx", LUN_CHECK_CLASS(500) },
    { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "check", .where = LUN_UPSTREAM, .args_max = LUN_ARGS_ANY,
      .set = set_check,
      .values = "[interval=ms] [rise=number] [fall=number] [timeout=ms] "
                "[default_down=true|false] "
                "[type=tcp|http|ssl_hello|mysql|ajp|fastcgi] [port=number]",
      .help = "asks the servers how they are (Tengine)" },
    { .name = "check_http_send", .where = LUN_UPSTREAM, .args = 1,
      .set = lun_set_str, LUN_FIELD(check_conf, check.send),
      .values = "request",
      .help = "what a check of type=http asks (GET / HTTP/1.0)" },
    { .name = "check_http_expect_alive", .where = LUN_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits,
      LUN_FIELD(check_conf, check.alive), .data = classes,
      .fallback = "http_2xx http_3xx",
      .values = "http_2xx | http_3xx | http_4xx | http_5xx ...",
      .help = "the answers that are good" },
    { .name = "check_keepalive_requests", .where = LUN_UPSTREAM, .args = 1,
      .set = lun_set_num, LUN_FIELD(check_conf, check.requests),
      .fallback = "1",
      .help = "checks of type=http over one connection" },
    { .name = "check_fastcgi_param", .where = LUN_UPSTREAM, .args = 2,
      .repeats = true, .set = set_param, LUN_FIELD(check_conf, check.params),
      .values = "parameter value",
      .help = "what a check of type=fastcgi asks" },
    { .name = "check_shm_size", .where = LUN_HTTP, .args = 1,
      .set = set_nothing,
      .values = "size",
      .help = "of no effect: an upstream's zone has room for its servers" },
    { .name = "check_status", .where = LUN_LOCATION, .args_max = 1,
      .set = set_status, .values = "[html | csv | json]",
      .help = "answers with the servers that are checked (Tengine)" },
    { 0 }
};

lun_http_module  lun_http_check = {
    .name = "check",
    .directives = directives,
    .conf_size = sizeof(check_conf),
    .init = init,
    .on[LUN_CONTENT] = on_content,
};
