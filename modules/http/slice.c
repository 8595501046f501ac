/*
 * slice.c -- a large answer, asked for in parts of one size.
 *
 *     slice 1m;
 *     proxy_set_header Range $slice_range;
 *     proxy_pass http://backend;
 *
 * The request itself gets the first part; what follows is asked for by
 * subrequests, one after the other, which begin where the request stands: at
 * its content.  A client's own range decides which part is the first and the
 * last, and is cut out of them by range.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/subrequest.h"


enum { RANGE_ROOM = 64 };

typedef struct {
    size_t    size;                /* 0: off */
} slice_conf;

/* Of the main request, and of all its parts. */
typedef struct {
    int64_t   size;                /* of a part */
    int64_t   start;               /* of the part that is next */
    int64_t   end;                 /* behind the last byte that is wanted */
    int64_t   left;                /* bytes of the part at hand to come */
    lun_str   range;               /* "bytes=0-1023": in `room` */
    lun_str   etag;                /* of the first part */
    bool      active;              /* the part at hand has been answered */
    bool      begun;               /* the main request's own is over */
    bool      surplus;             /* a part had more, which was logged */
    const lun_request  *part;      /* the latest that was asked for */
    char      room[RANGE_ROOM];
} slice_state;

typedef struct {
    int64_t   start, end, whole;
} content_range;

extern lun_http_module  lun_http_slice;


static size_t
size_of(const lun_request *r)
{
    return ((const slice_conf *) lun_http_conf(r, &lun_http_slice))->size;
}


/* A part that went to another location, to follow a redirect, is still it. */
static slice_state *
state_of(const lun_request *r)
{
    slice_state  *s = lun_http_state(r, &lun_http_slice);

    if (s == NULL && r->parent != NULL) {
        s = lun_http_state(r->parent, &lun_http_slice);
        s = s != NULL && s->part == r ? s : NULL;
    }

    return s;
}


/* --- $slice_range -------------------------------------------------------- */

/* "bytes=123-...": one range, from its start. */
static int64_t
wanted_start(const lun_request *r)
{
    int64_t            n = 0;
    const char        *p, *end;
    const lun_header  *h = r->in.known[LUN_HIN_RANGE];

    if (h == NULL || r->in.known[LUN_HIN_IF_RANGE] != NULL
        || lun_core_conf_of(r)->max_ranges == 0
        || !lun_str_casestarts(h->value, LUN_STR("bytes="))
        || lun_str_chr(h->value, ',') != NULL)
    {
        return 0;
    }

    p = h->value.data + 6;
    end = h->value.data + h->value.len;

    while (p < end && *p == ' ') {
        p++;
    }

    for ( ; p < end && lun_is_digit(*p); p++) {
        if (n > (INT64_MAX - 9) / 10) {
            return 0;
        }

        n = n * 10 + (*p - '0');
    }

    return n;
}


static void
set_range(slice_state *s)
{
    int64_t   last = s->start + lun_min(s->size - 1, INT64_MAX - s->start);
    char     *p = lun_fmt(s->room, s->room + sizeof(s->room), "bytes=%" PRId64
                          "-%" PRId64, s->start, last);

    s->range = lun_str_of(s->room, (size_t) (p - s->room));
}


static void
get_range(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);
    int64_t       size = (int64_t) size_of(r);
    slice_state  *state = state_of(r);

    if (state == NULL) {
        if (size == 0 || r->parent != NULL || r->out.status != 0) {
            v->not_found = 1;
            return;
        }

        state = lun_pool_new(r->pool, slice_state);
        state->size = size;
        state->start = wanted_start(r) / size * size;

        if (state->start > INT64_MAX - size) {
            state->start = 0;
        }

        set_range(state);
        lun_http_set_state(r, &lun_http_slice, state);
    }

    r->slice = 1;
    v->text = state->range;
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("slice_range"), .get = get_range,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the part that slice asks for: bytes=0-1048575" },
    { .name = LUN_STR_NULL }
};


/* --- the header of a part ------------------------------------------------ */

static bool
number(lun_str *text, char stop, int64_t *n)
{
    lun_str      word = *text;
    const char  *p = stop != '\0' ? lun_str_chr(word, stop) : NULL;

    if (stop != '\0') {
        if (p == NULL) {
            return false;
        }

        word.len = (size_t) (p - word.data);
        *text = lun_str_of(p + 1, text->len - word.len - 1);
    }

    return lun_str_to_i64(lun_str_trim(word), n) == LUN_OK && *n >= 0;
}


/* "bytes 0-1023/146515"; whole is -1 where that is a star. */
static bool
read_content_range(const lun_header *h, content_range *cr)
{
    lun_str  text;

    if (h == NULL || h->hash == 0
        || !lun_str_after(h->value, LUN_STR("bytes "), &text))
    {
        return false;
    }

    if (!number(&text, '-', &cr->start) || !number(&text, '/', &cr->end)
        || cr->end == INT64_MAX)
    {
        return false;
    }

    cr->end++;
    cr->whole = -1;

    /* A part has a byte, or the next one would begin where it did. */
    if (cr->end <= cr->start) {
        return false;
    }

    return lun_str_eq(lun_str_trim(text), LUN_STR("*"))
           || number(&text, '\0', &cr->whole);
}


static bool
is_same(const lun_request *r, const slice_state *s)
{
    const lun_header  *h = r->out.known[LUN_HOUT_ETAG];

    return s->etag.len == 0
           || (h != NULL && h->hash != 0 && lun_str_eq(h->value, s->etag));
}


/* Whether it is the part that was asked for; if not, that was logged. */
static bool
is_wanted(lun_request *r, const slice_state *s, content_range *cr)
{
    int64_t  end;

    if (!is_same(r, s)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "etag mismatch in slice response");
        return false;
    }

    if (!read_content_range(r->out.known[LUN_HOUT_CONTENT_RANGE], cr)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "invalid range in slice response");
        return false;
    }

    if (cr->whole == -1) {
        lun_log(LUN_LOG_ERR, r->log, 0, "no complete length in slice "
                "response");
        return false;
    }

    end = cr->whole - s->start > s->size ? s->start + s->size : cr->whole;

    if (cr->start != s->start || cr->end != end) {
        lun_log(LUN_LOG_ERR, r->log, 0, "unexpected range in slice response: "
                "%" PRId64 "-%" PRId64 ", expected: %" PRId64 "-%" PRId64,
                cr->start, cr->end, s->start, end);
        return false;
    }

    if (r->out.content_length >= 0 && r->method != LUN_HEAD
        && r->out.content_length != end - s->start)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "unexpected length of slice "
                "response: %" PRId64 ", expected: %" PRId64,
                r->out.content_length, end - s->start);
        return false;
    }

    return true;
}


/* To the filters behind it is the whole, of which the others will follow. */
static void
pretend(lun_request *r, slice_state *s, const content_range *cr)
{
    const lun_header  *h = r->out.known[LUN_HOUT_ETAG];

    if (h != NULL && h->hash != 0) {
        s->etag = h->value;
    }

    s->start = cr->end;
    s->left = cr->end - cr->start;
    s->active = true;

    r->out.status = 200;
    r->out.status_line = LUN_STR_NULL;
    r->out.content_length = cr->whole;
    r->out.content_offset = cr->start;
    lun_http_set_out(r, LUN_STR("Content-Range"), LUN_STR_NULL);
    lun_http_clear_ranges(r);
    r->allow_ranges = 1;
    r->single_range = 1;
    r->slice = 1;
}


static lun_rc
on_header(lun_request *r)
{
    lun_rc          rc;
    int64_t         first;
    slice_state    *s = state_of(r);
    content_range   cr;

    if (s == NULL) {
        return lun_http_next_header(r, &lun_http_slice);
    }

    if (r->out.status != 206) {
        if (r->parent == NULL) {
            lun_http_set_state(r, &lun_http_slice, NULL);
            return lun_http_next_header(r, &lun_http_slice);
        }

        lun_log(LUN_LOG_ERR, r->log, 0, "unexpected status code %u in slice "
                "response", r->out.status);
        return LUN_ERROR;
    }

    if (!is_wanted(r, s, &cr)) {
        return LUN_ERROR;
    }

    pretend(r, s, &cr);
    rc = lun_http_next_header(r, &lun_http_slice);

    if (r->parent != NULL) {
        return rc;
    }

    s->end = cr.whole;

    /* range.c has seen what the client wants of the whole. */
    if (r->out.status == 206) {
        first = r->out.content_offset;
        s->end = first + r->out.content_length;

        if (s->start + s->size <= first) {
            s->start = first / s->size * s->size;
        }
    }

    return rc;
}


/* --- one part after the other -------------------------------------------- */

static lun_rc  go_on(lun_request *r, slice_state *s);


static void
follow(lun_request *r, slice_state *s)
{
    if (!r->aborted && go_on(r, s) == LUN_ERROR) {
        r->aborted = 1;            /* the rest of the answer is missing */
    }
}


static void
on_done(lun_request *sub, void *data)
{
    follow(sub->main, data);
}


static void
on_drained(lun_request *r, void *data)
{
    follow(r, data);
    lun_http_put(r);
}


static lun_rc
ask(lun_request *r, slice_state *s)
{
    lun_request  *sub = lun_subrequest_ask(r, r->uri, r->args, 0);

    if (sub == NULL) {
        return LUN_ERROR;
    }

    lun_debug(r->log, "http slice subrequest: \"%.*s\"", LUN_S(r->uri));

    lun_subrequest_stay(sub);
    sub->method = r->method;
    sub->method_name = r->method_name;
    lun_subrequest_share_body(sub);
    lun_http_set_state(sub, &lun_http_slice, s);

    s->part = sub;
    set_range(s);
    s->active = false;
    lun_subrequest_start(sub, on_done, s);

    return LUN_OK;
}


/* A client that is slow gets the next part when it has taken this one. */
static lun_rc
go_on(lun_request *r, slice_state *s)
{
    lun_buf  *b;

    if (!s->active) {
        lun_log(LUN_LOG_ERR, r->log, 0, "missing slice response");
        return LUN_ERROR;
    }

    if (s->left > 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "slice response is too short");
        return LUN_ERROR;
    }

    if (s->start >= s->end) {
        b = lun_buf_new(r->pool);
        b->eof = 1;
        return lun_http_next_body(r, &lun_http_slice, b);
    }

    if (lun_http_pending(r)) {
        lun_http_get(r);
        lun_http_on_drained(r, on_drained, s);
        return LUN_OK;
    }

    return ask(r, s);
}


static void
shorten(lun_request *r, slice_state *s, lun_buf *b, int64_t n)
{
    if (!s->surplus) {
        s->surplus = true;
        lun_log(LUN_LOG_WARN, r->log, 0, "slice response is too long");
    }

    if (b->in_file) {
        b->file_last -= n;

    } else {
        b->last -= n;
    }
}


/*
 * The length that the client was told holds: of a part come so many bytes as
 * its header has promised, and what is behind them is no answer to anybody.
 */
static lun_buf *
fit(lun_request *r, slice_state *s, lun_buf *in)
{
    int64_t    more;
    lun_buf   *b, *next;
    lun_chain  out;

    lun_chain_init(&out);

    for (b = in; b != NULL; b = next) {
        next = b->next;
        more = lun_max(lun_buf_size(b) - s->left, 0);
        s->left -= lun_buf_size(b) - more;

        if (more != 0) {
            shorten(r, s, b, more);
        }

        if (more == 0 || lun_buf_size(b) != 0 || b->recycled || b->flush
            || b->eof || b->eof_part)
        {
            lun_chain_push(&out, b);
        }
    }

    return out.head;
}


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    bool          last = false;
    lun_rc        rc;
    lun_buf      *b;
    slice_state  *s = state_of(r);

    if (s == NULL || r->header_only || in == NULL) {
        return lun_http_next_body(r, &lun_http_slice, in);
    }

    in = fit(r, s, in);

    for (b = in; b != NULL && r->parent == NULL; b = b->next) {
        last |= b->eof;
        b->eof = 0;
    }

    rc = in != NULL ? lun_http_next_body(r, &lun_http_slice, in) : LUN_OK;

    if (rc == LUN_ERROR || !last || s->begun) {
        return rc;
    }

    s->begun = true;
    follow(r, s);
    return r->aborted ? LUN_ERROR : rc;
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_slice(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_subrequest_in_order(cf);
    return lun_set_size(cf, d, data);
}


static const lun_directive  directives[] = {
    { .name = "slice", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_slice, LUN_FIELD(slice_conf, size),
      .values = "size",
      .help = "asks for a file in pieces of this size" },
    { 0 }
};

lun_http_module  lun_http_slice = {
    .name = "slice",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(slice_conf),
    .variables = variables,
    .header_filter = on_header,
    .body_filter = on_body,
};
