/*
 * echo_vars.c -- $echo_*: what a request is, and where its commands stand.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/echo/echo_priv.h"

#include "os/clock.h"


int64_t
lun_echo_now(void)
{
    lun_clock_update();
    return lun_clock.sec * 1000 + lun_clock.msec;
}


static void
get_it(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request           *r = lun_request_of(s);
    const lun_echo_state  *state = lun_http_state(r, &lun_http_echo);

    if (state == NULL || !state->loop.on) {
        v->not_found = 1;
        return;
    }

    v->text = state->loop.item;
}


static void
get_elapsed(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request           *r = lun_request_of(s);
    int64_t                ms, since = 0;
    const lun_echo_state  *state = lun_http_state(r, &lun_http_echo);

    if (state != NULL) {
        since = state->since;
    }

    if (since == 0) {
        since = r->start_sec * 1000 + r->start_msec;
    }

    ms = lun_max(lun_echo_now() - since, (int64_t) 0);
    v->text = lun_pool_fmt(r->pool, "%" PRId64 ".%03d", ms / 1000,
                           (int) (ms % 1000));
}


/* Only one that is wholly in memory. */
static void
get_body(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request     *r = lun_request_of(s);
    const lun_body  *b = r->body;

    if (b == NULL || b->bufs.head == NULL || b->file != LUN_FD_NONE) {
        v->not_found = 1;
        return;
    }

    v->text = lun_body_text(r);
}


static void
get_method(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->text = r->method_name;
}


static void
get_client_method(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->text = r->main->method_name;
}


/* With the empty line, as it came. */
static void
get_client_headers(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->text = r->main->raw_headers;
    v->not_found = v->text.len == 0;
}


static void
get_uri(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->text = r->uri;
}


static void
get_incr(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request     *r = lun_request_of(s);
    lun_echo_state  *state = lun_echo_state_of(r->main);

    v->text = lun_pool_fmt(r->pool, "%" PRId64, ++state->count);
}


static void
get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    if (r->out.status == 0) {
        v->not_found = 1;
        return;
    }

    v->text = lun_pool_fmt(r->pool, "%u", r->out.status);
}


#define FRESH(text, get_it, says)                                             \
    { .name = LUN_STR_INIT(text), .get = get_it,                              \
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE, .help = says }
#define ONCE(text, get_it, says)                                              \
    { .name = LUN_STR_INIT(text), .get = get_it,                              \
      .flags = LUN_VAR_CHANGEABLE, .help = says }

const lun_variable  lun_echo_variables[] = {
    FRESH("echo_it", get_it, "the element that echo_foreach_split is at"),
    FRESH("echo_timer_elapsed", get_elapsed,
          "seconds since the request began, or the timer was reset"),
    FRESH("echo_request_body", get_body,
          "the body that was read, from memory or its file"),
    ONCE("echo_request_method", get_method,
         "the method; a subrequest has its own"),
    ONCE("echo_client_request_method", get_client_method,
         "the client's method"),
    ONCE("echo_client_request_headers", get_client_headers,
         "the client's request line and headers"),
    ONCE("echo_cacheable_request_uri", get_uri, "the path that was asked for"),
    FRESH("echo_request_uri", get_uri,
          "the path that was asked for, read again each time"),
    FRESH("echo_incr", get_incr,
          "a number that grows with each use in a request"),
    FRESH("echo_response_status", get_status,
          "the answer's status, once there is one"),
    { .name = LUN_STR_NULL }
};
