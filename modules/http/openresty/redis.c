/*
 * redis.c -- ngx_http_redis: answers that lie in a Redis server, by $redis_key.
 *
 *     location /cached/ {
 *         set $redis_key "$uri?$args";
 *         redis_pass 127.0.0.1:6379;
 *         error_page 404 502 504 = @made;
 *     }
 *
 * AUTH, where there is a $redis_auth; SELECT $redis_db (0), because a kept
 * connection may have another; and GET go out at once.  A connection that has
 * said a password is kept for who says the same one.  redis2 has all of what
 * Redis answers, as it comes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/fmt.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_value.h"
#include "http/upstream/upreq_rows.h"


enum { KEY, DB, AUTH, VARIABLES };

typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no redis_pass */
    unsigned           *variables; /* indexes; NULL: none here */
    int64_t             gzip_flag; /* 0: values are not compressed */
} redis_conf;

typedef struct {
    lun_str          key, auth;
    unsigned         commands;     /* in front of GET */
    unsigned         oks;          /* of these, to come */
    lun_upreq_value  value;
} state;

static const lun_str  names[] = {
    [KEY] = LUN_STR_INIT("redis_key"), [DB] = LUN_STR_INIT("redis_db"),
    [AUTH] = LUN_STR_INIT("redis_auth")
};

extern lun_http_module  lun_http_redis;


/* --- the request --------------------------------------------------------- */

static lun_str
value_of(lun_request *r, int which)
{
    const lun_value   *v;
    const redis_conf  *conf = lun_http_conf(r, &lun_http_redis);

    v = lun_var_get_fresh(&r->session, conf->variables[which]);
    return v->not_found ? LUN_STR("") : v->text;
}


/* A command of two words, whatever bytes are in them. */
static lun_str
command_text(lun_pool *pool, lun_str name, lun_str arg)
{
    return lun_pool_fmt(pool, "*2\r\n$%zu\r\n%.*s\r\n$%zu\r\n%.*s\r\n",
                        name.len, LUN_S(name), arg.len, LUN_S(arg));
}


/* A kept connection may do what the password allows that it has said. */
static lun_str
conn_key(lun_session *session)
{
    const lun_upreq  *x = lun_request_of(session)->upreq;
    const state      *s = x->protocol_data;

    return lun_pool_fmt(session->pool, "%.*s %.*s",
                        LUN_S(lun_upreq_conn_key(session)), LUN_S(s->auth));
}


/*
 * AUTH and SELECT go in front of each question: a kept connection may have had
 * another database, or none.
 */
static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    state        *s = x->protocol_data;
    lun_str       db, text = LUN_STR("");
    lun_request  *r = x->r;

    s->key = value_of(r, KEY);
    s->auth = value_of(r, AUTH);
    db = value_of(r, DB);

    if (s->key.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "the \"$redis_key\" variable is not "
                "set");
        return LUN_ERROR;
    }

    s->commands = 1;

    if (s->auth.len != 0) {
        text = command_text(r->pool, LUN_STR("auth"), s->auth);
        s->commands++;
    }

    text = lun_pool_fmt(r->pool, "%.*s%.*s%.*s", LUN_S(text),
                        LUN_S(command_text(r->pool, LUN_STR("select"),
                                           db.len != 0 ? db : LUN_STR("0"))),
                        LUN_S(command_text(r->pool, LUN_STR("get"), s->key)));
    *head = lun_buf_new_str(r->pool, text);
    x->body = NULL;
    x->balance.conn_key = conn_key;

    return LUN_OK;
}


/* --- the answer ---------------------------------------------------------- */

static void
reset(lun_upreq *x)
{
    state  *s = x->protocol_data;

    s->oks = s->commands;
    s->value = (lun_upreq_value) { .end = LUN_STR("\r\n") };
}


static lun_upstream_verdict
refuse(const lun_upreq *x, lun_str line)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "redis sent invalid response: "
            "\"%.*s\"", LUN_S(line));
    return LUN_UPSTREAM_BAD;
}


/* "$5": so many bytes follow. */
static lun_upstream_verdict
take_length(lun_upreq *x, lun_str line)
{
    state             *s = x->protocol_data;
    lun_str            digits = lun_str_of(line.data + 1, line.len - 1);
    lun_header         h;
    const redis_conf  *conf = lun_http_conf(x->r, &lun_http_redis);

    if (digits.len == 0 || !lun_is_digit(digits.data[0])
        || lun_str_to_i64(digits, &x->answer.head_length) != LUN_OK)
    {
        return refuse(x, line);
    }

    if (conf->gzip_flag != 0) {
        h = lun_upreq_field(LUN_STR("Content-Encoding"), LUN_STR("gzip"));
        lun_header_list_add(&x->answer.list, &h);
    }

    return lun_upreq_value_found(x, &s->value);
}


/* As many "+OK" come first as commands went in front. */
static lun_upstream_verdict
read_header(lun_upreq *x, const char **pos, const char *end)
{
    state       *s = x->protocol_data;
    lun_str      line;
    const char  *lf;

    while ((lf = memchr(*pos, '\n', (size_t) (end - *pos))) != NULL) {
        line = lun_str_of(*pos, (size_t) (lf - *pos));
        *pos = lf + 1;

        if (line.len == 0 || line.data[line.len - 1] != '\r') {
            return refuse(x, line);
        }

        line.len--;

        if (s->oks == 0) {
            return lun_str_eq(line, LUN_STR("$-1"))
                   ? lun_upreq_value_missing(x, "redis", s->key, *pos != end)
                   : line.len != 0 && line.data[0] == '$'
                     ? take_length(x, line) : refuse(x, line);
        }

        if (!lun_str_eq(line, LUN_STR("+OK"))) {
            return refuse(x, line);
        }

        s->oks--;
    }

    return LUN_UPSTREAM_MORE;
}


static lun_upstream_verdict
read_body(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    state  *s = x->protocol_data;

    return lun_upreq_value_read(x, &s->value, "redis", pos, end, piece);
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("redis://"),
    .tls_schema  = LUN_STR_INIT("redis://"),
    .make        = make,
    .reset       = reset,
    .read_header = read_header,
    .read_body   = read_body,
};


static lun_verdict
on_content(lun_session *session)
{
    lun_request       *r = lun_request_of(session);
    const redis_conf  *conf = lun_http_conf(r, &lun_http_redis);

    return lun_upreq_value_content(r, &lun_http_redis, &conf->up, conf->address,
                                   &protocol, sizeof(state));
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    redis_conf  *conf = data;

    conf->variables = lun_pool_new_n(cf->pool, unsigned, VARIABLES);

    return lun_var_define_unset(cf, names, VARIABLES, conf->variables)
           == LUN_OK ? lun_upreq_set_pass(cf, &lun_http_redis,
                                          lun_upreq_no_schemes, &conf->address)
           : LUN_ERROR;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    redis_conf        *conf = data;
    const redis_conf  *outer = parent;

    conf->up.intercept_404 = true;

    if (conf->variables == NULL && outer != NULL) {
        conf->variables = outer->variables;
    }

    return lun_upreq_finish_conf(cf, "redis", &conf->up, NULL);
}


static const lun_directive  directives[] = {
    { .name = "redis_pass", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .set = set_pass, LUN_FIELD(redis_conf, address),
      .values = "address",
      .help = "the server that answers" },
    { .name = "redis_gzip_flag", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_num, LUN_FIELD(redis_conf, gzip_flag),
      .fallback = "0",
      .help = "values are compressed, if it is not 0" },

    LUN_UPSTREAM_CONN_ROWS_OF("redis_", redis_conf, up, lun_upreq_value_tries,
                              "4k"),
    { 0 }
};

lun_http_module  lun_http_redis = {
    .name = "redis",
    .directives = directives,
    .conf_size = sizeof(redis_conf),
    .inherited = inherited,
    .on[LUN_CONTENT] = on_content,
};
