/*
 * upreq_header.c -- the header of the server's answer: read, checked, and
 * made the header of ours.
 *
 * It is read into the request's memory, and its lines are views into that.
 * The first bytes come into the connection's own buffer, because a connection
 * that was kept has been listening with it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"


/* --- reading ------------------------------------------------------------- */

/* What came in the connection's buffer moves to the request's memory. */
static void
move_in(lun_upreq *x)
{
    lun_conn        *c = x->conn;
    lun_upreq_room  *h = &x->room;
    size_t           n = (size_t) (c->in.last - c->in.pos);
    size_t           have = (size_t) (h->last - h->pos);
    char            *room;

    if ((size_t) (h->end - h->last) < n) {
        room = lun_pool_text(x->r->pool, have + n);
        h->start = room;
        h->last = have != 0 ? lun_copy(room, h->pos, have) : room;
        h->pos = room;
        h->end = room + have + n;
    }

    h->last = lun_copy(h->last, c->in.pos, n);
    c->in.pos = c->in.last;
}


/* A header that is not complete yet: the rest comes to where it stays. */
static bool
make_room(lun_upreq *x)
{
    lun_upreq_room  *h = &x->room;
    size_t           have = (size_t) (h->last - h->pos);
    size_t           used = x->room_used + (size_t) (h->pos - h->start);
    size_t           size = x->conf->buffer_size;
    char            *room;

    /* Nothing of what was used is looked at again. */
    if (x->protocol->reassembles && have < size) {
        memmove(h->start, h->pos, have);
        h->last = h->start + have;
        h->pos = h->start;
        used = 0;
    }

    if (used + have >= size) {
        return false;
    }

    /* What came first may have brought a room that fits it, and no more. */
    if (h->last == h->end
        || (x->protocol->reassembles && (size_t) (h->end - h->start) < size))
    {
        x->room_used = used;
        room = lun_pool_text(x->r->pool, size - used);
        h->last = lun_copy(room, h->pos, have);
        h->start = room;
        h->pos = room;
        h->end = room + size - used;
    }

    lun_upreq_set_input(x, h->last, (size_t) (h->end - h->last));
    return true;
}


/* --- interim answers ----------------------------------------------------- */

/* --- it becomes our header ----------------------------------------------- */

static bool
is_hidden(const lun_upreq *x, const lun_header *h)
{
    size_t                  i;
    const lun_header_name  *name = x->conf->hidden.items;

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


static void
pass_hints(lun_upreq *x)
{
    lun_header_list  hints;

    if (x->hints_size > x->conf->buffer_size) {
        lun_log(LUN_LOG_INFO, x->r->log, 0, "upstream sent too big early "
                "hints");
        return;
    }

    lun_header_list_init(&hints, x->r->pool, x->answer.list.count + 1);

    lun_header_each(&x->answer.list, h) {
        if (!is_hidden(x, h) && !is_framing(h)) {
            *lun_header_list_push(&hints) = *h;
        }
    }

    lun_http_send_hints(x->r, &hints);
}


/* 100, 103: what follows them comes to where they were. */
static void
pass_over(lun_upreq *x)
{
    lun_upreq_room  *h = &x->room;
    size_t           have = (size_t) (h->last - h->pos);

    if (x->answer.status == 103) {
        x->hints_size += x->room_used + (size_t) (h->pos - h->start);
        pass_hints(x);
    }

    lun_upreq_forget_answer(x);
    memmove(h->start, h->pos, have);
    h->pos = h->start;
    h->last = h->start + have;
    x->room_used = 0;
}


/* --- the header ---------------------------------------------------------- */

static void  check_answer(lun_upreq *x);


static void
read_on(lun_upreq *x)
{
    lun_conn               *c = x->conn;
    const char             *pos;
    lun_upstream_verdict    v;

    for ( ;; ) {
        pos = x->room.pos;
        v = x->protocol->read_header(x, &pos, x->room.last);
        x->room.pos += pos - x->room.pos;

        if (v != LUN_UPSTREAM_INTERIM) {
            break;
        }

        pass_over(x);
    }

    if (lun_upreq_flush(x) != LUN_OK) {
        return;
    }

    switch (v) {

    case LUN_UPSTREAM_MORE:
        if (!make_room(x)) {
            lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent too big header");
            lun_upreq_next(x, LUN_TRY_INVALID_HEADER);
            return;
        }

        lun_conn_want(c);
        return;

    case LUN_UPSTREAM_DONE:
        x->header_done = 1;
        x->try->header_time = (int64_t) (lun_clock.mono
                                             - x->try->started);
        x->try->status = x->answer.status;
        check_answer(x);
        return;

    default:
        lun_upreq_next(x, LUN_TRY_INVALID_HEADER);
        return;
    }
}


void
lun_upreq_on_header(lun_conn *c)
{
    lun_upreq  *x = c->data;

    x->r->log->doing = lun_upreq_reading_header.doing;
    x->try->received += c->in.last - c->in.pos;

    if (x->own.is_set) {
        x->room.last = c->in.last;
        c->in.pos = c->in.last;
        lun_upreq_restore_input(x);

    } else {
        move_in(x);
        lun_conn_compact(c);
    }

    if (lun_upreq_is_sent(x)) {
        lun_conn_touch(c);
    }

    read_on(x);
}


static void
on_gone(lun_conn *c)
{
    lun_upreq_lost(c->data);
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq_timed_out(c->data);
}


const lun_conn_state  lun_upreq_reading_header = {
    .name       = "upstream reading header",
    .doing      = "reading response header from upstream",
    .on_read    = lun_upreq_on_header,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, read_timeout),
};


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


/* NAME_intercept_errors: an error_page of ours in place of their answer. */
static bool
intercept(lun_upreq *x)
{
    size_t                 i;
    lun_request           *r = x->r;
    const lun_header      *h;
    const lun_error_page  *page;
    const lun_array       *pages = lun_core_conf_of(r)->error_pages;

    if (!x->conf->intercept_errors || pages == NULL) {
        return false;
    }

    for (i = 0; i < pages->count; i++) {
        page = lun_array_at(pages, i);

        if (page->status != x->answer.status) {
            continue;
        }

        h = find(x, LUN_STR("WWW-Authenticate"));

        if (page->status == 401 && h != NULL) {
            (void) lun_http_add_out(r, h->name, h->value);
        }

        lun_upreq_end(x, LUN_STATUS + page->status);
        return true;
    }

    return false;
}


/* --- X-Accel-... --------------------------------------------------------- */

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
            if (lun_str_caseeq(h->name, kept[i])) {
                (void) lun_http_add_out(x->r, h->name, h->value);
            }
        }
    }
}


static bool
redirect(lun_upreq *x)
{
    lun_str            uri, args;
    lun_request       *r = x->r;
    const lun_header  *h = find(x, LUN_STR("X-Accel-Redirect"));

    if (h == NULL || (x->conf->ignore_headers & LUN_IGNORE_REDIRECT)) {
        return false;
    }

    uri = h->value;

    if (!lun_str_starts(uri, LUN_STR("@"))
        && lun_http_read_uri(r->pool, &uri, &args) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "unsafe URI \"%.*s\" was detected",
                LUN_S(h->value));
        lun_upreq_end(x, LUN_STATUS + 404);
        return true;
    }

    keep_headers(x);

    lun_http_get(r);
    lun_upreq_leave(x);

    if (r->method != LUN_HEAD) {
        r->method = LUN_GET;
        r->method_name = LUN_STR("GET");
    }

    if (uri.data[0] == '@') {
        lun_http_named(r, uri);

    } else {
        lun_http_redirect(r, uri, args);
    }

    lun_http_put(r);
    return true;
}


static void
set_rate(lun_upreq *x)
{
    int64_t            n;
    const lun_header  *h = find(x, LUN_STR("X-Accel-Limit-Rate"));

    if (h != NULL && (x->conf->ignore_headers & LUN_IGNORE_LIMIT_RATE) == 0
        && lun_str_to_i64(h->value, &n) == LUN_OK && n >= 0)
    {
        x->r->limit_rate = n;
        x->r->limit_after = 0;
    }
}


static void
set_buffering(lun_upreq *x)
{
    const lun_header  *h = find(x, LUN_STR("X-Accel-Buffering"));

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


static void
set_charset(lun_upreq *x)
{
    const lun_header  *h = find(x, LUN_STR("X-Accel-Charset"));

    if (h != NULL && (x->conf->ignore_headers & LUN_IGNORE_CHARSET) == 0) {
        x->r->out.charset = h->value;
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

    r->out.charset = charset;
    r->out.content_type.len = (size_t) (mark - value.data);
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

    if (h->known == LUN_HOUT_ACCEPT_RANGES && x->conf->force_ranges) {
        return;
    }

    if (x->protocol->pass_header != NULL && x->protocol->pass_header(x, h)) {
        return;
    }

    (void) lun_http_add_out(x->r, h->name, h->value);

    /* It is the server's, and not to be made absolute. */
    if (h->known == LUN_HOUT_LOCATION) {
        lun_http_keep_location(x->r);
    }
}


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

    r->not_ours = 1;
    r->expect_trailers |= x->conf->pass_trailers && x->answer.framed;

    if (x->conf->force_ranges) {
        r->allow_ranges = 1;
        r->single_range = 1;
    }

    lun_header_each(&x->answer.list, h) {
        if (!is_hidden(x, h)) {
            pass_one(x, h);
        }
    }

    set_charset(x);
}


void
lun_upreq_pass_trailers(lun_upreq *x)
{
    lun_request  *r = x->r;

    if (x->answer.trailers.pool == NULL || r->parent != NULL) {
        return;
    }

    if (r->out.trailers.pool == NULL) {
        lun_header_list_init(&r->out.trailers, r->pool, 4);
    }

    lun_header_each(&x->answer.trailers, h) {
        if (!is_hidden(x, h) && !is_framing(h)) {
            *lun_header_list_push(&r->out.trailers) = *h;
        }
    }
}


static void
check_answer(lun_upreq *x)
{
    lun_request  *r = x->r;

    if (x->answer.status >= 300 && (try_next(x) || intercept(x))) {
        return;
    }

    if (redirect(x)) {
        return;
    }

    set_rate(x);
    set_buffering(x);
    pass_headers(x);

    if (x->answer.status == 101 && x->upgrade) {
        lun_upreq_upgrade(x);
        return;
    }

    if (lun_http_send_header(r) != LUN_OK) {
        lun_upreq_end(x, LUN_FAILED);
        return;
    }

    lun_upreq_pass(x);
}
