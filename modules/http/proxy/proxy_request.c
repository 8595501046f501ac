/*
 * proxy_request.c -- the request that a server gets: line, headers, body; in
 * HTTP/1.
 *
 * Headers of the configuration come first, then those that every request has,
 * then what the client has sent and nobody has replaced.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"

#include "base/fmt.h"
#include "client/http_question.h"


typedef struct {
    lun_str           name;
    lun_proxy_source  source;
} usual_header;

static const usual_header  usual[] = {
    { LUN_STR_INIT("Host"), LUN_PROXY_HOST },
    { LUN_STR_INIT("Connection"), LUN_PROXY_NOTHING },
    { LUN_STR_INIT("Proxy-Connection"), LUN_PROXY_NOTHING },
    { LUN_STR_INIT("Content-Length"), LUN_PROXY_LENGTH },
    { LUN_STR_INIT("Transfer-Encoding"), LUN_PROXY_CHUNKED },
    { LUN_STR_INIT("TE"), LUN_PROXY_NOTHING },
    { LUN_STR_INIT("Keep-Alive"), LUN_PROXY_NOTHING },
    { LUN_STR_INIT("Expect"), LUN_PROXY_NOTHING },
    { LUN_STR_INIT("Upgrade"), LUN_PROXY_NOTHING }
};


/* Where answers are kept a whole one is wanted, on our conditions. */
static const usual_header  fetching[] = {
    { LUN_STR_INIT("If-Modified-Since"), LUN_PROXY_MODIFIED },
    { LUN_STR_INIT("If-Unmodified-Since"), LUN_PROXY_PART },
    { LUN_STR_INIT("If-None-Match"), LUN_PROXY_ETAG },
    { LUN_STR_INIT("If-Match"), LUN_PROXY_PART },
    { LUN_STR_INIT("Range"), LUN_PROXY_PART },
    { LUN_STR_INIT("If-Range"), LUN_PROXY_PART }
};


/* --- proxy_set_header ---------------------------------------------------- */

lun_rc
lun_set_proxy_header(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_proxy_conf    *conf = data;
    lun_proxy_header  *h;

    if (conf->set == NULL) {
        conf->set = lun_array_new(cf->pool, sizeof(lun_proxy_header), 4);
    }

    h = lun_array_push(conf->set);
    h->name = cf->args[1];
    h->hash = lun_header_hash(h->name);
    h->value = lun_script_new(cf, cf->args[2]);

    if (cf->args[2].len == 0) {
        h->source = LUN_PROXY_NOTHING;
    }

    return h->value != NULL ? LUN_OK : LUN_ERROR;
}


const lun_proxy_header *
lun_proxy_find(const lun_array *list, uint32_t hash, lun_str name)
{
    size_t                   i;
    const lun_proxy_header  *h = list->items;

    for (i = 0; i < list->count; i++, h++) {
        if (h->hash == hash && lun_str_caseeq(h->name, name)) {
            return h;
        }
    }

    return NULL;
}


static void
add_usual(lun_proxy_conf *conf, const usual_header *list, size_t n)
{
    size_t             i;
    uint32_t           hash;
    lun_proxy_header  *h;

    for (i = 0; i < n; i++) {
        hash = lun_header_hash(list[i].name);

        if (lun_proxy_find(&conf->headers, hash, list[i].name) != NULL) {
            continue;
        }

        h = lun_array_push(&conf->headers);
        h->name = list[i].name;
        h->hash = hash;
        h->source = list[i].source;
    }
}


void
lun_proxy_finish_headers(lun_conf *cf, lun_proxy_conf *conf)
{
    size_t             i;
    lun_proxy_header  *h;

    lun_array_init(&conf->headers, cf->pool, sizeof(lun_proxy_header), 12);

    for (i = 0; conf->set != NULL && i < conf->set->count; i++) {
        h = lun_array_push(&conf->headers);
        *h = *(lun_proxy_header *) lun_array_at(conf->set, i);

        /* There is no request of HTTP/1.1 without one. */
        if (conf->version >= 1001
            && lun_str_caseeq(h->name, LUN_STR("Host")))
        {
            h->source = LUN_PROXY_HOST_SET;
        }
    }

    add_usual(conf, usual, LUN_ARRAY_LEN(usual));

    if (conf->up.hook_count != 0) {
        add_usual(conf, fetching, LUN_ARRAY_LEN(fetching));
    }

    h = conf->headers.items;
    conf->header_bits = 0;

    for (i = 0; i < conf->headers.count; i++) {
        conf->header_bits |= lun_header_bit(h[i].hash);
    }
}


void
lun_proxy_add_fields(const lun_proxy_conf *conf, lun_upreq_passes *to)
{
    size_t                   i;
    lun_str                  text;
    lun_http_field          *f;
    const lun_proxy_header  *h;

    for (i = 0; conf->set != NULL && i < conf->set->count; i++) {
        h = lun_array_at(conf->set, i);
        text = lun_script_text(h->value);

        if (text.len == 0 || lun_script_has_variables(text)) {
            continue;
        }

        if (lun_str_caseeq(h->name, LUN_STR("Host"))) {
            to->host = text;

        } else if (!lun_http_question_is_framing(h->name)) {
            f = lun_array_push(&to->fields);
            *f = (lun_http_field) { h->name, text };
        }
    }
}


/* --- the values ---------------------------------------------------------- */

/* What the client has said itself, where that may be passed on. */
static lun_str
client_value(const lun_upreq *x, lun_str name)
{
    const lun_header  *h;

    if (x->fetch.whole || !x->conf->pass_request_headers) {
        return LUN_STR("");
    }

    h = lun_header_find(&x->r->in.list, name);
    return h != NULL ? h->value : LUN_STR("");
}


/*
 * Of the usual headers only the source differs; an empty value sends no header,
 * as proxy_set_header has it.
 */
lun_str
lun_proxy_value(lun_upreq *x, const lun_proxy_header *h)
{
    lun_str                 text;
    const lun_proxy_state  *s = x->protocol_data;

    switch (h->source) {

    case LUN_PROXY_SCRIPT:
        return lun_script_run(&x->r->session, h->value);

    case LUN_PROXY_HOST:
        return s->url.host_header;

    case LUN_PROXY_HOST_SET:
        text = lun_script_run(&x->r->session, h->value);
        return text.len != 0 ? text : s->url.host_header;

    case LUN_PROXY_LENGTH:
        return s->length < 0 ? LUN_STR("")
                             : lun_pool_fmt(x->r->pool, "%" PRId64, s->length);

    case LUN_PROXY_CHUNKED:
        return s->chunked_body ? LUN_STR("chunked") : LUN_STR("");

    case LUN_PROXY_ETAG:
        return x->fetch.etag.len != 0 ? x->fetch.etag
                                      : client_value(x, h->name);

    case LUN_PROXY_MODIFIED:
        return x->fetch.last_modified.len != 0 ? x->fetch.last_modified
                                               : client_value(x, h->name);

    case LUN_PROXY_PART:
        return client_value(x, h->name);

    case LUN_PROXY_NOTHING:
        break;
    }

    return LUN_STR("");
}


lun_str
lun_proxy_forwarded_for(lun_request *r)
{
    char               room[LUN_ADDR_TEXT];
    lun_str            text, client;
    const lun_header  *h = r->in.known[LUN_HIN_X_FORWARDED_FOR];

    client = lun_addr_format(r->main->remote, false, room, sizeof(room));

    if (h == NULL) {
        return lun_pool_str(r->pool, client);
    }

    text = h->value;

    for (h = h->same; h != NULL; h = h->same) {
        text = lun_pool_fmt(r->pool, "%.*s, %.*s", LUN_S(text),
                            LUN_S(h->value));
    }

    return lun_pool_fmt(r->pool, "%.*s, %.*s", LUN_S(text), LUN_S(client));
}


/* --- what programs of ours are told --------------------------------------- */

/* Where the configuration says nothing of a field. */
typedef struct {
    size_t    count;
    lun_str   names[4];
    lun_str   values[4];
    bool      host;                /* Host is the client's */
} told;


static void
add_told(told *t, const lun_proxy_conf *conf, lun_str name, lun_str value)
{
    if (lun_proxy_find(&conf->headers, lun_header_hash(name), name) == NULL) {
        t->names[t->count] = name;
        t->values[t->count++] = value;
    }
}


/* As platforms have it: the client, by X-Forwarded-...; and that it is us. */
static LUN_NOINLINE void
tell(told *t, const lun_upreq *x, const lun_proxy_conf *conf, lun_str token)
{
    lun_request        *r = x->r;
    const lun_header   *host = r->main->in.known[LUN_HIN_HOST];

    t->host = host != NULL;
    add_told(t, conf, LUN_STR("X-Forwarded-For"), lun_proxy_forwarded_for(r));
    add_told(t, conf, LUN_STR("X-Forwarded-Proto"), r->main->scheme);
    add_told(t, conf, LUN_STR("X-Forwarded-Host"),
             host != NULL ? host->value : LUN_STR(""));
    add_told(t, conf, LUN_STR("MS-ASPNETCORE-TOKEN"), token);
}


static void
find_told(told *t, const lun_upreq *x, const lun_proxy_conf *conf)
{
    const lun_upstream  *u = x->target.upstream;

    t->count = 0;
    t->host = false;
    u = u != NULL && u->same != NULL ? u->same : u;

    if (u != NULL && u->method != NULL && u->method->token != NULL) {
        tell(t, x, conf, u->method->token(u));
    }
}


static bool
is_told(const told *t, lun_str name)
{
    size_t  i;

    for (i = 0; i < t->count; i++) {
        if (lun_str_caseeq(t->names[i], name)) {
            return true;
        }
    }

    return false;
}


static size_t
client_size(const lun_upreq *x, const lun_proxy_conf *conf)
{
    size_t  n = 0;

    if (!conf->up.pass_request_headers) {
        return 0;
    }

    lun_header_each(&x->r->in.list, h) {
        n += h->name.len + h->value.len + sizeof(": \r\n") - 1;
    }

    return n;
}


static char *
put(char *p, lun_str name, lun_str value)
{
    p = lun_copy_str(p, name);
    p = lun_copy(p, ": ", 2);
    p = lun_copy_str(p, value);

    return lun_copy(p, "\r\n", 2);
}


static char *
put_client(char *p, const lun_upreq *x, const lun_proxy_conf *conf,
    const told *t)
{
    if (!conf->up.pass_request_headers) {
        return p;
    }

    lun_header_each(&x->r->in.list, h) {
        if (((conf->header_bits & lun_header_bit(h->hash)) == 0
             || lun_proxy_find(&conf->headers, h->hash, h->name) == NULL)
            && (t->count == 0 || !is_told(t, h->name)))
        {
            p = put(p, h->name, h->value);
        }
    }

    return p;
}


/*
 * Values are run once, and their lengths added up: the head is one allocation,
 * and the second pass only copies.
 */
static lun_buf *
make_head(lun_upreq *x, const lun_proxy_conf *conf, lun_str method)
{
    char                    *p;
    size_t                   i, n, count = conf->headers.count;
    lun_buf                 *b;
    lun_str                 *values;
    told                     t;
    const lun_proxy_header  *h = conf->headers.items;

    find_told(&t, x, conf);
    values = lun_pool_alloc(x->r->pool, count * sizeof(lun_str));
    n = method.len + x->uri.len + sizeof("  HTTP/1.1\r\n\r\n")
        + client_size(x, conf);

    for (i = 0; i < count; i++) {
        values[i] = t.host && h[i].source == LUN_PROXY_HOST
                    ? x->r->main->in.known[LUN_HIN_HOST]->value
                    : lun_proxy_value(x, &h[i]);
        n += h[i].name.len + values[i].len + sizeof(": \r\n");
    }

    for (i = 0; i < t.count; i++) {
        n += t.names[i].len + t.values[i].len + sizeof(": \r\n");
    }

    b = lun_buf_new_room(x->r->pool, n);
    p = lun_copy_str(b->start, method);
    *p++ = ' ';
    p = lun_copy_str(p, x->uri);
    p = lun_copy(p, conf->version >= 1001 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n",
                 sizeof(" HTTP/1.1\r\n") - 1);

    for (i = 0; i < count; i++) {
        if (values[i].len != 0) {
            p = put(p, h[i].name, values[i]);
        }
    }

    for (i = 0; i < t.count; i++) {
        if (t.values[i].len != 0) {
            p = put(p, t.names[i], t.values[i]);
        }
    }

    p = put_client(p, x, conf, &t);
    b->last = lun_copy(p, "\r\n", 2);

    return b;
}


/* --- the request --------------------------------------------------------- */

/* Which body goes out, and how its length is told. */
static void
choose_body(lun_upreq *x, const lun_proxy_conf *conf)
{
    lun_str           text;
    lun_request      *r = x->r;
    lun_proxy_state  *s = x->protocol_data;

    if (conf->body != NULL) {
        text = lun_script_run(&r->session, conf->body);
        s->length = (int64_t) text.len;
        s->chunked_body = false;
        x->body = text.len != 0 ? lun_buf_new_str(r->pool, text) : NULL;

    } else {
        s->chunked_body = x->streamed && r->in.chunked;
        s->length = s->chunked_body ? -1 : r->in.content_length;

        /* One that was dropped is not what a server should wait for. */
        if (x->body == NULL && !x->streamed && conf->up.pass_request_body) {
            s->length = lun_min(s->length, (int64_t) 0);
        }
    }

    x->body_is_plain = !s->chunked_body;
}


int64_t
lun_proxy_frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    char  *end;

    if (size == 0) {
        f->after = LUN_STR("0\r\n\r\n");
        return 0;
    }

    end = lun_copy(lun_fmt_hex(f->room, (uint64_t) size), "\r\n", 2);
    f->before = lun_str_of(f->room, (size_t) (end - f->room));
    f->after = last ? LUN_STR("\r\n0\r\n\r\n") : LUN_STR("\r\n");

    return size;
}


/* The url that is asked for: whichever location does it. */
lun_str
lun_proxy_key(lun_upreq *x)
{
    char                   port[sizeof(":65535")];
    lun_str                parts[4];
    const lun_upreq_url   *url = &((lun_proxy_state *) x->protocol_data)->url;
    const lun_proxy_conf  *conf = lun_http_conf(x->r, &lun_http_proxy);

    parts[0] = x->target.tls != NULL ? x->protocol->tls_schema
                                     : x->protocol->schema;
    parts[1] = url->host;
    parts[2] = LUN_STR("");
    parts[3] = lun_proxy_uri(x->r, conf->target, url);

    if (url->port_given) {
        port[0] = ':';
        parts[2] = lun_str_of(port, (size_t) (lun_fmt_u64(port + 1, url->port)
                                              - port));
    }

    return lun_pool_join(x->r->pool, parts, LUN_ARRAY_LEN(parts));
}


lun_rc
lun_proxy_prepare(lun_upreq *x, lun_str *method)
{
    lun_request           *r = x->r;
    lun_proxy_state       *s = x->protocol_data;
    const lun_proxy_conf  *conf = lun_http_conf(r, &lun_http_proxy);

    *method = conf->method != NULL ? lun_script_run(&r->session, conf->method)
                                   : r->method_name;

    if (x->fetch.get && lun_str_eq(*method, LUN_STR("HEAD"))) {
        *method = LUN_STR("GET");
    }

    s->head = lun_str_eq(*method, LUN_STR("HEAD"));
    x->uri = lun_proxy_uri(r, conf->target, &s->url);

    if (x->uri.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "zero length URI to proxy");
        return LUN_ERROR;
    }

    choose_body(x, conf);
    return LUN_OK;
}


lun_rc
lun_proxy_make(lun_upreq *x, lun_buf **head)
{
    lun_str                method;
    lun_request           *r = x->r;
    const lun_proxy_conf  *conf = lun_http_conf(r, &lun_http_proxy);

    if (lun_proxy_prepare(x, &method) != LUN_OK) {
        return LUN_ERROR;
    }

    x->upgrade = r->in.known[LUN_HIN_UPGRADE] != NULL
                 && conf->version >= 1001;
    *head = make_head(x, conf, method);

    return LUN_OK;
}
