/*
 * var_family.c -- families of $variables: http_*, sent_http_*,
 * sent_trailer_*, arg_*, cookie_*.  A getter's `data` is what follows the
 * prefix, as a lun_str *.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/http_conf.h"

#include "format/cookie.h"
#include "http/conf/core_conf.h"
#include "os/clock.h"


static lun_str
member(uintptr_t data)
{
    return *(const lun_str *) data;
}


/* "user_agent" is User-Agent. */
static bool
is_header(lun_str name, lun_str member_name)
{
    char    c;
    size_t  i;

    if (name.len != member_name.len) {
        return false;
    }

    for (i = 0; i < name.len; i++) {
        c = name.data[i] == '-' ? '_' : lun_lower(name.data[i]);

        if (c != lun_lower(member_name.data[i])) {
            return false;
        }
    }

    return true;
}


/* All of that name in one; several are joined. */
static void
give_headers(lun_request *r, lun_value *v, const lun_header_list *list,
    lun_str name, lun_str glue)
{
    char    *text, *p;
    size_t   n = 0, len = 0;
    lun_str  first = LUN_STR_NULL;

    lun_header_each(list, h) {
        if (is_header(h->name, name)) {
            first = n++ == 0 ? h->value : first;
            len += h->value.len + glue.len;
        }
    }

    if (n == 0) {
        v->not_found = 1;
        return;
    }

    if (n == 1) {
        v->text = first;
        return;
    }

    p = text = lun_pool_text(r->pool, len);

    lun_header_each(list, other) {
        if (is_header(other->name, name)) {
            p = lun_copy_str(p != text ? lun_copy_str(p, glue) : p,
                             other->value);
        }
    }

    v->text = lun_str_of(text, (size_t) (p - text));
}


static void
get_http(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);
    lun_str       name = member(data);

    give_headers(r, v, &r->in.list, name,
                 lun_str_caseeq(name, LUN_STR("cookie")) ? LUN_STR("; ")
                                                         : LUN_STR(", "));
}


/* --- sent_http_: some headers are fields, and not in the list --- */

static void
sent_type(lun_request *r, lun_value *v)
{
    const lun_headers_out  *out = &r->out;

    if (out->content_type.len == 0) {
        v->not_found = 1;

    } else if (out->charset.len == 0) {
        v->text = out->content_type;

    } else {
        v->text = lun_pool_fmt(r->pool, "%.*s; charset=%.*s",
                               LUN_S(out->content_type),
                               LUN_S(out->charset));
    }
}


static void
sent_length(lun_request *r, lun_value *v)
{
    if (r->out.content_length < 0 || r->chunked_out) {
        v->not_found = 1;

    } else {
        v->text = lun_pool_fmt(r->pool, "%" PRId64, r->out.content_length);
    }
}


static void
sent_modified(lun_request *r, lun_value *v)
{
    char  *text;

    if (r->out.last_modified < 0) {
        v->not_found = 1;
        return;
    }

    text = lun_pool_text(r->pool, LUN_HTTP_DATE);
    (void) lun_clock_http_date(text, r->out.last_modified);
    v->text = lun_str_of(text, LUN_HTTP_DATE);
}


static void
sent_connection(lun_request *r, lun_value *v)
{
    if (r->out.status == 101) {
        v->text = LUN_STR("upgrade");

    } else {
        v->text = r->main->keepalive ? LUN_STR("keep-alive")
                                     : LUN_STR("close");
    }
}


static void
sent_keep_alive(lun_request *r, lun_value *v)
{
    int64_t  sec = lun_core_conf_of(r)->keepalive.header;

    if (!r->main->keepalive || sec == 0) {
        v->not_found = 1;

    } else {
        v->text = lun_pool_fmt(r->pool, "timeout=%" PRId64, sec);
    }
}


static void
sent_transfer(lun_request *r, lun_value *v)
{
    v->text = LUN_STR("chunked");
    v->not_found = !r->chunked_out;
}


static const struct {
    lun_str    name;
    void     (*get)(lun_request *r, lun_value *v);
} fields[] = {
    { LUN_STR_INIT("content_type"), sent_type },
    { LUN_STR_INIT("content_length"), sent_length },
    { LUN_STR_INIT("last_modified"), sent_modified },
    { LUN_STR_INIT("connection"), sent_connection },
    { LUN_STR_INIT("keep_alive"), sent_keep_alive },
    { LUN_STR_INIT("transfer_encoding"), sent_transfer }
};


static void
get_sent_http(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);
    size_t        i;
    lun_str       name = member(data);

    for (i = 0; i < LUN_ARRAY_LEN(fields); i++) {
        if (lun_str_caseeq(name, fields[i].name)) {
            fields[i].get(r, v);

            if (!v->not_found || fields[i].get == sent_transfer) {
                return;
            }

            v->not_found = 0;
            break;
        }
    }

    give_headers(r, v, &r->out.list, name, LUN_STR(", "));
}


/* What is sent behind the body: known when that has been made. */
static void
get_sent_trailer(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    if (r->out.trailers.pool == NULL) {
        v->not_found = 1;
        return;
    }

    give_headers(r, v, &r->out.trailers, member(data), LUN_STR(", "));
}


/* --- arg_, cookie_ --- */

/* "name=value" among what & separates; names ignore case. */
static bool
find_arg(lun_str text, lun_str name, lun_str *value)
{
    lun_str      part;
    const char  *p, *end, *stop;

    p = text.data;
    end = text.data + text.len;

    while (p < end) {
        stop = memchr(p, '&', (size_t) (end - p));
        stop = stop != NULL ? stop : end;
        part = lun_str_of(p, (size_t) (stop - p));

        if (part.len > name.len && part.data[name.len] == '='
            && lun_str_casestarts(part, name))
        {
            *value = lun_str_of(part.data + name.len + 1,
                                part.len - name.len - 1);
            return true;
        }

        p = stop + 1;
    }

    return false;
}


static void
get_arg(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->not_found = r->args.len == 0
                   || !find_arg(r->args, member(data), &v->text);
}


static void
get_cookie(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request       *r = lun_request_of(s);
    const lun_header  *h = r->in.known[LUN_HIN_COOKIE];

    for ( ; h != NULL; h = h->same) {
        if (lun_cookie_find(h->value, member(data), &v->text)) {
            return;
        }
    }

    v->not_found = 1;
}


const lun_variable  lun_family_variables[] = {
    { .name = LUN_STR_INIT("http_"), .get = get_http,
      .flags = LUN_VAR_PREFIX,
      .help = "a header of the request: $http_user_agent" },
    { .name = LUN_STR_INIT("sent_http_"), .get = get_sent_http,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a header of the answer: $sent_http_etag" },
    { .name = LUN_STR_INIT("sent_trailer_"), .get = get_sent_trailer,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a field behind the answer's body" },
    { .name = LUN_STR_INIT("arg_"), .get = get_arg,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a value of the query: $arg_page" },
    { .name = LUN_STR_INIT("cookie_"), .get = get_cookie,
      .flags = LUN_VAR_PREFIX,
      .help = "a cookie of the request: $cookie_session" },
    { .name = LUN_STR_NULL }
};
