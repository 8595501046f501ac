/*
 * phases.c -- runs a request through the phases.
 *
 * The engine has lined up every step, handlers and the core's own; a request
 * stands at one of them (r->handler).  A step's function looks at the verdict
 * and says whether to go on at once.  Handlers may redirect, finish or resume
 * the request while they run: that only leaves a mark (moved, ended, resumed)
 * which is looked at when they return, so nothing here is entered twice.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"

#include "base/check.h"
#include "format/uri.h"
#include "http/conf/core_conf.h"
#include "http/delay.h"
#include "http/text/browser.h"


typedef bool step_fn(lun_request *r, const lun_step *s);


/* A redirect has set r->handler: its new place counts. */
static bool
moved(lun_request *r)
{
    bool  yes = r->moved;

    r->moved = 0;
    return yes && !r->ended;
}


static bool
finish(lun_request *r, lun_verdict v)
{
    lun_http_finish(r, v);
    return moved(r);
}


/* Verdicts that mean the same in every phase. */
static bool
follow(lun_request *r, const lun_step *s, lun_verdict v)
{
    if (r->moved || r->ended) {
        return moved(r);
    }

    switch (v) {

    case LUN_NEXT:
        r->handler++;
        return true;

    case LUN_LEAVE:
        r->handler = s->next;
        return true;

    case LUN_WAIT:
        /* What it waits for may have come already: ask it again. */
        r->waiting = !r->resumed;
        r->resumed = 0;
        return !r->waiting;

    case LUN_MOVED:
        return false;

    default:
        return finish(r, v);
    }
}


static bool
handler(lun_request *r, const lun_step *s)
{
    return follow(r, s, s->run(&r->session));
}


/* --- which location ------------------------------------------------------ */

/*
 * keepalive_disable: an old MSIE waits for more after a POST, an old Safari
 * sends one to a connection that has been closed.
 */
static bool
stalls_when_kept(const lun_request *r, const lun_core_conf *conf)
{
    uint32_t           which = conf->keepalive_disable;
    const lun_header  *h = r->in.known[LUN_HIN_USER_AGENT];

    if (r->method != LUN_POST) {
        which &= ~(uint32_t) LUN_BROWSER_MSIE6;
    }

    return which != 0 && h != NULL && (which & lun_browser_of(h->value)) != 0;
}


static void
choose_keepalive(lun_request *r, const lun_core_conf *conf)
{
    lun_conn  *c = r->conn;

    if (conf->keepalive.timeout == 0
        || c->requests >= (uint64_t) conf->keepalive_requests
        || lun_clock.mono - c->start_time > conf->keepalive_time
        || stalls_when_kept(r, conf))
    {
        r->keepalive = 0;
    }
}


/* "/x" for a location "/x/" that only passes requests on. */
static lun_verdict
add_slash(lun_request *r, const lun_location *loc)
{
    char    *text;
    lun_str  uri = loc->name;

    text = lun_pool_text(r->pool, lun_uri_escaped_len(uri, LUN_ESCAPE_URI));
    uri.len = (size_t) (lun_uri_escape(text, uri, LUN_ESCAPE_URI) - text);
    uri.data = text;

    if (r->args.len != 0) {
        uri = lun_pool_fmt(r->pool, "%.*s?%.*s", LUN_S(uri), LUN_S(r->args));
    }

    lun_http_set_out(r, LUN_STR("Location"), uri);
    return LUN_STATUS + 301;
}


void
lun_http_enter_location(lun_request *r, lun_location *loc)
{
    const lun_core_conf  *conf;

    if (loc->limit_except_to != NULL && (r->method & loc->limit_except) == 0) {
        loc = loc->limit_except_to;
    }

    r->location = loc;
    r->conf = loc->conf;
    conf = lun_core_conf_of(r);

    lun_http_use_log(r);

    if (r->keepalive) {
        choose_keepalive(r, conf);
    }
}


/*
 * Too large a body is refused before any of it is read, and before a client
 * that asked for it is told to go on (Expect).
 */
static lun_verdict
enter_found(lun_request *r, lun_location *loc)
{
    const lun_core_conf  *conf;

    lun_http_enter_location(r, loc);
    lun_debug(r->log, "using configuration \"%s%.*s\"",
              loc->match == LUN_MATCH_EXACT ? "=" : "", LUN_S(loc->name));
    r->uri_located = 1;
    conf = lun_core_conf_of(r);

    if (conf->internal && !r->internal) {
        return LUN_STATUS + 404;
    }

    if (conf->client_max_body_size != 0
        && r->in.content_length > conf->client_max_body_size
        && !r->discard_body)
    {
        r->expect_tested = 1;
        lun_log(LUN_LOG_ERR, r->log, 0, "client intended to send too large "
                "body: %" PRId64 " bytes", r->in.content_length);
        return LUN_STATUS + 413;
    }

    if (loc->has_slash_redirect && r->uri.len + 1 == loc->name.len) {
        return add_slash(r, loc);
    }

    return LUN_NEXT;
}


static bool
find_config(lun_request *r, const lun_step *s)
{
    bool           failed = false;
    lun_location  *loc;

    r->uri_changed = 0;
    loc = lun_location_find(r, r->server, r->uri, &failed);

    if (failed) {
        return finish(r, LUN_STATUS + 500);
    }

    if (loc == NULL) {
        loc = lun_http_server_of(r->server)->self;
    }

    return follow(r, s, enter_found(r, loc));
}


static bool
post_rewrite(lun_request *r, const lun_step *s)
{
    if (!r->uri_changed) {
        r->handler++;
        return true;
    }

    if (--r->redirects_left == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "rewrite or internal redirection cycle "
                "while processing \"%.*s\"", LUN_S(r->uri));
        return finish(r, LUN_STATUS + 500);
    }

    r->conf = r->server->conf;
    r->handler = r->engine->find_config;
    return true;
}


/* --- access: satisfy ----------------------------------------------------- */

static bool
satisfied(lun_request *r, const lun_step *s)
{
    r->access_status = 0;
    lun_http_set_out(r, LUN_STR("WWW-Authenticate"), LUN_STR_NULL);
    lun_http_set_out(r, LUN_STR("Proxy-Authenticate"), LUN_STR_NULL);
    r->handler = s->next;

    return true;
}


/* 407 is what a proxy says: here, who is asked for a tunnel. */
static bool
is_challenge(unsigned status)
{
    return status == 401 || status == 407;
}


static void
answer_401(lun_request *r)
{
    lun_http_finish(r, LUN_STATUS + 401);
}


static void
answer_407(lun_request *r)
{
    lun_http_finish(r, LUN_STATUS + 407);
}


/*
 * Whoever guesses passwords does so slowly, and does not learn from the time
 * that it takes what was wrong: the delay counts from the wake-up that brought
 * the request, and comes to its end in another one however short it is.
 */
static bool
challenge(lun_request *r, unsigned status)
{
    lun_msec  delay = lun_core_conf_of(r)->auth_delay;

    if (delay == 0) {
        return finish(r, LUN_STATUS + status);
    }

    lun_log(LUN_LOG_INFO, r->log, 0, "delaying unauthorized request");
    (void) lun_http_delay(r, delay, status == 407 ? answer_407 : answer_401);
    return false;
}


static bool
access_step(lun_request *r, const lun_step *s)
{
    bool         any;
    unsigned     status;
    lun_verdict  v;

    if (r->parent != NULL) {
        r->handler = s->next;
        return true;
    }

    any = lun_core_conf_of(r)->satisfy == LUN_SATISFY_ANY;
    v = s->run(&r->session);

    if (r->moved || r->ended) {
        return moved(r);
    }

    if (v == LUN_LEAVE) {
        if (any) {
            return satisfied(r, s);
        }

        v = LUN_NEXT;              /* all: the others are asked as well */
        return follow(r, s, v);
    }

    status = v > LUN_STATUS ? (unsigned) (v - LUN_STATUS) : 0;

    if (any && (is_challenge(status) || status == 403)) {

        /* A challenge is worth more than a refusal. */
        if (!is_challenge(r->access_status)) {
            r->access_status = (uint16_t) status;
        }

        v = LUN_NEXT;

    } else if (is_challenge(status)) {
        return challenge(r, status);
    }

    return follow(r, s, v);
}


static bool
post_access(lun_request *r, const lun_step *s)
{
    unsigned  status = r->access_status;

    if (status == 0) {
        r->handler++;
        return true;
    }

    r->access_status = 0;

    if (is_challenge(status)) {
        return challenge(r, status);
    }

    if (status == 403) {
        lun_log(LUN_LOG_ERR, r->log, 0, "access forbidden by rule");
    }

    return finish(r, LUN_STATUS + status);
}


/* --- content ------------------------------------------------------------- */

/*
 * LEAVE comes from one that has handed the request to lun_body_read(): whoever
 * was called then goes on with it.
 */
static bool
content(lun_request *r, const lun_step *s)
{
    lun_verdict  v = s->run(&r->session);

    return follow(r, s, v == LUN_LEAVE ? LUN_WAIT : v);
}


static bool
no_content(lun_request *r, const lun_step *s)
{
    lun_safe_path  c;

    if (!lun_uri_is_folder(r->uri)) {
        return finish(r, LUN_STATUS + 404);
    }

    if (lun_http_file_path(r, &c) < LUN_STATUS) {
        lun_log(LUN_LOG_ERR, r->log, 0, "directory index of \"%.*s\" is "
                "forbidden", LUN_S(c.path));
    }

    return finish(r, LUN_STATUS + 403);
}


/* --- the run ------------------------------------------------------------- */

static step_fn *const  steps[] = {
    [LUN_STEP_HANDLER]      = handler,
    [LUN_STEP_FIND_CONFIG]  = find_config,
    [LUN_STEP_POST_REWRITE] = post_rewrite,
    [LUN_STEP_ACCESS]       = access_step,
    [LUN_STEP_POST_ACCESS]  = post_access,
    [LUN_STEP_CONTENT]      = content,
    [LUN_STEP_NO_CONTENT]   = no_content
};


/* Holds a reference, so that a handler may end the request under our feet. */
void
lun_http_run(lun_request *r)
{
    const lun_step  *s;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(!r->running);

    lun_http_get(r);
    r->running = 1;
    r->waiting = 0;

    while (!r->ended) {
        s = &r->engine->steps[r->handler];
        r->phase = s->phase;

        if (!steps[s->kind](r, s)) {
            break;
        }
    }

    r->running = 0;
    lun_http_put(r);
}


void
lun_http_resume(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->running) {
        r->resumed = 1;
        return;
    }

    if (!r->ended) {
        lun_http_run(r);
    }
}
