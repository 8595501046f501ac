/*
 * upreq_vars.c -- $upstream_...: what was answered.  Those that every protocol
 * has are session/upstream/tries.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq.h"



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


/* "name=value; Path=/": the value of that name, with spaces around the "=". */
static bool
read_cookie(lun_str cookie, lun_str name, lun_str *value)
{
    const char  *p = cookie.data + name.len, *end = cookie.data + cookie.len;
    const char  *semicolon;

    if (cookie.len <= name.len || !lun_str_casestarts(cookie, name)) {
        return false;
    }

    while (p < end && *p == ' ') {
        p++;
    }

    if (p == end || *p++ != '=') {
        return false;
    }

    while (p < end && *p == ' ') {
        p++;
    }

    semicolon = memchr(p, ';', (size_t) (end - p));
    *value = lun_str_of(p, (size_t) ((semicolon != NULL ? semicolon : end)
                                     - p));
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
            return;
        }
    }
}


static const lun_variable  variables[] = {
    LUN_TRY_VARIABLE("upstream_status", LUN_TRY_STATUS,
                     "the status that each server answered with"),
    LUN_TRY_VARIABLE("upstream_header_time", LUN_TRY_HEADER_TIME,
                     "seconds until a header came, for each server"),
    LUN_TRY_VARIABLE("upstream_response_time", LUN_TRY_RESPONSE_TIME,
                     "seconds until the answer was complete, for each"),
    LUN_TRY_VARIABLE("upstream_response_length", LUN_TRY_LENGTH,
                     "bytes of each answer behind its header, as they came"),
    { .name = LUN_STR_INIT("upstream_http_"), .get = get_http,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a header of the server's answer" },
    { .name = LUN_STR_INIT("upstream_trailer_"), .get = get_trailer,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a field behind the body of the server's answer" },
    { .name = LUN_STR_INIT("upstream_cookie_"), .get = get_cookie,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a cookie that the server's answer sets" },
    { .name = LUN_STR_NULL }
};

lun_http_module  lun_http_upreq = {
    .name = "exchange",
    .variables = variables,
};
