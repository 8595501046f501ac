/*
 * http_question.c -- the text of a request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/http_question.h"

#include "base/check.h"
#include "base/fmt.h"


enum { FRAME = 128 };              /* bytes of what all requests have */


/* --- what may be in it --------------------------------------------------- */

/* RFC 9110, 5.6.2 */
static bool
is_token(lun_str s)
{
    size_t  i;
    char    c;

    for (i = 0; i < s.len; i++) {
        c = lun_lower(s.data[i]);

        if (!(c >= 'a' && c <= 'z') && !lun_is_digit(c)
            && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
        {
            return false;
        }
    }

    return s.len != 0;
}


bool
lun_http_question_is_framing(lun_str name)
{
    size_t  i;

    static const char *const  names[] = {
        "Host", "Connection", "Content-Length", "Transfer-Encoding",
        "Keep-Alive", "TE", "Upgrade", "Expect"
    };

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_caseeq(name, lun_str_z(names[i]))) {
            return true;
        }
    }

    return false;
}


lun_str
lun_http_question_method(const lun_http_question *q)
{
    return q->method.len != 0 ? q->method
           : q->has_body || q->body.len != 0 ? LUN_STR("POST")
                                             : LUN_STR("GET");
}


const char *
lun_http_question_fault(const lun_http_question *q)
{
    size_t                 i;
    const lun_http_field  *f;

    /* A tunnel would be something else. */
    if (!is_token(lun_http_question_method(q))
        || lun_str_eq(q->method, LUN_STR("CONNECT")))
    {
        return "invalid method";
    }

    for (i = 0; i < q->field_count; i++) {
        f = &q->fields[i];

        if (!is_token(f->name) || lun_http_question_is_framing(f->name)) {
            return "invalid header name";
        }

        if (!lun_h1_is_text(f->value)) {
            return "invalid header value";
        }
    }

    return NULL;
}


/* --- the text ------------------------------------------------------------ */

static size_t
room_for(const lun_http_question *q)
{
    size_t  i, n = FRAME + q->method.len + q->url.uri.len
                   + q->url.authority.len + q->body.len;

    for (i = 0; i < q->field_count; i++) {
        n += q->fields[i].name.len + q->fields[i].value.len + 4;
    }

    return n + (q->user_agent != NULL ? strlen(q->user_agent) : 0);
}


/* A path, whatever stands in front of the arguments. */
static char *
put_target(char *p, lun_str uri)
{
    if (!lun_str_starts(uri, LUN_STR("/"))) {
        *p++ = '/';
    }

    return lun_copy_str(p, uri);
}


static char *
put_field(char *p, lun_str name, lun_str value)
{
    p = lun_copy_str(p, name);
    p = lun_copy(p, ": ", 2);
    p = lun_copy_str(p, value);
    return lun_copy(p, "\r\n", 2);
}


/*
 * Everything in one allocation that room_for() has counted; fields have been
 * through lun_http_question_fault(), so no byte of theirs can end a line.
 */
lun_str
lun_http_question_text(lun_pool *pool, const lun_http_question *q)
{
    size_t   i, size = room_for(q);
    char    *text = lun_pool_text(pool, size), *p = text;

    p = lun_copy_str(p, lun_http_question_method(q));
    *p++ = ' ';
    p = put_target(p, q->url.uri);
    p = lun_copy_str(p, LUN_STR(" HTTP/1.1\r\n"));
    p = put_field(p, LUN_STR("Host"), q->url.authority);

    if (q->user_agent != NULL) {
        p = put_field(p, LUN_STR("User-Agent"), lun_str_z(q->user_agent));
    }

    for (i = 0; i < q->field_count; i++) {
        p = put_field(p, q->fields[i].name, q->fields[i].value);
    }

    if (q->has_body || q->body.len != 0) {
        p = lun_fmt(p, text + size, "Content-Length: %zu\r\n", q->body.len);
    }

    p = lun_copy_str(p, q->persistent ? LUN_STR("\r\n")
                                      : LUN_STR("Connection: close\r\n\r\n"));
    p = lun_copy_str(p, q->body);
    LUN_CHECK(p <= text + size);
    return lun_str_of(text, (size_t) (p - text));
}
