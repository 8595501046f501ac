/*
 * var_core.c -- the core's $variables: connection, request, answer, times.
 *
 * Each is one small getter over what the request holds; `data` tells apart
 * those that differ by a field only.  What may change while a request is
 * served is marked volatile, so that a script asks for it anew.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/http_conf.h"

#include "base/digest.h"
#include "http/conf/core_conf.h"
#include "http/request_header.h"
#include "net/conn_sock.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/proc.h"
#include "os/random.h"
#include "session/var_settle.h"


enum { LONG_PATH = 4096 };

#define FIELD(member)  offsetof(lun_request, member)


static void
give(lun_value *v, lun_str text)
{
    v->text = text;
}


static void
give_none(lun_value *v)
{
    v->not_found = 1;
}


/* --- texts and numbers of the request --- */

static void
get_text(lun_session *s, lun_value *v, uintptr_t field)
{
    lun_request  *r = lun_request_of(s);
    lun_str       text;

    text = *(const lun_str *) (const void *) ((const char *) r + field);

    if (text.len != 0) {
        give(v, text);

    } else {
        give_none(v);              /* a request that could not be read */
    }
}


static void
get_main_text(lun_session *s, lun_value *v, uintptr_t field)
{
    lun_request  *r = lun_request_of(s);

    get_text(&r->main->session, v, field);
}


static void
get_int64(lun_session *s, lun_value *v, uintptr_t field)
{
    lun_request  *r = lun_request_of(s);
    int64_t       n;

    n = *(const int64_t *) (const void *) ((const char *) r + field);
    give(v, lun_pool_fmt(r->pool, "%" PRId64, n));
}


/* Without any, `$args` has no value: a log shows "-". */
static void
get_args(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    if (r->args.data == NULL) {
        give_none(v);

    } else {
        give(v, r->args);
    }
}


static void
get_is_args(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, r->args.len != 0 ? LUN_STR("?") : LUN_STR(""));
}


static void
set_args(lun_session *s, lun_str text, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    r->args = text.data != NULL ? text : LUN_STR_NULL;
    r->args_are_new = 1;
}


static void
get_host(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, r->in.host.len != 0 ? r->in.host : r->server->name);
}


static void
get_https(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, lun_str_eq(r->scheme, LUN_STR("https")) ? LUN_STR("on")
                                                    : LUN_STR(""));
}


static void
get_header_in(lun_session *s, lun_value *v, uintptr_t known)
{
    lun_request       *r = lun_request_of(s);
    const lun_header  *h = r->in.known[known];

    if (h == NULL) {
        give_none(v);
        return;
    }

    give(v, h->value);

    while ((h = h->same) != NULL) {
        give(v, lun_pool_fmt(r->pool, "%.*s, %.*s", LUN_S(v->text),
                             LUN_S(h->value)));
    }
}


/* A body that came in chunks has none until it is here. */
static void
get_content_length(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request       *r = lun_request_of(s);
    const lun_header  *h = r->in.known[LUN_HIN_CONTENT_LENGTH];

    if (h != NULL) {
        give(v, h->value);

    } else if (r->in.content_length >= 0 && r->in.chunked) {
        give(v, lun_pool_fmt(r->pool, "%" PRId64, r->in.content_length));

    } else {
        give_none(v);
    }
}


/*
 * Whether the password is right was asked elsewhere, or not at all: this is
 * what the client says, as in nginx.
 */
static void
get_remote_user(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request       *r = lun_request_of(s);
    char              *text;
    size_t             len;
    lun_str            code;
    const char        *colon;
    const lun_header  *h = lun_request_credentials(r);

    give_none(v);

    if (h == NULL
        || !lun_str_caseafter(h->value, LUN_STR("basic "), &code))
    {
        return;
    }

    code = lun_str_trim(code);
    text = lun_pool_text(r->pool, code.len / 4 * 3 + 3);

    if (lun_base64_decode(text, &len, code, false, false) != LUN_OK) {
        return;
    }

    colon = lun_str_chr(lun_str_of(text, len), ':');

    if (colon != NULL && colon != text) {
        v->not_found = 0;
        give(v, lun_str_of(text, (size_t) (colon - text)));
    }
}


/* As the client has said it: an answer may have another version. */
static void
get_protocol(lun_session *s, lun_value *v, uintptr_t data)
{
    size_t              i;
    const lun_request  *r = lun_request_of(s)->main;

    if (r->version >= 2000) {
        give(v, r->version == 2000 ? LUN_STR("HTTP/2.0")
             : lun_pool_fmt(r->pool, "HTTP/%u.%u", r->version / 1000,
                            r->version % 1000));
        return;
    }

    for (i = r->line.len; i > 0 && r->line.data[i - 1] != ' '; i--) {
        continue;
    }

    if (i > 0 && r->method_name.len != 0 && r->target.len != 0
        && lun_str_starts(lun_str_of(r->line.data + i, r->line.len - i),
                          LUN_STR("HTTP/")))
    {
        give(v, lun_str_of(r->line.data + i, r->line.len - i));

    } else {
        give_none(v);              /* HTTP/0.9 has no word for it */
    }
}


static void
get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);
    unsigned      status = r->out.status;

    if (r->error_status != 0) {
        status = r->error_status;
    }

    if (status == 0 && r->version == 9) {
        status = 9;
    }

    give(v, lun_pool_fmt(r->pool, "%03u", status));
}


static void
get_request_id(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request    *r = lun_request_of(s);
    char           *text = lun_pool_text(r->pool, 32);
    unsigned char   id[16];

    lun_random_bytes(id, sizeof(id));
    (void) lun_hex(text, id, sizeof(id));
    give(v, lun_str_of(text, 32));
}


static void
get_request_body(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request     *r = lun_request_of(s);
    const lun_body  *body = r->body;

    /* A client's that was announced, with no bytes, is there, too. */
    if (body == NULL || body->file != LUN_FD_NONE
        || (body->bufs.head == NULL
            && (!body->complete || r->parent != NULL
                || r->in.content_length != 0)))
    {
        give_none(v);

    } else {
        give(v, body->bufs.head == NULL ? LUN_STR("") : lun_body_text(r));
    }
}


static void
get_request_body_file(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request     *r = lun_request_of(s);
    const lun_body  *body = r->body;

    if (body == NULL || body->file == LUN_FD_NONE) {
        give_none(v);

    } else {
        give(v, body->file_path);
    }
}


static void
get_completion(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_request  *r = lun_request_of(s)->main;

    /* A header that has gone is all of an answer that is no more. */
    give(v, r->done || (r->header_only && r->header_sent && !r->aborted)
            ? LUN_STR("OK") : LUN_STR(""));
}


static void
get_limit_rate(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, lun_pool_fmt(r->pool, "%" PRId64,
                         r->rate_known ? r->limit_rate : 0));
}


static void
set_limit_rate(lun_session *s, lun_str text, uintptr_t data)
{
    uint64_t      n;
    lun_request  *r = lun_request_of(s);

    if (lun_str_to_size(text, &n) != LUN_OK || n > INT64_MAX) {
        lun_log(LUN_LOG_ERR, s->log, 0, "invalid $limit_rate \"%.*s\"",
                LUN_S(text));
        return;
    }

    r->limit_rate = (int64_t) n;
    r->rate_known = 1;
}


static void
get_pipe(lun_session *s, lun_value *v, uintptr_t data)
{
    give(v, lun_request_of(s)->main->pipelined ? LUN_STR("p") : LUN_STR("."));
}


/* The port that the client has named: in the line, or by Host. */
static void
get_request_port(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    if (r->in.port == 0) {
        give(v, LUN_STR(""));

    } else {
        give(v, lun_pool_fmt(r->pool, "%u", r->in.port));
    }
}


static void
get_is_request_port(lun_session *s, lun_value *v, uintptr_t data)
{
    give(v, lun_request_of(s)->in.port != 0 ? LUN_STR(":") : LUN_STR(""));
}


/* What the system knows of the connection, if it tells. */
static void
get_tcp_figure(lun_session *s, lun_value *v, uintptr_t field)
{
    lun_request       *r = lun_request_of(s);
    lun_sock_figures   f;

    if (lun_conn_figures(r->conn, &f) != 0) {
        give_none(v);
        return;
    }

    give(v, lun_pool_fmt(r->pool, "%u",
         *(unsigned *) (void *) ((char *) &f + field)));
}


/* --- paths --- */

static void
get_document_root(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request     *r = lun_request_of(s);
    const lun_root  *root = lun_core_conf_of(r)->root;

    if (root == NULL) {
        give_none(v);

    } else if (root->text.data != NULL) {
        give(v, root->text);

    } else {
        give(v, lun_path_full(r->pool, r->engine->gen->prefix,
                              lun_script_run(&r->session, root->script)));
    }
}


static void
get_realpath_root(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_err       err;
    char          room[LONG_PATH];
    lun_request  *r = lun_request_of(s);

    get_document_root(s, v, data);

    if (v->not_found) {
        return;
    }

    err = lun_file_real_path(lun_pool_strz(r->pool, v->text), room,
                             sizeof(room));

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, r->log, err, "realpath() \"%.*s\" failed",
                LUN_S(v->text));
        give_none(v);
        return;
    }

    give(v, lun_pool_str(r->pool, lun_str_z(room)));
}


static void
get_request_filename(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request    *r = lun_request_of(s);
    lun_safe_path   c;

    if (lun_http_file_path(r, &c) != LUN_NEXT) {
        give_none(v);

    } else {
        give(v, c.path);
    }
}


/* --- the connection --- */

static void
get_connection_requests(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, lun_pool_fmt(r->pool, "%" PRIu64, r->conn->requests));
}


static void
give_msec(lun_request *r, lun_value *v, int64_t ms)
{
    ms = lun_max(ms, 0);
    give(v, lun_pool_fmt(r->pool, "%" PRId64 ".%03d", ms / 1000,
                         (int) (ms % 1000)));
}


static void
get_connection_time(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give_msec(r, v, (int64_t) (lun_clock.mono - r->conn->start_time));
}


/* Of HTTP/1 the header is among what was sent, and so is the chunked coding. */
static void
get_bytes_sent(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, lun_pool_fmt(r->pool, "%" PRId64, r->version >= 2000
                         ? r->header_size + r->sent : r->sent));
}


static void
get_body_bytes_sent(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give(v, lun_pool_fmt(r->pool, "%" PRId64, r->version >= 2000
                         ? r->sent
                         : lun_max(r->sent - r->header_size, (int64_t) 0)));
}


/* --- time --- */

static void
get_request_time(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    give_msec(r, v, (lun_clock.sec - r->start_sec) * 1000
                    + (int64_t) lun_clock.msec
                    - (int64_t) r->start_msec);
}


/* "Saturday, 21-Nov-2026 03:27:00 GMT", as SSI has it. */
static void
get_date(lun_session *s, lun_value *v, uintptr_t local)
{
    lun_request        *r = lun_request_of(s);
    int                 zone = 0;
    char                name[8] = "GMT";
    lun_date            d;
    static const char  *const   days[] = {
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
        "Saturday"
    };
    static const char *const   months[] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct",
        "Nov", "Dec"
    };

    if (local) {
        lun_clock_local_date(&d, &zone);
        *lun_fmt(name, name + sizeof(name) - 1, "%c%02d%02d",
                 zone < 0 ? '-' : '+', lun_max(zone, -zone) / 60,
                 lun_max(zone, -zone) % 60) = '\0';
    } else {
        lun_date_of(lun_clock.sec, &d);
    }

    give(v, lun_pool_fmt(r->pool, "%s, %02d-%s-%d %02d:%02d:%02d %s",
                         days[d.weekday], d.day, months[d.month - 1], d.year,
                         d.hour, d.minute, d.second, name));
}


/* --- this process --- */

const lun_variable  lun_core_variables[] = {
    { .name = LUN_STR_INIT("args"), .get = get_args, .set = set_args,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the query, without its question mark" },
    { .name = LUN_STR_INIT("query_string"), .get = get_args,
      .flags = LUN_VAR_VOLATILE,
      .help = "the same as $args" },
    { .name = LUN_STR_INIT("is_args"), .get = get_is_args,
      .flags = LUN_VAR_VOLATILE,
      .help = "\"?\" if there is a query, else nothing" },
    { .name = LUN_STR_INIT("uri"), .get = get_text, .data = FIELD(uri),
      .flags = LUN_VAR_VOLATILE,
      .help = "the path of the request, decoded and normalised" },
    { .name = LUN_STR_INIT("document_uri"), .get = get_text,
      .data = FIELD(uri), .flags = LUN_VAR_VOLATILE,
      .help = "the same as $uri" },
    { .name = LUN_STR_INIT("request"), .get = get_main_text,
      .data = FIELD(line),
      .help = "the whole request line" },
    { .name = LUN_STR_INIT("request_uri"), .get = get_main_text,
      .data = FIELD(target),
      .help = "path and query as the client wrote them" },
    { .name = LUN_STR_INIT("request_method"), .get = get_main_text,
      .data = FIELD(method_name), .flags = LUN_VAR_VOLATILE,
      .help = "GET, POST, ..." },
    { .name = LUN_STR_INIT("scheme"), .get = get_main_text,
      .data = FIELD(scheme),
      .help = "http or https" },
    { .name = LUN_STR_INIT("host"), .get = get_host,
      .help = "the name that was asked for, or the server's, in lower case" },
    { .name = LUN_STR_INIT("https"), .get = get_https,
      .help = "\"on\" over TLS, else nothing" },
    { .name = LUN_STR_INIT("server_protocol"), .get = get_protocol,
      .help = "HTTP/1.0, HTTP/1.1 or HTTP/2.0" },
    { .name = LUN_STR_INIT("content_length"), .get = get_content_length,
      .flags = LUN_VAR_VOLATILE,
      .help = "what the client said of its body's length" },
    { .name = LUN_STR_INIT("content_type"), .get = get_header_in,
      .data = LUN_HIN_CONTENT_TYPE,
      .help = "what the client said of its body's type" },
    { .name = LUN_STR_INIT("remote_user"), .get = get_remote_user,
      .help = "the name of Basic authentication" },
    { .name = LUN_STR_INIT("request_id"), .get = get_request_id,
      .help = "32 hexadecimal digits, other ones for each request" },
    { .name = LUN_STR_INIT("request_body"), .get = get_request_body,
      .flags = LUN_VAR_VOLATILE,
      .help = "the body, if it was read and is in memory" },
    { .name = LUN_STR_INIT("request_body_file"), .get = get_request_body_file,
      .flags = LUN_VAR_VOLATILE,
      .help = "the file of a body that was written to one" },
    { .name = LUN_STR_INIT("request_length"), .get = get_int64,
      .data = FIELD(request_length), .flags = LUN_VAR_VOLATILE,
      .help = "bytes of the request: line, header and body" },
    { .name = LUN_STR_INIT("request_completion"), .get = get_completion,
      .flags = LUN_VAR_VOLATILE,
      .help = "\"OK\" once the answer is complete" },
    { .name = LUN_STR_INIT("request_filename"), .get = get_request_filename,
      .flags = LUN_VAR_VOLATILE,
      .help = "the file that the request names" },
    { .name = LUN_STR_INIT("document_root"), .get = get_document_root,
      .flags = LUN_VAR_VOLATILE,
      .help = "root or alias of the request" },
    { .name = LUN_STR_INIT("realpath_root"), .get = get_realpath_root,
      .flags = LUN_VAR_VOLATILE,
      .help = "the same, behind all symbolic links" },
    { .name = LUN_STR_INIT("status"), .get = get_status,
      .flags = LUN_VAR_VOLATILE,
      .help = "the status of the answer" },
    { .name = LUN_STR_INIT("body_bytes_sent"), .get = get_body_bytes_sent,
      .flags = LUN_VAR_VOLATILE,
      .help = "bytes of the answer's body that were sent" },
    { .name = LUN_STR_INIT("bytes_sent"), .get = get_bytes_sent,
      .flags = LUN_VAR_VOLATILE,
      .help = "bytes of the answer that were sent" },
    { .name = LUN_STR_INIT("limit_rate"), .get = get_limit_rate,
      .set = set_limit_rate, .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "bytes a second that the answer may have; can be set" },
    { .name = LUN_STR_INIT("pipe"), .get = get_pipe,
      .help = "\"p\" if the request came with the one before it, else \".\"" },
    { .name = LUN_STR_INIT("request_port"), .get = get_request_port,
      .help = "the port that the client named" },
    { .name = LUN_STR_INIT("is_request_port"), .get = get_is_request_port,
      .help = "\":\" if the client named a port" },

    { .name = LUN_STR_INIT("connection_requests"),
      .get = get_connection_requests,
      .help = "how many requests this connection has had" },
    { .name = LUN_STR_INIT("connection_time"), .get = get_connection_time,
      .flags = LUN_VAR_VOLATILE,
      .help = "seconds since the connection began" },
    { .name = LUN_STR_INIT("tcpinfo_rtt"), .get = get_tcp_figure,
      .data = offsetof(lun_sock_figures, rtt),
      .flags = LUN_VAR_VOLATILE | LUN_VAR_OF_SOCKET,
      .help = "the way there and back, in microseconds (Linux)" },
    { .name = LUN_STR_INIT("tcpinfo_rttvar"), .get = get_tcp_figure,
      .data = offsetof(lun_sock_figures, rttvar),
      .flags = LUN_VAR_VOLATILE | LUN_VAR_OF_SOCKET,
      .help = "how that varies, in microseconds (Linux)" },
    { .name = LUN_STR_INIT("tcpinfo_snd_cwnd"), .get = get_tcp_figure,
      .data = offsetof(lun_sock_figures, snd_cwnd),
      .flags = LUN_VAR_VOLATILE | LUN_VAR_OF_SOCKET,
      .help = "segments that may be under way to the client (Linux)" },
    { .name = LUN_STR_INIT("tcpinfo_rcv_space"), .get = get_tcp_figure,
      .data = offsetof(lun_sock_figures, rcv_space),
      .flags = LUN_VAR_VOLATILE | LUN_VAR_OF_SOCKET,
      .help = "bytes that the client may send at once (Linux)" },

    { .name = LUN_STR_INIT("request_time"), .get = get_request_time,
      .flags = LUN_VAR_VOLATILE,
      .help = "seconds since the request's first byte" },
    { .name = LUN_STR_INIT("date_gmt"), .get = get_date,
      .flags = LUN_VAR_VOLATILE,
      .help = "the time in GMT, as SSI's timefmt writes it" },
    { .name = LUN_STR_INIT("date_local"), .get = get_date, .data = 1,
      .flags = LUN_VAR_VOLATILE,
      .help = "the local time, as SSI's timefmt writes it" },

    { .name = LUN_STR_NULL }
};
