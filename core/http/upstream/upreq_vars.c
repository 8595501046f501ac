/*
 * upreq_vars.c -- $upstream_...: what was asked, and what was answered.
 *
 * Several servers are a list with commas; those of a request that was moved to
 * another location in between are divided by colons.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq.h"


enum { NUMBER = 24 };

typedef enum {
    STATUS, CONNECT_TIME, HEADER_TIME, RESPONSE_TIME, LENGTH, RECEIVED, SENT
} which;


/* --- of each try ----------------------------------------------------- */

static char *
put_glue(char *p, const lun_upstream_try *a, const lun_upstream_try *first)
{
    if (a == first) {
        return p;
    }

    return a->moved ? lun_copy(p, " : ", 3) : lun_copy(p, ", ", 2);
}


static void
get_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request             *r = lun_request_of(s);
    char                    *text, *p;
    size_t                   n = 0;
    const lun_upstream_try  *a;

    (void) data;

    if (r->tries_made == NULL || r->tries_made->addr.data == NULL) {
        v->not_found = 1;
        return;
    }

    for (a = r->tries_made; a != NULL; a = a->next) {
        n += a->addr.len + 3;
    }

    p = text = lun_pool_text(r->pool, n);

    for (a = r->tries_made; a != NULL; a = a->next) {
        p = put_glue(p, a, r->tries_made);
        p = lun_copy_str(p, a->addr);
    }

    v->text = lun_str_of(text, (size_t) (p - text));
}


static char *
put_time(char *p, const char *end, int64_t ms)
{
    if (ms < 0) {
        return lun_copy(p, "-", 1);
    }

    return lun_fmt(p, end, "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);
}


static char *
put_one(char *p, const char *end, const lun_upstream_try *a, which what)
{
    switch (what) {

    case STATUS:
        return a->status != 0 ? lun_fmt(p, end, "%u", a->status)
                              : lun_copy(p, "-", 1);
    case CONNECT_TIME:
        return put_time(p, end, a->connect_time);
    case HEADER_TIME:
        return put_time(p, end, a->header_time);
    case RESPONSE_TIME:
        return put_time(p, end, a->response_time);
    case LENGTH:
        return lun_fmt(p, end, "%" PRId64, a->response_length);
    case RECEIVED:
        return lun_fmt(p, end, "%" PRId64, a->received);
    case SENT:
        return lun_fmt(p, end, "%" PRId64, a->sent);
    }

    return p;
}


static void
get_each(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request             *r = lun_request_of(s);
    char                    *text, *p;
    size_t                   n = 0;
    const char              *end;
    const lun_upstream_try  *a;

    if (r->tries_made == NULL) {
        v->not_found = 1;
        return;
    }

    for (a = r->tries_made; a != NULL; a = a->next) {
        n += NUMBER + 3;
    }

    p = text = lun_pool_text(r->pool, n);
    end = text + n;

    for (a = r->tries_made; a != NULL; a = a->next) {
        p = put_glue(p, a, r->tries_made);
        p = put_one(p, end, a, (which) data);
    }

    v->text = lun_str_of(text, (size_t) (p - text));
}


/* --- of the last answer -------------------------------------------------- */

static bool
is_name(lun_str header, lun_str name)
{
    char    c;
    size_t  i;

    if (header.len != name.len) {
        return false;
    }

    for (i = 0; i < name.len; i++) {
        c = header.data[i] == '-' ? '_' : lun_lower(header.data[i]);

        if (c != lun_lower(name.data[i])) {
            return false;
        }
    }

    return true;
}


/* All fields of that name. */
static void
get_field(lun_request *r, lun_value *v, const lun_header_list *list,
    lun_str name)
{
    v->not_found = 1;

    if (list->pool == NULL) {
        return;
    }

    lun_header_each(list, h) {
        if (!is_name(h->name, name)) {
            continue;
        }

        v->text = v->not_found ? h->value
                  : lun_pool_fmt(r->pool, "%.*s, %.*s", LUN_S(v->text),
                                 LUN_S(h->value));
        v->not_found = 0;
    }
}


static void
get_http(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->not_found = 1;

    if (r->upreq != NULL) {
        get_field(r, v, &r->upreq->answer.list, *(const lun_str *) data);
    }
}


/* What NAME_pass_trailers lets through; without it they are dropped. */
static void
get_trailer(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->not_found = 1;

    if (r->upreq != NULL) {
        get_field(r, v, &r->upreq->answer.trailers,
                  *(const lun_str *) data);
    }
}


/* "name=value; Path=/": the value of that name. */
static bool
read_cookie(lun_str cookie, lun_str name, lun_str *value)
{
    const char  *end;

    if (cookie.len <= name.len || cookie.data[name.len] != '='
        || !lun_str_casestarts(cookie, name))
    {
        return false;
    }

    value->data = cookie.data + name.len + 1;
    value->len = cookie.len - name.len - 1;
    end = lun_str_chr(*value, ';');

    if (end != NULL) {
        value->len = (size_t) (end - value->data);
    }

    return true;
}


static void
get_cookie(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->not_found = 1;

    if (r->upreq == NULL || r->upreq->answer.list.pool == NULL) {
        return;
    }

    lun_header_each(&r->upreq->answer.list, h) {
        if (h->known == LUN_HOUT_SET_COOKIE
            && read_cookie(h->value, *(const lun_str *) data, &v->text))
        {
            v->not_found = 0;
        }
    }
}


#define EACH(name, what)                                                      \
    { LUN_STR_INIT(name), get_each, NULL, what, LUN_VAR_VOLATILE, 0 }

static const lun_variable  variables[] = {
    { LUN_STR_INIT("upstream_addr"), get_addr, NULL, 0, LUN_VAR_VOLATILE, 0 },
    EACH("upstream_status", STATUS),
    EACH("upstream_connect_time", CONNECT_TIME),
    EACH("upstream_header_time", HEADER_TIME),
    EACH("upstream_response_time", RESPONSE_TIME),
    EACH("upstream_response_length", LENGTH),
    EACH("upstream_bytes_received", RECEIVED),
    EACH("upstream_bytes_sent", SENT),
    { LUN_STR_INIT("upstream_http_"), get_http, NULL, 0,
      LUN_VAR_PREFIX | LUN_VAR_VOLATILE, 0 },
    { LUN_STR_INIT("upstream_trailer_"), get_trailer, NULL, 0,
      LUN_VAR_PREFIX | LUN_VAR_VOLATILE, 0 },
    { LUN_STR_INIT("upstream_cookie_"), get_cookie, NULL, 0,
      LUN_VAR_PREFIX | LUN_VAR_VOLATILE, 0 },
    { LUN_STR_NULL, NULL, NULL, 0, 0, 0 }
};

lun_http_module  lun_http_upreq = {
    .name = "exchange",
    .variables = variables,
};
