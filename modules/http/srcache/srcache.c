/*
 * srcache.c -- OpenResty's srcache: answers that other locations keep.
 *
 *     location / {
 *         set $key $uri$is_args$args;
 *         srcache_fetch GET /memc $key;
 *         srcache_store PUT /memc $key;
 *         proxy_pass http://backend;
 *     }
 *
 * Behind the access phase the first location is asked for the answer; what it
 * gives with 200 is the answer (srcache_text.c).  Otherwise the answer is made,
 * and sent to the second one, which nobody waits for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/srcache/srcache_priv.h"

#include "cache/cache_rules.h"
#include "http/subrequest.h"


static lun_srcache_state *
make_state(lun_request *r)
{
    lun_srcache_state  *s = lun_pool_new(r->pool, lun_srcache_state);

    s->r = r;
    s->length = -1;
    lun_http_set_state(r, &lun_http_srcache, s);

    return s;
}


lun_request *
lun_srcache_ask(lun_request *r, const lun_srcache_asked *asked)
{
    lun_str       uri, args;
    lun_request  *sub;

    uri = lun_pool_str(r->pool, lun_script_run(&r->session, asked->uri));

    if (lun_http_read_uri(r->pool, &uri, &args) != LUN_OK) {
        lun_log(LUN_LOG_ERR, r->log, 0, "unsafe URI \"%.*s\" was detected",
                LUN_S(uri));
        return NULL;
    }

    if (asked->args != NULL) {
        args = lun_pool_str(r->pool, lun_script_run(&r->session, asked->args));
    }

    /* With variables of its own: `set` over there is nothing to us. */
    sub = lun_subrequest_ask(r, uri, args, LUN_SUB_CAPTURE | LUN_SUB_BARE
                                           | LUN_SUB_OWN_VALUES);

    if (sub != NULL) {
        sub->method = asked->method;
        sub->method_name = lun_method_name(asked->method);
        lun_subrequest_drop_body(sub);
    }

    return sub;
}


bool
lun_srcache_says(const lun_header *h, lun_str word)
{
    for ( /* void */ ; h != NULL; h = h->same) {
        if (lun_cache_control_names(h->value, word)) {
            return true;
        }
    }

    return false;
}


/* --- looking it up ------------------------------------------------------- */

static void
on_done(lun_request *sub, void *data)
{
    lun_srcache_state  *s = data;

    s->done = true;
    lun_http_resume(s->r);
}


static bool
may_fetch(lun_request *r, const lun_srcache_conf *conf)
{
    const lun_header  *control, *pragma;

    if (conf->fetch == NULL || (conf->methods & r->method) == 0
        || (conf->fetch_skip != NULL
            && lun_script_true(lun_script_run(&r->session,
                                              conf->fetch_skip))))
    {
        return false;
    }

    if (!conf->request_control) {
        return true;
    }

    control = lun_header_find(&r->in.list, LUN_STR("Cache-Control"));
    pragma = lun_header_find(&r->in.list, LUN_STR("Pragma"));

    return !lun_srcache_says(control, LUN_STR("no-cache"))
           && !lun_srcache_says(pragma, LUN_STR("no-cache"));
}


/* The header was put in place from the cache; only the length is ours. */
static lun_verdict
serve(lun_request *r, lun_str body)
{
    lun_rc       rc;
    lun_buf     *b;
    lun_verdict  v = lun_body_discard(r);

    if (v != LUN_LEAVE) {
        return v;
    }

    r->out.content_length = (int64_t) body.len;

    if (lun_http_send_header(r) == LUN_ERROR) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    if (body.len == 0) {
        rc = lun_http_output_eof(r);

    } else {
        b = lun_buf_new_str(r->pool, body);
        lun_http_mark_last(r, b);
        rc = lun_http_output(r, b);
    }

    return rc != LUN_ERROR ? LUN_FINISHED : LUN_FAILED;
}


static lun_verdict
on_precontent(lun_session *session)
{
    lun_str                  body;
    lun_request             *r = lun_request_of(session);
    lun_srcache_state       *s = lun_http_state(r, &lun_http_srcache);
    const lun_srcache_conf  *conf = lun_srcache_conf_of(r);

    if (s != NULL && s->sub != NULL) {
        if (!s->done) {
            return LUN_WAIT;
        }

        if (s->missed) {
            return LUN_NEXT;
        }

        /* What has broken off is no answer. */
        s->hit = lun_subrequest_status(s->sub) == 200 && s->sub->done
                 && lun_srcache_read(r, lun_subrequest_body(s->sub), &body)
                    == LUN_OK;
        s->missed = !s->hit;

        return s->hit ? serve(r, body) : LUN_NEXT;
    }

    /* What was answered before this phase has no state, and isn't stored. */
    if (r->parent != NULL || (conf->fetch == NULL && conf->store == NULL)) {
        return LUN_NEXT;
    }

    s = make_state(r);

    if (!may_fetch(r, conf)) {
        return LUN_NEXT;
    }

    s->sub = lun_srcache_ask(r, conf->fetch);

    if (s->sub == NULL) {
        return LUN_STATUS + 500;
    }

    lun_subrequest_start(s->sub, on_done, s);
    return LUN_WAIT;
}


/* --- variables ----------------------------------------------------------- */

static const lun_srcache_state *
main_state(const lun_session *session)
{
    return lun_http_state(lun_request_of(session)->main, &lun_http_srcache);
}


static void
get_expire(lun_session *session, lun_value *v, uintptr_t data)
{
    const lun_srcache_state  *s = main_state(session);

    v->not_found = s == NULL || !(s->storing || s->stored);

    if (!v->not_found) {
        v->text = lun_pool_fmt(session->pool, "%" PRId64, s->expire);
    }
}


static void
get_fetch_status(lun_session *session, lun_value *v, uintptr_t data)
{
    const lun_srcache_state  *s = main_state(session);

    v->text = s != NULL && s->hit ? LUN_STR("HIT")
              : s != NULL && s->missed ? LUN_STR("MISS") : LUN_STR("BYPASS");
}


static void
get_store_status(lun_session *session, lun_value *v, uintptr_t data)
{
    const lun_srcache_state  *s = main_state(session);

    v->text = s != NULL && (s->storing || s->stored) ? LUN_STR("STORE")
                                                     : LUN_STR("BYPASS");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("srcache_expire"), .get = get_expire,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "seconds that the answer may be kept" },
    { .name = LUN_STR_INIT("srcache_fetch_status"), .get = get_fetch_status,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "HIT, MISS or BYPASS" },
    { .name = LUN_STR_INIT("srcache_store_status"), .get = get_store_status,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "STORE or BYPASS" },
    { .name = LUN_STR_INIT("") }
};


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_asked(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_srcache_asked  *asked = lun_pool_new(cf->pool, lun_srcache_asked);

    *(lun_srcache_asked **) (void *) ((char *) conf + d->field) = asked;
    asked->method = lun_method_of(cf->args[1]);

    if (asked->method == LUN_METHOD_OTHER) {
        return lun_conf_fail(cf, "%s specifies bad HTTP method %.*s", d->name,
                             LUN_S(cf->args[1]));
    }

    if (cf->args[2].len == 0) {
        return lun_conf_fail(cf, "%s: invalid uri", d->name);
    }

    asked->uri = lun_script_new(cf, cf->args[2]);

    if (cf->argc == 4) {
        asked->args = lun_script_new(cf, cf->args[3]);
    }

    return asked->uri != NULL && (cf->argc == 3 || asked->args != NULL)
           ? LUN_OK : LUN_ERROR;
}


static lun_rc
set_statuses(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t             i;
    uint64_t           n;
    lun_srcache_conf  *conf = data;

    conf->statuses = lun_array_new(cf->pool, sizeof(unsigned), cf->argc);

    for (i = 1; i < cf->argc; i++) {
        if (lun_str_to_u64(cf->args[i], &n) != LUN_OK || n < 100 || n > 999) {
            return lun_conf_fail(cf, "status code \"%.*s\" is an invalid "
                                 "number", LUN_S(cf->args[i]));
        }

        *(unsigned *) lun_array_push(conf->statuses) = (unsigned) n;
    }

    return LUN_OK;
}


static lun_rc
set_names(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_array  **names = (lun_array **) (void *) ((char *) conf + d->field);

    if (*names == NULL) {
        *names = lun_array_new(cf->pool, sizeof(lun_str), 2);
    }

    *(lun_str *) lun_array_push(*names) = cf->args[1];
    return LUN_OK;
}


/* GET and HEAD always are. */
static lun_rc
set_methods(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t             i;
    lun_method         method;
    lun_srcache_conf  *conf = data;

    conf->methods |= LUN_GET | LUN_HEAD;

    for (i = 1; i < cf->argc; i++) {
        method = lun_method_of(cf->args[i]);

        if ((method & (LUN_GET | LUN_HEAD | LUN_POST | LUN_PUT | LUN_DELETE))
            == 0)
        {
            return lun_conf_fail(cf, "invalid value \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        conf->methods |= method;
    }

    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

#define ASKED(text, member, ...)                                              \
    { .name = text, .where = PLACES, .args = 2, .args_max = 3,                \
      .set = set_asked, LUN_FIELD(lun_srcache_conf, member), __VA_ARGS__ }

#define ONE(text, setter, member, ...)                                        \
    { .name = text, .where = PLACES, .args = 1, .set = setter,                \
      LUN_FIELD(lun_srcache_conf, member), __VA_ARGS__ }

static const lun_directive  directives[] = {
    ASKED("srcache_fetch", fetch,
          .values = "method uri [args]",
          .help = "the location that may have the answer"),
    ASKED("srcache_store", store,
          .values = "method uri [args]",
          .help = "the location that answers are kept by"),
    ONE("srcache_fetch_skip", lun_set_script, fetch_skip,
        .values = "value",
        .help = "answers are not looked up"),
    ONE("srcache_store_skip", lun_set_script, store_skip,
        .values = "value",
        .help = "answers are not stored"),
    ONE("srcache_store_max_size", lun_set_size, max_size, .fallback = "0",
        .help = "larger answers are not stored; 0: than 64 MB"),
    { .name = "srcache_store_statuses", .where = PLACES, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = set_statuses,
      LUN_FIELD(lun_srcache_conf, statuses), .fallback = "200 301 302",
      .values = "code ...",
      .help = "statuses of answers that are stored" },
    ONE("srcache_store_ranges", lun_set_flag, ranges, .fallback = "off",
        .help = "parts of answers are stored"),
    ONE("srcache_header_buffer_size", lun_set_size, header_size,
        .fallback = "4k",
        .help = "the longest field that is stored"),
    { .name = "srcache_store_hide_header", .where = PLACES, .args = 1,
      .repeats = true, .set = set_names,
      LUN_FIELD(lun_srcache_conf, hidden),
      .values = "field",
      .help = "a field that is not stored" },
    { .name = "srcache_store_pass_header", .where = PLACES, .args = 1,
      .repeats = true, .set = set_names,
      LUN_FIELD(lun_srcache_conf, passed),
      .values = "field",
      .help = "a field that is stored all the same" },
    { .name = "srcache_methods", .where = PLACES, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_methods,
      LUN_FIELD(lun_srcache_conf, methods), .fallback = "GET HEAD",
      .values = "method ...",
      .help = "methods of requests whose answers are kept" },
    ONE("srcache_ignore_content_encoding", lun_set_flag, ignore_encoding,
        .fallback = "off",
        .help = "compressed answers are stored, too"),
    ONE("srcache_request_cache_control", lun_set_flag, request_control,
        .fallback = "off",
        .help = "obeys Cache-Control and Pragma of clients"),
    ONE("srcache_response_cache_control", lun_set_flag, response_control,
        .fallback = "on",
        .help = "obeys Cache-Control and Expires of answers"),
    ONE("srcache_store_no_store", lun_set_flag, no_store, .fallback = "off",
        .help = "stores answers with no-store all the same"),
    ONE("srcache_store_no_cache", lun_set_flag, no_cache, .fallback = "off",
        .help = "stores answers with no-cache all the same"),
    ONE("srcache_store_private", lun_set_flag, private_, .fallback = "off",
        .help = "stores answers with private all the same"),
    ONE("srcache_default_expire", lun_set_sec, default_expire,
        .fallback = "60s",
        .help = "$srcache_expire of answers that say nothing"),
    ONE("srcache_max_expire", lun_set_sec, max_expire, .fallback = "0",
        .help = "the most that $srcache_expire may be; 0: anything"),
    { .name = "srcache_buffer", .where = PLACES, .args = 1,
      .set = lun_set_ignored, .help = "has no meaning any more" },
    { 0 }
};

lun_http_module  lun_http_srcache = {
    .name = "srcache",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_srcache_conf),
    .variables = variables,
    .on[LUN_PRECONTENT] = on_precontent,
    .header_filter = lun_srcache_on_header,
    .body_filter = lun_srcache_on_body,
};
