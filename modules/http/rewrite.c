/*
 * rewrite.c -- rewrite, return, set, break: instructions of a block.
 *
 *     rewrite ^/old/(.*)$ /new/$1?from=old last;
 *     return 301 https://$host$request_uri;
 *     set $x "$arg_a-$arg_b";
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/rewrite.h"

#include "format/uri.h"
#include "session/pattern.h"


typedef struct {
    unsigned      status;
    lun_script   *text;            /* NULL: the status alone */
} return_code;

typedef struct {
    unsigned      index;
    lun_script   *value;
} set_code;

typedef struct {
    lun_pattern  *pattern;
    lun_script   *path;
    lun_script   *args;            /* behind the first '?'; NULL: none */
    unsigned      redirect;        /* 301, 302, or 0: inside */
    bool          has_args;        /* the replacement has a '?' */
    bool          keep_args;       /* the request's are added */
    bool          last;
    bool          stop;            /* break: stay in this location */
} rewrite_code;

static const lun_str  away[] = {
    LUN_STR_INIT("http://"), LUN_STR_INIT("https://"), LUN_STR_INIT("$scheme")
};


static bool
leads_away(lun_str s)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(away); i++) {
        if (lun_str_starts(s, away[i])) {
            return true;
        }
    }

    return false;
}


/* --- return --- */

static bool
is_redirect(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307
           || status == 308;
}


static lun_verdict
run_return(lun_request *r, void *data)
{
    lun_str             text = LUN_STR("");
    lun_verdict         v;
    const return_code  *c = data;
    bool                redirect = is_redirect(c->status);

    if (c->status >= 400
        && (c->text == NULL || lun_script_text(c->text).len == 0))
    {
        return LUN_STATUS + (lun_verdict) c->status;
    }

    if (!redirect) {
        r->out.status = c->status; /* the text may ask for it */
    }

    if (c->text != NULL) {
        text = lun_script_run(&r->session, c->text);
    }

    if (redirect) {
        v = lun_body_discard(r);   /* whoever waits is told to go on */

        if (v >= LUN_STATUS) {
            return v;
        }

        lun_http_set_out(r, LUN_STR("Location"), text);
        return LUN_STATUS + (lun_verdict) c->status;
    }

    lun_http_set_type(r);
    return lun_http_respond(r, c->status, LUN_STR_NULL, text);
}


/*
 * A text alone has to be an address that leads away: anything else would be a
 * number that was written wrong.
 */
static lun_rc
set_return(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str       text = LUN_STR_NULL;
    uint64_t      status;
    return_code  *c = lun_pool_new(cf->pool, return_code);

    if (lun_str_to_u64(cf->args[1], &status) == LUN_OK) {
        if (status > 999) {
            return lun_conf_fail(cf, "invalid return code \"%.*s\"",
                                 LUN_S(cf->args[1]));
        }

        c->status = (unsigned) status;
        text = cf->argc == 3 ? cf->args[2] : LUN_STR_NULL;

    } else {
        if (cf->argc > 2 || !leads_away(cf->args[1])) {
            return lun_conf_fail(cf, "invalid return code \"%.*s\"",
                                 LUN_S(cf->args[1]));
        }

        c->status = 302;
        text = cf->args[1];
    }

    if (text.data != NULL) {
        c->text = lun_script_new(cf, text);

        if (c->text == NULL) {
            return LUN_ERROR;
        }
    }

    lun_rewrite_add(cf, run_return, c);
    return LUN_OK;
}


/* --- break and set --- */

static lun_verdict
run_break(lun_request *r, void *data)
{
    r->uri_changed = 0;
    return LUN_LEAVE;
}


static lun_rc
set_break(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rewrite_add(cf, run_break, NULL);
    return LUN_OK;
}


static lun_verdict
run_set(lun_request *r, void *data)
{
    const set_code  *c = data;

    lun_var_set(&r->session, c->index, lun_script_run(&r->session, c->value));
    return LUN_NEXT;
}


static lun_rc
set_set(lun_conf *cf, const lun_directive *d, void *conf)
{
    set_code  *c = lun_pool_new(cf->pool, set_code);

    c->index = lun_rewrite_variable(cf, cf->args[1]);

    if (c->index == 0) {
        return LUN_ERROR;
    }

    c->value = lun_script_new(cf, cf->args[2]);

    if (c->value == NULL) {
        return LUN_ERROR;
    }

    lun_rewrite_add(cf, run_set, c);
    return LUN_OK;
}


/* --- rewrite --- */

/* The uri was decoded: $1 in a query must be encoded again. */
static bool
was_escaped(const lun_request *r)
{
    lun_str      path = r->main->target;
    const char  *mark = lun_str_chr(path, '?');

    if (mark != NULL) {
        path.len = (size_t) (mark - path.data);
    }

    return lun_str_chr(path, '%') != NULL || lun_str_chr(path, '+') != NULL;
}


static lun_str
run(lun_request *r, const lun_script *s, bool escaped)
{
    return escaped ? lun_script_run_escaped(&r->session, s)
                   : lun_script_run(&r->session, s);
}


static lun_str
add_args(lun_request *r, lun_str text, char glue)
{
    char  *start, *p;

    if (r->args.len == 0) {
        return text;
    }

    p = start = lun_pool_text(r->pool, text.len + 1 + r->args.len);
    p = lun_copy_str(p, text);
    *p++ = glue;
    p = lun_copy_str(p, r->args);

    return lun_str_of(start, (size_t) (p - start));
}


static int
hex_digit(char c)
{
    if (lun_is_digit(c)) {
        return c - '0';
    }

    c = lun_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


/* In a redirect's path visible ASCII need not be escaped, but for '%'. */
static lun_str
relax(lun_request *r, lun_str s)
{
    int          high, low, c;
    char        *start, *d;
    const char  *p, *end;

    d = start = lun_pool_text(r->pool, s.len);
    end = s.data + s.len;

    for (p = s.data; p != end; ) {

        if (*p == '?') {
            d = lun_copy(d, p, (size_t) (end - p));
            break;
        }

        high = *p == '%' && end - p >= 3 ? hex_digit(p[1]) : -1;
        low = high >= 0 ? hex_digit(p[2]) : -1;
        c = low >= 0 ? high * 16 + low : 0;

        if (c > '%' && c < 0x7f) {
            *d++ = (char) c;
            p += 3;

            if (c == '?') {
                d = lun_copy(d, p, (size_t) (end - p));
                break;
            }

        } else {
            *d++ = *p++;
        }
    }

    return lun_str_of(start, (size_t) (d - start));
}


static lun_verdict
redirect(lun_request *r, const rewrite_code *c)
{
    lun_str                  uri;
    const lun_rewrite_conf  *conf = lun_http_conf(r, &lun_http_instructions);

    uri = relax(r, run(r, c->path, was_escaped(r)));

    if (c->keep_args) {
        uri = add_args(r, uri, c->has_args ? '&' : '?');
    }

    if (conf->log) {
        lun_log(LUN_LOG_NOTICE, r->log, 0, "rewritten redirect: \"%.*s\"",
                LUN_S(uri));
    }

    lun_http_set_out(r, LUN_STR("Location"), uri);
    return LUN_STATUS + (lun_verdict) c->redirect;
}


/*
 * `break` keeps the location, everything else looks for another: that is what
 * uri_changed says.
 */
static lun_verdict
change_uri(lun_request *r, const rewrite_code *c)
{
    lun_str                  uri, args;
    const lun_rewrite_conf  *conf = lun_http_conf(r, &lun_http_instructions);

    r->internal = 1;
    r->uri_changed = !c->stop;

    uri = lun_script_run(&r->session, c->path);

    if (c->args != NULL) {
        args = run(r, c->args, was_escaped(r));
        r->args = c->keep_args ? add_args(r, args, '&') : args;

    } else if (!c->keep_args) {
        r->args = LUN_STR("");
    }

    if (conf->log) {
        lun_log(LUN_LOG_NOTICE, r->log, 0, "rewritten data: \"%.*s\", "
                "args: \"%.*s\"", LUN_S(uri), LUN_S(r->args));
    }

    if (uri.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "the rewritten URI has a zero length");
        return LUN_STATUS + 500;
    }

    lun_request_set_uri(r, uri);
    return c->last ? LUN_LEAVE : LUN_NEXT;
}


static lun_verdict
run_rewrite(lun_request *r, void *data)
{
    bool                     yes;
    lun_str                  text;
    const rewrite_code      *c = data;
    lun_pattern_verdict      verdict;
    const lun_rewrite_conf  *conf = lun_http_conf(r, &lun_http_instructions);

    verdict = lun_pattern_match(&r->session, c->pattern, r->uri);

    if (verdict == LUN_PATTERN_FAILED) {
        return LUN_STATUS + 500;
    }

    yes = verdict == LUN_PATTERN_YES;

    if (conf->log) {
        text = lun_pattern_text(c->pattern);
        lun_log(LUN_LOG_NOTICE, r->log, 0, "\"%.*s\" %s \"%.*s\"", LUN_S(text),
                yes ? "matches" : "does not match", LUN_S(r->uri));
    }

    if (!yes) {
        return LUN_NEXT;
    }

    return c->redirect != 0 ? redirect(r, c) : change_uri(r, c);
}


static lun_rc
read_flag(lun_conf *cf, rewrite_code *c, lun_str flag)
{
    if (lun_str_eq(flag, LUN_STR("last"))) {
        c->last = true;

    } else if (lun_str_eq(flag, LUN_STR("break"))) {
        c->stop = c->last = true;

    } else if (lun_str_eq(flag, LUN_STR("redirect"))) {
        c->redirect = 302;

    } else if (lun_str_eq(flag, LUN_STR("permanent"))) {
        c->redirect = 301;

    } else {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(flag));
    }

    return LUN_OK;
}


/* The replacement, cut at its first '?' unless it goes to the client. */
static lun_rc
read_replacement(lun_conf *cf, rewrite_code *c, lun_str to)
{
    lun_str      args;
    const char  *mark;

    c->keep_args = true;

    if (lun_str_ends(to, LUN_STR("?"))) {
        to.len--;
        c->keep_args = false;
    }

    mark = lun_str_chr(to, '?');
    c->has_args = mark != NULL;

    if (mark != NULL && c->redirect == 0) {
        args = lun_str_of(mark + 1, to.len - (size_t) (mark + 1 - to.data));
        to.len = (size_t) (mark - to.data);

        c->args = lun_script_new(cf, args);

        if (c->args == NULL) {
            return LUN_ERROR;
        }
    }

    c->path = lun_script_new(cf, to);
    return c->path != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
set_rewrite(lun_conf *cf, const lun_directive *d, void *conf)
{
    rewrite_code  *c = lun_pool_new(cf->pool, rewrite_code);

    c->pattern = lun_pattern_new(cf, cf->args[1], 0);

    if (c->pattern == NULL) {
        return LUN_ERROR;
    }

    if (cf->args[2].len == 0) {
        return lun_conf_fail(cf, "empty replacement");
    }

    if (leads_away(cf->args[2])) {
        c->redirect = 302;
    }

    if ((cf->argc == 4 && read_flag(cf, c, cf->args[3]) != LUN_OK)
        || read_replacement(cf, c, cf->args[2]) != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_rewrite_add(cf, run_rewrite, c);
    return LUN_OK;
}


enum {
    PLACES = LUN_SERVER | LUN_LOCATION | LUN_SERVER_IF | LUN_LOCATION_IF
};

static const lun_directive  directives[] = {
    { .name = "rewrite", .where = PLACES, .args = 2, .args_max = 3,
      .repeats = true, .set = set_rewrite,
      .values = "regex replacement [flag]",
      .help = "changes the URI when a pattern matches" },
    { .name = "return", .where = PLACES, .args = 1, .args_max = 2,
      .repeats = true, .set = set_return,
      .values = "code [text] | code URL | URL",
      .help = "answers with a status, a text or a redirect" },
    { .name = "break", .where = PLACES, .repeats = true, .set = set_break,
      .help = "ends the directives of the rewrite module here" },
    { .name = "set", .where = PLACES, .args = 2, .repeats = true,
      .set = set_set,
      .values = "$variable value",
      .help = "a variable, and its value" },
    { 0 }
};

lun_http_module  lun_http_rewrite = {
    .name = "rewrite directives",
    .directives = directives,
};
