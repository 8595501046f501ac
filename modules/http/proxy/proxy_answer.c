/*
 * proxy_answer.c -- the answer of an HTTP/1 server: header and body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/proxy/proxy_priv.h"


void
lun_proxy_reset(lun_upreq *x)
{
    lun_proxy_state  *s = x->protocol_data;

    s->has_status = false;
    s->has_length = false;
    s->chunked = false;
    s->left = -1;
    lun_h1_parser_reset(&s->parser);
    lun_chunked_init(&s->chunks);
    s->chunks.keep = x->conf->pass_trailers;
    s->tail = NULL;
}


/* --- headers that say how it is to be read ------------------------------- */

static lun_upstream_verdict
duplicate(lun_upreq *x, const lun_header *h, const lun_header *first)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent duplicate header line: "
            "\"%.*s: %.*s\", previous value: \"%.*s: %.*s\"", LUN_S(h->name),
            LUN_S(h->value), LUN_S(first->name), LUN_S(first->value));
    return LUN_UPSTREAM_BAD;
}


static lun_upstream_verdict
take_length(lun_upreq *x, const lun_header *h)
{
    lun_proxy_state  *s = x->protocol_data;

    if (s->has_length) {
        return duplicate(x, h, lun_header_find(&x->answer.list, h->name));
    }

    if (s->chunked) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent \"Content-Length\" "
                "and \"Transfer-Encoding\" headers at the same time");
        return LUN_UPSTREAM_BAD;
    }

    if (h->value.len == 0 || !lun_is_digit(h->value.data[0])
        || lun_str_to_i64(h->value, &x->answer.head_length) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid "
                "\"Content-Length\" header: \"%.*s: %.*s\"", LUN_S(h->name),
                LUN_S(h->value));
        return LUN_UPSTREAM_BAD;
    }

    s->has_length = true;
    return LUN_UPSTREAM_MORE;
}


static lun_upstream_verdict
take_coding(lun_upreq *x, const lun_header *h)
{
    lun_proxy_state  *s = x->protocol_data;

    if (s->chunked) {
        return duplicate(x, h, lun_header_find(&x->answer.list, h->name));
    }

    if (s->has_length) {
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
    x->answer.chunked = true;
    return LUN_UPSTREAM_MORE;
}


static lun_upstream_verdict
take_header(lun_upreq *x, const lun_h1_header *line)
{
    lun_header         one = { .name = line->name, .value = line->value };
    lun_header            *h;
    lun_upstream_verdict   v = LUN_UPSTREAM_MORE;

    one.hash = lun_header_hash(one.name);
    one.known = (int16_t) lun_header_known_out(one.name, one.hash);

    switch (one.known) {

    case LUN_HOUT_CONTENT_LENGTH:
        v = take_length(x, &one);
        break;

    case LUN_HOUT_TRANSFER_ENCODING:
        v = take_coding(x, &one);
        break;

    case LUN_HOUT_CONNECTION:
        if (lun_str_casefind(one.value, LUN_STR("close")) != NULL) {
            x->answer.close = true;
        }
        break;

    default:
        break;
    }

    if (v == LUN_UPSTREAM_MORE) {
        h = lun_header_list_push(&x->answer.list);
        *h = one;
    }

    return v;
}


/* --- the header ---------------------------------------------------------- */

/* "header", "trailer": up to the first byte that may not be there. */
static lun_upstream_verdict
invalid(lun_upreq *x, const char *what, const char *pos, const char *end)
{
    const char  *p = pos;

    while (p != end && ((unsigned char) *p >= ' ' || *p == '\t')) {
        p++;
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid %s: "
            "\"%.*s\\x%02x...\"", what, (int) (p - pos), pos,
            p != end ? (unsigned) (unsigned char) *p : 0);
    return LUN_UPSTREAM_BAD;
}


/* No status line: bytes that are a body already, as HTTP/0.9 has it. */
static lun_upstream_verdict
no_header(lun_upreq *x)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent no valid HTTP/1.0 "
            "header");
    x->r->version = 9;
    x->answer.status = 200;
    x->answer.close = true;

    return LUN_UPSTREAM_DONE;
}


/* How long the body will be. */
static lun_upstream_verdict
end_header(lun_upreq *x)
{
    lun_proxy_state   *s = x->protocol_data;
    lun_upreq_answer  *a = &x->answer;

    /* Nor may it come before the whole request is out: a tunnel has no room
       for the rest of that. */
    if (a->status == 101 && (!x->upgrade || !x->request_done)) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent unexpected 101 "
                "response");
        return LUN_UPSTREAM_BAD;
    }

    if (s->head || a->status == 204 || a->status == 304) {
        s->left = 0;
        s->chunked = false;
        a->length = s->head ? a->head_length : -1;

    } else if (!s->chunked) {
        s->left = a->head_length;
        a->length = a->head_length;
    }

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
    x->answer.close = status.version < 1001;

    return LUN_UPSTREAM_DONE;
}


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
            return invalid(x, "header", *pos, end);
        }
    }
}


/* --- the body ------------------------------------------------------------ */

static lun_upstream_verdict
take_trailers(lun_upreq *x)
{
    lun_header        *h;
    lun_h1_header      line;
    lun_proxy_state   *s = x->protocol_data;

    for ( ;; ) {
        switch (lun_h1_parse_header(&s->parser, s->tail_pos,
                                    (size_t) (s->tail_last - s->tail_pos),
                                    &line))
        {

        case LUN_H1_MORE:
            if (s->tail_last != s->tail_end) {
                return LUN_UPSTREAM_MORE;
            }

            lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent too big "
                    "trailers");
            return LUN_UPSTREAM_BAD;

        case LUN_H1_DONE:
            s->tail_pos += line.size;
            h = lun_header_list_push(&x->answer.trailers);
            h->name = line.name;
            h->value = line.value;
            h->hash = lun_header_hash(h->name);
            h->known = (int16_t) lun_header_known_out(h->name, h->hash);
            break;

        case LUN_H1_END:
            s->tail_pos += line.size;
            return LUN_UPSTREAM_DONE;

        default:
            return invalid(x, "trailer", s->tail_pos, s->tail_last);
        }
    }
}


/* They are gathered in memory of their own, as large as a header's. */
static lun_upstream_verdict
read_trailers(lun_upreq *x, const char **pos, const char *end)
{
    size_t                 n;
    lun_proxy_state       *s = x->protocol_data;
    lun_upstream_verdict   v;

    if (s->tail == NULL) {
        s->tail = lun_pool_text(x->r->pool, x->conf->buffer_size);
        s->tail_pos = s->tail_last = s->tail;
        s->tail_end = s->tail + x->conf->buffer_size;
        lun_header_list_init(&x->answer.trailers, x->r->pool, 4);
    }

    n = lun_min((size_t) (end - *pos), (size_t) (s->tail_end - s->tail_last));
    s->tail_last = lun_copy(s->tail_last, *pos, n);
    *pos += n;

    v = take_trailers(x);
    *pos -= v == LUN_UPSTREAM_DONE ? s->tail_last - s->tail_pos : 0;

    return v;
}


static lun_upstream_verdict
read_chunks(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    lun_proxy_state  *s = x->protocol_data;

    if (s->tail != NULL) {
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


lun_upstream_verdict
lun_proxy_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    size_t            n = (size_t) (end - *pos);
    lun_proxy_state  *s = x->protocol_data;

    if (s->chunked) {
        return read_chunks(x, pos, end, piece);
    }

    if (s->left == 0) {
        return LUN_UPSTREAM_DONE;
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


const lun_upstream_protocol  lun_proxy_protocol = {
    .schema      = LUN_STR_INIT("http://"),
    .tls_schema  = LUN_STR_INIT("https://"),
    .make        = lun_proxy_make,
    .reset       = lun_proxy_reset,
    .read_header = lun_proxy_read_header,
    .read_body   = lun_proxy_read_body,
    .pass_header = lun_proxy_pass_header,
};
