/*
 * proxy_answer.c -- the answer of an HTTP/1 server: header and body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"

#include "base/check.h"
#include "http/upstream/upreq_answer.h"


void
lun_proxy_reset(lun_upreq *x)
{
    lun_proxy_state  *s = x->protocol_data;

    s->has_status = false;
    s->chunked = false;
    s->left = -1;
    lun_h1_parser_reset(&s->parser);
    lun_chunked_init(&s->chunks);
    s->chunks.keep = x->conf->pass_trailers;
    s->tail = (lun_upreq_room) { 0 };
}


/* --- headers that say how it is to be read ------------------------------- */

static lun_upstream_verdict
take_length(lun_upreq *x, const lun_header *h)
{
    const lun_proxy_state  *s = x->protocol_data;

    if (s->chunked) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent \"Content-Length\" "
                "and \"Transfer-Encoding\" headers at the same time");
        return LUN_UPSTREAM_BAD;
    }

    return lun_upreq_take_length(x, h) == LUN_OK ? LUN_UPSTREAM_MORE
                                                 : LUN_UPSTREAM_BAD;
}


static lun_upstream_verdict
take_coding(lun_upreq *x, const lun_header *h)
{
    lun_proxy_state  *s = x->protocol_data;

    if (s->chunked) {
        lun_upreq_log_duplicate(x, h);
        return LUN_UPSTREAM_BAD;
    }

    if (x->answer.head_length >= 0) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent "
                "\"Transfer-Encoding\" and \"Content-Length\" headers at the "
                "same time");
        return LUN_UPSTREAM_BAD;
    }

    if (!lun_str_caseeq(h->value, LUN_STR("chunked"))) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent unknown "
                "\"Transfer-Encoding\": \"%.*s\"", LUN_S(h->value));
        return LUN_UPSTREAM_BAD;
    }

    s->chunked = true;
    x->answer.framed = true;
    return LUN_UPSTREAM_MORE;
}


/*
 * Fields that frame the answer are read here; all are passed to whoever judges
 * it.
 */
static lun_upstream_verdict
take_header(lun_upreq *x, const lun_h1_header *line)
{
    lun_header             one = lun_upreq_field(line->name, line->value);
    lun_upstream_verdict   v = LUN_UPSTREAM_MORE;

    switch (one.known) {

    case LUN_HOUT_CONTENT_LENGTH:
        v = take_length(x, &one);
        break;

    case LUN_HOUT_TRANSFER_ENCODING:
        v = take_coding(x, &one);
        break;

    case LUN_HOUT_CONNECTION:
        if (lun_str_casefind(one.value, LUN_STR("close")) != NULL) {
            x->answer.keep = false;
        }
        break;

    default:
        break;
    }

    if (v == LUN_UPSTREAM_MORE) {
        lun_header_list_add(&x->answer.list, &one);
    }

    return v;
}


/* --- the header ---------------------------------------------------------- */

/* No status line: bytes that are a body already, as HTTP/0.9 has it. */
static lun_upstream_verdict
no_header(lun_upreq *x)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent no valid HTTP/1.0 "
            "header");
    x->r->version = 9;
    x->answer.status = 200;
    x->answer.keep = false;

    return LUN_UPSTREAM_DONE;
}


/* How long the body will be. */
static lun_upstream_verdict
end_header(lun_upreq *x)
{
    lun_proxy_state   *s = x->protocol_data;
    lun_upreq_answer  *a = &x->answer;

    /* It may not come before the whole request is out, or while what a client
       says is a body that is dropped: a tunnel has no room for the rest. */
    if (a->status == 101 && (!lun_upreq_is_sent(x) || lun_body_wants(x->r)
                             || !lun_body_may_hand_over(x->r)))
    {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent unexpected 101 "
                "response");
        return LUN_UPSTREAM_BAD;
    }

    /* Where nobody has asked for one it is a status like others, but what
       follows it is no answer: the client gets the header and the end. */
    if (a->status == 101 && !x->upgrade) {
        s->left = 0;
        s->chunked = false;
        a->keep = false;
        x->r->keepalive = 0;
        return LUN_UPSTREAM_DONE;
    }

    s->left = lun_upreq_set_length(x, s->head);
    s->chunked &= s->left != 0;

    return LUN_UPSTREAM_DONE;
}


/* 100, 103: another header follows. */
static bool
is_interim(const lun_upreq *x)
{
    return x->answer.status < 200 && x->answer.status != 101;
}


static lun_upstream_verdict
read_status(lun_upreq *x, const char **pos, const char *end)
{
    lun_h1_status     status;
    lun_proxy_state  *s = x->protocol_data;

    switch (lun_h1_parse_status(&s->parser, *pos, (size_t) (end - *pos),
                                &status))
    {

    case LUN_H1_MORE:
        return LUN_UPSTREAM_MORE;

    case LUN_H1_DONE:
        break;

    default:
        return LUN_UPSTREAM_DONE;
    }

    *pos += status.size;
    s->has_status = true;
    x->answer.status = status.status;
    x->answer.status_line = status.line;
    x->answer.keep = status.version >= 1001;

    return LUN_UPSTREAM_DONE;
}


/*
 * An interim answer starts over with the status; the first line that is no
 * status may still be one of HTTP/0.9.
 */
lun_upstream_verdict
lun_proxy_read_header(lun_upreq *x, const char **pos, const char *end)
{
    lun_h1_header          line;
    lun_proxy_state       *s = x->protocol_data;
    lun_upstream_verdict   v;

    for ( ;; ) {
        if (!s->has_status) {
            v = read_status(x, pos, end);

            if (v == LUN_UPSTREAM_MORE) {
                return v;
            }

            if (!s->has_status) {
                return no_header(x);
            }
        }

        switch (lun_h1_parse_header(&s->parser, *pos, (size_t) (end - *pos),
                                    &line))
        {

        case LUN_H1_MORE:
            return LUN_UPSTREAM_MORE;

        case LUN_H1_DONE:
            *pos += line.size;
            v = take_header(x, &line);

            if (v != LUN_UPSTREAM_MORE) {
                return v;
            }
            break;

        case LUN_H1_END:
            *pos += line.size;

            return is_interim(x) ? LUN_UPSTREAM_INTERIM : end_header(x);

        default:
            if (lun_upreq_skip_line(pos, end)) {
                break;
            }

            lun_upreq_log_invalid(x, "header", *pos, end);
            return LUN_UPSTREAM_BAD;
        }
    }
}


/* --- the body ------------------------------------------------------------ */

/*
 * They may come in pieces: what is there stays in a room of its own, whose size
 * is the limit.
 */
static lun_upstream_verdict
take_trailers(lun_upreq *x, lun_upreq_room *tail)
{
    lun_header        h;
    lun_h1_header     line;
    lun_proxy_state  *s = x->protocol_data;

    for ( ;; ) {
        switch (lun_h1_parse_header(&s->parser, tail->pos,
                                    (size_t) (tail->last - tail->pos), &line))
        {

        case LUN_H1_MORE:
            if (tail->last != tail->end) {
                return LUN_UPSTREAM_MORE;
            }

            lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent too big "
                    "trailers");
            return LUN_UPSTREAM_BAD;

        case LUN_H1_DONE:
            tail->pos += line.size;
            h = lun_upreq_field(line.name, line.value);
            lun_header_list_add(&x->answer.trailers, &h);
            break;

        case LUN_H1_END:
            tail->pos += line.size;
            return LUN_UPSTREAM_DONE;

        default:
            lun_upreq_log_invalid(x, "trailer", tail->pos, tail->last);
            return LUN_UPSTREAM_BAD;
        }
    }
}


/* They are gathered in memory of their own, as large as a header's. */
static lun_upstream_verdict
read_trailers(lun_upreq *x, const char **pos, const char *end)
{
    lun_proxy_state       *s = x->protocol_data;
    lun_upstream_verdict   v;

    if (s->tail.start == NULL) {
        lun_header_list_init(&x->answer.trailers, x->r->pool, 4);
    }

    lun_upreq_gather(x, &s->tail, pos, end);
    v = take_trailers(x, &s->tail);
    *pos -= v == LUN_UPSTREAM_DONE ? s->tail.last - s->tail.pos : 0;

    return v;
}


static lun_upstream_verdict
read_chunks(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    lun_proxy_state  *s = x->protocol_data;

    if (s->tail.start != NULL) {
        return read_trailers(x, pos, end);
    }

    switch (lun_chunked_next(&s->chunks, pos, end, piece)) {

    case LUN_CHUNKED_DATA:
        return LUN_UPSTREAM_DATA;

    case LUN_CHUNKED_MORE:
        return LUN_UPSTREAM_MORE;

    case LUN_CHUNKED_TAIL:
        return read_trailers(x, pos, end);

    case LUN_CHUNKED_DONE:
        return LUN_UPSTREAM_DONE;

    default:
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid chunked "
                "response");
        return LUN_UPSTREAM_BAD;
    }
}


static lun_upstream_verdict
end_body(const lun_upreq *x, const char *pos, const char *end)
{
    const lun_proxy_state  *s = x->protocol_data;

    /* Of a HEAD's body nobody speaks. */
    if (pos == end || s->head) {
        return LUN_UPSTREAM_DONE;
    }

    if (s->chunked) {
        lun_log(LUN_LOG_WARN, x->r->log, 0, "upstream sent data after final "
                "chunk");

    } else {
        lun_upreq_log_more(x);
    }

    return LUN_UPSTREAM_DONE;
}


/*
 * Without a length the end of the connection is that of the body; left is -1
 * then.
 */
lun_upstream_verdict
lun_proxy_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    size_t                 n = (size_t) (end - *pos);
    lun_proxy_state       *s = x->protocol_data;
    lun_upstream_verdict   v;

    if (s->chunked) {
        v = read_chunks(x, pos, end, piece);
        return v == LUN_UPSTREAM_DONE ? end_body(x, *pos, end) : v;
    }

    if (s->left == 0) {
        return end_body(x, *pos, end);
    }

    if (n == 0) {
        return LUN_UPSTREAM_MORE;
    }

    if (s->left > 0) {
        n = (size_t) lun_min((int64_t) n, s->left);
        s->left -= (int64_t) n;
    }

    *piece = lun_str_of(*pos, n);
    *pos += n;

    return LUN_UPSTREAM_DATA;
}


/* A body of a known length has nothing else in it. */
static int64_t
pass_by(lun_upreq *x, size_t past)
{
    lun_proxy_state  *s = x->protocol_data;

    if (s->chunked || s->left <= 0) {
        return 0;
    }

    LUN_CHECK(past <= (uint64_t) s->left);
    s->left -= (int64_t) past;

    return s->left;
}


const lun_upstream_protocol  lun_proxy_protocol = {
    .schema      = LUN_STR_INIT("http://"),
    .tls_schema  = LUN_STR_INIT("https://"),
    .converts_head = true,
    .dates_itself = true,
    .make        = lun_proxy_make,
    .key         = lun_proxy_key,
    .frame       = lun_proxy_frame,
    .reset       = lun_proxy_reset,
    .read_header = lun_proxy_read_header,
    .read_body   = lun_proxy_read_body,
    .pass_by     = pass_by,
    .pass_header = lun_proxy_pass_header,
};
