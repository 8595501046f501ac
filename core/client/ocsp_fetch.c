/*
 * ocsp_fetch.c -- a question to a responder of OCSP, and its answer.
 *
 * The question goes into the path of a GET, in base64, since caches are in
 * front of most responders.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/ocsp_fetch.h"

#include "base/digest.h"
#include "client/http_client.h"
#include "format/uri.h"


enum {
    HTTP_PORT = 80,
    OK        = 200,
    MINUTE    = 60000,             /* ms of an address, and of an answer */
    ADDRS     = 8,                 /* that may be tried */
    HEADER    = 8192,              /* bytes */
    ANSWER    = 32768
};

/* Lives in `pool`, as the client does. */
struct lun_ocsp_fetch {
    lun_pool           *pool;
    lun_log             log;
    lun_str             host;      /* a view into `url` */
    lun_str             url;
    lun_log_context_fn *context;   /* the caller's */
    void               *owner;
    lun_ocsp_fetch_fn  *done;
    void               *data;
};


const char *
lun_ocsp_url_parse(lun_str text, lun_url *url)
{
    const char  *wrong = lun_url_parse(text, url);

    if (!lun_str_caseeq(url->scheme, LUN_STR("http"))) {
        return "invalid URL prefix";
    }

    if (url->port == 0) {
        url->port = HTTP_PORT;
    }

    return wrong;
}


/* --- the question -------------------------------------------------------- */

/* "http://host/path/MFMw..." */
static lun_str
url_of(lun_pool *pool, const lun_url *url, lun_str der)
{
    char     *text = lun_pool_text(pool, lun_base64_len(der.len) + 1);
    lun_str   question, escaped;

    question = lun_str_of(text, (size_t) (lun_base64_encode(text, der, false,
                                                            true) - text));
    text = lun_pool_text(pool, lun_uri_escaped_len(question,
                                                   LUN_ESCAPE_COMPONENT) + 1);
    escaped = lun_str_of(text, (size_t) (lun_uri_escape(text, question,
                                             LUN_ESCAPE_COMPONENT) - text));

    return lun_pool_fmt(pool, "http://%.*s%.*s%s%.*s", LUN_S(url->authority),
                        LUN_S(url->uri),
                        lun_str_ends(url->uri, LUN_STR("/")) ? "" : "/",
                        LUN_S(escaped));
}


/* --- the answer ---------------------------------------------------------- */

static char *
put_context(void *owner, char *p, const char *end)
{
    const lun_ocsp_fetch  *f = owner;

    p = lun_fmt(p, end, ", responder: %.*s", LUN_S(f->host));
    return f->context != NULL ? f->context(f->owner, p, end) : p;
}


/* False was logged. */
static bool
check_answer(const lun_ocsp_fetch *f, const lun_http_client_answer *a)
{
    lun_str  type;

    if (a->verdict != LUN_HTTP_ANSWERED) {
        return false;
    }

    if (a->status != OK) {
        lun_log(LUN_LOG_ERR, &f->log, 0, "OCSP responder sent invalid "
                "response");
        return false;
    }

    type = lun_http_answer_field(a->http, LUN_STR("Content-Type"));

    if (type.data != NULL
        && !lun_str_caseeq(type, LUN_STR("application/ocsp-response")))
    {
        lun_log(LUN_LOG_ERR, &f->log, 0, "OCSP responder sent invalid "
                "\"Content-Type\" header: \"%.*s\"", LUN_S(type));
        return false;
    }

    return true;
}


static void
on_answer(void *data, const lun_http_client_answer *a)
{
    lun_ocsp_fetch  *f = data;
    lun_pool        *pool = f->pool;

    f->done(f->data, check_answer(f, a) ? a->body : LUN_STR_NULL);
    lun_pool_free(pool);
}


/*
 * The total is what all the addresses of a responder may take together, so that
 * one that is silent does not use up the time of the next.
 */
lun_ocsp_fetch *
lun_ocsp_fetch_start(const lun_url *url, lun_str der,
    lun_resolver *resolver, lun_msec timeout, const lun_log *log, bool idle,
    lun_ocsp_fetch_fn *done, void *data)
{
    enum { MEMORY = 2048 };

    lun_url                         copy;
    lun_pool                       *pool = lun_pool_new_sized(MEMORY);
    lun_ocsp_fetch                 *f = lun_pool_new(pool, lun_ocsp_fetch);
    lun_http_client                *client;
    const lun_http_client_options   o = {
        .resolver = resolver, .peer = "OCSP responder", .role = "responder",
        .doing = "requesting certificate status",
        .resolve_timeout = timeout, .connect_timeout = MINUTE,
        .answer_timeout = MINUTE, .timeout = timeout + (ADDRS + 1) * MINUTE,
        .header_size = HEADER, .body_size = ANSWER
    };

    f->pool = pool;
    f->done = done;
    f->data = data;
    f->url = url_of(pool, url, der);
    (void) lun_url_parse(f->url, &copy);
    f->host = copy.host;

    f->log = *log;
    f->log.doing = o.doing;
    f->context = log->context;
    f->owner = log->owner;
    f->log.context = put_context;
    f->log.owner = f;

    client = lun_http_client_new(pool, lun_resolver_loop(resolver), &o, log);
    (void) lun_http_client_ask(client, &(lun_http_client_question) {
               .url = f->url, .idle = idle, .done = on_answer, .data = f });
    return f;
}


void
lun_ocsp_fetch_cancel(lun_ocsp_fetch *f)
{
    lun_pool_free(f->pool);
}
