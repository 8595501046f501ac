/*
 * check_words.c -- the types of Tengine's `check`: what a server is sent, and
 * what it has to say.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/health/check.h"

#include "client/http_question.h"
#include "format/fastcgi_record.h"
#include "net/tls/tls_ctx.h"


enum { MUCH = 16384 };             /* bytes of an answer */


static const lun_check *
check_of(const lun_health_talk *t)
{
    return lun_container_of(t, lun_check, talk);
}


/* --- types by bytes ------------------------------------------------------ */

static lun_rc
finish_talk(lun_check *k, lun_str send,
    lun_health_heard (*hear)(const lun_health_talk *t, lun_str heard))
{
    k->in_size = hear == NULL ? 1 : MUCH;
    k->talk = (lun_health_talk) {
        .head = k->head, .text = send, .name = k->head.upstream->name,
        .tls = &k->tls, .secure = &k->secure, .in_size = &k->in_size,
        .timeout = &k->timeout, .hear = hear
    };
    k->head.probe = &lun_health_talk_probe;
    return LUN_OK;
}


static lun_rc
finish_tcp(lun_conf *cf, lun_check *k)
{
    return finish_talk(k, LUN_STR(""), NULL);
}


/* A handshake, by whoever it is. */
static lun_rc
finish_ssl(lun_conf *cf, lun_check *k)
{
    k->secure = true;
    k->tls.ctx = lun_tls_ctx_new(cf->pool, cf->log,
                                 LUN_TLS_1_2 | LUN_TLS_1_3);

    return k->tls.ctx != NULL ? finish_talk(k, LUN_STR(""), NULL) : LUN_ERROR;
}


/* A packet of a greeting: its length, its number, the protocol's version. */
static lun_health_heard
hear_mysql(const lun_health_talk *t, lun_str heard)
{
    enum { VERSION_AT = 4, VERSION = 10 };

    return heard.len <= VERSION_AT ? LUN_HEALTH_MORE
           : heard.data[VERSION_AT] == VERSION && heard.data[3] == 0
           ? LUN_HEALTH_PASSES : LUN_HEALTH_FAILS;
}


static lun_rc
finish_mysql(lun_conf *cf, lun_check *k)
{
    return finish_talk(k, LUN_STR(""), hear_mysql);
}


static lun_health_heard
hear_ajp(const lun_health_talk *t, lun_str heard)
{
    static const char  cpong[] = { 'A', 'B', 0, 1, 9 };

    return heard.len < sizeof(cpong) ? LUN_HEALTH_MORE
           : memcmp(heard.data, cpong, sizeof(cpong)) == 0
           ? LUN_HEALTH_PASSES : LUN_HEALTH_FAILS;
}


static lun_rc
finish_ajp(lun_conf *cf, lun_check *k)
{
    static const char  cping[] = { 0x12, 0x34, 0, 1, 10 };

    return finish_talk(k, lun_str_of(cping, sizeof(cping)), hear_ajp);
}


/* --- type=fastcgi -------------------------------------------------------- */

/* The status that a header says; 200 if it says none. */
static unsigned
status_of(lun_str header)
{
    uint64_t     n;
    lun_str      line, value;
    const char  *end;

    while (header.len != 0) {
        end = lun_str_chr(header, '\n');
        line = lun_str_of(header.data, end != NULL
                          ? (size_t) (end - header.data) : header.len);

        if (lun_str_casestarts(line, LUN_STR("Status:"))) {
            value = lun_str_trim(lun_str_of(line.data + 7, line.len - 7));
            value.len = lun_min(value.len, (size_t) 3);
            return lun_str_to_u64(value, &n) == LUN_OK ? (unsigned) n : 0;
        }

        header = lun_str_of(header.data + line.len, header.len - line.len);
        header = lun_str_of(header.data + (end != NULL),
                            header.len - (end != NULL));
    }

    return 200;
}


static bool
has_whole_header(lun_str text)
{
    return lun_str_find(text, LUN_STR("\r\n\r\n")) != NULL
           || lun_str_find(text, LUN_STR("\n\n")) != NULL;
}


/* What came, with the heads of records taken out. */
static lun_health_heard
hear_fastcgi(const lun_health_talk *t, lun_str heard)
{
    char                 text[2048], *p = text;
    bool                 over = false;
    lun_str              piece, header;
    const char          *pos = heard.data, *end = heard.data + heard.len;
    lun_fastcgi_parser   parser;
    lun_fastcgi_verdict  v;

    lun_fastcgi_reset(&parser);

    while ((v = lun_fastcgi_next(&parser, &pos, end, &piece))
           != LUN_FASTCGI_MORE)
    {
        if (v == LUN_FASTCGI_BAD) {
            return LUN_HEALTH_FAILS;
        }

        over |= v == LUN_FASTCGI_RECORD && parser.type == LUN_FASTCGI_END;

        if (v == LUN_FASTCGI_DATA && parser.type == LUN_FASTCGI_STDOUT) {
            piece.len = lun_min(piece.len,
                                sizeof(text) - (size_t) (p - text));
            p = lun_copy_str(p, piece);
        }
    }

    header = lun_str_of(text, (size_t) (p - text));

    if (!over && !has_whole_header(header) && header.len < sizeof(text)) {
        return LUN_HEALTH_MORE;
    }

    return header.len != 0
           && (check_of(t)->alive & LUN_CHECK_CLASS(status_of(header))) != 0
           ? LUN_HEALTH_PASSES : LUN_HEALTH_FAILS;
}


static lun_rc
finish_fastcgi(lun_conf *cf, lun_check *k)
{
    static const lun_pair  usual[] = {
        { LUN_STR_INIT("REQUEST_METHOD"), LUN_STR_INIT("GET") },
        { LUN_STR_INIT("REQUEST_URI"), LUN_STR_INIT("/") },
        { LUN_STR_INIT("SCRIPT_FILENAME"), LUN_STR_INIT("index.php") }
    };

    char            *text, *room, *p;
    size_t           i, count, before, size = 0;
    const lun_pair  *pairs = usual;

    count = LUN_ARRAY_LEN(usual);

    if (k->params != NULL) {
        pairs = k->params->items;
        count = k->params->count;
    }

    for (i = 0; i < count; i++) {
        size += lun_fastcgi_pair_size(pairs[i].key, pairs[i].value);
    }

    text = lun_pool_text(cf->pool, LUN_FASTCGI_BEGIN_SIZE + LUN_FASTCGI_HEAD
                         + lun_fastcgi_stream_size(size, &before));
    room = lun_fastcgi_put_begin(text, false);
    p = room + before;

    for (i = 0; i < count; i++) {
        p = lun_fastcgi_put_pair(p, pairs[i].key, pairs[i].value);
    }

    p = lun_fastcgi_put_stream(room, LUN_FASTCGI_PARAMS, size);
    p = lun_fastcgi_put_head(p, LUN_FASTCGI_STDIN, 0, 0);

    return finish_talk(k, lun_str_of(text, (size_t) (p - text)), hear_fastcgi);
}


/* --- type=http ----------------------------------------------------------- */

static void
plan(const lun_health_http *http, lun_pool *pool, lun_health_http_plan *p)
{
    const lun_check  *k = lun_container_of(http, lun_check, http);

    p->client.connect_timeout = k->timeout;
    p->client.timeout = k->timeout;
    p->method = k->method;
    p->url = lun_pool_fmt(pool, "http://%.*s%.*s",
                          LUN_S(k->head.upstream->name), LUN_S(k->uri));
    p->fields = &k->fields;
}


static bool
wants_no_body(const lun_health_http *http)
{
    return false;
}


static const char *
judge(const lun_health_http *http, const lun_http_answer *a, lun_str body)
{
    const lun_check  *k = lun_container_of(http, lun_check, http);

    return (k->alive & LUN_CHECK_CLASS(a->status)) != 0
           ? NULL : "checking status code";
}


/* A line of *text, which moves behind it, without its end. */
static lun_str
next_line(lun_str *text)
{
    lun_str      line = *text;
    const char  *end = lun_str_chr(*text, '\n');

    if (end != NULL) {
        line.len = (size_t) (end - text->data);
    }

    *text = lun_str_of(line.data + line.len + (end != NULL),
                       text->len - line.len - (end != NULL));

    if (lun_str_ends(line, LUN_STR("\r"))) {
        line.len--;
    }

    return line;
}


/* "GET /uri HTTP/1.0" */
static bool
read_request_line(lun_check *k, lun_str line)
{
    const char  *space = lun_str_chr(line, ' ');
    lun_str      rest;

    if (space == NULL) {
        return false;
    }

    k->method = lun_str_of(line.data, (size_t) (space - line.data));
    rest = lun_str_of(space + 1, line.len - k->method.len - 1);
    space = lun_str_chr(rest, ' ');
    k->uri = lun_str_of(rest.data, space != NULL
                        ? (size_t) (space - rest.data) : rest.len);

    return lun_str_starts(k->uri, LUN_STR("/")) && space != NULL
           && lun_str_starts(lun_str_of(space + 1, rest.len - k->uri.len - 1),
                             LUN_STR("HTTP/1."));
}


/* What says where the request ends, or what becomes of its connection, is our
   client's to say. */
static bool
read_field(lun_check *k, lun_str line)
{
    lun_str          name;
    const char      *colon = lun_str_chr(line, ':');
    lun_http_field  *f;

    if (colon == NULL) {
        return false;
    }

    name = lun_str_of(line.data, (size_t) (colon - line.data));

    if (lun_http_question_is_framing(name)
        || lun_str_caseeq(name, LUN_STR("Host")))
    {
        return true;
    }

    f = lun_array_push(&k->fields);
    f->name = name;
    f->value = lun_str_trim(lun_str_of(colon + 1, line.len - name.len - 1));
    return true;
}


static bool
read_request(lun_conf *cf, lun_check *k)
{
    lun_str            line, text = k->send.len != 0 ? k->send
                                    : LUN_STR("GET / HTTP/1.0\r\n\r\n");
    lun_http_question  q = { .method = LUN_STR("") };

    lun_array_init(&k->fields, cf->pool, sizeof(lun_http_field), 2);

    if (!read_request_line(k, next_line(&text))) {
        return false;
    }

    while (text.len != 0 && (line = next_line(&text)).len != 0) {
        if (!read_field(k, line)) {
            return false;
        }
    }

    q.method = k->method;
    q.fields = k->fields.items;
    q.field_count = k->fields.count;
    return text.len == 0
           && lun_url_parse(lun_pool_fmt(cf->pool, "http://%.*s%.*s",
                                         LUN_S(k->head.upstream->name),
                                         LUN_S(k->uri)), &q.url) == NULL
           && lun_http_question_fault(&q) == NULL;
}


static lun_rc
finish_http(lun_conf *cf, lun_check *k)
{
    if (!read_request(cf, k)) {
        return lun_conf_fail_at(cf, k->head.file, k->head.line,
                                "\"check_http_send\" has no request: \"%.*s\"",
                                LUN_S(k->send));
    }

    k->http = (lun_health_http) {
        .head = k->head, .requests = k->requests, .plan = plan,
        .wants_body = wants_no_body, .judge = judge
    };
    k->head.probe = &lun_health_http_probe;
    return LUN_OK;
}


static const lun_check_type  types[] = {
    { "tcp", finish_tcp },
    { "ssl_hello", finish_ssl },
    { "http", finish_http },
    { "mysql", finish_mysql },
    { "ajp", finish_ajp },
    { "fastcgi", finish_fastcgi }
};


const lun_check_type *
lun_check_type_of(lun_str name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(types); i++) {
        if (lun_str_eq(name, lun_str_z(types[i].name))) {
            return &types[i];
        }
    }

    return NULL;
}
