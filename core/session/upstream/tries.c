/*
 * tries.c -- what the variables say of each server that was asked.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/tries.h"

#include "base/fmt.h"


enum { NUMBER = 24 };


const lun_upstream_try *
lun_upstream_last_try(const lun_session *s)
{
    const lun_upstream_try  *a = s->tries;

    lun_session_check(s);

    while (a != NULL && a->next != NULL) {
        a = a->next;
    }

    return a;
}


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
    char                    *text, *p;
    size_t                   n = 0;
    const lun_upstream_try  *a;

    if (s->tries == NULL || s->tries->addr.data == NULL) {
        v->not_found = 1;
        return;
    }

    for (a = s->tries; a != NULL; a = a->next) {
        n += a->addr.len + 3;
    }

    p = text = lun_pool_text(s->pool, n);

    for (a = s->tries; a != NULL; a = a->next) {
        p = put_glue(p, a, s->tries);
        p = lun_copy_str(p, a->addr);
    }

    v->text = lun_str_of(text, (size_t) (p - text));
}


static void
get_last_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_upstream_try  *a = lun_upstream_last_try(s);

    v->not_found = a == NULL || a->addr.data == NULL;

    if (!v->not_found) {
        v->text = a->addr;
    }
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
put_one(char *p, const char *end, const lun_upstream_try *a,
    lun_try_value what)
{
    switch (what) {

    case LUN_TRY_STATUS:
        return a->status != 0 ? lun_fmt(p, end, "%u", a->status)
                              : lun_copy(p, "-", 1);
    case LUN_TRY_CONNECT_TIME:
        return put_time(p, end, a->connect_time);
    case LUN_TRY_HEADER_TIME:
        return put_time(p, end, a->header_time);
    case LUN_TRY_RESPONSE_TIME:
        return put_time(p, end, a->response_time);
    case LUN_TRY_LENGTH:
        return lun_fmt(p, end, "%" PRId64, a->response_length);
    case LUN_TRY_RECEIVED:
        return lun_fmt(p, end, "%" PRId64, a->received);
    case LUN_TRY_SENT:
        return lun_fmt(p, end, "%" PRId64, a->sent);
    }

    return p;
}


void
lun_upstream_get_each(lun_session *s, lun_value *v, uintptr_t data)
{
    char                    *text, *p;
    size_t                   n = 0;
    const char              *end;
    const lun_upstream_try  *a;

    lun_session_check(s);

    if (s->tries == NULL) {
        v->not_found = 1;
        return;
    }

    for (a = s->tries; a != NULL; a = a->next) {
        n += NUMBER + 3;
    }

    p = text = lun_pool_text(s->pool, n);
    end = text + n;

    for (a = s->tries; a != NULL; a = a->next) {
        p = put_glue(p, a, s->tries);
        p = put_one(p, end, a, (lun_try_value) data);
    }

    v->text = lun_str_of(text, (size_t) (p - text));
}


const lun_variable  lun_upstream_variables[] = {
    { .name = LUN_STR_INIT("upstream_addr"), .get = get_addr,
      .flags = LUN_VAR_VOLATILE,
      .help = "the servers that were asked" },
    { .name = LUN_STR_INIT("upstream_last_addr"), .get = get_last_addr,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the last server that was asked" },
    LUN_TRY_VARIABLE("upstream_connect_time", LUN_TRY_CONNECT_TIME,
                     "seconds until a server was connected, for each"),
    LUN_TRY_VARIABLE("upstream_bytes_received", LUN_TRY_RECEIVED,
                     "bytes from each server"),
    LUN_TRY_VARIABLE("upstream_bytes_sent", LUN_TRY_SENT,
                     "bytes to each server"),
    { .name = LUN_STR_NULL }
};
