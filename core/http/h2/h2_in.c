/*
 * h2_in.c -- the header of an HTTP/2 request.
 *
 * Its fields come one by one, decoded, and are copied to the request's pool.
 * What is wrong with one is noted, the rest is only counted, and the request
 * is answered when the header has come whole, as the client's next header can
 * be read only then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"
#include "http/accept/log_context.h"
#include "http/accept/place.h"
#include "http/h1/h1_parse.h"
#include "http/h2/h2.h"
#include "http/request_header.h"


/* --- a new one ----------------------------------------------------------- */

lun_h2_stream *
lun_h2_new_stream(lun_h2 *h2, int32_t id)
{
    lun_conn       *c = h2->c;
    lun_request    *r;
    lun_h2_stream  *s;

    LUN_CHECK_MARK(h2, LUN_MARK_H2);
    LUN_CHECK(id > 0);

    r = lun_request_new(lun_http_engine_at(h2->listen), c, &lun_h2_protocol);
    s = r->stream;
    s->mark = LUN_MARK_H2_STREAM;
    s->h2 = h2;
    s->r = r;
    s->id = id;
    s->log = c->log;
    s->log.doing = "reading client request headers";
    s->log.context = lun_request_context;
    s->log.owner = r;

    r->log = &s->log;
    r->version = 2000;
    lun_http_place(r, h2->listen);

    lun_list_init(&s->ready);
    lun_list_push_back(&h2->streams, &s->link);
    h2->stream_count++;
    h2->headers++;
    h2->served = 1;
    c->requests++;

    return s;
}


/* --- one field ----------------------------------------------------------- */

static void
refuse(lun_h2_stream *s, uint16_t status, const char *why)
{
    LUN_CHECK(status >= 400);

    lun_log(LUN_LOG_INFO, &s->log, 0, "%s", why);
    s->r->in.refusal = status;
    s->malformed = status == 400;
}


/* Who goes on so would make us decode it all the same: that is the end. */
static void
give_up(lun_h2_stream *s, const char *why)
{
    refuse(s, 494, why);
    lun_h2_end(s->h2, NGHTTP2_ENHANCE_YOUR_CALM);
}


static void
refuse_text(lun_h2_stream *s, const char *why, lun_str text)
{
    lun_log(LUN_LOG_INFO, &s->log, 0, "client sent %s: \"%.*s\"", why,
            LUN_S(text));
    s->r->in.refusal = 400;
    s->malformed = 1;
}


static void
take_method(lun_h2_stream *s, lun_str value)
{
    size_t        i;
    lun_request  *r = s->r;

    if (r->method_name.len != 0) {
        refuse(s, 400, "client sent duplicate :method header");
        return;
    }

    if (value.len == 0) {
        refuse(s, 400, "client sent empty :method header");
        return;
    }

    for (i = 0; i < value.len; i++) {
        if ((value.data[i] < 'A' || value.data[i] > 'Z')
            && value.data[i] != '_' && value.data[i] != '-')
        {
            refuse_text(s, "invalid method", value);
            return;
        }
    }

    r->method_name = lun_pool_str(r->pool, value);
    r->method = lun_method_of(r->method_name);
}


static void
take_scheme(lun_h2_stream *s, lun_str value)
{
    size_t  i;
    char    byte;

    if (s->has_scheme) {
        refuse(s, 400, "client sent duplicate :scheme header");
        return;
    }

    if (value.len == 0) {
        refuse(s, 400, "client sent empty :scheme header");
        return;
    }

    for (i = 0; i < value.len; i++) {
        byte = lun_lower(value.data[i]);

        if ((byte < 'a' || byte > 'z')
            && (i == 0 || (!lun_is_digit(byte) && byte != '+' && byte != '-'
                           && byte != '.')))
        {
            refuse_text(s, "invalid :scheme header", value);
            return;
        }
    }

    s->has_scheme = 1;
}


/* "/a?b": no spaces, no control characters, no fragment in the path. */
static void
take_path(lun_h2_stream *s, lun_str value)
{
    size_t        i, end = value.len;
    lun_str       path;
    lun_request  *r = s->r;

    if (r->target.len != 0) {
        refuse(s, 400, "client sent duplicate :path header");
        return;
    }

    if (value.len == 0) {
        refuse(s, 400, "client sent empty :path header");
        return;
    }

    for (i = 0; i < value.len; i++) {
        if ((unsigned char) value.data[i] <= ' ' || value.data[i] == 0x7f) {
            break;
        }

        if (end == value.len && (value.data[i] == '?'
                                 || value.data[i] == '#'))
        {
            end = i;
        }
    }

    if (i < value.len || value.data[0] != '/') {
        refuse_text(s, "invalid :path header", value);
        return;
    }

    r->target = lun_pool_str(r->pool, value);
    path = lun_str_of(r->target.data, end);

    if (end < value.len && value.data[end] == '?') {
        const char  *from = r->target.data + end + 1;
        const char  *hash = memchr(from, '#', value.len - end - 1);

        r->args = lun_str_of(from, hash != NULL ? (size_t) (hash - from)
                                                : value.len - end - 1);

        if (r->args.len == 0) {
            r->args = LUN_STR_NULL;
        }
    }

    (void) lun_http_in_path(r, s->h2->conf, path, false);
}


static void
take_authority(lun_h2_stream *s, lun_str value)
{
    lun_header   *h;
    lun_request  *r = s->r;

    if (s->authority.data != NULL) {
        refuse_text(s, "duplicate :authority header", value);
        return;
    }

    s->authority = lun_pool_str(r->pool, value);

    h = lun_header_list_push(&r->in.list);
    h->name = LUN_STR("host");
    h->value = s->authority;
    h->hash = lun_header_hash(h->name);
    h->known = LUN_HIN_HOST;
    r->in.known[LUN_HIN_HOST] = h;

    (void) lun_http_in_host(r, s->h2->listen, h->value,
                            "client sent invalid host header");
}


static void
take_pseudo(lun_h2_stream *s, lun_str name, lun_str value)
{
    if (s->fields) {
        refuse_text(s, "a pseudo-header after a header", name);

    } else if (lun_str_eq(name, LUN_STR(":method"))) {
        take_method(s, value);

    } else if (lun_str_eq(name, LUN_STR(":path"))) {
        take_path(s, value);

    } else if (lun_str_eq(name, LUN_STR(":scheme"))) {
        take_scheme(s, value);

    } else if (lun_str_eq(name, LUN_STR(":authority"))) {
        take_authority(s, value);

    } else {
        refuse_text(s, "unknown pseudo-header", name);
    }
}


/* Clients send the pieces of a cookie apart, for the compression's sake. */
static void
take_cookie(lun_h2_stream *s, lun_str value)
{
    char    *room, *p;
    size_t   len = s->cookie.len + value.len + 2;

    if (len > s->cookie_room) {
        s->cookie_room = len * 2;
        room = lun_pool_text(s->r->pool, s->cookie_room);
        memcpy(room, s->cookie.len != 0 ? s->cookie.data : "", s->cookie.len);
        s->cookie.data = room;
    }

    p = (char *) (uintptr_t) s->cookie.data + s->cookie.len;

    if (s->cookie.len != 0) {
        p = lun_copy(p, "; ", 2);
    }

    p = lun_copy(p, value.data, value.len);
    s->cookie.len = (size_t) (p - s->cookie.data);
}


/* "host" beside ":authority" has to say the same, and only once. */
static void
take_host_again(lun_h2_stream *s, lun_str name, lun_str value)
{
    if (s->has_host) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client sent duplicate host header: "
                "\"%.*s: %.*s\", previous value: \"host: %.*s\"",
                LUN_S(name), LUN_S(value), LUN_S(s->authority));
        s->r->in.refusal = 400;

    } else if (!lun_str_eq(value, s->authority)) {
        refuse(s, 400, "client sent \":authority\" and \"Host\" headers with "
                       "different values");
    }

    s->has_host = 1;
}


static void
take_host(lun_h2_stream *s, const lun_header *h)
{
    s->has_host = 1;
    s->authority = h->value;
    (void) lun_http_in_host(s->r, s->h2->listen, h->value,
                            "client sent invalid host header");
}


/*
 * What speaks of an HTTP/1 connection has no place here (RFC 9113, 8.2.2); to
 * pass it on would be to speak of another one.  NULL: it does not.
 */
static const char *
find_hop(const lun_request *r, int known, lun_str name, lun_str value)
{
    switch (known) {

    case LUN_HIN_CONNECTION:
        return "client sent \"Connection\" header";

    case LUN_HIN_KEEP_ALIVE:
        return "client sent \"Keep-Alive\" header";

    case LUN_HIN_TRANSFER_ENCODING:
        return "client sent \"Transfer-Encoding\" header";

    case LUN_HIN_UPGRADE:
        return "client sent \"Upgrade\" header";

    case LUN_HIN_TE:
        return r->in.known[LUN_HIN_TE] == NULL
               && lun_str_caseeq(value, LUN_STR("trailers"))
               ? NULL : "client sent invalid \"TE\" header";
    }

    return known < 0 && lun_str_eq(name, LUN_STR("proxy-connection"))
           ? "client sent \"Proxy-Connection\" header" : NULL;
}


static void
push_field(lun_h2_stream *s, lun_str name, lun_str value)
{
    lun_header   *h;
    uint32_t      hash = lun_header_hash(name);
    const char   *hop;
    lun_request  *r = s->r;
    int           known = lun_header_known_in(name, hash);

    hop = find_hop(r, known, name, value);

    if (hop != NULL) {
        refuse(s, 400, hop);
        return;
    }

    if (known == LUN_HIN_HOST && r->in.known[LUN_HIN_HOST] != NULL) {
        take_host_again(s, name, value);
        return;
    }

    h = lun_header_list_push(&r->in.list);
    h->name = lun_pool_str(r->pool, name);
    h->value = lun_pool_str(r->pool, value);
    h->hash = hash;
    h->known = (int16_t) known;

    if (known < 0) {
        return;
    }

    if (lun_http_in_known(r, h) == LUN_OK && known == LUN_HIN_HOST) {
        take_host(s, h);
    }
}


typedef enum { NAME_OK, NAME_ODD, NAME_BAD } name_verdict;

/* Upper case is not allowed at all, what is merely odd is ignored. */
static name_verdict
check_name(lun_str name, const lun_core_conf *conf)
{
    char    byte;
    size_t  i;
    bool    odd = false;

    for (i = 0; i < name.len; i++) {
        byte = name.data[i];

        if ((byte >= 'a' && byte <= 'z') || byte == '-'
            || lun_is_digit(byte)
            || (byte == '_' && conf->underscores_in_headers))
        {
            continue;
        }

        if (byte == ':' || (byte >= 'A' && byte <= 'Z')
            || (unsigned char) byte <= ' ' || byte == 0x7f)
        {
            return NAME_BAD;
        }

        odd = true;
    }

    return odd && conf->ignore_invalid_headers ? NAME_ODD : NAME_OK;
}


static void
take_plain(lun_h2_stream *s, lun_str name, lun_str value)
{
    const lun_core_conf  *conf = s->h2->conf;

    s->fields = 1;

    switch (check_name(name, conf)) {

    case NAME_ODD:
        lun_log(LUN_LOG_INFO, &s->log, 0, "client sent invalid header: "
                "\"%.*s\"", LUN_S(name));
        return;

    case NAME_BAD:
        refuse_text(s, "invalid header name", name);
        return;

    default:
        break;
    }

    if (!lun_h1_is_text(value)) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client sent header \"%.*s\" with "
                "invalid value: \"%.*s\"", LUN_S(name), LUN_S(value));
        s->r->in.refusal = 400;
        s->malformed = 1;
        return;
    }

    if (s->r->in.list.count >= (uint64_t) conf->max_headers) {
        refuse(s, 494, "client sent too many header lines");

    } else if (lun_str_eq(name, LUN_STR("cookie"))) {
        take_cookie(s, value);

    } else {
        push_field(s, name, lun_str_trim(value));
    }
}


void
lun_h2_take_field(lun_h2_stream *s, lun_str name, lun_str value)
{
    size_t           size = name.len + value.len;
    const lun_bufs  *large = &s->h2->conf->large_client_header_buffers;

    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    s->header_size += size;

    if (s->r->in.refusal != 0) {
        return;
    }

    if (lun_max(name.len, value.len) > large->size) {
        give_up(s, "client sent too large header field");

    } else if (s->header_size > (uint64_t) large->num * large->size) {
        give_up(s, "client sent too large header");

    } else if (name.len == 0) {
        refuse(s, 400, "client sent zero header name length");

    } else if (name.data[0] == ':') {
        take_pseudo(s, name, value);

    } else {
        take_plain(s, name, value);
    }
}


void
lun_h2_take_trailer(lun_h2_stream *s, lun_str name)
{
    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);

    if (name.len == 0 || check_name(name, s->h2->conf) == NAME_BAD) {
        lun_log(LUN_LOG_INFO, &s->log, 0, "client sent invalid trailer name: "
                "\"%.*s\"", LUN_S(name));
        lun_h2_reset(s, NGHTTP2_PROTOCOL_ERROR);
    }
}


/* --- all of them --------------------------------------------------------- */

static void
push_cookie(lun_h2_stream *s)
{
    lun_header   *h;
    lun_request  *r = s->r;

    if (s->cookie.len == 0) {
        return;
    }

    h = lun_header_list_push(&r->in.list);
    h->name = LUN_STR("cookie");
    h->value = s->cookie;
    h->hash = lun_header_hash(h->name);
    h->known = LUN_HIN_COOKIE;
    (void) lun_http_in_known(r, h);
}


/* What is not there; the line comes first, since the log shows it. */
static void
check(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    if (r->method_name.len == 0) {
        refuse(s, 400, "client sent no :method header");

    } else if (!s->has_scheme) {
        refuse(s, 400, "client sent no :scheme header");

    } else if (r->target.len == 0) {
        refuse(s, 400, "client sent no :path header");

    } else if (r->in.known[LUN_HIN_HOST] == NULL) {
        refuse(s, 400, "client sent neither \":authority\" nor \"Host\" "
                       "header");
    }
}


static void
check_body(lun_h2_stream *s)
{
    lun_header   *expect;
    lun_request  *r = s->r;

    if (lun_http_in_length(r) != LUN_OK) {
        return;
    }

    if (r->in.content_length > 0 && s->in_closed) {
        refuse(s, 400, "client prematurely closed stream");
        return;
    }

    r->in.chunked = r->in.content_length < 0 && !s->in_closed;

    expect = r->in.known[LUN_HIN_EXPECT];
    r->in.expect_continue = expect != NULL && !s->in_closed
        && lun_str_caseeq(expect->value, LUN_STR("100-continue"));
}


/* As HTTP/1 would have it, for the log. */
static void
make_line(lun_request *r)
{
    char     *p, *text;
    lun_str   version = LUN_STR(" HTTP/2.0");

    p = text = lun_pool_text(r->pool, r->method_name.len + 1 + r->target.len
                                      + version.len);
    p = lun_copy(p, r->method_name.data, r->method_name.len);
    *p++ = ' ';
    p = lun_copy(p, r->target.data, r->target.len);
    p = lun_copy(p, version.data, version.len);
    r->line = lun_str_of(text, (size_t) (p - text));
}


void
lun_h2_complete(lun_h2_stream *s)
{
    lun_request  *r = s->r;

    LUN_CHECK(!s->started);
    LUN_CHECK_MARK(s, LUN_MARK_H2_STREAM);
    LUN_CHECK(!s->complete && s->h2->headers > 0);

    s->complete = 1;
    s->h2->headers--;
    lun_h2_account(s->h2);

    if (r->method_name.len != 0 && r->target.len != 0) {
        make_line(r);
    }

    if (r->in.refusal == 0) {
        check(s);
    }

    if (r->in.refusal == 0) {
        push_cookie(s);
        check_body(s);
    }

    if (r->in.refusal == 0) {
        (void) lun_http_in_method(r);
    }

    if (r->in.refusal != 0) {
        r->in.content_length = -1;
        r->in.chunked = false;
        r->in.expect_continue = false;
    }
}
