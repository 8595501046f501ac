/*
 * slow_log.c -- requests that took too long, and in which phase they did:
 *
 *     slow_log logs/slow.log threshold=500ms;
 *
 * One object of JSON in a line for each.  The module is the first in every
 * phase, and notes when that began; a request that was somewhere else before
 * (a rewrite, an internal redirect) has been in a phase more than once, and
 * the times add up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/log_json.h"
#include "config/log_conf.h"
#include "http/accept/server_metrics.h"
#include "http/accept/trace.h"
#include "http/conf/http_conf.h"
#include "os/clock.h"
#include "session/upstream/tries.h"


enum {
    LINE = 16384,
    THRESHOLD = 1000               /* ms, if none is said */
};

typedef enum {
    READ,                          /* the header: the first phase ends it */
    POST_READ,
    SERVER_REWRITE,
    REWRITE,
    PREACCESS,
    ACCESS,
    PRECONTENT,
    CONTENT,                       /* until the answer's header is sent */
    SEND,
    STAGES
} stage;

static const char *const  names[STAGES] = {
    "read", "post_read", "server_rewrite", "rewrite", "preaccess", "access",
    "precontent", "content", "send"
};

/* Of a request: r->times. */
struct lun_phase_times {
    uint64_t  since;               /* us since the epoch */
    stage     now;
    uint64_t  took[STAGES];        /* us */
};

typedef struct lun_phase_times  times;

typedef struct {
    lun_log_file  *file;
    lun_msec       threshold;
    bool           off;
} slow_log;

typedef struct {
    slow_log  *log;                /* NULL: none */
} slow_conf;

extern lun_http_module  lun_http_slow_log;


/* --- stages -------------------------------------------------------------- */

static void
enter_stage(times *t, stage next)
{
    uint64_t  now = lun_trace_now();

    t->took[t->now] += now > t->since ? now - t->since : 0;
    t->since = now;
    t->now = next;
}


static lun_verdict
on_post_read(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    times        *t = lun_pool_new(r->pool, times);

    t->since = ((uint64_t) r->start_sec * 1000 + r->start_msec) * 1000;
    r->times = t;
    enter_stage(t, POST_READ);
    return LUN_NEXT;
}


static lun_verdict
enter(lun_session *s, stage next)
{
    lun_request  *r = lun_request_of(s);
    times        *t = r->times;    /* a subrequest has none */

    if (t != NULL && t->now != SEND && t->now != next) {
        enter_stage(t, next);
    }

    return LUN_NEXT;
}


static lun_verdict
on_server_rewrite(lun_session *s)
{
    return enter(s, SERVER_REWRITE);
}


static lun_verdict
on_rewrite(lun_session *s)
{
    return enter(s, REWRITE);
}


static lun_verdict
on_preaccess(lun_session *s)
{
    return enter(s, PREACCESS);
}


static lun_verdict
on_access(lun_session *s)
{
    return enter(s, ACCESS);
}


static lun_verdict
on_precontent(lun_session *s)
{
    return enter(s, PRECONTENT);
}


static lun_verdict
on_content(lun_session *s)
{
    return enter(s, CONTENT);
}


static lun_rc
header_filter(lun_request *r)
{
    (void) enter(&r->session, SEND);
    return lun_http_next_header(r, &lun_http_slow_log);
}


/* --- the line ------------------------------------------------------------ */

/* Seconds: "name":1.000250 */
static char *
put_time(char *p, const char *end, const char *before, const char *name,
    uint64_t us)
{
    return lun_fmt(p, end, "%s\"%s\":%" PRIu64 ".%06u", before, name,
                   us / 1000000, (unsigned) (us % 1000000));
}


static char *
put_phases(char *p, const char *end, const times *t)
{
    size_t       i;
    const char  *before = "";

    p = lun_fmt(p, end, ",\"phases\":{");

    for (i = 0; i < STAGES; i++) {
        if (t->took[i] != 0) {
            p = put_time(p, end, before, names[i], t->took[i]);
            before = ",";
        }
    }

    return lun_fmt(p, end, "}");
}


static char *
put_try(char *p, const char *end, const lun_upstream_try *a)
{
    size_t  i;

    const struct {
        const char  *name;
        int64_t      ms;
    } parts[] = {
        { "connect_time", a->connect_time }, { "header_time", a->header_time },
        { "response_time", a->response_time }
    };

    p = lun_fmt(p, end, "{\"status\":%u", a->status);
    p = lun_log_json_text(p, end, "address", a->addr);

    for (i = 0; i < LUN_ARRAY_LEN(parts); i++) {
        if (parts[i].ms >= 0) {
            p = put_time(p, end, ",", parts[i].name,
                         (uint64_t) parts[i].ms * 1000);
        }
    }

    return lun_fmt(p, end, "}");
}


/* Servers that were asked; of very many the first. */
static char *
put_tries(char *p, const char *end, const lun_request *r)
{
    bool                     any = false;
    const lun_upstream_try  *a;

    for (a = r->tries; a != NULL && end - p > 512; a = a->next) {
        if (a->addr.data == NULL || a->addr.len > 256) {
            continue;
        }

        p = lun_fmt(p, end, any ? "," : ",\"upstreams\":[");
        p = put_try(p, end, a);
        any = true;
    }

    return any ? lun_fmt(p, end, "]") : p;
}


static char *
put_variable(char *p, const char *end, lun_request *r, const char *name,
    const char *variable)
{
    const lun_value  *v = lun_var_get_named(&r->session, lun_str_z(variable));

    return v == NULL || v->not_found || v->text.len == 0
           ? p : lun_log_json_text(p, end, name, v->text);
}


/* What has a value of one's own length comes behind what has not. */
static char *
put_line(char *p, const char *end, lun_request *r, const times *t,
    uint64_t whole)
{
    const char  *texts = end - LINE / 2;

    p = lun_fmt(p, end, "{\"time\":\"%.*s\"", LUN_S(lun_clock_iso8601()));
    p = put_time(p, end, ",", "request_time", whole);
    p = lun_log_json_number(p, end, "status", r->error_status != 0
                            ? r->error_status : r->out.status);
    p = lun_log_json_number(p, end, "bytes_sent",
                            (int64_t) lun_server_bytes_sent(r));
    p = put_phases(p, end, t);
    p = put_tries(p, texts, r);
    p = put_variable(p, end, r, "request_id", "request_id");
    p = put_variable(p, end, r, "cache", "upstream_cache_status");
    p = put_variable(p, end, r, "client", "remote_addr");
    p = lun_log_json_text(p, end, "server", r->server->name);
    p = lun_log_json_text(p, end, "request", r->line);
    p = put_variable(p, end, r, "host", "host");

    if (r->location != NULL && r->location->name.len != 0) {
        p = lun_log_json_text(p, end, "location", r->location->name);
    }

    if (r->trace != NULL) {
        p = put_variable(p, end, r, "trace_id", "otel_trace_id");
    }

    return lun_copy(p, "}\n", 2);
}


static lun_verdict
on_log(lun_session *s)
{
    char              line[LINE], *end;
    uint64_t          whole = 0;
    size_t            i;
    times            *t;
    lun_request      *r = lun_request_of(s);
    const slow_conf  *conf = lun_http_conf(r, &lun_http_slow_log);

    t = r->times;

    if (t == NULL || conf->log == NULL || conf->log->off) {
        return LUN_NEXT;
    }

    enter_stage(t, t->now);

    for (i = 0; i < STAGES; i++) {
        whole += t->took[i];
    }

    if (whole >= conf->log->threshold * 1000) {
        end = put_line(line, line + sizeof(line) - 2, r, t, whole);
        lun_log_file_write(conf->log->file, line, (size_t) (end - line));
    }

    return LUN_NEXT;
}


/* --- the directive ------------------------------------------------------- */

static lun_rc
read_word(lun_conf *cf, slow_log *log, lun_str word)
{
    lun_rc   rc;
    lun_str  value;

    if (lun_str_after(word, LUN_STR("threshold="), &value)) {
        return lun_str_to_msec(value, &log->threshold) == LUN_OK
               ? LUN_OK : lun_conf_bad_time(cf, value);
    }

    rc = lun_conf_log_rotation(cf, log->file, word);
    return rc != LUN_AGAIN ? rc
           : lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static lun_rc
set_slow_log(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t      i;
    lun_str     path = cf->args[1];
    slow_log   *log = lun_pool_new(cf->pool, slow_log);
    slow_conf  *conf = data;

    conf->log = log;
    log->threshold = THRESHOLD;

    if (lun_str_eq(path, LUN_STR("off"))) {
        log->off = true;
        return cf->argc == 2 ? LUN_OK : lun_conf_bad_value(cf);
    }

    if (lun_script_has_variables(path)) {
        return lun_conf_fail(cf, "\"slow_log\" needs a file with a constant "
                             "name");
    }

    if (!lun_str_eq(path, LUN_STR("stderr"))) {
        path = lun_conf_path(cf, path, false);
    }

    log->file = lun_log_file_want(&cf->gen->logs, path);

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, log, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "slow_log", .where = LUN_HTTP_LEVELS, .args = 1, .args_max = 4,
      .set = set_slow_log, LUN_FIELD(slow_conf, log),
      .values = "file threshold=time [rotate=size] [keep=number] | off",
      .help = "requests that take longer than a threshold, and in which "
              "phase" },
    { 0 }
};

lun_http_module  lun_http_slow_log = {
    .name = "slow_log",
    .directives = directives,
    .conf_size = sizeof(slow_conf),
    .header_filter = header_filter,
    .on[LUN_POST_READ] = on_post_read,
    .on[LUN_SERVER_REWRITE] = on_server_rewrite,
    .on[LUN_REWRITE] = on_rewrite,
    .on[LUN_PREACCESS] = on_preaccess,
    .on[LUN_ACCESS] = on_access,
    .on[LUN_PRECONTENT] = on_precontent,
    .on[LUN_CONTENT] = on_content,
    .on[LUN_LOG] = on_log,
};
