/*
 * fastcgi_answer.c -- an answer in records: standard output is header and
 * body, standard error goes to the log.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/fastcgi_priv.h"

#include "base/fmt.h"
#include "http/upstream/upreq_answer.h"


void
lun_fastcgi_reset_answer(lun_upreq *x)
{
    lun_fastcgi_state  *s = x->protocol_data;

    lun_fastcgi_reset(&s->records);
    lun_cgi_head_reset(&s->head, false);
    s->lines = (lun_upreq_room) { 0 };
    s->left = -1;
    s->surplus = false;
    s->over = false;
    s->errors_len = 0;
}


static lun_upstream_verdict
refuse_record(const lun_upreq *x, const lun_fastcgi_parser *p)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent %s: %u", p->what,
            p->value);
    return LUN_UPSTREAM_BAD;
}


static lun_upstream_verdict
log_early_end(const lun_upreq *x, const char *what)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream prematurely closed FastCGI "
            "%s", what);
    return LUN_UPSTREAM_BAD;
}


/* --- standard error ------------------------------------------------------ */

static void
keep_error(lun_upreq *x, lun_str piece)
{
    size_t              n;
    lun_fastcgi_state  *s = x->protocol_data;

    if (s->errors == NULL) {
        s->errors = lun_pool_text(x->r->pool, LUN_FASTCGI_STDERR_ROOM);
    }

    n = lun_min(piece.len, LUN_FASTCGI_STDERR_ROOM - s->errors_len);
    (void) lun_copy(s->errors + s->errors_len, piece.data, n);
    s->errors_len += n;
}


static bool
is_caught(const lun_fastcgi_conf *conf, lun_str text)
{
    size_t          i;
    const lun_str  *wanted;

    if (conf->catch_stderr == NULL) {
        return false;
    }

    wanted = conf->catch_stderr->items;

    for (i = 0; i < conf->catch_stderr->count; i++) {
        if (lun_str_find(text, wanted[i]) != NULL) {
            return true;
        }
    }

    return false;
}


/* A record of it is over: true if fastcgi_catch_stderr makes that an error. */
static bool
log_errors(lun_upreq *x)
{
    lun_str             text;
    lun_fastcgi_state  *s = x->protocol_data;

    text = lun_str_of(s->errors, s->errors_len);
    s->errors_len = 0;

    while (text.len != 0
           && memchr("\r\n. ", text.data[text.len - 1], 4) != NULL)
    {
        text.len--;
    }

    if (text.len == 0) {
        return false;
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "FastCGI sent in stderr: \"%.*s\"",
            LUN_S(text));
    return is_caught(lun_http_conf(x->r, &lun_http_fastcgi), text);
}


/* --- the header ---------------------------------------------------------- */

static lun_upstream_verdict
end_header(lun_upreq *x)
{
    lun_fastcgi_state  *s = x->protocol_data;

    s->left = lun_upreq_set_length(x, x->r->method == LUN_HEAD);
    x->answer.framed = true;

    /* No body is wanted: what comes of one is not worth waiting for. */
    s->over = s->left == 0 && x->answer.head_length != 0;

    return LUN_UPSTREAM_DONE;
}


/* Lines may be cut by records at any byte: they are put together first. */
static lun_upstream_verdict
take_output(lun_upreq *x, const char **pos, lun_str piece)
{
    const char            *p = piece.data, *end = p + piece.len, *line;
    size_t                 behind;
    lun_fastcgi_state     *s = x->protocol_data;
    lun_upstream_verdict   v;

    lun_upreq_gather(x, &s->lines, &p, end);

    line = s->lines.pos;
    v = lun_cgi_read_head(x, &s->head, &line, s->lines.last);
    s->lines.pos += line - s->lines.pos;

    if (v == LUN_UPSTREAM_MORE && s->lines.last == s->lines.end) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent too big header");
        return LUN_UPSTREAM_BAD;
    }

    if (v != LUN_UPSTREAM_DONE) {
        return v;
    }

    /* What follows the header is the body's, and comes again.  It lies within
       this piece: the one before had no whole header. */
    behind = (size_t) (s->lines.last - s->lines.pos) + (size_t) (end - p);
    lun_fastcgi_unread(&s->records, behind);
    *pos -= behind;

    return end_header(x);
}


static lun_upstream_verdict
end_header_record(lun_upreq *x)
{
    const lun_fastcgi_state  *s = x->protocol_data;

    switch (s->records.type) {

    case LUN_FASTCGI_STDERR:
        return log_errors(x) ? LUN_UPSTREAM_BAD : LUN_UPSTREAM_MORE;

    case LUN_FASTCGI_STDOUT:
        return s->records.length != 0 ? LUN_UPSTREAM_MORE
                                      : log_early_end(x, "stdout");

    default:
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent unexpected FastCGI "
                "record: %u", s->records.type);
        return LUN_UPSTREAM_BAD;
    }
}


/*
 * Standard error may come between any two records of output: it is kept for the
 * log, and changes nothing.
 */
lun_upstream_verdict
lun_fastcgi_read_header(lun_upreq *x, const char **pos, const char *end)
{
    lun_str                piece;
    lun_fastcgi_state     *s = x->protocol_data;
    lun_upstream_verdict   v = LUN_UPSTREAM_MORE;

    while (v == LUN_UPSTREAM_MORE) {
        switch (lun_fastcgi_next(&s->records, pos, end, &piece)) {

        case LUN_FASTCGI_MORE:
            return LUN_UPSTREAM_MORE;

        case LUN_FASTCGI_DATA:
            if (s->records.type == LUN_FASTCGI_STDOUT) {
                v = take_output(x, pos, piece);

            } else if (s->records.type == LUN_FASTCGI_STDERR) {
                keep_error(x, piece);
            }
            break;

        case LUN_FASTCGI_RECORD:
            v = end_header_record(x);
            break;

        default:
            return refuse_record(x, &s->records);
        }
    }

    return v;
}


/* --- the body ------------------------------------------------------------ */

/* As much of it as the answer's header has promised. */
static lun_str
within_length(lun_upreq *x, lun_str piece)
{
    lun_fastcgi_state  *s = x->protocol_data;

    if (s->left < 0) {
        return piece;
    }

    if ((int64_t) piece.len > s->left && !s->surplus) {
        s->surplus = true;

        lun_log(LUN_LOG_WARN, x->r->log, 0, "upstream sent more data than "
                "specified in \"Content-Length\" header");
    }

    piece.len = (size_t) lun_min((int64_t) piece.len, s->left);
    s->left -= (int64_t) piece.len;

    return piece;
}


/*
 * A record is over.  Behind the output only the end of the request comes, or
 * that of the connection, which is as good.
 */
static lun_upstream_verdict
end_body_record(lun_upreq *x)
{
    lun_fastcgi_state       *s = x->protocol_data;
    const lun_fastcgi_conf  *conf = lun_http_conf(x->r, &lun_http_fastcgi);

    if (s->records.type == LUN_FASTCGI_STDERR) {
        (void) log_errors(x);
        return LUN_UPSTREAM_MORE;
    }

    if (s->records.type == LUN_FASTCGI_STDOUT && s->records.length != 0) {
        return LUN_UPSTREAM_MORE;
    }

    if (s->left > 0) {
        return log_early_end(x, "stdout");
    }

    x->answer.framed = false;
    s->over = s->records.type == LUN_FASTCGI_END
              || (s->left == 0 && !conf->keep_conn);
    x->answer.keep = conf->keep_conn && s->over;

    return s->over ? LUN_UPSTREAM_DONE : LUN_UPSTREAM_MORE;
}


/*
 * Many a program ends without saying so: its connection does.  That is good
 * enough where nothing is cut in two and nothing was promised that is missing.
 */
static bool
may_end(const lun_upreq *x)
{
    const lun_fastcgi_state  *s = x->protocol_data;
    const lun_fastcgi_conf   *conf = lun_http_conf(x->r, &lun_http_fastcgi);

    return !conf->keep_conn && s->left <= 0
           && (s->records.have < LUN_FASTCGI_HEAD || s->records.left == 0
               || s->records.type != LUN_FASTCGI_STDOUT);
}


/*
 * Output beyond Content-Length is dropped with a line in the log, and the end
 * of the request is still waited for, so that the connection can be kept.
 */
lun_upstream_verdict
lun_fastcgi_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    lun_fastcgi_state     *s = x->protocol_data;
    lun_upstream_verdict   v = LUN_UPSTREAM_MORE;

    if (s->over) {
        return LUN_UPSTREAM_DONE;
    }

    while (v == LUN_UPSTREAM_MORE) {
        switch (lun_fastcgi_next(&s->records, pos, end, piece)) {

        case LUN_FASTCGI_MORE:
            x->answer.may_end = may_end(x);
            return LUN_UPSTREAM_MORE;

        case LUN_FASTCGI_DATA:
            if (s->records.type == LUN_FASTCGI_STDOUT) {
                *piece = within_length(x, *piece);
                v = piece->len != 0 ? LUN_UPSTREAM_DATA : LUN_UPSTREAM_MORE;

            } else if (s->records.type == LUN_FASTCGI_STDERR) {
                keep_error(x, *piece);
            }
            break;

        case LUN_FASTCGI_RECORD:
            v = end_body_record(x);
            break;

        default:
            return refuse_record(x, &s->records);
        }
    }

    return v;
}


const lun_upstream_protocol  lun_fastcgi_protocol = {
    .schema      = LUN_STR_INIT("fastcgi://"),
    .tls_schema  = LUN_STR_INIT("fastcgi://"),
    .reassembles = true,
    .make        = lun_fastcgi_make,
    .frame       = lun_fastcgi_frame,
    .reset       = lun_fastcgi_reset_answer,
    .read_header = lun_fastcgi_read_header,
    .read_body   = lun_fastcgi_read_body,
};
