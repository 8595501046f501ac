/*
 * h1_in.c -- reading a request's line and header fields.
 *
 * Everything found is a view into the input buffer, which therefore stays
 * where it is until the request ends.  When it is full, the line that has
 * just begun moves to a larger buffer, and the earlier lines stay behind.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h1/h1_priv.h"

#include "format/host.h"
#include "http/request_header.h"


enum { SHOWN = 256 };              /* of a bad line, in the log */


static lun_rc
refuse(lun_h1 *h1, uint16_t status, const char *why)
{
    lun_log(LUN_LOG_INFO, &h1->c->log, 0, "%s", why);
    h1->r->in.refusal = status;
    return LUN_ERROR;
}


/* --- the request line ---------------------------------------------------- */

lun_str
lun_h1_first_line(const lun_conn *c)
{
    const char  *p = c->in.pos;

    while (p < c->in.last && *p != '\r' && *p != '\n') {
        p++;
    }

    return lun_str_of(c->in.pos, (size_t) (p - c->in.pos));
}


void
lun_h1_note_line(lun_h1 *h1)
{
    if (!h1->in_headers) {
        h1->r->line = lun_h1_first_line(h1->c);
    }
}


/* --- room ---------------------------------------------------------------- */

void
lun_h1_new_buffer(lun_h1 *h1, size_t size)
{
    lun_conn       *c = h1->c;
    lun_h1_buffer  *b = lun_malloc(sizeof(*b) + size);

    LUN_CHECK(size > 0 && !lun_conn_reading(h1->c));

    b->size = size;
    b->from = h1->from;
    b->to = c->in.pos;
    b->next = h1->buffers;
    h1->buffers = b;

    lun_conn_set_input(c, b->data, size, &h1->own);
    h1->from = b->data;
}


void
lun_h1_free_buffers(lun_h1_buffer *b)
{
    lun_h1_buffer  *next;

    for ( ; b != NULL; b = next) {
        next = b->next;
        lun_free(b);
    }
}


/*
 * The request's buffer goes with the request; what the client has sent beyond
 * it (pipelined) moves to the connection's.
 */
void
lun_h1_detach_input(lun_h1 *h1)
{
    lun_conn  *c = h1->c;
    char      *pos = c->in.pos;
    size_t     left = (size_t) (c->in.last - c->in.pos);

    LUN_CHECK_MARK(h1, LUN_MARK_H1);

    if (!h1->own.is_set) {
        if (left == 0 && !lun_conn_reading(c)) {
            c->in.pos = c->in.start;
            c->in.last = c->in.start;
        }

        return;
    }

    lun_conn_restore_input(c, &h1->own);
    c->in.pos = c->in.last = c->in.start;

    if (left > (size_t) (c->in.end - c->in.start)) {
        lun_conn_grow(c, left);
    }

    memcpy(c->in.start, pos, left);
    c->in.last = c->in.start + left;
}


static lun_rc
too_long(lun_h1 *h1, bool line)
{
    lun_conn  *c = h1->c;

    LUN_CHECK(h1->r != NULL);

    if (line) {
        lun_h1_note_line(h1);
        return refuse(h1, 414, "client sent too long URI");
    }

    lun_log(LUN_LOG_INFO, &c->log, 0, "client sent too long header line: "
            "\"%.*s...\"",
            (int) lun_min((size_t) (c->in.last - c->in.pos), (size_t) SHOWN),
            c->in.pos);
    h1->r->in.refusal = 494;
    return LUN_ERROR;
}


/* The line that begins at pos has no end yet.  ERROR: no room for it either. */
static lun_rc
want_room(lun_h1 *h1)
{
    bool             line = !h1->in_headers;
    char            *pos, *last;
    lun_conn        *c = h1->c;
    const lun_bufs  *large = &h1->conf->large_client_header_buffers;

    pos = c->in.pos;
    last = c->in.last;

    if (last < c->in.end) {
        return LUN_OK;
    }

    if (line && pos > c->in.start && !h1->own.is_set) {
        lun_conn_compact(c);       /* the request before it has gone */
        return LUN_OK;
    }

    if ((size_t) (last - pos) >= large->size) {
        return too_long(h1, line);
    }

    if (h1->buffer_count >= (uint64_t) large->num) {
        if (line || last > pos) {
            return too_long(h1, line);
        }

        return refuse(h1, 494, "client sent too large request");
    }

    h1->buffer_count++;
    lun_h1_new_buffer(h1, large->size);
    c->in.last = lun_copy(c->in.start, pos, (size_t) (last - pos));

    return LUN_OK;
}


/* What follows is read as the host's server has it. */
static lun_rc
choose_server(lun_h1 *h1, lun_str host, const char *what)
{
    lun_rc  rc = lun_http_in_host(h1->r, h1->listen, host, what);

    h1->conf = lun_core_conf_of(h1->r);
    return rc;
}


/*
 * An absolute URI names the host, which then counts before any Host header (RFC
 * 9112, 3.2.2).
 */
static lun_rc
take_line(lun_h1 *h1, const lun_h1_line *line)
{
    lun_request  *r = h1->r;

    h1->in_headers = 1;
    h1->from = line->line.data;
    h1->c->in.pos += line->size;

    r->line = line->line;
    r->method_name = line->method;
    r->method = lun_method_of(line->method);
    r->target = line->target;
    r->args = line->query.len != 0 ? line->query : LUN_STR_NULL;
    r->version = line->version;
    r->request_length = (int64_t) line->size;

    if (lun_http_in_path(r, h1->conf, line->path,
                         !line->has_escape && !line->has_special) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (line->host.len == 0) {
        return LUN_OK;
    }

    h1->host_given = 1;
    return choose_server(h1, line->host, "client sent invalid host in request "
                         "line");
}


/* Empty lines before a request are not what fills its buffers. */
static void
drop_empty_lines(lun_h1 *h1)
{
    lun_conn       *c = h1->c;
    lun_h1_parser  *p = &h1->parser;

    if (p->start == 0 || c->in.last < c->in.end) {
        return;
    }

    c->in.pos += p->start;
    p->at = lun_max(p->at, p->start) - p->start;
    p->start = 0;

    if (c->in.pos == c->in.last && h1->own.is_set) {
        c->in.pos = c->in.last = c->in.start;
    }
}


/* OK, too, where it has not come whole: h1->in_headers says that. */
static lun_rc
read_line(lun_h1 *h1)
{
    lun_conn     *c = h1->c;
    lun_h1_line   line;

    switch (lun_h1_parse_line(&h1->parser, c->in.pos,
                              (size_t) (c->in.last - c->in.pos), &line))
    {

    case LUN_H1_DONE:
        return take_line(h1, &line);

    case LUN_H1_MORE:
        drop_empty_lines(h1);
        return want_room(h1);

    case LUN_H1_BAD_METHOD:
        lun_h1_note_line(h1);
        return refuse(h1, 400, "client sent invalid method");

    case LUN_H1_BAD_OLD_METHOD:
        lun_h1_note_line(h1);
        return refuse(h1, 400, "client sent invalid method in HTTP/0.9 "
                      "request");

    case LUN_H1_BAD_VERSION:
        lun_h1_note_line(h1);
        return refuse(h1, 505, "client sent invalid version");

    default:
        lun_h1_note_line(h1);
        return refuse(h1, 400, "client sent invalid request");
    }
}


/* --- header fields ------------------------------------------------------- */

/* The log shows the line up to the byte that made it bad. */
static lun_rc
bad_header(lun_h1 *h1)
{
    bool            in_name = true;
    size_t          n, size;
    lun_conn       *c = h1->c;
    unsigned char   byte = 0;

    size = (size_t) (c->in.last - c->in.pos);
    size = lun_min(size, (size_t) SHOWN);

    for (n = 0; n < size; n++) {
        byte = (unsigned char) c->in.pos[n];

        if (byte == ':') {
            in_name = false;
        }

        if ((byte < ' ' && (in_name || byte != '\t')) || byte == 0x7f
            || (byte == ' ' && in_name))
        {
            break;
        }
    }

    lun_log(LUN_LOG_INFO, &c->log, 0, "client sent invalid header line: "
            "\"%.*s\\x%02x...\"", (int) n, c->in.pos, byte);
    h1->r->in.refusal = 400;
    return LUN_ERROR;
}


static void
take_connection(lun_h1 *h1, lun_str value)
{
    lun_request  *r = h1->r;

    if (lun_str_casefind(value, LUN_STR("close")) != NULL) {
        r->in.keep_alive = false;

    } else if (lun_str_casefind(value, LUN_STR("keep-alive")) != NULL) {
        r->in.keep_alive = true;
    }
}


static lun_rc
take_host(lun_h1 *h1, lun_str value)
{
    if (h1->host_given) {
        char      room[256];
        lun_str   name;
        uint16_t  port;

        /* The line's host counts; this one must make sense all the same. */
        if (value.len > sizeof(room)
            || lun_host_parse(value, room, &name, &port) != LUN_OK)
        {
            return refuse(h1, 400, "client sent invalid host header");
        }

        return LUN_OK;
    }

    return choose_server(h1, value, "client sent invalid host header");
}


static lun_rc
take_known(lun_h1 *h1, lun_header *h)
{
    if (lun_http_in_known(h1->r, h) != LUN_OK) {
        return LUN_ERROR;
    }

    switch (h->known) {

    case LUN_HIN_HOST:
        return take_host(h1, h->value);

    case LUN_HIN_CONNECTION:
        take_connection(h1, h->value);
        return LUN_OK;

    default:
        return LUN_OK;
    }
}


/*
 * Names and values are views into the buffer, which therefore stays as long as
 * the request.
 */
static lun_rc
take_header(lun_h1 *h1, const lun_h1_header *line)
{
    lun_header           *h;
    lun_request          *r = h1->r;
    const lun_core_conf  *conf = h1->conf;

    if (conf->ignore_invalid_headers
        && (line->odd || (line->underscore && !conf->underscores_in_headers)))
    {
        lun_log(LUN_LOG_INFO, &h1->c->log, 0, "client sent invalid header "
                "line: \"%.*s\"",
                (int) (line->value.data + line->value.len - line->name.data),
                line->name.data);
        return LUN_OK;
    }

    if (r->in.list.count >= (uint64_t) conf->max_headers) {
        return refuse(h1, 494, "client sent too many header lines");
    }

    h = lun_header_list_push(&r->in.list);
    h->name = line->name;
    h->value = line->value;
    h->hash = lun_header_hash(h->name);
    h->known = (int16_t) lun_header_known_in(h->name, h->hash);

    return h->known >= 0 ? take_known(h1, h) : LUN_OK;
}


/* --- the whole ----------------------------------------------------------- */

/*
 * RFC 9112, 6.1: a length beside a coding is how requests are smuggled past a
 * proxy that believes the other one; nobody who means well sends both.
 */
static lun_rc
check_length(lun_h1 *h1)
{
    lun_request  *r = h1->r;
    lun_header   *length = r->in.known[LUN_HIN_CONTENT_LENGTH];
    lun_header   *coding = r->in.known[LUN_HIN_TRANSFER_ENCODING];

    if (lun_http_in_length(r) != LUN_OK) {
        return LUN_ERROR;
    }

    if (coding == NULL) {
        return LUN_OK;
    }

    if (r->version < 1001) {
        return refuse(h1, 400, "client sent HTTP/1.0 request with "
                               "\"Transfer-Encoding\" header");
    }

    if (!lun_str_caseeq(coding->value, LUN_STR("chunked"))) {
        lun_log(LUN_LOG_INFO, &h1->c->log, 0, "client sent unknown "
                "\"Transfer-Encoding\": \"%.*s\"", LUN_S(coding->value));
        r->in.refusal = 501;
        return LUN_ERROR;
    }

    if (length != NULL) {
        r->in.content_length = -1;
        return refuse(h1, 400, "client sent \"Content-Length\" and "
                      "\"Transfer-Encoding\" headers at the same time");
    }

    r->in.chunked = true;
    return LUN_OK;
}


/* The bytes of line and headers, in one piece. */
static void
keep_raw(lun_h1 *h1)
{
    char           *text, *p;
    size_t          len;
    lun_request    *r = h1->r;
    lun_h1_buffer  *b;

    len = (size_t) (h1->c->in.pos - h1->from);

    if (h1->buffers == NULL) {
        r->raw_headers = lun_str_of(h1->from, len);
        return;
    }

    for (b = h1->buffers; b != NULL; b = b->next) {
        len += b->from != NULL ? (size_t) (b->to - b->from) : 0;
    }

    text = lun_pool_text(r->pool, len);
    p = text + len - (h1->c->in.pos - h1->from);
    memcpy(p, h1->from, (size_t) (text + len - p));

    for (b = h1->buffers; b != NULL && b->from != NULL; b = b->next) {
        p -= b->to - b->from;
        memcpy(p, b->from, (size_t) (b->to - b->from));
    }

    r->raw_headers = lun_str_of(text, len);
}


/* The header is there: what it says as a whole. */
static lun_rc
complete(lun_h1 *h1)
{
    lun_header   *expect;
    lun_request  *r = h1->r;

    keep_raw(h1);

    if (r->in.known[LUN_HIN_HOST] == NULL && r->version >= 1001) {
        return refuse(h1, 400, "client sent HTTP/1.1 request without \"Host\" "
                               "header");
    }

    if (!h1->host_given && r->in.known[LUN_HIN_HOST] == NULL) {
        lun_http_in_no_host(r, h1->listen);
    }

    if (check_length(h1) != LUN_OK || lun_http_in_method(r) != LUN_OK) {
        return LUN_ERROR;
    }

    expect = r->in.known[LUN_HIN_EXPECT];
    r->in.expect_continue = expect != NULL && r->version >= 1001
        && lun_str_caseeq(expect->value, LUN_STR("100-continue"));

    r->lingering = r->in.chunked || r->in.content_length > 0;
    r->keepalive = r->in.keep_alive;

    return LUN_OK;
}


/* Right after the line: what a client of that version wants unless it says. */
static void
begin_headers(lun_h1 *h1)
{
    h1->r->in.keep_alive = h1->r->version >= 1001;
}


static inline lun_h1_progress
progress(lun_rc rc, lun_h1_progress good)
{
    return rc == LUN_OK ? good : LUN_H1_HEADER_REFUSED;
}


/*
 * A line that is refused is counted and passed over all the same:
 * $request_length and the log say what came.
 */
static lun_h1_progress
read_fields(lun_h1 *h1)
{
    lun_conn       *c = h1->c;
    lun_h1_header   line;

    for ( ;; ) {
        switch (lun_h1_parse_header(&h1->parser, c->in.pos,
                                    (size_t) (c->in.last - c->in.pos), &line))
        {

        case LUN_H1_DONE:
            if (take_header(h1, &line) != LUN_OK) {
                c->in.pos += line.size;
                h1->r->request_length += (int64_t) line.size;
                return LUN_H1_HEADER_REFUSED;
            }

            break;

        case LUN_H1_END:
            c->in.pos += line.size;
            h1->r->request_length += (int64_t) line.size;
            return progress(complete(h1), LUN_H1_HEADER_READY);

        case LUN_H1_MORE:
            return progress(want_room(h1), LUN_H1_HEADER_MORE);

        default:
            return progress(bad_header(h1), LUN_H1_HEADER_MORE);
        }

        c->in.pos += line.size;
        h1->r->request_length += (int64_t) line.size;
    }
}


lun_h1_progress
lun_h1_read_header(lun_h1 *h1)
{
    if (!h1->in_headers) {
        if (read_line(h1) != LUN_OK) {
            return LUN_H1_HEADER_REFUSED;
        }

        if (!h1->in_headers) {
            return LUN_H1_HEADER_MORE;
        }

        h1->c->log.doing = lun_h1_reading_headers;
        begin_headers(h1);

        if (h1->r->version == 9) {
            lun_http_in_no_host(h1->r, h1->listen);
            return LUN_H1_HEADER_READY;
        }
    }

    return read_fields(h1);
}
