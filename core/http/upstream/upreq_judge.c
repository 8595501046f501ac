/*
 * upreq_judge.c -- is the server's answer good enough?  Another server may have
 * a better one, a cache too; it may send the request elsewhere.  If it is, its
 * header becomes ours.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_hooks.h"


/* --- which of its fields are passed on ------------------------------------ */

_Static_assert(LUN_HOUT_COUNT <= 64, "a bit for each of them");


static bool
is_known_hidden(const lun_upreq *x, int known)
{
    return (x->conf->hidden_known >> known & 1) != 0;
}


static bool
is_hidden(const lun_upreq *x, const lun_header *h)
{
    size_t                  i;
    const lun_header_name  *name = x->conf->hidden.items;

    if (h->known >= 0) {
        return is_known_hidden(x, h->known);
    }

    if ((x->conf->hidden_bits & lun_header_bit(h->hash)) == 0) {
        return false;
    }

    for (i = 0; i < x->conf->hidden.count; i++, name++) {
        if (name->hash == h->hash && lun_str_caseeq(name->name, h->name)) {
            return true;
        }
    }

    return false;
}


/* It has no business but in front of the body that it is about. */
static bool
is_framing(const lun_header *h)
{
    return h->known == LUN_HOUT_CONTENT_LENGTH
           || h->known == LUN_HOUT_TRANSFER_ENCODING
           || h->known == LUN_HOUT_CONNECTION
           || (h->known < 0 && lun_str_caseeq(h->name, LUN_STR("Keep-Alive")));
}


bool
lun_upreq_may_pass(const lun_upreq *x, const lun_header *h)
{
    return !is_hidden(x, h) && !is_framing(h);
}


/* --- is it good enough? -------------------------------------------------- */

/* Another server may have a better answer. */
static bool
try_next(lun_upreq *x)
{
    unsigned  why = lun_upreq_why(x->answer.status);

    if (why == 0 || x->balance.tries <= 1 || !lun_upreq_may_try(x, why)) {
        return false;
    }

    lun_upreq_next(x, why);
    return true;
}


static const lun_header *
find(const lun_upreq *x, lun_str name)
{
    return lun_header_find(&x->answer.list, name);
}


bool
lun_upreq_has_page(const lun_upreq *x)
{
    size_t                 i;
    const lun_error_page  *page;
    const lun_array       *pages = lun_core_conf_of(x->r)->error_pages;

    if (x->conf->intercept_404 && x->answer.status == 404) {
        return true;
    }

    if (!x->conf->intercept_errors || pages == NULL
        || x->answer.status < 300)
    {
        return false;
    }

    for (i = 0; i < pages->count; i++) {
        page = lun_array_at(pages, i);

        if (page->status == x->answer.status) {
            return true;
        }
    }

    return false;
}


/* NAME_intercept_errors: an error_page of ours in place of their answer. */
static bool
intercept_error(lun_upreq *x)
{
    if (!lun_upreq_has_page(x)) {
        return false;
    }

    lun_header_each(&x->answer.list, h) {
        if (x->answer.status == 401 && h->known == LUN_HOUT_WWW_AUTHENTICATE) {
            (void) lun_http_add_out(x->r, h->name, h->value);
        }
    }

    lun_upreq_end(x, LUN_STATUS + (int) x->answer.status);
    return true;
}


/* --- fields that may be there once --------------------------------------- */

#define BIT(known)  (UINT64_C(1) << LUN_HOUT_##known)

static const uint64_t  singles = BIT(SERVER) | BIT(DATE) | BIT(CONTENT_TYPE)
    | BIT(LOCATION) | BIT(REFRESH) | BIT(LAST_MODIFIED) | BIT(EXPIRES)
    | BIT(ETAG);

static bool
is_single(const lun_upreq *x, const lun_header *h)
{
    return lun_str_caseeq(h->name, LUN_STR("Status"))
           || (x->answer.accel
               && (lun_str_caseeq(h->name, LUN_STR("X-Accel-Expires"))
                   || lun_str_caseeq(h->name, LUN_STR("X-Accel-Redirect"))
                   || lun_str_caseeq(h->name, LUN_STR("X-Accel-Limit-Rate"))));
}


/* The first one counts: caches and clients could not agree on which does. */
static void
drop_repeated(lun_upreq *x, lun_header *h)
{
    const lun_header  *first = find(x, h->name);

    if (first != NULL && first != h) {
        lun_log(LUN_LOG_WARN, x->r->log, 0, "upstream sent duplicate header "
                "line: \"%.*s: %.*s\", previous value: \"%.*s: %.*s\", "
                "ignored", LUN_S(h->name), LUN_S(h->value),
                LUN_S(first->name), LUN_S(first->value));
        h->hash = 0;
    }
}


/* Once for each answer, most of which have neither of what is looked for:
   fields that are there again, and X-Accel-..., by which others are found. */
static void
look_at_fields(lun_upreq *x)
{
    uint64_t  bit, seen = 0;

    lun_header_each(&x->answer.list, h) {
        if (h->known >= 0) {
            bit = UINT64_C(1) << h->known & singles;

            if (LUN_UNLIKELY(seen & bit)) {
                drop_repeated(x, h);
            }

            seen |= bit;
            continue;
        }

        x->answer.accel |= lun_str_casestarts(h->name, LUN_STR("X-Accel-"));

        if (is_single(x, h)) {
            drop_repeated(x, h);
        }
    }
}


/* --- X-Accel-... --------------------------------------------------------- */


static const lun_header *
find_accel(const lun_upreq *x, lun_str name)
{
    return x->answer.accel ? find(x, name) : NULL;
}


static const lun_str  kept[] = {
    LUN_STR_INIT("Content-Type"), LUN_STR_INIT("Set-Cookie"),
    LUN_STR_INIT("Content-Disposition"), LUN_STR_INIT("Cache-Control"),
    LUN_STR_INIT("Expires"), LUN_STR_INIT("Accept-Ranges")
};


/* Some of its headers go with a request that goes somewhere else. */
static void
keep_headers(lun_upreq *x)
{
    size_t  i;

    lun_header_each(&x->answer.list, h) {
        for (i = 0; i < LUN_ARRAY_LEN(kept); i++) {
            if (lun_str_caseeq(h->name, kept[i])
                && (x->protocol->pass_header == NULL
                    || !x->protocol->pass_header(x, h)))
            {
                (void) lun_http_add_out(x->r, h->name, h->value);
            }
        }
    }
}


static void
set_charset(lun_upreq *x)
{
    const lun_header  *h = find_accel(x, LUN_STR("X-Accel-Charset"));

    if (h != NULL && (x->conf->ignore_headers & LUN_IGNORE_CHARSET) == 0) {
        x->r->out.charset_wanted = h->value;
    }
}


static bool
redirect_inside(lun_upreq *x)
{
    lun_str            uri, args;
    lun_request       *r = x->r;
    const lun_header  *h = find_accel(x, LUN_STR("X-Accel-Redirect"));

    if (h == NULL || (x->conf->ignore_headers & LUN_IGNORE_REDIRECT)) {
        return false;
    }

    uri = h->value;
    keep_headers(x);
    set_charset(x);

    if (!lun_str_starts(uri, LUN_STR("@"))
        && lun_http_read_uri(r->pool, &uri, &args) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "unsafe URI \"%.*s\" was detected",
                LUN_S(h->value));
        if (x->served) {
            lun_http_finish(r, LUN_STATUS + 404);

        } else {
            lun_upreq_end(x, LUN_STATUS + 404);
        }

        return true;
    }

    lun_http_get(r);

    if (!x->served) {
        lun_upreq_leave(x);
        r->log->doing = NULL;
    }

    if (uri.len != 0 && uri.data[0] == '@') {
        lun_http_named(r, uri);        /* the same request, elsewhere */

    } else {
        if (r->method != LUN_HEAD) {
            r->method = LUN_GET;
            r->method_name = LUN_STR("GET");
        }

        lun_http_redirect(r, uri, args);
    }

    lun_http_put(r);
    return true;
}


static void
set_rate(lun_upreq *x)
{
    int64_t            n;
    const lun_header  *h = find_accel(x, LUN_STR("X-Accel-Limit-Rate"));

    if (h != NULL && (x->conf->ignore_headers & LUN_IGNORE_LIMIT_RATE) == 0
        && lun_str_to_i64(h->value, &n) == LUN_OK && n >= 0)
    {
        x->r->limit_rate = n;
        x->r->rate_known = 1;
    }
}


static void
set_buffering(lun_upreq *x)
{
    const lun_header  *h = find_accel(x, LUN_STR("X-Accel-Buffering"));

    /* A subrequest's output cannot be waited for. */
    x->buffered = x->conf->buffering || x->r->parent != NULL;

    if (h != NULL && x->r->parent == NULL
        && (x->conf->ignore_headers & LUN_IGNORE_BUFFERING) == 0)
    {
        if (lun_str_caseeq(h->value, LUN_STR("no"))) {
            x->buffered = 0;

        } else if (lun_str_caseeq(h->value, LUN_STR("yes"))) {
            x->buffered = 1;
        }
    }
}


/* "text/html; charset=utf-8": the charset has a field of its own. */
static void
set_type(lun_request *r, lun_str value)
{
    lun_str      charset;
    const char  *p, *mark = lun_str_chr(value, ';');

    r->out.charset = LUN_STR_NULL;
    r->out.content_type = value;

    if (mark == NULL) {
        return;
    }

    for (p = mark + 1; p != value.data + value.len && *p == ' '; p++) { }

    charset = lun_str_of(p, (size_t) (value.data + value.len - p));

    if (!lun_str_casestarts(charset, LUN_STR("charset="))) {
        return;
    }

    charset.data += sizeof("charset=") - 1;
    charset.len -= sizeof("charset=") - 1;

    if (charset.len >= 2 && charset.data[0] == '"'
        && charset.data[charset.len - 1] == '"')
    {
        charset.data++;
        charset.len -= 2;
    }

    r->out.type_line = value;
    r->out.charset = charset;
    r->out.content_type.len = (size_t) (mark - value.data);
}


/* It answers everybody's request, and not this one's alone. */
static bool
is_ours(const lun_upreq *x)
{
    return x->fetch.keep && !x->fetch.as_is;
}


static void
pass_one(lun_upreq *x, const lun_header *h)
{
    switch (h->known) {

    case LUN_HOUT_CONTENT_LENGTH:
    case LUN_HOUT_CONNECTION:
    case LUN_HOUT_TRANSFER_ENCODING:
        return;

    case LUN_HOUT_CONTENT_TYPE:
        set_type(x->r, h->value);
        return;

    default:
        break;
    }

    if (h->known < 0 && lun_str_caseeq(h->name, LUN_STR("Keep-Alive"))) {
        return;
    }

    /* A whole answer: what parts of it are sent is our own business. */
    if (h->known == LUN_HOUT_ACCEPT_RANGES
        && (x->conf->force_ranges || x->served || is_ours(x)))
    {
        x->r->allow_ranges = 1;
        x->r->single_range |= !x->served;
        return;
    }

    if (x->protocol->pass_header != NULL && x->protocol->pass_header(x, h)) {
        return;
    }

    (void) lun_http_copy_out(x->r, h);

    /* It is the server's, and not to be made absolute. */
    if (h->known == LUN_HOUT_LOCATION) {
        lun_http_keep_location(x->r);
    }
}


/* NAME_pass_header of Server and Date: one that it does not send is none. */
static void
leave_out(lun_upreq *x, int known, lun_str name)
{
    lun_request  *r = x->r;

    if (x->protocol->dates_itself && r->out.known[known] == NULL
        && !is_known_hidden(x, known))
    {
        r->out.known[known] = lun_header_list_push(&r->out.list);
        *r->out.known[known] = lun_upreq_field(name, LUN_STR(""));
        r->out.known[known]->hash = 0;
    }
}


/*
 * A 304 or the answer to a HEAD has the length of what it does not bring: it is
 * passed on, and frames nothing.
 */
static void
pass_headers(lun_upreq *x)
{
    lun_request  *r = x->r;

    r->out.status = x->answer.status;
    r->out.status_line = x->answer.status_line;
    r->out.content_length = x->answer.length;

    if ((r->method == LUN_HEAD || r->out.status == 304)
        && x->answer.head_length >= 0)
    {
        r->out.content_length = x->answer.head_length;
    }

    r->not_ours = !x->served && !is_ours(x) && !x->conditional;
    r->expect_trailers |= x->conf->pass_trailers && x->answer.framed;

    if (x->conf->force_ranges) {
        r->allow_ranges = 1;
        r->single_range = !x->served;
    }

    lun_header_each(&x->answer.list, h) {
        if (!is_hidden(x, h)) {
            pass_one(x, h);
        }
    }

    leave_out(x, LUN_HOUT_SERVER, LUN_STR("Server"));
    leave_out(x, LUN_HOUT_DATE, LUN_STR("Date"));
    set_charset(x);
    lun_upreq_tell_header(x);
}


void
lun_upreq_pass_trailers(lun_upreq *x)
{
    lun_request  *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (x->answer.trailers.pool == NULL || r->parent != NULL) {
        return;
    }

    if (r->out.trailers.pool == NULL) {
        lun_header_list_init(&r->out.trailers, r->pool, 4);
    }

    lun_header_each(&x->answer.trailers, h) {
        if (lun_upreq_may_pass(x, h)) {
            lun_header_list_add(&r->out.trailers, h);
        }
    }
}


void
lun_upreq_judge(lun_upreq *x)
{
    lun_request  *r = x->r;

    LUN_CHECK(x->stage == LUN_UPREQ_JUDGE);

    if (x->answer.status >= 300 && try_next(x)) {
        return;
    }

    look_at_fields(x);
    set_buffering(x);

    if (lun_upreq_is_replaced(x)) {
        return;
    }

    if (x->fetch.no_client && !x->fetch.keep) {
        lun_upreq_end(x, LUN_STATUS + 499);    /* nobody wants it */
        return;
    }

    if (x->balance.answered != NULL && !x->fetch.no_client) {
        x->balance.answered(&r->session, &x->balance);
    }

    if (x->answer.status >= 300 && intercept_error(x)) {
        return;
    }

    set_rate(x);                   /* of where it leads, too */

    if (redirect_inside(x)) {
        return;
    }

    if (x->fetch.no_client) {
        lun_upreq_go(x, LUN_UPREQ_BODY);
        return;
    }

    pass_headers(x);

    if (x->answer.status == 101 && x->upgrade) {
        lun_upreq_go(x, LUN_UPREQ_TUNNEL);
        return;
    }

    if (lun_http_send_header(r) != LUN_OK) {
        /* A filter may have refused it: it is not kept for others, either. */
        if (!x->fetch.keep || !(r->aborted || r->conn->gone)) {
            lun_upreq_end(x, LUN_FAILED);
            return;
        }

        lun_upreq_drop_client(x);
    }

    lun_upreq_go(x, LUN_UPREQ_BODY);
}


/* --- what is kept -------------------------------------------------------- */

static lun_verdict
send_kept(lun_request *r, lun_buf *body)
{
    if (lun_http_send_header(r) != LUN_OK) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    lun_http_mark_last(r, body);
    return lun_http_output(r, body) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}


void
lun_upreq_serve(lun_upreq *x, lun_buf *body)
{
    lun_request  *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    x->served = 1;
    look_at_fields(x);
    set_rate(x);

    if (redirect_inside(x)) {
        return;
    }

    pass_headers(x);
    lun_http_get(r);
    lun_http_finish(r, send_kept(r, body));
    lun_http_put(r);
}
