/*
 * stub_status.c -- all workers' connections and requests, in nginx's words.
 *
 *     location = /status { stub_status; }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/http.h"
#include "http/accept/request_metrics.h"


typedef struct {
    bool  on;
} status_conf;

extern lun_http_module  lun_http_stub_status;


static uint64_t
in_state(unsigned state)
{
    return lun_metric_sum(lun_conn_states_at + state);
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request        *r = lun_request_of(s);
    lun_str             text;
    const status_conf  *conf = lun_http_conf(r, &lun_http_stub_status);

    if (!conf->on) {
        return LUN_NEXT;
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    text = lun_pool_fmt(r->pool, "Active connections: %" PRIu64 " \n"
        "server accepts handled requests\n"
        " %" PRIu64 " %" PRIu64 " %" PRIu64 " \n"
        "Reading: %" PRIu64 " Writing: %" PRIu64 " Waiting: %" PRIu64 " \n",
        in_state(LUN_CONN_ACTIVE), lun_metric_sum(lun_conn_accepted_at),
        lun_metric_sum(lun_conn_handled_at), lun_metric_sum(lun_requests_at),
        in_state(LUN_CONN_READING), in_state(LUN_CONN_WRITING),
        in_state(LUN_CONN_WAITING));

    return lun_http_respond(r, 200, LUN_STR("text/plain"), text);
}


/* --- the same as variables --- */

static void
get_count(lun_session *s, lun_value *v, uintptr_t state)
{
    v->text = lun_pool_fmt(s->pool, "%" PRIu64, in_state((unsigned) state));
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("connections_active"), .get = get_count,
      .data = LUN_CONN_ACTIVE, .flags = LUN_VAR_VOLATILE,
      .help = "connections of clients, of all workers" },
    { .name = LUN_STR_INIT("connections_reading"), .get = get_count,
      .data = LUN_CONN_READING, .flags = LUN_VAR_VOLATILE,
      .help = "requests whose header is being read" },
    { .name = LUN_STR_INIT("connections_writing"), .get = get_count,
      .data = LUN_CONN_WRITING, .flags = LUN_VAR_VOLATILE,
      .help = "requests that are being answered" },
    { .name = LUN_STR_INIT("connections_waiting"), .get = get_count,
      .data = LUN_CONN_WAITING, .flags = LUN_VAR_VOLATILE,
      .help = "connections of clients without a request" },
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
      .values = "",
      .help = "answers with counts of connections" },
    { 0 }
};

lun_http_module  lun_http_stub_status = {
    .name = "stub_status",
    .directives = directives,
    .conf_size = sizeof(status_conf),
    .variables = variables,
    .on[LUN_CONTENT] = on_content,
};
