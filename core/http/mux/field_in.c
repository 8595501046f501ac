/*
 * field_in.c -- the header of a request whose fields come one by one.
 *
 * Its fields come one by one, decoded, and are copied to the request's pool.
 * What is wrong with one is noted, the rest is only counted, and the request
 * is answered when the header has come whole, as the client's next header can
 * be read only then.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/field_in.h"

#include "base/check.h"
#include "base/digest.h"
#include "base/fmt.h"
#include "format/h1_parse.h"
#include "http/request_header.h"
#include "os/random.h"


/* --- one field ----------------------------------------------------------- */

static void
refuse(lun_field_in *in, uint16_t status, const char *why)
{
    LUN_CHECK(status >= 400);

    lun_log(LUN_LOG_INFO, in->r->log, 0, "%s", why);
    in->r->in.refusal = status;
    in->malformed = status == 400;
}


/* Who goes on so would make us decode it all the same: that is the end. */
static lun_fields_verdict
give_up(lun_field_in *in, const char *why)
{
    refuse(in, 494, why);
    return LUN_FIELDS_FLOOD;
}


static void
refuse_text(lun_field_in *in, const char *why, lun_str text)
{
    lun_log(LUN_LOG_INFO, in->r->log, 0, "client sent %s: \"%.*s\"", why,
            LUN_S(text));
    in->r->in.refusal = 400;
    in->malformed = 1;
}


static void
take_method(lun_field_in *in, lun_str value)
{
    size_t        i;
    lun_request  *r = in->r;

    if (r->method_name.len != 0) {
        refuse(in, 400, "client sent duplicate :method header");
        return;
    }

    if (value.len == 0) {
        refuse(in, 400, "client sent empty :method header");
        return;
    }

    for (i = 0; i < value.len; i++) {
        if ((value.data[i] < 'A' || value.data[i] > 'Z')
            && value.data[i] != '_' && value.data[i] != '-')
        {
            refuse_text(in, "invalid method", value);
            return;
        }
    }

    r->method_name = lun_pool_str(r->pool, value);
    r->method = lun_method_of(r->method_name);
}


/*
 * RFC 3986, 3.1.  It is only checked: what the scheme is, says the connection.
 */
static void
take_scheme(lun_field_in *in, lun_str value)
{
    size_t  i;
    char    byte;

    if (in->has_scheme) {
        refuse(in, 400, "client sent duplicate :scheme header");
        return;
    }

    if (value.len == 0) {
        refuse(in, 400, "client sent empty :scheme header");
        return;
    }

    for (i = 0; i < value.len; i++) {
        byte = lun_lower(value.data[i]);

        if ((byte < 'a' || byte > 'z')
            && (i == 0 || (!lun_is_digit(byte) && byte != '+' && byte != '-'
                           && byte != '.')))
        {
            refuse_text(in, "invalid :scheme header", value);
            return;
        }
    }

    in->has_scheme = 1;
}


/* "/a?b": no spaces, no control characters, no fragment in the path. */
static void
take_path(lun_field_in *in, lun_str value)
{
    size_t        i, end = value.len;
    lun_str       path;
    lun_request  *r = in->r;

    if (r->target.len != 0) {
        refuse(in, 400, "client sent duplicate :path header");
        return;
    }

    if (value.len == 0) {
        refuse(in, 400, "client sent empty :path header");
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
        refuse_text(in, "invalid :path header", value);
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

    (void) lun_http_in_path(r, lun_core_conf_of(r), path, false);
}


static void
take_authority(lun_field_in *in, lun_str value)
{
    lun_header   *h;
    lun_request  *r = in->r;

    if (in->authority.data != NULL) {
        refuse(in, 400, "client sent duplicate \":authority\" header");
        return;
    }

    in->authority = lun_pool_str(r->pool, value);

    h = lun_header_list_push(&r->in.list);
    h->name = LUN_STR("host");
    h->value = in->authority;
    h->hash = lun_header_hash(h->name);
    h->known = LUN_HIN_HOST;
    r->in.known[LUN_HIN_HOST] = h;

    (void) lun_http_in_host(r, in->listen, h->value,
                            "client sent invalid \":authority\" header");
}


/* Where SETTINGS have said that it may come: RFC 8441, RFC 9220. */
static void
take_protocol(lun_field_in *in, lun_str value)
{
    if (in->protocol.data != NULL) {
        refuse(in, 400, "client sent duplicate :protocol header");
        return;
    }

    in->protocol = lun_pool_str(in->r->pool, value);
}


/* All of them stand before the first field (RFC 9113, 8.3). */
static void
take_pseudo(lun_field_in *in, lun_str name, lun_str value)
{
    if (in->fields) {
        refuse(in, 400, "client sent out of order pseudo-headers");

    } else if (lun_str_eq(name, LUN_STR(":method"))) {
        take_method(in, value);

    } else if (lun_str_eq(name, LUN_STR(":path"))) {
        take_path(in, value);

    } else if (lun_str_eq(name, LUN_STR(":scheme"))) {
        take_scheme(in, value);

    } else if (lun_str_eq(name, LUN_STR(":authority"))) {
        take_authority(in, value);

    } else if (in->connects && lun_str_eq(name, LUN_STR(":protocol"))) {
        take_protocol(in, value);

    } else {
        refuse_text(in, "unknown pseudo-header", name);
    }
}


/* Clients send the pieces of a cookie apart, for the compression's sake. */
static void
take_cookie(lun_field_in *in, lun_str value)
{
    char    *room, *p;
    size_t   len = in->cookie.len + value.len + 2;

    if (len > in->cookie_room) {
        in->cookie_room = len * 2;
        room = lun_pool_text(in->r->pool, in->cookie_room);
        (void) lun_copy_str(room, in->cookie);
        in->cookie.data = room;
    }

    p = (char *) (uintptr_t) in->cookie.data + in->cookie.len;

    if (in->cookie.len != 0) {
        p = lun_copy(p, "; ", 2);
    }

    p = lun_copy(p, value.data, value.len);
    in->cookie.len = (size_t) (p - in->cookie.data);
}


/* "host" beside ":authority" has to say the same, and only once. */
static void
take_host_again(lun_field_in *in, lun_str name, lun_str value)
{
    if (in->has_host) {
        lun_log(LUN_LOG_INFO, in->r->log, 0, "client sent duplicate host "
                "header: \"%.*s: %.*s\", previous value: \"host: %.*s\"",
                LUN_S(name), LUN_S(value), LUN_S(in->authority));
        in->r->in.refusal = 400;

    } else if (!lun_str_eq(value, in->authority)) {
        refuse(in, 400, "client sent \":authority\" and \"Host\" headers with "
                       "different values");
    }

    in->has_host = 1;
}


static void
take_host(lun_field_in *in, const lun_header *h)
{
    in->has_host = 1;
    in->authority = h->value;
    (void) lun_http_in_host(in->r, in->listen, h->value,
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


/*
 * Fields of a connection (RFC 9113, 8.2.2) are an error here, and not dropped:
 * a proxy behind us could take them for its own.
 */
static void
push_field(lun_field_in *in, lun_str name, lun_str value)
{
    lun_header   *h;
    uint32_t      hash = lun_header_hash(name);
    const char   *hop;
    lun_request  *r = in->r;
    int           known = lun_header_known_in(name, hash);

    hop = find_hop(r, known, name, value);

    if (hop != NULL) {
        refuse(in, 400, hop);
        return;
    }

    if (known == LUN_HIN_HOST && r->in.known[LUN_HIN_HOST] != NULL) {
        take_host_again(in, name, value);
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
        take_host(in, h);
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
take_plain(lun_field_in *in, lun_str name, lun_str value)
{
    const lun_core_conf  *conf = lun_core_conf_of(in->r);

    in->fields = 1;

    switch (check_name(name, conf)) {

    case NAME_ODD:
        lun_log(LUN_LOG_INFO, in->r->log, 0, "client sent invalid header: "
                "\"%.*s\"", LUN_S(name));
        return;

    case NAME_BAD:
        refuse_text(in, "invalid header name", name);
        return;

    default:
        break;
    }

    if (!lun_h1_is_text(value)) {
        lun_log(LUN_LOG_INFO, in->r->log, 0, "client sent header \"%.*s\" with "
                "invalid value: \"%.*s\"", LUN_S(name), LUN_S(value));
        in->r->in.refusal = 400;
        in->malformed = 1;
        return;
    }

    if (lun_str_eq(name, LUN_STR("cookie"))) {
        take_cookie(in, value);    /* pieces of one, which are not counted */

    } else if (in->count++ >= (uint64_t) conf->max_headers) {
        refuse(in, 494, "client sent too many header lines");

    } else {
        push_field(in, name, lun_str_trim(value));
    }
}


/*
 * Sizes are those of fields as they are, not as they were compressed: a table
 * entry of 4 KB that is named a thousand times counts as 4 MB.
 */
lun_fields_verdict
lun_field_take(lun_field_in *in, lun_str name, lun_str value)
{
    size_t           size = name.len + value.len;
    const lun_bufs  *large = &in->conf->large_client_header_buffers;

    LUN_CHECK_MARK(in->r, LUN_MARK_REQUEST);

    in->size += size;

    if (in->r->in.refusal != 0) {
        return LUN_FIELDS_REFUSED;
    }

    if (lun_max(name.len, value.len) > large->size) {
        return give_up(in, "client sent too large header field");
    }

    if (in->size > (uint64_t) large->num * large->size) {
        return give_up(in, "client sent too large header");
    }

    if (name.len == 0) {
        refuse(in, 400, "client sent zero header name length");

    } else if (name.data[0] == ':') {
        take_pseudo(in, name, value);

    } else {
        take_plain(in, name, value);
    }

    return in->r->in.refusal != 0 ? LUN_FIELDS_REFUSED : LUN_FIELDS_GO_ON;
}


lun_fields_verdict
lun_field_too_large(lun_field_in *in)
{
    return in->r->in.refusal != 0 ? LUN_FIELDS_FLOOD
           : give_up(in, "client sent too large header field");
}


lun_rc
lun_field_take_trailer(lun_field_in *in, lun_str name)
{
    if (name.len == 0
        || check_name(name, lun_core_conf_of(in->r)) == NAME_BAD)
    {
        lun_log(LUN_LOG_INFO, in->r->log, 0, "client sent invalid trailer "
                "name: \"%.*s\"", LUN_S(name));
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* --- all of them --------------------------------------------------------- */

static void
push_cookie(lun_field_in *in)
{
    lun_header   *h;
    lun_request  *r = in->r;

    if (in->cookie.len == 0) {
        return;
    }

    h = lun_header_list_push(&r->in.list);
    h->name = LUN_STR("cookie");
    h->value = in->cookie;
    h->hash = lun_header_hash(h->name);
    h->known = LUN_HIN_COOKIE;
    (void) lun_http_in_known(r, h);
}


/* --- CONNECT ------------------------------------------------------------- */

/*
 * A WebSocket is what HTTP/1.1 makes of it, for all that look at the request:
 * GET, Upgrade, and a key, which nobody else has sent.
 */
static void
become_upgrade(lun_request *r)
{
    enum { KEY = 16 };

    char     bytes[KEY];
    char    *text = lun_pool_text(r->pool, lun_base64_len(KEY));
    lun_str  key;

    lun_random_bytes(bytes, KEY);
    key = lun_str_of(text, (size_t) (lun_base64_encode(text,
                         lun_str_of(bytes, KEY), false, true) - text));

    r->method = LUN_GET;
    r->method_name = LUN_STR("GET");
    lun_http_set_in(r, LUN_STR("upgrade"), LUN_STR("websocket"), true);
    lun_http_set_in(r, LUN_STR("connection"), LUN_STR("Upgrade"), true);
    lun_http_set_in(r, LUN_STR("sec-websocket-key"), key, true);
}


/* RFC 8441, 4: a protocol that begins at a path. */
static void
extend_connect(lun_field_in *in)
{
    lun_request  *r = in->r;

    if (r->method != LUN_CONNECT) {
        refuse(in, 400, "client sent :protocol header without CONNECT");

    } else if (!lun_str_caseeq(in->protocol, LUN_STR("websocket"))) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client sent unknown protocol in "
                ":protocol header: \"%.*s\"", LUN_S(in->protocol));
        r->in.refusal = 501;           /* RFC 9220, 3 */

    } else {
        become_upgrade(r);
        r->in.tunnel = true;
    }
}


/* RFC 9113, 8.5: nothing but host and port. */
static void
plain_connect(lun_field_in *in)
{
    lun_request  *r = in->r;

    r->target = in->authority;
    (void) lun_http_in_path(r, lun_core_conf_of(r), LUN_STR("/"), true);

    if (r->in.port == 0) {
        refuse(in, 400, "client sent CONNECT without a port");

    } else {
        r->in.tunnel = true;
    }
}


/* A tunnel has no body, whatever is said of one. */
static LUN_NOINLINE void
take_connect(lun_field_in *in)
{
    lun_request  *r = in->r;

    r->in.connect = r->method == LUN_CONNECT;

    if (r->in.refusal != 0) {
        return;
    }

    if (in->protocol.data != NULL) {
        extend_connect(in);

    } else if (r->target.len == 0 && !in->has_scheme
               && in->authority.len != 0)
    {
        plain_connect(in);
    }

    if (r->in.tunnel && r->in.known[LUN_HIN_CONTENT_LENGTH] != NULL) {
        refuse(in, 400, "client sent \"Content-Length\" header with CONNECT");
    }
}


/* What is not there; the line comes first, since the log shows it. */
static void
check(lun_field_in *in)
{
    lun_request  *r = in->r;

    if (r->method_name.len == 0) {
        refuse(in, 400, "client sent no :method header");

    } else if (r->method == LUN_CONNECT && r->in.tunnel) {
        return;                        /* it has all that it may have */

    } else if (!in->has_scheme) {
        refuse(in, 400, "client sent no :scheme header");

    } else if (r->target.len == 0) {
        refuse(in, 400, "client sent no :path header");

    } else if (r->in.known[LUN_HIN_HOST] == NULL) {
        refuse(in, 400, "client sent neither \":authority\" nor \"Host\" "
                       "header");
    }
}


/*
 * A length that the end of the stream contradicts is malformed (RFC 9113,
 * 8.1.1).
 */
static void
check_body(lun_field_in *in, bool ended)
{
    lun_header   *expect;
    lun_request  *r = in->r;

    if (lun_http_in_length(r) != LUN_OK) {
        return;
    }

    if (r->in.content_length > 0 && ended) {
        refuse(in, 400, "client prematurely closed stream");
        return;
    }

    if (r->in.tunnel) {
        return;
    }

    r->in.chunked = r->in.content_length < 0 && !ended;
    r->in.ends_apart = !ended;

    expect = r->in.known[LUN_HIN_EXPECT];
    r->in.expect_continue = expect != NULL && !ended
        && lun_str_caseeq(expect->value, LUN_STR("100-continue"));
}


/* As HTTP/1 would have it, for the log. */
static void
make_line(lun_request *r, lun_str version)
{
    char  *p, *text;

    p = text = lun_pool_text(r->pool, r->method_name.len + 1 + r->target.len
                                      + version.len);
    p = lun_copy(p, r->method_name.data, r->method_name.len);
    *p++ = ' ';
    p = lun_copy(p, r->target.data, r->target.len);
    p = lun_copy(p, version.data, version.len);
    r->line = lun_str_of(text, (size_t) (p - text));
}


/*
 * A request that is refused has no body any more, whatever it announced: what
 * comes of it is dropped by the stream.
 */
void
lun_fields_end(lun_field_in *in, bool ended, lun_str version)
{
    lun_request  *r = in->r;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->method == LUN_CONNECT || in->protocol.data != NULL) {
        take_connect(in);
    }

    if (r->method_name.len != 0 && r->target.len != 0) {
        make_line(r, version);
    }

    if (r->in.refusal == 0) {
        check(in);
    }

    if (r->in.refusal == 0) {
        push_cookie(in);
        check_body(in, ended);
    }

    if (r->in.refusal == 0) {
        (void) lun_http_in_method(r);
    }

    if (r->in.refusal != 0) {
        r->in.content_length = -1;
        r->in.chunked = false;
        r->in.ends_apart = false;
        r->in.tunnel = false;
        r->in.expect_continue = false;
    }
}
