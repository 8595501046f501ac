/*
 * h1_out.c -- an answer as HTTP/1 has it: the header's text, the chunked
 * coding.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h1/h1_priv.h"


/* "HTTP/1.1 " before, these and CR LF between the parts of a header. */
#define VERSION          "HTTP/1.1 "
#define SERVER           "Server: "
#define DATE             "Date: "
#define TYPE             "Content-Type: "
#define CHARSET          "; charset="
#define LENGTH           "Content-Length: "
#define MODIFIED         "Last-Modified: "
#define CHUNKED          "Transfer-Encoding: chunked\r\n"
#define KEEP             "Connection: keep-alive\r\n"
#define CLOSE            "Connection: close\r\n"
#define UPGRADE          "Connection: upgrade\r\n"
#define KEEP_TIMEOUT     "Keep-Alive: timeout="
#define HINTS            VERSION "103 Early Hints\r\n"

enum {
    /* All of the above, numbers, date and CR LFs, but not what varies. */
    FIXED = sizeof(VERSION SERVER DATE TYPE CHARSET LENGTH MODIFIED CHUNKED
                   UPGRADE KEEP_TIMEOUT) + 2 * LUN_HTTP_DATE + 4 * 20 + 16 * 2
};


static inline char *
put(char *p, const char *text, size_t n)
{
    return lun_copy(p, text, n);
}

#define PUT(p, literal)  put((p), (literal), sizeof(literal) - 1)


/* --- what the answer is to be -------------------------------------------- */

static bool
says_close(const lun_header *h)
{
    return h != NULL && h->hash != 0
           && lun_str_casefind(h->value, LUN_STR("close")) != NULL;
}


/*
 * To whom has said CONNECT this means that all that follows is the server's,
 * even where none was connected to: it is no body, and no request can follow.
 * An error page has another method by now.
 */
static inline bool
is_tunnel(const lun_request *r)
{
    return (r->method == LUN_CONNECT
            || (r->internal && lun_str_starts(r->line, LUN_STR("CONNECT "))))
           && r->out.status / 100 == 2;
}


/* How the client will know where the body ends. */
static void
choose_framing(lun_request *r, const lun_core_conf *conf)
{
    bool  known = r->out.content_length >= 0;

    if (is_tunnel(r)) {
        r->out.content_length = -1;
        r->keepalive = 0;
        return;
    }

    if ((known && !r->expect_trailers) || r->out.status == 304
        || r->out.status == 204 || r->out.status < 200
        || r->method == LUN_HEAD)
    {
        return;
    }

    if (r->version >= 1001 && conf->chunked_transfer_encoding) {
        r->chunked_out = 1;

    } else if (!known) {
        r->keepalive = 0;          /* where the connection ends */
    }
}


static void
choose_connection(lun_request *r)
{
    if (r->no_keepalive || r->engine->gen->exiting
        || says_close(r->out.known[LUN_HOUT_CONNECTION]))
    {
        r->keepalive = 0;
    }
}


/* --- the text ------------------------------------------------------------ */

static size_t
text_size(lun_request *r, const lun_core_conf *conf, lun_str line)
{
    size_t  n = FIXED + line.len + conf->server_tokens.len
                + r->out.content_type.len + r->out.charset.len
                + r->out.type_line.len;

    lun_header_each(&r->out.list, h) {
        n += h->name.len + h->value.len + sizeof(": \r\n") - 1;
    }

    return n;
}


static char *
put_type(char *p, const lun_request *r)
{
    lun_str  type = r->out.content_type;

    if (type.len == 0) {
        return p;
    }

    p = PUT(p, TYPE);

    if (lun_http_type_is_as_written(&r->out)) {
        p = lun_copy_str(p, r->out.type_line);
        return PUT(p, "\r\n");
    }

    p = lun_copy_str(p, type);

    if (r->out.charset.len != 0) {
        p = PUT(p, CHARSET);
        p = lun_copy_str(p, r->out.charset);
    }

    return PUT(p, "\r\n");
}


static char *
put_connection(char *p, lun_request *r, const lun_core_conf *conf)
{
    if (r->chunked_out) {
        p = PUT(p, CHUNKED);
    }

    if (r->out.known[LUN_HOUT_CONNECTION] != NULL
        && r->out.known[LUN_HOUT_CONNECTION]->hash != 0)
    {
        return p;                  /* it is in the list */
    }

    if (r->out.status == 101) {
        return PUT(p, UPGRADE);
    }

    if (!r->keepalive) {
        return is_tunnel(r) ? p : PUT(p, CLOSE);
    }

    p = PUT(p, KEEP);

    if (conf->keepalive.header > 0) {
        p = PUT(p, KEEP_TIMEOUT);
        p = lun_fmt_u64(p, (uint64_t) conf->keepalive.header);
        p = PUT(p, "\r\n");
    }

    return p;
}


static char *
put_header(char *p, const lun_header *h)
{
    p = lun_copy_str(p, h->name);
    p = PUT(p, ": ");
    p = lun_copy_str(p, h->value);

    return PUT(p, "\r\n");
}


/* In nginx's order, which clients do not need but tests and eyes do. */
static char *
put_known(char *p, lun_request *r, const lun_core_conf *conf)
{
    const lun_headers_out  *out = &r->out;

    if (out->known[LUN_HOUT_SERVER] == NULL && conf->server_tokens.len != 0) {
        p = PUT(p, SERVER);
        p = lun_copy_str(p, conf->server_tokens);
        p = PUT(p, "\r\n");
    }

    if (out->known[LUN_HOUT_DATE] == NULL) {
        p = PUT(p, DATE);
        p = lun_copy_str(p, lun_clock_http());
        p = PUT(p, "\r\n");
    }

    p = put_type(p, r);

    if (out->content_length >= 0 && !r->chunked_out) {
        p = PUT(p, LENGTH);
        p = lun_fmt_u64(p, (uint64_t) out->content_length);
        p = PUT(p, "\r\n");
    }

    if (out->last_modified != -1
        && out->known[LUN_HOUT_LAST_MODIFIED] == NULL)
    {
        p = PUT(p, MODIFIED);
        p = lun_clock_http_date(p, out->last_modified);
        p = PUT(p, "\r\n");
    }

    if (out->known[LUN_HOUT_LOCATION] != NULL) {
        p = put_header(p, out->known[LUN_HOUT_LOCATION]);
    }

    return put_connection(p, r, conf);
}


static char *
put_list(char *p, const lun_request *r)
{
    lun_header_each(&r->out.list, h) {
        if (h->known != LUN_HOUT_LOCATION) {
            p = put_header(p, h);
        }
    }

    return p;
}


static lun_str
status_line(lun_request *r)
{
    lun_str  line = r->out.status_line;

    if (line.data == NULL) {
        line = r->out.status == 200 ? LUN_STR("200 OK")
                                    : lun_http_status_line(r->out.status);
    }

    if (line.data == NULL) {
        line = lun_pool_fmt(r->pool, "%03u ", r->out.status);
    }

    return line;
}


lun_rc
lun_h1_send_header(lun_request *r)
{
    char                 *text, *p;
    lun_buf              *b;
    lun_str               line;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (r->version < 1000) {
        r->keepalive = 0;
        return LUN_OK;             /* HTTP/0.9 has none */
    }

    choose_framing(r, conf);
    choose_connection(r);
    line = status_line(r);

    text = lun_pool_text(r->pool, text_size(r, conf, line));
    p = PUT(text, VERSION);
    p = lun_copy_str(p, line);
    p = PUT(p, "\r\n");
    p = put_known(p, r, conf);
    p = put_list(p, r);
    p = PUT(p, "\r\n");

    b = lun_buf_new(r->pool);
    b->start = text;
    b->pos = text;
    b->last = p;
    b->end = p;
    b->temporary = 1;

    r->header_size += p - text;
    lun_chain_push(&r->output, b);

    return LUN_OK;
}


/* --- the body ------------------------------------------------------------ */

static lun_buf *
piece(lun_request *r, const char *text, size_t n)
{
    lun_buf  *b = lun_http_small_buf(r);

    b->last = lun_copy(b->start, text, n);

    return b;
}


/* The last chunk, and the trailers. */
static lun_buf *
last_chunk(lun_request *r, bool first)
{
    char     *text, *p;
    size_t    n = sizeof("\r\n0\r\n\r\n") - 1;
    lun_buf  *b;

    if (r->out.trailers.count == 0) {
        return first ? piece(r, "0\r\n\r\n", 5)
                     : piece(r, "\r\n0\r\n\r\n", 7);
    }

    lun_header_each(&r->out.trailers, h) {
        n += h->name.len + h->value.len + sizeof(": \r\n") - 1;
    }

    p = text = lun_pool_text(r->pool, n);
    p = first ? p : PUT(p, "\r\n");
    p = PUT(p, "0\r\n");

    lun_header_each(&r->out.trailers, h) {
        p = put_header(p, h);
    }

    p = PUT(p, "\r\n");

    b = lun_buf_new(r->pool);
    b->start = b->pos = text;
    b->last = b->end = p;
    b->temporary = 1;

    return b;
}


/* One chunk out of all bufs of the list. */
static void
push_chunk(lun_request *r, lun_buf *in)
{
    char      size[LUN_SMALL_ROOM], *p;
    bool      eof = false, flush = false;
    lun_buf  *b, *next, *last;
    int64_t   total = lun_buf_total(in);

    if (total > 0) {
        p = lun_fmt_hex(size, (uint64_t) total);
        p = PUT(p, "\r\n");
        lun_chain_push(&r->output, piece(r, size, (size_t) (p - size)));
    }

    for (b = in; b != NULL; b = next) {
        next = b->next;
        eof |= b->eof;
        flush |= b->flush;

        if (lun_buf_size(b) > 0) {
            lun_chain_push(&r->output, b);
        }
    }

    if (eof) {
        last = last_chunk(r, total == 0);

    } else if (total > 0) {
        last = piece(r, "\r\n", 2);

    } else if (flush) {
        last = piece(r, "", 0);

    } else {
        return;
    }

    last->eof = eof;
    last->flush = flush;
    lun_chain_push(&r->output, last);
}


static void
push_plain(lun_request *r, lun_buf *in)
{
    lun_buf  *b, *next;

    for (b = in; b != NULL; b = next) {
        next = b->next;

        if (lun_buf_size(b) > 0 || lun_buf_special(b)) {
            lun_chain_push(&r->output, b);
        }
    }
}


lun_rc
lun_h1_send_body(lun_request *r, lun_buf *in)
{
    if (r->chunked_out) {
        push_chunk(r, in);

    } else {
        push_plain(r, in);
    }

    if (r->blocked) {
        return LUN_AGAIN;
    }

    if (in != NULL && !lun_http_worth_sending(r)) {
        return LUN_OK;
    }

    return lun_http_write(r);
}


/* The client may be slow: what does not fit waits in front of the answer. */
void
lun_h1_send_hints(lun_request *r, const lun_header_list *hints)
{
    char     *text, *p;
    size_t    n = sizeof(HINTS "\r\n") - 1;
    lun_buf  *b;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_header_each(hints, h) {
        n += h->name.len + h->value.len + sizeof(": \r\n") - 1;
    }

    text = lun_pool_text(r->pool, n);
    p = PUT(text, HINTS);

    lun_header_each(hints, h) {
        p = put_header(p, h);
    }

    p = PUT(p, "\r\n");

    b = lun_buf_new(r->pool);
    b->start = b->pos = text;
    b->last = b->end = p;
    b->temporary = 1;
    b->flush = 1;

    r->header_size += p - text;
    lun_chain_push(&r->output, b);

    if (!r->blocked && lun_http_write(r) == LUN_AGAIN) {
        lun_h1_wait_for_output(r->stream);
    }
}


/* Nothing of the answer is out yet, so there is room for this in the socket. */
lun_rc
lun_h1_send_continue(lun_request *r)
{
    size_t                  sent;
    static const char       text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    static const lun_slice  slice = { text, sizeof(text) - 1 };

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->conn->gone || lun_conn_writing(r->conn)) {
        return LUN_ERROR;
    }

    if (lun_conn_send(r->conn, &slice, 1, false, &sent) != 0
        || sent != slice.len)
    {
        return LUN_ERROR;
    }

    return LUN_OK;
}
