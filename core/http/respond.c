/*
 * respond.c -- answers the server gives itself: by a status, with a page of
 * its own or the one that error_page names.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/text/browser.h"


/* 128 bytes of a page that nobody is to see. */
#define PADDING                                                               \
    "<!-- "                                                                   \
    "so long that a browser which has error pages of its own shows this one"  \
    " ................................................"                       \
    " -->\n"

typedef struct {
    uint16_t   status;
    lun_str    line;
} status_line;

#define LINE(status, text)  { status, LUN_STR_INIT(#status " " text) }

/* By number; 49x never go out as they are. */
static const status_line  lines[] = {
    LINE(100, "Continue"),
    LINE(101, "Switching Protocols"),
    LINE(103, "Early Hints"),
    LINE(200, "OK"),
    LINE(201, "Created"),
    LINE(202, "Accepted"),
    LINE(204, "No Content"),
    LINE(206, "Partial Content"),
    LINE(207, "Multi-Status"),
    LINE(300, "Multiple Choices"),
    LINE(301, "Moved Permanently"),
    LINE(302, "Moved Temporarily"),
    LINE(303, "See Other"),
    LINE(304, "Not Modified"),
    LINE(307, "Temporary Redirect"),
    LINE(308, "Permanent Redirect"),
    LINE(400, "Bad Request"),
    LINE(401, "Unauthorized"),
    LINE(402, "Payment Required"),
    LINE(403, "Forbidden"),
    LINE(404, "Not Found"),
    LINE(405, "Not Allowed"),
    LINE(406, "Not Acceptable"),
    LINE(407, "Proxy Authentication Required"),
    LINE(408, "Request Time-out"),
    LINE(409, "Conflict"),
    LINE(410, "Gone"),
    LINE(411, "Length Required"),
    LINE(412, "Precondition Failed"),
    LINE(413, "Request Entity Too Large"),
    LINE(414, "Request-URI Too Large"),
    LINE(415, "Unsupported Media Type"),
    LINE(416, "Requested Range Not Satisfiable"),
    LINE(421, "Misdirected Request"),
    LINE(422, "Unprocessable Entity"),
    LINE(423, "Locked"),
    LINE(425, "Too Early"),
    LINE(426, "Upgrade Required"),
    LINE(428, "Precondition Required"),
    LINE(429, "Too Many Requests"),
    LINE(431, "Request Header Fields Too Large"),
    LINE(500, "Internal Server Error"),
    LINE(501, "Not Implemented"),
    LINE(502, "Bad Gateway"),
    LINE(503, "Service Temporarily Unavailable"),
    LINE(504, "Gateway Time-out"),
    LINE(505, "HTTP Version Not Supported"),
    LINE(507, "Insufficient Storage")
};

/* What is said on the page instead; those from 494 on are sent as 400. */
static const status_line  special[] = {
    { 302, LUN_STR_INIT("302 Found") },
    { 401, LUN_STR_INIT("401 Authorization Required") },
    { 494, LUN_STR_INIT("400 Request Header Or Cookie Too Large") },
    { 495, LUN_STR_INIT("400 The SSL certificate error") },
    { 496, LUN_STR_INIT("400 No required SSL certificate was sent") },
    { 497, LUN_STR_INIT("400 The plain HTTP request was sent to HTTPS port") }
};

/* After these nothing is known of where the next request begins. */
static const uint16_t  closing[] = {
    400, 413, 414, 494, 495, 496, 497, 500, 501
};


/* --- status lines -------------------------------------------------------- */

static const status_line *
find_line(const status_line *table, size_t n, unsigned status)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (table[i].status == status) {
            return &table[i];
        }
    }

    return NULL;
}


lun_str
lun_http_status_line(unsigned status)
{
    const status_line  *l;

    l = find_line(lines, LUN_ARRAY_LEN(lines), status);
    return l != NULL ? l->line : LUN_STR_NULL;
}


/* --- pages --------------------------------------------------------------- */

static lun_str
page_title(unsigned status)
{
    const status_line  *l;

    if (status < 301 || status == 304) {
        return LUN_STR_NULL;
    }

    l = find_line(special, LUN_ARRAY_LEN(special), status);
    return l != NULL ? l->line : lun_http_status_line(status);
}


/*
 * The page's own look: one figure in the middle, the product below.  It begins
 * as nginx's does, without a doctype: programs look for "<html>".
 */
static lun_str
build_page(lun_request *r, lun_str title)
{
    static const lun_str  parts[] = {
        LUN_STR_INIT("<html>\n<head>\n"
                     "<meta charset=\"utf-8\">\n<title>"),
        LUN_STR_INIT("</title>\n<style>\n"
                     "body { margin: 20vh auto; text-align: center; "
                     "font-family: sans-serif; color: #345; }\n"
                     "p { color: #89a; }\n"
                     "</style>\n</head>\n<body>\n<h1>"),
        LUN_STR_INIT("</h1>\n<p>"),
        LUN_STR_INIT("</p>\n</body>\n</html>\n")
    };

    char     *start, *p;
    lun_str   product = lun_core_conf_of(r)->server_tokens;

    start = lun_pool_text(r->pool, parts[0].len + parts[1].len + parts[2].len
                                   + parts[3].len + 2 * title.len
                                   + product.len);
    p = lun_copy_str(start, parts[0]);
    p = lun_copy_str(p, title);
    p = lun_copy_str(p, parts[1]);
    p = lun_copy_str(p, title);
    p = lun_copy_str(p, parts[2]);
    p = lun_copy_str(p, product);
    p = lun_copy_str(p, parts[3]);

    return lun_str_of(start, (size_t) (p - start));
}


static lun_str
agent_of(const lun_request *r)
{
    const lun_header  *h = r->in.known[LUN_HIN_USER_AGENT];

    return h != NULL ? h->value : LUN_STR("");
}


/* Some browsers show a page of their own in place of one below 512 bytes. */
static lun_str
pad(lun_request *r, lun_str page, unsigned status)
{
    if (status < 400 || r->version < 1000
        || !lun_core_conf_of(r)->msie_padding
        || !lun_browser_is_friendly(agent_of(r)))
    {
        return page;
    }

    return lun_pool_fmt(r->pool, "%.*s" PADDING PADDING PADDING PADDING,
                        LUN_S(page));
}


/* No quote ends the attribute, no bracket the tag that it stands in. */
static lun_str
escape_link(lun_request *r, lun_str link)
{
    char           *text = lun_pool_text(r->pool, 3 * link.len), *p = text;
    size_t          i;
    unsigned char   byte;
    static const char  digits[] = "0123456789ABCDEF";

    for (i = 0; i < link.len; i++) {
        byte = (unsigned char) link.data[i];

        if (byte <= ' ' || byte >= 0x7f || strchr("\"'<>", byte) != NULL) {
            *p++ = '%';
            *p++ = digits[byte >> 4];
            *p++ = digits[byte & 15];

        } else {
            *p++ = (char) byte;
        }
    }

    return lun_str_of(text, (size_t) (p - text));
}


/* msie_refresh: a page that leads on, in place of a redirect. */
static bool
is_refreshed(lun_request *r, unsigned status)
{
    return (status == 301 || status == 302)
           && lun_core_conf_of(r)->msie_refresh
           && r->out.known[LUN_HOUT_LOCATION] != NULL
           && lun_browser_is_msie(agent_of(r));
}


static lun_str
build_refresh(lun_request *r)
{
    lun_header  *h = r->out.known[LUN_HOUT_LOCATION];

    h->hash = 0;
    r->out.known[LUN_HOUT_LOCATION] = NULL;
    r->error_status = 200;

    return lun_pool_fmt(r->pool, "<html>\n<head>\n"
                        "<meta http-equiv=\"Refresh\" "
                        "content=\"0; URL=%.*s\">\n</head>\n<body></body>\n"
                        "</html>\n", LUN_S(escape_link(r, h->value)));
}


static lun_verdict
send(lun_request *r, lun_str body)
{
    lun_rc    rc;
    lun_buf  *b;

    r->out.content_length = (int64_t) body.len;
    rc = lun_http_send_header(r);

    if (rc == LUN_ERROR) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    b = lun_buf_new_str(r->pool, body);
    lun_http_mark_last(r, b);

    return lun_http_output(r, b) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}


static lun_verdict
send_page(lun_request *r, unsigned status)
{
    lun_str  title = page_title(status);
    lun_str  body = LUN_STR("");

    /* Our names for kinds of 400: nobody outside hears of them. */
    if (status >= 494 && status <= 497) {
        r->error_status = 400;
    }

    r->out.status = status;
    lun_http_clear_ranges(r);
    lun_http_clear_last_modified(r);
    lun_http_clear_etag(r);

    if (title.len != 0) {
        body = is_refreshed(r, status) ? build_refresh(r)
                                       : pad(r, build_page(r, title), status);
        r->out.content_type = LUN_STR("text/html");
        r->out.charset = LUN_STR_NULL;
    }

    return send(r, body);
}


/* --- error_page ---------------------------------------------------------- */

static bool
is_redirect(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307
           || status == 308;
}


/*
 * A page that fails must not look for a page again, unless
 * recursive_error_pages says so; redirects are counted in any case.
 */
static const lun_error_page *
find_page(lun_request *r, unsigned status)
{
    size_t                 i;
    const lun_error_page  *page;
    const lun_core_conf   *conf = lun_core_conf_of(r);

    if (conf->error_pages == NULL || r->error_page || r->redirects_left == 0) {
        return NULL;
    }

    if (!conf->recursive_error_pages) {
        r->error_page = 1;
    }

    for (i = 0; i < conf->error_pages->count; i++) {
        page = lun_array_at(conf->error_pages, i);

        if (page->status == status) {
            return page;
        }
    }

    return NULL;
}


static void
move_inside(lun_request *r, lun_str uri)
{
    lun_str      args = LUN_STR_NULL;
    const char  *mark = lun_str_chr(uri, '?');

    if (mark != NULL) {
        args = lun_str_of(mark + 1, uri.len - (size_t) (mark + 1 - uri.data));
        uri.len = (size_t) (mark - uri.data);
    }

    if (r->method != LUN_HEAD) {
        r->method = LUN_GET;
        r->method_name = LUN_STR("GET");
    }

    lun_http_redirect(r, uri, args);
}


/* LUN_NEXT: the answer is a redirect, and its page is ours. */
static lun_verdict
use_page(lun_request *r, const lun_error_page *page, unsigned *status)
{
    lun_str  uri = lun_script_run(&r->session, page->uri);

    if (page->answer >= 0) {
        r->error_status = (uint16_t) page->answer;
    }

    /* An error is all that a client gets to hear before it sends a body. */
    if (page->answer != 0 && page->answer != 200) {
        r->expect_tested = 1;
    }

    if (uri.len != 0 && uri.data[0] == '/') {
        move_inside(r, uri);
        return LUN_MOVED;
    }

    if (uri.len != 0 && uri.data[0] == '@') {
        lun_http_named(r, uri);
        return LUN_MOVED;
    }

    if (!is_redirect(r->error_status)) {
        r->error_status = 302;
    }

    *status = r->error_status;
    lun_http_set_out(r, LUN_STR("Location"), uri);

    return LUN_NEXT;
}


static void
choose_connection(lun_request *r, unsigned status)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(closing); i++) {
        if (closing[i] == status) {
            r->keepalive = 0;
        }
    }

    if (status == 400 || (status >= 495 && status <= 497)) {
        r->lingering = 0;
    }
}


/*
 * An error page may be answered by anything, another server as well; the status
 * that led here becomes that answer's all the same, unless use_page() sets
 * another.
 */
lun_verdict
lun_http_respond_status(lun_request *r, unsigned status)
{
    const lun_error_page  *page;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->error_status = (uint16_t) status;
    r->header_held = 0;
    choose_connection(r, status);

    r->out.content_type = LUN_STR_NULL;
    r->out.status_line = LUN_STR_NULL;

    page = find_page(r, status);

    if (page != NULL) {
        lun_verdict  v = use_page(r, page, &status);

        if (v != LUN_NEXT) {
            return v;
        }
    }

    r->expect_tested = 1;

    if (lun_body_discard(r) >= LUN_STATUS) {
        r->keepalive = 0;
    }

    return send_page(r, status);
}


lun_verdict
lun_http_respond(lun_request *r, unsigned status, lun_str type, lun_str body)
{
    lun_verdict  v = lun_body_discard(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (v >= LUN_STATUS) {
        return v;
    }

    r->out.status = status;

    if (type.len != 0) {
        r->out.content_type = type;
    }

    return send(r, body);
}
