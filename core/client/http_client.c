/*
 * http_client.c -- clients; whom a question goes to.
 *
 * A question has a pool of its own, and itself in it.  A connection may outlive
 * it by what the system still has of it, so both hold that memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/http_client.h"

#include <openssl/ssl.h>

#include "client/http_client_priv.h"
#include "net/dial/dial_tls.h"
#include "net/tls/tls_reuse.h"


enum {
    HTTP_PORT  = 80,
    HTTPS_PORT = 443
};

static const char *const  texts[] = {
    [LUN_HTTP_ANSWERED]     = "answered",
    [LUN_HTTP_BAD_QUESTION] = "bad question",
    [LUN_HTTP_UNRESOLVED]   = "host not found",
    [LUN_HTTP_UNREACHED]    = "not reached",
    [LUN_HTTP_UNTRUSTED]    = "not trusted",
    [LUN_HTTP_TIMED_OUT]    = "timed out",
    [LUN_HTTP_LOST]         = "connection lost",
    [LUN_HTTP_INVALID]      = "invalid answer",
    [LUN_HTTP_TOO_LARGE]    = "too large answer",
    [LUN_HTTP_STOPPED]      = "stopped"
};


const char *
lun_http_client_text(lun_http_client_verdict verdict)
{
    LUN_CHECK(verdict < LUN_ARRAY_LEN(texts));
    return texts[verdict];
}


/* --- where to ------------------------------------------------------------ */

static void
on_quit_dialing(lun_conn *c)
{
    lun_http_ask_quit(lun_dial_of(c)->owner);
}


static const lun_conn_state  connecting = {
    .name    = "http client connecting",
    .doing   = "connecting to a server",
    LUN_DIAL_CONNECTING,
    .on_quit = on_quit_dialing,
    .timeout = LUN_TIMEOUT(lun_http_ask_limits, connect),
};

static const lun_conn_state  handshaking = {
    .name    = "http client handshaking",
    .doing   = "SSL handshaking to a server",
    LUN_DIAL_HANDSHAKING,
    .on_quit = on_quit_dialing,
    .timeout = LUN_TIMEOUT(lun_http_ask_limits, connect),
};


void
lun_http_ask_connect(lun_http_ask *a)
{
    if (a->next == a->count) {
        lun_http_ask_fail(a, a->verdict);
        return;
    }

    a->next++;

    if (!lun_http_ask_use_kept(a)) {
        lun_dial_connect(&a->dial, &a->addrs[a->next - 1]);
    }
}


static void
on_found(lun_dial *d, const lun_addr *addrs, size_t count)
{
    lun_http_ask  *a = d->owner;

    a->count = lun_min(count, (size_t) LUN_HTTP_ASK_ADDRS);
    memcpy(a->addrs, addrs, a->count * sizeof(lun_addr));
    lun_http_ask_connect(a);
}


static lun_rc
prepare_conn(lun_dial *d, lun_conn *c, const lun_addr *addr)
{
    lun_http_ask  *a = d->owner;

    lun_errand_hold(&a->errand);   /* until the connection is free */

    if (addr->family != LUN_AF_UNIX) {
        lun_conn_nodelay(c);
    }

    return LUN_OK;
}


static bool
speaks_http2(const lun_conn *c)
{
    unsigned              len = 0;
    const unsigned char  *name = NULL;

    if (lun_tls_of(c) == NULL) {
        return true;               /* it will say so itself */
    }

    SSL_get0_alpn_selected(lun_tls_of(c), &name, &len);
    return len == 2 && memcmp(name, "h2", 2) == 0;
}


static void
on_up(lun_dial *d)
{
    lun_http_ask  *a = d->owner;

    if (a->client->o.http2 && !speaks_http2(d->conn)) {
        lun_log(LUN_LOG_ERR, &a->errand.log, 0, "%s does not speak HTTP/2",
                lun_http_ask_peer(a));
        lun_http_ask_fail(a, LUN_HTTP_INVALID);
        return;
    }

    lun_http_ask_exchange(a);
}


/* With an address that does not answer the next one is asked. */
static void
on_failed(lun_dial *d, lun_dial_why why)
{
    lun_http_ask  *a = d->owner;

    a->verdict = LUN_HTTP_UNREACHED;

    switch (why) {

    case LUN_DIAL_UNRESOLVED:
        lun_log(LUN_LOG_ERR, &a->errand.log, 0, "%.*s could not be resolved "
                "(%d: %s)", LUN_S(a->url.host), (int) d->verdict,
                lun_resolve_text(d->verdict));
        lun_dial_drop(d);
        lun_http_ask_fail(a, LUN_HTTP_UNRESOLVED);
        return;

    case LUN_DIAL_NO_SOCKET:
        lun_log(LUN_LOG_ERR, &a->errand.log, d->err, "socket() failed");
        break;

    case LUN_DIAL_LOST:
        lun_log(LUN_LOG_ERR, &a->errand.log, d->conn->err, "connect() failed");
        break;

    case LUN_DIAL_TIMED_OUT:
        lun_log(LUN_LOG_ERR, &a->errand.log, 0, "%s timed out",
                lun_http_ask_peer(a));
        a->verdict = LUN_HTTP_TIMED_OUT;
        break;

    default:                       /* TLS's, which has said why */
        a->verdict = LUN_HTTP_UNTRUSTED;
        break;
    }

    lun_dial_drop(d);
    lun_http_ask_connect(a);
}


/* --- TLS ----------------------------------------------------------------- */

/* The client's, made when it is first asked for; NULL, logged: none. */
static SSL_CTX *
context_of(lun_http_client *client)
{
    SSL_CTX                        *ctx;
    const lun_http_client_options  *o = &client->o;

    if (client->ctx != NULL || client->unready) {
        return client->ctx;
    }

    ctx = lun_tls_ctx_new(client->pool, &client->log,
                          LUN_TLS_1_2 | LUN_TLS_1_3);

    if (ctx == NULL
        || (!o->insecure
            && (o->trusted != NULL
                ? lun_tls_ctx_trust(ctx, &client->log, o->trusted, false)
                : lun_tls_ctx_trust_system(ctx, &client->log)) != LUN_OK)
        || lun_tls_reuse_init(ctx, client->pool) != LUN_OK)
    {
        client->unready = true;
        return NULL;
    }

    client->ctx = ctx;
    return ctx;
}


static lun_str
name_of(const lun_http_ask *a)
{
    lun_str  name = a->client->o.tls_name;

    return name.len != 0 ? name : a->url.host;
}


static lun_rc
start_tls(lun_dial *d, lun_conn *c)
{
    static const unsigned char  http1[] = "\x08http/1.1", http2[] = "\2h2";

    lun_http_ask  *a = d->owner;
    SSL_CTX       *ctx = context_of(a->client);
    lun_str        name = name_of(a);

    if (ctx == NULL || lun_tls_start(c, ctx, false) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!a->client->o.tls_nameless && lun_dial_tls_is_name(name)
        && lun_dial_tls_tell_name(lun_tls_of(c), &a->errand.log, "", name)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    /* Fails for want of memory alone, and then with the handshake. */
    (void) (a->client->o.http2
            ? SSL_set_alpn_protos(lun_tls_of(c), http2, sizeof(http2) - 1)
            : SSL_set_alpn_protos(lun_tls_of(c), http1, sizeof(http1) - 1));
    lun_tls_reuse(c, lun_http_ask_label(a));
    lun_tls_handshake(c);
    return LUN_OK;
}


static bool
trusts_peer(lun_dial *d, lun_conn *c)
{
    lun_http_ask  *a = d->owner;

    if (a->client->o.insecure
        || lun_dial_tls_is_trusted(lun_tls_of(c), &a->errand.log, "",
                                   name_of(a), true))
    {
        return true;
    }

    lun_tls_reuse_forget(c);
    return false;
}


static const lun_dial_user  user = {
    .connecting  = &connecting,
    .handshaking = &handshaking,
    .found       = on_found,
    .prepare     = prepare_conn,
    .secure      = start_tls,
    .trusts      = trusts_peer,
    .up          = on_up,
    .failed      = on_failed,
    .on_free     = lun_http_ask_on_free,
};


/* --- asking -------------------------------------------------------------- */

static lun_resolver *
resolver_of(lun_http_client *client)
{
    static const lun_resolver_options  both = { .ipv4 = true, .ipv6 = true };

    if (client->resolver == NULL) {
        client->resolver = lun_resolver_new(client->pool, client->loop, &both,
                                            &client->log);
    }

    return client->resolver;
}


/* NULL, or what is wrong with it. */
static const char *
read_url(lun_http_ask *a, lun_str text)
{
    bool         secure_;
    lun_url     *url = &a->url;
    const char  *wrong, *mark;

    wrong = lun_url_parse(lun_pool_str(a->errand.pool, text), url);

    if (wrong != NULL) {
        return wrong;
    }

    a->errand.what = url->authority;

    secure_ = lun_str_caseeq(url->scheme, LUN_STR("https"));

    if (!secure_ && !lun_str_caseeq(url->scheme, LUN_STR("http"))) {
        return "invalid URL prefix";
    }

    if (url->port == 0) {
        url->port = secure_ ? HTTPS_PORT : HTTP_PORT;
    }

    /* A fragment is the caller's own. */
    mark = lun_str_chr(url->uri, '#');

    if (mark != NULL) {
        url->uri.len = (size_t) (mark - url->uri.data);
    }

    a->dial.secure = secure_;
    return NULL;
}


/*
 * POST and PATCH are not asked twice: the server may have had the first before
 * a kept connection was lost.
 */
static const char *
make_text(lun_http_ask *a, const lun_http_client_question *q)
{
    lun_str                         method;
    const char                     *wrong;
    const lun_http_client_options  *o = &a->client->o;
    lun_http_question               text = {
        .method = q->method, .url = a->url, .fields = q->fields,
        .field_count = q->field_count, .user_agent = o->user_agent,
        .body = q->body, .has_body = q->has_body, .persistent = o->keep != 0
    };

    wrong = lun_http_question_fault(&text);

    if (wrong != NULL) {
        return wrong;
    }

    method = lun_http_question_method(&text);
    a->safe = !lun_str_eq(method, LUN_STR("POST"))
              && !lun_str_eq(method, LUN_STR("PATCH"));
    a->http.bodiless = lun_str_eq(method, LUN_STR("HEAD"));

    if (o->http2) {
        a->block = lun_h2_exchange_block(a->errand.pool, &text);
        a->question_body = lun_pool_str(a->errand.pool, q->body);

    } else {
        a->text = lun_http_question_text(a->errand.pool, &text);
    }

    return NULL;
}


/*
 * A number, or an address that the caller knows, is no question to a name
 * server.
 */
static void
find_addresses(lun_http_ask *a, const lun_addr *address)
{
    lun_addr               one;
    const lun_http_client  *client = a->client;

    if (address != NULL) {
        one = *address;

        if (one.family == LUN_AF_UNIX) {
            one.path = lun_pool_strz(a->errand.pool, lun_str_z(one.path));
        }

        on_found(&a->dial, &one, 1);

    } else if (lun_addr_parse(a->url.host, &one) == LUN_OK
               && one.family != LUN_AF_UNIX)
    {
        one.port = a->url.port;
        on_found(&a->dial, &one, 1);

    } else {
        lun_dial_resolve(&a->dial, resolver_of(a->client), a->url.host,
                         a->url.port, client->o.resolve_timeout, a->idle);
    }
}


static lun_http_ask *
new_ask(lun_http_client *client, const lun_http_client_question *q)
{
    lun_log       *log;
    lun_http_ask  *a = lun_errand_new(client->loop, &lun_http_ask_kind,
                                      sizeof(*a), q->log != NULL ? q->log
                                                  : &client->log);

    log = &a->errand.log;
    a->client = client;
    a->piece = q->piece;
    a->done = q->done;
    a->data = q->data;
    a->idle = q->idle;
    a->fresh = q->fresh;
    a->limits = (lun_http_ask_limits) { client->o.connect_timeout,
                           client->o.answer_timeout };

    a->context = log->context;
    a->context_owner = log->owner;
    log->context = lun_http_ask_put_context;
    log->owner = a;
    a->role = client->o.role != NULL ? client->o.role : "server";

    if (client->o.doing != NULL) {
        log->doing = client->o.doing;
    }

    a->http.pool = a->errand.pool;
    a->http.header_most = client->o.header_size;
    a->http.body_most = client->o.body_size;

    lun_dial_init(&a->dial, client->loop, log, &user, a);
    a->dial.timeouts = &a->limits;
    a->dial.in_size = client->o.header_size + 1;       /* to see that more
                                                          is too much */
    return a;
}


/*
 * Even a question that is wrong is made and fails from the loop, so a caller
 * has one way only in which it hears of anything.
 */
lun_http_ask *
lun_http_client_ask(lun_http_client *client, const lun_http_client_question *q)
{
    const char    *wrong;
    lun_http_ask  *a = new_ask(client, q);

    LUN_CHECK(q->done != NULL);

    lun_list_push_back(&client->asks, &a->link);
    client->count++;
    lun_errand_limit(&a->errand, client->o.timeout, a->idle);

    a->starting = true;
    wrong = read_url(a, q->url);

    if (wrong == NULL) {
        wrong = make_text(a, q);
    }

    if (wrong != NULL) {
        lun_log(LUN_LOG_ERR, &a->errand.log, 0, "%s in a question to \"%.*s\"",
                wrong, LUN_S(q->url));
        lun_http_ask_fail(a, LUN_HTTP_BAD_QUESTION);

    } else {
        find_addresses(a, q->address);
    }

    a->starting = false;
    return a;
}


void
lun_http_client_cancel(lun_http_ask *a)
{
    lun_http_ask_close(a, LUN_HTTP_CANCELLED);
    lun_errand_put(&a->errand);
}


/* --- clients ------------------------------------------------------------- */

size_t
lun_http_client_open_count(const lun_http_client *client)
{
    return client->count;
}


static void
end_client(void *data)
{
    lun_http_client  *client = data;

    while (!lun_list_empty(&client->asks)) {
        lun_http_client_cancel(lun_container_of(client->asks.next,
                                                lun_http_ask, link));
    }
}


static lun_msec
or_else(lun_msec given, lun_msec otherwise)
{
    return given != 0 ? given : otherwise;
}


/*
 * What the caller leaves at 0 gets a limit here: no question may wait, or grow,
 * for ever.
 */
lun_http_client *
lun_http_client_new(lun_pool *pool, lun_loop *loop,
    const lun_http_client_options *options, const lun_log *log)
{
    enum { SECOND = 1000, HEADER = 16 * 1024, BODY = 1024 * 1024 };

    static uint64_t  number;

    lun_http_client          *client = lun_pool_new(pool, lun_http_client);
    lun_http_client_options  *o = &client->o;

    client->number = ++number;
    client->pool = pool;
    client->loop = loop;
    client->log = *log;
    client->o = *options;
    client->resolver = options->resolver;
    client->ctx = options->ctx;
    lun_list_init(&client->asks);

    o->resolve_timeout = or_else(o->resolve_timeout, 30 * SECOND);
    o->connect_timeout = or_else(o->connect_timeout, 10 * SECOND);
    o->timeout = or_else(o->timeout, 60 * SECOND);
    o->answer_timeout = or_else(o->answer_timeout, o->timeout);
    o->keep = o->http2 ? 0 : o->keep;
    o->keep_for = or_else(o->keep_for, 60 * SECOND);
    o->header_size = o->header_size != 0 ? o->header_size : HEADER;
    o->body_size = o->body_size != 0 ? o->body_size : BODY;

    lun_pool_on_end(pool, end_client, client);
    return client;
}
