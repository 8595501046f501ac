/*
 * stub_status.c -- this worker's connections and requests, in nginx's words.
 *
 *     location = /status { stub_status; }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/http.h"


typedef struct {
    bool  on;
} status_conf;

extern lun_http_module  lun_http_stub_status;

static uint64_t  requests;
static uint64_t  accepted;


static void
counts(const lun_loop *loop, size_t *active, size_t *waiting, size_t *busy)
{
    *active = lun_conn_count(loop);
    *waiting = lun_conn_idle_count(loop);
    *busy = lun_http_active();
}


static lun_verdict
on_post_read(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    requests++;
    accepted = lun_max(accepted, r->conn->number);

    return LUN_NEXT;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request        *r = lun_request_of(s);
    size_t              active, waiting, busy;
    lun_str             text;
    const status_conf  *conf = lun_http_conf(r, &lun_http_stub_status);

    if (!conf->on) {
        return LUN_NEXT;
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    counts(r->conn->loop, &active, &waiting, &busy);
    text = lun_pool_fmt(r->pool, "Active connections: %zu \n"
                        "server accepts handled requests\n"
                        " %" PRIu64 " %" PRIu64 " %" PRIu64 " \n"
                        "Reading: 0 Writing: %zu Waiting: %zu \n",
                        active, accepted, accepted, requests, busy, waiting);

    return lun_http_respond(r, 200, LUN_STR("text/plain"), text);
}


/* --- the same as variables --- */

typedef enum { ACTIVE, READING, WRITING, WAITING } which;


static void
get_count(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);
    size_t        n[4] = { 0 };

    counts(r->conn->loop, &n[ACTIVE], &n[WAITING], &n[WRITING]);
    v->text = lun_pool_fmt(r->pool, "%zu", n[data]);
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("connections_active"), .get = get_count,
      .data = ACTIVE, .flags = LUN_VAR_VOLATILE,
      .help = "connections of the worker" },
    { .name = LUN_STR_INIT("connections_reading"), .get = get_count,
      .data = READING, .flags = LUN_VAR_VOLATILE,
      .help = "0: a header is read at once" },
    { .name = LUN_STR_INIT("connections_writing"), .get = get_count,
      .data = WRITING, .flags = LUN_VAR_VOLATILE,
      .help = "connections with a request in hand" },
    { .name = LUN_STR_INIT("connections_waiting"), .get = get_count,
      .data = WAITING, .flags = LUN_VAR_VOLATILE,
      .help = "idle connections" },
    { .name = LUN_STR_NULL }
};


static lun_rc
set_status(lun_conf *cf, const lun_directive *d, void *data)
{
    status_conf  *conf = data;

    conf->on = true;
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "stub_status", .where = LUN_SERVER | LUN_LOCATION,
      .args_max = 1, .repeats = true,
      .set = set_status,
      .help = "answers with counts of connections" },
    { 0 }
};

lun_http_module  lun_http_stub_status = {
    .name = "stub_status",
    .directives = directives,
    .conf_size = sizeof(status_conf),
    .variables = variables,
    .on[LUN_POST_READ] = on_post_read,
    .on[LUN_CONTENT] = on_content,
};
