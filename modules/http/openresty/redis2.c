/*
 * redis2.c -- OpenResty's redis2: what a Redis server answers, as it comes.
 *
 *     location /get {
 *         set_unescape_uri $key $arg_key;
 *         redis2_query get $key;
 *         redis2_pass 127.0.0.1:6379;
 *     }
 *
 * Several queries of a location go out at once; the answer's body is all of
 * their replies, one behind the other (redis_reply.h).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/fmt.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_rows.h"
#include "format/redis_reply.h"


enum { QUERIES_MOST = 1000000 };   /* of redis2_raw_queries */

/* A redis2_query: its words. */
typedef struct {
    lun_script  **words;
    size_t        count;
} query;

/* What a block says: queries, or (raw not NULL) their text. */
typedef struct {
    lun_array    list;             /* of query */
    lun_script  *raw;
    lun_script  *raw_count;        /* redis2_raw_queries; NULL: one */
    lun_str      literal;
} queries;

typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no redis2_pass */
    queries            *queries;   /* NULL: none */
} redis2_conf;

typedef struct {
    int64_t          count;        /* of queries */
    bool             counted;      /* that is how many there are, and all of
                                      them are over then */
    lun_redis_reply  reply;
} state;

static const lun_enum  tries[] = {
    { "error", LUN_TRY_ERROR },
    { "timeout", LUN_TRY_TIMEOUT },
    { "invalid_response", LUN_TRY_INVALID_HEADER },
    { "denied", LUN_TRY_DENIED },
    { "off", LUN_TRY_OFF },
    { NULL, 0 }
};


extern lun_http_module  lun_http_redis2;


/* --- the request --------------------------------------------------------- */

/* "*2\r\n$3\r\nget\r\n$3\r\nkey\r\n" */
static lun_str
query_text(lun_request *r, const query *q)
{
    char     *start, *p, *end;
    size_t    i, len = 32;
    lun_str  *words = lun_pool_new_n(r->pool, lun_str, q->count);

    for (i = 0; i < q->count; i++) {
        words[i] = lun_script_run(&r->session, q->words[i]);
        len += words[i].len + 32;
    }

    p = start = lun_pool_text(r->pool, len);
    end = start + len;
    p = lun_fmt(p, end, "*%zu\r\n", q->count);

    for (i = 0; i < q->count; i++) {
        p = lun_fmt(p, end, "$%zu\r\n", words[i].len);
        p = lun_copy_str(p, words[i]);
        p = lun_copy_str(p, LUN_STR("\r\n"));
    }

    return lun_str_of(start, (size_t) (p - start));
}


/* ERROR: logged. */
static lun_rc
read_count(lun_request *r, const queries *q, int64_t *count)
{
    lun_str   text;
    uint64_t  n;

    *count = 1;

    if (q->raw_count == NULL) {
        return LUN_OK;
    }

    text = lun_script_run(&r->session, q->raw_count);

    if (lun_str_to_u64(text, &n) != LUN_OK || n == 0 || n > QUERIES_MOST) {
        lun_log(LUN_LOG_ERR, r->log, 0, "Invalid number of queries: \"%.*s\"",
                LUN_S(text));
        return LUN_ERROR;
    }

    *count = (int64_t) n;
    return LUN_OK;
}


/*
 * How many replies there will be has to be known: counted where commands are
 * ours, said by redis2_raw_queries where they are the user's; where the two
 * differ the connection is not kept.
 */
static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    state          *s = x->protocol_data;
    size_t          i;
    lun_str         text = LUN_STR("");
    lun_chain       out;
    lun_request    *r = x->r;
    const queries  *q;

    q = ((const redis2_conf *) lun_http_conf(r, &lun_http_redis2))->queries;
    lun_chain_init(&out);
    x->body = NULL;

    if (q->list.count != 0) {
        s->count = (int64_t) q->list.count;
        s->counted = true;

        for (i = 0; i < q->list.count; i++) {
            text = query_text(r, lun_array_at(&q->list, i));
            s->counted &= lun_redis_count_commands(text) == 1;
            lun_chain_push(&out, lun_buf_new_str(r->pool, text));
        }

    } else if (read_count(r, q, &s->count) != LUN_OK) {
        return LUN_ERROR;

    } else {
        text = q->raw != NULL ? lun_script_run(&r->session, q->raw)
                              : q->literal;
        s->counted = lun_redis_count_commands(text) == s->count;
        lun_chain_push(&out, lun_buf_new_str(r->pool, text));
    }

    if (text.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "no redis2 query specified or the "
                "query is empty");
        return LUN_ERROR;
    }

    *head = out.head;
    return LUN_OK;
}


/* --- the answer ---------------------------------------------------------- */

static void
reset(lun_upreq *x)
{
    state  *s = x->protocol_data;

    lun_redis_reply_init(&s->reply, s->count);
}


/* There is no header: the first byte says whether it is a reply at all. */
static lun_upstream_verdict
read_header(lun_upreq *x, const char **pos, const char *end)
{
    if (*pos == end) {
        return LUN_UPSTREAM_MORE;
    }

    if (strchr("+-:$*", **pos) == NULL || **pos == '\0') {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "redis2 sent invalid response: "
                "\"%.*s\"", (int) lun_min(end - *pos, 64), *pos);
        return LUN_UPSTREAM_BAD;
    }

    x->answer.status = 200;
    x->answer.framed = true;
    (void) lun_upreq_set_length(x, x->r->method == LUN_HEAD);

    return LUN_UPSTREAM_DONE;
}


static lun_upstream_verdict
read_body(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    state       *s = x->protocol_data;
    const char  *start = *pos;

    if (x->r->method == LUN_HEAD) {
        return LUN_UPSTREAM_DONE;
    }

    switch (lun_redis_reply_next(&s->reply, pos, end)) {

    case LUN_REDIS_BAD:
        lun_log(LUN_LOG_ERR, x->r->log, 0, "Redis server returned invalid "
                "response near pos %zu in the bytes that came last",
                (size_t) (*pos - start));
        return LUN_UPSTREAM_BAD;

    case LUN_REDIS_DONE:

        /* A reply too many would be the next request's. */
        x->answer.keep = s->counted;
        break;

    default:
        break;
    }

    if (*pos != start) {
        *piece = lun_str_of(start, (size_t) (*pos - start));
        return LUN_UPSTREAM_DATA;
    }

    return s->reply.pending > 0 ? LUN_UPSTREAM_MORE : LUN_UPSTREAM_DONE;
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("redis2://"),
    .tls_schema  = LUN_STR_INIT("redis2://"),
    .make        = make,
    .reset       = reset,
    .read_header = read_header,
    .read_body   = read_body,
};


static lun_verdict
on_content(lun_session *session)
{
    lun_request        *r = lun_request_of(session);
    const redis2_conf  *conf = lun_http_conf(r, &lun_http_redis2);

    if (conf->address == NULL || !lun_http_has_content(r, &lun_http_redis2)) {
        return LUN_NEXT;
    }

    if (conf->queries == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "no redis2 query specified or the "
                "query is empty");
        return LUN_STATUS + 500;
    }

    lun_http_set_type(r);
    return lun_upreq_ask(r, &conf->up, conf->address, &protocol,
                         lun_pool_new(r->pool, state));
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    redis2_conf  *conf = data;

    return lun_upreq_set_pass(cf, &lun_http_redis2, lun_upreq_no_schemes,
                              &conf->address);
}


/* The block's own; one of another kind, or (raw) a second one, is an error. */
static queries *
queries_of(lun_conf *cf, redis2_conf *conf, bool raw)
{
    queries  *q = conf->queries;

    if (q == NULL) {
        q = conf->queries = lun_pool_new(cf->pool, queries);
        lun_array_init(&q->list, cf->pool, sizeof(query), 1);

    } else if (raw || q->list.count == 0) {
        (void) lun_conf_fail(cf, "\"%.*s\" directive is duplicate or "
                             "conflicts with another query",
                             LUN_S(cf->args[0]));
        return NULL;
    }

    return q;
}


static lun_rc
set_query(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t    i;
    query    *one;
    queries  *q = queries_of(cf, data, false);

    if (q == NULL) {
        return LUN_ERROR;
    }

    one = lun_array_push(&q->list);
    one->count = cf->argc - 1;
    one->words = lun_pool_new_n(cf->pool, lun_script *, one->count);

    for (i = 0; i < one->count; i++) {
        one->words[i] = lun_script_new(cf, cf->args[i + 1]);

        if (one->words[i] == NULL) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
set_raw(lun_conf *cf, const lun_directive *d, void *data)
{
    queries  *q = queries_of(cf, data, true);

    if (q == NULL) {
        return LUN_ERROR;
    }

    q->raw = lun_script_new(cf, cf->args[cf->argc - 1]);

    if (cf->argc == 3) {
        q->raw_count = lun_script_new(cf, cf->args[1]);
    }

    return q->raw != NULL && (cf->argc == 2 || q->raw_count != NULL)
           ? LUN_OK : LUN_ERROR;
}


static lun_rc
set_literal(lun_conf *cf, const lun_directive *d, void *data)
{
    queries  *q = queries_of(cf, data, true);

    if (q == NULL) {
        return LUN_ERROR;
    }

    q->literal = cf->args[1];
    return LUN_OK;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    redis2_conf  *conf = data;

    /* It is not, but a query may be made of it. */
    conf->up.pass_request_body = true;

    return lun_upreq_finish_conf(cf, "redis2", &conf->up, NULL);
}


enum { PLACES = LUN_LOCATION | LUN_LOCATION_IF };

#define QUERY(text, least, most, setter, ...)                                 \
    { .name = text, .where = PLACES, .args = least, .args_max = most,         \
      .repeats = true, .set = setter, LUN_FIELD(redis2_conf, queries),        \
      __VA_ARGS__ }

static const lun_directive  directives[] = {
    { .name = "redis2_pass", .where = PLACES, .args = 1, .set = set_pass,
      LUN_FIELD(redis2_conf, address),
      .values = "address",
      .help = "the server that answers" },
    QUERY("redis2_query", 1, LUN_ARGS_ANY, set_query,
          .values = "command [argument ...]",
          .help = "a command for Redis, word by word"),
    QUERY("redis2_raw_query", 1, 0, set_raw,
          .values = "query",
          .help = "a command for Redis as it is sent"),
    QUERY("redis2_raw_queries", 2, 0, set_raw,
          .values = "count queries",
          .help = "so many commands for Redis as they are sent"),
    QUERY("redis2_literal_raw_query", 1, 0, set_literal,
          .values = "query",
          .help = "the same without variables"),

    LUN_UPSTREAM_CONN_ROWS_OF("redis2_", redis2_conf, up, tries, "4k"),
    { 0 }
};

lun_http_module  lun_http_redis2 = {
    .name = "redis2",
    .directives = directives,
    .conf_size = sizeof(redis2_conf),
    .inherited = inherited,
    .on[LUN_CONTENT] = on_content,
};
