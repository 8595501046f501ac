/*
 * headers.c -- headers that the configuration adds: add_header, add_trailer,
 * expires.
 *
 *     add_header X-Frame-Options DENY always;
 *     expires 30d;  expires modified +1h;  expires @15h30m;  expires $how;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/location.h"
#include "os/clock.h"


typedef struct {
    lun_str       name;
    lun_script   *value;
    bool          always;
} added_header;

typedef enum {
    EXPIRES_OFF,
    EXPIRES_EPOCH,
    EXPIRES_MAX,
    EXPIRES_ACCESS,
    EXPIRES_MODIFIED,
    EXPIRES_DAILY
} expires_kind;

typedef struct {
    expires_kind  kind;
    int64_t       sec;
    lun_script   *script;          /* the kind is known per request */
} expires_rule;

/* What the directives of one block add. */
typedef struct {
    lun_array        *list;        /* of added_header; NULL: nothing */
    const lun_block  *block;
} added;

/* What becomes of those of the level around. */
typedef enum {
    INHERIT_ON,                    /* they count where there are none */
    INHERIT_OFF,
    INHERIT_MERGE                  /* they follow */
} inherit_mode;

typedef struct {
    added          headers;
    added          trailers;
    int            headers_from;   /* inherit_mode */
    int            trailers_from;
    expires_rule  *expires;
} headers_conf;

extern lun_http_module  lun_http_headers;


/* --- expires --- */

/* NULL: it was read; else what is wrong. */
static const char *
parse_expires(lun_str value, bool modified, expires_rule *rule)
{
    bool  minus = false;

    rule->kind = modified ? EXPIRES_MODIFIED : EXPIRES_ACCESS;
    rule->sec = 0;

    if (!modified) {
        if (lun_str_eq(value, LUN_STR("epoch"))) {
            rule->kind = EXPIRES_EPOCH;
            return NULL;
        }

        if (lun_str_eq(value, LUN_STR("max"))) {
            rule->kind = EXPIRES_MAX;
            return NULL;
        }

        if (lun_str_eq(value, LUN_STR("off"))) {
            rule->kind = EXPIRES_OFF;
            return NULL;
        }
    }

    if (value.len != 0 && value.data[0] == '@') {
        if (modified) {
            return "daily time cannot be used with \"modified\" parameter";
        }

        rule->kind = EXPIRES_DAILY;

    } else if (value.len != 0 && value.data[0] == '-') {
        minus = true;
    }

    if (value.len != 0 && strchr("@-+", value.data[0]) != NULL) {
        value.data++;
        value.len--;
    }

    if (lun_str_to_sec(value, &rule->sec) != LUN_OK) {
        return "invalid value";
    }

    if (rule->kind == EXPIRES_DAILY && rule->sec > 24 * 60 * 60) {
        return "daily time value must be less than 24 hours";
    }

    if (minus) {
        rule->sec = -rule->sec;
    }

    return NULL;
}


static void
set_pair(lun_request *r, lun_str expires, lun_str cache_control)
{
    lun_http_set_out(r, LUN_STR("Expires"), expires);
    lun_http_set_out(r, LUN_STR("Cache-Control"), cache_control);
}


/* When a time of the day comes next, here. */
static int64_t
next_daily(int64_t sec)
{
    int       zone;
    int64_t   midnight;
    lun_date  d;

    lun_clock_local_date(&d, &zone);
    midnight = lun_clock.sec - (d.hour * 3600 + d.minute * 60 + d.second);

    return midnight + sec > lun_clock.sec ? midnight + sec
                                          : midnight + sec + 24 * 60 * 60;
}


static void
set_age(lun_request *r, const expires_rule *rule)
{
    char     *text = lun_pool_text(r->pool, LUN_HTTP_DATE);
    int64_t   age, when, now = lun_clock.sec;

    if (rule->kind == EXPIRES_DAILY) {
        when = next_daily(rule->sec);

    } else if (rule->kind == EXPIRES_MODIFIED && rule->sec != 0
               && r->out.last_modified != -1)
    {
        when = r->out.last_modified + rule->sec;

    } else {
        when = now + rule->sec;
    }

    age = when - now;
    (void) lun_clock_http_date(text, when);

    set_pair(r, lun_str_of(text, LUN_HTTP_DATE),
             rule->sec < 0 || age < 0
             ? LUN_STR("no-cache")
             : lun_pool_fmt(r->pool, "max-age=%" PRId64, age));
}


/*
 * A value that is computed and makes no sense adds nothing, as in nginx: the
 * answer is good without it.
 */
static void
add_expires(lun_request *r, const expires_rule *rule)
{
    lun_str       value;
    expires_rule  mine;

    if (rule->script != NULL) {
        value = lun_script_run(&r->session, rule->script);
        mine.script = NULL;

        if (value.len == 0
            || parse_expires(value, rule->kind == EXPIRES_MODIFIED, &mine)
               != NULL)
        {
            return;
        }

        rule = &mine;
    }

    switch (rule->kind) {

    case EXPIRES_OFF:
        break;

    case EXPIRES_EPOCH:
        set_pair(r, LUN_STR("Thu, 01 Jan 1970 00:00:01 GMT"),
                 LUN_STR("no-cache"));
        break;

    case EXPIRES_MAX:
        set_pair(r, LUN_STR("Thu, 31 Dec 2037 23:55:55 GMT"),
                 LUN_STR("max-age=315360000"));
        break;

    default:
        set_age(r, rule);
    }
}


/* --- the filter --- */

/* What may be cached, or leads somewhere; not errors. */
static bool
is_good(unsigned status)
{
    switch (status) {

    case 200:
    case 201:
    case 204:
    case 206:
    case 301:
    case 302:
    case 303:
    case 304:
    case 307:
    case 308:
        return true;

    default:
        return false;
    }
}


static void
add(lun_request *r, const added_header *h)
{
    lun_str      value = lun_script_run(&r->session, h->value);
    lun_header  *line;

    if (lun_str_caseeq(h->name, LUN_STR("Last-Modified"))) {
        lun_http_clear_last_modified(r);

        /* It is sent as it was written, and is the date of the answer. */
        if (value.len != 0) {
            lun_http_set_out(r, h->name, value);
        }

        return;
    }

    if (lun_str_caseeq(h->name, LUN_STR("ETag"))) {
        lun_http_clear_etag(r);
    }

    if (value.len == 0) {
        return;
    }

    /*
     * Not the time of "expires", by which gzip_proxied decides; nor the type
     * of a body that a 204 does not have.
     */
    if (lun_str_caseeq(h->name, LUN_STR("Expires"))
        || (r->out.status == 204
            && lun_str_caseeq(h->name, LUN_STR("Content-Type"))))
    {
        line = lun_header_list_push(&r->out.list);
        line->name = h->name;
        line->value = value;
        line->hash = lun_header_hash(h->name);
        line->known = -1;
        return;
    }

    lun_http_add_out(r, h->name, value);
}


/* What is to be added here; NULL: nothing. */
static const lun_array *
list_of(const lun_request *r, const added *a, int mode)
{
    return mode == INHERIT_OFF && a->block != r->location->block ? NULL
                                                                 : a->list;
}


static bool
wants_trailers(const lun_array *list, bool good)
{
    size_t               i;
    const added_header  *h;

    for (i = 0; list != NULL && i < list->count; i++) {
        h = lun_array_at(list, i);

        if (good || h->always) {
            return true;
        }
    }

    return false;
}


/*
 * `always` is asked of each field; without it they are for answers that went
 * well.
 */
static lun_rc
on_header(lun_request *r)
{
    bool                  good;
    size_t                i;
    const lun_array      *list;
    const added_header   *h;
    const headers_conf   *conf = lun_http_conf(r, &lun_http_headers);

    if (r->parent == NULL) {
        good = is_good(r->out.status);

        if (conf->expires != NULL && good) {
            add_expires(r, conf->expires);
        }

        list = list_of(r, &conf->headers, conf->headers_from);

        for (i = 0; list != NULL && i < list->count; i++) {
            h = lun_array_at(list, i);

            if (good || h->always) {
                add(r, h);
            }
        }

        list = list_of(r, &conf->trailers, conf->trailers_from);
        r->expect_trailers |= wants_trailers(list, good);
    }

    return lun_http_next_header(r, &lun_http_headers);
}


static void
add_trailers(lun_request *r, const lun_array *trailers)
{
    bool                 good = is_good(r->out.status);
    size_t               i;
    lun_str              value;
    lun_header          *field;
    const added_header  *h;

    if (r->out.trailers.pool == NULL) {
        lun_header_list_init(&r->out.trailers, r->pool, 2);
    }

    for (i = 0; i < trailers->count; i++) {
        h = lun_array_at(trailers, i);
        value = good || h->always ? lun_script_run(&r->session, h->value)
                                  : LUN_STR_NULL;

        if (value.len == 0) {
            continue;
        }

        field = lun_header_list_push(&r->out.trailers);
        field->name = h->name;
        field->value = value;
        field->hash = lun_header_hash(h->name);
    }
}


/* Values are taken at the end: that is what trailers are for. */
static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    const lun_buf       *b;
    const lun_array     *list;
    const headers_conf  *conf = lun_http_conf(r, &lun_http_headers);

    if (conf->trailers.list == NULL || !r->expect_trailers
        || !(r->chunked_out || r->protocol->frames_body))
    {
        return lun_http_next_body(r, &lun_http_headers, in);
    }

    list = list_of(r, &conf->trailers, conf->trailers_from);

    for (b = in; b != NULL && list != NULL; b = b->next) {
        if (b->eof) {
            add_trailers(r, list);
        }
    }

    return lun_http_next_body(r, &lun_http_headers, in);
}


/* --- directives --- */

static lun_rc
add_to(lun_conf *cf, added *a)
{
    added_header  *h;

    if (a->list == NULL) {
        a->list = lun_array_new(cf->pool, sizeof(added_header), 2);
        a->block = cf->block;
    }

    h = lun_array_push(a->list);
    h->name = cf->args[1];
    h->value = lun_script_new(cf, cf->args[2]);

    if (h->value == NULL) {
        return LUN_ERROR;
    }

    if (cf->argc == 4) {
        if (!lun_str_eq(cf->args[3], LUN_STR("always"))) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[3]));
        }

        h->always = true;
    }

    return LUN_OK;
}


static lun_rc
set_header(lun_conf *cf, const lun_directive *d, void *data)
{
    headers_conf  *conf = data;

    return add_to(cf, &conf->headers);
}


static lun_rc
set_trailer(lun_conf *cf, const lun_directive *d, void *data)
{
    headers_conf  *conf = data;

    return add_to(cf, &conf->trailers);
}


static lun_rc
set_expires(lun_conf *cf, const lun_directive *d, void *data)
{
    bool           modified = false;
    lun_str        value = cf->args[cf->argc - 1];
    const char    *wrong;
    headers_conf  *conf = data;

    conf->expires = lun_pool_new(cf->pool, expires_rule);

    if (cf->argc == 3) {
        if (!lun_str_eq(cf->args[1], LUN_STR("modified"))) {
            return lun_conf_bad_value(cf);
        }

        modified = true;
    }

    if (lun_script_has_variables(value)) {
        conf->expires->kind = modified ? EXPIRES_MODIFIED : EXPIRES_ACCESS;
        conf->expires->script = lun_script_new(cf, value);
        return conf->expires->script != NULL ? LUN_OK : LUN_ERROR;
    }

    wrong = parse_expires(value, modified, conf->expires);

    return wrong == NULL ? LUN_OK : lun_conf_fail(cf,
                                 "\"%s\" directive %s", d->name, wrong);
}


/* Those of the level around follow. */
static void
merge(lun_conf *cf, added *own, const added *outer)
{
    size_t      i;
    lun_array  *all;

    if (own->list == NULL || outer->list == NULL || own->list == outer->list) {
        return;
    }

    all = lun_array_new(cf->pool, sizeof(added_header),
                        own->list->count + outer->list->count);

    for (i = 0; i < own->list->count; i++) {
        *(added_header *) lun_array_push(all) =
            *(const added_header *) lun_array_at(own->list, i);
    }

    for (i = 0; i < outer->list->count; i++) {
        *(added_header *) lun_array_push(all) =
            *(const added_header *) lun_array_at(outer->list, i);
    }

    own->list = all;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    headers_conf        *conf = data;
    const headers_conf  *outer = parent;

    if (outer != NULL && conf->headers_from == INHERIT_MERGE) {
        merge(cf, &conf->headers, &outer->headers);
    }

    if (outer != NULL && conf->trailers_from == INHERIT_MERGE) {
        merge(cf, &conf->trailers, &outer->trailers);
    }

    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_enum  inherit_words[] = {
    { "on", INHERIT_ON },
    { "off", INHERIT_OFF },
    { "merge", INHERIT_MERGE },
    { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "add_header", .where = PLACES, .args = 2, .args_max = 3,
      .repeats = true, .set = set_header, LUN_FIELD(headers_conf, headers),
      .values = "name value [always]",
      .help = "a header that answers get" },
    { .name = "add_trailer", .where = PLACES, .args = 2, .args_max = 3,
      .repeats = true, .set = set_trailer, LUN_FIELD(headers_conf, trailers),
      .values = "name value [always]",
      .help = "a field behind the body that answers get" },
    { .name = "add_header_inherit", .where = PLACES, .args = 1,
      .set = lun_set_enum, LUN_FIELD(headers_conf, headers_from),
      .data = inherit_words, .fallback = "on",
      .help = "outer headers: where there are none (on), never (off), too "
              "(merge)" },
    { .name = "add_trailer_inherit", .where = PLACES, .args = 1,
      .set = lun_set_enum, LUN_FIELD(headers_conf, trailers_from),
      .data = inherit_words, .fallback = "on",
      .help = "outer trailers: where there are none (on), never (off), too "
              "(merge)" },
    { .name = "expires", .where = PLACES, .args = 1, .args_max = 2,
      .set = set_expires, LUN_FIELD(headers_conf, expires),
      .values = "[modified] time | epoch | max | off",
      .help = "Expires and Cache-Control of answers" },
    { 0 }
};

/* Trailers are added at the last buf. */
static bool
is_idle(const lun_request *r)
{
    return true;
}


lun_http_module  lun_http_headers = {
    .name = "headers",
    .directives = directives,
    .conf_size = sizeof(headers_conf),
    .inherited = inherited,
    .header_filter = on_header,
    .body_filter = on_body,
    .is_idle = is_idle,
};
