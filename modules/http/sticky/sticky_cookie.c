/*
 * sticky_cookie.c -- sticky cookie name expires=1h domain=.example.com path=/;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/sticky/sticky_priv.h"

#include "os/clock.h"


enum { TEN_YEARS = 10 * 365 * 24 * 3600 };

#define MAX  -1
#define NONE INT64_MAX


/* --- the directive ------------------------------------------------------- */

/* A value goes into a header as it is. */
static bool
is_clean(lun_str value)
{
    size_t  i;

    for (i = 0; i < value.len; i++) {
        if ((unsigned char) value.data[i] <= ' ' || value.data[i] == ';') {
            return false;
        }
    }

    return value.len != 0;
}


static bool
is_same_site(lun_str value)
{
    return lun_str_caseeq(value, LUN_STR("strict"))
           || lun_str_caseeq(value, LUN_STR("lax"))
           || lun_str_caseeq(value, LUN_STR("none"));
}


/* False: "invalid parameter", or it was said what is wrong. */
static bool
read_word(lun_conf *cf, lun_str word, lun_sticky_cookie *c)
{
    lun_str  v;

    if (lun_str_eq(word, LUN_STR("secure"))) {
        return c->secure = true;
    }

    if (lun_str_eq(word, LUN_STR("httponly"))) {
        return c->httponly = true;
    }

    if (lun_str_after(word, LUN_STR("domain="), &v)) {
        c->domain = lun_script_new(cf, v);
        return c->domain != NULL && is_clean(v);
    }

    if (lun_str_after(word, LUN_STR("path="), &c->path)) {
        return is_clean(c->path);
    }

    if (lun_str_after(word, LUN_STR("expires="), &v)) {
        if (lun_str_eq(v, LUN_STR("max"))) {
            c->expires = MAX;
            return true;
        }

        return lun_str_to_sec(v, &c->expires) == LUN_OK
               && c->expires <= INT32_MAX;
    }

    if (lun_str_after(word, LUN_STR("samesite="), &v)
        && (lun_script_has_variables(v) || is_same_site(v)))
    {
        c->samesite = lun_script_new(cf, v);
        return c->samesite != NULL;
    }

    return false;
}


lun_rc
lun_sticky_read_cookie(lun_conf *cf, lun_sticky_cookie *c)
{
    size_t  i;

    c->cookie = cf->args[2];
    c->name = lun_pool_fmt(cf->pool, "cookie_%.*s", LUN_S(c->cookie));
    c->expires = NONE;

    if (!is_clean(c->cookie) || lun_str_chr(c->cookie, '=') != NULL) {
        return lun_conf_fail(cf, "invalid cookie name \"%.*s\"",
                             LUN_S(c->cookie));
    }

    for (i = 3; i < cf->argc; i++) {
        if (!read_word(cf, cf->args[i], c)) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }
    }

    return LUN_OK;
}


/* --- serving ------------------------------------------------------------- */

lun_str
lun_sticky_cookie_id(lun_session *s, const lun_sticky_cookie *c)
{
    const lun_value  *v = lun_var_get_named(s, c->name);

    return v == NULL || v->not_found ? LUN_STR("") : v->text;
}


static lun_str
expires_of(lun_pool *pool, const lun_sticky_cookie *c)
{
    char  room[LUN_COOKIE_DATE], *end;

    if (c->expires == NONE) {
        return LUN_STR("");
    }

    if (c->expires == MAX) {
        return lun_pool_fmt(pool, "; expires=Thu, 31-Dec-37 23:55:55 GMT"
                            "; max-age=%d", TEN_YEARS);
    }

    end = lun_cookie_date_put(room, lun_clock.sec + c->expires);
    return lun_pool_fmt(pool, "; expires=%.*s; max-age=%" PRId64,
                        (int) (end - room), room, c->expires);
}


/* Of a variable that has no value nothing is said, nor of one that would say
   more than a domain. */
static lun_str
domain_of(lun_request *r, const lun_sticky_cookie *c)
{
    lun_str  value = c->domain != NULL
                     ? lun_script_run(&r->session, c->domain) : LUN_STR("");

    return value.len != 0 && is_clean(value)
           ? lun_pool_fmt(r->pool, "; domain=%.*s", LUN_S(value))
           : LUN_STR("");
}


/* A variable may say nothing, or nonsense: that is taken for the strictest. */
static lun_str
same_site_of(lun_request *r, const lun_sticky_cookie *c)
{
    lun_str  value;

    if (c->samesite == NULL) {
        return LUN_STR("");
    }

    value = lun_script_run(&r->session, c->samesite);

    if (value.len == 0) {
        return LUN_STR("");
    }

    return lun_pool_fmt(r->pool, "; samesite=%.*s",
                        LUN_S(is_same_site(value) ? value
                                                  : LUN_STR("strict")));
}


void
lun_sticky_set_cookie(lun_request *r, const lun_sticky_cookie *c, lun_str id)
{
    bool     path = c->path.len != 0;
    lun_str  expires = expires_of(r->pool, c), site = same_site_of(r, c),
             domain = domain_of(r, c);

    (void) lun_http_add_out(r, LUN_STR("Set-Cookie"),
        lun_pool_fmt(r->pool, "%.*s=%.*s%.*s%.*s%s%s%.*s%s%.*s",
                     LUN_S(c->cookie), LUN_S(id), LUN_S(expires),
                     LUN_S(domain), c->httponly ? "; httponly" : "",
                     c->secure ? "; secure" : "", LUN_S(site),
                     path ? "; path=" : "", LUN_S(c->path)));
}
