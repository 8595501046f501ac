/*
 * srcache_text.c -- answers as they are stored: as they would go out in
 * HTTP/1.1, but for what is about a connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/srcache/srcache_priv.h"

#include "base/fmt.h"
#include "os/clock.h"


/* Not stored, unless srcache_store_pass_header says so. */
static const lun_str  usually_hidden[] = {
    LUN_STR_INIT("Connection"), LUN_STR_INIT("Keep-Alive"),
    LUN_STR_INIT("Proxy-Authenticate"), LUN_STR_INIT("Proxy-Authorization"),
    LUN_STR_INIT("TE"), LUN_STR_INIT("Trailers"),
    LUN_STR_INIT("Transfer-Encoding"), LUN_STR_INIT("Upgrade"),
    LUN_STR_INIT("Set-Cookie")
};


/* Stored with an answer that may be asked for parts of it; nobody gets it. */
static const lun_str  allow_ranges = LUN_STR_INIT("X-SRCache-Allow-Ranges");


static bool
has_name(const lun_str *names, size_t count, lun_str name)
{
    size_t  i;

    for (i = 0; i < count; i++) {
        if (lun_str_caseeq(names[i], name)) {
            return true;
        }
    }

    return false;
}


static bool
is_listed(const lun_array *names, lun_str name)
{
    return names != NULL && has_name(names->items, names->count, name);
}


static bool
is_stored(const lun_srcache_conf *conf, lun_str name)
{
    if (is_listed(conf->hidden, name)
        || lun_str_caseeq(name, LUN_STR("Content-Length")))
    {
        return false;
    }

    return is_listed(conf->passed, name)
           || !has_name(usually_hidden, LUN_ARRAY_LEN(usually_hidden), name);
}


/* --- writing ------------------------------------------------------------- */

typedef struct {
    const lun_srcache_conf  *conf;
    char                    *p;    /* NULL: only how long it is */
    size_t                   len;
    bool                     too_large;
} writer;


static void
put(writer *w, lun_str text)
{
    if (w->p != NULL) {
        w->p = lun_copy_str(w->p, text);
    }

    w->len += text.len;
}


static void
put_field(writer *w, lun_str name, lun_str value)
{
    if (!is_stored(w->conf, name)) {
        return;
    }

    if (name.len + value.len + 4 > w->conf->header_size) {
        w->too_large = true;
    }

    put(w, name);
    put(w, LUN_STR(": "));
    put(w, value);
    put(w, LUN_STR("\r\n"));
}


/*
 * Stored as an answer of HTTP/1.1, so that any client of the store can read it;
 * what only lives in the request (ranges) has a field of its own.
 */
static void
put_header(writer *w, lun_request *r)
{
    char     date[LUN_HTTP_DATE];
    lun_str  line, type = r->out.content_type;

    line = r->out.status_line.data != NULL
           ? r->out.status_line : lun_http_status_line(r->out.status);
    put(w, LUN_STR("HTTP/1.1 "));
    put(w, line.len != 0 ? line : lun_pool_fmt(r->pool, "%u", r->out.status));
    put(w, LUN_STR("\r\n"));

    if (type.len != 0 && r->out.charset.len != 0) {
        type = lun_pool_fmt(r->pool, "%.*s; charset=%.*s", LUN_S(type),
                            LUN_S(r->out.charset));
    }

    if (type.len != 0) {
        put_field(w, LUN_STR("Content-Type"), type);
    }

    if (r->out.last_modified != -1
        && r->out.known[LUN_HOUT_LAST_MODIFIED] == NULL)
    {
        (void) lun_clock_http_date(date, r->out.last_modified);
        put_field(w, LUN_STR("Last-Modified"), lun_str_of(date, sizeof(date)));
    }

    lun_header_each(&r->out.list, h) {
        put_field(w, h->name, h->value);
    }

    if (r->allow_ranges) {
        put_field(w, allow_ranges, LUN_STR("1"));
    }

    put(w, LUN_STR("\r\n"));
}


lun_str
lun_srcache_write(lun_request *r, const lun_srcache_conf *conf)
{
    char    *text;
    writer   w = { .conf = conf };

    put_header(&w, r);

    if (w.too_large) {
        lun_log(LUN_LOG_ERR, r->log, 0, "srcache_store: "
                "srcache_header_buffer_size %zu is too small",
                conf->header_size);
        return LUN_STR_NULL;
    }

    text = w.p = lun_pool_text(r->pool, w.len);
    w.len = 0;
    put_header(&w, r);

    return lun_str_of(text, w.len);
}


/* --- reading ------------------------------------------------------------- */

/* Takes the next line, without its end, off a text; false: there is none. */
static bool
take_line(lun_str *rest, lun_str *line)
{
    const char  *lf = lun_str_chr(*rest, '\n');

    if (lf == NULL) {
        return false;
    }

    *line = lun_str_of(rest->data, (size_t) (lf - rest->data));
    rest->data += line->len + 1;
    rest->len -= line->len + 1;

    if (line->len != 0 && line->data[line->len - 1] == '\r') {
        line->len--;
    }

    return true;
}


/* "HTTP/1.1 200 OK" */
static bool
read_status(lun_str line, unsigned *status)
{
    uint64_t     n;
    const char  *blank = lun_str_chr(line, ' ');

    if (blank == NULL || !lun_str_starts(line, LUN_STR("HTTP/"))
        || line.data + line.len - blank < 4
        || lun_str_to_u64(lun_str_of(blank + 1, 3), &n) != LUN_OK
        || n < 200 || n > 999)
    {
        return false;
    }

    *status = (unsigned) n;
    return true;
}


static bool
is_token(lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if ((unsigned char) s.data[i] <= ' ' || s.data[i] == 0x7f) {
            return false;
        }
    }

    return s.len != 0;
}


static bool
read_field(lun_str line, lun_str *field, lun_str *text)
{
    lun_str      name, value;
    const char  *colon = lun_str_chr(line, ':');

    if (colon == NULL) {
        return false;
    }

    name = lun_str_of(line.data, (size_t) (colon - line.data));
    value = lun_str_trim(lun_str_of(colon + 1, line.len - name.len - 1));

    if (!is_token(name) || lun_str_chr(value, '\r') != NULL
        || lun_str_chr(value, '\0') != NULL)
    {
        return false;
    }

    *field = name;
    *text = value;
    return true;
}


static void
add_field(lun_request *r, lun_str name, lun_str value)
{
    if (lun_str_caseeq(name, allow_ranges)) {
        r->allow_ranges = 1;

    } else if (!lun_str_caseeq(name, LUN_STR("Content-Length"))
        && !lun_str_caseeq(name, LUN_STR("Transfer-Encoding"))
        && !lun_str_caseeq(name, LUN_STR("Connection")))
    {
        (void) lun_http_add_out(r, name, value);
    }
}


/*
 * Passes over the fields, which become the request's unless r is NULL; false:
 * they have no end, or one is none.
 */
static bool
read_fields(lun_request *r, lun_str *rest)
{
    lun_str  line, name, value;

    while (take_line(rest, &line)) {
        if (line.len == 0) {
            return true;
        }

        if (!read_field(line, &name, &value)) {
            return false;
        }

        if (r != NULL) {
            add_field(r, name, value);
        }
    }

    return false;
}


lun_rc
lun_srcache_read(lun_request *r, lun_str text, lun_str *body)
{
    lun_str   rest = text, line, fields;
    unsigned  status;

    if (!take_line(&rest, &line) || !read_status(line, &status)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "srcache_fetch: cache sent invalid "
                "status line");
        return LUN_ERROR;
    }

    fields = *body = rest;

    /* Nothing of a header that is none may stay with the answer made anew. */
    if (!read_fields(NULL, body)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "srcache_fetch: cache sent invalid "
                "header");
        return LUN_ERROR;
    }

    r->out.status = status;
    (void) read_fields(r, &fields);
    return LUN_OK;
}
